"""A loop in the background: asking from threads and from other event loops goes through one, and shares its limits."""

import asyncio
import contextlib
import os
import threading
from collections.abc import Awaitable, Callable, Coroutine
from concurrent.futures import Future
from typing import Any, TypeVar

T = TypeVar("T")
_PATIENCE = 5.0
"""Seconds to wait for the thread to end; it does not keep the program alive."""


class Background:
    """An event loop that runs in a thread of its own until it is stopped."""

    def __init__(self, name: str, closing: Callable[[], Awaitable[None]]) -> None:
        """Start the thread; `closing` is awaited when it ends."""
        self.process = os.getpid()
        self._closing = closing
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
        await self._closing()

    def submit(self, work: Coroutine[Any, Any, T]) -> "Future[T]":
        """Start some work, and return where its result will be. Not after `stop`."""
        return asyncio.run_coroutine_threadsafe(work, self._loop)

    def stop(self) -> None:
        """Cancel what is under way, and end the thread."""
        if self.process != os.getpid() or not self._thread.is_alive():  # threads do not survive a fork
            return
        with contextlib.suppress(RuntimeError):  # somebody else stopped it just now
            self._loop.call_soon_threadsafe(self._end.set)
        if threading.current_thread() is not self._thread:
            self._thread.join(_PATIENCE)
