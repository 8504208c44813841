"""Carrying the ledger from one store to another, with all that was decided and what became of it."""

from collections.abc import Iterator
from dataclasses import dataclass, fields
from typing import Any

import orjson

from howsure.errors import InputError, shown
from howsure.ledger.api import check_kept, check_name
from howsure.shapes import Moment, Unit, decode
from howsure.store import decisions as table
from howsure.store import documents
from howsure.store.database import Transaction
from howsure.store.decisions import Entry, Outcome


@dataclass(frozen=True)
class _Spec:
    fingerprint: str
    content: str


@dataclass(frozen=True)
class _StoredDecision:
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
    digest: str | None
    content: str | None
    detail: str


@dataclass(frozen=True)
class _Outcome:
    decision: str
    at: Moment
    outcome: Outcome
    actor: str
    note: str


@dataclass(frozen=True)
class _ToolCall:
    trace_id: str
    at: Moment
    content: str


@dataclass(frozen=True)
class _DocumentEvent:
    project: str
    document: str
    at: Moment
    symbol: str
    strength: Unit
    actor: str
    note: str


SHAPES: dict[str, Any] = {
    "spec": _Spec,
    "decision": _StoredDecision,
    "outcome": _Outcome,
    "tool_call": _ToolCall,
    "document_event": _DocumentEvent,
}
"""Each kind of record, in the order in which they are carried."""
_ORDER = {"spec": "fingerprint"}
_PART = 1000


def counts(transaction: Transaction) -> dict[str, int]:
    """Return how many records of each kind there are."""
    return {f"{kind}s": int(transaction.value(f"SELECT COUNT(*) FROM {kind}s")) for kind in SHAPES}


def carried(transaction: Transaction) -> Iterator[dict[str, Any]]:
    """Give every record of the ledger."""
    for kind, shape in SHAPES.items():
        names = [field.name for field in fields(shape)]
        columns = ", ".join(f"t.{name}" for name in names)
        tables = f"{kind}s t"
        if kind == "outcome":
            columns, tables = (
                columns.replace("t.decision", "a.id"),
                "outcomes t JOIN decisions a ON a.key = t.decision",
            )
        for row in transaction.stream(f"SELECT {columns} FROM {tables} ORDER BY t.{_ORDER.get(kind, 'key')}"):
            content = dict(zip(names, row, strict=True))
            yield {kind: content | ({"met": bool(content["met"])} if "met" in content else {})}


def _check_json(text: str, field: str) -> None:
    try:
        found = orjson.loads(text)
    except orjson.JSONDecodeError:
        found = None
    if not isinstance(found, dict):
        raise InputError("this is no JSON object", field=field)


class Taking:
    """Takes records of a ledger in. Assessments that are there already (by id) are left as they are."""

    def __init__(self, transaction: Transaction) -> None:
        """Take the transaction to write in."""
        self.transaction = transaction
        self.taken = 0
        """Assessments that were new."""
        self._waiting: dict[str, Entry] = {}
        self._fresh: set[str] = set()

    def take(self, kind: str, content: Any) -> None:
        """Take one record in."""
        given = decode(SHAPES[kind], content)
        for field in fields(given):
            value = getattr(given, field.name)
            if isinstance(value, str) and field.name not in ("content", "detail"):
                check_name(value, field.name)
            elif isinstance(value, str):
                check_kept(value, field.name)
            if field.name == "detail" or (field.name == "content" and kind in ("spec", "tool_call")):
                _check_json(value, field.name)
        getattr(self, f"_{kind}")(given)

    def _spec(self, given: _Spec) -> None:
        query = "INSERT INTO specs (fingerprint, content) VALUES (?, ?) ON CONFLICT (fingerprint) DO NOTHING"
        self.transaction.run(query, [given.fingerprint, given.content])

    def _decision(self, given: _StoredDecision) -> None:
        if self.transaction.value("SELECT 1 FROM decisions WHERE id = ?", [given.id]):
            return
        if given.id in self._waiting or not self.transaction.value(
            "SELECT 1 FROM specs WHERE fingerprint = ?", [given.spec]
        ):
            raise InputError(f"{shown(given.id)} comes twice, or without what it was made by", field="id")
        self._waiting[given.id] = Entry(**{name: getattr(given, name) for name in Entry._fields})
        self._fresh.add(given.id)
        if len(self._waiting) >= _PART:
            self.finish()

    def finish(self) -> None:
        """Write what is waiting."""
        if self._waiting:
            table.write(self.transaction, list(self._waiting.values()))
            self.taken += len(self._waiting)
            self._waiting = {}

    def _outcome(self, given: _Outcome) -> None:
        self.finish()
        if given.decision not in self._fresh:
            return
        key = self.transaction.value("SELECT key FROM decisions WHERE id = ?", [given.decision])
        table.add_outcome(self.transaction, key, given.at, given.outcome, given.actor, given.note)

    def _tool_call(self, given: _ToolCall) -> None:
        known = "SELECT 1 FROM tool_calls WHERE trace_id = ? AND at = ? AND content = ?"
        row = [given.trace_id, given.at, given.content]
        if not self.transaction.value(known, row):
            self.transaction.run("INSERT INTO tool_calls (trace_id, at, content) VALUES (?, ?, ?)", row)

    def _document_event(self, given: _DocumentEvent) -> None:
        event = documents.Event(*(getattr(given, name) for name in documents.Event._fields))
        if not documents.known(self.transaction, event):
            documents.add(self.transaction, event)
