"""An input: a table that was handed in, as a file, a table of a database, or a frame in memory."""

import glob
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from howsure.bulk.tables import TABLES
from howsure.errors import InputError, MissingExtraError, nearest, shown

Kind = Literal["parquet", "csv", "json", "arrow", "duckdb", "postgres", "frame"]

SUFFIXES: dict[str, Kind] = {
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
ADDRESSES = ("postgresql://", "postgres://")
SEPARATOR = "::"
"""Stands between a database and a table in it."""


@dataclass(frozen=True)
class Input:
    """Where a table is, and what kind of thing it is there."""

    role: str
    """Which table it is: claims, evidence, relations, ..."""
    kind: Kind
    place: str = ""
    """Path, pattern or address."""
    table: str = ""
    """Name of the table within a database."""
    frame: Any = None
    """The table itself, if it is in memory."""

    @property
    def name(self) -> str:
        """What errors call it; never with a password."""
        if self.kind == "frame":
            return f"the {self.role} frame"
        if self.kind == "postgres":
            return f"the PostgreSQL table {self.table}"
        return f"{Path(self.place).name}{SEPARATOR}{self.table}" if self.table else Path(self.place).name

    @property
    def remote(self) -> bool:
        """Whether it lies in a file system of another machine."""
        return "://" in self.place and self.kind not in ("postgres", "frame")

    def files(self) -> list[str]:
        """Return the files that it consists of, in order."""
        if self.remote or self.kind in ("postgres", "frame"):
            return []
        path = Path(self.place)
        if path.is_dir():
            return [str(file) for file in _within(path) if SUFFIXES.get(ending(file)) == self.kind]
        return [self.place] if path.exists() else sorted(glob.glob(self.place, recursive=True))  # noqa: PTH207


def ending(path: Path) -> str:
    """Return what the name of a file ends in, compressed or not.

    >>> ending(Path("a.csv")), ending(Path("b.CSV.gz"))
    ('.csv', '.csv')
    """
    suffix = path.suffix.lower()
    return path.with_suffix("").suffix.lower() if suffix == ".gz" else suffix


def _within(folder: Path) -> list[Path]:
    """Return the files of a folder, in order; what is hidden may be somebody's work on the way."""
    found = [file for file in folder.rglob("*") if file.is_file()]
    return sorted(file for file in found if not any(n[0] in "._" for n in file.relative_to(folder).parts))


def taken(value: Any, role: str) -> Input:
    """Return what a user has handed in as an input, or say what it is not.

    >>> taken("claims.duckdb::facts", "claims").table
    'facts'
    >>> taken("claims.xls", "claims")
    Traceback (most recent call last):
    howsure.errors.InputError: claims: claims.xls: '.xls' is no kind of table (there are: .arrow, .csv, .feather, \
.ipc, .json, .jsonl, .ndjson, .parquet, .pq, .tsv, FILE.duckdb::TABLE, postgresql://...::TABLE)
    """
    if isinstance(value, Input):
        return value
    if not isinstance(value, str | Path):
        return Input(role, "frame", frame=framed(value, role))
    text = str(value)
    place, separator, table = text.rpartition(SEPARATOR)
    if separator and (place.startswith(ADDRESSES) or Path(place).suffix in DATABASES):
        return Input(role, "postgres" if place.startswith(ADDRESSES) else "duckdb", place, table)
    if text.startswith(ADDRESSES) or Path(text).suffix in DATABASES:
        what = "the address" if text.startswith(ADDRESSES) else Path(text).name
        raise InputError(f"{what} names a database, not a table", field=role, hint="write DATABASE::TABLE")
    return _file(text, role)


def _file(text: str, role: str) -> Input:
    path = Path(text)
    if path.is_dir():
        kinds = {SUFFIXES[ending(file)] for file in _within(path) if ending(file) in SUFFIXES}
        if len(kinds) != 1:
            found = f"files of {len(kinds)} kinds" if kinds else "no table"
            raise InputError(f"the folder {path.name} holds {found}", field=role, hint="name the files: FOLDER/*.csv")
        return Input(role, kinds.pop(), text)
    suffix = ending(path)
    if suffix not in SUFFIXES:
        options = ", ".join([*sorted(SUFFIXES), "FILE.duckdb::TABLE", "postgresql://...::TABLE"])
        raise InputError(f"{path.name}: {suffix!r} is no kind of table", field=role, hint=f"there are: {options}")
    given = Input(role, SUFFIXES[suffix], text)
    if not given.remote and not given.files():
        raise InputError(f"there is no file {text}", field=role, hint=_near(path))
    return given


def _near(path: Path) -> str:
    beside = [file.name for file in path.parent.iterdir()] if path.parent.is_dir() else []
    return nearest(path.name, beside) if 0 < len(beside) < 100 else ""  # noqa: PLR2004


def nothing(role: str) -> Any:
    """Return a table of some role without rows, as an Arrow table."""
    import pyarrow as pa

    kinds = {"id": pa.int64(), "unit": pa.float64(), "moment": pa.float64()}
    columns = TABLES[role].columns if role in TABLES else ()
    return pa.table({column.name: pa.array([], kinds.get(column.kind, pa.string())) for column in columns})


def framed(value: Any, role: str) -> Any:
    """Return a frame of any library, or a list of records, as an Arrow table."""
    try:
        import pyarrow as pa
    except ImportError as error:  # pragma: no cover - the development environment has it
        raise MissingExtraError("duckdb", "scoring frames") from error
    try:
        if isinstance(value, pa.Table):
            return value
        if type(value).__module__.partition(".")[0] == "pandas":
            return pa.Table.from_pandas(value, preserve_index=False)
        if isinstance(value, list | tuple) and not value:
            return nothing(role)
        if isinstance(value, list | tuple) and all(isinstance(row, Mapping) for row in value):
            names = dict.fromkeys(name for row in value for name in row)
            return pa.table({str(name): [row.get(name) for row in value] for name in names})
        if hasattr(value, "collect") and not hasattr(value, "__arrow_c_stream__"):
            value = value.collect()  # a lazy frame
        if hasattr(value, "__arrow_c_stream__") or isinstance(value, Mapping):
            return pa.table(value)
    except (pa.ArrowException, TypeError, ValueError) as error:
        problem = f"the {role} frame cannot be read: {str(error).partition(chr(10))[0]}"
        raise InputError(problem, field=role, hint="each column holds one type") from error
    raise InputError(
        f"{shown(value)} is no table", field=role, hint="a path, DATABASE::TABLE, a frame, or a list of records"
    )
