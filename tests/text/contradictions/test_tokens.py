"""Splitting a sentence into words and measures."""

import pytest

from howsure.text.contradictions.tokens import tokenize


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("It isn't on.", "it is not on ."),
        ("We can't; they won't.", "we can not ; they will not"),
        ("The parser's tests", "the parser tests"),
        ("It\u2019s read-only.", "it is readonly"),
        ("a non-blocking, thread-safe call", "a nonblocking , thread safe call"),
        ("C++ and utf-8 in a_b.py", "c++ and utf-8 in a_b.py"),
        ("at least 5 MB", "at least 5 mb"),
    ],
)
def test_a_sentence_is_taken_apart_into_words(text: str, words: str) -> None:
    assert " ".join(token.word for token in tokenize(text)) == words.removesuffix(" .")


def test_acronyms_are_not_plurals_and_calls_are_names() -> None:
    assert [token.stem for token in tokenize("HTTP HTTPS https")] == ["http", "https", "https"]
    assert [token.name for token in tokenize("call parse(x) now")] == [False, True, False, False, False, False]
