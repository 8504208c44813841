"""A DuckDB connection that reads tables of every kind, and writes results atomically."""

import json
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from howsure.bulk.columns import Family
from howsure.bulk.inputs import Input, csv_header, file_type
from howsure.bulk.outputs import Output, write_atomically
from howsure.bulk.tables import SCHEMAS, TIMED
from howsure.errors import HowsureError, InputError, MissingExtraError
from howsure.progress import Progress, silent

MEMORY = "3GB"
"""Default memory limit; DuckDB spills to disk beyond it."""
_WHOLE = ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER")
_LARGE = ("UBIGINT", "HUGEINT", "UHUGEINT")
_MOMENTS = ("DATE", "TIMESTAMP")
_NUMBERS = ("FLOAT", "DOUBLE", "DECIMAL")
_BATCH = 1 << 20
"""Rows per Arrow batch."""
# Explicit, because DuckDB skips lines that do not match a format that it has detected itself.
_CSV = "header = true, auto_detect = false, strict_mode = true, quote = '\"', escape = '\"'"
_WRITE_OPTIONS = {".csv": ", HEADER", ".tsv": ", HEADER, DELIMITER '\t'", ".json": ", ARRAY"}
"""Options of COPY by file type."""
_ISOLATED: dict[str, str | bool | int | float | list[str]] = {
    "enable_external_access": "false",
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
    "lock_configuration": "true",
    "memory_limit": MEMORY,
}
"""Configuration of a database that can reach nothing outside its file."""
_ARROW_FILE = b"ARROW1"
"""How an Arrow file begins; others are streams."""
_POLL_SECONDS = 0.1
"""Seconds between two progress reports."""
_LIMITS = {"memory_limit": "memory", "max_temp_directory_size": "disk"}
"""Settings of DuckDB, and the options that give them."""


def arrow_reader(relation: Any, rows: int) -> Any:
    """Return a reader of the Arrow batches of a relation."""
    read = getattr(relation, "to_arrow_reader", None)  # since DuckDB 1.5
    return relation.fetch_arrow_reader(rows) if read is None else read(rows)


