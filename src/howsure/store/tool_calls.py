"""Traces: under which evidence is kept, and which of them have come to an end."""

from typing import NamedTuple

from howsure.store.database import Transaction


class Kept(NamedTuple):
    """A trace under which calls are kept."""

    last: int
    """Key of its latest call."""
    trace_id: str
    calls: int
    first_at: float
    last_at: float
    id: str | None
    """The latest record of it in the ledger, if it has come to an end."""


_ENDED = "SELECT {} FROM decisions a WHERE a.trace_id = {} AND a.trace_id <> '' AND a.model = 'investigation'"


def traces(
    transaction: Transaction, limit: int, before: int | None = None, *, closed: bool | None = None
) -> list[Kept]:
    """Return traces with calls, the latest first; those that have come to an end, or have not, where that is asked."""
    ended = _ENDED.format("1", "c.trace_id")
    where = "" if closed is None else f"WHERE {'' if closed else 'NOT '}EXISTS ({ended}) "
    having = "" if before is None else "HAVING MAX(c.key) < :before "
    newest = _ENDED.format("a.id", "t.trace_id") + " ORDER BY a.key DESC LIMIT 1"
    query = (
        "SELECT t.last, t.trace_id, t.calls, f.at, l.at, "
        f"({newest}) FROM (SELECT c.trace_id AS trace_id, MIN(c.key) AS first, MAX(c.key) AS last, COUNT(*) AS calls "
        f"FROM tool_calls c {where}GROUP BY c.trace_id {having}ORDER BY 3 DESC LIMIT {int(limit)}) AS t "
        "JOIN tool_calls f ON f.key = t.first JOIN tool_calls l ON l.key = t.last ORDER BY t.last DESC"
    )
    return [Kept(*row) for row in transaction.rows(query, {} if before is None else {"before": before})]
