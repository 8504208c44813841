"""Copy the write-ahead log of a SQLite store into its file, beside the thread that writes."""

import threading
from contextlib import suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from howsure.store.sqlite import Connection


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
