"""Copy the write-ahead log of a SQLite store into its file: beside the thread that writes, or to empty the log."""

import sqlite3
import threading
from contextlib import suppress
from typing import TYPE_CHECKING

from howsure.errors import StoreError

if TYPE_CHECKING:
    from collections.abc import Callable

    from howsure.store.backends.sqlite import Connection


SETTLE_TIMEOUT = 5.0
"""Seconds to wait for readers of an older state before deleted text is left in the write-ahead log for now."""
RESTARTS = 3
"""How often it is tried to start the log afresh after a failed sync."""
RESTART_TIMEOUT = 0.5
"""Seconds to wait for readers and writers at each try."""


def truncate_log(connection: "Connection") -> None:
    """Copy the whole log into the file and empty it.

    Raises:
        StoreError: if readers of an older state still need it.
    """
    if not _checkpoint(connection, "TRUNCATE", SETTLE_TIMEOUT):
        problem = "it is deleted, but its text stays in the log while others read an older state"
        raise StoreError(problem, hint="close every reader and purge again, to empty the log")


def restart_log(connection: "Connection", address: str) -> None:
    """Copy the whole log into the file, so that the next writer starts it afresh.

    The kernel reports a failed write once to each handle of the log, so that SQLite's own may have to fail first.

    Raises:
        StoreError: if that does not work, because the disk still fails or somebody reads an older state.
    """
    for _ in range(RESTARTS):
        with suppress(sqlite3.Error):
            if _checkpoint(connection, "RESTART", RESTART_TIMEOUT):
                return
    problem = f"the store {address} failed: after a disk error its log could not be started afresh"
    raise StoreError(problem, hint="check the disk, and close programs that have been reading for long; try again")


def _checkpoint(connection: "Connection", mode: str, timeout: float) -> bool:
    """Run a checkpoint of the whole log; return False if somebody still needs the log after so many seconds."""
    connection.execute(f"PRAGMA busy_timeout = {int(timeout * 1000)}")  # only SQLite itself can wait for readers
    try:
        ((busy, *_),) = connection.execute(f"PRAGMA wal_checkpoint({mode})").fetchall()
    finally:
        connection.execute("PRAGMA busy_timeout = 0")
    return not busy


class BackgroundCheckpoint:
    """A checkpoint in a thread of its own, while the next part of a large write is read and prepared.

    A commit is durable without it. If it fails, the log stays as it is until the next one.
    """

    def __init__(self, connect: "Callable[[], Connection]") -> None:
        """Use a function that opens a connection."""
        self._connect = connect
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Start a checkpoint."""
        thread = threading.Thread(target=self._run, name="howsure checkpoint")
        thread.start()
        self._thread = thread

    def wait(self) -> None:
        """Wait for the last checkpoint. A write that begins after it reuses the log; an earlier one would extend it."""
        if self._thread is not None:
            self._thread.join()
            self._thread = None

    def _run(self) -> None:
        with suppress(Exception):  # such as a full disk, which the next commit reports
            connection = self._connect()
            try:
                connection.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchall()
            finally:
                connection.close()
