"""Read the numbers, amounts, versions, recurrences and dates of a sentence as ranges, and compare two of them."""

import math
import re
from functools import lru_cache
from typing import NamedTuple

from howsure.text.quantities.dates import DATE, DAY_MINUTES, MONTH, YEAR, read_date, read_zone
from howsure.text.quantities.number_words import SPELLED, read_spelled
from howsure.text.quantities.recurrences import RECURRENCE, is_period_of, read_rate, read_recurrence
from howsure.text.quantities.versions import as_version, read_version
from howsure.text.words import grammar, units

# Digits with or without thousands separators, decimals and exponent. Repetitions are bounded to keep the time linear.
# Blanks separate thousands if three zeros come last, or if a plural follows two of them: "1 234 567 rows". Other
# numbers with blanks between them are several: "ports 80 443".
_NUMBER = (
    r"(?:\d{1,3}(?:,\d{3}){1,6}(?!\d)|\d{1,3}(?:[\u2009\u202f]\d{3}){1,6}(?!\d)"
    r"|\d{1,3}(?:[ \u00a0]\d{3}){0,5}[ \u00a0]000(?![\d.,]\d|\d| \d)"
    r"|\d{1,3}(?:[ \u00a0]\d{3}){2,6}(?= [a-z]{3,20}s\b)|\d{1,18})"
    r"(?:\.\d{1,12})?(?:[eE][-+]?\d{1,2}(?!\w))?"
)
_SEPARATOR = re.compile(r"[, \u00a0\u2009\u202f]")
_NUMBER_WORDS = "|".join(sorted(units.NUMBERS, key=len, reverse=True))
_MULTIPLIERS = "|".join(sorted((word for word in units.MULTIPLIERS if len(word) > 1), key=len, reverse=True))
_CURRENCY = r"[$\u20ac\u00a3\u00a5]"
# An amount: currency sign, minus, number, multiplier ("million", "k"), unit. The unit may be any word here and is
# looked up later; "(?!\w|\.m)" keeps "9 a.m." from being read as 9 amperes.
_AMOUNT = re.compile(
    rf"(?P<sign>{_CURRENCY})?(?<![\w.])(?P<minus>[-\u2212](?=\d))?"
    rf"(?:(?P<digits>{_NUMBER})|(?P<word>{SPELLED})(?![\w-]))(?P<half> and a half\b)?"
    rf"(?:[ -]?(?P<scale>{_MULTIPLIERS})\b|(?P<short>[kK]\b))?"
    r"(?P<gap>[ \u00a0-]?)"
    r"(?P<unit>[%\u2030\u00b0$\u20ac\u00a3\u00a5][cf]?(?!\w)|[a-z\u00b5]+(?:/[a-z]+|\u00b2)?(?!\w|\.m))?",
)
# "1h30m" and "2m 5s", which have no blank before the next number.
_SHORT_TIME = re.compile(
    r"(?<![\w.])(\d{1,4}) ?h ?(\d{1,2}) ?m(?:ins?)?(?: ?(\d{1,2}) ?s(?:ecs?)?)?(?!\w)"
    r"|(?<![\w.])(\d{1,4}) ?m(?:ins?)? ?(\d{1,2}) ?s(?:ecs?)?(?!\w)"
)
# What joins the parts of one amount: "1 min 30 s", "2 hours and 15 minutes".
_JOINED = re.compile(r" (?:and )?(?=\d|[a-z])")
_PARTED = frozenset({"time", "length", "mass"})
"""Dimensions of which an amount is given in two units."""
# What joins the two ends of a range.
_TO = re.compile(r"\s*(?:-|\u2013|\u2014|to|and|or|through)\s*(?=[$\u20ac\u00a3\u00a5]?\d)")
_OR_MORE = re.compile(r"\s*(?:\+|or (?:more|later|higher|above|newer|greater|over))")
_OR_LESS = re.compile(r"\s*or (?:fewer|less|earlier|lower|below|under)\b")
_LOOK_BACK = 24
"""Characters before a number in which a phrase like "at least" is searched."""
_UNITS: dict[str, tuple[str, float]] = {
    name.strip(): (dimension, float(size))
    for dimension, entries in units.UNITS.items()
    for name, size in (entry.rsplit(maxsplit=1) for entry in entries.split(","))
}
"""Dimension and size in the base unit, by name of the unit."""
_AFTER_ONCE = frozenset([None, *units.AFTER_ONCE.split()])
_ONLY_AFTER_DIGITS = frozenset(units.ONLY_AFTER_DIGITS.split())
_LIMIT_PHRASES = [
    (phrase, kind)
    for kind, phrases in (
        ("low", units.LOWER),
        ("high", units.UPPER),
        ("above", units.ABOVE),
        ("below", units.BELOW),
        ("about", units.ABOUT),
    )
    for phrase in phrases
]
_LIMIT_PHRASES.sort(key=lambda entry: -len(entry[0]))
_ANY_LIMIT_PHRASE = tuple(phrase for phrase, _ in _LIMIT_PHRASES)
_PRONOUN_BEFORE_ONE = frozenset({"no", "any", "every", "some", "this", "that", "the", "each", "which"})
_DATE_AND_MONTH = {"date", "month"}
_EXACT = frozenset({"number", "ordinal", "version", "date", "weekday", "month", "clock", "usd", "eur", "gbp", "yen"})
"""Dimensions in which close values differ: a port is 8080 or it is not."""
_WITHOUT_ROUNDING = frozenset({"version", "date", "weekday", "month", "clock"})
_NEAR, _CONVERTED, _ABOUT = 0.01, 0.05, 0.15
"""How far apart two measurements may be, as a share of the larger, and still agree: in general, in different units, and
if one is "about"."""

