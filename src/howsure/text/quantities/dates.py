"""Read years, months, days, weekdays and times of day in a sentence, as ranges that can be compared."""

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
"""Regular expression for what a date may begin with."""

_ISO = re.compile(r"(\d{4})-(\d{2})(?:-(\d{2}))?\b")
_DAY_FIRST = re.compile(rf"(\d{{1,2}})(?:st|nd|rd|th)? (?:of )?({_MONTH})(?:(?: ?,?| of) (\d{{4}}))?\b")
_MONTH_FIRST = re.compile(rf"({_MONTH})(?: (\d{{1,2}})(?:st|nd|rd|th)?(?![\d:.%]))?(?:(?: ?,?| of) (\d{{4}}))?(?!\w)")
_WEEKDAY = re.compile(rf"({'|'.join(_WEEKDAYS)})s?\b")
_CLOCK = re.compile(r"(\d{1,2}):(\d{2})(?: ?([ap])\.?m\b\.?)?|(\d{1,2}) ?([ap])\.?m\b\.?")
_ZONES = {name: float(minutes) for name, minutes in (entry.split() for entry in units.ZONES.split(","))}
_ZONE = re.compile(
    rf" ?\(?(?:(?:utc|gmt)(?: ?([+\-\u2212]) ?(\d{{1,2}})(?::?(\d{{2}}))?)?|({'|'.join(_ZONES)}))(?![\w:])\)?"
)
_UNITS = "|".join(
    sorted(
        re.escape(name)
        for entries in units.UNITS.values()
        for entry in entries.split(",")
        if (name := entry.split()[0]) not in units.AFTER_YEARS.split()
    )
)
# A number from 1000 to 2999 that is not an amount.
_YEAR = re.compile(rf"([12]\d{{3}})(s?)(?![\w%:]|[.,]\d)(?! ?(?:{_UNITS})(?!\w))")
# Words after which such a number is a year.
_BEFORE_YEAR = re.compile(
    r"(?:\b(?:in|since|until|till|during|before|after|year|early|late|mid|spring|summer|autumn|winter|circa|prior to"
    r"|as of|born|died)[ -]|\()\Z"
)
# Words after which it is a year only if no noun follows: "by 2019", but not "by 2019 users".
_PERHAPS_BEFORE_YEAR = re.compile(r"\b(?:by|from|of|to|and|between|around|about|the)[ -]\Z")
_NO_NOUN_FOLLOWS = re.compile(r"s?(?! [a-z])|s? (?:to|and|until|in|on|at|as|by|with|when|or)\b")
_TO = re.compile(r" ?(-|\u2013|to|until|till|through|and) ?(?=[a-z0-9])")
_LOOK_BACK = 16
DAY_MINUTES = 1440.0
YEAR, MONTH = 372, 31
"""Days of a year and a month if all months had 31 days: enough to put dates in order."""

Parts = tuple[float, float, str, str, int, int]
"""Low, high, dimension, text, start and end: the first fields of a `Measure`."""
End = tuple[float, float, str, int]
"""Low, high, dimension and end."""


def read_date(sentence: str, start: int) -> Parts | None:
    """Read the date or range of dates at an offset of a sentence in lower case, with a word like "since" before it.

    Dates with a year count days from year 0, days and months without a year from January 1 ("month"), weekdays from
    Monday, and times of day in minutes ("clock"). Returns None if there is no date.

    >>> read_date("since may 2020", 6)
    (751565.0, inf, 'date', 'since may 2020', 0, 14)
    """
    first = _read_one(sentence, start)
    if first is None:
        return None
    low, high, dimension, end = first
    last = _read_end_of_range(sentence, start, end, dimension)
    if last is not None and last[0] >= low:
        return low, last[1], dimension, sentence[start : last[3]], start, last[3]
    return _with_preposition(sentence, low, high, dimension, start, end)


def read_zone(sentence: str, end: int) -> tuple[float, int] | None:
    """Return the time zone after a time of day, in minutes from UTC, and where it ends; None if there is none.

    >>> read_zone("15:00 utc+1", 5), read_zone("15:00 pst", 5), read_zone("15:00 sharp", 5)
    ((60.0, 11), (-480.0, 9), None)
    """
    match = _ZONE.match(sentence, end)
    if not match:
        return None
    if match[4]:
        return _ZONES[match[4]], match.end()
    minutes = float(int(match[2] or 0) * 60 + int(match[3] or 0))
    return (minutes if match[1] in {None, "+"} else -minutes), match.end()


