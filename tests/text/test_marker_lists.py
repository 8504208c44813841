"""The lists of marker phrases are consistent."""

import pytest

from howsure.text.marker_lists import LISTS, MarkerPhrases

TABLES = [table for kinds in LISTS.values() for table in kinds.values()]


@pytest.mark.parametrize("table", TABLES)
def test_a_phrase_is_listed_once_and_is_either_certain_or_uncertain(table: MarkerPhrases) -> None:
    phrases = [phrase.lower() for role in ("certain", "uncertain") for phrase in table[role]]
    assert phrases
    assert sorted(phrases) == sorted(set(phrases))


@pytest.mark.parametrize("table", TABLES)
def test_every_role_is_known(table: MarkerPhrases) -> None:
    assert set(table) <= {"certain", "uncertain", "negations", "negation_endings"}
