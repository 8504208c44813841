"""A store in PostgreSQL."""

import re
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, ClassVar, LiteralString

from howsure.errors import MissingExtraError, StoreError
from howsure.redaction import hide_password
from howsure.sql.dialect import POSTGRES, Dialect
from howsure.store.backends.database import (
    Database,
    Parameters,
    Row,
    ThreadConnections,
    Transaction,
    count_commit,
    log_info,
    postgres_sql,
    read_only_error,
)
from howsure.store.backends.deadline import DEADLINE, seconds_left

try:
    import psycopg
except ImportError as error:  # pragma: no cover - the development environment has it
    raise MissingExtraError("postgres", "a store in PostgreSQL") from error


WRITE_TIMEOUT = 30.0
"""Seconds to wait for another process that is writing."""
LOCK = 4048081
"""Key of the advisory lock that writers take, together with the name of the schema."""


_DURABLE = (
    "set_config('synchronous_commit', CASE WHEN current_setting('synchronous_commit') = 'off' THEN 'on' "
    "ELSE current_setting('synchronous_commit') END, true)"
)
"""Makes a commit wait for the disk, even if the server is configured with synchronous_commit = off."""


_PLAN_ONCE: LiteralString = "SET LOCAL plan_cache_mode = force_generic_plan"
"""Planning takes longer than reading a claim, and PostgreSQL would plan its query ten times. Connections begin with
this setting, since a query outside of a transaction cannot have its own."""
_PLAN_AS_CONFIGURED: LiteralString = "SET LOCAL plan_cache_mode = DEFAULT"


class PostgresTransaction(Transaction):
    """A transaction on one PostgreSQL connection."""

    dialect = POSTGRES

    def __init__(self, connection: "psycopg.Connection[Row]", *, prepare: bool | None = None) -> None:
        """Use a connection on which a transaction has begun. With `prepare`, prepare statements at their first run."""
        self.connection = connection
        self._prepare = prepare

    def rows(self, sql: str, parameters: Parameters = ()) -> list[Row]:
        """Run a statement and return its rows."""
        cursor = self._execute(sql, parameters)
        return cursor.fetchall() if cursor.description else []

    def batch(self, sql: str, parameters: Sequence[Parameters]) -> list[list[Row]]:
        """Run a query once for each set of parameters and return the rows of each, in one round trip."""
        with self.connection.pipeline():
            cursors = [self._execute(sql, one) for one in parameters]
        return [cursor.fetchall() for cursor in cursors]

    def stream(self, sql: str, parameters: Parameters = ()) -> Iterator[Row]:
        """Run a query and yield its rows one by one."""
        with self.connection.cursor(name="howsure_stream") as cursor:
            cursor.itersize = 2000
            cursor.execute(postgres_sql(sql), _bound(parameters))
            yield from cursor

    def run(self, sql: str, parameters: Parameters = ()) -> int:
        """Run a statement and return the number of changed rows."""
        return self._execute(sql, parameters).rowcount

    def insert(self, sql: str, parameters: Parameters) -> int:
        """Run an INSERT of one row and return its `key`."""
        return int(self.rows(f"{sql} RETURNING key", parameters)[0][0])

    def many(self, sql: str, parameters: Sequence[Parameters]) -> None:
        """Run a statement once for each set of parameters."""
        if parameters:
            self.connection.cursor().executemany(postgres_sql(sql), parameters)

    def load(self, table: str, columns: str, rows: Sequence[Sequence[Any]], *, verified: bool = False) -> None:
        """Insert many rows, by COPY if there are enough to make up for starting it."""
        if len(rows) < 10:  # noqa: PLR2004
            super().load(table, columns, rows)
            return
        cursor = self.connection.cursor()
        # Checking a foreign key takes 5 us for each row, a third of a bulk load. Only superusers may skip it.
        unchecked = verified and self.connection.info.parameter_status("is_superuser") == "on"
        if unchecked:
            cursor.execute("SET LOCAL session_replication_role = replica")
        # Binary, since writing and reading 20 numbers of a claim as text takes 8 us. It needs the types of the columns.
        description = cursor.execute(f"SELECT {columns} FROM {table} LIMIT 0").description or ()
        with cursor.copy(f"COPY {table} ({columns}) FROM STDIN (FORMAT BINARY)") as copy:
            copy.set_types([column.type_code for column in description])
            for row in rows:
                copy.write_row(row)
        if unchecked:
            cursor.execute("SET LOCAL session_replication_role = DEFAULT")

    def narrow(self, *, alike: bool = False) -> None:
        """Forbid joins that read whole tables, for the rest of the transaction."""
        # Costs are overestimated, and compiling (jit) would take longer than the query.
        settings = ["enable_hashjoin = off", "enable_mergejoin = off", "jit = off"]
        if alike:  # planning takes 2.5 ms and running 4 ms, so plan once for all values
            settings += ["enable_seqscan = off", "plan_cache_mode = force_generic_plan"]
            self._prepare = True
        self.connection.execute("; ".join(f"SET LOCAL {setting}" for setting in settings))

    @contextmanager
    def savepoint(self) -> Iterator[None]:
        """Open a savepoint; an error within it undoes only what was done since."""
        with self.connection.transaction():
            yield

    def _execute(self, sql: str, parameters: Parameters) -> "psycopg.Cursor[Row]":
        binary = bool(self._prepare)  # a prepared query is short enough for reading its numbers to count
        return self.connection.execute(postgres_sql(sql), _bound(parameters), prepare=self._prepare, binary=binary)


