"""Recurrences: how often something happens, as in "every hour", "twice a day" or "weekly"."""

import re

from howsure.text.words import units

_SECONDS = {name: float(size) for name, size in (entry.split() for entry in units.PERIODS.split(","))}
_ADVERBS = {name: _SECONDS[unit] for name, unit in (entry.split() for entry in units.RECURRING.split(","))}
_COUNT = rf"(\d{{1,6}}|{'|'.join(units.NUMBERS)}|other)"
_PERIOD = rf"({'|'.join(_SECONDS)})"
_EVERY = re.compile(rf"(?:once )?(?:every|each) (?:{_COUNT}[ -])?{_PERIOD}s?\b")
_TIMES = re.compile(rf"(?:(once|twice|thrice)|{_COUNT} times) (?:an?|per|every|each|in an?) (?:single )?{_PERIOD}\b")
_ADVERB = re.compile(
    rf"({'|'.join(_ADVERBS)})(?=\s*(?:[.,;:)]|$|(?:on|at|in|by|and|or|for|from|via|with|to|since|after|before|during|but)\b))"
)
RECURRENCE = rf"\b(?:once|twice|thrice|every|each|{'|'.join(_ADVERBS)})\b"
"""What a recurrence begins with, where it does not begin with a number, as a regular expression."""

Parts = tuple[float, float, str, str, int, int, float]
"""Low, high, dimension, text, start, end and rounding, as a measure begins."""
NEAR = 0.04
"""How far two recurrences may lie apart, as a share: a month has 28 to 31 days."""


def read_recurrence(sentence: str, start: int) -> Parts | None:
    """Read how often something happens in a day, where that begins at a place of a sentence in lower case.

    >>> [read_recurrence(said, 0)[0] for said in ("every two hours", "once a day", "daily", "every other day")]
    [12.0, 1.0, 1.0, 0.5]
    """
    if found := _EVERY.match(sentence, start):
        often = _SECONDS["day"] / (_number(found[1] or "one") * _SECONDS[found[2]] or 1.0)
    elif found := _TIMES.match(sentence, start):
        often = _number(found[1] or found[2]) * _SECONDS["day"] / _SECONDS[found[3]]
    elif found := _ADVERB.match(sentence, start):
        often = _SECONDS["day"] / _ADVERBS[found[1]]
    else:
        return None
    return often, often, "recurrence", found[0], start, found.end(), NEAR * often


def _number(written: str) -> float:
    if written.isdigit():
        return float(written)
    return 2.0 if written == "other" else float(units.NUMBERS[written])
