"""Connections that send nothing, or slowly: everybody else is answered all the same. Real sockets."""

import asyncio
import socket
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

import pytest

from howsure.serve.connections import ConnectionLimits, Connections
from howsure.serve.http import Capacity
from howsure.sure import Sure
from tests.serve.serving import Client, serving

HALF = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nX-Slow: "
BODY = b"POST /v1/claims HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 900\r\n\r\n{"


@contextmanager
def _attack(client: Client, count: int, start: bytes) -> Iterator[list[socket.socket]]:
    """Open many connections that begin with some bytes and then wait."""
    url = client.base_url
    with ExitStack() as stack:
        sockets = []
        for _ in range(count):
            one = stack.enter_context(socket.create_connection((url.host, url.port or 80), timeout=60))
            one.sendall(start)
            sockets.append(one)
        time.sleep(0.3)  # so that the server has seen all of them
        yield sockets


@pytest.mark.parametrize("start", [b"", HALF, BODY], ids=["idle", "half a head", "half a body"])
def test_many_waiting_connections_stop_nobody(store: Sure, start: bytes) -> None:
    """515 connections made everything answer 503."""
    with serving(store) as client, _attack(client, 515, start):
        for _ in range(3):
            assert client.get("/healthz", headers={"Connection": "close"}).status_code == 200
        assert client.get("/readyz").status_code == 200
        check = {"text": "It is tested.", "agent": "ann", "knowledge": 0.9}
        assert client.do("responses.check", check).status_code == 200


def test_a_head_has_to_arrive_in_time(store: Sure) -> None:
    limits = ConnectionLimits(head_seconds=1.5)
    with serving(store, connections=limits) as client, _attack(client, 2, HALF) as sockets:
        drip, silent = sockets
        for _ in range(600):  # a byte now and then does not help
            time.sleep(0.1)
            try:
                drip.sendall(b"x")
            except OSError:
                break
        else:
            pytest.fail("the connection is still open")
        assert silent.recv(1) == b""
        assert client.get("/healthz").status_code == 200


def test_a_connection_that_is_kept_open_serves_many_requests(store: Sure) -> None:
    with serving(store, connections=ConnectionLimits(head_seconds=1.0)) as client:
        for _ in range(4):  # longer in all than a head may take
            assert client.get("/healthz").status_code == 200
            time.sleep(0.4)


def test_an_address_has_its_own_limit(store: Sure) -> None:
    with serving(store, connections=ConnectionLimits(per_address=5)) as client, _attack(client, 8, b"") as sockets:
        assert [one.recv(1) for one in sockets[:3]] == [b""] * 3
        assert all(_is_open(one) for one in sockets[3:])
        assert client.get("/healthz").status_code == 200


def _is_open(one: socket.socket) -> bool:
    one.settimeout(0.2)
    try:
        return one.recv(1) != b""
    except TimeoutError:
        return True
    except OSError:
        return False


def test_bodies_that_never_arrive_end_in_time(store: Sure) -> None:
    with (
        serving(store, capacity=Capacity(timeout=0.5), connections=ConnectionLimits(total=20)) as client,
        _attack(client, 10, BODY) as sockets,
    ):
        assert all(one.recv(100).startswith(b"HTTP/1.1 408 ") for one in sockets)
        assert client.get("/healthz").status_code == 200


class _Fake:
    """A connection with the state that the registry reads."""

    def __init__(self, address: str = "a") -> None:
        self.client = (address, 1)
        self.transport: Any = self
        self.is_receiving = self.dropped = self.closing = False

    def abort(self) -> None:
        self.dropped = True

    def is_closing(self) -> bool:
        return self.closing


def test_work_is_never_closed_to_make_room() -> None:
    async def run() -> None:
        now = [0.0]
        registry = Connections(ConnectionLimits(total=3, per_address=3, flush_seconds=5), lambda: now[0])
        working, receiving, idle, new = (_Fake(name) for name in "abcd")
        for one in (working, receiving, idle):
            registry.opened(one)
        registry.works(working)
        registry.works(receiving)
        receiving.is_receiving = True
        registry.opened(new)
        assert idle.dropped
        assert not new.dropped
        registry.works(new)
        registry.opened(late := _Fake("e"))
        assert receiving.dropped
        assert not late.dropped
        registry.works(late)
        registry.opened(last := _Fake("f"))
        assert last.dropped  # all others are at work
        assert not any(one.dropped for one in (working, new, late))
        working.closing = True  # but its client does not read the response
        for now[0] in (1.0, 7.0):
            registry.sweep()
        assert working.dropped
        assert registry.count == 2
        for one in (new, late):
            registry.closed(one)

    asyncio.run(run())
