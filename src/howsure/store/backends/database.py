"""The interface of databases: opened by address, with one connection per thread and one SQL for all of them."""

import os
import re
import sys
import threading
import weakref
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, suppress
from functools import cache, lru_cache
from typing import Any, ClassVar, Generic, TypeVar

from howsure.errors import StoreError
from howsure.sql.dialect import Dialect

LOGGER = "howsure.store"
_INFO = 20
"""The level `logging.INFO`."""
POSTGRES_PREFIXES = ("postgresql://", "postgres://")
"""What the address of a PostgreSQL database starts with."""

C = TypeVar("C")
Parameters = Mapping[str, Any] | Sequence[Any]
Row = tuple[Any, ...]

_NAMED = r"(?<![:\w]):([a-z_]\w*)"
"""Parameters in SQL; compiled when it is first used, which a one-shot gate does not do."""


class Transaction(ABC):
    """A transaction. Parameters in SQL are written as `:name` or `?`."""

    dialect: Dialect

    @abstractmethod
    def rows(self, sql: str, parameters: Parameters = ()) -> list[Row]:
        """Run a statement and return its rows."""

    def batch(self, sql: str, parameters: Sequence[Parameters]) -> list[list[Row]]:
        """Run a query once for each set of parameters and return the rows of each; in one round trip, if possible."""
        return [self.rows(sql, one) for one in parameters]

    @abstractmethod
    def stream(self, sql: str, parameters: Parameters = ()) -> Iterator[Row]:
        """Run a query and yield its rows one by one, without holding them all in memory."""

    @abstractmethod
    def run(self, sql: str, parameters: Parameters = ()) -> int:
        """Run a statement and return the number of changed rows."""

    @abstractmethod
    def insert(self, sql: str, parameters: Parameters) -> int:
        """Run an INSERT of one row and return its `key`."""

    @abstractmethod
    def many(self, sql: str, parameters: Sequence[Parameters]) -> None:
        """Run a statement once for each set of parameters."""

    def load(self, table: str, columns: str, rows: Sequence[Sequence[Any]], *, verified: bool = False) -> None:  # noqa: ARG002
        """Insert many rows in the fastest way of the database.

        With `verified`, the rows that they refer to were written in this transaction: foreign keys need no check.
        """
        self.many(insert_sql(table, columns), rows)

    @abstractmethod
    def savepoint(self) -> AbstractContextManager[None]:
        """Open a savepoint; an error within it undoes only what was done since."""

    @abstractmethod
    def narrow(self, *, alike: bool = False) -> None:
        """Tell the planner that few claims are wanted, so that it uses indexes instead of reading whole tables.

        With `alike`, the best plan is the same whatever the values of the parameters are.
        """

    @property
    def cache(self) -> dict[Any, Any] | None:
        """Values computed from the tables on this connection; emptied when anybody changes the database.

        None if the database cannot tell. After changing a table and its cached values, call `keep_cache`.
        """
        return None

    def keep_cache(self) -> None:  # noqa: B027 - nothing to do for a database without a cache
        """Mark the cache as matching the database, after changing both in this transaction."""

    def one(self, sql: str, parameters: Parameters = ()) -> Row | None:
        """Return the first row of a query, or None."""
        rows = self.rows(sql, parameters)
        return rows[0] if rows else None

    def value(self, sql: str, parameters: Parameters = ()) -> Any:
        """Return the first column of the first row, or None."""
        row = self.one(sql, parameters)
        return row[0] if row else None


class Database(ABC):
    """A database. Several threads and processes may use it at once."""

    dialect: ClassVar[Dialect]
    address: str
    read_only: bool = False
    """Whether it can only be read; `write` then raises StoreError."""
    unsettled: bool = False
    """Whether deleted data could not be erased from the files yet."""

    @abstractmethod
    def read(self, *, separate: bool = False, point: bool = False) -> AbstractContextManager[Transaction]:
        """Open a read transaction, which sees one state of the store.

        With `separate=True` it uses its own connection, so that this thread can write meanwhile. `point=True` is for
        reads of one claim: statements are planned once, for all claims.
        """

    def read_alone(self, sql: str, parameters: Parameters) -> list[Row] | None:  # noqa: ARG002
        """Run one query of one claim without a transaction, if that is faster; None if it is not, or not possible now.

        It is planned once, for all claims.
        """
        return None

    @abstractmethod
    def write(self, *, wait: bool = True, large: bool = False) -> AbstractContextManager[Transaction]:
        """Open a write transaction; it is durable after commit. Writers take turns.

        With `wait=False`, raise StoreError instead of waiting for another writer. `large=True` gives
        a large write more memory.
        """

    @abstractmethod
    def settle(self) -> None:
        """Erase deleted data from the files, if the database does not do so itself.

        Raises:
            StoreError: if that is not possible now. The data is deleted nevertheless.
        """

    def settled(self) -> bool:
        """Erase deleted data from the files; return False if that is not possible now."""
        try:
            self.settle()
        except StoreError as error:
            self.unsettled = True
            log_info("%s", error)
            return False
        self.unsettled = False
        return True

    @abstractmethod
    def close(self) -> None:
        """Close all connections."""


class _Commits(threading.local):
    """How many write transactions this thread has committed."""

    count = 0


_commits = _Commits()


def count_commit() -> None:
    """Count a committed write transaction of this thread."""
    _commits.count += 1


