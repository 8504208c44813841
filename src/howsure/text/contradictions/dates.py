"""Dates: years, months, days, weekdays and times of day in a sentence, as ranges of days."""

import math
import re

from howsure.text.words import units

_MONTHS = units.MONTHS.split()
_MONTH = "|".join([*_MONTHS, *(f"{month[:3]}\\b\\.?" for month in _MONTHS if month != "may"), r"sept\b\.?"])
_WEEKDAYS = units.WEEKDAYS.split()
DATE = (
    r"(?:\b\d{4}-\d{2}(?:-\d{2})?\b|\b\d{1,2}(?:st|nd|rd|th)? (?:of )?"
    rf"(?:{_MONTH})\b|\b(?:{_MONTH})\b|\b(?:{'|'.join(_WEEKDAYS)})s?\b"
    r"|\b\d{1,2}:\d{2}\b|\b[12]\d{3}s?\b)"
)
"""What a date begins with, as a regular expression."""

_ISO = re.compile(r"(\d{4})-(\d{2})(?:-(\d{2}))?\b")
_DAY_FIRST = re.compile(rf"(\d{{1,2}})(?:st|nd|rd|th)? (?:of )?({_MONTH})(?:(?: ?,?| of) (\d{{4}}))?\b")
_MONTH_FIRST = re.compile(rf"({_MONTH})(?: (\d{{1,2}})(?:st|nd|rd|th)?(?![\d:.%]))?(?:(?: ?,?| of) (\d{{4}}))?(?!\w)")
_WEEKDAY = re.compile(rf"({'|'.join(_WEEKDAYS)})s?\b")
_CLOCK = re.compile(r"(\d{1,2}):(\d{2})(?: ?([ap])\.?m\b\.?)?|(\d{1,2}) ?([ap])\.?m\b\.?")
_YEAR = re.compile(
    r"([12]\d{3})(s?)(?![\w%:]|[.,]\d)(?! ?(?:%|percent|(?:milli)?seconds?|ms|bytes|[kmgt]?b|k?m|k?g)\b)"
)
_IN_TIME = re.compile(
    r"(?:\b(?:in|since|until|till|during|before|after|year|early|late|mid|spring|summer|autumn|winter|circa|prior to"
    r"|as of|born|died)[ -]|\()\Z"
)
_PERHAPS_IN_TIME = re.compile(r"\b(?:by|from|of|to|and|between|around|about|the)[ -]\Z")
_NO_NOUN = re.compile(r"s?(?! [a-z])|s? (?:to|and|until|in|on|at|as|by|with|when|or)\b")
_TO = re.compile(r" ?(-|\u2013|to|until|till|through|and) ?(?=[a-z0-9])")
_LOOK_BACK = 16
YEAR, MONTH = 372, 31
"""Days in a year and a month, if all were as long as the longest: enough to put dates in order."""

Parts = tuple[float, float, str, str, int, int]
"""Low, high, dimension, text, start and end, as a measure begins."""


def read_date(sentence: str, start: int) -> Parts | None:
    """Read the date that begins at a place of a sentence in lower case, with a word like "since" before it.

    >>> read_date("since may 2020", 6)
    (751565.0, inf, 'date', 'since may 2020', 0, 14)
    """
    for read in _READERS:
        found = read(sentence, start)
        if found is not None:
            low, high, dimension, end = found
            last = _last(sentence, start, end, dimension)
            if last is not None and last[0] >= low:
                return low, last[1], dimension, sentence[start : last[3]], start, last[3]
            return _with_time(sentence, low, high, dimension, start, end)
    return None


def _last(sentence: str, start: int, end: int, dimension: str) -> tuple[float, float, str, int] | None:
    """Read the date with which a time ends that begins with the date before it: "from 1809 to 1812"."""
    joint = _TO.match(sentence, end)
    if not joint or (joint[1] == "and" and sentence[max(0, start - 8) : start] != "between "):
        return None
    found = next((last for read in _READERS if (last := read(sentence, joint.end())) is not None), None)
    if found is None and dimension == "date" and (year := _YEAR.match(sentence, joint.end())):
        found = (*_days(int(year[1])), "date", year.end())
    return found if found is not None and found[2] == dimension else None


