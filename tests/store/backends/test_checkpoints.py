"""After a large write the log of a SQLite store is copied into its file, beside the thread that goes on."""

import shutil
import sqlite3
from pathlib import Path

import pytest

from howsure.errors import StoreError
from howsure.store.backends.sqlite import SqliteDatabase

ROWS = 10_000
"""More pages than the log has before a small write copies it."""


@pytest.fixture
def database(tmp_path: Path) -> SqliteDatabase:
    """Give a database with one empty table."""
    made = SqliteDatabase(str(tmp_path / "a.db"))
    with made.write() as transaction:
        transaction.run("CREATE TABLE texts (text TEXT)")
    return made


def write(database: SqliteDatabase) -> None:
    """Write something large."""
    with database.write(large=True) as transaction:
        transaction.many("INSERT INTO texts VALUES (?)", [("x" * 1000,)] * ROWS)


def rows_without_log(database: SqliteDatabase, folder: Path) -> int:
    """Count the rows that are in the file itself."""
    shutil.copy(database.address, folder / "copy.db")
    with sqlite3.connect(folder / "copy.db") as connection:
        return int(connection.execute("SELECT COUNT(*) FROM texts").fetchone()[0])


def test_the_log_is_copied_after_a_large_write_and_used_again(database: SqliteDatabase, tmp_path: Path) -> None:
    write(database)
    database.checkpoint().wait()
    assert rows_without_log(database, tmp_path) == ROWS
    log = tmp_path / "a.db-wal"
    size = log.stat().st_size
    for _ in range(3):
        write(database)  # waits for the checkpoint of the one before
    assert log.stat().st_size < 1.5 * size
    database.checkpoint().wait()
    assert rows_without_log(database, tmp_path) == 4 * ROWS
    database.close()


def test_a_large_write_that_is_rolled_back_starts_none(database: SqliteDatabase, tmp_path: Path) -> None:
    database.checkpoint().start = lambda: pytest.fail("started")  # type: ignore[method-assign]
    with pytest.raises(StoreError), database.write(large=True) as transaction:
        transaction.many("INSERT INTO texts VALUES (?, ?)", [("x", "too many")])
    with database.write() as transaction:
        transaction.run("INSERT INTO texts VALUES ('x')")
    database.close()
    assert rows_without_log(database, tmp_path) == 1


def _fail() -> None:
    raise sqlite3.OperationalError("database or disk is full")


def test_what_was_committed_stays_if_the_checkpoint_fails(
    database: SqliteDatabase, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    checkpoint = database.checkpoint()
    monkeypatch.setattr(checkpoint, "_connect", _fail)
    write(database)
    checkpoint.wait()
    with database.read() as transaction:
        assert transaction.value("SELECT COUNT(*) FROM texts") == ROWS
    other = sqlite3.connect(database.address)  # else the log is copied when the connection of the large write is closed
    other.execute("SELECT COUNT(*) FROM texts").fetchall()
    with database.write() as transaction:  # a small write copies the log by itself, once it is long enough
        transaction.run("INSERT INTO texts VALUES ('x')")
    assert rows_without_log(database, tmp_path) == ROWS + 1
    other.close()
    database.close()


def test_a_small_write_after_a_large_one_has_a_new_connection(database: SqliteDatabase) -> None:
    """The text index would empty a large table of words at each commit: 85 µs more after 20,000 claims."""
    write(database)
    large = database.connection()
    write(database)
    assert database.connection() is large
    with database.write() as transaction:
        transaction.run("DELETE FROM texts")
    small = database.connection()
    assert small is not large
    with pytest.raises(sqlite3.ProgrammingError, match="closed"):
        large.execute("SELECT 1")
    with database.write() as transaction:
        assert transaction.value("SELECT COUNT(*) FROM texts") == 0
    assert database.connection() is small
    database.close()


def test_a_small_write_within_a_read_after_a_large_write_is_refused(database: SqliteDatabase) -> None:
    write(database)
    with database.read() as reading:
        with pytest.raises(StoreError, match="within a transaction"), database.write():
            pytest.fail("began")
        assert reading.value("SELECT COUNT(*) FROM texts") == ROWS  # the connection of the reader is kept
    database.close()
