"""Benchmark of the dashboard at a million claims, and of the gate while readers hammer its pages.

With HOWSURE_BENCH_STORE a store is kept between runs: a file that does not exist is made, which takes minutes.
"""

import asyncio
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
from benchmarks.load import CHECK, OURS, SECONDS, SIZE, client, cpu_time, request, server
from howsure.sure import open as open_store

RELATIONS = 10_000
"""Relations of the claim whose page is measured."""
READERS = 8
ROUNDS = int(os.environ.get("HOWSURE_BENCH_ROUNDS", "5"))
"""How often the gate is measured idle and with readers, in turn, so that other load of the machine hits both."""
COUNTING = float(os.environ.get("HOWSURE_BENCH_WAIT", "60"))
"""Seconds to wait until strengths are counted in the background, after the first view."""
HUB = "The hub is connected to everything"


def make_store(path: str) -> None:
    """Make a store with `SIZE` claims, one of which has many relations."""
    with open_store(path, clock=lambda: NOW) as sure:
        sure.claims.learn(records(SIZE - RELATIONS))
        hub = str(sure.claims.add(HUB, source="user_input:ann", contribution=0.8).id)
        sure.claims.learn({"statement": f"Spoke {number} holds", "source": "doc:a"} for number in range(RELATIONS))
        with sure.session.write(large=True) as transaction:
            key = transaction.value("SELECT key FROM claims WHERE id = ?", [hub])
            rows = transaction.rows("SELECT key FROM claims WHERE key > ?", [key])
            kinds = ("supports", "contradicts")
            transaction.load(
                "relations",
                "kind, source, target, strength, recorded_at",
                [(kinds[number % 2], spoke, key, 0.3, NOW) for number, (spoke,) in enumerate(rows)],
            )


@contextmanager
def _store() -> Iterator[str]:
    kept = os.environ.get("HOWSURE_BENCH_STORE")
    with tempfile.TemporaryDirectory() as folder:
        path = kept or str(Path(folder) / "pages.db")
        if not Path(path).exists():
            make_store(path)
        yield path


READ = """
import asyncio, sys, time
from benchmarks.load import client
port, path, seconds, readers = int(sys.argv[1]), sys.argv[2], float(sys.argv[3]), int(sys.argv[4])
message = f"GET {path} HTTP/1.1\\r\\nHost: localhost\\r\\n\\r\\n".encode()
async def run():
    until = time.perf_counter() + seconds
    await asyncio.gather(*(client(port, message, until, []) for _ in range(readers)))
asyncio.run(run())
"""
"""A process that reads a page again and again, so that readers and the measured client do not share a thread."""


class Measured(NamedTuple):
    """Times of requests that were sent one after the other."""

    times: list[float]
    """Sorted, in seconds."""
    cpu: float
    """Seconds of CPU time of the server per request; with readers, it includes their requests."""

    @property
    def p99(self) -> float:
        """The time within which 99 of 100 requests were answered."""
        return self.times[min(len(self.times) - 1, int(len(self.times) * 0.99))]

    def row(self) -> tuple[str, ...]:
        """Return the cells of a row."""
        numbers = (self.times[0], self.times[len(self.times) // 2], self.p99, self.cpu)
        return (str(len(self.times)), *(f"{number * 1e3:.1f}" for number in numbers))


def _measure(process: int, port: int, message: bytes, background: str = "") -> Measured:
    """Send requests one after the other for some seconds; with `background`, while readers read that page."""
    times: list[float] = []
    command = [sys.executable, "-c", READ, str(port), background, str(SECONDS + 1), str(READERS)]
    readers = subprocess.Popen(command) if background else None
    if readers:
        time.sleep(0.7)
    before, count = cpu_time(process), len(times)
    asyncio.run(client(port, message, time.perf_counter() + SECONDS, times))
    took = cpu_time(process) - before
    if readers:
        readers.wait()
    return Measured(sorted(times), took / max(1, len(times) - count))


def _ratios(found: list[float]) -> str:
    """Return the ratios of all rounds, the smallest first, and their median."""
    found = sorted(found)
    return f"{' '.join(f'{one:.1f}' for one in found)} (median {found[len(found) // 2]:.1f})"


def table() -> Table:
    """Measure and return the results as a table."""
    results = Table(title=f"Pages and the gate over HTTP, {SIZE:,} claims in SQLite", title_justify="left")
    for name in ("", "requests", "best ms", "p50 ms", "p99 ms", "CPU ms"):
        results.add_column(name, justify="right" if name else "left")
    check = request("POST", "/v1/responses/check", CHECK)
    with _store() as path:
        with open_store(path) as sure:
            hub = f"/claims/{sure.claims.find(HUB, limit=1).claims[0].id}"
        with server(OURS, path) as (process, port):
            for message in (request("GET", "/overview"), request("GET", hub), check):
                asyncio.run(client(port, message, time.perf_counter() + 0.1, []))  # loads what is used first
            time.sleep(COUNTING)
            results.add_row("overview", *_measure(process, port, request("GET", "/overview")).row())
            about = f"claim with {RELATIONS:,} relations"
            results.add_row(about, *_measure(process, port, request("GET", hub)).row())
            pages = {"": "gate check, idle"}
            pages |= {
                page: f"gate check, {READERS} readers of {name}"
                for page, name in (("/overview", "overview"), (hub, "that claim"))
            }
            rounds = [{page: _measure(process, port, check, page) for page in pages} for _ in range(ROUNDS)]
            for page, name in pages.items():
                every = [one[page] for one in rounds]
                times = sorted(time for one in every for time in one.times)
                results.add_row(name, *Measured(times, sum(one.cpu for one in every) / ROUNDS).row())
            ratios = [_ratios([one[page].p99 / one[""].p99 for one in rounds]) for page in pages if page]
    results.caption = (
        "CPU: processor time of the server per request; p99 of the gate in each round, as a multiple of that when "
        f"idle: {'; '.join(ratios)}"
    )
    return results


if __name__ == "__main__":
    Console().print(table())