_FROM_VERSION = re.compile(r"\b(?:since|after|as of|from)\s+\Z")
_UNTIL_VERSION = re.compile(r"\b(?:before|until|till|prior to|up to)\s+\Z")
_ORDINAL = re.compile(r"(\d{1,6})(?:st|nd|rd|th)\b")
_VERSION_LOOK_BACK = 16

_NEAR_RECURRENCE = 0.04
"""How far apart two recurrences may be, as a share: a month has 28 to 31 days."""
_SAME_RATE = 0.005
"""How far apart two amounts for different periods may be, as a share."""
_MONTHLY = 1 / 27
"""Recurrences of months, quarters and years are below."""
_NO_AMOUNTS = frozenset({"recurrence", "version", "date", "weekday", "month", "clock", "ordinal", "percent"})
"""Dimensions of what does not grow with the period that it holds for."""

_LONG_UNITS = "|".join(sorted({name for name in _UNITS if name.isalpha() and len(name) > 3} | {"day"}))  # noqa: PLR2004
_A_UNIT = re.compile(rf"(?:(?P<part>half|a half of|a quarter of|three quarters of) )?an? (?P<unit>{_LONG_UNITS})\b")
_PARTS = {None: 1.0, "half": 0.5, "a half of": 0.5, "a quarter of": 0.25, "three quarters of": 0.75}
# Everything that a measure may begin with; the readers then decide.
_START = re.compile(
    rf"{DATE}|{RECURRENCE}"
    rf"|\b(?:version|release|v)\.? ?\d|{_CURRENCY}|[-\u2212]?(?<![\w.])\d|\b(?:{_NUMBER_WORDS})\b"
    r"|\b(?:an?|half an?) (?=[a-z]{4}|day\b)"
)


# "at least Python 3.11"
_NAMED_LIMIT = re.compile(r"\b(at least|no less than|at most|up to|no later than) ([a-z][a-z+#.]{2,20})\Z")
_NO_NAMES = frozenset(
    word
    for words in (grammar.DETERMINERS, grammar.PREPOSITIONS, grammar.BEFORE_COUNTS, grammar.LIGHT, grammar.WHEN)
    for word in words.split()
) | frozenset({*units.NUMBERS, *units.MULTIPLIERS, *grammar.QUANTIFIERS, "and", "per"})


class Rate(NamedTuple):
    """An amount for a period."""

    low: float
    """The amount a day."""
    high: float
    often: float
    """How often a day the period begins."""
    dimension: str


