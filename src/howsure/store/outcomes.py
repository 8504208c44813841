"""Find the decisions that an outcome belongs to, and how late outcomes come."""

from typing import NamedTuple

from howsure.store.database import Transaction
from howsure.store.decisions import LATEST, DecisionFilter, Outcome, OutcomeSource


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


class LatestOutcome(NamedTuple):
    """The latest outcome of a decision."""

    at: float
    outcome: Outcome


def latest_outcome(transaction: Transaction, key: int, source: OutcomeSource | None = None) -> LatestOutcome | None:
    """Return the latest outcome of a decision, of any source or of one; None if there is none."""
    of_source = "" if source is None else " AND source = ?"
    query = f"SELECT at, outcome FROM outcomes WHERE decision = ?{of_source} ORDER BY at DESC, key DESC LIMIT 1"
    row = transaction.one(query, [key] if source is None else [key, source])
    return None if row is None else LatestOutcome(*row)


def is_known(
    transaction: Transaction,
    key: int,
    *,
    source: OutcomeSource,
    outcome: Outcome,
    at: float | None = None,
    actor: str | None = None,
    mark: str = "",
) -> bool:
    """Say whether an outcome need not be stored again.

    It need not if the same source has said the same of this moment, or as the last thing it said, or if the line of the
    file was imported before.

    Args:
        transaction: A transaction.
        key: The key of the decision.
        source: Where the outcome came from.
        outcome: What the decision turned out to be.
        at: When that became known; None if the report does not say.
        actor: Who says so; None for anybody.
        mark: The mark of the line.
    """
    query = "SELECT at, outcome, mark FROM outcomes WHERE decision = ? AND source = ?"
    parameters: list[str | int] = [key, source]
    if actor is not None:
        query += " AND actor = ?"
        parameters.append(actor)
    rows = transaction.rows(f"{query} ORDER BY at DESC, key DESC", parameters)
    if not rows:
        return False
    return rows[0][1] == outcome or any((mark and row[2] == mark) or row[:2] == (at, outcome) for row in rows)


class OutcomeSums(NamedTuple):
    """The outcomes of one source."""

    source: str
    outcomes: int
    right: int
    median_delay: float


def outcomes_by_source(transaction: Transaction, wanted: DecisionFilter, *, together: bool) -> list[OutcomeSums]:
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
        f"FROM decisions d JOIN outcomes o ON o.decision = d.key AND {LATEST} {where}"
    )
    query = (
        f"SELECT source, outcomes, rights, AVG(delay) FROM ({rows}) AS t "
        "WHERE place IN ((outcomes + 1) / 2, (outcomes + 2) / 2) GROUP BY 1, 2, 3 ORDER BY 2 DESC, 1"
    )
    return [
        OutcomeSums(str(name), int(count), int(right), float(delay))
        for name, count, right, delay in transaction.rows(query, parameters)
    ]
