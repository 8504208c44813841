"""Transactions of SQLite, and translation of its errors."""

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
    """A SQLite connection with a cache of computed values."""

    large_cache = False
    """Whether its page cache has the size for large writes."""
    state: tuple[int, int] = (-1, -1)
    """Counters of changes by others and by itself at which the cache was valid."""

    def __init__(self, *given: Any, **more: Any) -> None:
        """Connect with an empty cache."""
        super().__init__(*given, **more)
        self.cache: dict[Any, Any] = {}


class SqliteTransaction(Transaction):
    """A transaction on one SQLite connection."""

    dialect = SQLITE

    def __init__(self, connection: Connection) -> None:
        """Use a connection on which a transaction has begun."""
        self.connection = connection
        self._depth = 0
        self._others: int | None = None

    def rows(self, sql: str, parameters: Parameters = ()) -> list[Row]:
        """Run a statement and return its rows."""
        return self.connection.execute(sql, parameters).fetchall()

    def stream(self, sql: str, parameters: Parameters = ()) -> Iterator[Row]:
        """Run a query and yield its rows one by one."""
        yield from self.connection.execute(sql, parameters)

    def run(self, sql: str, parameters: Parameters = ()) -> int:
        """Run a statement and return the number of changed rows."""
        return self.connection.execute(sql, parameters).rowcount

    def many(self, sql: str, parameters: Sequence[Parameters]) -> None:
        """Run a statement once for each set of parameters."""
        self.connection.executemany(sql, parameters)

    def narrow(self) -> None:
        """Do nothing: SQLite uses indexes anyway."""

    @property
    def cache(self) -> dict[Any, Any]:
        """The cache; empty if this or another connection has changed the database, which SQLite counts."""
        connection = self.connection
        if self._others is None:  # does not change within a transaction
            self._others = connection.execute("PRAGMA data_version").fetchone()[0]
        if connection.state != (state := (self._others, connection.total_changes)):
            connection.cache, connection.state = {}, state
        return connection.cache

    def keep_cache(self) -> None:
        """Mark the cache as matching the database."""
        if self._others is not None:
            self.connection.state = (self._others, self.connection.total_changes)

    @contextmanager
    def savepoint(self) -> Iterator[None]:
        """Open a savepoint; an error within it undoes only what was done since."""
        self._depth += 1
        name = f"part_{self._depth}"
        self.connection.execute(f"SAVEPOINT {name}")
        try:
            yield
        except BaseException:
            self.connection.cache = {}
            self.connection.execute(f"ROLLBACK TO {name}")
            raise
        finally:
            self.connection.execute(f"RELEASE {name}")
            self._depth -= 1


class ErrorTranslation:
    """A context manager that turns errors of SQLite into StoreError. It is reentrant."""

    def __init__(self, address: str) -> None:
        """Keep the address that errors show."""
        self.address = address

    def __enter__(self) -> None:
        """Do nothing."""

    def __exit__(self, kind: object, error: BaseException | None, at: TracebackType | None) -> None:
        """Raise StoreError for an error of SQLite."""
        if not isinstance(error, sqlite3.DatabaseError | UnicodeDecodeError):
            return
        if isinstance(error, sqlite3.IntegrityError | sqlite3.ProgrammingError):
            return
        # Messages about damaged files may be damaged themselves, so that Python cannot decode them.
        message = "database disk image is malformed" if isinstance(error, UnicodeDecodeError) else str(error)
        hint = next((hint for start, hint in HINTS.items() if message.startswith(start)), "")
        raise StoreError(f"the store {self.address} failed: {message}", hint=hint) from error
