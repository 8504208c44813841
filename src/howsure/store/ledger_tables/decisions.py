"""Write, find and delete decisions, with their outcomes and the hourly sums that make history quick to read."""

import math
from collections.abc import Iterable, Iterator, Sequence
from operator import add
from typing import Any, Literal, NamedTuple, get_args

from howsure.chunks import in_chunks
from howsure.shapes import HOUR, Moment, Unit, decode_as
from howsure.store import tasks
from howsure.store.backends.database import Transaction
from howsure.store.text_rules import check_name

Outcome = Literal["right", "wrong", "corrected"]
"""What a decision turned out to be. A response that had to be corrected was not right."""
OUTCOMES: tuple[Outcome, ...] = get_args(Outcome)
OutcomeSource = Literal["person", "ci", "commit", "thumbs", "file", "agent"]
"""Where an outcome came from: somebody said so, a CI run, a merged or reverted commit, a thumb, a file, or an agent.

What an agent says is kept, but does not count: it may be about its own response."""


class DecisionRow(NamedTuple):
    """A row of the table `decisions`, without its key."""

    id: str
    at: Moment
    model: str
    agent: str
    agent_type: str
    project: str
    task_id: str
    trace_id: str
    score: Unit
    threshold: Unit | None
    decision: str
    met: bool
    spec: str
    """Fingerprint of the model with its parameters."""
    digest: str | None
    """SHA-256 of the judged text."""
    content: str | None
    """As much of the text as the settings keep."""
    detail: str
    """The model's row and answer, as JSON: with its specification, enough to compute the score again."""
    shadow: bool = False
    """Whether the response was let through whatever was decided."""


COLUMNS = ", ".join(DecisionRow._fields)
SUMS = ("total", "met", "blocked", "reviewed", "scores", "outcomes", "rights")
"""The columns of `hours` that are summed over the decisions of an hour."""
_INSERT = f"INSERT INTO decisions ({COLUMNS}) VALUES ({', '.join('?' * len(DecisionRow._fields))})"
_ADD_HOUR = (
    f"INSERT INTO hours (agent, model, hour, agent_type, project, {', '.join(SUMS)}) "
    f"VALUES (?, ?, ?, ?, ?{', ?' * len(SUMS)}) ON CONFLICT (agent, model, hour, agent_type, project) DO UPDATE SET "
    + ", ".join(f"{name} = hours.{name} + excluded.{name}" for name in SUMS)
)
HourKey = tuple[str, str, int, str, str]
"""Agent, model, hour, agent type and project: the primary key of `hours`."""


def hour_of(at: float) -> int:
    """Return the hour that a moment falls into, counted from 1970."""
    return math.floor(at / HOUR)


def start_of_hour(moment: float) -> float:
    """Return when the hour of a moment began."""
    return hour_of(moment) * HOUR


def insert(transaction: Transaction, rows: Sequence[DecisionRow]) -> None:
    """Insert decisions, add them to the sums of their hours and to the windows that this connection has cached."""
    windows = transaction.cache
    values = [(*row[:11], int(row.met), *row[12:16], int(row.shadow)) for row in rows]
    if len(values) == 1:
        transaction.run(_INSERT, values[0])
        row = rows[0]
        transaction.run(_ADD_HOUR, (*_hour_key(row), *_counts(row.met, row.decision, row.score), 0, 0))
    else:
        transaction.load("decisions", COLUMNS, values)
        sums: dict[HourKey, tuple[float, ...]] = {}
        for row in rows:
            key, counts = _hour_key(row), _counts(row.met, row.decision, row.score)
            before = sums.get(key)
            sums[key] = counts if before is None else tuple(map(add, before, counts))
        for key, added in sums.items():
            transaction.run(_ADD_HOUR, (*key, *added, 0, 0))
    if windows:
        for row in rows:
            window = windows.get((row.agent, row.model))
            if window is not None and not window.add(row.at, row.met):
                del windows[row.agent, row.model]
        transaction.keep_cache()


def _hour_key(row: DecisionRow) -> HourKey:
    return row.agent, row.model, hour_of(row.at), row.agent_type, row.project


def _counts(met: bool, decision: str, score: float) -> tuple[int, int, int, int, float]:
    return 1, int(met), int(decision == "block"), int(decision == "review"), score


def insert_spec(transaction: Transaction, fingerprint: str, content: str) -> None:
    """Insert the specification of a model, unless it is there already."""
    transaction.run(
        "INSERT INTO specs (fingerprint, content) VALUES (?, ?) ON CONFLICT (fingerprint) DO NOTHING",
        [fingerprint, content],
    )


