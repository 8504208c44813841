"""Stream long results as JSON Lines, no faster than the client reads them."""

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
from howsure.serve.errors import HTTPError
from howsure.serve.requests import error_response
from howsure.serve.tracing import run_in_pool

log: logging.Logger = logging.getLogger(__name__)

BLOCK_SIZE = 65_536
"""Bytes that are sent at once."""
BLOCKS_AHEAD = 4
"""Blocks that are prepared before they are sent."""


class _ClientGoneError(Exception):
    """Nobody takes the blocks any more."""


class Streams:
    """Starts streams, up to a maximum. Each reads the store in a thread of its own."""

    def __init__(self, max_streams: int = 4, timeout: float = 60.0) -> None:
        """Set how many streams may run at once, and how many seconds to wait for a client that has stopped reading."""
        self.timeout = timeout
        self.threads: ThreadPoolExecutor = ThreadPoolExecutor(max_streams, "howsure-stream")
        self.free: Semaphore = Semaphore(max_streams)

    def open(self, start: Callable[[], Iterator[Any]]) -> "Stream":
        """Return a stream of the items that `start()` yields.

        Raises:
            HTTPError: if too many streams are running.
        """
        if not self.free.acquire(blocking=False):
            raise HTTPError(503, "busy", "too many streams are running", hint="try again", Retry_After="5")
        return Stream(self, start)

    def close(self) -> None:
        """Let the threads end."""
        self.threads.shutdown(wait=False, cancel_futures=True)


class Stream:
    """An ASGI application that sends one result item by item."""

    def __init__(self, streams: Streams, start: Callable[[], Iterator[Any]]) -> None:
        """Prepare a stream of the items that `start()` yields."""
        self._streams = streams
        self._start = start
        self._stop = Event()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send all items; an error response if not even the first can be read."""
        loop = asyncio.get_running_loop()
        blocks: asyncio.Queue[Any] = asyncio.Queue(BLOCKS_AHEAD)

        def put(block: Any) -> None:
            try:
                asyncio.run_coroutine_threadsafe(blocks.put(block), loop).result(2 * self._streams.timeout)
            except (TimeoutError, RuntimeError, CancelledError) as error:  # the server is shutting down
                raise _ClientGoneError from error

        reader = run_in_pool(self._streams.threads, self._read, put)
        disconnected = asyncio.ensure_future(_wait_for_disconnect(receive))
        try:
            block = await self._next(blocks, disconnected)
            if isinstance(block, HowsureError):
                await error_response(block, scope)(scope, receive, send)
                return
            headers = [(b"content-type", b"application/x-ndjson")]
            await send({"type": "http.response.start", "status": 200, "headers": headers})
            while block is not None:
                if isinstance(block, HowsureError):  # the status is sent: the last line tells the error
                    block = bytes(error_response(block, scope).body) + b"\n"
                    self._stop.set()
                message = {"type": "http.response.body", "body": block, "more_body": True}
                await asyncio.wait_for(send(message), self._streams.timeout)
                block = await self._next(blocks, disconnected)
            await send({"type": "http.response.body", "body": b"", "more_body": False})
        except (TimeoutError, OSError):
            log.info("stream stopped: the client does not read it")
        finally:
            self._stop.set()
            disconnected.cancel()
            while not reader.done():  # it may be waiting to put a block
                while not blocks.empty():
                    blocks.get_nowait()
                # Not a plain sleep: a client that streams again at once would find the slot still taken.
                await asyncio.wait({reader}, timeout=0.01)
            self._streams.free.release()

    async def _next(self, blocks: "asyncio.Queue[Any]", disconnected: "asyncio.Future[None]") -> Any:
        """Return the next block, or None at the end.

        Raises:
            OSError: if the client has disconnected.
        """
        block = asyncio.ensure_future(blocks.get())
        await asyncio.wait({block, disconnected}, return_when=asyncio.FIRST_COMPLETED)
        if block.done():
            return block.result()
        block.cancel()
        raise OSError("the client has disconnected")

    def _read(self, put: Callable[[Any], None]) -> None:
        """Read all items in a thread and put them block by block, then an error if one occurs, then None."""
        with suppress(_ClientGoneError):
            try:
                with closing(self._start()) as items:  # type: ignore[type-var]
                    for block in _join_lines(items):
                        if self._stop.is_set():
                            return
                        put(block)
            except HowsureError as error:
                put(error)
            except _ClientGoneError:
                raise
            except Exception:
                log.exception("a stream failed")
                put(HTTPError(500, "internal", "internal error", hint="the server's log has more"))
            put(None)


def _join_lines(items: Iterator[Any]) -> Iterator[bytes]:
    """Yield items as JSON Lines, in blocks of about BLOCK_SIZE bytes; at least one block."""
    lines, size = [], 0
    for item in items:
        lines.append(orjson.dumps(item, option=orjson.OPT_APPEND_NEWLINE))
        size += len(lines[-1])
        if size >= BLOCK_SIZE:
            yield b"".join(lines)
            lines, size = [], 0
    yield b"".join(lines)


async def _wait_for_disconnect(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
