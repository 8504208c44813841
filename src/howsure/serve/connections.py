"""Limit what connections can take that send nothing, send slowly, or do not read what they asked for.

uvicorn counts every connection as work: with `limit_concurrency=512`, 515 idle connections make it answer 503 to all.
Here an idle connection counts for nothing. It has a time limit until the head of its request is complete, and when
there is no room for a new connection, the one that has waited longest for its client is closed.
"""

import asyncio
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

from uvicorn.protocols.http.auto import AutoHTTPProtocol

if TYPE_CHECKING:
    Base = Any
else:
    Base = AutoHTTPProtocol

SWEEP_INTERVAL = 1.0
"""Seconds between two looks for connections that wait too long."""


class ConnectionLimits(NamedTuple):
    """How many connections there may be, and how long they may wait for their client."""

    total: int = 512
    """Connections at the same time."""
    per_address: int = 256
    """Connections of one address; behind a proxy, all have the proxy's."""
    head_seconds: float = 15.0
    """Time for the head of a request to arrive, from the connection or the end of the response before."""
    idle_seconds: float = 5.0
    """Time for the first byte of the next request on a connection that is kept open."""
    flush_seconds: float = 30.0
    """Time for the client to read the rest of a response after the server has closed the connection."""


class Connections:
    """The open connections of a server. All methods are called in its event loop."""

    def __init__(self, limits: ConnectionLimits, clock: Callable[[], float] = time.monotonic) -> None:
        """Start without any."""
        self.limits = limits
        self._clock = clock
        self._since: dict[Any, float] = {}
        """Since when each connection waits for its client, if it does; in the order of that moment."""
        self._working: set[Any] = set()
        self._closing: dict[Any, float] = {}
        self._sweeper: asyncio.TimerHandle | None = None

    @property
    def count(self) -> int:
        """How many connections are open."""
        return len(self._since) + len(self._working)

    def opened(self, connection: Any) -> None:
        """Add a new connection; close another, or this one, if there are too many."""
        address = _address(connection)
        same = [other for other in (*self._since, *self._working) if _address(other) == address]
        self._since[connection] = self._clock()
        if len(same) >= self.limits.per_address:
            self._make_room(connection, lambda other: _address(other) == address)
        elif self.count > self.limits.total:
            self._make_room(connection, lambda _: True)
        self._start()

    def waits(self, connection: Any) -> None:
        """Note that a connection waits for its client from now on."""
        if connection in self._working:
            self._working.discard(connection)
            self._since[connection] = self._clock()

    def works(self, connection: Any) -> None:
        """Note that a request of a connection is being answered."""
        if self._since.pop(connection, None) is not None:
            self._working.add(connection)

    def closed(self, connection: Any) -> None:
        """Remove a connection."""
        self._since.pop(connection, None)
        self._working.discard(connection)
        self._closing.pop(connection, None)

    def _make_room(self, new: Any, eligible: Callable[[Any], bool]) -> None:
        """Close the connection that has waited longest for its client; the new one if all others are at work.

        A request whose body has not arrived is work in progress that waits for its client, too.
        """
        oldest = next((other for other in self._since if other is not new and eligible(other)), None)
        if oldest is None:
            oldest = next((other for other in self._working if eligible(other) and other.is_receiving), new)
        self._drop(oldest)

    def _drop(self, connection: Any) -> None:
        self.closed(connection)
        connection.transport.abort()

    def _start(self) -> None:
        if self._sweeper is None:
            self._sweeper = asyncio.get_running_loop().call_later(SWEEP_INTERVAL, self.sweep)

    def sweep(self) -> None:
        """Close connections whose client is too late."""
        self._sweeper = None
        now = self._clock()
        for connection in (*self._since, *self._working):
            if connection.transport.is_closing():  # it is being closed, but the client does not read what is left
                late = now - self._closing.setdefault(connection, now) >= self.limits.flush_seconds
            else:
                late = now - self._since.get(connection, now) >= self.limits.head_seconds
            if late:
                self._drop(connection)
        if self.count:
            self._start()


def _address(connection: Any) -> str:
    client = connection.client
    return client[0] if client else ""


class LimitedProtocol(Base):  # type: ignore[misc]
    """uvicorn's HTTP protocol, which reports its state to `Connections`."""

    registry: Connections

    @property
    def is_receiving(self) -> bool:
        """Whether the body of its request has not arrived completely."""
        return self.cycle is not None and not self.cycle.response_complete and bool(self.cycle.more_body)

    def connection_made(self, transport: Any) -> None:
        """Count the connection."""
        super().connection_made(transport)
        self.registry.opened(self)

    def connection_lost(self, error: Exception | None) -> None:
        """Forget the connection."""
        self.registry.closed(self)
        super().connection_lost(error)

    def data_received(self, data: bytes) -> None:
        """Read data; from the complete head of a request on, the connection works."""
        super().data_received(data)
        self._report()

    def on_response_complete(self) -> None:
        """Wait for the next request of the client, or begin it if it has arrived already."""
        super().on_response_complete()
        self._report()

    def _report(self) -> None:
        if self.cycle is not None and not self.cycle.response_complete:
            self.registry.works(self)
        else:
            self.registry.waits(self)


def limited_protocol(limits: ConnectionLimits) -> type[LimitedProtocol]:
    """Return a protocol class for one server, whose connections are limited together."""
    return type("LimitedProtocol", (LimitedProtocol,), {"registry": Connections(limits)})
