"""What a text says about things that are either so or not."""

from howsure.text.contradictions.polarities import normalize, read_poles, without_articles


def poles(text: str) -> set[tuple[str, bool]]:
    return {(pole.thing, pole.so) for pole in read_poles(text.split())}


def test_a_phrase_says_whether_it_is_so() -> None:
    assert ("automation", True) in poles("it starts on its own")
    assert ("automation", False) in poles("it is started by hand")


def test_a_negation_before_a_phrase_reverses_it_and_two_do_not() -> None:
    assert ("enabling", False) in poles("it is not enabled")
    assert ("need", True) in poles("it does not work without it")


def test_articles_do_not_separate_the_words_of_a_phrase() -> None:
    assert normalize(["after", "a", "restart"]) == normalize(["after", "restart"])
    assert without_articles(["the", "cache"]) == ["cache"]
