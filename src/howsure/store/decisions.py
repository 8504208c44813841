"""The tables of the ledger: every assessment, what became of it, and hourly sums so that looking back is quick."""

import math
from collections.abc import Iterable, Sequence
from operator import add
from typing import Literal, NamedTuple

from howsure.store.database import Transaction

HOUR = 3600.0
Outcome = Literal["right", "wrong", "corrected"]
"""What became of an answer. One that had to be corrected was not right."""


class Entry(NamedTuple):
    """An assessment as it is written."""

    id: str
    at: float
    model: str
    agent: str
    agent_type: str
    project: str
    task_id: str
    trace_id: str
    score: float
    threshold: float | None
    decision: str
    met: bool
    spec: str
    """Fingerprint of the model with its parameters."""
    digest: str | None
    """Hash of the text that was judged."""
    content: str | None
    """As much of the text as is kept."""
    detail: str
    """The model's row and answer, as JSON: with its specification, enough to compute the score again."""


COLUMNS = ", ".join(Entry._fields)
SUMS = ("total", "met", "blocked", "reviewed", "scores", "outcomes", "rights")
"""What is summed for each hour."""
_INSERT = f"INSERT INTO decisions ({COLUMNS}) VALUES ({', '.join('?' * len(Entry._fields))})"
_ADD_HOUR = (
    f"INSERT INTO hours (agent, model, hour, agent_type, project, {', '.join(SUMS)}) "
    f"VALUES (?, ?, ?, ?, ?{', ?' * len(SUMS)}) ON CONFLICT (agent, model, hour, agent_type, project) DO UPDATE SET "
    + ", ".join(f"{name} = hours.{name} + excluded.{name}" for name in SUMS)
)
Place = tuple[str, str, int, str, str]


def hour_of(at: float) -> int:
    """Return the hour that a moment falls into, counted from the epoch."""
    return math.floor(at / HOUR)


def write(transaction: Transaction, entries: Sequence[Entry]) -> None:
    """Write decisions, and add them to the sums of their hours."""
    known = transaction.cache
    rows = [(*entry[:11], int(entry.met), *entry[12:]) for entry in entries]
    if len(rows) == 1:
        transaction.run(_INSERT, rows[0])
    else:
        transaction.load("decisions", COLUMNS, rows)
    sums: dict[Place, tuple[float, ...]] = {}
    for entry in entries:
        place = (entry.agent, entry.model, hour_of(entry.at), entry.agent_type, entry.project)
        counts = _counts(entry.met, entry.decision, entry.score)
        before = sums.get(place)
        sums[place] = counts if before is None else tuple(map(add, before, counts))
    for place, values in sums.items():
        transaction.run(_ADD_HOUR, (*place, *values, 0, 0))
    if known:  # windows of time that were counted, by agent and model
        for entry in entries:
            window = known.get((entry.agent, entry.model))
            if window is not None and not window.add(entry.at, entry.met):
                del known[entry.agent, entry.model]
        transaction.keep_cache()


def _counts(met: bool, decision: str, score: float) -> tuple[int, int, int, int, float]:
    return 1, int(met), int(decision == "block"), int(decision == "review"), score


LATEST = "o.key = (SELECT MAX(l.key) FROM outcomes l WHERE l.decision = o.decision)"
"""The condition under which an outcome is the one that counts: nothing newer was said."""


def add_outcome(transaction: Transaction, key: int, at: float, outcome: Outcome, actor: str, note: str) -> None:
    """Write down what became of an assessment. Something newer takes the place of something older in every count."""
    before = transaction.value("SELECT outcome FROM outcomes WHERE decision = ? ORDER BY key DESC LIMIT 1", [key])
    transaction.run(
        "INSERT INTO outcomes (decision, at, outcome, actor, note) VALUES (?, ?, ?, ?, ?)",
        [key, at, outcome, actor, note],
    )
    agent, model, when, kind, project = transaction.rows(
        "SELECT agent, model, at, agent_type, project FROM decisions WHERE key = ?", [key]
    )[0]
    rights = int(outcome == "right") - int(before == "right")
    place = (agent, model, hour_of(when), kind, project)
    transaction.run(_ADD_HOUR, [*place, 0, 0, 0, 0, 0.0, int(before is None), rights])


class Said(NamedTuple):
    """What somebody said became of an assessment."""

    at: float
    outcome: Outcome
    by: str
    note: str


def outcomes_of(transaction: Transaction, id_: str) -> list[Said]:
    """Return all that was said of an assessment's outcome, in order; the last counts."""
    query = (
        "SELECT o.at, o.outcome, o.actor, o.note FROM outcomes o JOIN decisions a ON a.key = o.decision "
        "WHERE a.id = ? ORDER BY o.key"
    )
    return [Said(*row) for row in transaction.rows(query, [id_])]


