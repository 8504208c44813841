"""Benchmark of gate decisions and claim queries over HTTP, compared with an empty Starlette application.

Each client keeps its connection and sends the next request after the last response. The time of the server is measured
as CPU time of its process, which hardly changes on a busy machine.
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
TARGET = 0.002
"""Seconds of CPU time that a gate decision may take."""
EMPTY = """
import uvicorn
from howsure.serve.server import bind, url_of
from starlette.applications import Starlette
from starlette.responses import JSONResponse
from starlette.routing import Route
async def empty(request):
    await request.json()
    return JSONResponse({})
app = Starlette(routes=[Route("/", empty, methods=["POST"])])
with bind("127.0.0.1", 0) as listening:
    print(" at", url_of(listening), "", flush=True)
    uvicorn.Server(uvicorn.Config(app, log_level="warning")).run(sockets=[listening])
"""
OURS = "import typer; from howsure.cli.serve import serve; typer.run(serve)"
CHECK = {"text": "The parser is tested. I think the cache is probably fine.", "agent": "ann", "knowledge": [0.91, 0.84]}
QUERY = f"/v1/claims?min_lower=0.7&limit=10&now={NOW}"


class Measurement(NamedTuple):
    """Throughput and latency for a number of clients."""

    rate: float
    """Requests per second."""
    p50: float
    p99: float
    cpu: float
    """Seconds of CPU time of the server per request."""


@contextmanager
def server(script: str, store: str) -> Iterator[tuple[int, int]]:
    """Start a server; yield its process id and port."""
    command = [sys.executable, "-c", script, *(["--port", "0", "--quiet"] if script is OURS else [])]
    environment = os.environ | {"HOWSURE_STORE": store}
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as process:
        assert process.stdout is not None
        port = int(process.stdout.readline().partition(" at ")[2].split()[0].rpartition(":")[2])
        yield process.pid, port
        process.terminate()


def cpu_time(process: int) -> float:
    """Return the seconds of CPU time that a process has used, or NaN without /proc."""
    path = Path(f"/proc/{process}/stat")
    if not path.exists():
        return float("nan")
    fields = path.read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def request(method: str, path: str, body: object = None) -> bytes:
    """Return the bytes of an HTTP request."""
    content = b"" if body is None else json.dumps(body).encode()
    head = f"{method} {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    return f"{head}Content-Length: {len(content)}\r\n\r\n".encode() + content


async def client(port: int, message: bytes, until: float, times: list[float]) -> None:
    """Send the same request repeatedly and append the seconds that each took."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    while time.perf_counter() < until:
        start = time.perf_counter()
        writer.write(message)
        head = await reader.readuntil(b"\r\n\r\n")
        assert head.startswith(b"HTTP/1.1 200 "), head
        size = next(line for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:"))
        await reader.readexactly(int(size.partition(b":")[2]))
        times.append(time.perf_counter() - start)
    writer.close()


def measure(process: int, port: int, message: bytes, clients: int) -> Measurement:
    """Let clients send requests for `SECONDS` and return what they measured."""

    async def run(seconds: float) -> list[float]:
        times: list[float] = []
        until = time.perf_counter() + seconds
        await asyncio.gather(*(client(port, message, until, times) for _ in range(clients)))
        return sorted(times)

    asyncio.run(run(SECONDS / 5))  # warm up: loads what is imported on first use
    before, start = cpu_time(process), time.perf_counter()
    times = asyncio.run(run(SECONDS))
    took, wall = cpu_time(process) - before, time.perf_counter() - start
    count = len(times)
    return Measurement(count / wall, times[count // 2], times[int(count * 0.99)], took / count)


def table() -> Table:
    """Measure and return the results as a table."""
    results = Table(title=f"Over HTTP on loopback, {SIZE:,} claims in SQLite", title_justify="left")
    for name in ("", "clients", "requests/s", "p50 ms", "p99 ms", "CPU ms"):
        results.add_column(name, justify="right" if name else "left")
    with tempfile.TemporaryDirectory() as folder:
        store = str(Path(folder) / "howsure.db")
        with open_store(store, clock=lambda: NOW) as sure:
            sure.claims.learn(records(SIZE))
        gate: list[float] = []
        for name, script, message in (
            ("empty Starlette application", EMPTY, request("POST", "/", CHECK)),
            ("gate decision", OURS, request("POST", "/v1/responses/check", CHECK)),
            ("find(min_lower=0.7)", OURS, request("GET", QUERY)),
        ):
            with server(script, store) as (process, port):
                for clients in CLIENTS:
                    measured = measure(process, port, message, clients)
                    numbers = (f"{measured.p50 * 1e3:.2f}", f"{measured.p99 * 1e3:.2f}", f"{measured.cpu * 1e3:.2f}")
                    results.add_row(
                        name if clients == CLIENTS[0] else "", str(clients), f"{measured.rate:,.0f}", *numbers
                    )
                    gate += [measured.cpu] if name == "gate decision" else []
    verdict = "within" if min(gate) <= TARGET else "over"
    results.caption = f"CPU: processor time of the server per request; a gate decision is {verdict} {TARGET * 1e3:g} ms"
    return results


if __name__ == "__main__":
    Console().print(table())
