"""Streaming: a long answer, one JSON record per line, as fast as it is read and no faster."""

import asyncio
import logging
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError, ThreadPoolExecutor
from contextlib import closing, suppress
from threading import Event, Semaphore
from typing import Any

import orjson
from starlette.types import Receive, Scope, Send

from howsure.errors import HowsureError
from howsure.serve.errors import WebError, refusal

log = logging.getLogger(__name__)

BLOCK = 65_536
"""Bytes that are sent at once."""
AHEAD = 4
"""Blocks that are made before they are sent."""


class _GoneError(Exception):
    """Nobody takes what is read any more."""


class Streams:
    """Long answers under way: each has a thread of its own, in which all of it is read from the store."""

    def __init__(self, most: int = 4, patience: float = 60.0) -> None:
        """Take how many there may be at once, and how many seconds to wait for a reader that has stopped reading."""
        self.patience = patience
        self._threads = ThreadPoolExecutor(most, "howsure-stream")
        self._free = Semaphore(most)

    def open(self, begin: Callable[[], Iterator[Any]]) -> "Stream":
        """Return a long answer; refuse it where too many are under way."""
        if not self._free.acquire(blocking=False):
            raise WebError(503, "busy", "too many long answers are under way", hint="try again", Retry_After="5")
        return Stream(self, begin)

    def close(self) -> None:
        """Let the threads end."""
        self._threads.shutdown(wait=False, cancel_futures=True)


class Stream:
    """One long answer. It is an ASGI application that sends it."""

    def __init__(self, streams: Streams, begin: Callable[[], Iterator[Any]]) -> None:
        """Take what gives the records, once it is called."""
        self._streams = streams
        self._begin = begin
        self._stop = Event()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the answer, or an error where it cannot even begin."""
        loop = asyncio.get_running_loop()
        blocks: asyncio.Queue[Any] = asyncio.Queue(AHEAD)

        def hand_over(block: Any) -> None:
            try:
                asyncio.run_coroutine_threadsafe(blocks.put(block), loop).result(2 * self._streams.patience)
            except (TimeoutError, RuntimeError, CancelledError) as error:  # the server is ending
                raise _GoneError from error

        thread = loop.run_in_executor(self._streams._threads, self._read, hand_over)  # noqa: SLF001 - one noun in two
        leaving = asyncio.ensure_future(_left(receive))
        try:
            block = await self._next(blocks, leaving)
            if isinstance(block, HowsureError):
                await refusal(block)(scope, receive, send)
                return
            headers = [(b"content-type", b"application/x-ndjson")]
            await send({"type": "http.response.start", "status": 200, "headers": headers})
            while block is not None:
                if isinstance(block, HowsureError):
                    block = bytes(refusal(block).body) + b"\n"
                    self._stop.set()
                message = {"type": "http.response.body", "body": block, "more_body": True}
                await asyncio.wait_for(send(message), self._streams.patience)
                block = await self._next(blocks, leaving)
            await send({"type": "http.response.body", "body": b"", "more_body": False})
        except (TimeoutError, OSError):
            log.info("a long answer was given up: nobody reads it")
        finally:
            self._stop.set()
            leaving.cancel()
            while not thread.done():  # it may wait to hand something over
                while not blocks.empty():
                    blocks.get_nowait()
                await asyncio.sleep(0.01)
            self._streams._free.release()  # noqa: SLF001 - likewise

    async def _next(self, blocks: "asyncio.Queue[Any]", leaving: "asyncio.Future[None]") -> Any:
        """Return the next block; nothing at the end, or when the reader has left."""
        coming = asyncio.ensure_future(blocks.get())
        await asyncio.wait({coming, leaving}, return_when=asyncio.FIRST_COMPLETED)
        if coming.done():
            return coming.result()
        coming.cancel()
        raise OSError("the reader has left")

    def _read(self, hand_over: Callable[[Any], None]) -> None:
        """Read all records, and hand them over block by block; at the end nothing."""
        with suppress(_GoneError):
            try:
                with closing(self._begin()) as records:  # type: ignore[type-var]
                    for block in _blocks(records):
                        if self._stop.is_set():
                            return
                        hand_over(block)
            except HowsureError as error:
                hand_over(error)
            except _GoneError:
                raise
            except Exception:
                log.exception("a long answer failed")
                hand_over(WebError(500, "internal", "something went wrong on the server", hint="its log has more"))
            hand_over(None)


def _blocks(records: Iterator[Any]) -> Iterator[bytes]:
    """Give records as lines, many at once."""
    lines, size = [], 0
    for record in records:
        lines.append(orjson.dumps(record, option=orjson.OPT_APPEND_NEWLINE))
        size += len(lines[-1])
        if size >= BLOCK:
            yield b"".join(lines)
            lines, size = [], 0
    yield b"".join(lines)


async def _left(receive: Receive) -> None:
    """Return when the reader has left."""
    while (await receive())["type"] != "http.disconnect":
        pass
