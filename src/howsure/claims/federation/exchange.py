"""One exchange with a peer over HTTP: within a time, within a size, and with nobody else.

Only the address that is given is called: no redirect is followed, and no proxy that the environment names is used. The
time covers all of it, from looking the name up to the last byte, however slowly they come; the size covers every byte.
"""

import io
import socket
import ssl
import time
from dataclasses import dataclass, field
from http.client import HTTPConnection, HTTPException, HTTPResponse
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import orjson

from howsure.claims.federation.page import Standing
from howsure.errors import shown

LARGEST = 4_000_000
"""Bytes that an answer may have."""
_HEAD = 65_536
"""Bytes that may come besides: the head, and what holds a body's parts together."""
_PIECE = 65_536
_ELSEWHERE = range(300, 400)


@dataclass(frozen=True)
class Call:
    """A question to one peer."""

    name: str
    """Which peer."""
    url: str
    """Where to ask."""
    body: bytes
    """What to ask, as JSON."""
    seconds: float
    """How long all of it may take."""
    token: str | None = field(default=None, repr=False)
    """The token that the peer demands."""


class Reply(NamedTuple):
    """What came back."""

    status: Standing
    seconds: float
    content: bytes = b""
    """The answer, where there is one: JSON, unless the peer lies."""
    reason: str = ""
    """Why there is none."""


class _NotTakenError(Exception):
    """What a peer sends is not taken; the message says why."""


def late(call: Call) -> Reply:
    """Return what is said of a peer that took too long."""
    return Reply("unreachable", call.seconds, reason=f"no answer within {call.seconds:g} s")


def exchange(call: Call, until: float) -> Reply:
    """Ask a peer, and return what comes of it by a moment of the monotonic clock. Nothing a peer does raises."""
    began = time.monotonic()
    status: Standing = "unreachable"
    try:
        with _connected(call.url, until) as connected:
            content = _answer(call, _Line(connected, until))
            return Reply("answered", time.monotonic() - began, content)
    except TimeoutError:
        return late(call)
    except _NotTakenError as error:
        status, reason = "refused", str(error)
    except ssl.SSLError as error:
        reason = f"no safe connection: {getattr(error, 'verify_message', None) or error.reason or 'it failed'}"
    except OSError as error:  # a connection that was closed before an answer, too
        reason = f"it cannot be reached: {error.strerror or 'it closed the connection'}"
    except HTTPException:
        status, reason = "refused", "what it answers is no HTTP, or was cut short"
    except Exception as error:  # noqa: BLE001 - whatever a peer makes go wrong is its failure, not ours
        status, reason = "refused", f"what it answers cannot be read ({type(error).__name__})"
    return Reply(status, time.monotonic() - began, reason=reason)


def _left(until: float) -> float:
    seconds = until - time.monotonic()
    if seconds <= 0.0:
        raise TimeoutError
    return seconds


def _port(url: str) -> int:
    parts = urlsplit(url)
    usual = 443 if parts.scheme == "https" else 80
    return usual if parts.port is None else parts.port


def _connected(url: str, until: float) -> socket.socket:
    """Return a connection to where an address points: to the first of its places that answers."""
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
            connected.settimeout(_left(until) / (len(places) - number))  # one that is silent leaves time for the next
            connected.connect(place)
            connected.settimeout(_left(until))
            if parts.scheme == "https":
                return ssl.create_default_context().wrap_socket(connected, server_hostname=host)
        except OSError as error:
            connected.close()
            problem = error
        else:
            return connected
    raise problem


class _Metered(io.RawIOBase):
    """What comes in over a connection, until it is too late or too much."""

    def __init__(self, connected: socket.socket, until: float) -> None:
        self._connected, self._until, self._taken = connected, until, 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        self._connected.settimeout(_left(self._until))
        size = self._connected.recv_into(buffer)
        self._taken += size
        if self._taken > LARGEST + _HEAD:
            raise _NotTakenError(f"its answer is larger than {LARGEST:,} bytes")
        return size


class _Line:
    """A connection as `http.client` uses one. Whoever has opened it closes it."""

    def __init__(self, connected: socket.socket, until: float) -> None:
        self._connected, self._until = connected, until

    def sendall(self, data: bytes) -> None:
        self._connected.settimeout(_left(self._until))
        self._connected.sendall(data)

    def makefile(self, *_: Any) -> io.BufferedReader:
        return io.BufferedReader(_Metered(self._connected, self._until))

    def close(self) -> None:
        pass


def _answer(call: Call, line: _Line) -> bytes:
    """Send the question, and return the answer."""
    parts = urlsplit(call.url)
    connection = HTTPConnection(parts.hostname or "", _port(call.url))
    connection.default_port = _port(f"{parts.scheme}://")  # by which it is called without one
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
        raise _NotTakenError(_refusal(response.status, content))
    return content


def _check(response: HTTPResponse) -> None:
    """Refuse an answer by its head."""
    if response.status in _ELSEWHERE:
        raise _NotTakenError(f"it sends us elsewhere ({response.status}), and only registered addresses are asked")
    kind = (response.getheader("Content-Type") or "").partition(";")[0].strip().lower()
    if response.getheader("Content-Encoding", "identity").strip().lower() != "identity":
        raise _NotTakenError("its answer is packed, which nobody asked for")
    if kind != "application/json":
        raise _NotTakenError(f"it answers {response.status} with {shown(kind) if kind else 'no type'}, not with JSON")


def _content(response: HTTPResponse) -> bytes:
    """Return the body, and not more of it than is taken."""
    if (response.length or 0) > LARGEST:
        raise _NotTakenError(f"its answer is larger than {LARGEST:,} bytes")
    content = bytearray()
    while piece := response.read(_PIECE):
        content += piece
        if len(content) > LARGEST:
            raise _NotTakenError(f"its answer is larger than {LARGEST:,} bytes")
    if response.length:
        raise _NotTakenError("its answer was cut short")
    return bytes(content)


def _refusal(status: int, content: bytes) -> str:
    """Return why a peer says that it does not answer; its words are quoted, whatever is in them."""
    try:
        message = orjson.loads(content)["error"]["message"]
    except (ValueError, LookupError, TypeError):
        message = None
    return f"it answers {status}" + (f": {shown(message)}" if isinstance(message, str) else "")
