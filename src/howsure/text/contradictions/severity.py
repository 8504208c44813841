"""How severe each kind of clash is, from 0 to 1. Conflicts from 0.5 are reported by default."""

DENIED = 0.9
"""Opposites and plain negations."""
DATED = 0.85
"""Two dates of one event."""
ORDERED = 0.75
"""Two orders of the same things."""
OUT_OF_SOME = 0.75
"""Quantifiers that exclude each other."""
IN_PART = 0.65
"""One statement holds only for some cases."""
RESTRICTED = 0.65
"""One statement says "only"."""
IN_PART_DENIED = 0.45
"""One statement is negated for some cases."""
VAGUE = 0.45
"""One statement gives a vague value."""
MIN_STRENGTH_IN_PART = 0.7
"""How strongly two values must exclude each other to be reported if one holds only for some cases."""
HEDGED = 0.6
"""Factor for a clash in which one statement is uncertain."""
MIN_COVER, COVER_GAIN = 0.8, 0.2
"""Factor for a clash between clauses without common words, and what is added if all words are common."""
_NUMBER, _NUMBER_GAP = 0.65, 0.3
"""Two numbers that are close, and what is added for numbers that are far apart."""


def number_severity(gap: float) -> float:
    """Return the severity of two numbers that differ by `gap`, from 0 to 1.

    >>> number_severity(0.0), number_severity(1.0)
    (0.65, 0.95)
    """
    return _NUMBER + _NUMBER_GAP * gap
