"""Writers of one SQLite file take turns; none waits for ever, and none loses its turn for good."""

import errno
import fcntl
import os
import signal
import sqlite3
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from pathlib import Path

import pytest

from howsure.errors import StoreError
from howsure.store.backends.sqlite import SqliteDatabase
from howsure.store.backends.write_ahead_log import Turns, WriteAheadLog
from howsure.sure import open as open_store
from tests.store.children import sound, started

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="turns are taken on Linux only")


def test_a_process_that_is_stopped_while_it_writes_stops_others_for_the_time_limit_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    address = str(tmp_path / "store.db")
    with open_store(address) as sure, started("stop_in_a_write", address) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"begun\n"
        process.send_signal(signal.SIGSTOP)
        monkeypatch.setattr("howsure.store.backends.sqlite.WRITE_TIMEOUT", 0.3)
        start = time.monotonic()
        with ThreadPoolExecutor(4) as pool:
            errors = [pool.submit(sure.claims.add, f"claim {number}").exception() for number in range(4)]
        assert all("database is locked" in str(error) for error in errors)
        assert time.monotonic() - start < 10  # together, not one after the other
        process.kill()
        process.wait()
        assert sure.claims.add("after it").outcome == "created"
    assert set(sound(address).values()) == {"after it"}


def test_a_write_that_does_not_wait_is_refused_while_another_has_the_turn(tmp_path: Path) -> None:
    with open_store(str(tmp_path / "store.db")) as sure:
        database = sure.session.database

        def write() -> None:
            with database.write(wait=False):
                raise AssertionError

        with database.write(), ThreadPoolExecutor(1) as pool:
            assert isinstance(pool.submit(write).exception(), StoreError)


def test_a_failed_write_ends_its_turn(tmp_path: Path) -> None:
    with open_store(str(tmp_path / "store.db")) as sure:
        database = sure.session.database
        for _ in range(3):
            with pytest.raises(ZeroDivisionError), database.write():
                raise ZeroDivisionError
            with pytest.raises(StoreError, match="within a transaction"), database.write(), database.write():
                raise AssertionError
        start = time.monotonic()
        with ThreadPoolExecutor(4) as pool:
            list(pool.map(sure.claims.add, map(str, range(20))))
        assert time.monotonic() - start < 10
        assert sure.claims.count().total == 20


def test_threads_write_one_after_the_other_and_all_of_them_write(tmp_path: Path) -> None:
    inside, most = [0], [0]
    with open_store(str(tmp_path / "store.db")) as sure:
        database = sure.session.database

        def write(_: int) -> None:
            with database.write() as transaction:
                inside[0] += 1
                most[0] = max(most[0], inside[0])
                transaction.run("UPDATE howsure_schema SET version = version")
                inside[0] -= 1

        with ThreadPoolExecutor(8) as pool:
            list(pool.map(write, range(400)))
    assert most == [1]


def test_a_child_does_not_wait_for_a_turn_of_its_parents_threads(tmp_path: Path) -> None:
    """SQLite itself cannot be used in a child that was forked within a write, but between turn and write it can."""
    with open_store(str(tmp_path / "store.db")) as sure:
        database = sure.session.database
        assert isinstance(database, SqliteDatabase)
        turns = database._turns
        assert turns is not None
        turns.lock.acquire()
        child = os.fork()
        if not child:
            with suppress(BaseException):
                start = time.monotonic()
                sure.claims.add("by the child")
                os._exit(0 if time.monotonic() - start < 20 else 1)  # after 30 s it would no longer wait
            os._exit(2)
        turns.lock.release()
        assert os.waitpid(child, 0)[1] == 0
        assert sure.claims.count().total == 1


def test_the_handles_of_a_closed_store_are_closed(tmp_path: Path) -> None:
    def handles() -> int:
        return len(list(Path("/proc/self/fd").iterdir()))

    with open_store(str(tmp_path / "store.db")) as sure:
        sure.claims.add("first")
    before = handles()
    for number in range(5):
        with open_store(str(tmp_path / "store.db")) as sure, ThreadPoolExecutor(3) as pool:
            list(pool.map(sure.claims.add, [f"{number} {name}" for name in "abc"]))
    assert handles() == before


