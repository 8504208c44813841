"""The head of a CSV file: which columns it has, and what stands between them.

DuckDB can guess both, but skips lines that do not fit its guess; what is told is not guessed.
"""

import csv
import gzip
from pathlib import Path
from typing import NamedTuple

from howsure.bulk.inputs import Input
from howsure.errors import InputError

_LONGEST = 1 << 20
"""Characters within which a first line has to end."""


class Head(NamedTuple):
    """What the first line of a CSV file says."""

    columns: tuple[str, ...]
    separator: str


def head(given: Input) -> Head:
    """Return the head that all files of an input have in common."""
    found = {file: _read(given, file) for file in given.files()}
    first, *others = found
    for other in others:
        if found[other] != found[first]:
            names = f"{Path(first).name} and {Path(other).name}"
            raise InputError(f"{names} have different columns", field=given.role, hint="give them one after the other")
    return found[first]


def _read(given: Input, file: str) -> Head:
    name = Path(file).name
    try:
        with gzip.open(file, "rb") if file.endswith(".gz") else Path(file).open("rb") as stream:
            line = stream.readline(_LONGEST).decode("utf-8-sig")
    except UnicodeDecodeError:
        raise InputError(f"{name} is not UTF-8", field=given.role, hint="save it as UTF-8") from None
    except (OSError, EOFError) as error:
        raise InputError(f"{name} cannot be read: {error}", field=given.role) from error
    separator = max(",\t;", key=line.count)
    try:
        columns = next(csv.reader([line], delimiter=separator), [])
    except csv.Error as error:
        raise InputError(f"{name} is no CSV: {error}", field=given.role) from error
    if not columns:
        raise InputError(f"{name} is empty", field=given.role, hint="its first line names the columns")
    if len(set(columns)) < len(columns):
        twice = next(column for column in columns if columns.count(column) > 1)
        raise InputError(f"{name} has more than one column {twice!r}", field=given.role)
    return Head(tuple(columns), separator)
