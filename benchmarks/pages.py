"""Benchmark of the dashboard at a million claims, and of the gate while readers hammer its pages.

With HOWSURE_BENCH_STORE a store is kept between runs: a file that does not exist is made, which takes minutes.
"""

import asyncio
import os
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from rich.console import Console
from rich.table import Table

from benchmarks.claims import NOW, records
from benchmarks.load import CHECK, OURS, SECONDS, SIZE, client, request, server
from howsure.sure import open as open_store

RELATIONS = 10_000
"""Relations of the claim whose page is measured."""
READERS = 8
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


async def _times(port: int, message: bytes, seconds: float, background: bytes | None = None) -> list[float]:
    """Send requests one after the other for some seconds; with `background`, while readers send that."""
    times: list[float] = []
    until = time.perf_counter() + seconds
    others = [client(port, background, until, []) for _ in range(READERS)] if background else []
    await asyncio.gather(client(port, message, until, times), *others)
    return sorted(times)


def _row(times: list[float]) -> tuple[str, ...]:
    numbers = (times[0], times[len(times) // 2], times[min(len(times) - 1, int(len(times) * 0.99))])
    return (str(len(times)), *(f"{number * 1e3:.1f}" for number in numbers))


def table() -> Table:
    """Measure and return the results as a table."""
    results = Table(title=f"Pages and the gate over HTTP, {SIZE:,} claims in SQLite", title_justify="left")
    for name in ("", "requests", "best ms", "p50 ms", "p99 ms"):
        results.add_column(name, justify="right" if name else "left")
    check = request("POST", "/v1/responses/check", CHECK)
    with _store() as path:
        with open_store(path) as sure:
            hub = sure.claims.find(HUB, limit=1).claims[0].id
        overview, page = request("GET", "/overview"), request("GET", f"/claims/{hub}")
        with server(OURS, path) as (_, port):
            for message in (overview, page, check):
                asyncio.run(_times(port, message, 0.1))  # loads what is imported on first use
            results.add_row("overview", *_row(asyncio.run(_times(port, overview, SECONDS))))
            results.add_row(f"claim with {RELATIONS:,} relations", *_row(asyncio.run(_times(port, page, SECONDS))))
            idle = asyncio.run(_times(port, check, SECONDS))
            results.add_row("gate check, idle", *_row(idle))
            for name, message in (("overview", overview), ("that claim", page)):
                busy = asyncio.run(_times(port, check, SECONDS, message))
                results.add_row(f"gate check, {READERS} readers of {name}", *_row(busy))
    return results


if __name__ == "__main__":
    Console().print(table())
