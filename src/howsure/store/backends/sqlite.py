"""A store in a SQLite file: its connections, transactions and errors."""

import os
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from types import TracebackType
from typing import TYPE_CHECKING, Any, ClassVar

from howsure.errors import StoreError
from howsure.files import is_special
from howsure.sql.dialect import SQLITE, Dialect
from howsure.store.backends.database import (
    Database,
    Parameters,
    Row,
    ThreadConnections,
    Transaction,
    count_commit,
    log_info,
    logs_info,
    read_only_error,
)
from howsure.store.backends.deadline import DEADLINE, fetch_with_breaks, is_over, seconds_left, take_break
from howsure.store.backends.schema import TABLES, check_owner

if TYPE_CHECKING:
    import sqlite3

    from howsure.store.backends.checkpoints import BackgroundCheckpoint
    from howsure.store.backends.write_ahead_log import Turns, WriteAheadLog
else:
    # The module that `sqlite3` consists of, without `datetime`, which the store does not use and which takes 2 % of the
    # start of a one-shot decision.
    try:
        import _sqlite3 as sqlite3
    except ImportError:  # pragma: no cover - another Python than CPython
        import sqlite3

WRITE_TIMEOUT = 30.0
"""Seconds to wait for another process that is writing."""

RETRY_PAUSE = 0.002
"""Seconds between two tries to get the write lock. A shorter pause leaves it unused for less time, but a quarter of it
takes 30 % more of the processor for each decision of eight gates at once."""

CACHE_SIZE = 65_536
"""Page cache of a connection in KiB; four times as much for a large write."""

WAL_PAGES = 2000
"""Pages of the write-ahead log before a checkpoint. A large write has one after its commit, in the background."""

OWNER_ONLY = 0o600
"""Mode of the files of a store, whatever the umask."""


class Connection(sqlite3.Connection):
    """A SQLite connection with a cache of computed values."""

    is_large = False
    """Whether it has written much at once, with a page cache of the size for that."""
    state: tuple[int, int] = (-1, -1)
    """Counters of changes by others and by itself at which the cache was valid."""
    log: "WriteAheadLog | None" = None
    """The write-ahead log, which is synced after each commit; None if SQLite syncs it itself, before."""

    def __init__(self, *given: Any, **more: Any) -> None:
        """Connect with an empty cache."""
        super().__init__(*given, **more)
        self.cache: dict[Any, Any] = {}

    def close(self) -> None:
        """Close it and its log."""
        super().close()
        log, self.log = self.log, None
        if log is not None:
            log.close()

    def __del__(self) -> None:
        """Close it. From Python 3.13 on, one that is collected before its owner closes it would warn."""
        with suppress(sqlite3.Error):
            self.close()


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
        cursor = self.connection.execute(sql, parameters)
        return cursor.fetchall() if DEADLINE.give_way is None else fetch_with_breaks(cursor)

    def stream(self, sql: str, parameters: Parameters = ()) -> Iterator[Row]:
        """Run a query and yield its rows one by one."""
        yield from self.connection.execute(sql, parameters)

    def run(self, sql: str, parameters: Parameters = ()) -> int:
        """Run a statement and return the number of changed rows."""
        return self.connection.execute(sql, parameters).rowcount

    def insert(self, sql: str, parameters: Parameters) -> int:
        """Run an INSERT of one row and return its `key`."""
        return self.connection.execute(sql, parameters).lastrowid or 0

    def many(self, sql: str, parameters: Sequence[Parameters]) -> None:
        """Run a statement once for each set of parameters."""
        self.connection.executemany(sql, parameters)

    def narrow(self, *, alike: bool = False) -> None:
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
            if self.connection.in_transaction:  # after some errors SQLite has rolled back by itself
                self.connection.execute(f"ROLLBACK TO {name}")
            raise
        finally:
            if self.connection.in_transaction:
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
        from howsure.store.backends.sqlite_errors import translate

        raise translate(error, self.address) from error


