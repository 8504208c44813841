"""An event loop in a thread of its own, shared by callers in other threads and event loops.

One loop for all callers lets them share one client and one limit of concurrent requests, which an asyncio client bound
to the caller's loop could not.
"""

import asyncio
import contextlib
import os
import threading
from collections.abc import Awaitable, Callable, Coroutine
from concurrent.futures import Future
from typing import Any, TypeVar

T = TypeVar("T")
_STOP_SECONDS = 5.0
"""How long `stop` waits for the thread; it is a daemon, so it never keeps the program alive."""


class BackgroundLoop:
    """An event loop that runs in a daemon thread until it is stopped."""

    def __init__(self, name: str, on_stop: Callable[[], Awaitable[None]]) -> None:
        """Start the thread; `on_stop` is awaited before it ends."""
        self.process: int = os.getpid()
        """The process that started the thread: threads do not survive a fork."""
        self._on_stop = on_stop
        self._ready: Future[tuple[asyncio.AbstractEventLoop, asyncio.Event]] = Future()
        self._thread = threading.Thread(target=lambda: asyncio.run(self._serve()), name=name, daemon=True)
        self._thread.start()
        self._loop, self._end = self._ready.result()

    async def _serve(self) -> None:
        end = asyncio.Event()
        self._ready.set_result((asyncio.get_running_loop(), end))
        await end.wait()
        others = asyncio.all_tasks() - {asyncio.current_task()}
        for task in others:
            task.cancel()
        await asyncio.gather(*others, return_exceptions=True)
        await self._on_stop()

    def submit(self, work: Coroutine[Any, Any, T]) -> "Future[T]":
        """Run a coroutine in the loop and return its future. Not allowed after `stop`."""
        return asyncio.run_coroutine_threadsafe(work, self._loop)

    def stop(self) -> None:
        """Cancel all running work and end the thread."""
        if self.process != os.getpid() or not self._thread.is_alive():
            return
        with contextlib.suppress(RuntimeError):  # the loop was closed by another caller just now
            self._loop.call_soon_threadsafe(self._end.set)
        if threading.current_thread() is not self._thread:
            self._thread.join(_STOP_SECONDS)
