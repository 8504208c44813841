"""Numbers that compare the words of two texts."""

from hypothesis import given
from hypothesis import strategies as st

from howsure.reader import TextPair
from howsure.reader.lexical import FEATURES, compare_words


def _compare(first: str, second: str) -> dict[str, float]:
    return dict(zip(FEATURES, compare_words(TextPair(first, second)), strict=True))


def test_negations_are_counted_over_both_texts() -> None:
    assert _compare("It is not safe", "It is safe")["negated"] == 1
    assert _compare("It isn't safe", "It is not safe")["negated"] == 0


def test_a_number_that_is_not_in_the_first_text_differs() -> None:
    assert _compare("5 of 10 passed", "5 passed")["numbers_differ"] == 0
    assert _compare("5 passed", "6 passed")["numbers_differ"] == 1
    assert _compare("all passed", "6 passed")["numbers_differ"] == 0


@given(st.text(), st.text())
def test_numbers_are_between_0_and_1_for_any_text(first: str, second: str) -> None:
    assert all(0 <= value <= 1 for value in compare_words(TextPair(first, second)))
