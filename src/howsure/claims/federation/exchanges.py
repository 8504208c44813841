"""Many exchanges at the same time, each within its own time."""

import time
from collections.abc import Iterable, Iterator
from queue import Empty, SimpleQueue
from threading import BoundedSemaphore, Thread

from howsure.claims.federation.exchange import Call, Reply, exchange, late

AT_ONCE = 128
"""Exchanges of this process that may be under way; those that are late and cannot be broken off count, too."""
_ROOM = BoundedSemaphore(AT_ONCE)


class Exchanges:
    """Exchanges under way. What comes of them is given as it comes, and nothing keeps the program from ending."""

    def __init__(self, calls: Iterable[Call]) -> None:
        """Start them all."""
        self._replies: SimpleQueue[tuple[Call, Reply]] = SimpleQueue()
        self._waiting: dict[str, tuple[Call, float]] = {}
        for call in calls:
            until = time.monotonic() + call.seconds
            self._waiting[call.name] = (call, until)
            if not self._started(call, until):
                self._replies.put((call, Reply("unreachable", 0.0, reason="too much is under way; try again")))

    def _started(self, call: Call, until: float) -> bool:
        if not _ROOM.acquire(blocking=False):
            return False
        try:
            Thread(target=self._exchange, args=(call, until), name="howsure-peer", daemon=True).start()
        except RuntimeError:  # the system has no room for another thread
            _ROOM.release()
            return False
        return True

    def _exchange(self, call: Call, until: float) -> None:
        try:
            self._replies.put((call, exchange(call, until)))
        finally:
            _ROOM.release()

    def __iter__(self) -> Iterator[tuple[str, Reply]]:
        """Give the name of each peer with its reply, or with the reply that there is none in time."""
        while self._waiting:
            first = min(until for _, until in self._waiting.values())
            try:
                call, reply = self._replies.get(timeout=max(0.0, first - time.monotonic()))
            except Empty:
                over = [one for one, until in self._waiting.values() if until <= time.monotonic()]
                for one in over:
                    del self._waiting[one.name]
                    yield one.name, late(one)
                continue
            if self._waiting.pop(call.name, None):
                yield call.name, reply
