"""Bands: scores and ages, each cut into a few ranges that have a colour."""

from bisect import bisect_left, bisect_right

SCORES = (0.25, 0.5, 0.75, 0.9)
"""Where bands of scores begin; in the terminal 0.5 and 0.75 part red, yellow and green."""
AGES = (3.0, 6.0, 12.0, 24.0)
"""Months at which bands of ages end; at the first three something else becomes due."""
SCORE_WORDS = ("below 0.25", "0.25 to 0.5", "0.5 to 0.75", "0.75 to 0.9", "0.9 and more")
AGE_WORDS = ("up to 3 months", "3 to 6 months", "6 to 12 months", "1 to 2 years", "over 2 years")


def score_band(score: float | None) -> str:
    """Return the class of a score.

    >>> score_band(0.0), score_band(0.5), score_band(1.0), score_band(None)
    ('s0', 's2', 's4', 'su')
    """
    return "su" if score is None else f"s{bisect_right(SCORES, score)}"


def age_band(months: float | None) -> str:
    """Return the class of an age.

    >>> age_band(3.0), age_band(3.1), age_band(99.0), age_band(None)
    ('a0', 'a1', 'a4', 'au')
    """
    return "au" if months is None else f"a{bisect_left(AGES, months)}"