class SqliteDatabase(Database):
    """A SQLite file. Each thread has its own connection; writers take turns."""

    dialect: ClassVar[Dialect] = SQLITE

    def __init__(self, address: str, *, read_only: bool = False, create: bool = False) -> None:
        """Open the file; create it if it does not exist. A file that cannot be written to is opened read-only.

        Raises:
            StoreError: if its folder does not exist, unless `create` is set.
        """
        self.address = address
        self.translate_errors: ErrorTranslation = ErrorTranslation(address)
        self._connections = ThreadConnections(self._connect)
        self._checkpoint: BackgroundCheckpoint | None = None
        self._is_checked = False
        self._turns: Turns | None = None
        self.is_log_broken: bool = False
        """Whether the disk may lack a part of the log, so that later commits would be lost with it."""
        exists = os.path.isfile(address)  # noqa: PTH113 - pathlib starts slowly
        self.read_only = read_only or (exists and not os.access(address, os.W_OK)) or is_immutable(address)
        if read_only and not exists:
            raise StoreError(f"there is no store {address}", hint="a read-only store must exist")
        if not exists and is_special(address):
            raise StoreError(f"the store {address} is not a regular file", hint="choose another path")
        if not exists:
            _create_file(address, create_folder=create)
        with self.translate_errors:
            self.connection()

    def connection(self) -> Connection:
        """Return this thread's connection."""
        return self._connections.get()

    def reconnect(self, connection: Connection) -> Connection:
        """Return a new connection for small writes after a large one; the same one if the file was moved meanwhile.

        The text index (FTS5) keeps words in a hash table until the commit, and empties each slot of it then. It never
        shrinks: after 20,000 claims at once, each commit on the same connection took 85 µs longer.
        """
        if not os.path.isfile(self.address):  # noqa: PTH113 - SQLite would make another one
            return connection
        return self._connections.renew(connection)  # the last one to be closed would copy the whole log

    def _connect(self) -> Connection:
        if self.read_only:
            from howsure.store.backends.read_only import connect_to_read  # late, since a gate writes

            return connect_to_read(self.address)
        connection = open_file(self.address)
        try:
            if not self._is_checked:  # before anything is changed
                check_owner(self.address, *retry_while_locked(connection, TABLES)[0])
                self._is_checked = True
            # FULL: a commit is on the disk when it returns, unless the log is opened below and synced after it.
            # secure_delete: what is purged is overwritten.
            for pragma in ("journal_mode = WAL", "synchronous = FULL", "foreign_keys = ON", "secure_delete = ON"):
                retry_while_locked(connection, f"PRAGMA {pragma}")
            _set_memory(connection)
            prepare(connection)
            self._open_log(connection)
        except BaseException:
            connection.close()
            raise
        return connection

    def _open_log(self, connection: Connection) -> None:
        """Open the write-ahead log, to sync it after each commit instead of within it.

        Only on Linux: elsewhere `fdatasync` does not exist, or promises less than SQLite's own way.
        """
        if sys.platform == "linux":
            from howsure.store.backends.write_ahead_log import Turns, open_log

            if self._turns is None or self._turns.process != os.getpid():
                self._turns = Turns()
            retry_while_locked(connection, "SELECT 1 FROM sqlite_master LIMIT 1")  # now SQLite has opened it, too
            connection.log = open_log(self.address, self._turns)
            if connection.log is not None:
                connection.execute("PRAGMA synchronous = NORMAL")

    @contextmanager
    def read(self, *, separate: bool = False, point: bool = False) -> Iterator[Transaction]:  # noqa: ARG002
        """Open a read transaction, which sees one state of the store."""
        with self.translate_errors:
            connection = self._connect() if separate else self.connection()
            if connection.in_transaction:  # nested in another transaction of this thread: the same state
                if DEADLINE.give_way is not None:
                    take_break()
                yield SqliteTransaction(connection)
                return
            if DEADLINE.moment is not None and seconds_left():
                # Every 25,000 steps of SQLite's machine, about half a millisecond: costs less than 1 %.
                connection.set_progress_handler(is_over, 25_000)
            connection.execute("BEGIN")
            try:
                retry_while_locked(
                    connection, "SELECT 1 FROM sqlite_master LIMIT 1"
                )  # BEGIN is deferred: the first read fixes the state that is seen
                yield SqliteTransaction(connection)
            finally:
                connection.set_progress_handler(None, 0)
                _roll_back(connection)
                if separate:
                    connection.close()

    def write(self, *, wait: bool = True, large: bool = False) -> "WriteTransaction":
        """Open a write transaction; it is durable after commit."""
        if self.read_only:
            raise read_only_error(self, asked=os.access(self.address, os.W_OK))
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
            from howsure.store.backends.checkpoints import truncate_log

            truncate_log(self.connection())

    def mend_log(self, connection: Connection) -> None:
        """Start the log afresh after a failed sync, or raise StoreError."""
        from howsure.store.backends.checkpoints import restart_log

        restart_log(connection, self.address)
        self.is_log_broken = False

    def checkpoint(self) -> "BackgroundCheckpoint":
        """Return the checkpoints of large writes."""
        if self._checkpoint is None:
            from howsure.store.backends.checkpoints import BackgroundCheckpoint  # late, since a gate writes little

            self._checkpoint = BackgroundCheckpoint(self._connect)
        return self._checkpoint

    def close(self) -> None:
        """Close the connections of every thread."""
        if self._checkpoint is not None:
            self._checkpoint.wait()
        self._connections.close()


