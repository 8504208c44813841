"""Words, and bands of scores and ages, for showing documents: the same in every output."""

from bisect import bisect_left, bisect_right
from datetime import date

from howsure.documents.document import Action, Document, Improvement
from howsure.wording import pluralize, single_line

ACTIONS: dict[Action, str] = {
    "none": "nothing due",
    "review": "review",
    "human_validation": "validation by a person",
    "refresh_or_remove": "refresh or remove",
    "unknown": "age unknown",
}
"""What is due, in words."""

SCORE_LIMITS = (0.25, 0.5, 0.75, 0.9)
"""Scores at which the next band begins; in the terminal, 0.5 and 0.75 separate red, yellow and green."""
SCORE_BANDS = ("below 0.25", "0.25 to 0.5", "0.5 to 0.75", "0.75 to 0.9", "0.9 and more")
AGE_LIMITS = (3.0, 6.0, 12.0, 24.0)
"""Months at which a band of ages ends; at the first three another action becomes due."""
AGE_BANDS = ("up to 3 months", "3 to 6 months", "6 to 12 months", "1 to 2 years", "over 2 years")

_LEAST_SHOWN = 0.005
"""Smaller gains would be shown as +0.00."""


def score_band(score: float | None) -> str:
    """Return the CSS class of a score.

    >>> score_band(0.0), score_band(0.5), score_band(1.0), score_band(None)
    ('s0', 's2', 's4', 'su')
    """
    return "su" if score is None else f"s{bisect_right(SCORE_LIMITS, score)}"


def age_band(months: float | None) -> str:
    """Return the CSS class of an age.

    >>> age_band(3.0), age_band(3.1), age_band(99.0), age_band(None)
    ('a0', 'a1', 'a4', 'au')
    """
    return "au" if months is None else f"a{bisect_left(AGE_LIMITS, months)}"


def format_score(value: float | None, limit: float | None = None) -> str:
    """Return a score with two digits, or more if it would otherwise seem to reach the limit.

    >>> format_score(0.4996), format_score(0.4996, limit=0.5), format_score(None)
    ('0.50', '0.4996', 'unknown')
    """
    if value is None:
        return "unknown"
    texts = [f"{value:.{digits}f}" for digits in (2, 3, 4)]
    if limit is None or value >= limit:
        return texts[0]
    return next((text for text in texts if float(text) < limit), texts[-1])


def format_age(months: float | None) -> str:
    """Return an age in words.

    >>> format_age(0.5), format_age(1.2), format_age(30.0), format_age(None)
    ('15 days', '1 month', '2.5 years', 'unknown')
    """
    if months is None:
        return "unknown"
    if months < 1.0:
        return pluralize(round(months * 365.25 / 12), "day")
    return pluralize(round(months), "month") if months < AGE_LIMITS[-1] else f"{months / 12:.1f} years"


def format_gain(improvement: Improvement) -> str:
    """Return by how much something would raise a score; empty if it rounds to zero.

    >>> format_gain(Improvement("validate it", 0.05)), format_gain(Improvement("test it", 0.004))
    ('+0.05', '')
    """
    return f"+{improvement.gain:.2f}" if improvement.gain >= _LEAST_SHOWN else ""


def format_gains(document: Document, limit: int = 3) -> str:
    """Return what would raise a document's score, and by how much."""
    pairs = ((single_line(one.words), format_gain(one)) for one in document.gains[:limit])
    return ", ".join(f"{words} ({gain})" if gain else words for words, gain in pairs)


def format_due(document: Document, today: date) -> str:
    """Return what is due for a document, and the day of its review."""
    words = ACTIONS[document.action]
    if document.due is None or document.action == "unknown":
        return words
    if document.action == "none":
        return f"review on {document.due}" if document.due > today else f"review since {document.due}"
    return f"{words}, by {document.due}" if document.due > today else f"{words}, since {document.due}"
