"""Connections held by threads: each thread its own, gone with the thread, and never shared with a forked process."""

import os
import threading
import weakref
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Generic, TypeVar

C = TypeVar("C")


class _Held(Generic[C]):
    def __init__(self, connection: C) -> None:
        self.connection = connection
        self.process = os.getpid()

    def close(self) -> None:
        if self.process == os.getpid():
            with suppress(Exception):  # a connection that is broken is closed as well as can be
                connection: Any = self.connection
                connection.close()

    __del__ = close


class Connections(Generic[C]):
    """One connection for each thread that asks."""

    def __init__(self, connect: Callable[[], C]) -> None:
        """Take what opens a connection."""
        self._connect = connect
        self._local = threading.local()
        self._inherited: list[_Held[C]] = []
        self._all: weakref.WeakSet[_Held[C]] = weakref.WeakSet()

    def get(self) -> C:
        """Return this thread's connection, opened now if there is none."""
        held: _Held[C] | None = getattr(self._local, "held", None)
        if held is not None and held.process != os.getpid():
            self._inherited.append(held)  # never closed here: that would end what the parent still uses
        if held is None or held.process != os.getpid():
            held = _Held(self._connect())
            self._local.held = held
            self._all.add(held)
        return held.connection

    def drop(self) -> None:
        """Close this thread's connection; the next `get` opens another."""
        held: _Held[C] | None = getattr(self._local, "held", None)
        if held is not None:
            held.close()
            del self._local.held

    def close(self) -> None:
        """Close the connections of every thread."""
        for held in list(self._all):
            held.close()
        self._all.clear()
        self._local = threading.local()