class WriteTransaction:
    """The context manager of a write transaction."""

    __slots__ = ("_began", "_changes", "_connection", "_database", "_large", "_log", "_timeout")

    def __init__(self, database: SqliteDatabase, timeout: float, large: bool) -> None:
        """Keep how long to wait for other writers, and whether the write is large."""
        self._database = database
        self._timeout = timeout
        self._large = large

    def __enter__(self) -> Transaction:
        """Wait for other writers and begin."""
        with self._database.translate_errors:
            connection = self._database.connection()
            if connection.is_large and not self._large and not connection.in_transaction:
                connection = self._database.reconnect(connection)
            self._connection = connection
            if self._large:
                if not connection.is_large:
                    _set_memory(connection, large=True)
                    connection.is_large = True
                self._database.checkpoint().wait()
            within = connection.in_transaction
            self._log = connection.log
            try:
                self._began = time.monotonic()
                left = self._timeout
                if self._log is not None and not within:
                    if self._database.is_log_broken:
                        self._database.mend_log(connection)
                    left = self._log.take_turn(left) if left else left
                try:
                    connection.execute("BEGIN IMMEDIATE")
                except sqlite3.OperationalError:  # most often because another program writes
                    retry_while_locked(connection, "BEGIN IMMEDIATE", left)
                self._changes = connection.total_changes
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
                    count_commit()
            except BaseException:
                self._rollback()
                raise
            if error is not None:
                self._rollback()
            else:
                self._sync()
                if self._large:
                    self._database.checkpoint().start()
            if logs_info():
                done = "rolled back" if error is not None else "committed"
                from howsure.wording import pluralize

                rows = pluralize(self._connection.total_changes - self._changes, "changed row")
                log_info("%s %s after %.1f ms", done, rows, (time.monotonic() - self._began) * 1e3)
        self._database.translate_errors.__exit__(kind, error, at)

    def _rollback(self) -> None:
        self._connection.cache = {}
        try:
            _roll_back(self._connection)
        finally:
            if self._log is not None:
                self._log.end_turn()

    def _sync(self) -> None:
        """End the turn, then wait until the commit is on the disk.

        Other writers build upon it meanwhile, and sync it with their own commits. So nothing is acknowledged that is
        not on the disk, but a read may see a commit before that.

        Raises:
            StoreError: if the disk fails. Then it is not known whether the commit will be there after a power failure.
        """
        if self._log is None:  # COMMIT has done it
            return
        self._log.end_turn()
        try:
            self._log.sync()
        except OSError as error:
            from howsure.store.backends.sqlite_errors import unconfirmed_commit

            self._database.is_log_broken = True
            with suppress(StoreError):
                self._database.mend_log(self._connection)
            raise unconfirmed_commit(error, self._database.address) from error


