"""Read the columns that a command names from a file of JSON Lines, CSV or Parquet."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer

from howsure.datafiles import parse_record, read_rows
from howsure.errors import InputError, nearest
from howsure.progress import Progress

DataFile = Annotated[
    str, typer.Argument(metavar="FILE", help="JSON Lines, CSV, TSV or Parquet; all but Parquet may be .gz.")
]
ScoreColumn = Annotated[str, typer.Option("--score", metavar="COLUMN", help="Column of scores.")]
OutcomeColumn = Annotated[
    str,
    typer.Option("--outcome", metavar="COLUMN", help="Column of outcomes: 1 or true, 0 or false."),
]
_REPORT_EVERY = 5000


def read_lines(file: str, progress: Progress) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield each row of a file with its line number.

    Raises:
        InputError: if the file cannot be read, or a line is not an object.
    """
    path = Path(file)
    if not path.is_file():
        raise InputError(f"cannot read {file}: no such file", field="file", hint="JSON Lines, CSV or Parquet")
    for count, (line, record) in enumerate(read_rows(path)):
        if count % _REPORT_EVERY == 0:
            progress("reading", count, 0)
        try:
            row = parse_record(record)
        except InputError as error:
            error.line = line
            raise
        if not isinstance(row, dict):
            raise InputError("not an object", hint="one object per line", line=line)
        if None in row:
            raise InputError("there are more cells than columns", line=line)
        yield line, row


class Columns(dict[str, list[Any]]):
    """Columns by name, and the lines from which they were read."""

    lines: list[int]

    @contextmanager
    def lines_in_errors(self) -> Iterator[None]:
        """Let an error that names a row, counted from 1, name its line in the file."""
        try:
            yield
        except InputError as error:
            if error.line is not None:
                error.line = self.lines[error.line - 1]
            raise


def read_columns(file: str, names: Sequence[str], progress: Progress) -> Columns:
    """Return the named columns of a file; cells that a row does not have are None.

    Raises:
        InputError: if the file cannot be read, or has no such column.
    """
    columns = Columns((name, []) for name in names)
    columns.lines = []
    known: dict[str, None] = {}
    for line, row in read_lines(file, progress):
        columns.lines.append(line)
        known.update(dict.fromkeys(map(str, row)))
        for name, cells in columns.items():
            cells.append(row.get(name))
    for name in names:
        if known and name not in known:
            raise InputError(f"{Path(file).name} has no column {name!r}", field=name, hint=nearest(name, known))
    return columns
