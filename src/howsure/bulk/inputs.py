"""Input tables: files, tables of a database, or data frames."""

import csv
import glob
import gzip
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, NamedTuple

from howsure.bulk.tables import SCHEMAS
from howsure.errors import InputError, MissingExtraError, nearest, shown
from howsure.store.backends.database import POSTGRES_PREFIXES

InputFormat = Literal["parquet", "csv", "json", "arrow", "duckdb", "postgres", "frame"]

SUFFIXES: dict[str, InputFormat] = {
    ".parquet": "parquet",
    ".pq": "parquet",
    ".csv": "csv",
    ".tsv": "csv",
    ".json": "json",
    ".jsonl": "json",
    ".ndjson": "json",
    ".arrow": "arrow",
    ".feather": "arrow",
    ".ipc": "arrow",
}
DATABASES = (".duckdb", ".ddb")
SEPARATOR = "::"
"""Stands between a database and a table in it."""
_LONGEST_HEADER = 1 << 20
"""Longest first line of a CSV file, in bytes."""
_LONGEST_LINE = 2_000_000
"""Longest line of a CSV file that DuckDB reads, in bytes."""


@dataclass(frozen=True)
class Input:
    """A table to read."""

    role: str
    """Which table it is: claims, sources, relations or texts."""
    kind: InputFormat
    place: str = ""
    """Path, glob pattern or address."""
    table: str = ""
    """Name of the table within a database."""
    frame: Any = None
    """The table itself, if it is in memory."""
    query: str = ""
    """Reads the table, instead of its name, within a PostgreSQL database."""
    of_store: bool = False
    """Whether it is read from a howsure store."""
    extra: tuple[str, ...] = ()
    """Columns beyond the schema that may be used; of JSON, only columns that may be used are read."""
    keep: tuple[str, ...] = ()
    """Columns to copy to the result, in their own type."""

    @property
    def name(self) -> str:
        """Name of the table for error messages; never contains a password."""
        if self.of_store:
            return f"the {self.role} of the store"
        if self.kind == "frame":
            return f"the {self.role} frame"
        if self.kind == "postgres":
            return f"the PostgreSQL table {self.table}"
        return f"{Path(self.place).name}{SEPARATOR}{self.table}" if self.table else Path(self.place).name

    @property
    def remote(self) -> bool:
        """Whether it is a file on another machine, which only Spark reads."""
        return "://" in self.place and self.kind not in ("postgres", "frame")

    def files(self) -> list[str]:
        """Return the local files that it consists of, in order."""
        if self.remote or self.kind in ("postgres", "frame"):
            return []
        path = Path(self.place)
        if path.is_dir():
            return [str(file) for file in _visible_files(path) if SUFFIXES.get(file_type(file)) == self.kind]
        return [self.place] if path.exists() else sorted(glob.glob(self.place, recursive=True))  # noqa: PTH207


def file_type(path: Path) -> str:
    """Return the suffix of a file, without `.gz`.

    >>> file_type(Path("a.csv")), file_type(Path("b.CSV.gz"))
    ('.csv', '.csv')
    """
    suffix = path.suffix.lower()
    return path.with_suffix("").suffix.lower() if suffix == ".gz" else suffix


def _visible_files(folder: Path) -> list[Path]:
    """Return the files of a folder, sorted; hidden ones may be unfinished output of another process."""
    files = [file for file in folder.rglob("*") if file.is_file()]
    return sorted(file for file in files if not any(n[0] in "._" for n in file.relative_to(folder).parts))


def parse_input(value: Any, role: str) -> Input:
    """Return the table that a path, DATABASE::TABLE, data frame or list of records stands for.

    Raises:
        InputError: if the value is none of these, or the file does not exist.

    >>> parse_input("claims.duckdb::facts", "claims").table
    'facts'
    >>> parse_input("claims.xls", "claims")
    Traceback (most recent call last):
    howsure.errors.InputError: claims: claims.xls: unknown file type '.xls' (supported: .arrow, .csv, .feather, \
.ipc, .json, .jsonl, .ndjson, .parquet, .pq, .tsv, FILE.duckdb::TABLE, postgresql://...::TABLE)
    """
    if isinstance(value, Input):
        return value
    if not isinstance(value, str | Path):
        return Input(role, "frame", frame=to_arrow(value, role))
    text = str(value)
    place, separator, table = text.rpartition(SEPARATOR)
    if separator and (place.startswith(POSTGRES_PREFIXES) or Path(place).suffix in DATABASES):
        return Input(role, "postgres" if place.startswith(POSTGRES_PREFIXES) else "duckdb", place, table)
    if text.startswith(POSTGRES_PREFIXES) or Path(text).suffix in DATABASES:
        what = "the address" if text.startswith(POSTGRES_PREFIXES) else Path(text).name
        raise InputError(f"{what} names a database, not a table", field=role, hint="write DATABASE::TABLE")
    return _parse_path(text, role)


def _parse_path(text: str, role: str) -> Input:
    path = Path(text)
    try:
        is_folder = path.is_dir()
    except (OSError, ValueError):  # too long, for example
        raise InputError(f"invalid path {shown(text)}", field=role) from None
    if is_folder:
        kinds = {SUFFIXES[file_type(file)] for file in _visible_files(path) if file_type(file) in SUFFIXES}
        if len(kinds) != 1:
            content = f"tables of {len(kinds)} types" if kinds else "no table"
            raise InputError(
                f"the folder {path.name} contains {content}", field=role, hint="name the files: FOLDER/*.csv"
            )
        return Input(role, kinds.pop(), text)
    suffix = file_type(path)
    if suffix not in SUFFIXES:
        options = ", ".join([*sorted(SUFFIXES), "FILE.duckdb::TABLE", "postgresql://...::TABLE"])
        raise InputError(f"{path.name}: unknown file type {suffix!r}", field=role, hint=f"supported: {options}")
    table = Input(role, SUFFIXES[suffix], text)
    if not table.remote and not table.files():
        raise InputError(f"the file {text} does not exist", field=role, hint=_similar_name(path))
    return table


