"""SQL of the table of tool calls: insert and load them by trace, and list traces."""

from collections.abc import Iterable
from hashlib import sha256
from typing import Any, NamedTuple

import orjson

from howsure.store.backends.database import Transaction
from howsure.store.backends.deadline import yield_with_breaks


def insert(transaction: Transaction, trace: str, at: float, contents: Iterable[dict[str, Any]], span: str = "") -> None:
    """Insert tool calls of a trace; each content is stored as JSON. Those of a received span have its id."""
    for content in contents:
        row = (trace, at, orjson.dumps(content).decode(), span)
        transaction.run("INSERT INTO tool_calls (trace_id, at, content, span) VALUES (?, ?, ?, ?)", row)


def put_span(
    transaction: Transaction, trace: str, at: float, contents: list[dict[str, Any]], span: str, *, most: int
) -> int | None:
    """Insert the tool calls of a span, or replace them if the span was stored before with others.

    Returns how many calls the trace has gained; None if that would be more than `most`, and nothing was changed.
    """
    query = "SELECT content FROM tool_calls WHERE trace_id = ? AND span = ? AND span <> '' ORDER BY key"
    before = [content for (content,) in transaction.rows(query, [trace, span])]
    if before == [orjson.dumps(content).decode() for content in contents]:
        return 0
    gained = len(contents) - len(before)
    if gained > max(most, 0):
        return None
    if before:
        transaction.run("DELETE FROM tool_calls WHERE trace_id = ? AND span = ? AND span <> ''", [trace, span])
    insert(transaction, trace, at, contents, span)
    return gained


def load(transaction: Transaction, trace: str) -> list[dict[str, Any]]:
    """Return the contents of a trace's tool calls, in the order in which they were inserted."""
    rows = transaction.rows("SELECT content FROM tool_calls WHERE trace_id = ? ORDER BY key", [trace])
    return [orjson.loads(content) for (content,) in yield_with_breaks(rows)]


def count(transaction: Transaction, trace: str) -> int:
    """Return the number of a trace's tool calls."""
    return int(transaction.value("SELECT COUNT(*) FROM tool_calls WHERE trace_id = ?", [trace]))


def is_known(transaction: Transaction, trace: str) -> bool:
    """Return whether a trace has any tool calls."""
    return bool(transaction.value("SELECT 1 FROM tool_calls WHERE trace_id = ? LIMIT 1", [trace]))


def digests(transaction: Transaction, trace: str) -> set[bytes]:
    """Return the digests of a trace's tool calls, by which an import knows what is stored already."""
    query = "SELECT at, content, span FROM tool_calls WHERE trace_id = ?"
    return {digest(*row) for row in transaction.rows(query, [trace])}


def digest(at: float, content: str, span: str) -> bytes:
    """Return the digest of a tool call."""
    return sha256(f"{at!r} {span!r} {content}".encode()).digest()[:16]


class TraceRow(NamedTuple):
    """A trace with stored tool calls."""

    last: int
    """Key of its latest call."""
    trace_id: str
    calls: int
    first_at: float
    last_at: float
    id: str | None
    """Id of the latest decision about the investigation, or None while it is open."""


_CLOSED = "SELECT {} FROM decisions a WHERE a.trace_id = {} AND a.trace_id <> '' AND a.model = 'investigation'"


def list_traces(
    transaction: Transaction, limit: int, before: int | None = None, *, closed: bool | None = None
) -> list[TraceRow]:
    """Return traces with tool calls, the latest first.

    Args:
        transaction: Where to read.
        limit: How many at most.
        before: Only traces whose latest call has a smaller key.
        closed: Only those whose investigation is closed (True) or open (False).
    """
    exists = _CLOSED.format("1", "c.trace_id")
    where = "" if closed is None else f"WHERE {'' if closed else 'NOT '}EXISTS ({exists}) "
    having = "" if before is None else "HAVING MAX(c.key) < :before "
    latest = _CLOSED.format("a.id", "t.trace_id") + " ORDER BY a.key DESC LIMIT 1"
    # Groups by the index on (trace_id, key) first, so that rows are read only for the traces of this page.
    query = (
        "SELECT t.last, t.trace_id, t.calls, f.at, l.at, "
        f"({latest}) FROM (SELECT c.trace_id AS trace_id, MIN(c.key) AS first, MAX(c.key) AS last, COUNT(*) AS calls "
        f"FROM tool_calls c {where}GROUP BY c.trace_id {having}ORDER BY 3 DESC LIMIT {int(limit)}) AS t "
        "JOIN tool_calls f ON f.key = t.first JOIN tool_calls l ON l.key = t.last ORDER BY t.last DESC"
    )
    return [TraceRow(*row) for row in transaction.rows(query, {} if before is None else {"before": before})]