def has_spec(transaction: Transaction, fingerprint: str) -> bool:
    """Say whether the specification with this fingerprint is stored."""
    return bool(transaction.value("SELECT 1 FROM specs WHERE fingerprint = ?", [fingerprint]))


def key_of(transaction: Transaction, id_: str) -> int | None:
    """Return the key of a decision, or None if there is none with this id."""
    key: int | None = transaction.value("SELECT key FROM decisions WHERE id = ?", [id_])
    return key


def known_ids(transaction: Transaction, ids: Sequence[str]) -> set[str]:
    """Return those of these ids that are stored."""
    known: set[str] = set()
    for some in in_chunks(ids):
        marks = ", ".join("?" * len(some))
        known |= {row[0] for row in transaction.rows(f"SELECT id FROM decisions WHERE id IN ({marks})", some)}
    return known


# Outcomes

NEWEST_COUNTED = "AND l.source <> 'agent' ORDER BY l.at DESC, l.key DESC LIMIT 1"
"""The end of a query for one decision's outcomes `l` that leaves the one that counts."""
# The source is compared first, or each of 5,000 reports of an agent about one decision looks through all of them: 5 s.
COUNTED_OUTCOME = (
    f"o.source <> 'agent' AND o.key = (SELECT l.key FROM outcomes l WHERE l.decision = o.decision {NEWEST_COUNTED})"
)
"""The condition for the outcome that counts: none of the same decision has a later time, or the same and came later,
except for what agents said."""


def add_outcome(
    transaction: Transaction,
    key: int,
    at: float,
    outcome: Outcome,
    actor: str,
    note: str,
    source: OutcomeSource = "person",
    mark: str = "",
) -> None:
    """Insert the outcome of a decision. In the sums the latest outcome counts.

    Args:
        transaction: A write transaction.
        key: The key of the decision.
        at: When the outcome became known.
        outcome: What the decision turned out to be.
        actor: Who says so.
        note: Why.
        source: Where it came from.
        mark: The import that may still replace it, if it came from a file.
    """
    before = _latest_outcome(transaction, key)
    transaction.run(
        "INSERT INTO outcomes (decision, at, outcome, actor, note, source, mark) VALUES (?, ?, ?, ?, ?, ?, ?)",
        [key, at, outcome, actor, note, source, mark],
    )
    _update_sums(transaction, key, before)


def remove_outcome(transaction: Transaction, key: int, outcome_key: int) -> None:
    """Delete one outcome of a decision."""
    before = _latest_outcome(transaction, key)
    transaction.run("DELETE FROM outcomes WHERE decision = ? AND key = ?", [key, outcome_key])
    _update_sums(transaction, key, before)


def _update_sums(transaction: Transaction, key: int, before: str | None) -> None:
    """Bring the sums of a decision's hour up to date with its latest outcome; `before` is the one that was counted."""
    after = _latest_outcome(transaction, key)
    agent, model, decided_at, agent_type, project = transaction.rows(
        "SELECT agent, model, at, agent_type, project FROM decisions WHERE key = ?", [key]
    )[0]
    known = int(after is not None) - int(before is not None)
    rights = int(after == "right") - int(before == "right")
    hour = (agent, model, hour_of(decided_at), agent_type, project)
    transaction.run(_ADD_HOUR, [*hour, 0, 0, 0, 0, 0.0, known, rights])


def _latest_outcome(transaction: Transaction, key: int) -> str | None:
    outcome: str | None = transaction.value(
        f"SELECT l.outcome FROM outcomes l WHERE l.decision = ? {NEWEST_COUNTED}", [key]
    )
    return outcome


class ReportedOutcome(NamedTuple):
    """An outcome that somebody reported."""

    at: float
    """When it became known, in seconds since 1970."""
    outcome: Outcome
    by: str
    note: str
    source: OutcomeSource = "person"
    """Where it came from: person, ci, commit, thumbs, file or agent."""
    delay: float | None = None
    """Seconds between the decision and the outcome."""


def outcomes_of(transaction: Transaction, id_: str) -> list[ReportedOutcome]:
    """Return every outcome that was reported for a decision, in order; the last one counts, except those of agents."""
    query = (
        "SELECT o.at, o.outcome, o.actor, o.note, o.source, o.at - d.at FROM outcomes o "
        "JOIN decisions d ON d.key = o.decision WHERE d.id = ? ORDER BY o.at, o.key"
    )
    return [ReportedOutcome(*row) for row in transaction.rows(query, [id_])]