class PartsDone:
    """A context manager that marks a StoreError if this thread has committed something before it, within the block.

    An operation may write in several transactions, or fail after its last one. Then it is not true that nothing was
    done.
    """

    def __enter__(self) -> None:
        """Remember how much was committed before."""
        self._before = _commits.count

    def __exit__(self, kind: object, error: BaseException | None, at: object) -> None:
        """Mark the error."""
        if isinstance(error, StoreError) and error.done == "nothing" and _commits.count > self._before:
            error.done = "some"


def logs_info() -> bool:
    """Say whether anybody reads what the store logs. A gate does not load `logging`, which takes too long."""
    return "logging" in sys.modules and bool(_logger().isEnabledFor(_INFO))


@cache
def _logger() -> Any:
    """Return the logger of the store. Looking it up takes a lock, and each write asks."""
    import logging

    return logging.getLogger(LOGGER)


def log_info(message: str, *values: Any) -> None:
    """Log what the store does, unless the program does not use `logging`."""
    if "logging" in sys.modules:
        _logger().info(message, *values)


def read_only_error(database: Database, *, asked: bool = True) -> StoreError:
    """Return the error for a write to a database that can only be read; `asked`: because it was opened so."""
    hint = "make the file and its folder writable, or copy the store to where it can be written"
    if asked:
        hint = "it was opened for reading only: open it without read_only (--read-only)"
    return StoreError(f"the store {database.address} is read-only", hint=hint)


def connect(address: str, *, read_only: bool = False, create: bool = False) -> Database:
    """Return the database at an address: a path, sqlite:///PATH or postgresql://.

    Args:
        address: The address.
        read_only: The store must exist and is never changed.
        create: Create the folder of a file if it does not exist.

    Raises:
        InputError: if the address is empty or of an unknown kind.
    """
    if ":" in address or "=" in address or not address.strip():  # anything but an ordinary path
        from howsure.store.backends.address import read_address

        address = read_address(address)
    if address.startswith(POSTGRES_PREFIXES):
        from howsure.store.backends.postgres import PostgresDatabase

        return PostgresDatabase(address, read_only=read_only)
    from howsure.store.backends.sqlite import SqliteDatabase

    return SqliteDatabase(address, read_only=read_only, create=create)


class _OwnedConnection(Generic[C]):
    """A connection and the process that opened it; closed when it is garbage collected, but only in that process."""

    def __init__(self, connection: C) -> None:
        self.connection = connection
        self.process = os.getpid()

    def close(self) -> None:
        if self.process == os.getpid():
            with suppress(Exception):  # closing a broken connection may fail
                connection: Any = self.connection
                connection.close()

    __del__ = close


class ThreadConnections(Generic[C]):
    """One database connection per thread.

    A connection is closed when its thread ends. After a fork the child opens its own: closing an inherited connection
    would close the parent's socket or drop its SQLite locks. SQLite and PostgreSQL both use this class; psycopg_pool
    was slower and needed more code: see decision 0014.
    """

    def __init__(self, connect: Callable[[], C]) -> None:
        """Use a function that opens a connection."""
        self._connect = connect
        self._local = threading.local()
        self._inherited: list[_OwnedConnection[C]] = []
        self._all: weakref.WeakSet[_OwnedConnection[C]] = weakref.WeakSet()

    def get(self) -> C:
        """Return the connection of this thread; open it if there is none."""
        owned: _OwnedConnection[C] | None = getattr(self._local, "owned", None)
        if owned is not None and owned.process != os.getpid():
            self._inherited.append(owned)  # kept alive: closing it here would break the parent's
        if owned is None or owned.process != os.getpid():
            owned = _OwnedConnection(self._connect())
            self._local.owned = owned
            self._all.add(owned)
        return owned.connection

    def drop(self, connection: C) -> None:
        """Close a connection if it is this thread's; the next `get` opens another."""
        owned: _OwnedConnection[C] | None = getattr(self._local, "owned", None)
        if owned is not None and owned.connection is connection:
            owned.close()
            del self._local.owned

    def renew(self, connection: C) -> C:
        """Close a connection if it is this thread's, after another one was opened; return the one of this thread."""
        former: _OwnedConnection[C] | None = getattr(self._local, "owned", None)
        if former is None or former.connection is not connection:
            return self.get()
        del self._local.owned
        try:
            return self.get()
        finally:
            former.close()

    def close(self) -> None:
        """Close the connections of every thread."""
        for owned in list(self._all):
            owned.close()
        self._all.clear()
        self._local = threading.local()


@cache
def insert_sql(table: str, columns: str) -> str:
    """Return the statement that inserts a row with these columns."""
    return f"INSERT INTO {table} ({columns}) VALUES ({', '.join('?' * (columns.count(',') + 1))})"


def inline(sql: str, values: Mapping[str, str]) -> str:
    """Return SQL with pieces of SQL in place of its named parameters.

    >>> inline("SELECT a::text FROM t WHERE b < :now", {"now": "5.0"})
    'SELECT a::text FROM t WHERE b < 5.0'
    """
    return re.sub(_NAMED, lambda match: values[match[1]], sql)


@lru_cache(maxsize=512)
def postgres_sql(sql: str) -> str:
    """Return SQL with the placeholders of psycopg.

    >>> postgres_sql("SELECT a::text FROM t WHERE b LIKE 'x%' AND c = :c AND d = ?")
    "SELECT a::text FROM t WHERE b LIKE 'x%%' AND c = %(c)s AND d = %s"
    """
    return re.sub(_NAMED, r"%(\1)s", sql.replace("%", "%%")).replace("?", "%s")
