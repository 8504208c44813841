"""Abbreviations are written as they are looked up."""

from howsure.text.words import abbreviations


def test_abbreviations_are_in_lower_case_without_their_last_full_stop() -> None:
    for word in abbreviations.STARTERS.split():
        assert word == word.lower()
        assert not word.endswith(".")