def _days(year: int, month: int = 0, day: int = 0) -> tuple[float, float]:
    """Return the first and last day of a year, a month or a day, counted from the year 0."""
    if not month:
        return float(year * YEAR + 1), float(year * YEAR + YEAR)
    first = year * YEAR + (month - 1) * MONTH
    return (first + 1.0, first + float(MONTH)) if not day else (float(first + day), float(first + day))


def _iso(sentence: str, start: int) -> tuple[float, float, str, int] | None:
    found = _ISO.match(sentence, start)
    if not found or not 1 <= int(found[2]) <= len(_MONTHS):
        return None
    return (*_days(int(found[1]), int(found[2]), int(found[3] or 0)), "date", found.end())


def _day_first(sentence: str, start: int) -> tuple[float, float, str, int] | None:
    found = _DAY_FIRST.match(sentence, start)
    return _named(found[2], found[1], found[3], found.end()) if found else None


def _month_first(sentence: str, start: int) -> tuple[float, float, str, int] | None:
    found = _MONTH_FIRST.match(sentence, start)
    if not found or (found[1] in {"may", "march"} and not (found[2] or found[3] or _after_in(sentence, start))):
        return None
    return _named(found[1], found[2], found[3], found.end())


def _named(month: str, day: str | None, year: str | None, end: int) -> tuple[float, float, str, int]:
    number = next(index for index, name in enumerate(_MONTHS, start=1) if name.startswith(month[:3]))
    if year:
        return (*_days(int(year), number, int(day or 0)), "date", end)
    low, high = _days(0, number, int(day or 0))
    return low, high, "month", end


def _weekday(sentence: str, start: int) -> tuple[float, float, str, int] | None:
    found = _WEEKDAY.match(sentence, start)
    if not found:
        return None
    number = float(_WEEKDAYS.index(found[1]))
    return number, number, "weekday", found.end()


def _clock(sentence: str, start: int) -> tuple[float, float, str, int] | None:
    found = _CLOCK.match(sentence, start)
    if not found:
        return None
    half = found[3] or found[5]
    hours = int(found[1] or found[4])
    hours = hours % 12 + 12 * (half == "p") if half else hours
    minutes = float(hours * 60 + int(found[2] or 0))
    return minutes, minutes, "clock", found.end()


def _year(sentence: str, start: int) -> tuple[float, float, str, int] | None:
    """Read a year, which is told from other numbers by the word before it."""
    found = _YEAR.match(sentence, start)
    if not found:
        return None
    before = sentence[max(0, start - _LOOK_BACK) : start]
    alone = found[2] or (not before.endswith("the ") and _NO_NOUN.match(sentence, found.end(1)))
    if not _IN_TIME.search(before) and not (_PERHAPS_IN_TIME.search(before) and alone):
        return None
    low, high = _days(int(found[1]))
    return low, high + (9 * YEAR if found[2] else 0), "date", found.end()


def _after_in(sentence: str, start: int) -> bool:
    words = sentence[max(0, start - _LOOK_BACK) : start].split()
    return bool(words) and words[-1] in {"in", "since", "until", "by", "of", "last", "next", "early", "late", "this"}


_READERS = (_iso, _day_first, _month_first, _weekday, _clock, _year)


def _with_time(sentence: str, low: float, high: float, dimension: str, start: int, end: int) -> Parts:
    """Take in the word before a date that makes it the end, or the beginning, of a time."""
    before = sentence[max(0, start - _LOOK_BACK) : start].rstrip()
    for phrases, opens in ((units.TIMES_BEFORE, False), (units.TIMES_AFTER, True)):
        for phrase in phrases:
            if before.endswith(phrase) and not before[: -len(phrase)][-1:].isalnum():
                first = max(0, start - _LOOK_BACK) + len(before) - len(phrase)
                text = sentence[first:end]
                strict = phrase in {"before", "after", "prior to"}
                if opens:
                    return (high + 1 if strict else low), math.inf, dimension, text, first, end
                return -math.inf, (low - 1 if strict else high), dimension, text, first, end
    return low, high, dimension, sentence[start:end], start, end
