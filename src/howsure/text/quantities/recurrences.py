"""Read how often something happens, in times per day: "every two hours", "twice a week", "100 requests per minute"."""

import re
from functools import lru_cache

from howsure.text.quantities.number_words import SPELLED, read_spelled
from howsure.text.words import units

_SECONDS = {name: float(size) for name, size in (entry.split() for entry in units.PERIODS.split(","))}
_ADVERBS = {name: _SECONDS[unit] for name, unit in (entry.split() for entry in units.RECURRING.split(","))}
_SHORT_PERIODS = {name: _SECONDS[unit] for name, unit in (entry.split() for entry in units.SHORT_PERIODS.split(","))}
_PERIOD_FORMS = {
    round(_SECONDS[name]): re.compile(rf"\b(?:{'|'.join(re.escape(form) for form in forms.split())})(?!\w)")
    for name, _, forms in (line.partition(":") for line in units.PERIOD_FORMS.strip().splitlines())
}
_COUNT = rf"(\d{{1,6}}|{SPELLED}|other)"
_PERIOD = rf"({'|'.join(_SECONDS)})"
_EVERY = re.compile(rf"(?:once )?(?:every|each|per) (?:{_COUNT}[ -])?(?:calendar )?{_PERIOD}s?\b")
# After an amount, with at most a noun between: "$10 a month", "100 requests/s".
_RATE = re.compile(rf"(?:an? |/ ?){_PERIOD}\b|/ ?({'|'.join(_SHORT_PERIODS)})\b")
_AFTER_AMOUNT = re.compile(r" ?[a-z-]{0,20} ?")
# Between an amount and the period that it holds for: "100 api requests per minute".
_OF_AMOUNT = re.compile(r" ?(?:[a-z-]{1,20} ?){0,3}")
_TIMES = re.compile(rf"(?:(once|twice|thrice)|{_COUNT} times) (?:an?|per|every|each|in an?) (?:single )?{_PERIOD}\b")
# An adverb like "weekly" only if no noun follows: "the weekly report" is not one.
_ADVERB = re.compile(
    rf"({'|'.join(_ADVERBS)})(?=\s*(?:[.,;:)]|$|(?:on|at|in|by|and|or|for|from|via|with|to|since|after|before|during|but)\b))"
)
RECURRENCE = rf"\b(?:once|twice|thrice|every|each|per|{'|'.join(_ADVERBS)})\b|/ ?(?=[a-z])"
"""Regular expression for what a recurrence may begin with, besides a number."""


def read_recurrence(sentence: str, start: int) -> tuple[float, int] | None:
    """Return how often a day something happens and where that ends, or None.

    >>> read_recurrence("every two hours", 0), read_recurrence("sent weekly.", 5)
    ((12.0, 15), (0.14285714285714285, 11))
    """
    if match := _EVERY.match(sentence, start):
        often = _SECONDS["day"] / (_number(match[1] or "one") * _SECONDS[match[2]] or 1.0)
    elif match := _TIMES.match(sentence, start):
        often = _number(match[1] or match[2]) * _SECONDS["day"] / _SECONDS[match[3]]
    elif match := _ADVERB.match(sentence, start):
        often = _SECONDS["day"] / _ADVERBS[match[1]]
    else:
        return None
    return often, match.end()


def read_rate(sentence: str, start: int, amount_end: int) -> tuple[float, int] | None:
    """Return the same for the period of an amount, "$10 a month" or "100 requests/s"."""
    match = _RATE.match(sentence, start)
    if not match or not _AFTER_AMOUNT.fullmatch(sentence, amount_end, start):
        return None
    return _SECONDS["day"] / (_SECONDS[match[1]] if match[1] else _SHORT_PERIODS[match[2]]), match.end()


def is_period_of(sentence: str, start: int, amount_end: int) -> bool:
    """Return True if the recurrence at an offset is the period for which an amount before it holds.

    >>> text = "100 api requests per minute, daily"
    >>> is_period_of(text, 17, 3), is_period_of(text, 29, 3)
    (True, False)
    """
    is_period = sentence.startswith(("per ", "a ", "an ", "/", "every ", "each "), start)
    return is_period and _OF_AMOUNT.fullmatch(sentence, amount_end, start) is not None


@lru_cache(maxsize=64)
def names_period(text: str, often: float) -> bool:
    """Return True if a text in lower case names a period in any form, given how often a day it begins.

    >>> names_period("the monthly fee is $10", 86400 / 2629800), names_period("the fee is $10", 86400 / 2629800)
    (True, False)
    """
    # Cached, because a long text may be searched for each rate of a sentence.
    forms = _PERIOD_FORMS.get(round(_SECONDS["day"] / often))
    return forms is not None and forms.search(text) is not None


def _number(written: str) -> float:
    if written.isdigit():
        return float(written)
    return 2.0 if written == "other" else read_spelled(written)[0]