def _roll_back(connection: Connection) -> None:
    """End a transaction, unless SQLite has done that by itself, as after some errors."""
    if connection.in_transaction:
        connection.execute("ROLLBACK")


def _set_memory(connection: Connection, *, large: bool = False) -> None:
    """Set the size of the page cache and of the write-ahead log.

    Reusing a short log is twice as fast as extending it.
    """
    connection.execute(f"PRAGMA cache_size = -{CACHE_SIZE * (4 if large else 1)}")
    connection.execute(f"PRAGMA wal_autocheckpoint = {0 if large else WAL_PAGES}")


def _create_file(address: str, *, create_folder: bool) -> None:
    """Create an empty file that only its owner may read; SQLite gives the files beside it the same mode."""
    place = os.path.realpath(address)
    folder = os.path.dirname(place)  # noqa: PTH120 - pathlib starts slowly
    if not create_folder and not os.path.lexists(folder):
        hint = "is it misspelt? create the folder, or let howsure do it: howsure store migrate --create, create=True"
        raise StoreError(f"the folder of the store {address} does not exist", hint=hint)
    try:
        os.makedirs(folder, exist_ok=True)  # noqa: PTH103
    except OSError as error:
        raise StoreError(f"cannot make the folder of {address}: {error.strerror}") from error
    try:
        handle = os.open(place, os.O_RDWR | os.O_CREAT | os.O_EXCL, OWNER_ONLY)
    except OSError:  # another process was faster, or it cannot be created, which SQLite reports
        return
    try:
        if hasattr(os, "fchmod"):
            os.fchmod(handle, OWNER_ONLY)  # the umask may have taken away even the owner's rights
    finally:
        os.close(handle)


def open_file(address: str, *, uri: bool = False) -> Connection:
    """Open a connection, without any settings."""
    return sqlite3.connect(
        address, timeout=0, isolation_level=None, check_same_thread=False, uri=uri, factory=Connection
    )


def is_immutable(address: str) -> bool:
    """Return whether a store is on a read-only disk and has no write-ahead log, which could not be read there."""
    place = os.path.realpath(address)
    if not os.path.isfile(place) or os.path.exists(f"{place}-wal"):  # noqa: PTH110, PTH113
        return False
    return hasattr(os, "statvfs") and bool(os.statvfs(os.path.dirname(place)).f_flag & os.ST_RDONLY)  # noqa: PTH120


def retry_while_locked(connection: Connection, sql: str, timeout: float | None = None) -> list[Row]:
    """Run a statement, again and again while the file is locked; return its rows.

    SQLite's own busy handler is unfair among many writers.
    """
    deadline = time.monotonic() + (WRITE_TIMEOUT if timeout is None else timeout)
    while True:
        try:
            return connection.execute(sql).fetchall()
        except sqlite3.OperationalError as error:
            if "locked" not in str(error) or time.monotonic() >= deadline:
                raise
            time.sleep(RETRY_PAUSE)


def prepare(connection: sqlite3.Connection) -> None:
    """Define the functions that generated SQL uses, if the connection lacks them."""
    try:
        connection.execute("SELECT POWER(1.0, 1.0), EXP(1.0), LN(1.0), LOG2(1.0), SQRT(1.0), FLOOR(1.0)")
    except sqlite3.OperationalError:  # at least one is missing
        from howsure.store.backends.sqlite_functions import define_missing

        define_missing(connection)
