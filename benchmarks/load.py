"""Load: a gate decision and a claim query over HTTP, beside a Starlette application that does nothing.

Clients keep their connection and send the next request when the last is answered. A server's own time is what its
process takes of a processor, since that is nearly the same on a busy machine.
"""

import asyncio
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from rich.console import Console
from rich.table import Table

from benchmarks.claims import NOW, records
from howsure.sure import open as open_store

SIZE = int(os.environ.get("HOWSURE_BENCH_CLAIMS", "1000000"))
SECONDS = float(os.environ.get("HOWSURE_BENCH_SECONDS", "5"))
CLIENTS = (1, 8, 64)
OWN = 0.002
"""Seconds of our own that a gate decision may take."""
NOTHING = """
import uvicorn
from howsure.serve.server import bind, url_of
from starlette.applications import Starlette
from starlette.responses import JSONResponse
from starlette.routing import Route
async def nothing(request):
    await request.json()
    return JSONResponse({})
app = Starlette(routes=[Route("/", nothing, methods=["POST"])])
with bind("127.0.0.1", 0) as listening:
    print(" at", url_of(listening), "", flush=True)
    uvicorn.Server(uvicorn.Config(app, log_level="warning")).run(sockets=[listening])
"""
OURS = "import typer; from howsure.cli.serve import serve; typer.run(serve)"
CHECK = {"text": "The parser is tested. I think the cache is probably fine.", "agent": "ann", "retrieved": [0.91, 0.84]}
QUERY = f"/v1/claims?min_lower=0.7&limit=10&now={NOW}"


class Found(NamedTuple):
    """What a number of clients saw."""

    rate: float
    """Requests a second."""
    p50: float
    p99: float
    own: float
    """Seconds of a processor that the server took for each."""


@contextmanager
def server(script: str, store: str) -> Iterator[tuple[int, int]]:
    """Start a server, and give its process and port."""
    command = [sys.executable, "-c", script, *(["--port", "0", "--quiet"] if script is OURS else [])]
    environment = os.environ | {"HOWSURE_STORE": store}
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as process:
        assert process.stdout is not None
        port = int(process.stdout.readline().partition(" at ")[2].split()[0].rpartition(":")[2])
        yield process.pid, port
        process.terminate()


def spent(process: int) -> float:
    """Return how many seconds of a processor a process has taken."""
    path = Path(f"/proc/{process}/stat")
    if not path.exists():
        return float("nan")
    fields = path.read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def request(method: str, path: str, body: object = None) -> bytes:
    """Return a request as it is sent."""
    content = b"" if body is None else json.dumps(body).encode()
    head = f"{method} {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    return f"{head}Content-Length: {len(content)}\r\n\r\n".encode() + content


async def client(port: int, sent: bytes, until: float, times: list[float]) -> None:
    """Send the same request again and again."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    while time.perf_counter() < until:
        start = time.perf_counter()
        writer.write(sent)
        head = await reader.readuntil(b"\r\n\r\n")
        assert head.startswith(b"HTTP/1.1 200 "), head
        size = next(line for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:"))
        await reader.readexactly(int(size.partition(b":")[2]))
        times.append(time.perf_counter() - start)
    writer.close()


def measure(process: int, port: int, sent: bytes, clients: int) -> Found:
    """Let clients ask for some seconds."""

    async def run(seconds: float) -> list[float]:
        times: list[float] = []
        until = time.perf_counter() + seconds
        await asyncio.gather(*(client(port, sent, until, times) for _ in range(clients)))
        return sorted(times)

    asyncio.run(run(SECONDS / 5))  # what is loaded when first used
    before, start = spent(process), time.perf_counter()
    times = asyncio.run(run(SECONDS))
    took, wall = spent(process) - before, time.perf_counter() - start
    count = len(times)
    return Found(count / wall, times[count // 2], times[int(count * 0.99)], took / count)


def table() -> Table:
    """Measure, and return the table."""
    shown = Table(title=f"Over HTTP on loopback, {SIZE:,} claims in SQLite", title_justify="left")
    for name in ("", "clients", "requests/s", "p50 ms", "p99 ms", "own ms"):
        shown.add_column(name, justify="right" if name else "left")
    with tempfile.TemporaryDirectory() as folder:
        store = str(Path(folder) / "howsure.db")
        with open_store(store, clock=lambda: NOW) as sure:
            sure.claims.learn(records(SIZE))
        gate: list[float] = []
        for name, script, sent in (
            ("Starlette doing nothing", NOTHING, request("POST", "/", CHECK)),
            ("gate decision", OURS, request("POST", "/v1/responses/check", CHECK)),
            ("find(min_lower=0.7)", OURS, request("GET", QUERY)),
        ):
            with server(script, store) as (process, port):
                for clients in CLIENTS:
                    found = measure(process, port, sent, clients)
                    numbers = (f"{found.p50 * 1e3:.2f}", f"{found.p99 * 1e3:.2f}", f"{found.own * 1e3:.2f}")
                    shown.add_row(name if clients == CLIENTS[0] else "", str(clients), f"{found.rate:,.0f}", *numbers)
                    gate += [found.own] if name == "gate decision" else []
    verdict = "within" if min(gate) <= OWN else "over"
    shown.caption = f"own: time of a processor in the server; a gate decision is {verdict} {OWN * 1e3:g} ms"
    return shown


if __name__ == "__main__":
    Console().print(table())