class DuckDbConnection:
    """An in-memory DuckDB with a temporary folder to spill to."""

    def __init__(self, memory: str | None = None, temp: str | Path | None = None, disk: str | None = None) -> None:
        """Take the memory limit, the folder to spill to, and how much may be spilled."""
        try:
            import duckdb
        except ImportError as error:  # pragma: no cover - the development environment has it
            raise MissingExtraError("duckdb", "scoring tables") from error
        self._errors = duckdb.Error
        self.subject: tuple[str, str] = ("", "")
        """Name and role of the table that is being checked, for error messages."""
        self.folder: tempfile.TemporaryDirectory[str] = temporary_folder(temp)
        self.connection: Any = duckdb.connect(":memory:")
        self.temp: Path = Path(self.folder.name)
        settings = {
            "memory_limit": memory or MEMORY,
            "temp_directory": str(self.temp / "spill"),
            "max_temp_directory_size": disk,
            "preserve_insertion_order": "false",
            "enable_progress_bar": "true",
            "enable_progress_bar_print": "false",
            "TimeZone": "UTC",
        }
        try:
            for name, value in settings.items():
                if value is not None:
                    with self.translate_errors(field=_LIMITS.get(name, "")):
                        self.connection.execute(f"SET {name} = {quote_text(value)}")
        except HowsureError:
            self.close()
            raise
        self._attached: dict[str, str] = {}
        self.unread: dict[str, list[str]] = {}
        """Columns of JSON files that are not read, by role."""

    @contextmanager
    def translate_errors(self, table: str = "", field: str = "") -> Iterator[None]:
        """Raise DuckDB's errors as HowsureErrors that name the table and say what to do."""
        try:
            yield
        except self._errors as error:
            raise translate_error(error, table or self.subject[0], field or self.subject[1]) from error

    def run(self, statement: str, stage: str = "", progress: Progress = silent) -> list[tuple[Any, ...]]:
        """Run a statement and return its rows.

        It runs in a thread of its own, so that this one can report progress and interrupt it on Ctrl-C.
        """
        results: list[Any] = []
        # Not `join`: until Python 3.12, a Ctrl-C while joining takes a running thread for a finished one.
        finished = threading.Event()

        def work() -> None:
            try:
                results.append(self.connection.execute(statement).fetchall())
            except BaseException as error:  # noqa: BLE001 - re-raised by the waiting thread
                results.append(error)
            finished.set()

        threading.Thread(target=work, daemon=True).start()
        try:
            running = True
            while running:
                running = not finished.wait(_POLL_SECONDS)
                done = self.connection.query_progress()  # percent, or -1 before DuckDB can estimate it
                progress(stage, *((round(done), 100) if done > 0 else (0, 0)))
        except BaseException:
            while True:  # an interrupt is lost if the statement has not begun
                self.connection.interrupt()
                if finished.wait(_POLL_SECONDS):
                    raise
        with self.translate_errors():
            if isinstance(results[0], BaseException):
                raise results[0]
        rows: list[tuple[Any, ...]] = results[0]
        return rows

    def register(self, table: Input) -> dict[str, Family]:
        """Make an input readable as `raw_<role>`; return its columns."""
        name = f"raw_{table.role}"
        with self.translate_errors(table.name, table.role):
            if table.kind == "frame":
                self.connection.register(name, table.frame)
            else:
                self.connection.execute(f"CREATE OR REPLACE TEMP VIEW {name} AS SELECT * FROM {self.reader_of(table)}")
            unread: dict[str, Family] = dict.fromkeys(self.unread.get(table.role, ()), "other")
            return unread | self.describe(name)

    def describe(self, name: str) -> dict[str, Family]:
        """Return the columns of a table or view."""
        return {row[0]: type_family(row[1]) for row in self.connection.execute(f"DESCRIBE {name}").fetchall()}

    def reader_of(self, table: Input, *, numbered: bool = False) -> str:
        """Write the table function that reads an input; with `numbered`, Parquet rows have file and row number."""
        files = "[" + ", ".join(quote_text(file) for file in table.files() or [table.place]) + "]"
        if table.kind == "parquet":
            return f"read_parquet({files}{', filename = true, file_row_number = true' if numbered else ''})"
        if table.kind == "csv":  # cells are read as text, so that an error can name a wrong one
            names, separator = csv_header(table)
            types = ", ".join(f"{quote_text(name)}: 'VARCHAR'" for name in names)
            return f"read_csv({files}, {_CSV}, delim = {quote_text(separator)}, columns = {{{types}}})"
        if table.kind == "json":
            return self._json(table, files)
        if table.kind == "duckdb":
            return self._read_view(table) or f"{self._attach(table)}.{quote_name(table.table)}"
        if table.kind == "postgres":
            from howsure.bulk.engines.postgres import copy_to_csv

            file, columns = copy_to_csv(table, self.temp)
            types = ", ".join(f"{quote_text(name)}: '{kind}'" for name, kind in columns.items())
            return f"read_csv({quote_text(str(file))}, {_CSV}, allow_quoted_nulls = false, columns = {{{types}}})"
        self.connection.register(f"arrow_{table.role}", _open_arrow(table))
        return f"arrow_{table.role}"

    def _json(self, table: Input, files: str) -> str:
        """Write a reader of JSON that reads the columns of the schema as text, and fills in defaults."""
        if table.role not in SCHEMAS:
            return f"read_json({files})"
        columns = SCHEMAS[table.role].columns
        # The type of a column that is copied must fit every row; of the others only the names matter.
        sample = ", sample_size = -1" if table.keep else ""
        described = self.connection.execute(f"DESCRIBE SELECT * FROM read_json({files}{sample})").fetchall()
        seen = {row[0]: row[1] for row in described}
        self.unread[table.role] = list(seen)
        if seen.keys() & {column.name for column in columns}:
            needed = TIMED.get(table.role)
            columns = tuple(c for c in columns if c.name in seen or not (c.required or c.name == needed))
        elif self.connection.execute(f"SELECT 1 FROM read_json({files}) LIMIT 1").fetchall():
            return f"read_json({files})"  # the check of columns says what is missing
        read = {name: seen[name] for name in table.keep if name in seen}
        read |= {name: "VARCHAR" for name in table.extra if name in seen}
        read |= {column.name: "VARCHAR" for column in columns}
        types = ", ".join(f"{quote_text(name)}: {quote_text(kind)}" for name, kind in read.items())
        filled = ", ".join(
            f"COALESCE({column.name}, '{column.default}') AS {column.name}" for column in columns if column.default
        )
        every = f"* REPLACE ({filled})" if filled else "*"
        return f"(SELECT {every} FROM read_json({files}, columns = {{{types}}}))"

    def _attach(self, table: Input) -> str:
        """Attach the database file of an input for reading; return its alias."""
        if table.place not in self._attached:
            alias = f"input_{len(self._attached)}"
            self.connection.execute(f"ATTACH {quote_text(table.place)} AS {alias} (READ_ONLY)")
            self._attached[table.place] = alias
        return self._attached[table.place]

    def _read_view(self, table: Input) -> str:
        """Copy the rows of a view, and return the name of the copy; empty if it is a table.

        A view of somebody else's file may read any file of this machine (`read_text`), or the network. So it runs in
        a database of its own in which nothing outside it can be reached.
        """
        alias = self._attach(table)
        if not self.connection.execute(_find_named("duckdb_views()", "view_name", alias, table.table)).fetchall():
            return ""
        import duckdb

        copy = f"view_{table.role}"
        self.connection.execute(f"DETACH {alias}")
        del self._attached[table.place]
        alone = duckdb.connect(table.place, read_only=True, config=_ISOLATED)
        try:
            rows = arrow_reader(alone.sql(f"SELECT * FROM {quote_name(table.table)}"), _BATCH)
            self.connection.register(f"arrow_{copy}", rows)
            self.connection.execute(f"CREATE OR REPLACE TEMP TABLE {copy} AS SELECT * FROM arrow_{copy}")
            self.connection.unregister(f"arrow_{copy}")
        finally:
            alone.close()
        return copy

    def write(self, query: str, output: Output, about: dict[str, Any], progress: Progress) -> int:
        """Write the result of a query atomically; return the number of rows.

        Parquet and Arrow files carry `about` as metadata under the key `howsure`.
        """
        if output.kind == "duckdb":
            return self._write_table(query, output, progress)
        if output.kind == "postgres":
            from howsure.bulk.engines.postgres import write_table

            return write_table(output, self.reader(query))
        with write_atomically(output) as part:
            if output.kind == "arrow":
                with self.translate_errors():
                    return _write_arrow(self.reader(query), part, about)
            options = f"FORMAT {output.kind}{_WRITE_OPTIONS.get(file_type(Path(output.place)), '')}"
            if output.kind == "parquet":
                options += f", KV_METADATA {{howsure: {quote_text(json.dumps(about))}}}"
            copied = self.run(f"COPY ({query}) TO {quote_text(str(part))} ({options})", "writing", progress)
            return int(copied[0][0])

    def reader(self, query: str, rows: int = _BATCH) -> Any:
        """Return the result of a query as a reader of Arrow batches."""
        with self.translate_errors():
            return arrow_reader(self.connection.sql(query), rows)

    def batches(self, query: str, rows: int = _BATCH) -> Iterator[Any]:
        """Yield the result of a query as Arrow batches; a file may turn out to be damaged with any of them."""
        reader = self.reader(query, rows)
        while True:
            try:
                with self.translate_errors():
                    batch = reader.read_next_batch()
            except StopIteration:
                return
            except OSError as error:  # as which Arrow passes on an error of DuckDB
                raise translate_error(error, *self.subject) from error
            yield batch

    def table(self, query: str) -> Any:
        """Return the result of a query as an Arrow table."""
        with self.translate_errors():
            return self.connection.sql(query).to_arrow_table()

    def _write_table(self, query: str, output: Output, progress: Progress) -> int:
        """Write to a table of a DuckDB file, in one transaction."""
        if output.place in self._attached:
            raise InputError(f"{output.place} is also an input", field="out", hint="write to another database file")
        with self.translate_errors(output.name, "out"):
            self.connection.execute(f"ATTACH {quote_text(output.place)} AS bulk_out")
            try:
                existing = _find_named("duckdb_tables()", "table_name", "bulk_out", output.table)
                if not output.replace and self.connection.execute(existing).fetchall():
                    raise output.already_exists()
                statement = f"CREATE OR REPLACE TABLE bulk_out.{quote_name(output.table)} AS {query}"
                return int(self.run(statement, "writing", progress)[0][0])
            finally:
                self.connection.execute("DETACH bulk_out")

    def close(self) -> None:
        """Close the database and delete its temporary folder."""
        self.connection.close()
        self.folder.cleanup()