def _bound(parameters: Parameters) -> Any:
    return parameters or None


@contextmanager
def translate_errors(problem: str, hint: str) -> Iterator[None]:
    """Turn what PostgreSQL refuses within the block into a StoreError."""
    try:
        yield
    except psycopg.Error as error:
        raise StoreError(f"{problem}: {_reason(error)}", hint=hint) from error


class PostgresDatabase(Database):
    """A PostgreSQL database. Each thread has its own connection; a lost one is reopened. Writers take turns."""

    dialect: ClassVar[Dialect] = POSTGRES

    def __init__(self, address: str, *, read_only: bool = False) -> None:
        """Connect once, so that a wrong address fails at once."""
        self.read_only = read_only
        self.address: str = hide_password(address)
        self._url = address
        self._connections = ThreadConnections(self._connect)
        self._connections.get()

    def _connect(self) -> "psycopg.Connection[Row]":
        try:
            return _connect(self._url)
        except psycopg.OperationalError as error:
            problem = f"cannot reach the store {self.address}: {_reason(error)}"
        except (psycopg.Error, ValueError):
            problem = f"cannot read the address {self.address}"
        raise StoreError(problem, hint="is the server running, and is the address right?")

    def _alive(self) -> "psycopg.Connection[Row]":
        """Return a working connection; reopen one that was lost while idle."""
        connection = self._connections.get()
        try:
            connection.execute("SELECT 1")
        except psycopg.OperationalError:
            self._connections.drop(connection)
            connection = self._connections.get()
        return connection

    @contextmanager
    def read(self, *, separate: bool = False, point: bool = False) -> Iterator[Transaction]:
        """Open a read transaction, which sees one state of the store."""
        begin: LiteralString = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
        begin += f"; {_PLAN_ONCE if point else _PLAN_AS_CONFIGURED}"
        left = seconds_left() if DEADLINE.moment is not None else None
        if separate:
            with self._connect() as connection, self._transaction(begin, connection) as transaction:
                yield transaction
        elif _within(connection := self._connections.get()):
            yield PostgresTransaction(connection)
        else:
            with self._transaction(begin, prepare=point or None) as transaction:
                if left is not None:
                    milliseconds = str(max(1, int(left * 1000)))
                    transaction.rows("SELECT set_config('statement_timeout', ?, true)", [milliseconds])
                yield transaction

    def read_alone(self, sql: str, parameters: Parameters) -> list[Row] | None:
        """Run one query without a transaction: one round trip instead of four."""
        connection = self._connections.get()
        if DEADLINE.moment is not None or connection.prepare_threshold is None or _within(connection):
            return None
        try:
            return PostgresTransaction(connection, prepare=True).rows(sql, parameters)
        except psycopg.Error:  # the connection was lost while idle, most often: a transaction opens another
            return None

    @contextmanager
    def write(self, *, wait: bool = True, large: bool = False) -> Iterator[Transaction]:  # noqa: ARG002
        """Open a write transaction; it is durable after commit."""
        if self.read_only:
            raise read_only_error(self)
        if _within(self._connections.get()):  # PostgreSQL would only warn and join the open transaction
            problem = f"the store {self.address} is being read or written in this thread"
            raise StoreError(problem, hint="finish that first")
        with self._transaction(f"BEGIN; {_PLAN_AS_CONFIGURED}") as transaction:
            name = f"{LOCK}, hashtext(current_schema())"
            if wait:
                limit = f"set_config('lock_timeout', '{int(WRITE_TIMEOUT * 1000)}', true)"
                transaction.rows(f"SELECT {limit}, {_DURABLE}, pg_advisory_xact_lock({name})")
            elif not transaction.rows(f"SELECT {_DURABLE}, pg_try_advisory_xact_lock({name})")[0][1]:
                raise StoreError(f"another process is writing to the store {self.address}", hint="try again")
            began = time.monotonic()
            yield transaction
        count_commit()
        log_info("committed after %.1f ms", (time.monotonic() - began) * 1e3)

    @contextmanager
    def _transaction(
        self,
        begin: LiteralString,
        connection: "psycopg.Connection[Row] | None" = None,
        *,
        prepare: bool | None = None,
    ) -> Iterator[Transaction]:
        separate = connection is not None
        connection = connection or self._connections.get()
        committing = False
        try:
            try:
                connection.execute(begin)
            except psycopg.OperationalError:  # lost while idle
                if separate:
                    raise
                self._connections.drop(connection)
                connection = self._connections.get()
                connection.execute(begin)
            yield PostgresTransaction(connection, prepare=prepare)
            committing = True
            connection.execute("COMMIT")
        except psycopg.Error as error:
            lost = committing and connection.broken
            self._rollback(connection)
            if lost:  # the server may have committed before the connection broke
                problem = f"the connection to the store {self.address} broke during the commit"
                unknown = StoreError(problem, hint="it may have been done: check before you try again")
                unknown.done = "unknown"
                raise unknown from error
            raise StoreError(f"the store {self.address} failed: {_reason(error)}", hint="try again") from error
        except BaseException:
            self._rollback(connection)
            raise

    def _rollback(self, connection: "psycopg.Connection[Row]") -> None:
        try:
            connection.execute("ROLLBACK")
        except psycopg.Error:
            self._connections.drop(connection)

    def settle(self) -> None:
        """Vacuum the tables, so that PostgreSQL overwrites deleted data."""
        try:
            connection = self._alive()
            query = "SELECT relname FROM pg_class WHERE oid = TO_REGCLASS('claim_vector_index')"
            index = "".join(f", {name}" for (name,) in connection.execute(query))  # only some stores have it
            connection.execute(
                "VACUUM claims, claim_vectors, sources, relations, events, decisions, outcomes, tool_calls, "
                f"document_events, requests{index}"
            )
        except psycopg.Error as error:
            problem = f"it is deleted, but its pages could not be vacuumed: {_reason(error)}"
            raise StoreError(problem, hint="run VACUUM yourself") from error

    def run_alone(self, *statements: LiteralString | str) -> None:
        """Run statements on a connection of their own, outside of a transaction.

        Raises:
            StoreError: if one fails.
        """
        try:
            with self._connect() as connection:
                for statement in statements:
                    connection.execute(statement)
        except psycopg.Error as error:
            raise StoreError(f"the store {self.address} failed: {_reason(error)}", hint="try again") from error

    def close(self) -> None:
        """Close the connections of every thread."""
        self._connections.close()