class Measure(NamedTuple):
    """A number, amount, version, recurrence or date, as the range in which it lies, in the base unit."""

    low: float
    high: float
    dimension: str
    """What it measures: "time", "mass", "number", "date" and so on."""
    text: str
    """How it is written."""
    start: int
    """Offset in the sentence, including words before it like "at least"."""
    end: int
    rounding: float = 0.0
    """How far the true value may be off, by the digits given."""
    unit: str = ""
    """The unit; several with a blank between them for an amount in several units."""
    about: bool = False
    """True if it is approximate."""
    bound: bool = False
    """True if it is a limit or a range and not a value."""
    rate: Rate | None = None
    """For an amount that holds for a period, and for that period: both together."""
    limit: str = ""
    """The phrase that limits it, if a name stands between both: "at least Python 3.11"."""
    zone: float | None = None
    """The time zone of a time of day, in minutes from UTC, if it is given."""


def read_measures(sentence: str) -> list[Measure]:
    """Return the measures of a sentence, which must be in lower case, in order.

    >>> [(one.low, one.high, one.dimension) for one in read_measures("at least 2 kg, 5-10 ms, in march 2021")]
    [(2.0, inf, 'mass'), (0.005, 0.01, 'time'), (751875.0, 751905.0, 'date')]
    """
    return list(_read_measures(sentence))


@lru_cache(maxsize=1 << 12)
def _read_measures(sentence: str) -> tuple[Measure, ...]:
    # Cached, because grounding and the rules for contradictions read the same sentences.
    measures: list[Measure] = []
    place = 0
    for match in _START.finditer(sentence):
        start = match.start()
        if start < place:
            continue
        measure = _read_recurrence(sentence, start, measures)
        measure = measure or _read_date(sentence, start)
        measure = measure or _read_version(sentence, start) or _read_single(sentence, start)
        measure = measure or _read_amount(sentence, start)
        if measure is not None:
            measures.append(measure._replace(start=max(measure.start, place)))
            _join_rate(sentence, measures)
            place = measure.end
    return tuple(measures)


def measure_gap(one: Measure, other: Measure) -> float:
    """Return how far apart two measures of one thing are: 0 if both may hold, up to 1.

    >>> port, other, limit = read_measures("8080 9090 at least 8000")
    >>> measure_gap(port, limit), round(measure_gap(port, other), 2)
    (0.0, 0.11)
    """
    if one.dimension != other.dimension and {one.dimension, other.dimension} == _DATE_AND_MONTH:
        one, other = _in_any_year(one), _in_any_year(other)
    if (one.limit or other.limit) and one.dimension == other.dimension:
        one, other = _as_version(one), _as_version(other)
    if one.zone is not None and other.zone is not None and one.zone != other.zone:
        return _gap_of_zones(one, other)
    gap = max(one.low - other.high, other.low - one.high)
    if one.dimension != other.dimension or not gap > 0 or is_same_rate(one.rate, other.rate):
        return 0.0
    size = max(abs(end) for end in (*one[:2], *other[:2]) if math.isfinite(end))
    if gap <= _tolerance(one, other, size):
        return 0.0
    return min(1.0, gap / size) if size else 1.0


def is_same_rate(one: Rate | None, other: Rate | None) -> bool:
    """Return True if two amounts for different periods agree.

    >>> seconds, _, minutes, _ = read_measures("10 per second, 600 per minute")
    >>> is_same_rate(seconds.rate, minutes.rate)
    True
    """
    if one is None or other is None or one.often == other.often or one.dimension != other.dimension:
        return False
    gap = max(one.low - other.high, other.low - one.high)
    # A month has 28 to 31 days.
    share = _NEAR_RECURRENCE if (one.often < _MONTHLY) != (other.often < _MONTHLY) else _SAME_RATE
    return gap <= share * max(abs(end) for end in (*one[:2], *other[:2]) if math.isfinite(end))


def is_rate(measure: Measure) -> bool:
    """Return True for the period of an amount: "per month", "a month" or "/month".

    >>> [is_rate(measure) for measure in read_measures("$10 per month, $5 a day, daily, every 2 hours")]
    [False, True, False, True, False, False]
    """
    return measure.dimension == "recurrence" and measure.text.startswith(("per ", "a ", "an ", "/"))


