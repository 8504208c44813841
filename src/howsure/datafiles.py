"""Read numbered records from JSON Lines, CSV and Parquet files, and write the files that a user names."""

import codecs
import csv
import gzip
import json
import re
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

import orjson

from howsure.errors import InputError, MissingExtraError
from howsure.files import atomic_write, get_umask
from howsure.parquet_footer import read_chunks

_NUMBERS = ("contribution", "stale_at", "ttl", "valid_from", "valid_until")
"""Columns of a CSV file that hold numbers."""
_DELIMITERS = {".csv": ",", ".tsv": "\t"}
_PARQUET_ROWS = 5000
"""Rows of a Parquet file that are in memory at once."""
_PARQUET_BYTES = 1 << 26
"""Bytes of texts of a Parquet file that are in memory at once."""
_LARGEST_COLUMN = 1 << 30
"""Bytes of a column in one row group of a Parquet file, uncompressed."""
_LONGEST_CELL = 16_000_000
"""Bytes of a text in a Parquet file."""


_FORMULA = re.compile(r"^(?=[\t\r])|(?:^|(?<=[;\t\r\n]))(?=[ \xa0]*[=+\-@＝＋－＠])")  # noqa: RUF001 - wide signs count too
"""Where a formula could begin: at the start of a cell, or where a spreadsheet may split it."""


def csv_text(text: str) -> str:
    """Return a text as the content of a cell; one that a spreadsheet would read as a formula gets a `'` before it.

    >>> csv_text("=1+1"), csv_text("a;=1+1"), csv_text("1=1")
    ("'=1+1", "a;'=1+1", '1=1')
    """
    return _FORMULA.sub("'", text)


def write_output(path: Path, content: bytes, field: str = "out") -> None:
    """Write a file that the user named in a field, whole or not at all, with the permissions of any new file.

    Raises:
        InputError: if it cannot be written.
    """
    try:
        with atomic_write(path) as part:
            part.write_bytes(content)
            part.chmod(0o666 & ~get_umask())
    except (OSError, ValueError) as error:  # ValueError: no file can have this name
        reason = getattr(error, "strerror", None) or error
        raise InputError(f"{path} cannot be written: {reason}", field=field) from None


def read_records(path: Path) -> Iterator[tuple[int, Any]]:
    """Yield the records of claims in a file, each with its number: the line of JSON Lines and CSV, the row of Parquet.

    The ending of the file's name says which format it has; other endings than .csv, .tsv and .parquet are JSON Lines.
    Before .gz it is that of the compressed file. A CSV row that cannot be converted is yielded as an `InputError`,
    which `parse_record` raises.

    Raises:
        InputError: if the file cannot be read in its format.
    """
    is_table = _kind(path) in _DELIMITERS
    for number, row in read_rows(path):
        yield number, _from_cells(row) if is_table else row


def read_rows(path: Path) -> Iterator[tuple[int, Any]]:
    """Yield the rows of a file as they are, each with its number. The cells of a CSV file are texts.

    Raises:
        InputError: if the file cannot be read in its format.
    """
    kind = _kind(path)
    try:
        if kind == ".parquet":
            yield from _parquet(path)
        elif kind in _DELIMITERS:
            with _open(path, "rt", encoding="utf-8-sig", newline="") as file:
                yield from _csv(path.name, file, _DELIMITERS[kind])
        else:
            with _open(path, "rb") as file:
                yield from number_lines(file)
    except (gzip.BadGzipFile, zlib.error, EOFError) as error:
        raise InputError(f"{path.name} cannot be decompressed: {error}") from error
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror or error}", field="file") from error


def _kind(path: Path) -> str:
    """Return the ending that says the format, like ".csv", without one that says that the file is compressed."""
    suffix = path.suffix.lower()
    return Path(path.stem).suffix.lower() if suffix == ".gz" else suffix


def _open(path: Path, mode: str, **options: Any) -> IO[Any]:
    opener: Any = gzip.open if path.suffix.lower() == ".gz" else open
    opened: IO[Any] = opener(path, mode, **options)
    return opened


