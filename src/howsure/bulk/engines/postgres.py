"""The engine `postgres`: tables scored where they are, inside PostgreSQL; and what moves tables in and out of it."""

import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, ClassVar

from howsure.bulk.columns import Family
from howsure.bulk.engines.base import WHOLE, Part, Reading
from howsure.bulk.engines.duckdb_connection import Duck, name_of
from howsure.bulk.engines.sql import Relational
from howsure.bulk.inputs import Input
from howsure.bulk.outputs import Output
from howsure.bulk.plan import about
from howsure.errors import HowsureError, InputError, MissingExtraError
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


class Postgres(Relational):
    """Generated SQL inside PostgreSQL, on temporary tables of one session."""

    name: ClassVar[str] = "postgres"
    dialect: ClassVar[Dialect] = POSTGRES

    def __init__(self, address: str) -> None:
        """Connect to the database that holds the tables."""
        super().__init__()
        self.address = address
        self.connection = connected(address)
        self.connection.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ  # what is checked is what is scored

    def take(self, given: Input) -> dict[str, Family]:
        """Make a table readable under the name `raw_` and its role, and return its columns."""
        if given.kind != "postgres" or given.place != self.address:
            raise InputError(
                f"{given.name} is not in the database of the claims",
                field=given.role,
                hint="put all tables into one database, or use another engine",
            )
        with told(given.name, given.role):
            self.view(f"raw_{given.role}", f"SELECT * FROM {name_of(given.table)}")
            return described(self.connection, f"raw_{given.role}")

    def rows(self, query: str) -> list[tuple[Any, ...]]:
        """Run a query and return all that it gives."""
        with told():
            return self.connection.execute(_sql(query)).fetchall()

    def view(self, name: str, query: str) -> None:
        """Give a query a name."""
        with told():
            made = f"DROP VIEW IF EXISTS pg_temp.{name} CASCADE; CREATE TEMP VIEW {name} AS {query}"
            self.connection.execute(_sql(made))

    def keep(self, name: str, query: str, *, shared: bool = False) -> None:  # noqa: ARG002 - all is kept
        """Give a query a name, and keep what it gives."""
        made = f"DROP TABLE IF EXISTS pg_temp.{name} CASCADE; CREATE TEMP TABLE {name} AS {query}; ANALYZE {name}"
        with told():
            self.connection.execute(_sql(made))

    def score(self, reading: Reading, columns: list[str]) -> Any:
        """Return the chosen columns of every claim as an Arrow table."""
        self.prepare(reading, columns, self.taken.progress)
        return self._reader().read_all()

    def write(
        self, reading: Reading, columns: list[str], output: Output, part: Part = WHOLE, progress: Progress = silent
    ) -> int:
        """Write the chosen columns of every claim; return how many rows. Within the database, nothing leaves it."""
        _whole_only(part)
        self.prepare(reading, columns, progress)
        progress("writing", 0, 0)
        if output.kind == "postgres" and output.place == self.address:
            with told(output.name, "out"):
                rows = _replaced(self.connection, output, "AS SELECT * FROM bulk_scored")
                self.connection.commit()
            return rows
        duck = Duck()
        try:
            duck.connection.register("bulk_scores", self._reader())
            return duck.pour("SELECT * FROM bulk_scores", output, about(reading), progress)
        finally:
            duck.close()

    def _reader(self) -> Any:
        """Return the scores as a reader of Arrow batches, fetched as they are read."""
        import pyarrow as pa

        kinds = {"whole": pa.int64(), "number": pa.float64()}
        found = described(self.connection, "bulk_scored")
        schema = pa.schema([(name, kinds.get(family, pa.string())) for name, family in found.items()])

        def batches() -> Iterator[Any]:
            with told(), self.connection.cursor(name=f"b{uuid.uuid4().hex}") as cursor:
                cursor.execute("SELECT * FROM bulk_scored")
                while rows := cursor.fetchmany(_BATCH):
                    yield pa.record_batch(list(zip(*rows, strict=True)), schema=schema)

        return pa.RecordBatchReader.from_batches(schema, batches())

    def close(self) -> None:
        """Let go of the session, when its temporary tables and views, which hold on to those they read, are gone."""
        with suppress(psycopg.Error):  # the server may be gone, and they with it
            self.connection.rollback()
            self.connection.execute("DISCARD TEMP")
            self.connection.commit()
        self.connection.close()


