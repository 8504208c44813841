"""Output tables: files, folders of files, or tables of a database, written atomically."""

import errno
import os
import shutil
import uuid
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

from howsure.bulk.inputs import DATABASES, SEPARATOR, SUFFIXES, Input
from howsure.errors import InputError, shown
from howsure.files import check_replaceable
from howsure.store.backends.database import POSTGRES_PREFIXES

OutputFormat = Literal["parquet", "csv", "json", "arrow", "duckdb", "postgres"]


@dataclass(frozen=True)
class Output:
    """A table to write."""

    kind: OutputFormat
    place: str
    table: str = ""
    replace: bool = False
    """Whether to replace an existing table."""

    @property
    def name(self) -> str:
        """Name of the table for messages; never contains a password."""
        if self.kind == "postgres":
            return f"the PostgreSQL table {self.table}"
        return f"{self.place}{SEPARATOR}{self.table}" if self.table else self.place

    @property
    def is_file(self) -> bool:
        """Whether it is a file or folder rather than a table of a database."""
        return self.kind not in ("duckdb", "postgres")

    def part_in(self, folder: Path, number: int) -> "Output":
        """Return the file in a folder for one part of this output."""
        return replace(self, place=str(folder / f"part-{number:05}{Path(self.place).suffix}"))

    def already_exists(self) -> InputError:
        """Return the error that the output already exists."""
        return InputError(f"{self.name} already exists", field="out", hint="replace it, or choose another name")

    def check(self) -> None:
        """Raise InputError if the output exists and may not be replaced, or its folder cannot be written to."""
        if self.is_file and "://" in self.place:
            return
        path = Path(self.place)
        if self.is_file and path.exists() and not self.replace:
            raise self.already_exists()
        if self.kind != "postgres" and not path.parent.is_dir():
            raise InputError(f"the folder {path.parent} does not exist", field="out", hint="create it first")
        if self.kind != "postgres" and not os.access(path.parent, os.W_OK):
            raise InputError(f"the folder {path.parent} is not writable", field="out")


def parse_output(value: Any, *, replace: bool = False) -> Output:
    """Return the output that a path or DATABASE::TABLE stands for.

    Raises:
        InputError: if the value is neither, or the file type is unknown.

    >>> parse_output("scores.parquet").kind, parse_output("all.duckdb::scores").table
    ('parquet', 'scores')
    """
    if not isinstance(value, str | Path):
        raise InputError(f"{shown(value)} is not an output", field="out", hint="pass a path or DATABASE::TABLE")
    text = str(value)
    place, separator, table = text.rpartition(SEPARATOR)
    if separator and place.startswith(POSTGRES_PREFIXES):
        return Output("postgres", place, table, replace)
    if separator and Path(place).suffix in DATABASES:
        return Output("duckdb", place, table, replace)
    path = Path(text)
    kind: Any = SUFFIXES.get(path.suffix)
    if kind is None:
        supported = ", ".join(sorted(SUFFIXES))
        problem = f"{path.name}: unknown file type {path.suffix!r}"
        raise InputError(problem, field="out", hint=f"supported: {supported}")
    return Output(kind, text, replace=replace)


def check_not_read(output: Output, inputs: Iterable[Input]) -> None:
    """Raise InputError if writing an output would replace a table that is read."""
    for table in inputs:
        if output.is_file:
            for file in table.files():
                check_other_file(output.place, file)
        elif table.kind == output.kind and _is_same_table(table, output):
            raise InputError(f"{output.name} is also an input", field="out", hint="write to another table")


def _is_same_table(table: Input, output: Output) -> bool:
    """Return whether an input is the table that is written, as far as two names of a database can be compared."""
    if table.kind == "postgres":
        schema, same_place = "public.", table.place == output.place
    else:
        schema, same_place = "main.", Path(table.place).resolve() == Path(output.place).resolve()
    name = table.role if table.of_store else table.table
    return same_place and name.removeprefix(schema) == output.table.removeprefix(schema)


def check_other_file(out: str | Path, file: str | Path, field: str = "out") -> None:
    """Raise InputError if an output is a file that is read, under any name, or a folder that holds it."""
    target, source = Path(out), Path(file)
    try:
        same = source.resolve().is_relative_to(target.resolve()) or (target.exists() and target.samefile(source))
    except (OSError, ValueError):  # whoever reads or writes it reports the error
        return
    if same:
        raise InputError(f"{out} is also an input", field=field, hint="write to another file")


@contextmanager
def write_atomically(output: Output) -> Iterator[Path]:
    """Yield a hidden path beside a file; rename it to the file on success, delete it on error.

    Unlike `howsure.files.atomic_write` it does not fsync, because scores can be computed again, and it may replace a
    folder of partitions.
    """
    path = Path(output.place)
    part = hidden_beside(path)
    try:
        yield part
        move_into_place(part, path, replace=output.replace)
    except OSError as error:
        raise InputError(f"{path.name} could not be written: {error.strerror or error}", field="out") from error
    finally:
        remove(part)


def hidden_beside(path: Path) -> Path:
    """Return a new hidden path in the folder of another path."""
    return path.with_name(f".{path.name}.{uuid.uuid4().hex[:8]}")


def move_into_place(part: Path, path: Path, *, replace: bool) -> None:
    """Rename a finished file or folder to its final path, replacing a file or folder that is there.

    Raises:
        OSError: if something has appeared there meanwhile that may not be replaced.
    """
    check_replaceable(path)
    if not replace and os.path.lexists(path):
        raise FileExistsError(errno.EEXIST, "it exists by now", str(path))
    if replace and path.exists() and (path.is_dir() or part.is_dir()):
        # A rename cannot replace a folder: move the old one away first.
        old = hidden_beside(path)
        path.rename(old)
        try:
            part.rename(path)
        except OSError:
            old.rename(path)
            raise
        remove(old)
    else:
        part.replace(path)


def remove(path: Path) -> None:
    """Delete a file or folder if it exists; of a link the link alone."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)
