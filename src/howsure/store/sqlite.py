"""A store in a SQLite file."""

import os
import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import ClassVar

from howsure.errors import StoreError
from howsure.sql.dialect import SQLITE, Dialect
from howsure.sql.sqlite import prepare
from howsure.store.connections import ThreadConnections
from howsure.store.database import Database, Transaction
from howsure.store.sqlite_transaction import Connection, ErrorTranslation, SqliteTransaction

WRITE_TIMEOUT = 30.0
"""Seconds to wait for another process that is writing."""

CACHE_SIZE = 65_536
"""Page cache of a connection in KiB; four times as much for a large write."""

WAL_PAGES = 2000
"""Pages of the write-ahead log before a checkpoint; four times as many for a large write."""


class SqliteDatabase(Database):
    """A SQLite file. Each thread has its own connection; writers take turns."""

    dialect: ClassVar[Dialect] = SQLITE

    def __init__(self, address: str) -> None:
        """Open the file; create it if it does not exist."""
        self.address = address
        self.translate_errors: ErrorTranslation = ErrorTranslation(address)
        self._connections = ThreadConnections(self._connect)
        try:
            os.makedirs(os.path.dirname(address) or ".", exist_ok=True)  # noqa: PTH103, PTH120 - pathlib starts slowly
        except OSError as error:
            raise StoreError(f"cannot make the folder of {address}: {error.strerror}") from error
        with self.translate_errors:
            self.connection()

    def connection(self) -> Connection:
        """Return this thread's connection."""
        return self._connections.get()

    def _connect(self) -> Connection:
        as_it_lies = fixed(self.address)
        address = immutable(self.address) if as_it_lies else self.address
        connection = sqlite3.connect(
            address, timeout=0, isolation_level=None, check_same_thread=False, uri=as_it_lies, factory=Connection
        )
        try:
            if as_it_lies:
                prepare(connection)
                return connection
            # FULL: a commit is on the disk when it returns. secure_delete: what is purged is overwritten.
            for pragma in ("journal_mode = WAL", "synchronous = FULL", "foreign_keys = ON", "secure_delete = ON"):
                _retry(connection, f"PRAGMA {pragma}")
            _set_memory(connection)
            prepare(connection)
        except BaseException:
            connection.close()
            raise
        return connection

    @contextmanager
    def read(self, *, separate: bool = False) -> Iterator[Transaction]:
        """Open a read transaction, which sees one state of the store."""
        with self.translate_errors:
            connection = self._connect() if separate else self.connection()
            if connection.in_transaction:  # nested in another transaction of this thread: the same state
                yield SqliteTransaction(connection)
                return
            connection.execute("BEGIN")
            try:
                _retry(
                    connection, "SELECT 1 FROM sqlite_master LIMIT 1"
                )  # BEGIN is deferred: the first read fixes the state that is seen
                yield SqliteTransaction(connection)
            finally:
                connection.execute("ROLLBACK")
                if separate:
                    connection.close()

    def write(self, *, wait: bool = True, large: bool = False) -> "WriteTransaction":
        """Open a write transaction; it is durable after commit."""
        return WriteTransaction(self, WRITE_TIMEOUT if wait else 0.0, large)

    def copy(self, path: str) -> None:
        """Write a copy of the current state, without deleted data."""
        with self.translate_errors:
            connection = self._connect()
            try:
                connection.execute("VACUUM INTO ?", [path])
            finally:
                connection.close()

    def settle(self) -> None:
        """Merge the text index, which keeps words of deleted text for a while, and truncate the write-ahead log."""
        with self.write() as transaction:
            transaction.run("INSERT INTO claims_text (claims_text) VALUES ('optimize')")
        with self.translate_errors:
            connection = self.connection()
            connection.execute(
                f"PRAGMA busy_timeout = {int(WRITE_TIMEOUT * 1000)}"
            )  # only SQLite itself can wait for readers here
            try:
                ((busy, *_),) = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
            finally:
                connection.execute("PRAGMA busy_timeout = 0")
        if busy:
            problem = "it is deleted, but its text stays in the log while others read an older state"
            raise StoreError(problem, hint="close every reader and purge again, to empty the log")

    def close(self) -> None:
        """Close the connections of every thread."""
        self._connections.close()


class WriteTransaction:
    """The context manager of a write transaction."""

    __slots__ = ("_connection", "_database", "_large", "_timeout")

    def __init__(self, database: SqliteDatabase, timeout: float, large: bool) -> None:
        """Keep how long to wait for other writers, and whether the write is large."""
        self._database = database
        self._timeout = timeout
        self._large = large

    def __enter__(self) -> Transaction:
        """Wait for other writers and begin."""
        with self._database.translate_errors:
            self._connection = connection = self._database.connection()
            if self._large is not connection.large_cache:  # kept until a write of the other size
                _set_memory(connection, 4 if self._large else 1)
                connection.large_cache = self._large
            within = connection.in_transaction
            try:
                _retry(connection, "BEGIN IMMEDIATE", self._timeout)
                return SqliteTransaction(connection)
            except BaseException:  # Ctrl-C during BEGIN must not keep the write lock
                if not within:
                    self._rollback()
                raise

    def __exit__(self, kind: object, error: BaseException | None, at: TracebackType | None) -> None:
        """Commit; roll back after an error."""
        with self._database.translate_errors:
            try:
                if error is None:
                    self._connection.execute("COMMIT")
            except BaseException:
                self._rollback()
                raise
            if error is not None:
                self._rollback()
        self._database.translate_errors.__exit__(kind, error, at)

    def _rollback(self) -> None:
        self._connection.cache = {}
        if self._connection.in_transaction:
            self._connection.execute("ROLLBACK")


def _set_memory(connection: Connection, times: int = 1) -> None:
    """Set the size of the page cache and of the write-ahead log.

    Reusing a short log is twice as fast as extending it; for large writes a long log is better.
    """
    connection.execute(f"PRAGMA cache_size = -{times * CACHE_SIZE}")
    connection.execute(f"PRAGMA wal_autocheckpoint = {times * WAL_PAGES}")


def immutable(address: str) -> str:
    """Return the URI with which SQLite reads a file that nobody can change."""
    from pathlib import Path

    return f"{Path(address).absolute().as_uri()}?immutable=1"


def fixed(address: str) -> bool:
    """Say whether a store is on a read-only disk and has no write-ahead log, which could not be read there."""
    place = os.path.realpath(address)
    if not os.path.isfile(place) or os.path.exists(f"{place}-wal"):  # noqa: PTH110, PTH113
        return False
    return hasattr(os, "statvfs") and bool(os.statvfs(os.path.dirname(place)).f_flag & os.ST_RDONLY)  # noqa: PTH120


def _retry(connection: Connection, sql: str, timeout: float | None = None) -> None:
    """Retry a statement while the file is locked. SQLite's own busy handler is unfair among many writers."""
    deadline = time.monotonic() + (WRITE_TIMEOUT if timeout is None else timeout)
    while True:
        try:
            connection.execute(sql).fetchall()
        except sqlite3.OperationalError as error:
            if "locked" not in str(error) or time.monotonic() >= deadline:
                raise
            time.sleep(0.002)
        else:
            return