def temporary_folder(temp: str | Path | None) -> "tempfile.TemporaryDirectory[str]":
    """Return a new folder for intermediate results, in a given one or in that of the system.

    Raises:
        InputError: if it cannot be created.
    """
    try:
        return tempfile.TemporaryDirectory(prefix="howsure-bulk-", dir=temp, ignore_cleanup_errors=True)
    except OSError as error:
        problem = f"cannot create a folder in {temp or 'the folder for temporary files'}: {error.strerror}"
        raise InputError(problem, field="temp", hint="pass a folder that exists and is writable") from error


def _find_named(kind: str, column: str, database: str, name: str) -> str:
    """Write the query that has a row if a database has a table or view of a name, which may include its schema."""
    schema, _, own = name.rpartition(".")
    return (
        f"SELECT 1 FROM {kind} WHERE database_name = '{database}' AND NOT internal "
        f"AND lower(schema_name) = lower({quote_text(schema or 'main')}) AND lower({column}) = lower({quote_text(own)})"
    )


def quote_text(value: str) -> str:
    """Write a string literal."""
    return "'" + value.replace("'", "''") + "'"


def quote_name(table: str) -> str:
    """Write the name of a table, which may include its schema."""
    return ".".join('"' + part.replace('"', '""') + '"' for part in table.split("."))