def are_comparable(one: Measure, other: Measure) -> bool:
    """Return True if two measures have the same dimension, or are a date and a month without a year.

    >>> day, month, size = read_measures("3 may 2020, in june, 5 mb")
    >>> are_comparable(day, month), are_comparable(day, size)
    (True, False)
    """
    return one.dimension == other.dimension or {one.dimension, other.dimension} == _DATE_AND_MONTH


def _in_any_year(one: Measure) -> Measure:
    """Return a date as days of any year; the whole year if it is longer than a month."""
    if one.dimension == "month":
        return one
    if not one.high - one.low < MONTH:
        return one._replace(low=-math.inf, high=math.inf, dimension="month")
    year = (one.low - 1) // YEAR * YEAR
    return one._replace(low=one.low - year, high=one.high - year, dimension="month")


def _gap_of_zones(one: Measure, other: Measure) -> float:
    """Return how far apart two times of day in different time zones are, as a share of a day."""
    if not all(math.isfinite(end) for end in (*one[:2], *other[:2])):
        return 0.0
    start, other_start = (time.low - (time.zone or 0.0) for time in (one, other))
    later = (other_start - start) % DAY_MINUTES
    gap = min(later - (one.high - one.low), DAY_MINUTES - later - (other.high - other.low))
    return max(0.0, gap / DAY_MINUTES)


def _tolerance(one: Measure, other: Measure, size: float) -> float:
    """Return how far apart two measures may be and still agree, because of rounding, conversion or "about"."""
    tolerance = max(one.rounding, other.rounding) if one.rounding != other.rounding else 0.0
    if one.unit != other.unit:
        # A gigabyte may be 1000 or 1024 megabytes.
        tolerance = _CONVERTED * size if one.dimension == "data" else min(tolerance, _CONVERTED * size)
    if one.dimension in _WITHOUT_ROUNDING:
        return 0.0
    if one.about or other.about:
        return max(tolerance, _ABOUT * size)
    if one.dimension not in _EXACT and not (one.bound or other.bound or (" " in one.unit and " " in other.unit)):
        return max(tolerance, _NEAR * size)
    return tolerance


def _read_date(sentence: str, start: int) -> Measure | None:
    parts = read_date(sentence, start)
    if parts is None:
        return None
    date = Measure(*parts)
    zone = read_zone(sentence, date.end) if date.dimension == "clock" else None
    if zone is None:
        return date
    return date._replace(zone=zone[0], end=zone[1], text=sentence[date.start : zone[1]])


def _read_recurrence(sentence: str, start: int, before: list[Measure]) -> Measure | None:
    """Read how often something happens, in times per day: "every two hours" is 12."""
    found = read_recurrence(sentence, start)
    if found is None and before and before[-1].dimension != "recurrence":
        found = read_rate(sentence, start, before[-1].end)
    if found is None:
        return None
    often, end = found
    return Measure(often, often, "recurrence", sentence[start:end], start, end, _NEAR_RECURRENCE * often)


def _join_rate(sentence: str, measures: list[Measure]) -> None:
    """Let an amount and the period after it know what both are together: 100 per minute is 144,000 a day."""
    if len(measures) < 2:  # noqa: PLR2004
        return
    amount, period = measures[-2:]
    if period.dimension != "recurrence" or amount.dimension in _NO_AMOUNTS:
        return
    if is_period_of(sentence, period.start, amount.end):
        rate = Rate(amount.low * period.low, amount.high * period.low, period.low, amount.dimension)
        measures[-2:] = amount._replace(rate=rate), period._replace(rate=rate)


def _read_version(sentence: str, start: int) -> Measure | None:
    """Read a version or an ordinal number, with the words around it that make it a limit."""
    if match := _ORDINAL.match(sentence, start):
        ordinal = Measure(float(match[1]), float(match[1]), "ordinal", match[0], start, match.end())
        return _with_limits(sentence, ordinal)
    if (found := read_version(sentence, start)) is None:
        return None
    (low, high), end = found
    before = sentence[max(0, start - _VERSION_LOOK_BACK) : start]
    version = Measure(low, high, "version", sentence[start:end], start, end)
    if _FROM_VERSION.search(before):
        return version._replace(high=math.inf, bound=True)
    if _UNTIL_VERSION.search(before):
        return version._replace(low=-math.inf, high=low - 1.0, bound=True)
    return _with_limits(sentence, version)


