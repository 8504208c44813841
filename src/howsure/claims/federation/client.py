"""Call peers over HTTP, each within a total deadline and a maximal size.

Only the given address is called: redirects are not followed and proxies of the environment are not used. The deadline
covers everything from the name lookup to the last byte, however slowly bytes come; the size covers head and body.

Why not httpx: within `asyncio.timeout` it keeps the deadline, but it reads interim responses without end, so that the
size of what a peer sends is not limited. See docs/decisions/0011-federation.md for what was tried.
"""

import io
import socket
import ssl
import time
from collections.abc import Iterable, Iterator
from contextvars import copy_context
from dataclasses import dataclass, field
from http.client import HTTPConnection, HTTPException, HTTPResponse
from queue import Empty, SimpleQueue
from threading import BoundedSemaphore, Thread
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import orjson

from howsure.claims.federation.page import PeerStatus
from howsure.errors import shown

MAX_BODY = 4_000_000
"""Bytes of a body."""
MAX_CALLS = 128
"""Calls of this process that may run at once, including late ones that cannot be interrupted."""
_MAX_HEAD = 65_536
"""Bytes besides the body: the head, and the framing of chunks."""
_CHUNK = 65_536
_REDIRECTS = range(300, 400)
_SLOTS = BoundedSemaphore(MAX_CALLS)


@dataclass(frozen=True)
class Call:
    """A request to one peer."""

    name: str
    """Name of the peer."""
    url: str
    """Address to call."""
    body: bytes
    """The request, as JSON."""
    seconds: float
    """Deadline of the whole call."""
    token: str | None = field(default=None, repr=False)
    """Token to authenticate with."""


class Reply(NamedTuple):
    """The result of a call."""

    status: PeerStatus
    seconds: float
    content: bytes = b""
    """The body of the answer."""
    reason: str = ""
    """Why there is no answer."""


class _RefusedError(Exception):
    """The answer of a peer is not accepted; the message says why."""


def late_reply(call: Call) -> Reply:
    """Return the reply for a peer that did not answer in time."""
    return Reply("unreachable", call.seconds, reason=f"no answer within {call.seconds:g} s")


def call_peer(call: Call, until: float) -> Reply:
    """Call a peer, with a deadline on the monotonic clock. Whatever the peer does, this does not raise."""
    start = time.monotonic()
    status: PeerStatus = "unreachable"
    try:
        with _connected(call.url, until) as connected:
            content = _answer(call, _Line(connected, until))
            return Reply("answered", time.monotonic() - start, content)
    except TimeoutError:
        return late_reply(call)
    except _RefusedError as error:
        status, reason = "refused", str(error)
    except ssl.SSLError as error:
        reason = f"no safe connection: {getattr(error, 'verify_message', None) or error.reason or 'it failed'}"
    except OSError as error:  # also a connection that is closed before an answer
        reason = f"it cannot be reached: {error.strerror or 'it closed the connection'}"
    except HTTPException:
        status, reason = "refused", "what it answers is no HTTP, or was cut short"
    except Exception as error:  # noqa: BLE001 - whatever goes wrong with an answer is the failure of the peer
        status, reason = "refused", f"what it answers cannot be read ({type(error).__name__})"
    return Reply(status, time.monotonic() - start, reason=reason)


def _seconds_left(until: float) -> float:
    seconds = until - time.monotonic()
    if seconds <= 0.0:
        raise TimeoutError
    return seconds


def _port(url: str) -> int:
    parts = urlsplit(url)
    usual = 443 if parts.scheme == "https" else 80
    return usual if parts.port is None else parts.port


def _connected(url: str, until: float) -> socket.socket:
    """Connect to the first address of a host that answers."""
    parts = urlsplit(url)
    host = parts.hostname or ""
    try:
        places = socket.getaddrinfo(host, _port(url), type=socket.SOCK_STREAM)
    except UnicodeError:
        raise OSError(0, "there is no such name") from None
    problem = OSError(0, "there is no such name")
    for number, (family, kind, protocol, _, place) in enumerate(places):
        connected = socket.socket(family, kind, protocol)
        try:
            connected.settimeout(_seconds_left(until) / (len(places) - number))  # a silent one leaves time for the next
            connected.connect(place)
            connected.settimeout(_seconds_left(until))
            if parts.scheme == "https":
                return ssl.create_default_context().wrap_socket(connected, server_hostname=host)
        except OSError as error:
            connected.close()
            problem = error
        else:
            return connected
    raise problem


class _LimitedReader(io.RawIOBase):
    """Reads from a connection until the deadline or the maximal size."""

    def __init__(self, connected: socket.socket, until: float) -> None:
        self._connected, self._until, self._taken = connected, until, 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        self._connected.settimeout(_seconds_left(self._until))
        size = self._connected.recv_into(buffer)
        self._taken += size
        if self._taken > MAX_BODY + _MAX_HEAD:
            raise _RefusedError(f"its answer is larger than {MAX_BODY:,} bytes")
        return size


