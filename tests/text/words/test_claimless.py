"""Words of sentences that claim nothing."""

import pytest

from howsure.text.words import claimless


@pytest.mark.parametrize(
    "name", ["FINITE", "INVERTED", "WH", "CLAUSE_OPENERS", "SPEAKERS", "USER", "ARGUING", "FACTIVE"]
)
def test_words_are_in_lower_case_with_straight_apostrophes(name: str) -> None:
    words: str = getattr(claimless, name)
    assert words.lower() == words
    assert "\u2019" not in words
