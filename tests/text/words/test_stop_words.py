"""Frequent words by language."""

from howsure.text.words import stop_words


def test_words_are_in_lower_case() -> None:
    for words in (stop_words.ENGLISH, stop_words.OTHERS):
        assert words.lower() == words


def test_most_words_of_other_languages_are_not_english() -> None:
    english, others = set(stop_words.ENGLISH.split()), set(stop_words.OTHERS.split())
    assert len(english & others) < len(others) / 10
