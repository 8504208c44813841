"""A transaction in a SQLite file."""

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from types import TracebackType
from typing import Any

from howsure.errors import StoreError
from howsure.sql.dialect import SQLITE
from howsure.store.database import Parameters, Row, Transaction

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


class Connection(sqlite3.Connection):
    """A connection, and what it has at hand."""

    roomy = False
    """Whether it holds many pages, for a large write."""
    state = (-1, -1)
    """Changes by others and by itself, when what it knows was true."""

    def __init__(self, *given: Any, **more: Any) -> None:
        """Connect, knowing nothing."""
        super().__init__(*given, **more)
        self.known: dict[Any, Any] = {}


class SqliteTransaction(Transaction):
    """A transaction on one SQLite connection."""

    dialect = SQLITE

    def __init__(self, connection: Connection) -> None:
        """Take the connection, on which the transaction has begun."""
        self.connection = connection
        self._depth = 0
        self._others: int | None = None

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

    @property
    def known(self) -> dict[Any, Any]:
        """What is still true. SQLite counts what other connections have changed, and what this one has."""
        connection = self.connection
        if self._others is None:  # in this transaction it stays the same
            self._others = connection.execute("PRAGMA data_version").fetchone()[0]
        if connection.state != (state := (self._others, connection.total_changes)):
            connection.known, connection.state = {}, state
        return connection.known

    def still(self) -> None:
        """Say that what is known was changed along with the tables."""
        if self._others is not None:
            self.connection.state = (self._others, self.connection.total_changes)

    @contextmanager
    def savepoint(self) -> Iterator[None]:
        """Do a part of the work as a whole or not at all."""
        self._depth += 1
        name = f"part_{self._depth}"
        self.connection.execute(f"SAVEPOINT {name}")
        try:
            yield
        except BaseException:
            self.connection.known = {}
            self.connection.execute(f"ROLLBACK TO {name}")
            raise
        finally:
            self.connection.execute(f"RELEASE {name}")
            self._depth -= 1


class ClearErrors:
    """Turns SQLite's errors into ours, wherever it is entered."""

    def __init__(self, address: str) -> None:
        """Take the address, as errors show it."""
        self.address = address

    def __enter__(self) -> None:
        """Begin to watch."""

    def __exit__(self, kind: object, error: BaseException | None, at: TracebackType | None) -> None:
        """Say what went wrong."""
        if not isinstance(error, sqlite3.DatabaseError | UnicodeDecodeError):
            return
        if isinstance(error, sqlite3.IntegrityError | sqlite3.ProgrammingError):
            return
        # What SQLite says of some damaged files is damaged, too.
        message = "database disk image is malformed" if isinstance(error, UnicodeDecodeError) else str(error)
        hint = next((hint for start, hint in HINTS.items() if message.startswith(start)), "")
        raise StoreError(f"the store {self.address} failed: {message}", hint=hint) from error