# Finding


class DecisionFilter(NamedTuple):
    """Which decisions to select: all given conditions must hold."""

    id: str | None = None
    agent: str | None = None
    agent_type: str | None = None
    project: str | None = None
    task_id: str | None = None
    trace_id: str | None = None
    model: str | None = None
    decision: str | None = None
    since: float | None = None
    """At this moment or later."""
    until: float | None = None
    """At this moment or earlier."""
    before: float | None = None
    """Earlier than this moment."""
    with_outcome: bool | None = None
    """Whether an outcome is known."""

    @property
    def given(self) -> dict[str, Any]:
        """The conditions that are given, by name."""
        return {name: value for name, value in zip(self._fields, self, strict=True) if value is not None}

    def checked(self) -> "DecisionFilter":
        """Return the filter itself.

        Raises:
            InputError: if a name or moment in it cannot be stored, and so cannot be found.
        """
        for name, value in self.given.items():
            if name in ("since", "until", "before"):
                decode_as(Moment, value, name)
            elif name != "with_outcome":
                check_name(value, "decision_id" if name == "id" else name)
        return self

    def where(self, *, by_time: bool = False) -> tuple[str, dict[str, Any]]:
        """Return the WHERE clause for the alias `d` (empty if nothing is given), and its parameters.

        With `by_time`, no index of names is used: one by time that holds only a few decisions is better.
        """
        parameters = self.given
        conditions = []
        for name, value in parameters.items():
            if name == "with_outcome":
                conditions.append(_WITH_OUTCOME if value else f"NOT {_WITH_OUTCOME}")
                continue
            column = f"d.{name} || '' =" if by_time else f"d.{name} ="
            conditions.append(f"{_COLUMNS.get(name, column)} :{name}")
            left_out, condition = _PARTIAL_INDEXES.get(name, (value, ""))
            conditions += [condition] if value != left_out else []
        parameters.pop("with_outcome", None)
        return ("WHERE " + " AND ".join(conditions) if conditions else ""), parameters


_COLUMNS = {"since": "d.at >=", "until": "d.at <=", "before": "d.at <"}
# The indexes of tasks, traces, models and decisions are partial: they leave out empty names, the model of nearly every
# decision, and passed responses. A database only uses one if the query repeats its condition.
_PARTIAL_INDEXES = {
    "task_id": ("", "d.task_id <> ''"),
    "trace_id": ("", "d.trace_id <> ''"),
    "model": ("response", "d.model <> 'response'"),
    "decision": ("pass", "d.decision <> 'pass'"),
}
_WITH_OUTCOME = "EXISTS (SELECT 1 FROM outcomes x WHERE x.decision = d.key AND x.source <> 'agent')"
StoredColumns = tuple[Any, ...]
"""What `_SELECT` reads of a decision."""
STORED_COLUMNS = (*DecisionRow._fields, "outcome", "outcome_by", "outcome_at", "outcome_source")
"""The names of these columns. `spec` is the specification as JSON, not its fingerprint."""
_SELECT = (
    f"SELECT {', '.join('s.content' if name == 'spec' else f'd.{name}' for name in DecisionRow._fields)}, "
    "o.outcome, o.actor, o.at, o.source FROM decisions d "
    "JOIN specs s ON s.fingerprint = d.spec "
    f"LEFT JOIN outcomes o ON o.decision = d.key AND {COUNTED_OUTCOME}"
)


LAST = "@last"
"""Stands for the id of the newest decision where one is read."""


def load(transaction: Transaction, id_: str) -> StoredColumns | None:
    """Return a decision by its id, or the newest one for `@last`; None if there is none."""
    if id_ == LAST:
        newest, _ = find(transaction, DecisionFilter(), 1)
        return newest[0] if newest else None
    return transaction.one(f"{_SELECT} WHERE d.id = ?", [id_])


class Position(NamedTuple):
    """The place of a decision in the order of time."""

    at: float
    key: int


