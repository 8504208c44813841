"""Write the rows of a fusion as JSON Lines, CSV or Parquet."""

import csv
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import orjson

from howsure.errors import InputError, MissingExtraError
from howsure.files import atomic_write

SUFFIXES = (".jsonl", ".ndjson", ".json", ".csv", ".tsv", ".parquet")


def parse_output_path(path: str | Path, field: str = "out") -> Path:
    """Return the path of an output.

    Raises:
        InputError: if the file type is unknown or the folder does not exist.

    >>> parse_output_path("fused.xls")
    Traceback (most recent call last):
    howsure.errors.InputError: out: fused.xls: unknown file type '.xls' (.jsonl, .ndjson, .json, .csv, .tsv, .parquet)
    """
    path = Path(path)
    if path.suffix.lower() not in SUFFIXES:
        raise InputError(f"{path.name}: unknown file type {path.suffix!r}", field=field, hint=", ".join(SUFFIXES))
    if not path.parent.is_dir():
        raise InputError(f"the folder {path.parent} does not exist", field=field, hint="create it first")
    return path


def write_columns(path: Path, columns: Mapping[str, Sequence[Any]]) -> None:
    """Write columns of the same length to a file, replacing it atomically. The suffix says the format.

    Raises:
        InputError: if the file cannot be written.
    """
    try:
        with atomic_write(path) as part:
            _write(part, path.suffix.lower(), columns)
    except OSError as error:
        raise InputError(f"{path.name} could not be written: {error.strerror or error}", field="out") from error


def _write(part: Path, suffix: str, columns: Mapping[str, Sequence[Any]]) -> None:
    if suffix == ".parquet":
        try:
            from pyarrow import parquet
        except ImportError as error:  # pragma: no cover - the development environment has it
            raise MissingExtraError("duckdb", "writing Parquet") from error
        parquet.write_table(arrow_table(columns), part)
    elif suffix in (".csv", ".tsv"):
        with part.open("w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file, delimiter="," if suffix == ".csv" else "\t", lineterminator="\n")
            writer.writerow(columns)
            writer.writerows(zip(*columns.values(), strict=True))
    else:
        names = list(columns)
        with part.open("wb") as lines:
            for row in zip(*columns.values(), strict=True):
                record = dict(zip(names, row, strict=True))
                lines.write(orjson.dumps(record, default=str, option=orjson.OPT_APPEND_NEWLINE))


def arrow_table(columns: Mapping[str, Sequence[Any]]) -> Any:
    """Return columns as an Arrow table; a column whose cells have several types holds texts.

    Raises:
        MissingExtraError: if pyarrow is not installed.
    """
    try:
        import pyarrow as pa
    except ImportError as error:  # pragma: no cover - the development environment has it
        raise MissingExtraError("duckdb", "Arrow tables") from error
    cells: dict[str, Any] = {}
    for name, column in columns.items():
        kind = pa.int64() if name == "group" else None
        try:
            cells[name] = pa.array(column, type=kind)
        except (pa.ArrowException, TypeError):
            cells[name] = pa.array([None if cell is None else str(cell) for cell in column])
    return pa.table(cells)
