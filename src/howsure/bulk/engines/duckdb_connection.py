"""DuckDB as a workbench: reads tables of every kind, works within a memory limit, and writes results whole."""

import json
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from howsure.bulk.columns import Family
from howsure.bulk.csv_header import head
from howsure.bulk.inputs import Input, ending
from howsure.bulk.outputs import Output, whole
from howsure.bulk.tables import TABLES, TIMED
from howsure.errors import HowsureError, InputError, MissingExtraError
from howsure.progress import Progress, silent

MEMORY = "3GB"
"""How much memory is used unless more is allowed; beyond it, work goes on disk."""
_WHOLE = ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER")
_LARGE = ("UBIGINT", "HUGEINT", "UHUGEINT")
_MOMENTS = ("DATE", "TIMESTAMP")
_NUMBERS = ("FLOAT", "DOUBLE", "DECIMAL")
_BATCH = 1 << 20
"""Rows that are handed over at once."""
_CSV = "header = true, auto_detect = false, strict_mode = true, quote = '\"', escape = '\"'"
_WRITTEN = {".csv": ", HEADER", ".tsv": ", HEADER, DELIMITER '\t'", ".json": ", ARRAY"}
"""How files are written, by their endings."""
_POLLED = 0.1
"""Seconds between two looks at how far a query has come."""


