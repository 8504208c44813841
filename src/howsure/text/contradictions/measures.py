"""Measures: the numbers, amounts, versions and dates in a sentence, as ranges that can be compared."""

import math
import re
from collections.abc import Iterator
from typing import NamedTuple

from howsure.text.contradictions.dates import DATE, MONTH, YEAR, read_date
from howsure.text.contradictions.recurrences import RECURRENCE, read_recurrence
from howsure.text.contradictions.versions import read_version
from howsure.text.words import units

_NUMBER = r"(?:\d{1,3}(?:,\d{3}){1,6}(?!\d)|\d{1,18})(?:\.\d{1,12})?(?:[eE][-+]?\d{1,2}(?!\w))?"
_WORDS = "|".join(sorted(units.NUMBERS, key=len, reverse=True))
_SCALE = "|".join(sorted((m for m in units.MULTIPLIERS if len(m) > 1), key=len, reverse=True))
_SIGN = r"[$\u20ac\u00a3\u00a5]"
_ONE = re.compile(
    rf"(?P<sign>{_SIGN})?(?<![\w.])(?P<minus>[-\u2212](?=\d))?(?:(?P<digits>{_NUMBER})|(?P<word>{_WORDS})(?![\w-]))"
    rf"(?:[ -]?(?P<scale>{_SCALE})\b|(?P<short>[kK]\b))?"
    r"(?P<gap>[ \u00a0-]?)"
    r"(?P<unit>[%\u2030\u00b0$\u20ac\u00a3\u00a5][cf]?(?!\w)|[a-z\u00b5]+(?:/[a-z]+|\u00b2)?(?!\w|\.m))?",
)
_TO = re.compile(r"\s*(?:-|\u2013|\u2014|to|and|or|through)\s*(?=[$\u20ac\u00a3\u00a5]?\d)")
_AFTER_LOW = re.compile(r"\s*(?:\+|or (?:more|later|higher|above|newer|greater|over))")
_AFTER_HIGH = re.compile(r"\s*or (?:fewer|less|earlier|lower|below|under)\b")
_LOOK_BACK = 24
_UNITS: dict[str, tuple[str, float]] = {
    name: (dimension, float(size))
    for dimension, listed in units.UNITS.items()
    for name, size in (entry.rsplit(maxsplit=1) for entry in listed.split(","))
}
_UNITS = {name.strip(): found for name, found in _UNITS.items()}
_AFTER_ONCE = frozenset([None, *units.AFTER_ONCE.split()])
_SHORT = frozenset(units.ONLY_AFTER_DIGITS.split())
_BEFORE = [
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
_BEFORE.sort(key=lambda entry: -len(entry[0]))
_ANY_BEFORE = tuple(phrase for phrase, _ in _BEFORE)
_MONTHLY = {"date", "month"}
EXACT = frozenset({"number", "ordinal", "version", "date", "weekday", "month", "clock", "usd", "eur", "gbp", "yen"})
"""Dimensions in which nothing is near enough: a port is 8080 or it is not."""
NEAR, CONVERTED, ABOUT = 0.01, 0.05, 0.15
"""How far, as a share, two measurements may lie apart; two in different units; and two of which one is "about"."""


class Measure(NamedTuple):
    """An amount, as the range in which it lies, in the base unit of what it measures."""

    low: float
    high: float
    dimension: str
    """What it measures: "time", "mass", "number", "date" and so on."""
    text: str
    """How it is written."""
    start: int
    """Where it starts in the sentence, the words before it that belong to it included."""
    end: int
    rounding: float = 0.0
    """How far the true value may lie off, by the digits given."""
    unit: str = ""
    about: bool = False
    """Whether it is only said to be near."""
    bound: bool = False
    """Whether it is a limit or a range rather than a value."""


def measures(sentence: str) -> list[Measure]:
    """Return the measures in a sentence, in lower case, in order.

    >>> [(found.low, found.high, found.dimension) for found in measures("at least 2 kg, 5-10 ms, in march 2021")]
    [(2.0, inf, 'mass'), (0.005, 0.01, 'time'), (751875.0, 751905.0, 'date')]
    """
    found: list[Measure] = []
    place = 0
    for start in _starts(sentence):
        if start < place:
            continue
        measure = read_recurrence(sentence, start) or read_date(sentence, start)
        one = Measure(*measure) if measure else _numbered(sentence, start) or _single(sentence, start)
        one = one or _amount(sentence, start)
        if one is not None:
            one = one._replace(start=max(one.start, place))
            found.append(one)
            place = one.end
    return found


def clash(one: Measure, other: Measure) -> float:
    """Say how far apart two measures of one thing are: 0 where both may hold, up to 1.

    >>> port, other, limit = measures("8080 9090 at least 8000")
    >>> clash(port, limit), round(clash(port, other), 2)
    (0.0, 0.11)
    """
    if one.dimension != other.dimension and {one.dimension, other.dimension} == _MONTHLY:
        one, other = _in_year(one), _in_year(other)
    gap = max(one.low - other.high, other.low - one.high)
    if one.dimension != other.dimension or not gap > 0:
        return 0.0
    size = max(abs(end) for end in (*one[:2], *other[:2]) if math.isfinite(end))
    if gap <= _slack(one, other, size):
        return 0.0
    return min(1.0, gap / size) if size else 1.0


def alike(one: Measure, other: Measure) -> bool:
    """Say whether two measures can be compared: those of one dimension, and a date with a month of any year.

    >>> day, month, size = measures("3 may 2020, in june, 5 mb")
    >>> alike(day, month), alike(day, size)
    (True, False)
    """
    return one.dimension == other.dimension or {one.dimension, other.dimension} == _MONTHLY


def _in_year(one: Measure) -> Measure:
    """Return a date as a time of any year; all of it where it is longer than a month."""
    if one.dimension == "month":
        return one
    if not one.high - one.low < MONTH:
        return one._replace(low=-math.inf, high=math.inf, dimension="month")
    year = (one.low - 1) // YEAR * YEAR
    return one._replace(low=one.low - year, high=one.high - year, dimension="month")


def _slack(one: Measure, other: Measure, size: float) -> float:
    """Return how far apart two measures may lie and still be the same: by rounding, by converting, by "about".

    A gigabyte is 1000 or 1024 megabytes, depending on who counts.
    """
    slack = max(one.rounding, other.rounding) if one.rounding != other.rounding else 0.0
    if one.unit != other.unit:
        slack = CONVERTED * size if one.dimension == "data" else min(slack, CONVERTED * size)
    if one.dimension in {"version", "date", "weekday", "month", "clock"}:
        return 0.0
    if one.about or other.about:
        return max(slack, ABOUT * size)
    if one.dimension not in EXACT and not (one.bound or other.bound):
        return max(slack, NEAR * size)
    return slack


_LONG_UNITS = "|".join(sorted(name for name in _UNITS if name.isalpha() and len(name) > 3))  # noqa: PLR2004
_A = re.compile(rf"an? (?P<unit>{_LONG_UNITS})\b")
_START = re.compile(
    rf"{DATE}|{RECURRENCE}|\b(?:version|release|v)\.? ?\d|{_SIGN}|[-\u2212]?(?<![\w.])\d|\b(?:{_WORDS})\b"
    r"|\ban? (?=[a-z]{4})"
)


def _starts(sentence: str) -> Iterator[int]:
    for found in _START.finditer(sentence):
        yield found.start()


def _numbered(sentence: str, start: int) -> Measure | None:
    """Read a version or an ordinal number, with the words around it that make it a limit."""
    found = read_version(sentence, start)
    if not found:
        return None
    one = Measure(*found)
    open_ended = math.isinf(one.low) or math.isinf(one.high)
    return one._replace(bound=True) if open_ended else _bounded(sentence, one)


def _single(sentence: str, start: int) -> Measure | None:
    """Read "a second" as one, where it is compared with: "less than a second"."""
    found = _A.match(sentence, start)
    if not found:
        return None
    dimension, size = _UNITS[found["unit"]]
    one = Measure(size, size, dimension, found[0], start, found.end(), 0.5 * size, found["unit"])
    bounded = _bounded(sentence, one)
    return bounded if bounded.bound or bounded.about else None


def _amount(sentence: str, start: int) -> Measure | None:
    found = _ONE.match(sentence, start)
    if not found or _pronoun(sentence, found) or _in_word(sentence, found):
        return None
    first = _read(found)
    between = _TO.match(sentence, first.end)
    second = _ONE.match(sentence, between.end()) if between and first.low == first.high else None
    if second and between and _is_range(sentence, found, between[0]):
        last = _read(second)
        if not found["unit"] or first.dimension == "number":
            first = _read(found, last.unit)
        if last.dimension == first.dimension and last.low > first.low:
            text = sentence[start : last.end]
            first = first._replace(high=last.high, end=last.end, text=text, unit=last.unit, bound=True)
            before = sentence[max(0, start - 9) : start].rstrip()
            begin = start - (
                len(before) and next((n for w, n in (("between", 8), ("from", 5)) if before.endswith(w)), 0)
            )
            return first._replace(start=begin)
    return _bounded(sentence, first)


def _is_range(sentence: str, found: re.Match[str], joint: str) -> bool:
    """Say whether two numbers are the ends of a range: "and" joins them only after "between"."""
    if joint.strip() != "and":
        return True
    return sentence[max(0, found.start() - 8) : found.start()] == "between "


def _pronoun(sentence: str, found: re.Match[str]) -> bool:
    """Say whether "one" stands for a thing, or "once" for a time, rather than a number."""
    if found["word"] == "once":
        return found["unit"] not in _AFTER_ONCE
    if found["word"] != "one" or found["unit"] in _UNITS:
        return False
    before = sentence[max(0, found.start() - 6) : found.start()].split()
    return (before[-1:] or [""])[0] in {"no", "any", "every", "some", "this", "that", "the", "each", "which"} or (
        found["unit"] in {"of", None}
    )


def _in_word(sentence: str, found: re.Match[str]) -> bool:
    """Say whether digits only begin a word, like "3rd" or "9f8e7d6"."""
    after = sentence[found.start("gap") : found.start("gap") + 1]
    return bool(found["digits"]) and (after.isalpha() or after == "_") and found["unit"] not in _UNITS


def _read(found: re.Match[str], unit_of_range: str = "") -> Measure:
    """Read one number with its unit."""
    digits = found["digits"]
    value = float(digits.replace(",", "")) if digits else float(units.NUMBERS[found["word"]])
    places = len(digits.partition(".")[2].partition("e")[0]) if digits else 0
    scale = units.MULTIPLIERS[found["scale"]] if found["scale"] else 1e3 if found["short"] else 1.0
    unit, end = _unit(found)
    unit = unit or unit_of_range
    dimension, size = _UNITS.get(unit, ("number", 1.0))
    value = (-value if found["minus"] else value) * scale * size + units.OFFSETS.get(unit, 0.0)
    rounding = 0.5 * 10.0**-places * scale * size * (1.0 + 1e-9)
    start = found.start()
    return Measure(value, value, dimension, found.string[start:end], start, end, rounding, unit)


def _unit(found: re.Match[str]) -> tuple[str, int]:
    """Return the unit after a number, or the sign before it; and where the measure ends."""
    bare_end = found.start("gap")
    unit = found["unit"] or ""
    known = unit in _UNITS and not (unit in _SHORT and not found["digits"])
    if found["sign"]:
        return found["sign"], found.end() if known and _UNITS[unit][0] == _UNITS[found["sign"]][0] else bare_end
    return (unit, found.end()) if known else ("", bare_end)


def _bounded(sentence: str, one: Measure) -> Measure:
    """Widen a measure by the words around it: "at least", "or more", "about"."""
    if after := _AFTER_LOW.match(sentence, one.end):
        return one._replace(high=math.inf, end=after.end(), bound=True)
    if after := _AFTER_HIGH.match(sentence, one.end):
        return one._replace(low=-math.inf, end=after.end(), bound=True)
    before = sentence[max(0, one.start - _LOOK_BACK) : one.start].rstrip()
    for phrase, kind in _BEFORE if before.endswith(_ANY_BEFORE) else ():
        if before.endswith(phrase) and not (phrase[0].isalpha() and before[: -len(phrase)][-1:].isalnum()):
            start = max(0, one.start - _LOOK_BACK) + len(before) - len(phrase)
            text = sentence[start : one.end]
            return _bound(one._replace(start=start, text=text), kind)
    return one


def _bound(one: Measure, kind: str) -> Measure:
    tiny = abs(one.low) * 1e-9 + 1e-12
    if kind == "low":
        return one._replace(high=math.inf, bound=True)
    if kind == "high":
        return one._replace(low=-math.inf, bound=True)
    if kind == "above":
        return one._replace(low=one.high + tiny, high=math.inf, bound=True)
    if kind == "below":
        return one._replace(high=one.low - tiny, low=-math.inf, bound=True)
    return one._replace(about=True)
