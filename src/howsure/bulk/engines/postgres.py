"""The engine `postgres`: score tables inside PostgreSQL, and copy tables in and out of it."""

import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, ClassVar

from howsure.bulk.columns import Casts, Family
from howsure.bulk.engines.base import WHOLE, Part
from howsure.bulk.engines.duckdb_connection import DuckDbConnection, quote_name
from howsure.bulk.engines.sql import SqlEngine, describe_run
from howsure.bulk.inputs import Input
from howsure.bulk.outputs import Output
from howsure.errors import HowsureError, InputError, MissingExtraError
from howsure.graph.sql import TINIEST, ReadOptions
from howsure.progress import Progress, silent
from howsure.redaction import hide_password
from howsure.sql.dialect import POSTGRES, Dialect

try:
    import psycopg
except ImportError as error:  # pragma: no cover - the development environment has it
    raise MissingExtraError("postgres", "tables in PostgreSQL") from error

_FAMILIES: dict[str, Family] = {
    **dict.fromkeys(("int2", "int4", "int8"), "whole"),
    **dict.fromkeys(("float4", "float8", "numeric"), "number"),
    **dict.fromkeys(("text", "varchar", "bpchar", "uuid"), "text"),
    **dict.fromkeys(("timestamp", "timestamptz", "date"), "moment"),
}
_BATCH = 50_000


class Postgres(SqlEngine):
    """Runs generated SQL in PostgreSQL, on temporary tables of one session."""

    name: ClassVar[str] = "postgres"
    dialect: ClassVar[Dialect] = POSTGRES
    casts: ClassVar[Casts] = Casts(
        text="CAST({0} AS TEXT)",
        whole="CAST({0} AS BIGINT)",
        number="CAST({0} AS DOUBLE PRECISION)",
        read_number="",
        moment="CAST(EXTRACT(EPOCH FROM {0}) AS DOUBLE PRECISION)",
        read_moment="",
        smallest=TINIEST,
    )

    def __init__(self, address: str) -> None:
        """Connect to the database that holds the tables."""
        super().__init__()
        self.address = address
        self.connection = open_connection(address)
        # One snapshot for all queries, so that the rows that were checked are the rows that are scored.
        self.connection.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ

    def register(self, table: Input) -> dict[str, Family]:
        """Make an input readable as `raw_<role>`; return its columns."""
        if table.kind != "postgres" or table.place != self.address:
            raise InputError(
                f"{table.name} is not in the same database as the claims",
                field=table.role,
                hint="copy all tables to one database, or use another engine",
            )
        with translate_errors(table.name, table.role):
            self.create_view(f"raw_{table.role}", f"SELECT * FROM {rows_of(table)}")
            return describe(self.connection, f"raw_{table.role}")

    def fetch(self, query: str) -> list[tuple[Any, ...]]:
        """Run a query and return all rows."""
        with translate_errors():
            return self.connection.execute(_sql(query)).fetchall()

    def create_view(self, name: str, query: str) -> None:
        """Create or replace a temporary view."""
        with translate_errors():
            statement = f"DROP VIEW IF EXISTS pg_temp.{name} CASCADE; CREATE TEMP VIEW {name} AS {query}"
            self.connection.execute(_sql(statement))

    def create_table(self, name: str, query: str, *, shared: bool = False) -> None:  # noqa: ARG002 - for other engines
        """Materialize the result of a query under a name."""
        statement = f"DROP TABLE IF EXISTS pg_temp.{name} CASCADE; CREATE TEMP TABLE {name} AS {query}; ANALYZE {name}"
        with translate_errors():
            self.connection.execute(_sql(statement))

    def score(self, options: ReadOptions, columns: list[str]) -> Any:
        """Return the wanted columns of every claim as an Arrow table."""
        self._prepare_result(options, columns, self.tables.progress)
        return self._reader().read_all()

    def _prepare_result(self, options: ReadOptions, columns: list[str], progress: Progress) -> None:
        self.prepare(options, self.computed(columns), progress)
        self.create_view("bulk_result", self.result(columns))

    def kept_value(self, name: str, family: Family) -> str:
        """Write a column that is copied to the result, as one of the types that Arrow has too."""
        casts = {"whole": self.casts.whole, "number": self.casts.number}
        return casts.get(family, self.casts.text).format(self.dialect.quoted(name))

    def write(
        self, options: ReadOptions, columns: list[str], output: Output, part: Part = WHOLE, progress: Progress = silent
    ) -> int:
        """Write the wanted columns of every claim atomically; return the number of rows.

        A table of the same database is created from the query, so that no data leaves the database.
        """
        if part.of > 1:
            raise InputError("PostgreSQL cannot write partitions", field="partitions", hint="use duckdb or arrays")
        self._prepare_result(options, columns, progress)
        progress("writing", 0, 0)
        if output.kind == "postgres" and output.place == self.address:
            with translate_errors(output.name, "out"):
                rows = _create_table(self.connection, output, "AS SELECT * FROM bulk_result")
                self.connection.commit()
            return rows
        duck = DuckDbConnection()
        try:
            duck.connection.register("bulk_scores", self._reader())
            return duck.write("SELECT * FROM bulk_scores", output, describe_run(options), progress)
        finally:
            duck.close()

    def _reader(self) -> Any:
        """Return the scores as a reader of Arrow batches, which are fetched as they are read."""
        import pyarrow as pa

        kinds = {"whole": pa.int64(), "number": pa.float64()}
        families = describe(self.connection, "bulk_result")
        schema = pa.schema([(name, kinds.get(family, pa.string())) for name, family in families.items()])

        def batches() -> Iterator[Any]:
            with translate_errors(), self.connection.cursor(name=f"b{uuid.uuid4().hex}") as cursor:
                cursor.execute("SELECT * FROM bulk_result")
                while rows := cursor.fetchmany(_BATCH):
                    yield pa.record_batch(list(zip(*rows, strict=True)), schema=schema)

        return pa.RecordBatchReader.from_batches(schema, batches())

    def close(self) -> None:
        """Drop the temporary tables and views, which would lock the tables that they read, and close the session."""
        with suppress(psycopg.Error):  # the server may be gone, and then so are they
            self.connection.rollback()
            self.connection.execute("DISCARD TEMP")
            self.connection.commit()
        self.connection.close()