def _as_version(one: Measure) -> Measure:
    """Return a number that belongs to a name as a version."""
    version = as_version(one.text)
    if version is None:
        return one
    low, high = (own if math.isfinite(end) else end for own, end in zip(version, one[:2], strict=True))
    return one._replace(low=low, high=high, dimension="version")


def _read_single(sentence: str, start: int) -> Measure | None:
    """Read "half an hour", and "a second" if it is a limit or approximate: "less than a second"."""
    match = _A_UNIT.match(sentence, start)
    if not match:
        return None
    dimension, size = _UNITS[match["unit"]]
    size *= _PARTS[match["part"]]
    # A part is as exact as a number: "a quarter of an hour" is 15 minutes, give or take half a minute.
    rounding = (0.5 if match["part"] is None else 0.03) * size
    one = Measure(size, size, dimension, match[0], start, match.end(), rounding, match["unit"])
    measure = _with_limits(sentence, one)
    return measure if measure.bound or measure.about or match["part"] else None


def _read_amount(sentence: str, start: int) -> Measure | None:
    """Read a number with its unit, a range of numbers, or a limit."""
    if short := _read_short_time(sentence, start):
        return _with_limits(sentence, short)
    match = _AMOUNT.match(sentence, start)
    if not match or _is_pronoun(sentence, match) or _is_part_of_word(sentence, match):
        return None
    first = _read_parts(sentence, start) or _amount(match)
    joint = _TO.match(sentence, first.end)
    second = _AMOUNT.match(sentence, joint.end()) if joint and first.low == first.high else None
    if second and joint and _is_range(sentence, match, joint[0]):
        last = _amount(second)
        if not match["unit"] or first.dimension == "number":
            first = _amount(match, last.unit)
        if last.dimension == first.dimension and last.low > first.low:
            text = sentence[start : last.end]
            first = first._replace(high=last.high, end=last.end, text=text, unit=last.unit, bound=True)
            return first._replace(start=start - _length_of_range_word(sentence, start))
    return _with_limits(sentence, first)


def _read_short_time(sentence: str, start: int) -> Measure | None:
    """Read "1h30m", or return None."""
    short = _SHORT_TIME.match(sentence, start)
    if short is None:
        return None
    hours, minutes, seconds = (float(one or 0) for one in (short[1], short[2] or short[4], short[3] or short[5]))
    value = hours * 3600.0 + minutes * 60.0 + seconds
    unit, rounding = ("m s", 0.5) if short[3] or short[5] else ("h m", 30.0)
    return Measure(value, value, "time", short[0], start, short.end(), rounding, unit)


def _read_parts(sentence: str, start: int) -> Measure | None:
    """Read an amount that is given in two or three units, each smaller than the one before; None for another one."""
    whole: Measure | None = None
    place: int | None = start
    last = ""
    while place is not None and (match := _AMOUNT.match(sentence, place)):
        part = _amount(match)
        if part.dimension not in _PARTED or not part.unit or match["sign"] or match["minus"]:
            break
        if whole is not None:
            is_smaller = part.dimension == whole.dimension and part.low < _UNITS[last][1] > _UNITS[part.unit][1]
            if not is_smaller:
                break
            value = whole.low + part.low
            last, unit = part.unit, f"{whole.unit} {part.unit}"
            part = part._replace(unit=unit, low=value, high=value, start=start, text=sentence[start : part.end])
        last = last if whole is not None else part.unit
        whole, joint = part, _JOINED.match(sentence, part.end)
        place = joint.end() if joint else None
    return whole


def _is_range(sentence: str, match: re.Match[str], joint: str) -> bool:
    """Return True if two numbers are the ends of a range; "and" joins them only after "between"."""
    if joint.strip() != "and":
        return True
    return sentence[max(0, match.start() - 8) : match.start()] == "between "


def _length_of_range_word(sentence: str, start: int) -> int:
    """Return the length of "between " or "from " before a range, else 0."""
    before = sentence[max(0, start - 9) : start].rstrip()
    return 8 if before.endswith("between") else 5 if before.endswith("from") else 0