def _read_one(sentence: str, start: int) -> End | None:
    return next((date for read in _READERS if (date := read(sentence, start)) is not None), None)


def _read_end_of_range(sentence: str, start: int, end: int, dimension: str) -> End | None:
    """Read the second date of a range: "from 1809 to 1812"."""
    joint = _TO.match(sentence, end)
    if not joint or (joint[1] == "and" and sentence[max(0, start - 8) : start] != "between "):
        return None
    last = _read_one(sentence, joint.end())
    if last is None and dimension == "date" and (year := _YEAR.match(sentence, joint.end())):
        last = (*_days(int(year[1])), "date", year.end())
    return last if last is not None and last[2] == dimension else None


def _days(year: int, month: int = 0, day: int = 0) -> tuple[float, float]:
    """Return the first and last day of a year, month or day, counted from year 0."""
    if not month:
        return float(year * YEAR + 1), float(year * YEAR + YEAR)
    first = year * YEAR + (month - 1) * MONTH
    return (first + 1.0, first + float(MONTH)) if not day else (float(first + day), float(first + day))


def _iso(sentence: str, start: int) -> End | None:
    match = _ISO.match(sentence, start)
    if not match or not 1 <= int(match[2]) <= len(_MONTHS):
        return None
    return (*_days(int(match[1]), int(match[2]), int(match[3] or 0)), "date", match.end())


def _day_first(sentence: str, start: int) -> End | None:
    match = _DAY_FIRST.match(sentence, start)
    return _named(match[2], match[1], match[3], match.end()) if match else None


def _month_first(sentence: str, start: int) -> End | None:
    match = _MONTH_FIRST.match(sentence, start)
    # "may" and "march" are months only with a day or year, or after a word like "in".
    if not match or (
        match[1] in {"may", "march"} and not (match[2] or match[3] or _follows_time_word(sentence, start))
    ):
        return None
    return _named(match[1], match[2], match[3], match.end())


def _named(month: str, day: str | None, year: str | None, end: int) -> End:
    number = next(index for index, name in enumerate(_MONTHS, start=1) if name.startswith(month[:3]))
    if year:
        return (*_days(int(year), number, int(day or 0)), "date", end)
    low, high = _days(0, number, int(day or 0))
    return low, high, "month", end


def _weekday(sentence: str, start: int) -> End | None:
    match = _WEEKDAY.match(sentence, start)
    if not match:
        return None
    number = float(_WEEKDAYS.index(match[1]))
    return number, number, "weekday", match.end()


def _clock(sentence: str, start: int) -> End | None:
    match = _CLOCK.match(sentence, start)
    if not match:
        return None
    half = match[3] or match[5]
    hours = int(match[1] or match[4])
    hours = hours % 12 + 12 * (half == "p") if half else hours
    minutes = float(hours * 60 + int(match[2] or 0))
    return minutes, minutes, "clock", match.end()


def _year(sentence: str, start: int) -> End | None:
    """Read a year, which is recognized by the word before it."""
    match = _YEAR.match(sentence, start)
    if not match:
        return None
    before = sentence[max(0, start - _LOOK_BACK) : start]
    alone = match[2] or (not before.endswith("the ") and _NO_NOUN_FOLLOWS.match(sentence, match.end(1)))
    if not _BEFORE_YEAR.search(before) and not (_PERHAPS_BEFORE_YEAR.search(before) and alone):
        return None
    low, high = _days(int(match[1]))
    return low, high + (9 * YEAR if match[2] else 0), "date", match.end()


def _follows_time_word(sentence: str, start: int) -> bool:
    words = sentence[max(0, start - _LOOK_BACK) : start].split()
    return bool(words) and words[-1] in {
        "in",
        "since",
        "until",
        "by",
        "of",
        "from",
        "last",
        "next",
        "early",
        "late",
        "this",
    }


_READERS = (_iso, _day_first, _month_first, _weekday, _clock, _year)


def _with_preposition(sentence: str, low: float, high: float, dimension: str, start: int, end: int) -> Parts:
    """Extend a date by a word before it that makes it the start or end of a period: "since", "until"."""
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