def _similar_name(path: Path) -> str:
    files = path.parent.iterdir() if path.parent.is_dir() else ()
    beside = [file.name for file in files if file.suffix in SUFFIXES]
    return nearest(path.name, beside) if 0 < len(beside) < 100 else ""  # noqa: PLR2004


def empty_table(role: str) -> Any:
    """Return a table without rows, as an Arrow table."""
    import pyarrow as pa

    kinds = {"id": pa.int64(), "unit": pa.float64(), "number": pa.float64(), "moment": pa.float64()}
    columns = SCHEMAS[role].columns if role in SCHEMAS else ()
    return pa.table({column.name: pa.array([], kinds.get(column.kind, pa.string())) for column in columns})


def _without_views(table: Any) -> Any:
    """Return an Arrow table with plain texts: DuckDB below 1.5 cannot filter the views that polars exports."""
    import pyarrow as pa

    def plain_type(kind: Any) -> Any:
        if pa.types.is_dictionary(kind) and kind.value_type == pa.string_view():
            return pa.dictionary(kind.index_type, pa.large_string(), kind.ordered)
        return pa.large_string() if kind == pa.string_view() else kind

    plain = [field.with_type(plain_type(field.type)) for field in table.schema]
    return table.cast(pa.schema(plain)) if plain != list(table.schema) else table


def to_arrow(value: Any, role: str) -> Any:
    """Return a data frame of any library, a mapping of columns or a list of records as an Arrow table.

    Raises:
        InputError: if the value is not a table.
    """
    try:
        import pyarrow as pa
    except ImportError as error:  # pragma: no cover - the development environment has it
        raise MissingExtraError("duckdb", "scoring frames") from error
    try:
        if isinstance(value, pa.Table):
            return _without_views(value)
        if type(value).__module__.partition(".")[0] == "pandas":
            return pa.Table.from_pandas(value, preserve_index=False)
        if isinstance(value, list | tuple) and not value:
            return empty_table(role)
        if isinstance(value, list | tuple) and all(isinstance(row, Mapping) for row in value):
            names = dict.fromkeys(name for row in value for name in row)
            return pa.table({str(name): [row.get(name) for row in value] for name in names})
        if hasattr(value, "collect") and not hasattr(value, "__arrow_c_stream__"):
            value = value.collect()  # a lazy frame
        if hasattr(value, "__arrow_c_stream__") or isinstance(value, Mapping):
            return _without_views(pa.table(value))
    except (pa.ArrowException, TypeError, ValueError, OverflowError) as error:
        problem = f"the {role} frame cannot be read: {str(error).partition(chr(10))[0]}"
        raise InputError(problem, field=role, hint="each column must hold one type") from error
    raise InputError(
        f"{shown(value)} is not a table", field=role, hint="pass a path, DATABASE::TABLE, a frame or a list of records"
    )


class CsvHeader(NamedTuple):
    """The columns of a CSV file and the character between them.

    DuckDB can detect both, but then skips lines that do not match what it detected; so they are passed explicitly.
    """

    columns: tuple[str, ...]
    separator: str


def csv_header(table: Input) -> CsvHeader:
    """Return the header that all CSV files of an input share.

    Raises:
        InputError: if a file cannot be read, or two files have different headers.
    """
    headers = {file: _read_header(table, file) for file in table.files()}
    first, *others = headers
    for other in others:
        if headers[other] != headers[first]:
            names = f"{Path(first).name} and {Path(other).name}"
            raise InputError(f"{names} have different columns", field=table.role, hint="score them separately")
    return headers[first]


def _check_last_line(table: Input, path: Path) -> None:
    """Raise InputError if the last line is longer than DuckDB reads.

    DuckDB refuses such lines, but leaves one of more than 32 MB out without a word if it is the last.
    """
    size = path.stat().st_size
    if size <= _LONGEST_LINE:
        return
    with path.open("rb") as stream:
        stream.seek(-_LONGEST_LINE, os.SEEK_END)
        if b"\n" not in stream.read()[:-1]:
            problem = f"{path.name}: the last line is longer than {_LONGEST_LINE:,} bytes"
            raise InputError(problem, field=table.role, hint="is it a table?")


def _read_header(table: Input, file: str) -> CsvHeader:
    name = Path(file).name
    try:
        with gzip.open(file, "rb") if file.endswith(".gz") else Path(file).open("rb") as stream:
            line = stream.readline(_LONGEST_HEADER).decode("utf-8-sig")
        if not file.endswith(".gz"):
            _check_last_line(table, Path(file))
    except UnicodeDecodeError:
        raise InputError(f"{name} is not UTF-8", field=table.role, hint="save it as UTF-8") from None
    except (OSError, EOFError) as error:
        raise InputError(f"{name} cannot be read: {error}", field=table.role) from error
    separator = max(",\t;", key=line.count)
    try:
        columns = next(csv.reader([line], delimiter=separator), [])
    except csv.Error as error:
        raise InputError(f"{name} is not valid CSV: {error}", field=table.role) from error
    if not columns:
        raise InputError(f"{name} is empty", field=table.role, hint="the first line must name the columns")
    if len(set(columns)) < len(columns):
        twice = next(column for column in columns if columns.count(column) > 1)
        raise InputError(f"{name} has more than one column {twice!r}", field=table.role)
    return CsvHeader(tuple(columns), separator)
