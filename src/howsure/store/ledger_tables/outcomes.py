"""Find the decisions that an outcome belongs to, how late outcomes come, and what can be learned from them."""

from collections.abc import Iterator
from typing import NamedTuple

from howsure.store.backends.database import Transaction
from howsure.store.ledger_tables.decisions import COUNTED_OUTCOME, DecisionFilter, Outcome, OutcomeSource


class DecisionKey(NamedTuple):
    """A decision that an outcome belongs to."""

    key: int
    id: str
    at: float
    """When it was made."""


def find_decisions(
    transaction: Transaction, *, id_: str | None, task_id: str | None, trace_id: str | None, until: float
) -> list[DecisionKey]:
    """Return the decision with this id; without an id, the latest of each model and agent in a task and trace.

    Earlier decisions of a trace are about earlier responses, of which the outcome says nothing.

    Args:
        transaction: A transaction.
        id_: Id of the decision.
        task_id: The task; None for any.
        trace_id: The trace; None for any.
        until: Only decisions made by then, if no id is given.
    """
    if id_ is not None:
        rows = transaction.rows("SELECT key, id, at FROM decisions WHERE id = ?", [id_])
        return [DecisionKey(*row) for row in rows]
    where, parameters = DecisionFilter(task_id=task_id, trace_id=trace_id, until=until).where()
    latest = "ROW_NUMBER() OVER (PARTITION BY d.model, d.agent ORDER BY d.at DESC, d.key DESC)"
    query = (
        f"SELECT key, id, at FROM (SELECT d.key, d.id, d.at, {latest} AS place FROM decisions d {where}) AS t "
        "WHERE place = 1 ORDER BY key"
    )
    return [DecisionKey(*row) for row in transaction.rows(query, parameters)]


class StoredOutcome(NamedTuple):
    """An outcome of a decision."""

    key: int
    at: float
    outcome: Outcome
    mark: str
    """The import that wrote it, if it may replace it."""


def list_outcomes(
    transaction: Transaction, key: int, source: OutcomeSource | None = None, actor: str | None = None
) -> list[StoredOutcome]:
    """Return the outcomes of a decision, the latest first: of one source, or of all that count; and of one reporter."""
    conditions = {"source": source, "actor": actor}
    given = {name: value for name, value in conditions.items() if value is not None}
    where = "".join(f" AND {name} = :{name}" for name in given) + (" AND source <> 'agent'" if source is None else "")
    query = f"SELECT key, at, outcome, mark FROM outcomes WHERE decision = :key{where} ORDER BY at DESC, key DESC"
    return [StoredOutcome(*row) for row in transaction.rows(query, {"key": key, **given})]


class SourceOutcomes(NamedTuple):
    """The outcomes that came from one kind of source."""

    source: str
    """person, ci, commit, thumbs or file."""
    outcomes: int
    right: int
    median_delay: float
    """Median of the seconds between a decision and its outcome."""


def outcomes_by_source(transaction: Transaction, wanted: DecisionFilter, *, together: bool) -> list[SourceOutcomes]:
    """Return how many outcomes each source gave and how late, the most first; or the sums of all, called "all".

    The delay is the time from the decision to the outcome that counts.
    """
    where, parameters = wanted.where()
    source = "'all'" if together else "o.source"
    over = f"OVER (PARTITION BY {source})"
    # The middle row of an odd number, or the two middle rows of an even number, give the median.
    rows = (
        f"SELECT {source} AS source, o.at - d.at AS delay, COUNT(*) {over} AS outcomes, "
        f"SUM(CASE WHEN o.outcome = 'right' THEN 1 ELSE 0 END) {over} AS rights, "
        f"ROW_NUMBER() OVER (PARTITION BY {source} ORDER BY o.at - d.at) AS place "
        f"FROM decisions d JOIN outcomes o ON o.decision = d.key AND {COUNTED_OUTCOME} {where}"
    )
    query = (
        f"SELECT source, outcomes, rights, AVG(delay) FROM ({rows}) AS t "
        "WHERE place IN ((outcomes + 1) / 2, (outcomes + 2) / 2) GROUP BY 1, 2, 3 ORDER BY 2 DESC, 1"
    )
    return [
        SourceOutcomes(str(name), int(count), int(right), float(delay))
        for name, count, right, delay in transaction.rows(query, parameters)
    ]


def read_detail(transaction: Transaction, key: int) -> str:
    """Return the numbers and the answer of a decision, as JSON."""
    return str(transaction.value("SELECT detail FROM decisions WHERE key = ?", [key]))


class KnownDecision(NamedTuple):
    """A decision whose outcome is known, to learn from."""

    at: float
    agent: str
    agent_type: str
    task_id: str
    detail: str
    """The model's row and answer, as JSON."""
    outcome: Outcome
    outcome_at: float


def stream_known(transaction: Transaction, wanted: DecisionFilter) -> Iterator[KnownDecision]:
    """Yield the matching decisions whose outcome is known, in the order in which they were recorded."""
    where, parameters = wanted.where()
    query = (
        "SELECT d.at, d.agent, d.agent_type, d.task_id, d.detail, o.outcome, o.at FROM decisions d "
        f"JOIN outcomes o ON o.decision = d.key AND {COUNTED_OUTCOME} {where} ORDER BY d.key"
    )
    return (KnownDecision(*row) for row in transaction.stream(query, parameters))


def count_known(transaction: Transaction, model: str) -> int:
    """Return how many decisions of a model have an outcome, by the hourly sums."""
    return int(transaction.value("SELECT COALESCE(SUM(outcomes), 0) FROM hours WHERE model = ?", [model]))
