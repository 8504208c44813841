"""The store in PostgreSQL."""

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, ClassVar
from urllib.parse import urlsplit

from howsure.errors import ConflictError, MissingExtraError, StoreError
from howsure.sql.dialect import POSTGRES, Dialect
from howsure.store.database import Database, Parameters, Row, Transaction, postgres_sql

try:
    import psycopg
except ImportError as error:  # pragma: no cover - the development environment has it
    raise MissingExtraError("postgres", "a store in PostgreSQL") from error


LOCK = 4048081
"""Held by every writer, shared or alone."""


class PostgresTransaction(Transaction):
    """A transaction on one PostgreSQL connection."""

    dialect = POSTGRES

    def __init__(self, connection: "psycopg.Connection[Row]") -> None:
        """Take the connection, on which the transaction has begun."""
        self.connection = connection

    def rows(self, sql: str, parameters: Parameters = ()) -> list[Row]:
        """Run a statement and return what it gives."""
        cursor = self._execute(sql, parameters)
        return cursor.fetchall() if cursor.description else []

    def stream(self, sql: str, parameters: Parameters = ()) -> Iterator[Row]:
        """Run a query and give its rows one by one."""
        with self.connection.cursor(name="howsure_stream") as cursor:
            cursor.itersize = 2000
            cursor.execute(postgres_sql(sql), _given(parameters))
            yield from cursor

    def run(self, sql: str, parameters: Parameters = ()) -> int:
        """Run a statement and return how many rows it changed."""
        return self._execute(sql, parameters).rowcount

    def many(self, sql: str, parameters: Sequence[Parameters]) -> None:
        """Run a statement once for each set of parameters."""
        if parameters:
            self.connection.cursor().executemany(postgres_sql(sql), parameters)

    def load(self, table: str, columns: str, rows: Sequence[Sequence[Any]]) -> None:
        """Insert many rows: by COPY where there are enough to make up for starting it."""
        if len(rows) < 10:  # noqa: PLR2004
            super().load(table, columns, rows)
            return
        with self.connection.cursor().copy(f"COPY {table} ({columns}) FROM STDIN") as copy:
            for row in rows:
                copy.write_row(row)

    def narrow(self) -> None:
        """Forbid joins that read whole tables, for the rest of the transaction."""
        self.connection.execute("SET LOCAL enable_hashjoin = off; SET LOCAL enable_mergejoin = off")

    def lock(self, key: int) -> None:
        """Keep other writers from a claim until the transaction ends."""
        self._execute("SELECT 1 FROM claims WHERE key = ? FOR UPDATE", [key])

    @contextmanager
    def savepoint(self) -> Iterator[None]:
        """Do a part of the work as a whole or not at all."""
        try:
            with self.connection.transaction():
                yield
        except psycopg.errors.UniqueViolation as error:
            raise ConflictError("another process has just written the same", hint="try again") from error

    def _execute(self, sql: str, parameters: Parameters) -> "psycopg.Cursor[Row]":
        return self.connection.execute(postgres_sql(sql), _given(parameters))


def _given(parameters: Parameters) -> Any:
    return parameters or None


class PostgresDatabase(Database):
    """A PostgreSQL database. Each thread has a connection of its own; a lost one is opened anew."""

    dialect: ClassVar[Dialect] = POSTGRES

    def __init__(self, address: str) -> None:
        """Connect once, so that a wrong address is told at once."""
        self.address = hidden(address)
        self._url = address
        self._local = threading.local()
        self._all: list[psycopg.Connection[Row]] = []
        self._lock = threading.Lock()
        self._connection()

    def _connection(self) -> "psycopg.Connection[Row]":
        found: psycopg.Connection[Row] | None = getattr(self._local, "connection", None)
        if found is None or found.closed or found.broken:
            try:
                found = psycopg.connect(self._url, autocommit=True, connect_timeout=10)
            except psycopg.OperationalError as error:
                problem = f"cannot reach the store {self.address}: {str(error).splitlines()[-1]}"
                raise StoreError(problem, hint="is the server running, and is the address right?") from error
            self._local.connection = found
            with self._lock:
                self._all = [connection for connection in self._all if not connection.closed] + [found]
        return found

    def _alive(self) -> "psycopg.Connection[Row]":
        """Return a connection that answers; one that was lost while idle is opened anew."""
        connection = self._connection()
        try:
            connection.execute("SELECT 1")
        except psycopg.OperationalError:
            connection.close()
            connection = self._connection()
        return connection

    @contextmanager
    def reading(self) -> Iterator[Transaction]:
        """Open a transaction that sees one state of the store."""
        connection = self._connection()
        if connection.info.transaction_status != psycopg.pq.TransactionStatus.IDLE:
            yield PostgresTransaction(connection)
            return
        with self._begun("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY") as transaction:
            yield transaction

    @contextmanager
    def writing(self, *, alone: bool = False) -> Iterator[Transaction]:
        """Open a transaction that is durable once it ends without an error."""
        with self._begun("BEGIN") as transaction:
            transaction.rows(f"SELECT pg_advisory_xact_lock{'' if alone else '_shared'}({LOCK})")
            yield transaction

    @contextmanager
    def _begun(self, begin: str) -> Iterator[Transaction]:
        connection = self._alive()
        try:
            connection.execute(begin)
            yield PostgresTransaction(connection)
            connection.execute("COMMIT")
        except psycopg.OperationalError as error:
            connection.close()
            raise StoreError(
                f"the store {self.address} failed: {str(error).splitlines()[0]}", hint="try again"
            ) from error
        except BaseException:
            if not connection.closed:
                connection.execute("ROLLBACK")
            raise

    def settle(self) -> None:
        """Let PostgreSQL overwrite what was deleted."""
        self._alive().execute("VACUUM claims, sources, relations, events")

    def close(self) -> None:
        """Close the connections of every thread."""
        with self._lock:
            for connection in self._all:
                connection.close()
            self._all.clear()
        self._local = threading.local()


def hidden(address: str) -> str:
    """Return an address without its password.

    >>> hidden("postgresql://ann:secret@db:5432/claims")
    'postgresql://db:5432/claims'
    """
    parts = urlsplit(address)
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"
