"""Thread pools: each kind of work has its own, so that none waits for another.

Health and token checks take a millisecond and come before everything else; the gate decides about responses while
somebody waits; pages of the dashboard may compute for seconds.
"""

import asyncio
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

from howsure.serve.errors import HTTPError
from howsure.serve.tracing import run_in_pool
from howsure.store.deadline import deadline

T = TypeVar("T")


class Pool:
    """Threads for one kind of work."""

    def __init__(self, threads: int, name: str) -> None:
        """Start with idle threads."""
        self.threads: ThreadPoolExecutor = ThreadPoolExecutor(threads, f"howsure-{name}")

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
        future = run_in_pool(self.threads, _run, until, work, arguments)
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


def _run(until: float | None, work: Callable[..., T], arguments: tuple[Any, ...]) -> T:
    with deadline(until):
        return work(*arguments)
