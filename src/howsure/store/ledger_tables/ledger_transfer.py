"""Export and import the records of the ledger: specs, decisions, outcomes, fits, tool calls and document events."""

from collections.abc import Iterator
from dataclasses import dataclass, fields, is_dataclass
from typing import Any

import orjson

from howsure.errors import InputError, shown
from howsure.shapes import Moment, Unit, decode
from howsure.store.backends.database import Transaction
from howsure.store.ledger_tables import decisions as table
from howsure.store.ledger_tables import document_events, fits, tool_calls
from howsure.store.ledger_tables.decision_detail import find_problem
from howsure.store.ledger_tables.decisions import DecisionRow, Outcome, OutcomeSource
from howsure.store.ledger_tables.fits import FitRow
from howsure.store.text_rules import check_content, check_name


@dataclass(frozen=True)
class _Spec:
    fingerprint: str
    content: str


@dataclass(frozen=True)
class _Outcome:
    decision: str
    at: Moment
    outcome: Outcome
    actor: str
    note: str
    source: OutcomeSource = "person"
    mark: str = ""


@dataclass(frozen=True)
class _ToolCall:
    trace_id: str
    at: Moment
    content: str
    span: str = ""


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
    "decision": DecisionRow,
    "outcome": _Outcome,
    "fit": FitRow,
    "tool_call": _ToolCall,
    "document_event": _DocumentEvent,
}
"""The type of each kind of record, in the order of an export."""
_ORDER = {"spec": "fingerprint"}
_BATCH = 1000


def _names(shape: Any) -> tuple[str, ...]:
    return tuple(field.name for field in fields(shape)) if is_dataclass(shape) else shape._fields


def count_records(transaction: Transaction) -> dict[str, int]:
    """Count the records of each kind."""
    return {f"{kind}s": int(transaction.value(f"SELECT COUNT(*) FROM {kind}s")) for kind in RECORDS}


def export_ledger(transaction: Transaction) -> Iterator[dict[str, Any]]:
    """Yield every record of the ledger."""
    for kind, shape in RECORDS.items():
        names = _names(shape)
        columns = ", ".join(f"t.{name}" for name in names)
        tables = f"{kind}s t"
        if kind == "outcome":
            columns, tables = (
                columns.replace("t.decision", "d.id"),
                "outcomes t JOIN decisions d ON d.key = t.decision",
            )
        for row in transaction.stream(f"SELECT {columns} FROM {tables} ORDER BY t.{_ORDER.get(kind, 'key')}"):
            content = dict(zip(names, row, strict=True))
            yield {kind: content | {name: bool(content[name]) for name in ("met", "shadow") if name in content}}


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
        self.imported: int = 0
        """Number of decisions that were new."""
        self._waiting: dict[str, DecisionRow] = {}
        self._fresh: set[str] = set()
        self._tool_calls: dict[str, set[bytes]] = {}
        """Digests of the tool calls of each trace that was met: to look for each call in its trace is quadratic."""

    def add(self, kind: str, content: Any) -> None:
        """Check and import one record."""
        record = decode(RECORDS[kind], content)
        for name in _names(RECORDS[kind]):
            value = getattr(record, name)
            if isinstance(value, str):
                (check_content if name in ("content", "detail", "watch") else check_name)(value, name)
            if name == "detail" or (name == "content" and kind in ("spec", "tool_call", "fit")):
                _check_json(value, name)
        getattr(self, f"_{kind}")(record)

    def _spec(self, record: _Spec) -> None:
        table.insert_spec(self.transaction, record.fingerprint, record.content)

    def _decision(self, record: DecisionRow) -> None:
        if problem := find_problem(record.model, orjson.loads(record.detail)):
            raise InputError(f"{shown(record.id)} is broken: {problem}", field="detail")
        if table.key_of(self.transaction, record.id) is not None:
            return
        if record.id in self._waiting or not table.has_spec(self.transaction, record.spec):
            raise InputError(f"{shown(record.id)} is there twice, or its spec is missing", field="id")
        self._waiting[record.id] = record
        self._fresh.add(record.id)
        if len(self._waiting) >= _BATCH:
            self.finish()

    def finish(self) -> None:
        """Write the decisions that wait for a full batch."""
        if self._waiting:
            table.insert(self.transaction, list(self._waiting.values()))
            self.imported += len(self._waiting)
            self._waiting = {}

    def _outcome(self, record: _Outcome) -> None:
        self.finish()
        key = table.key_of(self.transaction, record.decision) if record.decision in self._fresh else None
        if key is None:
            return
        about = (record.at, record.outcome, record.actor, record.note, record.source, record.mark)
        table.add_outcome(self.transaction, key, *about)

    def _fit(self, record: FitRow) -> None:
        if fits.get(self.transaction, record.id) is None:
            active = fits.get_active(self.transaction, record.kind) is not None
            retire = active and record.status == "active"  # the fits that are in use here stay in use
            fits.insert(self.transaction, record._replace(status="retired") if retire else record)

    def _tool_call(self, record: _ToolCall) -> None:
        if record.trace_id not in self._tool_calls:
            self._tool_calls[record.trace_id] = tool_calls.digests(self.transaction, record.trace_id)
        known, content = self._tool_calls[record.trace_id], orjson.loads(record.content)
        digest = tool_calls.digest(record.at, orjson.dumps(content).decode(), record.span)
        if digest not in known:
            known.add(digest)
            tool_calls.insert(self.transaction, record.trace_id, record.at, [content], record.span)

    def _document_event(self, record: _DocumentEvent) -> None:
        event = document_events.DocumentEvent(
            *(getattr(record, name) for name in document_events.DocumentEvent._fields)
        )
        if not document_events.known(self.transaction, event):
            document_events.add(self.transaction, event)
