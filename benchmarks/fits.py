"""Fits: what a fit adds to a decision and to a one-shot gate, and how long learning takes."""

import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import orjson
from rich.table import Table

from howsure.store import decisions as ledger
from howsure.store.decisions import DecisionRow
from howsure.sure import Sure
from howsure.sure import open as open_store

OUTCOMES = int(os.environ.get("HOWSURE_BENCH_OUTCOMES", "100000"))
DECISIONS = 200
ROUNDS = 15
STARTS = 25
NOW = 1_800_000_000.0


def fill(sure: Sure, size: int) -> None:
    """Write decisions of 50 agents with their outcomes, as the gate records them."""
    dice = random.Random(2)
    made = sure.responses.check("It is so.", knowledge=0.8, stated=0.9, history=0.7, signals={"rerank": 0.5}, now=NOW)
    stored = sure.ledger.get(made.id)
    spec, detail = made.spec.fingerprint, stored.detail
    with sure.session.write(large=True) as transaction:
        rows = []
        for number in range(size):
            knowledge, rerank, agent = dice.random(), dice.random(), dice.randrange(50)
            detail["row"]["knowledge_base"] = knowledge
            detail["answer"] |= {"knowledge_base": knowledge, "composite": 0.3 + 0.6 * knowledge}
            detail["answer"]["signals"] = {"stated": dice.random(), "rerank": rerank}
            about = ("response", f"agent-{agent}", f"type-{agent % 5}", "", "", "")
            content = orjson.dumps(detail).decode()
            rows.append(
                DecisionRow(f"b{number}", NOW, *about, 0.8, 0.8, "pass", True, spec, None, "It is so.", content)
            )
            if len(rows) == 10_000 or number + 1 == size:  # noqa: PLR2004
                ledger.insert(transaction, rows)
                rows = []
        transaction.run(
            "INSERT INTO outcomes (decision, at, outcome, actor, note, source, mark) SELECT key, at + 60, "
            "CASE WHEN ABS(RANDOM() % 1000) / 1000.0 < json_extract(detail, '$.row.knowledge_base') THEN 'right' "
            "ELSE 'wrong' END, 'ci', '', 'ci', '' FROM decisions WHERE id LIKE 'b%'"
        )
        transaction.run("UPDATE hours SET outcomes = total")


def decide(sure: Sure) -> float:
    """Return the microseconds of one decision, over a round."""
    start = time.perf_counter()
    for number in range(DECISIONS):
        sure.responses.check("It is so.", agent=f"agent-{number % 50}", agent_type="type-1", knowledge=0.9)
    return (time.perf_counter() - start) / DECISIONS * 1e6


def start_gate(store: str) -> float:
    """Return the milliseconds of one `howsure gate`."""
    command = [sys.executable, "-m", "howsure", "gate", "--agent", "agent-1", "--knowledge", "0.9", "--store", store]
    start = time.perf_counter()
    subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, check=False)
    return (time.perf_counter() - start) * 1e3


def table() -> Table:
    """Measure, with and without a fit in turns, since others share the processor."""
    found = Table(title="Fits", title_justify="left")
    for header in ("what", "without", "with a fit", "ratio"):
        found.add_column(header, justify="left" if header == "what" else "right")
    with tempfile.TemporaryDirectory() as folder:
        stores = [str(Path(folder) / name) for name in ("without.db", "with.db")]
        with open_store(stores[0]) as without, open_store(stores[1]) as fitted:
            for sure in (without, fitted):
                fill(sure, 300)
            fitted.fits.apply(fitted.fits.learn().id, force=True)
            rounds = [(decide(without), decide(fitted)) for _ in range(ROUNDS)]
        _add(found, "one decision, 300 outcomes, µs (quickest round)", [min(one) for one in zip(*rounds, strict=True)])
        starts = [(start_gate(stores[0]), start_gate(stores[1])) for _ in range(STARTS)]
        _add(found, "one-shot gate, ms (median)", [statistics.median(one) for one in zip(*starts, strict=True)])
        with open_store(str(Path(folder) / "large.db")) as sure:
            fill(sure, OUTCOMES)
            start = time.perf_counter()
            fit = sure.fits.learn()
            found.add_row(f"learning {fit.outcomes:,} outcomes, s", "", f"{time.perf_counter() - start:.2f}", "")
    return found


def _add(found: Table, what: str, numbers: list[float]) -> None:
    found.add_row(what, *(f"{number:.1f}" for number in numbers), f"{numbers[1] / numbers[0]:.3f}")