def start_of(moment: float) -> float:
    """Return when the hour of a moment began: whole hours are deleted, so that their sums stay right."""
    return hour_of(moment) * HOUR


def count_before(transaction: Transaction, before: float) -> int:
    """Count the decisions and tool calls that trimming to a moment would delete."""
    start = start_of(before)
    counts = [
        transaction.value(f"SELECT COUNT(*) FROM {name} WHERE at < ?", [start]) for name in ("decisions", "tool_calls")
    ]
    return sum(map(int, counts))


def trim(transaction: Transaction, before: float) -> int:
    """Delete what is older than the hour of a moment; return how many decisions that were."""
    start = start_of(before)
    transaction.run("DELETE FROM outcomes WHERE decision IN (SELECT key FROM decisions WHERE at < ?)", [start])
    count = transaction.run("DELETE FROM decisions WHERE at < ?", [start])
    transaction.run("DELETE FROM hours WHERE hour < ?", [hour_of(before)])
    transaction.run("DELETE FROM tool_calls WHERE at < ?", [start])
    return count


def remove(transaction: Transaction, keys: Iterable[int]) -> int:
    """Delete decisions, and take them out of the sums of their hours."""
    count = 0
    for key in keys:
        row = transaction.one(
            "SELECT agent, model, at, agent_type, project, met, decision, score FROM decisions WHERE key = ?", [key]
        )
        if row is None:
            continue
        agent, model, at, kind, project, met, decision, score = row
        outcome = transaction.value("SELECT outcome FROM outcomes WHERE decision = ? ORDER BY key DESC LIMIT 1", [key])
        more = [*_counts(met, decision, score), int(outcome is not None), int(outcome == "right")]
        transaction.run(_ADD_HOUR, [agent, model, hour_of(at), kind, project, *(-number for number in more)])
        transaction.run("DELETE FROM outcomes WHERE decision = ?", [key])
        transaction.run("DELETE FROM decisions WHERE key = ?", [key])
        count += 1
    transaction.run("DELETE FROM hours WHERE total <= 0")
    return count


def remove_calls(transaction: Transaction, traces: Iterable[str]) -> None:
    """Delete the calls of sessions of which no assessment is left."""
    for trace in traces:
        transaction.run(
            "DELETE FROM tool_calls WHERE trace_id = :trace "
            "AND NOT EXISTS (SELECT 1 FROM decisions a WHERE a.trace_id = :trace)",
            {"trace": trace},
        )


def hours_out_of_step(transaction: Transaction) -> list[tuple[str, int]]:
    """Return agent and hour where the sums are not what was decided. There should be none."""
    counted = (
        f"SELECT a.agent, a.model, CAST(FLOOR(a.at / {HOUR!r}) AS BIGINT) AS hour, a.agent_type, a.project, "
        "COUNT(*) AS total, SUM(a.met) AS met, COUNT(o.key) AS outcomes, SUM(a.score) AS scores, "
        "SUM(CASE WHEN a.decision = 'block' THEN 1 ELSE 0 END) AS blocked, "
        "SUM(CASE WHEN a.decision = 'review' THEN 1 ELSE 0 END) AS reviewed, "
        "SUM(CASE WHEN o.outcome = 'right' THEN 1 ELSE 0 END) AS rights "
        f"FROM decisions a LEFT JOIN outcomes o ON o.decision = a.key AND {LATEST} GROUP BY 1, 2, 3, 4, 5"
    )
    same = " AND ".join(f"h.{name} = c.{name}" for name in ("agent", "model", "hour", "agent_type", "project"))
    differ = " OR ".join(f"h.{name} <> c.{name}" for name in SUMS if name != "scores")
    differ += " OR ABS(h.scores - c.scores) > 1e-6 * (1 + c.total)"
    kept = f"SELECT h.agent, h.hour FROM hours h LEFT JOIN ({counted}) AS c ON {same} WHERE c.total IS NULL OR {differ}"
    missing = f"SELECT c.agent, c.hour FROM ({counted}) AS c LEFT JOIN hours h ON {same} WHERE h.total IS NULL"
    return [(str(agent), int(hour)) for agent, hour in transaction.rows(f"{kept} UNION ALL {missing}")]


def list_decisions_before(transaction: Transaction, trace: str, task: str, id_: str) -> list[str]:
    """Return the decisions about earlier responses of the same trace and task, the latest first, at most 1000."""
    rows = transaction.rows(
        "SELECT decision FROM decisions WHERE trace_id = ? AND model = 'response' AND task_id = ? "
        "AND key < (SELECT key FROM decisions WHERE id = ?) ORDER BY key DESC LIMIT 1000",
        [trace, task, id_],
    )
    return [decision for (decision,) in rows]
