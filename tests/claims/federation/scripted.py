"""A server over a real socket that behaves as badly as it is told to."""

import json
import socket
import ssl
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from threading import Event, Thread
from typing import Any

HOLD = 20.0
"""Seconds for which a server at most holds what it holds back: longer than any time limit, shorter than a test run."""


@dataclass
class Scripted:
    """A server, what it was sent, and when to give up."""

    url: str
    over: Event
    requests: list[bytes] = field(default_factory=list)

    def wait(self, seconds: float = HOLD) -> bool:
        """Wait, and say whether the test is still going on."""
        return not self.over.wait(seconds)


Behave = Callable[[socket.socket, Scripted], None]


@contextmanager
def scripted(behave: Behave, context: ssl.SSLContext | None = None) -> Iterator[Scripted]:
    """Listen on a port of this machine, encrypted or not, and treat everybody who sends a request as told."""
    listening = socket.create_server(("127.0.0.1", 0))
    listening.settimeout(0.05)
    server = Scripted(f"http://127.0.0.1:{listening.getsockname()[1]}", Event())
    threads = []

    def serve(connection: socket.socket) -> None:
        connection.settimeout(HOLD)
        with connection, suppress(OSError):  # whoever asked may have gone
            line = connection if context is None else context.wrap_socket(connection, server_side=True)
            with line:
                server.requests.append(_request(line))
                behave(line, server)

    def accept() -> None:
        while not server.over.is_set():
            with suppress(TimeoutError):
                connection, _ = listening.accept()
                threads.append(Thread(target=serve, args=(connection,)))
                threads[-1].start()

    accepting = Thread(target=accept)
    accepting.start()
    try:
        yield server
    finally:
        server.over.set()
        accepting.join()
        listening.close()
        for thread in threads:
            thread.join()


def _request(connection: socket.socket) -> bytes:
    """Read one request, body included."""
    found = b""
    while b"\r\n\r\n" not in found:
        part = connection.recv(65_536)
        if not part:
            return found
        found += part
    head, _, body = found.partition(b"\r\n\r\n")
    size = next((int(line.split(b":")[1]) for line in head.lower().split(b"\r\n") if b"content-length:" in line), 0)
    while len(body) < size:
        body += connection.recv(65_536)
    return head + b"\r\n\r\n" + body


def http(body: bytes, status: str = "200 OK", **headers: str) -> bytes:
    """Return an answer as it goes over the wire."""
    named = {"Content-Type": "application/json", "Content-Length": str(len(body))}
    named |= {name.replace("_", "-"): value for name, value in headers.items()}
    lines = "".join(f"{name}: {value}\r\n" for name, value in named.items() if value)
    return f"HTTP/1.1 {status}\r\n{lines}\r\n".encode() + body


def answering(data: Any, **headers: str) -> Behave:
    """Answer with JSON, or with bytes as they are."""
    body = data if isinstance(data, bytes) else json.dumps(data).encode()
    return lambda connection, _: connection.sendall(http(body, **headers))
