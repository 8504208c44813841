"""The store in a SQLite file."""

import os
import sqlite3
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, ClassVar

from howsure.errors import StoreError
from howsure.sql.dialect import SQLITE, Dialect
from howsure.sql.sqlite import prepare
from howsure.store.database import Database, Parameters, Row, Transaction
from howsure.store.held import Connections

PATIENCE = 30.0
"""Seconds to wait for another process that is writing."""

MEMORY = 65_536
"""KiB of pages that a connection holds; four times as much while much is written."""

LOG = 2000
"""Pages of the write-ahead log; four times as many while much is written."""

HINTS = {
    "database or disk is full": "free some space; nothing was half written",
    "attempt to write a readonly database": "make the file and its folder writable",
    "unable to open database file": "is the folder there, and may it be written to?",
    "file is not a database": "the file is something else; choose another",
    "database is locked": "another process has been writing for too long; try again",
    "database disk image is malformed": "restore a backup: howsure store restore",
    "disk I/O error": "the disk or its file system fails; nothing was half written",
    "cannot start a transaction within a transaction": "finish reading or writing before writing in the same thread",
}


class SqliteTransaction(Transaction):
    """A transaction on one SQLite connection."""

    dialect = SQLITE

    def __init__(self, connection: sqlite3.Connection) -> None:
        """Take the connection, on which the transaction has begun."""
        self.connection = connection
        self._depth = 0

    def rows(self, sql: str, parameters: Parameters = ()) -> list[Row]:
        """Run a statement and return what it gives."""
        return self.connection.execute(sql, parameters).fetchall()

    def stream(self, sql: str, parameters: Parameters = ()) -> Iterator[Row]:
        """Run a query and give its rows one by one."""
        yield from self.connection.execute(sql, parameters)

    def run(self, sql: str, parameters: Parameters = ()) -> int:
        """Run a statement and return how many rows it changed."""
        return self.connection.execute(sql, parameters).rowcount

    def many(self, sql: str, parameters: Sequence[Parameters]) -> None:
        """Run a statement once for each set of parameters."""
        self.connection.executemany(sql, parameters)

    def narrow(self) -> None:
        """Do nothing: SQLite goes by keys anyway."""

    @contextmanager
    def savepoint(self) -> Iterator[None]:
        """Do a part of the work as a whole or not at all."""
        self._depth += 1
        name = f"part_{self._depth}"
        self.connection.execute(f"SAVEPOINT {name}")
        try:
            yield
        except BaseException:
            self.connection.execute(f"ROLLBACK TO {name}")
            raise
        finally:
            self.connection.execute(f"RELEASE {name}")
            self._depth -= 1


class SqliteDatabase(Database):
    """A SQLite file. Each thread has a connection of its own; writers take turns."""

    dialect: ClassVar[Dialect] = SQLITE

    def __init__(self, address: str) -> None:
        """Open the file, or make it."""
        self.address = address
        self._connections = Connections(self._connect)
        self._roomy = threading.local()
        try:
            os.makedirs(os.path.dirname(address) or ".", exist_ok=True)  # noqa: PTH103, PTH120 - pathlib starts slowly
        except OSError as error:
            raise StoreError(f"cannot make the folder of {address}: {error.strerror}") from error
        with _clear_errors(address):
            self._connection()

    def _connection(self) -> sqlite3.Connection:
        return self._connections.get()

    def _connect(self) -> sqlite3.Connection:
        as_it_lies = fixed(self.address)
        address = immutable(self.address) if as_it_lies else self.address
        connection = sqlite3.connect(address, timeout=0, isolation_level=None, check_same_thread=False, uri=as_it_lies)
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
    def reading(self, *, apart: bool = False) -> Iterator[Transaction]:
        """Open a transaction that sees one state of the store."""
        with _clear_errors(self.address):
            connection = self._connect() if apart else self._connection()
            if connection.in_transaction:  # within another of this thread: the same state
                yield SqliteTransaction(connection)
                return
            connection.execute("BEGIN")
            try:
                _insist(connection, "SELECT 1 FROM sqlite_master LIMIT 1")  # from here on, one state is seen
                yield SqliteTransaction(connection)
            finally:
                connection.execute("ROLLBACK")
                if apart:
                    connection.close()

    @contextmanager
    def writing(self, *, patient: bool = True, much: bool = False) -> Iterator[Transaction]:
        """Open a transaction that is durable once it ends without an error."""
        with _clear_errors(self.address):
            connection = self._connection()
            if much is not getattr(self._roomy, "now", False):  # kept from one large write to the next
                _make_room(connection, 4 if much else 1)
                self._roomy.now = much
            _insist(connection, "BEGIN IMMEDIATE", PATIENCE if patient else 0.0)
            try:
                yield SqliteTransaction(connection)
                connection.execute("COMMIT")
            except BaseException:
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
                raise

    def copy(self, path: str) -> None:
        """Write a copy of the file as it is now, without what was deleted."""
        with _clear_errors(self.address):
            connection = self._connect()
            try:
                connection.execute("VACUUM INTO ?", [path])
            finally:
                connection.close()

    def settle(self) -> None:
        """Merge the text index, which keeps the words of deleted text for a while, and empty the write-ahead log."""
        with self.writing() as transaction:
            transaction.run("INSERT INTO claims_text (claims_text) VALUES ('optimize')")
        with _clear_errors(self.address):
            connection = self._connection()
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


def _make_room(connection: sqlite3.Connection, times: int = 1) -> None:
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


def _insist(connection: sqlite3.Connection, sql: str, patience: float | None = None) -> None:
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


@contextmanager
def _clear_errors(address: str) -> Iterator[None]:
    """Turn SQLite's errors into ours."""
    try:
        yield
    except UnicodeDecodeError as error:  # what SQLite says of some damaged files is damaged, too
        problem = f"the store {address} failed: database disk image is malformed"
        raise StoreError(problem, hint=HINTS["database disk image is malformed"]) from error
    except sqlite3.DatabaseError as error:
        if isinstance(error, sqlite3.IntegrityError | sqlite3.ProgrammingError):
            raise
        message = str(error)
        hint: Any = next((hint for start, hint in HINTS.items() if message.startswith(start)), "")
        raise StoreError(f"the store {address} failed: {message}", hint=hint) from error