def find(
    transaction: Transaction, wanted: DecisionFilter, limit: int, after: Position | None = None
) -> tuple[list[StoredColumns], Position | None]:
    """Return a page of decisions, the newest first, and the position to continue after; None at the end."""
    where, parameters = wanted.where()
    if after is not None:
        beyond = "(d.at < :after_at OR (d.at = :after_at AND d.key < :after_key))"
        where = f"{where} AND {beyond}" if where else f"WHERE {beyond}"
        parameters |= {"after_at": after.at, "after_key": after.key}
    elif not wanted.given.keys() & {"since", "until", "before"}:
        # True of all, but without it SQLite reads and sorts all decisions for `model` alone, instead of the newest.
        where = f"{where} AND d.at <= 1e300" if where else "WHERE d.at <= 1e300"
    # Keys first, so that the sort does not carry the texts and details of all matching rows.
    keys = f"SELECT d.key, d.at FROM decisions d {where} ORDER BY d.at DESC, d.key DESC LIMIT {int(limit) + 1}"
    positions = [Position(float(at), int(key)) for key, at in transaction.rows(keys, parameters)]
    chosen = ", ".join(str(position.key) for position in positions[:limit]) or "-1"
    rows = transaction.rows(f"{_SELECT} WHERE d.key IN ({chosen}) ORDER BY d.at DESC, d.key DESC")
    return rows, positions[limit - 1] if len(positions) > limit else None


def stream(transaction: Transaction, wanted: DecisionFilter) -> Iterator[StoredColumns]:
    """Yield decisions one by one, the oldest first."""
    where, parameters = wanted.where()
    return transaction.stream(f"{_SELECT} {where} ORDER BY d.at, d.key", parameters)


def count(transaction: Transaction, wanted: DecisionFilter) -> int:
    """Return how many decisions match."""
    where, parameters = wanted.where()
    return int(transaction.value(f"SELECT COUNT(*) FROM decisions d {where}", parameters))


# Deleting


def purge(transaction: Transaction, wanted: DecisionFilter) -> int:
    """Delete the matching decisions for good and return how many; everything, if the filter is empty.

    Tool calls of their traces go too if no decision about the trace is left. If the filter names nothing but a trace
    or a moment, so do all tool calls that match it. Answers that are kept for repeated requests go, since they may
    quote a purged text.
    """
    where, parameters = wanted.where()
    rows = transaction.rows(f"SELECT d.key, d.trace_id FROM decisions d {where}", parameters)
    purged = delete(transaction, [key for key, _ in rows])
    _delete_tool_calls(transaction, {trace for _, trace in rows} - {""})
    if parameters.keys() <= {"trace_id", "before"}:  # both tables have these columns
        transaction.run(f"DELETE FROM tool_calls AS d {where}", parameters)
    transaction.run("DELETE FROM requests WHERE answer IS NOT NULL")
    return purged


_DELETE_EMPTY_HOUR = (
    "DELETE FROM hours WHERE agent = ? AND model = ? AND hour = ? AND agent_type = ? AND project = ? AND total <= 0"
)


def delete(transaction: Transaction, keys: Iterable[int]) -> int:
    """Delete decisions and subtract them from the sums of their hours; return how many were there."""
    deleted = 0
    for key in keys:
        row = transaction.one(
            "SELECT agent, model, at, agent_type, project, met, decision, score FROM decisions WHERE key = ?", [key]
        )
        if row is None:
            continue
        agent, model, at, agent_type, project, met, decision, score = row
        outcome = _latest_outcome(transaction, key)
        counts = [*_counts(met, decision, score), int(outcome is not None), int(outcome == "right")]
        hour = [agent, model, hour_of(at), agent_type, project]
        transaction.run(_ADD_HOUR, [*hour, *(-number for number in counts)])
        transaction.run("DELETE FROM outcomes WHERE decision = ?", [key])
        transaction.run("DELETE FROM decisions WHERE key = ?", [key])
        deleted += 1
        transaction.run(_DELETE_EMPTY_HOUR, hour)
    return deleted


def _delete_tool_calls(transaction: Transaction, traces: Iterable[str]) -> None:
    """Delete the tool calls of traces without any decision."""
    for trace in traces:
        transaction.run(  # `<> ''` is the condition of the index of traces
            "DELETE FROM tool_calls WHERE trace_id = :trace "
            "AND NOT EXISTS (SELECT 1 FROM decisions d WHERE d.trace_id = :trace AND d.trace_id <> '')",
            {"trace": trace},
        )


_TRIM = "trim"
"""The name of trimming in the table `done`."""


