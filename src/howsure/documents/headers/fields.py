"""The fields of a scoring header: their keys, the format of their values, and which of them change with time."""

import re
from collections.abc import Iterable, Mapping
from decimal import Decimal

from howsure.errors import InputError, nearest, shown

Fields = Mapping[str, str | int | float | bool]
"""Keys and values in the order in which they are written; text in comments, values in JSON."""

Layout = tuple[tuple[str, ...], ...]
"""The keys of each line of a comment."""

SCORE, DECAY, UPDATED = "CONFIDENCE SCORE", "DATA_DECAY", "LAST_UPDATED"
CONTENT: Layout = (
    (SCORE,),
    ("BASE", "EVIDENCE", "OBSERVATION"),
    ("VALIDATION", "AHO_CORASICK", "CODE_REFACTOR"),
    ("V&V_INTEGRATION", "NON_MD_PENALTY", DECAY),
    ("FORMULA", "MILESTONE"),
    (UPDATED,),
)
"""Header of content."""
CODE: Layout = ((SCORE,), ("CONFIDENCE",), ("V&V_INTEGRATION",), (DECAY,), ("MILESTONE",), (UPDATED,))
"""Header of code."""
DATA = ("score", "created", "next_review", "decay_rate", "human_validated")
"""Header of data, in JSON."""
TIME_FIELDS = frozenset({UPDATED, DECAY, "score"})
"""Fields that change as time passes. The score in a comment changes only by its `DATA_DECAY`."""

_LARGEST = 1e9
_MAX_DIGITS = 9
"""Digits beyond these depend on the order in which numbers were added."""
_NUMBER = r"[+-]?\d{1,9}(?:\.\d{1,17})?"
_NUMBER_WITH_NOTE = _NUMBER + r"(?: \([A-Za-z0-9 ,]{1,80}\))?"
_DATE = r"\d{4}-\d{2}-\d{2}"
_FORMATS = {
    "CONFIDENCE": _NUMBER_WITH_NOTE,
    "V&V_INTEGRATION": _NUMBER_WITH_NOTE,
    "FORMULA": r"[A-Za-z]\w{0,79}",
    "MILESTONE": r"M[1-4]",
    UPDATED: _DATE,
}
_VALUES = {key: _FORMATS.get(key, _NUMBER) for row in (*CONTENT, *CODE) for key in row}
_PAIR = "(?:" + "|".join(f"{re.escape(key)}:[ \\t]*{value}" for key, value in _VALUES.items()) + ")"
_SPLIT = re.compile(r"([A-Z][A-Z&_ ]{0,60}):[ \t]*([^|\s]+(?: \([^)]{0,1000}\))?)")
FIELDS_LINE = rf"{_PAIR}(?:[ \t]*\|[ \t]*{_PAIR})*".encode()
"""Regular expression of one line of a comment, without the comment marks."""


def format_fields(fields: Fields, layout: Layout) -> list[str]:
    """Return the lines of a comment that holds these fields.

    Raises:
        InputError: if a key is unknown, a value has another format, or the score is missing.

    >>> format_fields({"CONFIDENCE SCORE": "0.68", "MILESTONE": "M3"}, CODE)
    ['CONFIDENCE SCORE: 0.68', 'MILESTONE: M3']
    """
    _check_keys(fields, [key for row in layout for key in row])
    for key, value in fields.items():
        if not re.fullmatch(_VALUES[key], str(value), re.ASCII):
            raise InputError(f"{shown(value)} does not fit into a header", field=key)
    if not _is_header(fields):
        raise InputError("a header needs a score", field=SCORE)
    lines = (" | ".join(f"{key}: {fields[key]}" for key in row if key in fields) for row in layout)
    return [line for line in lines if line]


def parse_fields(comment: bytes) -> Fields | None:
    """Return the fields of a comment whose lines all match `FIELDS_LINE`, or None if they are not a header.

    A header has a score, or, as the source document writes it for code, a gain and a milestone.
    """
    found = _SPLIT.findall(comment.decode("ascii"))
    fields = dict(found)
    return fields if len(fields) == len(found) and _is_header(fields) else None