class Duck:
    """A DuckDB of one's own, in memory, with a folder for what does not fit there."""

    def __init__(self, memory: str | None = None, temp: str | Path | None = None, disk: str | None = None) -> None:
        """Say how much memory may be used, where the rest goes, and how much of it may go there."""
        try:
            import duckdb
        except ImportError as error:  # pragma: no cover - the development environment has it
            raise MissingExtraError("duckdb", "scoring tables") from error
        self._errors = duckdb.Error
        self.folder = tempfile.TemporaryDirectory(prefix="howsure-bulk-", dir=temp, ignore_cleanup_errors=True)
        self.connection = duckdb.connect(":memory:")
        self.temp = Path(self.folder.name)
        settings = {
            "memory_limit": memory or MEMORY,
            "temp_directory": str(self.temp / "spill"),
            "max_temp_directory_size": disk,
            "preserve_insertion_order": "false",
            "enable_progress_bar": "true",
            "enable_progress_bar_print": "false",
            "TimeZone": "UTC",
        }
        for name, value in settings.items():
            if value is not None:
                with self.telling(field="memory" if name == "memory_limit" else ""):
                    self.connection.execute(f"SET {name} = '{value}'")
        self._attached: dict[str, str] = {}
        self.subject = ("", "")
        """What is being looked at, and its role, as errors tell it."""

    @contextmanager
    def telling(self, what: str = "", field: str = "") -> Iterator[None]:
        """Turn an error of DuckDB into one that says what to do."""
        try:
            yield
        except self._errors as error:
            raise explained(error, what or self.subject[0], field or self.subject[1]) from error

    def run(self, statement: str, told: str = "", progress: Progress = silent) -> list[tuple[Any, ...]]:
        """Run a statement aside, so that its progress can be shown and Ctrl-C ends it; return what it gives."""
        found: list[Any] = []

        def work() -> None:
            try:
                found.append(self.connection.execute(statement).fetchall())
            except BaseException as error:  # noqa: BLE001 - handed over to the thread that waits
                found.append(error)

        aside = threading.Thread(target=work, daemon=True)
        aside.start()
        try:
            while aside.is_alive():
                aside.join(_POLLED)
                done = self.connection.query_progress()  # percent, or -1 before DuckDB can estimate it
                progress(told, *((round(done), 100) if done > 0 else (0, 0)))
        except BaseException:
            self.connection.interrupt()
            aside.join()
            raise
        with self.telling():
            if isinstance(found[0], BaseException):
                raise found[0]
        rows: list[tuple[Any, ...]] = found[0]
        return rows

    def take(self, given: Input) -> dict[str, Family]:
        """Make an input readable under the name `raw_` and its role, and return its columns."""
        name = f"raw_{given.role}"
        with self.telling(given.name, given.role):
            if given.kind == "frame":
                self.connection.register(name, given.frame)
            else:
                self.connection.execute(f"CREATE OR REPLACE TEMP VIEW {name} AS SELECT * FROM {self.place(given)}")
            return self.described(name)

    def described(self, name: str) -> dict[str, Family]:
        """Return the columns of a table or view."""
        return {row[0]: family(row[1]) for row in self.connection.execute(f"DESCRIBE {name}").fetchall()}

    def place(self, given: Input, *, numbered: bool = False) -> str:
        """Write where an input is read from; `numbered`, with the file and row that each row of Parquet comes from."""
        files = "[" + ", ".join(text(file) for file in given.files() or [given.place]) + "]"
        if given.kind == "parquet":
            return f"read_parquet({files}{', filename = true, file_row_number = true' if numbered else ''})"
        if given.kind == "csv":  # cells stay text, so that one that is wrong can be named
            names, separator = head(given)
            types = ", ".join(f"{text(name)}: 'VARCHAR'" for name in names)
            return f"read_csv({files}, {_CSV}, delim = {text(separator)}, columns = {{{types}}})"
        if given.kind == "json":
            return self._json(given, files)
        if given.kind == "duckdb":
            return f"{self._attach(given)}.{name_of(given.table)}"
        if given.kind == "postgres":
            from howsure.bulk.engines.postgres import dumped

            file, columns = dumped(given, self.temp)
            types = ", ".join(f"{text(name)}: '{kind}'" for name, kind in columns.items())
            return f"read_csv({text(str(file))}, {_CSV}, allow_quoted_nulls = false, columns = {{{types}}})"
        self.connection.register(f"arrow_{given.role}", _arrow(given))
        return f"arrow_{given.role}"

    def _json(self, given: Input, files: str) -> str:
        """Write a reader of JSON that takes every known column as text, by default where a line leaves it out."""
        if given.role not in TABLES:
            return f"read_json({files})"
        columns = TABLES[given.role].columns
        seen = {row[0] for row in self.connection.execute(f"DESCRIBE SELECT * FROM read_json({files})").fetchall()}
        if seen & {column.name for column in columns}:
            needed = TIMED.get(given.role)
            columns = tuple(c for c in columns if c.name in seen or not (c.required or c.name == needed))
        elif self.connection.execute(f"SELECT 1 FROM read_json({files}) LIMIT 1").fetchall():
            return f"read_json({files})"  # what is missing is told by what is there
        types = ", ".join(f"{text(column.name)}: 'VARCHAR'" for column in columns)
        filled = ", ".join(
            f"COALESCE({column.name}, '{column.default}') AS {column.name}" for column in columns if column.default
        )
        every = f"* REPLACE ({filled})" if filled else "*"
        return f"(SELECT {every} FROM read_json({files}, columns = {{{types}}}))"

    def _attach(self, given: Input) -> str:
        """Open the database of an input for reading, and return what it is called here."""
        if given.place not in self._attached:
            alias = f"given_{len(self._attached)}"
            self.connection.execute(f"ATTACH {text(given.place)} AS {alias} (READ_ONLY)")
            self._attached[given.place] = alias
        return self._attached[given.place]

    def pour(self, query: str, output: Output, about: dict[str, Any], progress: Progress) -> int:
        """Write what a query gives, whole or not at all, with what made it where the format has room for that."""
        if output.kind == "duckdb":
            return self._into_table(query, output, progress)
        if output.kind == "postgres":
            from howsure.bulk.engines.postgres import loaded

            return loaded(output, self.reader(query))
        with whole(output) as hidden:
            if output.kind == "arrow":
                return _into_arrow(self.reader(query), hidden, about)
            options = f"FORMAT {output.kind}{_WRITTEN.get(ending(Path(output.place)), '')}"
            if output.kind == "parquet":
                options += f", KV_METADATA {{howsure: {text(json.dumps(about))}}}"
            copied = self.run(f"COPY ({query}) TO {text(str(hidden))} ({options})", "writing", progress)
            return int(copied[0][0])

    def reader(self, query: str) -> Any:
        """Return what a query gives, as a reader of Arrow batches."""
        with self.telling():
            return self.connection.sql(query).to_arrow_reader(_BATCH)

    def table(self, query: str, told: str = "scoring", progress: Progress = silent) -> Any:
        """Return what a query gives, as an Arrow table."""
        progress(told, 0, 0)
        with self.telling():
            return self.connection.sql(query).to_arrow_table()

    def _into_table(self, query: str, output: Output, progress: Progress) -> int:
        """Write into a table of a DuckDB file, in one transaction."""
        if output.place in self._attached:
            raise InputError(f"{output.place} is being read", field="out", hint="write to another database file")
        with self.telling(output.name, "out"):
            self.connection.execute(f"ATTACH {text(output.place)} AS bulk_out")
            try:
                tables = "SELECT 1 FROM duckdb_tables() WHERE database_name = 'bulk_out'"
                there = f"{tables} AND table_name = {text(output.table)}"
                if not output.replace and self.connection.execute(there).fetchall():
                    raise output.occupied()
                made = f"CREATE OR REPLACE TABLE bulk_out.{name_of(output.table)} AS {query}"
                return int(self.run(made, "writing", progress)[0][0])
            finally:
                self.connection.execute("DETACH bulk_out")

    def close(self) -> None:
        """Let go of the database and its folder."""
        self.connection.close()
        self.folder.cleanup()


