"""Read columns of numbers and outcomes from any frame: a dict of columns, a list of dicts, pandas, polars, Arrow."""

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from howsure.errors import InputError, nearest, shown
from howsure.wording import pluralize

_LARGEST = 1e15
"""Larger numbers would lose digits when they are added."""
_TRUE = frozenset({"1", "1.0", "true", "t", "yes", "y", "right", "correct", "up"})
_FALSE = frozenset({"0", "0.0", "false", "f", "no", "n", "wrong", "incorrect", "corrected", "down"})


def column_names(frame: Any) -> list[str]:
    """Return the names of a frame's columns.

    Raises:
        InputError: if it is not a frame.
    """
    if isinstance(frame, Mapping):
        return [str(name) for name in frame]
    if isinstance(frame, Sequence) and not isinstance(frame, str | bytes):
        names: dict[str, None] = {}
        for record in frame:
            if not isinstance(record, Mapping):
                raise InputError(f"a record is {shown(record)}", field="frame", hint="a list of dicts")
            names.update(dict.fromkeys(record))
        return list(names)
    names_of = getattr(frame, "column_names", None)  # Arrow
    if names_of is None:
        names_of = getattr(frame, "columns", None)  # pandas, polars
    if names_of is None or not hasattr(frame, "__getitem__"):
        hint = "a dict of columns, a list of dicts, a pandas or polars frame, an Arrow table"
        raise InputError(f"cannot read columns from {type(frame).__name__}", field="frame", hint=hint)
    return [str(name) for name in names_of]


def column(frame: Any, name: str, field: str) -> list[Any]:
    """Return one column as a list; cells that are missing in a list of dicts or in pandas are None.

    Raises:
        InputError: if there is no such column, or two.
    """
    names = column_names(frame)
    if not names and isinstance(frame, Sequence):  # no rows at all: the caller says what is missing
        return []
    if name not in names:
        raise InputError(f"there is no column {shown(name)}", field=field, hint=nearest(name, names))
    if names.count(name) > 1:
        raise InputError(f"there are two columns {shown(name)}", field=field, hint="rename or drop one of them")
    if isinstance(frame, Sequence):
        return [record.get(name) for record in frame]
    cells = frame[name]
    if hasattr(cells, "isna"):  # pandas: NaN, NaT and NA, which cannot be compared with anything
        return [None if missing else cell for cell, missing in zip(cells.tolist(), cells.isna().tolist(), strict=True)]
    for method in ("to_pylist", "to_list", "tolist"):
        if hasattr(cells, method):
            values: list[Any] = getattr(cells, method)()
            return values
    return list(cells)


def read_score(cell: Any, name: str, line: int | None = None) -> float:
    """Return a cell as a finite number.

    Raises:
        InputError: if it is missing, not a number, NaN or infinite.
    """
    if isinstance(cell, float) and -_LARGEST <= cell <= _LARGEST:
        return cell
    try:
        number = float(cell) if isinstance(cell, int | float | str) or hasattr(cell, "__float__") else math.nan
    except (ValueError, OverflowError):
        number = math.nan
    if isinstance(cell, bool) or not math.isfinite(number) or abs(number) > _LARGEST:
        hint = "a score is any number; leave out rows without one"
        problem = "missing" if cell is None or cell == "" else f"{shown(cell)} is not a finite number"
        if math.isfinite(number) and not isinstance(cell, bool):
            problem, hint = (
                f"{shown(cell)} is too large",
                f"scores are at most {_LARGEST:g}: divide them all, or leave out rows like this",
            )
        raise InputError(problem, field=name, hint=hint, line=line)
    return number


def read_outcome(cell: Any, name: str, line: int | None = None) -> float:
    """Return a cell as an outcome: 1.0 if right, 0.0 if wrong. It may be 0 or 1, a boolean, or such a word.

    Raises:
        InputError: if it is none of these.
    """
    text = str(cell).strip().lower() if isinstance(cell, str) else ""
    if text in _TRUE or (not isinstance(cell, str) and cell == 1):
        return 1.0
    if text in _FALSE or (not isinstance(cell, str) and cell == 0):
        return 0.0
    problem = "missing" if cell is None or cell == "" else f"{shown(cell)} is not an outcome"
    raise InputError(problem, field=name, hint="1 or true if it was right, 0 or false if it was wrong", line=line)


def read_groups(frame: Any, name: str, field: str, size: int) -> list[Any]:
    """Return a column that says which group each outcome is of.

    Raises:
        InputError: if there is no such column, its length is not that of the outcomes, or a cell is a list or dict.
    """
    cells = column(frame, name, field)
    if len(cells) != size:
        raise InputError(
            f"{pluralize(len(cells), 'cell')} for {pluralize(size, 'outcome')}", field=name, hint="one for each outcome"
        )
    for line, cell in enumerate(cells, start=1):
        if isinstance(cell, Mapping | list):
            raise InputError(f"{shown(cell)} is not a group", field=name, hint="a text or a number", line=line)
    return cells


def number_groups(paths: Iterable[Any]) -> tuple[list[int], int]:
    """Return a number for each path, equal for equal paths, and how many different ones there are."""
    known: dict[Any, int] = {}
    numbers = [known.setdefault(path, len(known)) for path in paths]
    return numbers, len(known)
