"""Streaming: long answers come as they are read, and end when nobody reads them."""

import socket
import time
from collections.abc import Iterator
from threading import Event
from typing import Any

import orjson
import pytest

from howsure.claims.api import Claims
from howsure.errors import StoreError
from howsure.serve.http import Capacity
from howsure.serve.streaming import Streams
from howsure.sure import Sure
from tests.serve.serving import Client, serving

ROW = {"text": "x" * 1000}


def _given(monkeypatch: pytest.MonkeyPatch, records: Any) -> None:
    monkeypatch.setattr(Claims, "export", lambda _: records())


def _nothing() -> Iterator[Any]:
    yield from ()


def test_a_long_stream_arrives_completely(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    _given(monkeypatch, lambda: (ROW | {"n": n} for n in range(3000)))
    with client.stream("GET", "/v1/claims/export") as response:
        assert response.headers["content-type"] == "application/x-ndjson"
        assert [orjson.loads(line)["n"] for line in response.iter_lines()] == list(range(3000))


def test_an_empty_result_is_an_empty_stream(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    _given(monkeypatch, _nothing)
    response = client.get("/v1/claims/export")
    assert (response.status_code, response.content) == (200, b"")


def test_a_store_can_be_written_while_it_is_read_from(client: Client, store: Sure) -> None:
    for number in range(50):
        store.claims.add(f"Fact {number}", source="a:b")
    with client.stream("GET", "/v1/claims/export") as response:
        lines = response.iter_lines()
        head = orjson.loads(next(lines))
        assert client.post("/v1/claims", json={"statement": "New", "source": "a:b"}).status_code == 200
        rest = [orjson.loads(line) for line in lines]
    assert head["claims"] == sum("claim" in record for record in rest) == 50


def test_errors_before_the_first_item_are_plain_errors(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken() -> Iterator[Any]:
        yield from _nothing()
        raise StoreError("the store /secret/place failed")

    _given(monkeypatch, broken)
    response = client.get("/v1/claims/export")
    assert (response.status_code, response.json()["error"]["code"]) == (503, "store_failed")
    assert "/secret" not in response.text


def test_errors_during_a_stream_end_it_with_the_error(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken() -> Iterator[Any]:
        for _ in range(200):
            yield ROW
        raise RuntimeError("inside")

    _given(monkeypatch, broken)
    *rows, last = client.get("/v1/claims/export").text.splitlines()
    assert rows
    assert orjson.loads(last)["error"]["code"] == "internal"
    assert "inside" not in last


def test_reading_stops_when_the_client_disconnects(store: Sure, monkeypatch: pytest.MonkeyPatch) -> None:
    closed, count = Event(), 0

    def endless() -> Iterator[Any]:
        nonlocal count
        try:
            while True:
                count += 1
                yield ROW
        finally:
            closed.set()

    _given(monkeypatch, endless)
    with serving(store, capacity=Capacity(streams=1)) as client:
        with client.stream("GET", "/v1/claims/export") as response:
            lines = response.iter_lines()  # kept, since dropping it would close the connection
            next(lines)
            with client.stream("GET", "/v1/claims/export") as busy:  # which would be endless, too, if it were answered
                assert busy.status_code == 503
                assert orjson.loads(busy.read())["error"]["code"] == "busy"
        assert closed.wait(60)
        before = count
        time.sleep(0.05)
        assert count == before
        _given(monkeypatch, _nothing)
        deadline = time.monotonic() + 60
        while client.get("/v1/claims/export").status_code != 200:
            assert time.monotonic() < deadline
            time.sleep(0.02)


def test_a_client_that_stops_reading_is_disconnected(store: Sure, monkeypatch: pytest.MonkeyPatch) -> None:
    closed = Event()

    def endless() -> Iterator[Any]:
        try:
            while True:
                yield ROW
        finally:
            closed.set()

    _given(monkeypatch, endless)
    monkeypatch.setattr("howsure.serve.http.Streams", lambda most: Streams(most, timeout=0.3))
    with serving(store) as client:
        url = client.base_url
        with socket.create_connection((url.host, url.port or 80), timeout=60) as stalled:
            stalled.sendall(b"GET /v1/claims/export HTTP/1.1\r\nHost: localhost\r\n\r\n")
            assert closed.wait(60)
            assert client.get("/healthz").status_code == 200


def test_a_server_ends_while_a_long_answer_is_under_way(store: Sure, monkeypatch: pytest.MonkeyPatch) -> None:
    closed = Event()

    def endless() -> Iterator[Any]:
        try:
            while True:
                time.sleep(0.001)
                yield ROW
        finally:
            closed.set()

    _given(monkeypatch, endless)
    monkeypatch.setattr("howsure.serve.server.SHUTDOWN_TIMEOUT", 1)
    with serving(store) as client, client.stream("GET", "/v1/claims/export") as response:
        next(response.iter_lines())
        client.get("/healthz")
    assert closed.wait(60)