def _connect(url: str) -> "psycopg.Connection[Row]":
    connection = psycopg.connect(url, autocommit=True, connect_timeout=10)
    if _is_pooled(connection):
        connection.prepare_threshold = None
    else:
        connection.execute(_PLAN_ONCE.replace("LOCAL ", ""))
    return connection


def _is_pooled(connection: "psycopg.Connection[Row]") -> bool:
    """Return whether a pooler such as pgbouncer lies between, which may run each transaction on another connection.

    Statements that are prepared on one connection do not exist on the next. A pooler sends a process id of its own for
    cancelling queries, so it differs from that of the server. Without a pooler, preparing is worth it: it makes reading
    a claim take 0.6 ms instead of 8 ms.
    """
    row = connection.execute("SELECT pg_backend_pid()").fetchone()
    return row is None or row[0] != connection.info.backend_pid


def _within(connection: "psycopg.Connection[Row]") -> bool:
    return connection.info.transaction_status == psycopg.pq.TransactionStatus.INTRANS


def _reason(error: Exception) -> str:
    """Return the reason of an error in one line, without what it quotes, which may be a secret."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()] or [type(error).__name__]
    line = next((line for line in lines if "failed: " in line), lines[0]).rpartition("failed: ")[2]
    return re.sub(r"\"[^\"]*\"|'[^']*'", "(...)", line)
