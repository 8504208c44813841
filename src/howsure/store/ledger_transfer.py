"""Export and import the records of the ledger: specs, decisions, outcomes, tool calls and document events."""

from collections.abc import Iterator
from dataclasses import dataclass, fields
from typing import Any

import orjson

from howsure.errors import InputError, shown
from howsure.shapes import Moment, Unit, decode
from howsure.store import decisions as table
from howsure.store import documents
from howsure.store.database import Transaction
from howsure.store.decisions import Entry, Outcome
from howsure.store.text_rules import check_content, check_name


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


RECORDS: dict[str, Any] = {
    "spec": _Spec,
    "decision": _StoredDecision,
    "outcome": _Outcome,
    "tool_call": _ToolCall,
    "document_event": _DocumentEvent,
}
"""The type of each kind of record, in the order of an export."""
_ORDER = {"spec": "fingerprint"}
_BATCH = 1000


def count_records(transaction: Transaction) -> dict[str, int]:
    """Count the records of each kind."""
    return {f"{kind}s": int(transaction.value(f"SELECT COUNT(*) FROM {kind}s")) for kind in RECORDS}


def export_ledger(transaction: Transaction) -> Iterator[dict[str, Any]]:
    """Yield every record of the ledger."""
    for kind, shape in RECORDS.items():
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
        value = orjson.loads(text)
    except orjson.JSONDecodeError:
        value = None
    if not isinstance(value, dict):
        raise InputError("not a JSON object", field=field)


class LedgerImport:
    """Imports records of a ledger. Decisions whose id exists are left as they are."""

    def __init__(self, transaction: Transaction) -> None:
        """Import within a transaction."""
        self.transaction = transaction
        self.imported = 0
        """Number of decisions that were new."""
        self._waiting: dict[str, Entry] = {}
        self._fresh: set[str] = set()

    def add(self, kind: str, content: Any) -> None:
        """Check and import one record."""
        record = decode(RECORDS[kind], content)
        for field in fields(record):
            value = getattr(record, field.name)
            if isinstance(value, str) and field.name not in ("content", "detail"):
                check_name(value, field.name)
            elif isinstance(value, str):
                check_content(value, field.name)
            if field.name == "detail" or (field.name == "content" and kind in ("spec", "tool_call")):
                _check_json(value, field.name)
        getattr(self, f"_{kind}")(record)

    def _spec(self, record: _Spec) -> None:
        query = "INSERT INTO specs (fingerprint, content) VALUES (?, ?) ON CONFLICT (fingerprint) DO NOTHING"
        self.transaction.run(query, [record.fingerprint, record.content])

    def _decision(self, record: _StoredDecision) -> None:
        if self.transaction.value("SELECT 1 FROM decisions WHERE id = ?", [record.id]):
            return
        if record.id in self._waiting or not self.transaction.value(
            "SELECT 1 FROM specs WHERE fingerprint = ?", [record.spec]
        ):
            raise InputError(f"{shown(record.id)} is there twice, or its spec is missing", field="id")
        self._waiting[record.id] = Entry(**{name: getattr(record, name) for name in Entry._fields})
        self._fresh.add(record.id)
        if len(self._waiting) >= _BATCH:
            self.finish()

    def finish(self) -> None:
        """Write the decisions that wait for a full batch."""
        if self._waiting:
            table.write(self.transaction, list(self._waiting.values()))
            self.imported += len(self._waiting)
            self._waiting = {}

    def _outcome(self, record: _Outcome) -> None:
        self.finish()
        if record.decision not in self._fresh:
            return
        key = self.transaction.value("SELECT key FROM decisions WHERE id = ?", [record.decision])
        table.add_outcome(self.transaction, key, record.at, record.outcome, record.actor, record.note)

    def _tool_call(self, record: _ToolCall) -> None:
        known = "SELECT 1 FROM tool_calls WHERE trace_id = ? AND at = ? AND content = ?"
        row = [record.trace_id, record.at, record.content]
        if not self.transaction.value(known, row):
            self.transaction.run("INSERT INTO tool_calls (trace_id, at, content) VALUES (?, ?, ?)", row)

    def _document_event(self, record: _DocumentEvent) -> None:
        event = documents.Event(*(getattr(record, name) for name in documents.Event._fields))
        if not documents.known(self.transaction, event):
            documents.add(self.transaction, event)
