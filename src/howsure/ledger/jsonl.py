"""History files: the ledger as the source document keeps it, one file of JSON Lines for each day."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import orjson

from howsure.datafiles import numbered, parsed
from howsure.errors import InputError, shown
from howsure.files import atomic_write
from howsure.formulas.spec import Spec
from howsure.ledger.api import GOOD, keep_spec
from howsure.ledger.decision import Record
from howsure.shapes import Count, Unit, Within, decode, decode_as
from howsure.store import decisions as table
from howsure.store.decisions import Entry, Outcome
from howsure.store.text_rules import check_content, check_name

if TYPE_CHECKING:
    from howsure.ledger.api import Ledger

Seconds = Annotated[float, Within(-6e10, 2.5e11)]
"""Moments that have a date."""
NAME = "confidences-{:%Y-%m-%d}.jsonl"
PART = 2000
"""Records that are written in one transaction."""
FACTORS = {
    "knowledge_base": "knowledge_base_score",
    "code_validation": "code_validation_score",
    "certainty": "response_certainty_score",
    "history": "agent_history_score",
}
"""Our name of each factor, and the source document's."""


def as_line(record: Record) -> dict[str, Any]:
    """Return a record in the source document's shape, with what we know besides under names of our own."""
    answer = record.detail.get("answer", {})
    line = {
        "timestamp": datetime.fromtimestamp(record.at, UTC).isoformat().replace("+00:00", "Z"),
        "agent_name": record.agent,
        "agent_type": record.agent_type,
        "task_id": record.task_id or None,
        "composite_confidence": record.score,
        "confidence_level": answer.get("level"),
        "agent_threshold": record.threshold,
        "threshold_met": record.met,
        "should_block": record.decision not in GOOD,
        "factors": {theirs: answer.get(ours) for ours, theirs in FACTORS.items()},
    }
    ours = {
        "id": record.id,
        "at": record.at,
        "model": record.model,
        "decision": record.decision,
        "project": record.project,
        "trace_id": record.trace_id,
        "digest": record.digest,
        "content": record.content,
        "detail": record.detail,
        "spec": record.spec,
        "outcome": record.outcome,
        "outcome_by": record.outcome_by,
    }
    return line | {"howsure": {name: value for name, value in ours.items() if value not in (None, "")}}