def _is_pronoun(sentence: str, match: re.Match[str]) -> bool:
    """Return True if "one" stands for a thing, or "once" begins a condition."""
    if match["word"] == "once":
        return match["unit"] not in _AFTER_ONCE
    if match["word"] != "one" or match["unit"] in _UNITS:
        return False
    before = sentence[max(0, match.start() - 6) : match.start()].split()
    return (before[-1:] or [""])[0] in _PRONOUN_BEFORE_ONE or match["unit"] in {"of", None}


def _is_part_of_word(sentence: str, match: re.Match[str]) -> bool:
    """Return True if the digits begin a word, like "3rd" or "9f8e7d6"."""
    after = sentence[match.start("gap") : match.start("gap") + 1]
    return bool(match["digits"]) and (after.isalpha() or after == "_") and match["unit"] not in _UNITS


def _amount(match: re.Match[str], unit_of_range: str = "") -> Measure:
    """Return a number with its unit, or with that of the range it belongs to."""
    digits = match["digits"]
    value, last = (float(_SEPARATOR.sub("", digits)), 1.0) if digits else read_spelled(match["word"])
    decimals = len(digits.partition(".")[2].partition("e")[0]) if digits else 0
    if match["half"]:
        value, decimals = value + 0.5, 1
    scale = units.MULTIPLIERS[match["scale"]] if match["scale"] else 1e3 if match["short"] else 1.0
    unit, end = _unit(match)
    unit = unit or unit_of_range
    dimension, size = _UNITS.get(unit, ("number", 1.0))
    value = (-value if match["minus"] else value) * scale * size + units.OFFSETS.get(unit, 0.0)
    rounding = 0.5 * 10.0**-decimals * last * scale * size * (1.0 + 1e-9)
    start = match.start()
    return Measure(value, value, dimension, match.string[start:end], start, end, rounding, unit)


def _unit(match: re.Match[str]) -> tuple[str, int]:
    """Return the unit after a number, or the currency sign before it, and where the measure ends."""
    end_of_number = match.start("gap")
    unit = match["unit"] or ""
    is_known = unit in _UNITS and not (unit in _ONLY_AFTER_DIGITS and not match["digits"])
    if match["sign"]:
        is_same_currency = is_known and _UNITS[unit][0] == _UNITS[match["sign"]][0]
        return match["sign"], match.end() if is_same_currency else end_of_number
    return (unit, match.end()) if is_known else ("", end_of_number)


def _with_limits(sentence: str, one: Measure) -> Measure:
    """Widen a measure by the words around it: "at least", "or more", "about"."""
    if after := _OR_MORE.match(sentence, one.end):
        return one._replace(high=math.inf, end=after.end(), bound=True)
    if after := _OR_LESS.match(sentence, one.end):
        return one._replace(low=-math.inf, end=after.end(), bound=True)
    before = sentence[max(0, one.start - _LOOK_BACK) : one.start].rstrip()
    for phrase, kind in _LIMIT_PHRASES if before.endswith(_ANY_LIMIT_PHRASE) else ():
        if before.endswith(phrase) and not (phrase[0].isalpha() and before[: -len(phrase)][-1:].isalnum()):
            start = max(0, one.start - _LOOK_BACK) + len(before) - len(phrase)
            return _apply_limit(one._replace(start=start, text=sentence[start : one.end]), kind)
    named = _NAMED_LIMIT.search(before) if one.dimension == "number" and as_version(one.text) else None
    if named and named[2] not in _NO_NAMES:
        return _apply_limit(one._replace(limit=named[1]), "low" if named[1] in units.LOWER else "high")
    return one


def _apply_limit(one: Measure, kind: str) -> Measure:
    tiny = abs(one.low) * 1e-9 + 1e-12  # "more than 5" does not include 5
    if kind == "low":
        return one._replace(high=math.inf, bound=True)
    if kind == "high":
        return one._replace(low=-math.inf, bound=True)
    if kind == "above":
        return one._replace(low=one.high + tiny, high=math.inf, bound=True)
    if kind == "below":
        return one._replace(high=one.low - tiny, low=-math.inf, bound=True)
    return one._replace(about=True)
