"""Fields of a scoring header: the keys, how each value is written, and what time alone changes."""

import re
from collections.abc import Iterable, Mapping
from decimal import Decimal

from howsure.errors import InputError, nearest, shown

Fields = Mapping[str, str | int | float | bool]
"""Keys and values, in the order in which they are written. Comments hold text, JSON holds values."""

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
"""What is said of a text."""
CODE: Layout = ((SCORE,), ("CONFIDENCE",), ("V&V_INTEGRATION",), (DECAY,), ("MILESTONE",), (UPDATED,))
"""What is said of a program."""
DATA = ("score", "created", "next_review", "decay_rate", "human_validated")
"""What is said of data, in JSON."""
TIMED = frozenset({UPDATED, DECAY, "score"})
"""Fields that time alone changes. The score of a comment moves with its `DATA_DECAY` and no further."""

_LARGEST = 1e9
_MOST_DIGITS = 9
"""Beyond these, numbers differ by the order in which they were added."""
_NUMBER = r"[+-]?\d{1,9}(?:\.\d{1,17})?"
_NOTED = _NUMBER + r"(?: \([A-Za-z0-9 ,]{1,80}\))?"
_DATE = r"\d{4}-\d{2}-\d{2}"
_OTHERS = {
    "CONFIDENCE": _NOTED,
    "V&V_INTEGRATION": _NOTED,
    "FORMULA": r"[A-Za-z]\w{0,79}",
    "MILESTONE": r"M[1-4]",
    UPDATED: _DATE,
}
_VALUES = {key: _OTHERS.get(key, _NUMBER) for row in (*CONTENT, *CODE) for key in row}
_PAIR = "(?:" + "|".join(f"{re.escape(key)}:[ \\t]*{value}" for key, value in _VALUES.items()) + ")"
_SPLIT = re.compile(r"([A-Z][A-Z&_ ]*):[ \t]*([^|\s]+(?: \([^)]*\))?)")
PAIRS = rf"{_PAIR}(?:[ \t]*\|[ \t]*{_PAIR})*".encode()
"""One line of a comment, without the marks around it, as a regular expression."""


def rows(fields: Fields, layout: Layout) -> list[str]:
    """Return the lines of a comment that holds these fields.

    >>> rows({"CONFIDENCE SCORE": "0.68", "MILESTONE": "M3"}, CODE)
    ['CONFIDENCE SCORE: 0.68', 'MILESTONE: M3']
    """
    _check_keys(fields, [key for row in layout for key in row])
    for key, value in fields.items():
        if not re.fullmatch(_VALUES[key], str(value), re.ASCII):
            raise InputError(f"{shown(value)} does not fit into a header", field=key)
    if not _ours(fields):
        raise InputError("a header needs a score", field=SCORE)
    lines = (" | ".join(f"{key}: {fields[key]}" for key in row if key in fields) for row in layout)
    return [line for line in lines if line]


def pairs(comment: bytes) -> Fields | None:
    """Return the fields of a comment whose lines are all `PAIRS`, if they make a header of ours.

    A header says how sure: with its score, or, as the seed writes it for code, with a gain and a milestone.
    """
    found = _SPLIT.findall(comment.decode("ascii"))
    fields = dict(found)
    return fields if len(fields) == len(found) and _ours(fields) else None


def check_data(fields: Mapping[str, object]) -> None:
    """Refuse what does not make a `_confidence` object of ours."""
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


def same(old: Fields, new: Fields) -> bool:
    """Say whether two headers differ in nothing but what the passing of time has changed.

    A score is compared as it was before its decay, as exactly as both were written, a decay with three digits at least;
    where it is held to [0, 1], what lies beyond may be anything.

    >>> spring = {"CONFIDENCE SCORE": "0.821", "DATA_DECAY": "-0.001", "LAST_UPDATED": "2026-03-20"}
    >>> same(spring, {"CONFIDENCE SCORE": "0.818", "DATA_DECAY": "-0.004", "LAST_UPDATED": "2026-06-20"})
    True
    >>> same(spring, {"CONFIDENCE SCORE": "0.831", "DATA_DECAY": "-0.004", "LAST_UPDATED": "2026-06-20"})
    False
    """
    if old.keys() != new.keys():
        return False
    moving = TIMED | {SCORE} if {SCORE, DECAY} <= old.keys() else TIMED
    if any(str(old[key]) != str(new[key]) for key in old.keys() - moving):
        return False
    if SCORE not in moving:
        return True
    (low, high), (new_low, new_high) = _undecayed(old), _undecayed(new)
    return max(low, new_low) <= min(high, new_high)


def dated(old: Fields | None, new: Fields) -> Fields:
    """Return the new fields with the old date where nothing but the date would change.

    >>> dated({"MILESTONE": "M2", "LAST_UPDATED": "2026-03-20"}, {"MILESTONE": "M2", "LAST_UPDATED": "2026-04-01"})
    {'MILESTONE': 'M2', 'LAST_UPDATED': '2026-03-20'}
    """
    if old is None or UPDATED not in old or old.keys() != new.keys():
        return new
    moved = any(str(old[key]) != str(new[key]) for key in old if key != UPDATED)
    return new if moved else {**new, UPDATED: old[UPDATED]}


def _ours(fields: Fields) -> bool:
    return SCORE in fields or {"CONFIDENCE", "MILESTONE"} <= fields.keys()


def _check_keys(fields: Iterable[str], known: Iterable[str]) -> None:
    for key in fields:
        if key not in known:
            raise InputError(f"there is no field {shown(key)} in this header", hint=nearest(key, known))


def _undecayed(fields: Fields) -> tuple[Decimal, Decimal]:
    """Return between which numbers a score lay before its decay."""
    score, decay = Decimal(str(fields[SCORE])), Decimal(str(fields[DECAY]))
    middle, slack = score + abs(decay), _rounding(score, 2) + _rounding(decay, 3)
    low = Decimal("-inf") if score <= 0 else middle - slack
    return low, Decimal("inf") if score >= 1 else middle + slack


def _rounding(number: Decimal, digits: int) -> Decimal:
    """Return by how much rounding has changed a number at most, which was written with at least so many digits."""
    written = number.as_tuple().exponent
    exact = -written if isinstance(written, int) else digits
    return Decimal(5).scaleb(-1 - min(max(digits, exact), _MOST_DIGITS))