def export(ledger: "Ledger", folder: Path) -> int:
    """Write one file for each day; a file appears when it is whole, and takes the place of an older one."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"{folder} cannot be made: {error.strerror}", field="folder") from error
    count = 0
    for day, records in _by_day(ledger.records()):
        with atomic_write(folder / NAME.format(day)) as part, part.open("wb") as file:
            for record in records:
                file.write(orjson.dumps(as_line(record), option=orjson.OPT_APPEND_NEWLINE))
                count += 1
    return count


def _by_day(records: Iterator[Record]) -> Iterator[tuple[datetime, Iterator[Record]]]:
    from itertools import groupby

    for day, some in groupby(records, lambda record: int(record.at // 86400)):
        yield datetime.fromtimestamp(day * 86400, UTC), some


@dataclass(frozen=True)
class _Factors:
    knowledge_base_score: Unit | None = None
    code_validation_score: Unit | None = None
    response_certainty_score: Unit | None = None
    agent_history_score: Unit | None = None


@dataclass(frozen=True)
class _Line:
    timestamp: str
    agent_name: str
    composite_confidence: Unit
    agent_threshold: Unit | None
    threshold_met: bool
    agent_type: str = ""
    task_id: str | None = None
    confidence_level: str | None = None
    should_block: bool = False
    factors: _Factors | None = None


@dataclass(frozen=True)
class _Spec:
    name: str
    version: Count


@dataclass(frozen=True)
class _Ours:
    """What a line of our own holds besides."""

    id: str | None = None
    at: Seconds | None = None
    model: str = "response"
    decision: str = ""
    project: str = ""
    trace_id: str = ""
    digest: str | None = None
    content: str | None = None
    outcome: Outcome | None = None
    outcome_by: str | None = None

    def __post_init__(self) -> None:
        """Refuse what the stores cannot keep."""
        for name in ("id", "model", "decision", "project", "trace_id", "digest", "outcome_by"):
            if getattr(self, name) is not None:
                check_name(getattr(self, name), name)
        if self.content is not None:
            check_content(self.content, "content")


def import_(ledger: "Ledger", path: Path) -> tuple[int, list[str]]:
    """Read a file, or every file of a folder by our naming, each up to its first bad line."""
    files = sorted(path.glob("confidences-*.jsonl")) if path.is_dir() else [path]
    if not path.exists():
        raise InputError(f"there is no {path}", field="path")
    taken, errors = 0, []
    for file in files:
        waiting: list[tuple[Entry, dict[str, Any], dict[str, Any]]] = []
        seen: dict[bytes, int] = {}
        with file.open("rb") as lines:
            for number, line in numbered(lines):
                digest = sha256(line).digest()[:10]
                seen[digest] = seen.get(digest, 0) + 1
                try:
                    waiting.append(_entry(line, sha256(digest + seen[digest].to_bytes(8)).hexdigest()[:10]))
                except InputError as error:
                    error.line = number
                    errors.append(f"{file.name}, {error}; imported up to there")
                    break
                if len(waiting) == PART:
                    taken += _take(ledger, waiting)
                    waiting = []
        taken += _take(ledger, waiting)
    return taken, errors


def _entry(line: bytes, mark: str) -> tuple[Entry, dict[str, Any], dict[str, Any]]:
    """Return what to write down of a line: the entry, its specification, and its outcome.

    A line without an id of ours gets one from its mark, so that reading a file again adds nothing.
    """
    content = parsed(line)
    if not isinstance(content, dict):
        raise InputError(f"{shown(content)} is not an object")
    more = content.pop("howsure", {})
    if not isinstance(more, dict):
        raise InputError(f"{shown(more)} is not an object", field="howsure")
    spec, kept = _checked(more.pop("spec", None), more.pop("detail", None))
    ours = decode(_Ours, more)
    known = {name: value for name, value in content.items() if name in _Line.__dataclass_fields__}
    given = decode(_Line, known)
    at = _moment(given.timestamp) if ours.at is None else ours.at
    blocked = "review" if given.threshold_met else "block"
    theirs = blocked if given.should_block or not given.threshold_met else "pass"
    decision = theirs if ours.id is None else ours.decision
    factors = given.factors or _Factors()
    answer = {name: getattr(factors, factor) for name, factor in FACTORS.items()}
    answer |= {"composite": given.composite_confidence, "level": given.confidence_level, "decision": decision}
    detail = kept or {"row": {}, "answer": answer | {"threshold": given.agent_threshold}}
    names = {"agent": given.agent_name, "agent_type": given.agent_type, "project": ours.project}
    names |= {"task_id": given.task_id or "", "trace_id": ours.trace_id}
    for name, value in names.items():
        check_name(value, name)
    entry = Entry(
        id=ours.id or f"a{int(max(at, 0.0) * 1000):012x}{mark}",
        at=float(at),
        model=ours.model,
        **names,
        score=given.composite_confidence,
        threshold=given.agent_threshold,
        decision=decision,
        met=given.threshold_met,
        spec=Spec(**spec).fingerprint,
        digest=ours.digest,
        content=ours.content,
        detail=orjson.dumps(detail).decode(),
    )
    return entry, spec, {"outcome": ours.outcome, "by": ours.outcome_by}


def _checked(spec: Any, detail: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return specification and detail of a line of ours; refuse what could not be read again."""
    found = Spec("response", 0, {})._asdict() if spec is None else spec
    if not isinstance(found, dict) or set(found) != {"name", "version", "parameters"}:
        raise InputError(f"{shown(found)} is no specification", field="spec")
    decode(_Spec, {"name": found["name"], "version": found["version"]})
    if detail is not None and not (
        isinstance(detail, dict) and isinstance(detail.get("answer"), dict) and isinstance(detail.get("row"), dict)
    ):
        raise InputError(f"{shown(detail)} is no detail", field="detail", hint="an object with row and answer")
    return found, detail or {}


def _moment(text: str) -> float:
    """Return a moment from ISO 8601; without a zone it is UTC.

    >>> _moment("2025-11-15T10:30:00Z")
    1763202600.0
    """
    try:
        found = datetime.fromisoformat(re.sub(r"[zZ]$", "+00:00", text))
    except ValueError:
        raise InputError(f"{shown(text)} is no moment", field="timestamp", hint="like 2025-11-15T10:30:00Z") from None
    at = (found if found.tzinfo else found.replace(tzinfo=UTC)).timestamp()
    return float(decode_as(Seconds, at, "timestamp"))


def _take(ledger: "Ledger", waiting: list[tuple[Entry, dict[str, Any], dict[str, Any]]]) -> int:
    """Write what is not there yet; return how much that was."""
    if not waiting:
        return 0
    with ledger.session.write() as transaction:
        known: set[str] = set()
        ids = [entry.id for entry, _, _ in waiting]
        for start in range(0, len(ids), 500):
            some = ids[start : start + 500]
            marks = ", ".join("?" * len(some))
            known |= {row[0] for row in transaction.rows(f"SELECT id FROM decisions WHERE id IN ({marks})", some)}
        fresh = {entry.id: (entry, spec, outcome) for entry, spec, outcome in waiting if entry.id not in known}
        for entry, spec, _ in {entry.spec: (entry, spec, None) for entry, spec, _ in fresh.values()}.values():
            keep_spec(transaction, entry.spec, spec)
        table.write(transaction, [entry for entry, _, _ in fresh.values()])
        for entry, _, outcome in fresh.values():
            if outcome["outcome"] in ("right", "wrong", "corrected"):
                key = transaction.value("SELECT key FROM decisions WHERE id = ?", [entry.id])
                actor = str(outcome["by"] or "import")
                table.add_outcome(transaction, key, entry.at, outcome["outcome"], actor, "imported")
    return len(fresh)