def _csv(name: str, file: IO[str], delimiter: str) -> Iterator[tuple[int, dict[Any, Any]]]:
    """Yield the rows of a CSV file, each with the line on which it ends."""
    reader = csv.DictReader(file, delimiter=delimiter)
    try:
        names = [column for column in reader.fieldnames or () if column]
        if twice := next((column for column in names if names.count(column) > 1), None):
            raise InputError(f"{name} has two columns {twice!r}", field=twice, hint="rename one of them")
        for row in reader:
            yield reader.line_num, row
    except (UnicodeDecodeError, csv.Error) as error:
        raise InputError(f"{name} is not a CSV file in UTF-8: {error}", hint="save it as UTF-8") from error


def number_lines(lines: Any) -> Iterator[tuple[int, bytes]]:
    """Yield the lines that are not empty, each with its number. They are not parsed yet: `parse_record` does that."""
    for number, line in enumerate(lines, start=1):
        text = line.removeprefix(codecs.BOM_UTF8).strip()
        if text:
            yield number, text


def parse_record(record: Any) -> Any:
    """Return the content of a record: bytes are parsed as JSON, anything else is returned as it is.

    Raises:
        InputError: if the record is not JSON, or is itself the error of a row that could not be read.
    """
    if isinstance(record, InputError):
        raise record
    if not isinstance(record, bytes):
        return record
    try:
        return orjson.loads(record)
    except orjson.JSONDecodeError as error:
        problem = f"not JSON: {error.msg} at position {error.pos}"
        strange = b"NaN" in record or b"Infinity" in record
        hint = (
            "JSON has no NaN and no Infinity: write null, or leave the value out" if strange else "one object per line"
        )
        raise InputError(problem, hint=hint) from None


def parse_lines(stream: IO[bytes]) -> Iterator[tuple[int, Any]]:
    """Yield each JSON value with its line number, or an InputError in place of a line that is not JSON.

    If the file holds one JSON array, yield its elements, counted from 1.
    """
    lines = enumerate(stream, start=1)
    for number, line in lines:
        text = (line.removeprefix(codecs.BOM_UTF8) if number == 1 else line).strip()
        if not text:
            continue
        if text.startswith(b"["):
            yield from _array(number, text, lines)
        else:
            yield number, _parse(text)
        break
    for number, line in lines:
        if text := line.strip():
            yield number, _parse(text)


def _array(number: int, first: bytes, lines: Iterator[tuple[int, bytes]]) -> Iterator[tuple[int, Any]]:
    """Yield the elements of the array that starts here; an array followed by other lines is one value."""
    alone = _parse(first)
    following = next(lines, None)
    if following is not None and isinstance(alone, list):
        yield number, alone
        if text := following[1].strip():
            yield following[0], _parse(text)
        return
    if following is not None:
        alone = _parse(b"".join((first, b"\n", following[1], *(line for _, line in lines))))
    if isinstance(alone, list):
        yield from enumerate(alone, start=1)
    else:
        yield number, alone


def _parse(text: bytes) -> Any:
    """Return the value of a JSON text, or an InputError if it is not JSON."""
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError as error:
        try:
            decoded = text.decode()
        except UnicodeDecodeError as wrong:
            problem = f"not UTF-8: byte {text[wrong.start]:#04x} at position {wrong.start}"
            return InputError(problem, hint="save it as UTF-8")
        try:
            return json.loads(decoded)  # accepts NaN and huge numbers, so that decoding can name the field
        except (ValueError, RecursionError):
            return InputError(f"not JSON: {error.msg} at position {error.pos}", hint="one object per line")