def check_data(fields: Mapping[str, object]) -> None:
    """Raise InputError unless these are the fields of a `_confidence` object."""
    _check_keys(fields, DATA)
    if "score" not in fields:
        raise InputError("a header needs a score", field="score")
    for key, value in fields.items():
        if key == "human_validated":
            fits = isinstance(value, bool)
        elif key in {"created", "next_review"}:
            fits = isinstance(value, str) and bool(re.fullmatch(_DATE, value, re.ASCII))
        else:
            fits = isinstance(value, int | float) and not isinstance(value, bool) and abs(value) <= _LARGEST
        if not fits:
            raise InputError(f"{shown(value)} does not fit into a header", field=key)


def equal_apart_from_time(old: Fields, new: Fields) -> bool:
    """Return whether two headers differ only by what the passing of time has changed.

    Scores are compared before their decay, with the precision in which both were written. A score of 0 or 1 was
    clamped, so everything beyond counts as equal.

    >>> spring = {"CONFIDENCE SCORE": "0.821", "DATA_DECAY": "-0.001", "LAST_UPDATED": "2026-03-20"}
    >>> equal_apart_from_time(
    ...     spring, {"CONFIDENCE SCORE": "0.818", "DATA_DECAY": "-0.004", "LAST_UPDATED": "2026-06-20"}
    ... )
    True
    >>> equal_apart_from_time(
    ...     spring, {"CONFIDENCE SCORE": "0.831", "DATA_DECAY": "-0.004", "LAST_UPDATED": "2026-06-20"}
    ... )
    False
    """
    if old.keys() != new.keys():
        return False
    moving = TIME_FIELDS | {SCORE} if {SCORE, DECAY} <= old.keys() else TIME_FIELDS
    if any(str(old[key]) != str(new[key]) for key in old.keys() - moving):
        return False
    if SCORE not in moving:
        return True
    (low, high), (new_low, new_high) = _undecayed(old), _undecayed(new)
    return max(low, new_low) <= min(high, new_high)


def keep_date_if_unchanged(old: Fields | None, new: Fields) -> Fields:
    """Return the new fields, with the old date if nothing but the date would change.

    >>> keep_date_if_unchanged(
    ...     {"MILESTONE": "M2", "LAST_UPDATED": "2026-03-20"}, {"MILESTONE": "M2", "LAST_UPDATED": "2026-04-01"}
    ... )
    {'MILESTONE': 'M2', 'LAST_UPDATED': '2026-03-20'}
    """
    if old is None or UPDATED not in old or old.keys() != new.keys():
        return new
    moved = any(str(old[key]) != str(new[key]) for key in old if key != UPDATED)
    return new if moved else {**new, UPDATED: old[UPDATED]}


def _is_header(fields: Fields) -> bool:
    return SCORE in fields or {"CONFIDENCE", "MILESTONE"} <= fields.keys()


def _check_keys(fields: Iterable[str], known: Iterable[str]) -> None:
    for key in fields:
        if key not in known:
            raise InputError(f"unknown header field {shown(key)}", hint=nearest(key, known))


def _undecayed(fields: Fields) -> tuple[Decimal, Decimal]:
    """Return the range in which a score lay before its decay."""
    score, decay = Decimal(str(fields[SCORE])), Decimal(str(fields[DECAY]))
    middle, slack = score + abs(decay), _rounding(score, 2) + _rounding(decay, 3)
    low = Decimal("-inf") if score <= 0 else middle - slack
    return low, Decimal("inf") if score >= 1 else middle + slack


def _rounding(number: Decimal, digits: int) -> Decimal:
    """Return the largest rounding error of a number that was written with at least so many digits."""
    written = number.as_tuple().exponent
    exact = -written if isinstance(written, int) else digits
    return Decimal(5).scaleb(-1 - min(max(digits, exact), _MAX_DIGITS))
