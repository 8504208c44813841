"""Write the claims of a store as a table, one row per claim with its interval."""

import csv
import io
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import IO, Any, Literal

import orjson

from howsure.datafiles import csv_text
from howsure.errors import InputError, MissingExtraError
from howsure.files import atomic_write
from howsure.graph.sql import ReadOptions
from howsure.store.session import Session
from howsure.store.views import COLUMNS, interval_rows

TableFormat = Literal["csv", "jsonl", "parquet"]
_MOMENTS = ("created_at", "stale_at", "expires_at", "valid_from", "valid_until", "accessed_at")
_BOUNDS = ("base_lower", "base_upper", "lower", "upper")
_BATCH = 10_000


def table_format(path: Path) -> TableFormat | None:
    """Return the format that the name of a file stands for; None if it is not the name of a table.

    JSON Lines is not: an export without a format is JSON Lines too.

    >>> table_format(Path("claims.csv")), table_format(Path("claims.jsonl"))
    ('csv', None)
    """
    suffixes: dict[str, TableFormat] = {".csv": "csv", ".parquet": "parquet", ".pq": "parquet"}
    return suffixes.get(path.suffix.lower())


def write_rows(session: Session, options: ReadOptions, kind: TableFormat, place: Path | IO[bytes]) -> int:
    """Write every claim that is not forgotten, with its interval, to a file or stream; return the number of rows.

    A file appears under its name when it is complete.

    Raises:
        InputError: if the file exists.
    """
    with session.database.read(separate=True) as transaction:
        rows = interval_rows(transaction, options)
        if not isinstance(place, Path):
            return _WRITERS[kind](rows, place)
        if place.exists():
            raise InputError(f"{place} exists already", field="file", hint="choose another name")
        with atomic_write(place) as part, part.open("wb") as file:
            return _WRITERS[kind](rows, file)


def _write_csv(rows: Iterator[Any], file: IO[bytes]) -> int:
    text = io.TextIOWrapper(file, "utf-8", newline="", write_through=True)
    writer = csv.writer(text)
    writer.writerow(COLUMNS)
    count = 0
    for row in rows:
        count += 1
        writer.writerow(csv_text(cell) if isinstance(cell, str) else cell for cell in row)
    text.detach()
    return count


def _write_jsonl(rows: Iterator[Any], file: IO[bytes]) -> int:
    count = 0
    for row in rows:
        count += 1
        file.write(orjson.dumps(dict(zip(COLUMNS, row, strict=True)), option=orjson.OPT_APPEND_NEWLINE))
    return count


def _write_parquet(rows: Iterator[Any], file: IO[bytes]) -> int:
    try:
        import pyarrow as pa
        from pyarrow import parquet
    except ImportError as error:  # pragma: no cover - the development environment has it
        raise MissingExtraError("duckdb", "writing Parquet") from error
    kinds = dict.fromkeys((*_MOMENTS, *_BOUNDS), pa.float64()) | {"sources": pa.int64()}
    schema = pa.schema([(name, kinds.get(name, pa.string())) for name in COLUMNS])
    count = 0
    with parquet.ParquetWriter(file, schema) as writer:
        while some := list(islice(rows, _BATCH)):
            columns = zip(schema, zip(*some, strict=True), strict=True)
            writer.write_batch(pa.record_batch([pa.array(cells, f.type) for f, cells in columns], schema=schema))
            count += len(some)
    return count


_WRITERS = {"csv": _write_csv, "jsonl": _write_jsonl, "parquet": _write_parquet}
