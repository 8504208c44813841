"""Export and import decisions as the source document's history files: JSON Lines, one file per day."""

import re
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import orjson

from howsure.datafiles import number_lines, parse_record
from howsure.errors import InputError, shown
from howsure.files import atomic_write
from howsure.formulas.spec import ModelSpec
from howsure.ledger.decision import Decision
from howsure.ledger.recorder import GOOD, insert_spec
from howsure.shapes import Count, Moment, Unit, Within, decode, decode_as
from howsure.store.ledger_tables import decisions as table
from howsure.store.ledger_tables.decisions import DecisionRow, Outcome, OutcomeSource
from howsure.store.text_rules import check_content, check_name
from howsure.wording import utc_time

if TYPE_CHECKING:
    from howsure.ledger.api import Ledger

_Timestamp = Annotated[float, Within(-6e10, 2.5e11)]
"""Moments that `utc_time` does not limit."""
NAME = "confidences-{:%Y-%m-%d}.jsonl"
PART = 2000
"""Decisions that are written in one transaction."""
FACTORS = {
    "knowledge_base": "knowledge_base_score",
    "code_validation": "code_validation_score",
    "certainty": "response_certainty_score",
    "history": "agent_history_score",
}
"""The factors, with their names in the source document."""


def as_line(decision: Decision) -> dict[str, Any]:
    """Return a decision as the source document writes it, with everything else under `howsure`."""
    answer = decision.answer
    line = {
        "timestamp": utc_time(decision.at).isoformat().replace("+00:00", "Z"),
        "agent_name": decision.agent,
        "agent_type": decision.agent_type,
        "task_id": decision.task_id or None,
        "composite_confidence": decision.score,
        "confidence_level": answer.get("level"),
        "agent_threshold": decision.threshold,
        "threshold_met": decision.met,
        "should_block": decision.decision not in GOOD,
        "factors": {theirs: answer.get(ours) for ours, theirs in FACTORS.items()},
    }
    more = {
        "id": decision.id,
        "at": decision.at,
        "model": decision.model,
        "decision": decision.decision,
        "project": decision.project,
        "trace_id": decision.trace_id,
        "digest": decision.digest,
        "content": decision.content,
        # What is damaged is left out: an import would refuse it, and with it all that follows.
        "detail": decision.detail if {"row", "answer"} <= decision.detail.keys() else None,
        "spec": decision.spec or None,
        "outcome": decision.outcome,
        "outcome_by": decision.outcome_by,
        "outcome_at": decision.outcome_at,
        "outcome_source": decision.outcome_source,
        "shadow": decision.shadow or None,
    }
    return line | {"howsure": {name: value for name, value in more.items() if value not in (None, "")}}


