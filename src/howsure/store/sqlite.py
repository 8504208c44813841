"""The store in a SQLite file."""

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
from howsure.store.connections import Connections
from howsure.store.database import Database, Transaction
from howsure.store.sqlite_transaction import ClearErrors, Connection, SqliteTransaction

PATIENCE = 30.0
"""Seconds to wait for another process that is writing."""

MEMORY = 65_536
"""KiB of pages that a connection holds; four times as much while much is written."""

LOG = 2000
"""Pages of the write-ahead log; four times as many while much is written."""


class SqliteDatabase(Database):
    """A SQLite file. Each thread has a connection of its own; writers take turns."""

    dialect: ClassVar[Dialect] = SQLITE

    def __init__(self, address: str) -> None:
        """Open the file, or make it."""
        self.address = address
        self.clear_errors = ClearErrors(address)
        self._connections = Connections(self._connect)
        try:
            os.makedirs(os.path.dirname(address) or ".", exist_ok=True)  # noqa: PTH103, PTH120 - pathlib starts slowly
        except OSError as error:
            raise StoreError(f"cannot make the folder of {address}: {error.strerror}") from error
        with self.clear_errors:
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
                _insist(connection, f"PRAGMA {pragma}")
            _make_room(connection)
            prepare(connection)
        except BaseException:
            connection.close()
            raise
        return connection

    @contextmanager
    def read(self, *, separate: bool = False) -> Iterator[Transaction]:
        """Open a transaction that sees one state of the store."""
        with self.clear_errors:
            connection = self._connect() if separate else self.connection()
            if connection.in_transaction:  # within another of this thread: the same state
                yield SqliteTransaction(connection)
                return
            connection.execute("BEGIN")
            try:
                _insist(connection, "SELECT 1 FROM sqlite_master LIMIT 1")  # from here on, one state is seen
                yield SqliteTransaction(connection)
            finally:
                connection.execute("ROLLBACK")
                if separate:
                    connection.close()

    def write(self, *, wait: bool = True, large: bool = False) -> "Writing":
        """Open a transaction that is durable once it ends without an error."""
        return Writing(self, PATIENCE if wait else 0.0, large)

    def copy(self, path: str) -> None:
        """Write a copy of the file as it is now, without what was deleted."""
        with self.clear_errors:
            connection = self._connect()
            try:
                connection.execute("VACUUM INTO ?", [path])
            finally:
                connection.close()

    def settle(self) -> None:
        """Merge the text index, which keeps the words of deleted text for a while, and empty the write-ahead log."""
        with self.write() as transaction:
            transaction.run("INSERT INTO claims_text (claims_text) VALUES ('optimize')")
        with self.clear_errors:
            connection = self.connection()
            connection.execute(f"PRAGMA busy_timeout = {int(PATIENCE * 1000)}")  # here SQLite itself has to wait
            try:
                ((busy, *_),) = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
            finally:
                connection.execute("PRAGMA busy_timeout = 0")
        if busy:
            problem = "it is gone, but its text stays in the log while others read what was before"
            raise StoreError(problem, hint="purge anything, or close every reader, to empty the log")

    def close(self) -> None:
        """Close the connections of every thread."""
        self._connections.close()


class Writing:
    """A transaction that is durable once it ends without an error."""

    __slots__ = ("_connection", "_database", "_much", "_patience")

    def __init__(self, database: SqliteDatabase, patience: float, much: bool) -> None:
        """Take how long to wait for other writers, and whether much will be written."""
        self._database = database
        self._patience = patience
        self._much = much

    def __enter__(self) -> Transaction:
        """Wait for one's turn."""
        with self._database.clear_errors:
            self._connection = connection = self._database.connection()
            if self._much is not connection.roomy:  # kept from one large write to the next
                _make_room(connection, 4 if self._much else 1)
                connection.roomy = self._much
            within = connection.in_transaction
            try:
                _insist(connection, "BEGIN IMMEDIATE", self._patience)
                return SqliteTransaction(connection)
            except BaseException:  # Ctrl-C just now must not leave others locked out
                if not within:
                    self._undo()
                raise

    def __exit__(self, kind: object, error: BaseException | None, at: TracebackType | None) -> None:
        """Make it durable; or else as if it had never begun."""
        with self._database.clear_errors:
            try:
                if error is None:
                    self._connection.execute("COMMIT")
            except BaseException:
                self._undo()
                raise
            if error is not None:
                self._undo()
        self._database.clear_errors.__exit__(kind, error, at)

    def _undo(self) -> None:
        self._connection.known = {}
        if self._connection.in_transaction:
            self._connection.execute("ROLLBACK")


def _make_room(connection: Connection, times: int = 1) -> None:
    """Set how many pages are held, and how long the log gets before it is written over from its start.

    Writing over it is twice as fast as making it longer; for large writes a long log is better.
    """
    connection.execute(f"PRAGMA cache_size = -{times * MEMORY}")
    connection.execute(f"PRAGMA wal_autocheckpoint = {times * LOG}")


def immutable(address: str) -> str:
    """Return the address by which SQLite reads a file as it lies there."""
    from pathlib import Path

    return f"{Path(address).absolute().as_uri()}?immutable=1"


def fixed(address: str) -> bool:
    """Say whether a store lies where nobody can change it, on a read-only disk: then it is read as it lies there.

    Not one with a log beside it: what stands in the log could not be read.
    """
    place = os.path.realpath(address)
    if not os.path.isfile(place) or os.path.exists(f"{place}-wal"):  # noqa: PTH110, PTH113
        return False
    return hasattr(os, "statvfs") and bool(os.statvfs(os.path.dirname(place)).f_flag & os.ST_RDONLY)  # noqa: PTH120


def _insist(connection: Connection, sql: str, patience: float | None = None) -> None:
    """Run a statement again and again while the file is locked: SQLite's own waiting is unfair among many writers."""
    deadline = time.monotonic() + (PATIENCE if patience is None else patience)
    while True:
        try:
            connection.execute(sql).fetchall()
        except sqlite3.OperationalError as error:
            if "locked" not in str(error) or time.monotonic() >= deadline:
                raise
            time.sleep(0.002)
        else:
            return
