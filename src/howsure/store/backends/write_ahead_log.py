"""The write-ahead log of a SQLite file: writers take turns, and sync the log after their turn.

SQLite alone syncs the log while it holds the write lock. Here the turn ends before, so that the next writer works while
the disk does. What that gains is in docs/speed.md, how it was chosen in decision 0069.
"""

import errno
import fcntl
import os
import time
from _thread import allocate_lock
from contextlib import suppress

FIRST_PAUSE = 0.001
"""Seconds to wait before the second try to get a turn; half of it before the third, a third before the fourth."""

SHORTEST_PAUSE = 0.000_15
"""Seconds between tries of a writer that has waited for a few milliseconds: the longer it waits, the likelier it is
next. With equal pauses of 1 ms, one decision in a hundred waited half as long again."""

LONG_WAIT = 0.025
"""Seconds after which a large write is under way, or many small ones: tries are made less often."""

LONGEST_WAIT = 1.0
"""Seconds after which a writer goes on without its turn and tries to get SQLite's lock instead. A turn outlives its
process if that was killed in a write and a forked child is left."""

LONG_PAUSE = 0.002
"""Seconds between tries of a writer that has waited long."""

_CLOSED = -1
"""The handle of a log that is closed."""


class Turns:
    """The turns of the threads of one process, which wait for each other without asking again and again."""

    __slots__ = ("lock", "process")

    def __init__(self) -> None:
        """Start with nobody's turn."""
        self.lock = allocate_lock()
        self.process = os.getpid()


class WriteAheadLog:
    """The log, as one connection uses it.

    Turns only order the writers. SQLite's own lock still decides who may write, so that a writer which has waited too
    long for its turn, or another program, does no harm.
    """

    __slots__ = ("_handle", "_turns", "_wants_lock")

    def __init__(self, address: str, turns: Turns) -> None:
        """Open the log of a SQLite file, from which its connection has read: SQLite deletes no log that is in use.

        Raises:
            OSError: if it does not exist.
        """
        self._turns = turns
        self._wants_lock = False
        self._handle: int = os.open(f"{os.path.realpath(address)}-wal", os.O_RDWR)

    def take_turn(self, timeout: float) -> float:
        """Wait until no other writer has the turn, at most so many seconds; return how many are left."""
        if self._wants_lock:  # left over from a turn whose end was interrupted
            self.end_turn()
        start = time.monotonic()
        longest = min(timeout, LONGEST_WAIT)
        # Noted before: after Ctrl-C within `acquire`, one thread may come too early, but none waits for a turn that
        # nobody ends.
        self._wants_lock = True
        self._wants_lock = self._turns.lock.acquire(timeout=longest)
        if not self._try():
            self._wait(start + longest)
        return max(0.0, start + timeout - time.monotonic())

    def _wait(self, deadline: float) -> None:
        """Wait for another process. `flock` itself could wait, but has no time limit: a stopped process stops all."""
        start = now = time.monotonic()
        pause, tries = FIRST_PAUSE, 1
        while now < deadline:
            time.sleep(pause if now - start < LONG_WAIT else LONG_PAUSE)
            if self._try():
                return
            tries += 1
            pause = max(FIRST_PAUSE / tries, SHORTEST_PAUSE)
            now = time.monotonic()

    def _try(self) -> bool:
        try:
            fcntl.flock(self._handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        except OSError:  # a file system without such locks has no turns
            return True
        return True

    def end_turn(self) -> None:
        """Let the next writer begin. Does nothing if it is not this one's turn."""
        try:
            with suppress(OSError, ValueError):  # a file system without such locks; a log that is closed
                fcntl.flock(self._handle, fcntl.LOCK_UN)
        finally:  # Ctrl-C while it waited for the interpreter's lock
            if self._wants_lock:
                with suppress(RuntimeError):  # nobody's
                    self._turns.lock.release()
                self._wants_lock = False

    def sync(self) -> None:
        """Wait until everything that was committed before is on the disk.

        Raises:
            OSError: if the disk fails.
        """
        if self._handle == _CLOSED:
            raise OSError(errno.EBADF, os.strerror(errno.EBADF))
        os.fdatasync(self._handle)

    def close(self) -> None:
        """End the turn and close the log; a sync fails from now on."""
        self.end_turn()
        handle, self._handle = self._handle, _CLOSED
        os.close(handle)


def open_log(address: str, turns: Turns) -> WriteAheadLog | None:
    """Open the log of a SQLite file; None if it is not there, as for a file that was moved meanwhile."""
    try:
        return WriteAheadLog(address, turns)
    except OSError:
        return None
