"""Wording: how a document is put into words, the same ones in every output."""

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


def score(value: float | None, limit: float | None = None) -> str:
    """Return a score in two digits; in more, where it would else seem to reach the limit.

    >>> score(0.4996), score(0.4996, limit=0.5), score(None)
    ('0.50', '0.4996', 'unknown')
    """
    if value is None:
        return "unknown"
    texts = [f"{value:.{digits}f}" for digits in (2, 3, 4)]
    if limit is None or value >= limit:
        return texts[0]
    return next((text for text in texts if float(text) < limit), texts[-1])


def age(months: float | None) -> str:
    """Return an age in words.

    >>> age(0.5), age(1.2), age(30.0), age(None)
    ('15 days', '1 month', '2.5 years', 'unknown')
    """
    if months is None:
        return "unknown"
    if months < 1.0:
        return pluralize(round(months * 365.25 / 12), "day")
    return pluralize(round(months), "month") if months < 24.0 else f"{months / 12:.1f} years"  # noqa: PLR2004


def gain(one: Improvement) -> str:
    """Return by how much something would raise a score; nothing, where that does not show.

    >>> gain(Improvement("validate it", 0.05)), gain(Improvement("test it", 0.004))
    ('+0.05', '')
    """
    return f"+{one.gain:.2f}" if one.gain >= 0.005 else ""  # noqa: PLR2004


def advice(document: Document, most: int = 3) -> str:
    """Return what would raise a document's score, and by how much."""
    told = ((single_line(one.words), gain(one)) for one in document.gains[:most])
    return ", ".join(f"{words} ({number})" if number else words for words, number in told)


def due(document: Document, today: date) -> str:
    """Return what is due for a document, and when it is or was to be reviewed."""
    words = ACTIONS[document.action]
    if document.due is None or document.action == "unknown":
        return words
    if document.action == "none":
        return f"review on {document.due}" if document.due > today else f"review since {document.due}"
    return f"{words}, by {document.due}" if document.due > today else f"{words}, since {document.due}"