def type_family(kind: str) -> Family:
    """Return the family of a DuckDB type.

    >>> type_family("DECIMAL(18,3)"), type_family("ENUM('a', 'b')"), type_family("TIMESTAMP"), type_family("BLOB")
    ('number', 'text', 'moment', 'other')
    """
    if kind in _WHOLE or kind in _LARGE:
        return "whole" if kind in _WHOLE else "large"
    if kind in ("VARCHAR", "UUID", '"NULL"') or kind.startswith("ENUM"):
        return "text"  # a column of NULLs may be of any type
    if kind.startswith(_NUMBERS) and not kind.endswith("]"):
        return "number"
    return "moment" if kind.startswith(_MOMENTS) and not kind.endswith("]") else "other"


def translate_error(error: Exception, table: str, field: str) -> HowsureError:
    """Return DuckDB's error as a HowsureError of one line that names the table and says what to do."""
    first, *others = str(error).splitlines() or [""]
    problem = first.partition("Error: ")[2] or first
    if problem.startswith("CSV Error on Line"):
        reasons = [line for line in others if line and not line.startswith(("Original Line", "Possible", " "))]
        problem = f"line {problem.rpartition(' ')[2]}: {reasons[0] if reasons else 'cannot be read'}"
    if "max_temp_directory_size" in str(error) or "No space left" in str(error):
        return HowsureError(
            "the disk is full", hint="free some space, pass another folder as temp, or allow more memory"
        )
    if "Out of Memory" in str(error) or "could not allocate" in str(error):
        return HowsureError("not enough memory", hint="allow more (memory), or use another engine")
    return InputError(f"{table}: {problem}" if table else problem, field=field)


def _open_arrow(table: Input) -> Any:
    """Return the dataset of Arrow files, or the table of an Arrow stream.

    Every batch is validated first, one at a time: DuckDB believes offsets and lengths; a wrong one ends the process.
    """
    from pyarrow import ArrowException, dataset, ipc

    files = table.files()
    try:
        with Path(files[0]).open("rb") as opened:
            is_stream = opened.read(len(_ARROW_FILE)) != _ARROW_FILE
        if is_stream:
            stream = ipc.open_stream(files[0]).read_all()
            stream.validate(full=True)
            return stream
        for file in files:
            with ipc.open_file(file) as batches:
                for number in range(batches.num_record_batches):
                    batches.get_batch(number).validate(full=True)
        return dataset.dataset(files, format="ipc")
    except (ArrowException, OSError, ValueError) as error:
        problem = str(error).partition("\n")[0]
        raise InputError(f"{table.name} is not a valid Arrow file: {problem}", field=table.role) from error


def _write_arrow(reader: Any, path: Path, about: dict[str, Any]) -> int:
    from pyarrow import ipc

    rows = 0
    schema = reader.schema.with_metadata({"howsure": json.dumps(about)})
    with path.open("wb") as file, ipc.new_file(file, schema) as writer:
        for batch in reader:
            writer.write_batch(batch.replace_schema_metadata(schema.metadata))
            rows += len(batch)
    return rows
