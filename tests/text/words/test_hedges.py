"""Phrases with which an author hedges."""

from howsure.text.words import hedges

PHRASES = (
    hedges.IGNORANCE,
    hedges.BELIEF,
    hedges.POSSIBILITY,
    hedges.PROBABILITY,
    hedges.EVIDENTIAL,
    hedges.VAGUE,
    hedges.FREQUENCY,
)


def test_phrases_are_in_lower_case_with_straight_apostrophes() -> None:
    for phrases in PHRASES:
        for phrase in phrases:
            assert phrase == phrase.lower()
            assert "\u2019" not in phrase


def test_a_phrase_is_in_one_list() -> None:
    every = [phrase for phrases in PHRASES for phrase in phrases]
    assert sorted(every) == sorted(set(every))
