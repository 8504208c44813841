"""The transports of MCP: malformed messages, and bodies that are late or too large."""

import gzip
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
    b'{"jsonrpc": "2.0", "id": null, "method": "ping"}': -32600,
    b'{"jsonrpc": "2.0", "id": 1.5, "method": "ping"}': -32600,
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


@pytest.mark.parametrize("encoding", ["gzip", "deflate", "br", "gzip, gzip"])
def test_a_compressed_body_is_refused_by_name(served: Client, encoding: str) -> None:
    bomb = gzip.compress(b" " * 1_000_000)
    refused = served.post("/mcp", content=bomb, headers={"Content-Encoding": encoding})
    assert error_of(refused, 415, "wrong_type")["field"] == "Content-Encoding"


@pytest.mark.parametrize(
    "frame",
    [
        b"[" * 100_000,
        b'{"a":' * 100_000,
        b"[" + b"1," * 1_000_000 + b"1]",
        b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":' + b"[" * 5000 + b"]" * 5000 + b"}}",
        b'{"jsonrpc":"2.0","id":' + b"9" * 1_000_000 + b',"method":"ping"}',
    ],
    ids=["deep lists", "deep objects", "a million items", "deep arguments", "a million digits"],
)
def test_bombs_are_refused(store: Sure, frame: bytes) -> None:
    headers = {"Accept": "application/json", "Content-Type": "application/json"}
    with serving(store, mounts=http_mounts) as client:
        refused = client.post("/mcp", content=frame, headers=headers)
        assert (refused.status_code, refused.json()["error"]["code"] in (-32700, -32600, -32602)) == (400, True)
        assert len(refused.content) < 5000
        error_of(client.post("/mcp", content=b" " * 4_200_000, headers=headers), 413, "too_large")


def test_a_tool_call_with_a_name_of_a_million_letters_is_refused(store: Sure) -> None:
    """It was taken for a call of an unknown tool, and left out."""
    headers = {"Accept": "application/json", "Content-Type": "application/json"}
    arguments = {"trace_id": "t", "tool": "x" * 1_000_000, "results": 1}
    call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call"}
    with serving(store, mounts=http_mounts) as client:
        for name, given in (("record_evidence", arguments), ("x" * 1_000_000, {})):
            asked = call | {"params": {"name": name, "arguments": given}}
            answer = client.post("/mcp", json=asked, headers=headers).json()
            problem = answer["error"]["message"] if "error" in answer else answer["result"]["content"][0]["text"]
            assert "invalid name" in problem or "unknown tool" in problem
            assert len(problem) < 500
