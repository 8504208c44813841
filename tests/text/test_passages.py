"""Splitting texts into passages, and reading their words."""

from hypothesis import given
from hypothesis import strategies as st

from howsure.text.passages import Passage, read_passage, split_passages


def read(text: str) -> Passage:
    return read_passage(text, 0, len(text))


def test_code_is_read_by_line_if_wanted() -> None:
    text = "It is so.\n```\nport = 80\n\nhost = a\n```\nEnd."
    assert [text[start:end].strip() for start, end in split_passages(text)] == ["It is so.", "End."]
    with_code = [text[start:end].strip() for start, end in split_passages(text, with_code=True)]
    assert with_code == ["It is so.", "port = 80", "host = a", "End."]


def test_names_are_words_with_capitals_digits_or_signs() -> None:
    names = [
        word.text
        for word in read("The Redis store writes rejected.csv, X-Id and --fix to S3 for Ann's team.").words
        if word.is_name
    ]
    assert names == ["Redis", "rejected.csv", "X-Id", "--fix", "S3", "Ann"]
    assert [word.text for word in read("Redis is fast.").words if word.begins] == ["Redis"]


def test_pronouns_with_a_short_verb_are_no_names() -> None:
    words = read("It says that you've paid what we'll need, and Ann'll send it.").words
    assert [(word.text, word.is_name) for word in words if word.text not in {"says", "paid", "need", "send"}] == [
        ("what", False),
        ("Ann", True),
    ]


def test_negations_reach_to_the_end_of_the_clause() -> None:
    words = {
        word.text: (word.negated, word.denied) for word in read("It does not store card numbers, but names.").words
    }
    assert words == {"store": (True, True), "card": (True, False), "numbers": (True, False), "names": (False, False)}
    assert read("It isn't and can't, never.").negations == 3


def test_numbers_are_not_words() -> None:
    passage = read("It takes 5 ms on 3 May 2021.")
    assert [word.text for word in passage.words] == ["takes"]
    assert [measure.dimension for measure in passage.measures] == ["time", "date"]


def test_a_long_sentence_is_cut() -> None:
    text = "word " * 1000
    assert max(end - start for start, end in split_passages(text)) <= 600
    assert "".join(text[start:end] for start, end in split_passages(text)).split() == text.split()


@given(st.text(max_size=500))
def test_passages_are_in_order_and_inside(text: str) -> None:
    for with_code in (False, True):
        place = 0
        for start, end in split_passages(text, with_code=with_code):
            assert place <= start < end <= len(text)
            assert read_passage(text, start, end).text == text[start:end]
            place = end