def trim(transaction: Transaction, before: float, now: float) -> int:
    """Delete decisions and tool calls older than the hour of a moment; return how many decisions.

    Whole hours are deleted, so that the sums of the others stay right. `last_trim` returns `now` afterwards.
    """
    start = start_of_hour(before)
    transaction.run("DELETE FROM outcomes WHERE decision IN (SELECT key FROM decisions WHERE at < ?)", [start])
    deleted = transaction.run("DELETE FROM decisions WHERE at < ?", [start])
    transaction.run("DELETE FROM hours WHERE hour < ?", [hour_of(before)])
    transaction.run("DELETE FROM tool_calls WHERE at < ?", [start])
    tasks.note(transaction, _TRIM, now)
    return deleted


def last_trim(transaction: Transaction) -> float | None:
    """Return when the ledger was last trimmed, or None."""
    return tasks.read_last(transaction, _TRIM)


def oldest(transaction: Transaction) -> float | None:
    """Return when the oldest decision or tool call was recorded, or None if there is none."""
    moments = [transaction.value(f"SELECT MIN(at) FROM {table}") for table in ("decisions", "tool_calls")]
    return min((at for at in moments if at is not None), default=None)


def count_before(transaction: Transaction, before: float) -> int:
    """Return how many decisions and tool calls `trim` would delete."""
    start = start_of_hour(before)
    tables = ("decisions", "tool_calls")
    return sum(int(transaction.value(f"SELECT COUNT(*) FROM {table} WHERE at < ?", [start])) for table in tables)


# Checking


_HOUR_KEY = ("agent", "model", "hour", "agent_type", "project")
_COUNTED_HOURS = (
    f"SELECT d.agent, d.model, CAST(FLOOR(d.at / {HOUR!r}) AS BIGINT) AS hour, d.agent_type, d.project, "
    "COUNT(*) AS total, SUM(d.met) AS met, "
    "SUM(CASE WHEN d.decision = 'block' THEN 1 ELSE 0 END) AS blocked, "
    "SUM(CASE WHEN d.decision = 'review' THEN 1 ELSE 0 END) AS reviewed, "
    "SUM(d.score) AS scores, COUNT(o.key) AS outcomes, "
    "SUM(CASE WHEN o.outcome = 'right' THEN 1 ELSE 0 END) AS rights "
    f"FROM decisions d LEFT JOIN outcomes o ON o.decision = d.key AND {COUNTED_OUTCOME} GROUP BY 1, 2, 3, 4, 5"
)
"""The rows of `hours` as they should be."""


def hours_out_of_step(transaction: Transaction) -> list[tuple[str, int]]:
    """Return agent and hour of all sums that differ from the decisions of that hour. There should be none."""
    counted = _COUNTED_HOURS
    same = " AND ".join(f"h.{name} = c.{name}" for name in _HOUR_KEY)
    differ = " OR ".join(f"h.{name} <> c.{name}" for name in SUMS if name != "scores")
    # Scores were added one by one and in another order: they may differ in their last digits.
    differ += " OR ABS(h.scores - c.scores) > 1e-6 * (1 + c.total)"
    kept = f"SELECT h.agent, h.hour FROM hours h LEFT JOIN ({counted}) AS c ON {same} WHERE c.total IS NULL OR {differ}"
    missing = f"SELECT c.agent, c.hour FROM ({counted}) AS c LEFT JOIN hours h ON {same} WHERE h.total IS NULL"
    return [(str(agent), int(hour)) for agent, hour in transaction.rows(f"{kept} UNION ALL {missing}")]


def rebuild_hours(transaction: Transaction) -> None:
    """Count the decisions of all hours again."""
    transaction.run("DELETE FROM hours")
    transaction.run(f"INSERT INTO hours ({', '.join((*_HOUR_KEY, *SUMS))}) {_COUNTED_HOURS}")


def list_decisions_before(transaction: Transaction, trace: str, task: str, id_: str) -> list[str]:
    """Return the enforced decisions about earlier responses of a trace and task, the latest first, at most 1000."""
    # By the index of traces, which leaves out the empty name. `key + 0`, since PostgreSQL may read all decisions in the
    # order of `key` instead.
    traced, order = ("AND trace_id <> ''", "key + 0") if trace else ("", "key")
    rows = transaction.rows(
        f"SELECT decision FROM decisions WHERE trace_id = ? {traced} AND model = 'response' AND task_id = ? "
        f"AND shadow = 0 AND key < (SELECT key FROM decisions WHERE id = ?) ORDER BY {order} DESC LIMIT 1000",
        [trace, task, id_],
    )
    return [decision for (decision,) in rows]