def _fail_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the next sync of a log fail as if the disk did."""
    real = WriteAheadLog.sync

    def fail(self: WriteAheadLog) -> None:
        monkeypatch.setattr(WriteAheadLog, "sync", real)
        raise OSError(errno.EIO, "Input/output error")

    monkeypatch.setattr(WriteAheadLog, "sync", fail)


def _frames(address: str) -> int:
    """Return how many frames the log holds since it was last started."""
    with closing(sqlite3.connect(address)) as connection:
        return int(connection.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchone()[1])


def test_after_a_failed_sync_the_log_is_started_afresh(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Commits behind a part of the log that the disk lacks would be lost with it."""
    address = str(tmp_path / "store.db")
    with open_store(address) as sure:
        for number in range(20):
            sure.claims.add(f"claim {number}")
        before = _frames(address)
        _fail_once(monkeypatch)
        with pytest.raises(StoreError, match="may have been done") as error:
            sure.claims.add("unconfirmed")
        assert error.value.done == "unknown"
        sure.claims.add("after it")
        assert _frames(address) < before


def test_nothing_is_written_while_the_log_cannot_be_started_afresh(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("howsure.store.backends.checkpoints.RESTART_TIMEOUT", 0.02)
    address = str(tmp_path / "store.db")
    with open_store(address) as sure:
        sure.claims.add("before")
        with closing(sqlite3.connect(address, isolation_level=None)) as reader:
            reader.execute("BEGIN")
            reader.execute("SELECT COUNT(*) FROM claims").fetchall()
            _fail_once(monkeypatch)
            with pytest.raises(StoreError, match="did not confirm"):
                sure.claims.add("unconfirmed")
            for _ in range(2):
                with pytest.raises(StoreError, match="could not be started afresh") as error:
                    sure.claims.add("refused")
                assert error.value.done == "nothing"
            reader.execute("COMMIT")
        sure.claims.add("after it")
    assert set(sound(address).values()) == {"before", "unconfirmed", "after it"}


def test_a_turn_whose_end_was_interrupted_ends_with_the_next_write(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with open_store(str(tmp_path / "store.db")) as sure:
        real = fcntl.flock

        def interrupt(handle: int, how: int) -> None:
            real(handle, how)
            if how == fcntl.LOCK_UN:
                monkeypatch.setattr("fcntl.flock", real)
                raise KeyboardInterrupt

        monkeypatch.setattr("fcntl.flock", interrupt)
        with pytest.raises(KeyboardInterrupt):
            sure.claims.add("interrupted")
        start = time.monotonic()
        with ThreadPoolExecutor(2) as pool:
            list(pool.map(sure.claims.add, ["a", "b", "c"]))
        sure.claims.add("d")
        assert time.monotonic() - start < 0.9  # a turn that nobody ends is waited for one second


def test_a_turn_that_outlives_its_process_delays_others_for_a_second(tmp_path: Path) -> None:
    """A child that is forked within a write holds the turn, too, if its parent is killed."""
    address = str(tmp_path / "store.db")
    with open_store(address) as sure:
        sure.claims.add("before")
        log = WriteAheadLog(address, Turns())
        log.take_turn(1.0)  # as somebody else, who never ends it
        start = time.monotonic()
        sure.claims.add("after")
        assert 0.9 < time.monotonic() - start < 10
        log.close()


def test_a_log_that_was_closed_is_not_taken_for_synced(tmp_path: Path) -> None:
    address = str(tmp_path / "store.db")
    with open_store(address) as sure:
        sure.claims.add("before")
        log = WriteAheadLog(address, Turns())
        log.close()
        with pytest.raises(OSError, match="Bad file descriptor"):
            log.sync()