def export(ledger: "Ledger", folder: Path) -> int:
    """Write one file per day, atomically, replacing older ones; return how many decisions were written."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"cannot create {folder}: {error.strerror}", field="folder") from error
    count = 0
    for day, decisions in groupby(ledger.stream(), lambda decision: utc_time(decision.at).date()):
        with atomic_write(folder / NAME.format(day)) as part, part.open("wb") as file:
            for decision in decisions:
                file.write(orjson.dumps(as_line(decision), option=orjson.OPT_APPEND_NEWLINE))
                count += 1
    return count


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
class _HowsureField:
    """What the field `howsure` of a line holds."""

    id: str | None = None
    at: Moment | None = None
    model: str = "response"
    decision: str = ""
    project: str = ""
    trace_id: str = ""
    digest: str | None = None
    content: str | None = None
    outcome: Outcome | None = None
    outcome_by: str | None = None
    outcome_at: Moment | None = None
    outcome_source: OutcomeSource = "file"
    shadow: bool = False

    def __post_init__(self) -> None:
        """Raise InputError if a name or text cannot be stored."""
        for name in ("id", "model", "decision", "project", "trace_id", "digest", "outcome_by"):
            if getattr(self, name) is not None:
                check_name(getattr(self, name), name)
        if self.content is not None:
            check_content(self.content, "content")


def import_(ledger: "Ledger", path: Path) -> tuple[int, list[str]]:
    """Import a file, or every confidences-*.jsonl of a folder, each up to its first invalid line.

    Returns how many decisions were new, and an error for each file that was not read to its end.
    """
    files = sorted(path.glob("confidences-*.jsonl")) if path.is_dir() else [path]
    if not path.exists():
        raise InputError(f"{path} does not exist", field="path")
    imported, errors = 0, []
    for file in files:
        waiting: list[_Import] = []
        seen: dict[bytes, int] = {}
        with file.open("rb") as lines:
            for number, line in number_lines(lines):
                digest = sha256(line).digest()[:10]
                seen[digest] = seen.get(digest, 0) + 1
                try:
                    waiting.append(_import(line, sha256(digest + seen[digest].to_bytes(8)).hexdigest()[:10]))
                except InputError as error:
                    error.line = number
                    errors.append(f"{file.name}, {error}; imported up to there")
                    break
                if len(waiting) == PART:
                    imported += _write(ledger, waiting)
                    waiting = []
        imported += _write(ledger, waiting)
    return imported, errors


class _Import(NamedTuple):
    """A decision to import."""

    row: DecisionRow
    spec: dict[str, Any]
    outcome: Outcome | None
    outcome_by: str | None
    outcome_at: float | None
    outcome_source: OutcomeSource


def _import(line: bytes, mark: str) -> _Import:
    """Read one line.

    A line without an id gets one from its mark, a hash of its content and of how often the file repeats it: importing
    the same file again then adds nothing.
    """
    content = parse_record(line)
    if not isinstance(content, dict):
        raise InputError(f"{shown(content)} is not an object")
    extra = content.pop("howsure", {})
    if not isinstance(extra, dict):
        raise InputError(f"{shown(extra)} is not an object", field="howsure")
    spec, kept = _checked(extra.pop("spec", None), extra.pop("detail", None))
    more = decode(_HowsureField, extra)
    known = {name: value for name, value in content.items() if name in _Line.__dataclass_fields__}
    given = decode(_Line, known)
    at = _moment(given.timestamp) if more.at is None else more.at
    blocked = "review" if given.threshold_met else "block"
    theirs = blocked if given.should_block or not given.threshold_met else "pass"
    decision = theirs if more.id is None else more.decision
    factors = given.factors or _Factors()
    answer = {name: getattr(factors, factor) for name, factor in FACTORS.items()}
    answer |= {"composite": given.composite_confidence, "level": given.confidence_level, "decision": decision}
    detail = kept or {"row": {}, "answer": answer | {"threshold": given.agent_threshold}}
    names = {"agent": given.agent_name, "agent_type": given.agent_type, "project": more.project}
    names |= {"task_id": given.task_id or "", "trace_id": more.trace_id}
    for name, value in names.items():
        check_name(value, name)
    row = DecisionRow(
        id=more.id or f"a{int(max(at, 0.0) * 1000):012x}{mark}",
        at=float(at),
        model=more.model,
        **names,
        score=given.composite_confidence,
        threshold=given.agent_threshold,
        decision=decision,
        met=given.threshold_met,
        spec=ModelSpec(**spec).fingerprint,
        digest=more.digest,
        content=more.content,
        detail=orjson.dumps(detail).decode(),
        shadow=more.shadow,
    )
    return _Import(row, spec, more.outcome, more.outcome_by, more.outcome_at, more.outcome_source)


def _checked(spec: Any, detail: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the specification and detail of a line.

    Raises:
        InputError: if they could not be read again.
    """
    spec = ModelSpec("response", 0, {})._asdict() if spec is None else spec
    if not isinstance(spec, dict) or set(spec) != {"name", "version", "parameters"}:
        hint = "an object with name, version and parameters"
        raise InputError(f"invalid specification {shown(spec)}", field="spec", hint=hint)
    decode(_Spec, {"name": spec["name"], "version": spec["version"]})
    if detail is not None and not (
        isinstance(detail, dict) and isinstance(detail.get("answer"), dict) and isinstance(detail.get("row"), dict)
    ):
        raise InputError(f"invalid detail {shown(detail)}", field="detail", hint="an object with row and answer")
    return spec, detail or {}


def _moment(text: str) -> float:
    """Return an ISO 8601 time in seconds since 1970; without a zone it is UTC.

    >>> _moment("2025-11-15T10:30:00Z")
    1763202600.0
    """
    try:
        moment = datetime.fromisoformat(re.sub(r"[zZ]$", "+00:00", text))
    except ValueError:
        raise InputError(f"invalid time {shown(text)}", field="timestamp", hint="like 2025-11-15T10:30:00Z") from None
    at = (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
    return float(decode_as(_Timestamp, at, "timestamp"))


def _write(ledger: "Ledger", waiting: list[_Import]) -> int:
    """Write the decisions that are not stored yet; return how many."""
    if not waiting:
        return 0
    with ledger.session.write() as transaction:
        known = table.known_ids(transaction, [item.row.id for item in waiting])
        fresh: dict[str, _Import] = {}
        for item in waiting:
            if item.row.id not in known:
                fresh.setdefault(item.row.id, item)
        for fingerprint, spec in {item.row.spec: item.spec for item in fresh.values()}.items():
            insert_spec(transaction, fingerprint, spec)
        table.insert(transaction, [item.row for item in fresh.values()])
        for row, _, outcome, by, at, source in fresh.values():
            key = table.key_of(transaction, row.id) if outcome is not None else None
            if outcome is not None and key is not None:
                known_at = row.at if at is None else at
                table.add_outcome(transaction, key, known_at, outcome, by or "import", "imported", source)
    return len(fresh)
