"""Fits: what the policy and a fit add to a decision and to a one-shot gate, and how long learning takes."""

import os
import random
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import orjson
from rich.table import Table

from howsure.settings import Policy
from howsure.store.ledger_tables import decisions as ledger
from howsure.store.ledger_tables.decisions import DecisionRow
from howsure.sure import Sure
from howsure.sure import open as open_store

OUTCOMES = int(os.environ.get("HOWSURE_BENCH_OUTCOMES", "100000"))
DECISIONS = 200
ROUNDS = 15
STARTS = 25
NOW = 1_800_000_000.0
BEGUN = time.time()
TEXT = "The parser reads the file, checks its header and returns a table. It closes the file in any case."


def opened(address: str) -> Sure:
    """Open a store for which it is just after the decisions that `fill` wrote, and time goes by."""
    return open_store(address, clock=lambda: NOW + 120.0 + time.time() - BEGUN)


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


class Cost(NamedTuple):
    """What one decision takes, in microseconds."""

    elapsed: float
    processor: float


def decide(sure: Sure, policy: Policy) -> Cost:
    """Return the cost of one decision, over a round."""
    begun, start = time.process_time(), time.perf_counter()
    for number in range(DECISIONS):
        agent = f"agent-{number % 50}"
        sure.responses.check(TEXT, agent=agent, agent_type="type-1", knowledge=0.9, policy=policy)
    elapsed, processor = time.perf_counter() - start, time.process_time() - begun
    return Cost(elapsed / DECISIONS * 1e6, processor / DECISIONS * 1e6)


def start_gate(store: str, policy: Policy) -> Cost:
    """Return the cost of one `howsure gate`, in milliseconds."""
    command = [sys.executable, "-m", "howsure", "gate", "--agent", "agent-1", "--knowledge", "0.9", "--store", store]
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run([*command, "--policy", policy], input=TEXT.encode(), stdout=subprocess.DEVNULL, check=False)
    elapsed, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    processor = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Cost(elapsed * 1e3, processor * 1e3)


def table() -> Table:
    """Measure the policies, without and with a fit, in turns, since others share the processor."""
    found = Table(title="Fits", title_justify="left")
    for header in ("what", "policy nlnh", "evidence", "with a fit", "to nlnh"):
        found.add_column(header, justify="left" if header == "what" else "right")
    with tempfile.TemporaryDirectory() as folder:
        without, fitted = (str(Path(folder) / name) for name in ("without.db", "with.db"))
        ways: list[tuple[str, Policy]] = [(without, "nlnh"), (without, "evidence"), (fitted, "evidence")]
        with opened(without) as plain, opened(fitted) as learned:
            stores = {without: plain, fitted: learned}
            for sure in stores.values():
                fill(sure, 300)
            learned.fits.apply(learned.fits.learn().id, force=True)
            rounds = [[decide(stores[store], policy) for store, policy in ways] for _ in range(ROUNDS)]
        _add(found, "one decision, µs, quickest round", rounds, min)
        starts = [[start_gate(store, policy) for store, policy in ways] for _ in range(STARTS)]
        _add(found, "one-shot gate, ms, median", starts, statistics.median)
        with opened(str(Path(folder) / "large.db")) as sure:
            fill(sure, OUTCOMES)
            start = time.perf_counter()
            fit = sure.fits.learn()
            found.add_row(f"learning {fit.outcomes:,} outcomes, s", "", "", f"{time.perf_counter() - start:.2f}", "")
    return found


def _add(found: Table, what: str, rounds: list[list[Cost]], choose: Callable[[list[float]], float]) -> None:
    for clock in Cost._fields:
        numbers = [choose([getattr(one, clock) for one in way]) for way in zip(*rounds, strict=True)]
        found.add_row(f"{what}, {clock}", *(f"{number:.1f}" for number in numbers), f"{numbers[-1] / numbers[0]:.2f} x")