def _from_cells(row: dict[Any, Any]) -> Any:
    """Convert the cells of a CSV row to a record, or return an error. Empty cells are left out."""
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
    number = 0
    for batch in parquet_batches(path):
        try:
            rows = batch.to_pylist()
        except (OverflowError, ValueError) as error:  # a date beyond the year 9999
            problem = f"{path.name}: a cell after row {number} cannot be read: {error}"
            raise InputError(problem, field="file") from error
        for row in rows:
            number += 1
            yield number, {name: value for name, value in row.items() if value is not None}


def parquet_batches(path: Path) -> Iterator[Any]:
    """Yield a Parquet file as Arrow batches of at most 5,000 rows and about 64 MB.

    A column that repeats a text holds it once, so a few kB can stand for many GB. It is read as it is stored, and
    decoded in parts whose size is known.

    Raises:
        InputError: if it is not such a file, or a cell or a column of a row group is too large.
    """
    try:
        import pyarrow as pa
        from pyarrow import parquet
    except ImportError as error:  # pragma: no cover - the development environment has it
        raise MissingExtraError("duckdb", "reading Parquet") from error
    try:
        with parquet.ParquetFile(path) as file:
            texts = _check_columns(path, file)
        with parquet.ParquetFile(path, read_dictionary=texts) as file:
            for batch in _all_batches(file):
                rows = max(1, _PARQUET_BYTES // max(1, _longest_row(path.name, batch)))
                for start in range(0, len(batch), rows):
                    part = batch.slice(start, rows)
                    cells = [_decode_cells(pa, column) for column in part.columns]
                    whole = pa.RecordBatch.from_arrays(cells, names=part.schema.names)
                    whole.validate(full=True)  # a damaged file may hold texts that are not UTF-8
                    yield whole
    except FileNotFoundError:
        raise
    except (OSError, ValueError, KeyError, pa.ArrowException) as error:
        problem = str(error).partition("\n")[0]
        raise InputError(f"{path.name} is not a Parquet file: {problem}", field="file") from error


def _all_batches(file: Any) -> Iterator[Any]:
    """Yield the batches of an open Parquet file; raise ValueError if rows are missing."""
    missing = file.metadata.num_rows
    for batch in file.iter_batches(batch_size=_PARQUET_ROWS):
        missing -= len(batch)
        yield batch
    if missing:  # Arrow skips pages of an unknown type
        raise ValueError(f"{missing:,} of {file.metadata.num_rows:,} rows are missing")


def _check_columns(path: Path, file: Any) -> list[str]:
    """Return the columns of texts; raise InputError if a column is too large.

    All of them are read as numbers of a dictionary, whether the footer says that they are stored so or not.
    """
    from pyarrow import types

    texts = (
        types.is_string, types.is_large_string, types.is_string_view, types.is_dictionary,
        types.is_binary, types.is_large_binary, types.is_binary_view,
    )  # fmt: skip
    for chunk in read_chunks(path):
        if chunk.size > _LARGEST_COLUMN:
            problem = f"{path.name}: {chunk.size:,} bytes in one row group of {chunk.name}"
            raise InputError(problem, field=chunk.name, hint="write it with smaller row groups")
    return sorted({field.name for field in file.schema_arrow if any(is_text(field.type) for is_text in texts)})


def _longest_row(name: str, batch: Any) -> int:
    """Return the bytes that a row may have once its texts are decoded; raise InputError if a text is too long."""
    from pyarrow import compute, types

    longest = 0
    for field, column in zip(batch.schema.names, batch.columns, strict=True):
        kind = column.type.value_type if types.is_dictionary(column.type) else column.type
        if not (types.is_string(kind) or types.is_binary(kind)):
            continue
        cells = column.dictionary if types.is_dictionary(column.type) else column
        length = compute.max(compute.binary_length(cells)).as_py() or 0
        if length > _LONGEST_CELL:
            problem = f"{name}: a cell of {field} has {length:,} bytes"
            raise InputError(problem, field=field, hint=f"at most {_LONGEST_CELL:,}")
        longest += length
    return longest


def _decode_cells(pa: Any, column: Any) -> Any:
    return column.dictionary_decode() if pa.types.is_dictionary(column.type) else column