class _Line:
    """A socket for `http.client` with a deadline. The caller closes the connection."""

    def __init__(self, connected: socket.socket, until: float) -> None:
        self._connected, self._until = connected, until

    def sendall(self, data: bytes) -> None:
        self._connected.settimeout(_seconds_left(self._until))
        self._connected.sendall(data)

    def makefile(self, *_: Any) -> io.BufferedReader:
        return io.BufferedReader(_LimitedReader(self._connected, self._until))

    def close(self) -> None:
        pass


def _answer(call: Call, line: _Line) -> bytes:
    """Send the request and return the body of the answer."""
    parts = urlsplit(call.url)
    connection = HTTPConnection(parts.hostname or "", _port(call.url))
    connection.default_port = _port(f"{parts.scheme}://")  # so that `Host` has no port if it is the default one
    connection.sock = line
    headers = {
        "Content-Type": "application/json",
        "Accept": "application/json",
        "Accept-Encoding": "identity",
        "User-Agent": "howsure",
        "Connection": "close",
    } | ({"Authorization": f"Bearer {call.token}"} if call.token else {})
    connection.request("POST", parts.path, call.body, headers)
    response = connection.getresponse()
    _check(response)
    content = _content(response)
    if response.status != 200:  # noqa: PLR2004
        raise _RefusedError(_refusal(response.status, content))
    return content


def _check(response: HTTPResponse) -> None:
    """Raise an error if the head of an answer is not acceptable."""
    if response.status in _REDIRECTS:
        raise _RefusedError(f"it sends us elsewhere ({response.status}), and only registered addresses are asked")
    kind = (response.getheader("Content-Type") or "").partition(";")[0].strip().lower()
    if response.getheader("Content-Encoding", "identity").strip().lower() != "identity":
        raise _RefusedError("its answer is packed, which nobody asked for")
    if kind != "application/json":
        raise _RefusedError(f"it answers {response.status} with {shown(kind) if kind else 'no type'}, not with JSON")


def _content(response: HTTPResponse) -> bytes:
    """Read the body, up to the maximal size."""
    if (response.length or 0) > MAX_BODY:
        raise _RefusedError(f"its answer is larger than {MAX_BODY:,} bytes")
    content = bytearray()
    while chunk := response.read(_CHUNK):
        content += chunk
        if len(content) > MAX_BODY:
            raise _RefusedError(f"its answer is larger than {MAX_BODY:,} bytes")
    if response.length:
        raise _RefusedError("its answer was cut short")
    return bytes(content)


def _refusal(status: int, content: bytes) -> str:
    """Return the reason that a peer gives for an error, quoted, whatever it contains."""
    try:
        message = orjson.loads(content)["error"]["message"]
    except (ValueError, LookupError, TypeError):
        message = None
    return f"it answers {status}" + (f": {shown(message)}" if isinstance(message, str) else "")


class Calls:
    """Calls that run at the same time, each within its own deadline. Iterate to get the replies as they come.

    The calls run in daemon threads, so that none of them keeps the program from ending.
    """

    def __init__(self, calls: Iterable[Call]) -> None:
        """Start all calls."""
        self._replies: SimpleQueue[tuple[Call, Reply]] = SimpleQueue()
        self._waiting: dict[str, tuple[Call, float]] = {}
        for call in calls:
            until = time.monotonic() + call.seconds
            self._waiting[call.name] = (call, until)
            if not self._start(call, until):
                self._replies.put((call, Reply("unreachable", 0.0, reason="too many calls are running; try again")))

    def _start(self, call: Call, until: float) -> bool:
        if not _SLOTS.acquire(blocking=False):
            return False
        try:
            run = copy_context().run  # the trace of the caller goes on in the thread
            Thread(target=run, args=(self._run, call, until), name="howsure-peer", daemon=True).start()
        except RuntimeError:  # the system has no room for another thread
            _SLOTS.release()
            return False
        return True

    def _run(self, call: Call, until: float) -> None:
        try:
            self._replies.put((call, call_peer(call, until)))
        finally:
            _SLOTS.release()

    def __iter__(self) -> Iterator[tuple[str, Reply]]:
        """Yield the name of each peer with its reply; peers that are late get a reply that says so."""
        while self._waiting:
            first = min(until for _, until in self._waiting.values())
            try:
                call, reply = self._replies.get(timeout=max(0.0, first - time.monotonic()))
            except Empty:
                over = [call for call, until in self._waiting.values() if until <= time.monotonic()]
                for call in over:
                    del self._waiting[call.name]
                    yield call.name, late_reply(call)
                continue
            if self._waiting.pop(call.name, None):
                yield call.name, reply