def _whole_only(part: Part) -> None:
    if part.of > 1:
        raise InputError("only the engines duckdb and arrays write in parts", field="partitions", hint="leave it out")


def _sql(text: str) -> Any:
    return text.encode()  # psycopg takes a query in bytes as it is


def connected(address: str) -> "psycopg.Connection[tuple[Any, ...]]":
    """Return a connection, or say that there is none, without what might be a password."""
    shown_address = hide_password(address)
    try:
        return psycopg.connect(address, connect_timeout=10)
    except psycopg.OperationalError as error:
        reason = str(error).strip().partition("\n")[0]
        if "password" in address:
            reason = "it cannot be reached"
        problem = f"cannot reach {shown_address}: {reason}"
        raise HowsureError(problem, hint="is the server running, and is the address right?") from None
    except (psycopg.Error, ValueError):
        raise InputError(f"cannot read the address {shown_address}", field="claims") from None


@contextmanager
def told(what: str = "", field: str = "") -> Iterator[None]:
    """Turn an error of PostgreSQL into one of ours."""
    try:
        yield
    except psycopg.Error as error:
        problem = str(error).strip().partition("\n")[0]
        if isinstance(error, psycopg.errors.DiskFull):
            raise HowsureError(
                f"PostgreSQL's disk is full: {problem}", hint="make room, or use another engine"
            ) from error
        raise InputError(f"{what}: {problem}" if what else f"PostgreSQL: {problem}", field=field) from error


def described(connection: Any, name: str) -> dict[str, Family]:
    """Return the columns of a table or view."""
    cursor = connection.execute(_sql(f"SELECT * FROM {name} LIMIT 0"))
    found: dict[str, Family] = {}
    for column in cursor.description:
        known = connection.adapters.types.get(column.type_code)
        found[column.name] = _FAMILIES.get(known.name if known else "", "other")
    return found


def dumped(given: Input, folder: Path) -> tuple[Path, dict[str, str]]:
    """Write a table into a file from which DuckDB reads it; return the file, and its columns with their types."""
    types = {"whole": "BIGINT", "number": "DOUBLE"}
    with told(given.name, given.role), connected(given.place) as connection:
        found = described(connection, name_of(given.table))
        file = folder / f"{given.role}.csv"
        query = _sql(f"COPY (SELECT * FROM {name_of(given.table)}) TO STDOUT (FORMAT csv, HEADER)")
        with file.open("wb") as out, connection.cursor().copy(query) as copy:
            for piece in copy:
                out.write(piece)
    return file, {name: types.get(family, "VARCHAR") for name, family in found.items()}


def loaded(output: Output, reader: Any) -> int:
    """Write Arrow batches into a table, in one transaction."""
    types = {"int64": "BIGINT", "int32": "BIGINT", "double": "DOUBLE PRECISION", "null": "DOUBLE PRECISION"}
    columns = ", ".join(f"{name_of(field.name)} {types.get(str(field.type), 'TEXT')}" for field in reader.schema)
    rows = 0
    with told(output.name, "out"), connected(output.place) as connection:
        _replaced(connection, output, f"({columns})")
        with connection.cursor().copy(_sql(f"COPY {name_of(output.table)} FROM STDIN")) as copy:
            for batch in reader:
                for row in zip(*(column.to_pylist() for column in batch.columns), strict=True):
                    copy.write_row(row)
                rows += len(batch)
    return rows


def _replaced(connection: Any, output: Output, made: str) -> int:
    """Make a table, in the place of one that is there if that is allowed; the transaction makes it appear at once."""
    if connection.execute("SELECT to_regclass(%s)", [name_of(output.table)]).fetchone()[0] is not None:
        if not output.replace:
            raise output.occupied()
        connection.execute(_sql(f"DROP TABLE {name_of(output.table)}"))
    return int(connection.execute(_sql(f"CREATE TABLE {name_of(output.table)} {made}")).rowcount)
