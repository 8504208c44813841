"""One database connection per thread, closed with its thread and never shared with a forked process."""

import os
import threading
import weakref
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Generic, TypeVar

C = TypeVar("C")


class _OwnedConnection(Generic[C]):
    """A connection and the process that opened it; closed when it is garbage collected, but only in that process."""

    def __init__(self, connection: C) -> None:
        self.connection = connection
        self.process = os.getpid()

    def close(self) -> None:
        if self.process == os.getpid():
            with suppress(Exception):  # closing a broken connection may fail
                connection: Any = self.connection
                connection.close()

    __del__ = close


class ThreadConnections(Generic[C]):
    """One database connection per thread.

    A connection is closed when its thread ends. After a fork the child opens its own: closing an inherited connection
    would close the parent's socket or drop its SQLite locks. SQLite and PostgreSQL both use this class; psycopg_pool
    was slower and needed more code: see decision 0014.
    """

    def __init__(self, connect: Callable[[], C]) -> None:
        """Use a function that opens a connection."""
        self._connect = connect
        self._local = threading.local()
        self._inherited: list[_OwnedConnection[C]] = []
        self._all: weakref.WeakSet[_OwnedConnection[C]] = weakref.WeakSet()

    def get(self) -> C:
        """Return the connection of this thread; open it if there is none."""
        owned: _OwnedConnection[C] | None = getattr(self._local, "owned", None)
        if owned is not None and owned.process != os.getpid():
            self._inherited.append(owned)  # kept alive: closing it here would break the parent's
        if owned is None or owned.process != os.getpid():
            owned = _OwnedConnection(self._connect())
            self._local.owned = owned
            self._all.add(owned)
        return owned.connection

    def drop(self) -> None:
        """Close this thread's connection; the next `get` opens another."""
        owned: _OwnedConnection[C] | None = getattr(self._local, "owned", None)
        if owned is not None:
            owned.close()
            del self._local.owned

    def close(self) -> None:
        """Close the connections of every thread."""
        for owned in list(self._all):
            owned.close()
        self._all.clear()
        self._local = threading.local()
