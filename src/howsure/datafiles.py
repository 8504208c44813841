"""Records of a file: JSON Lines, CSV or Parquet, each with its number."""

import codecs
import csv
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import orjson

from howsure.errors import InputError, MissingExtraError

_NUMBERS = ("contribution", "stale_at", "ttl", "valid_from", "valid_until")
_PARQUET_ROWS = 5000


def read_records(path: Path) -> Iterator[tuple[int, Any]]:
    """Give the records of a JSON Lines, CSV or Parquet file, each with its number."""
    kind = path.suffix.lower()
    if kind == ".csv":
        with path.open(encoding="utf-8-sig", newline="") as file:
            rows = enumerate(csv.DictReader(file), start=2)
            while True:
                try:
                    number, row = next(rows)
                except StopIteration:
                    return
                except (UnicodeDecodeError, csv.Error) as error:
                    raise InputError(f"{path.name} is no CSV in UTF-8: {error}", hint="save it as UTF-8") from error
                yield number, _from_cells(row)
    elif kind == ".parquet":
        yield from _parquet(path)
    else:
        with path.open("rb") as lines:
            yield from numbered(lines)


def numbered(lines: Any) -> Iterator[tuple[int, bytes]]:
    """Give the lines that are not empty, each with its number. They are small; what they hold is read when needed."""
    for number, line in enumerate(lines, start=1):
        text = line.removeprefix(codecs.BOM_UTF8).strip()
        if text:
            yield number, text


def parsed(record: Any) -> Any:
    """Return what a record holds: a line is JSON; what could not be read is raised."""
    if isinstance(record, InputError):
        raise record
    if not isinstance(record, bytes):
        return record
    try:
        return orjson.loads(record)
    except orjson.JSONDecodeError as error:
        problem = f"not JSON: {error.msg} at position {error.pos}"
        raise InputError(problem, hint="one object per line") from None


def _from_cells(row: dict[Any, Any]) -> Any:
    """Return a record from cells of text: empty ones are left out, numbers are read."""
    record: dict[str, Any] = {}
    for name, text in row.items():
        if name is None:
            return InputError("there are more cells than columns")
        if text:
            try:
                record[name] = float(text) if name in _NUMBERS and text != "never" else text
            except ValueError:
                return InputError(f"{text!r} is not a number", field=name)
    source: dict[str, Any] = {name: record.pop(name) for name in ("source_type", "source_id") if name in record}
    if len(source) == 1:
        return InputError("a source has a type and an id", field=next(iter(source)))
    if source:
        source |= {"contribution": record.pop("contribution")} if "contribution" in record else {}
        record["sources"] = [source]
    return record


def _parquet(path: Path) -> Iterator[tuple[int, Any]]:
    try:
        from pyarrow import parquet
    except ImportError as error:  # pragma: no cover - the development environment has it
        raise MissingExtraError("duckdb", "reading Parquet") from error
    try:
        batches = parquet.ParquetFile(path).iter_batches(batch_size=_PARQUET_ROWS)
        number = 0
        for batch in batches:
            for row in batch.to_pylist():
                number += 1
                yield number, {name: value for name, value in row.items() if value is not None}
    except (OSError, ValueError) as error:
        raise InputError(f"{path.name} is no Parquet file: {error}") from error
