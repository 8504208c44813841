"""An output: where scores go, and how they get there whole or not at all."""

import os
import shutil
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

from howsure.bulk.inputs import ADDRESSES, DATABASES, SEPARATOR, SUFFIXES
from howsure.errors import InputError, shown

Kind = Literal["parquet", "csv", "json", "arrow", "duckdb", "postgres"]


@dataclass(frozen=True)
class Output:
    """A file, a folder of files, or a table of a database."""

    kind: Kind
    place: str
    table: str = ""
    replace: bool = False
    """Whether it may take the place of what is there."""

    @property
    def name(self) -> str:
        """What people are told; never with a password."""
        if self.kind == "postgres":
            return f"the PostgreSQL table {self.table}"
        return f"{self.place}{SEPARATOR}{self.table}" if self.table else self.place

    @property
    def is_file(self) -> bool:
        """Whether it lies in the file system, and is not a table of a database."""
        return self.kind not in ("duckdb", "postgres")

    def within(self, folder: Path, number: int) -> "Output":
        """Return the file for one part of it."""
        return replace(self, place=str(folder / f"part-{number:05}{Path(self.place).suffix}"))

    def occupied(self) -> InputError:
        """Return the error that something is there already."""
        return InputError(f"{self.name} is there already", field="out", hint="let it be replaced, or choose another")

    def check(self) -> None:
        """Refuse to overwrite what is there, and to write where there is no folder; a folder is never replaced."""
        if self.is_file and "://" in self.place:
            return
        path = Path(self.place)
        if self.is_file and path.exists() and not self.replace:
            raise self.occupied()
        if self.kind != "postgres" and not path.parent.is_dir():
            raise InputError(f"there is no folder {path.parent}", field="out", hint="make it first")
        if self.kind != "postgres" and not os.access(path.parent, os.W_OK):
            raise InputError(f"the folder {path.parent} cannot be written to", field="out")


def aimed(value: Any, *, replace: bool = False) -> Output:
    """Return what a user has named as an output, or say what it is not.

    >>> aimed("scores.parquet").kind, aimed("all.duckdb::scores").table
    ('parquet', 'scores')
    """
    if not isinstance(value, str | Path):
        raise InputError(f"{shown(value)} is no place to write to", field="out", hint="a path, or DATABASE::TABLE")
    text = str(value)
    place, separator, table = text.rpartition(SEPARATOR)
    if separator and place.startswith(ADDRESSES):
        return Output("postgres", place, table, replace)
    if separator and Path(place).suffix in DATABASES:
        return Output("duckdb", place, table, replace)
    kind: Any = SUFFIXES.get(Path(text).suffix)
    if kind is None:
        endings = ", ".join(sorted(SUFFIXES))
        raise InputError(f"{Path(text).name} has no ending that says what to write", field="out", hint=endings)
    return Output(kind, text, replace=replace)


@contextmanager
def whole(output: Output) -> Iterator[Path]:
    """Give a hidden name beside a file; what was written there takes the file's place when all went well."""
    path = Path(output.place)
    hidden = path.with_name(f".{path.name}.{uuid.uuid4().hex[:8]}")
    try:
        yield hidden
        settle(hidden, path, replace=output.replace)
    except OSError as error:
        raise InputError(f"{path.name} could not be written: {error.strerror or error}", field="out") from error
    finally:
        remove(hidden)


def settle(hidden: Path, path: Path, *, replace: bool) -> None:
    """Give what is written its name. Where a folder is or comes, what is there makes way at the last moment."""
    if replace and path.exists() and (path.is_dir() or hidden.is_dir()):
        old = path.with_name(f".{path.name}.{uuid.uuid4().hex[:8]}")
        path.rename(old)
        hidden.rename(path)
        remove(old)
    else:
        hidden.replace(path)


def remove(path: Path) -> None:
    """Take a file or a folder away, if it is there."""
    if path.is_dir():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)