def text(value: str) -> str:
    """Write a text as SQL."""
    return "'" + value.replace("'", "''") + "'"


def name_of(table: str) -> str:
    """Write the name of a table, with that of its schema if it has one."""
    return ".".join('"' + part.replace('"', '""') + '"' for part in table.split("."))


def family(kind: str) -> Family:
    """Return the family of a type of DuckDB.

    >>> family("DECIMAL(18,3)"), family("ENUM('a', 'b')"), family("TIMESTAMP WITH TIME ZONE"), family("BLOB")
    ('number', 'text', 'moment', 'other')
    """
    if kind in _WHOLE or kind in _LARGE:
        return "whole" if kind in _WHOLE else "large"
    if kind in ("VARCHAR", "UUID", '"NULL"') or kind.startswith("ENUM"):
        return "text"  # as a column without any value might be
    if kind.startswith(_NUMBERS) and not kind.endswith("]"):
        return "number"
    return "moment" if kind.startswith(_MOMENTS) and not kind.endswith("]") else "other"


def explained(error: Exception, what: str, field: str) -> HowsureError:
    """Return an error of DuckDB as one of ours: in one line, with what to do."""
    first, *others = str(error).splitlines() or [""]
    problem = first.partition("Error: ")[2] or first
    if problem.startswith("CSV Error on Line"):
        said = [line for line in others if line and not line.startswith(("Original Line", "Possible", " "))]
        problem = f"line {problem.rpartition(' ')[2]}: {said[0] if said else 'cannot be read'}"
    if "max_temp_directory_size" in str(error) or "No space left" in str(error):
        return HowsureError("the disk is full", hint="make room, give another folder (temp), or allow more memory")
    if "Out of Memory" in str(error) or "could not allocate" in str(error):
        return HowsureError("there is not enough memory", hint="allow more (memory), or use another engine")
    return InputError(f"{what}: {problem}" if what else problem, field=field)


def _arrow(given: Input) -> Any:
    from pyarrow import ArrowException, dataset, ipc

    files = given.files()
    try:
        return dataset.dataset(files, format="ipc")
    except (ArrowException, OSError):
        try:
            return ipc.open_stream(files[0]).read_all()
        except (ArrowException, OSError) as error:
            raise InputError(f"{given.name} is no Arrow file: {error}", field=given.role) from error


def _into_arrow(reader: Any, path: Path, about: dict[str, Any]) -> int:
    from pyarrow import ipc

    rows = 0
    schema = reader.schema.with_metadata({"howsure": json.dumps(about)})
    with path.open("wb") as file, ipc.new_file(file, schema) as writer:
        for batch in reader:
            writer.write_batch(batch.replace_schema_metadata(schema.metadata))
            rows += len(batch)
    return rows
