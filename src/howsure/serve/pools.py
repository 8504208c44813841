"""Thread pools: each kind of work has its own, so that none waits for another.

Health and token checks take a millisecond and come before everything else; the gate decides about responses while
somebody waits; pages of the dashboard may compute for seconds.
"""

import asyncio
import os
import sys
import threading
import time
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, nullcontext, suppress
from threading import Event, Lock
from typing import Any, TypeVar

from howsure.serve.errors import HTTPError
from howsure.serve.tracing import run_in_pool
from howsure.store.backends.deadline import deadline

T = TypeVar("T")
GIVE_WAY = 0.01
"""Seconds that a thread waits at most, each time it gives way."""
URGENT = 0.05
"""Seconds after which a piece of work is no longer urgent, such as one that waits for a language model."""
NICENESS = 15
"""How much less of the processors the threads of pages get than others, on Linux: see `_lower_priority`."""
ALONE = 0.5
"""Seconds after which a thread no longer keeps another one of its pool waiting for its turn."""


class Turns:
    """Lets one thread work at a time, and the next one as soon as it is done or has worked for half a second.

    Two threads that compute in Python are not faster than one, and a gate check that needs the interpreter's lock
    would wait for both. A thread that waits for a slow query must not stop the others.
    """

    def __init__(self) -> None:
        """Start with nobody's turn."""
        self._lock = Lock()
        self._mine = threading.local()

    def __enter__(self) -> None:
        """Wait for a turn."""
        self._mine.acquired = self._lock.acquire(timeout=ALONE)

    def __exit__(self, *_: object) -> None:
        """End the turn."""
        if self._mine.acquired:
            self._lock.release()


class UrgentWork:
    """Says whether urgent work is going on, for which other threads wait a moment. Thread-safe.

    A gate check takes about a millisecond, and the interpreter's lock twenty times: after each statement of SQLite. If
    threads for pages compute meanwhile, it waits for one of them each time.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        """Start without any."""
        self._clock = clock
        self._running = 0
        self._until = float("-inf")
        self._lock = Lock()
        self._none = Event()
        self._none.set()

    def __enter__(self) -> None:
        """Begin a piece of urgent work."""
        with self._lock:
            self._running += 1
            self._until = self._clock() + URGENT
            self._none.clear()

    def __exit__(self, *_: object) -> None:
        """End a piece of urgent work."""
        with self._lock:
            self._running -= 1
            if not self._running:
                self._none.set()

    @property
    def is_going_on(self) -> bool:
        """Whether there is urgent work that began at most 50 ms ago."""
        return not self._none.is_set() and self._clock() < self._until

    def give_way(self) -> None:
        """Wait until no urgent work is going on, but at most 10 ms, so that other work makes progress too."""
        until = self._clock() + GIVE_WAY
        while self.is_going_on:  # again: between two checks of the same client there are 0.2 ms, too few to wake up
            left = min(until, self._until) - self._clock()
            if left <= 0:
                return
            self._none.wait(left)


async def gather_all(*work: Awaitable[Any]) -> list[Any]:
    """Wait for several results; if one of them fails, cancel the others and wait for their ends, then raise its error.

    `asyncio.gather` leaves the others alone. If the loop ends before them, the error of another one, such as that the
    same claim is unknown, is logged as never retrieved, whenever the garbage collector comes upon it.
    """
    tasks = [asyncio.ensure_future(one) for one in work]
    try:
        return await asyncio.gather(*tasks)
    except BaseException:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        raise


def _lower_priority() -> None:
    """Let the kernel prefer other threads to this one, on Linux, where each thread has its own priority.

    Giving way in Python is not enough: until the event loop gets a processor, it cannot say that a check has come. At a
    million claims and with eight readers on two cores, the gate's p99 was 4.1 to 4.4 times that when idle, and is 2.0
    to 2.4 times with this and with shorter turns. The price: if other programs occupy all processors, a page thread
    that holds the interpreter's lock may have to wait for them, which one check in a thousand notices, and the page of
    a claim with 10,000 relations takes 1.1 s instead of 44 ms.
    """
    if sys.platform == "linux":  # elsewhere the number would mean a process
        thread = threading.get_native_id()
        with suppress(OSError):  # a sandbox may forbid it
            os.setpriority(os.PRIO_PROCESS, thread, max(NICENESS, os.getpriority(os.PRIO_PROCESS, thread)))


class Pool:
    """Threads for one kind of work."""

    def __init__(
        self, threads: int, name: str, urgent: UrgentWork | None = None, *, gives_way_to: UrgentWork | None = None
    ) -> None:
        """Start with idle threads.

        Their work is urgent; or it gives way to what is, each time it reads the store, and they take turns.
        """
        prepare = _lower_priority if gives_way_to else None
        self.threads: ThreadPoolExecutor = ThreadPoolExecutor(threads, f"howsure-{name}", prepare)
        self._turn: AbstractContextManager[None] = urgent or (Turns() if gives_way_to else nullcontext())
        self._give_way = gives_way_to.give_way if gives_way_to else None

    async def run(self, work: Callable[..., T], *arguments: Any, seconds: float, cancel: bool) -> T:
        """Run a function in a thread and return its result.

        Args:
            work: The function.
            arguments: Its arguments.
            seconds: How long it may take, with the time that it waits for a thread.
            cancel: After that time, cancel what it reads from the store. Otherwise it goes on in its thread.

        Raises:
            HTTPError: if it takes longer.
        """
        until = time.monotonic() + seconds if cancel else None
        future = run_in_pool(self.threads, self._run, until, work, arguments)
        try:
            return await asyncio.wait_for(future, seconds)
        except TimeoutError:
            hint = "it may still complete: retry with the same Idempotency-Key, if you sent one"
            if cancel:
                hint = "it was cancelled: ask for less, or try again"
            raise HTTPError(504, "timeout", f"this took longer than {seconds:g} s", hint=hint) from None

    def close(self) -> None:
        """Wait for the threads to end."""
        self.threads.shutdown(wait=True, cancel_futures=True)

    def _run(self, until: float | None, work: Callable[..., T], arguments: tuple[Any, ...]) -> T:
        with self._turn, deadline(until, self._give_way):
            if self._give_way is not None:
                self._give_way()
            return work(*arguments)
