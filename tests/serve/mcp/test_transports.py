"""The transports of MCP: malformed messages, and bodies that are late or too large."""

import json
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from howsure.serve.http import Capacity
from howsure.serve.mcp.transports import http_mounts
from howsure.sure import Sure
from tests.serve.serving import Client, error_of, serving

MALFORMED = {
    b"{": -32700,
    b"\xff\xfe": -32700,
    b"nonsense": -32700,
    b"[]": -32600,
    b"5": -32600,
    b'{"jsonrpc": "1.0", "id": 1, "method": "ping"}': -32600,
    b'{"id": 1}': -32600,
}
START = {
    "jsonrpc": "2.0",
    "id": 0,
    "method": "initialize",
    "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}},
}


def test_malformed_messages_are_answered_with_an_error(tmp_path: Path) -> None:
    """They were met with silence, and the client waited."""
    process = subprocess.Popen(
        [sys.executable, "-m", "howsure", "mcp", "--store", str(tmp_path / "mcp.db")],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdin is not None
    assert process.stdout is not None

    def ask(frame: bytes) -> dict[str, Any]:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(frame + b"\n")
        process.stdin.flush()
        return dict(json.loads(process.stdout.readline()))

    try:
        assert ask(json.dumps(START).encode())["id"] == 0
        process.stdin.write(b'{"jsonrpc": "2.0", "method": "notifications/initialized"}\n')
        for frame, code in MALFORMED.items():
            answer = ask(frame)
            assert (answer["id"], answer["error"]["code"]) == (None, code), frame
        assert ask(b'{"jsonrpc": "2.0", "id": 2, "method": "ping"}') == {"jsonrpc": "2.0", "id": 2, "result": {}}
    finally:
        process.stdin.close()
        process.wait(30)
        process.stdout.close()
        if process.stderr is not None:
            assert b"Traceback" not in process.stderr.read()
            process.stderr.close()


def test_a_body_has_to_arrive_in_time(store: Sure) -> None:
    head = b"POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{"
    with serving(store, mounts=http_mounts, capacity=Capacity(timeout=0.5)) as served:
        url = served.base_url
        with socket.create_connection((url.host, url.port or 80), timeout=60) as connection:
            connection.sendall(head)
            assert connection.recv(100).startswith(b"HTTP/1.1 408 ")


@pytest.fixture
def served(store: Sure) -> Iterator[Client]:
    """Give a client of a server with MCP that takes small bodies."""
    with serving(store, mounts=http_mounts, capacity=Capacity(max_body=5000)) as client:
        yield client


def test_a_body_has_a_largest_size(served: Client) -> None:
    error_of(served.post("/mcp", content=b"x" * 5001), 413, "too_large")
    headers = {"Accept": "application/json", "Content-Type": "application/json"}
    wrong = served.post("/mcp", content=b"{", headers=headers)
    assert (wrong.status_code, wrong.json()["error"]["code"]) == (400, -32700)
    ping = served.post("/mcp", json={"jsonrpc": "2.0", "id": 1, "method": "ping"}, headers=headers)
    assert ping.json()["result"] == {}