def _sql(text: str) -> Any:
    return text.encode()  # psycopg takes a query in bytes as it is


def open_connection(address: str) -> "psycopg.Connection[tuple[Any, ...]]":
    """Return a connection.

    Raises:
        HowsureError: if the server cannot be reached. The message never contains a password.
    """
    place = hide_password(address)
    try:
        # Nothing is run often enough to gain by preparing, and behind a pooler prepared statements fail.
        return psycopg.connect(address, connect_timeout=10, prepare_threshold=None)
    except psycopg.OperationalError as error:
        reason = str(error).strip().partition("\n")[0]
        if "password" in address:  # libpq may quote the connection string
            reason = "connection failed"
        raise HowsureError(
            f"cannot reach {place}: {reason}", hint="check the address, and that the server is running"
        ) from None
    except (psycopg.Error, ValueError):
        raise InputError(f"invalid address {place}", field="claims") from None


@contextmanager
def translate_errors(table: str = "", field: str = "") -> Iterator[None]:
    """Raise PostgreSQL's errors as HowsureErrors that name the table."""
    try:
        yield
    except psycopg.Error as error:
        problem = str(error).strip().partition("\n")[0]
        if isinstance(error, psycopg.errors.DiskFull):
            raise HowsureError(
                f"PostgreSQL's disk is full: {problem}", hint="free some space, or use another engine"
            ) from error
        raise InputError(f"{table}: {problem}" if table else f"PostgreSQL: {problem}", field=field) from error


def rows_of(table: Input) -> str:
    """Write the table or the query that an input stands for."""
    return f"({table.query}) AS t" if table.query else quote_name(table.table)


def describe(connection: Any, name: str) -> dict[str, Family]:
    """Return the columns of a table or view."""
    cursor = connection.execute(_sql(f"SELECT * FROM {name} LIMIT 0"))
    families: dict[str, Family] = {}
    for column in cursor.description:
        known = connection.adapters.types.get(column.type_code)
        families[column.name] = _FAMILIES.get(known.name if known else "", "other")
    return families


def copy_to_csv(table: Input, folder: Path) -> tuple[Path, dict[str, str]]:
    """Copy a table to a CSV file for DuckDB; return the file, and the DuckDB type of each column."""
    types = {"whole": "BIGINT", "number": "DOUBLE"}
    with translate_errors(table.name, table.role), open_connection(table.place) as connection:
        families = describe(connection, rows_of(table))
        file = folder / f"{table.role}.csv"
        query = _sql(f"COPY (SELECT * FROM {rows_of(table)}) TO STDOUT (FORMAT csv, HEADER)")
        with file.open("wb") as out, connection.cursor().copy(query) as copy:
            for piece in copy:
                out.write(piece)
    return file, {name: types.get(family, "VARCHAR") for name, family in families.items()}


def write_table(output: Output, reader: Any) -> int:
    """Write Arrow batches to a table, in one transaction; return the number of rows."""
    types = {"int64": "BIGINT", "int32": "BIGINT", "double": "DOUBLE PRECISION", "null": "DOUBLE PRECISION"}
    columns = ", ".join(f"{quote_name(field.name)} {types.get(str(field.type), 'TEXT')}" for field in reader.schema)
    rows = 0
    with translate_errors(output.name, "out"), open_connection(output.place) as connection:
        _create_table(connection, output, f"({columns})")
        with connection.cursor().copy(_sql(f"COPY {quote_name(output.table)} FROM STDIN")) as copy:
            for batch in reader:
                for row in zip(*(column.to_pylist() for column in batch.columns), strict=True):
                    copy.write_row(row)
                rows += len(batch)
    return rows


def _create_table(connection: Any, output: Output, definition: str) -> int:
    """Create a table, replacing an existing one if that is allowed; return the number of rows."""
    if connection.execute("SELECT to_regclass(%s)", [quote_name(output.table)]).fetchone()[0] is not None:
        if not output.replace:
            raise output.already_exists()
        connection.execute(_sql(f"DROP TABLE {quote_name(output.table)}"))
    return int(connection.execute(_sql(f"CREATE TABLE {quote_name(output.table)} {definition}")).rowcount)
