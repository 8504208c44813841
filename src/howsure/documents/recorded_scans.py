"""Record scans in the ledger and read them again, so that a dashboard elsewhere can show them."""

from collections.abc import Mapping
from datetime import date
from typing import TYPE_CHECKING, Any, NamedTuple

from howsure.documents.document import (
    URGENCY,
    Detail,
    Document,
    Improvement,
    Report,
    group_by_folder,
    group_by_milestone,
    mean_score,
    utf8_text,
)
from howsure.errors import InputError, NotFoundError, shown
from howsure.formulas.document import Document as DocumentModel
from howsure.formulas.score import Score

if TYPE_CHECKING:
    from howsure.ledger.decision import Decision
    from howsure.ledger.recorder import Recorder

TASK = "scan"
"""Task id of scans in the ledger."""
MAX_DOCUMENTS = 2000
"""Documents that are recorded of one scan, the most urgent ones; the others are only counted."""
_SCALAR_FIELDS = ("kind", "score", "milestone", "state", "months", "age_from", "action")


class ScanCounts(NamedTuple):
    """The numbers of a scan."""

    documents: int
    unknown: int
    """Documents whose score is unknown."""
    due: int
    """Documents for which something is due."""
    skipped: int


def record(ledger: "Recorder", report: Report, project: str) -> str:
    """Record a report as a decision in the ledger, and return its id once it is durable."""
    documents = report.documents
    due = sum(one.action not in ("none", "unknown") for one in documents)
    counts = ScanCounts(len(documents), sum(one.score is None for one in documents), due, len(report.skipped))
    decision = min((one.action for one in documents), key=lambda action: URGENCY[action], default="none")
    answer = counts._asdict() | {
        "score": report.score,
        "decision": decision,
        "root": utf8_text(report.root),
        "pack": utf8_text(report.pack),
        "reason": f"{counts.documents:,} documents, {due:,} due",
        "files": [_document_fields(one) for one in documents[:MAX_DOCUMENTS]],
    }
    score = Score(DocumentModel().spec, counts, counts, answer)
    return ledger.record(score, ledger.subject(project=project, task_id=TASK), now=report.at)


def _document_fields(one: Document) -> dict[str, Any]:
    values = {name: getattr(one, name) for name in _SCALAR_FIELDS}
    plain = {name: utf8_text(value) if isinstance(value, str) else value for name, value in values.items()}
    more = {"due": one.due.isoformat() if one.due else None, "reason": utf8_text(one.reason)}
    gains = [[utf8_text(gain.words), gain.gain] for gain in one.gains[:2]]
    return {"path": utf8_text(one.path)} | plain | more | {"gains": gains}


class RecordedScan(NamedTuple):
    """A scan that was recorded."""

    id: str
    project: str
    at: float
    counts: ScanCounts
    score: float | None
    """The project's score: the mean of the known scores."""
    report: Report
    """The documents that were recorded."""

    def as_dict(self) -> dict[str, Any]:
        """Return the scan with its documents as JSON-ready data."""
        plain = {"id": self.id, "project": self.project, "at": self.at, "score": self.score}
        found = plain | self.counts._asdict() | {"pack": self.report.pack}
        return found | {"files": [_document_fields(one) for one in self.report.documents]}


def check_task(model: str, task: str | None) -> None:
    """Raise InputError if a single document would be recorded under the task id of scans."""
    if model == DocumentModel.name and task == TASK:
        hint = "name another task; howsure scan --record keeps a scan"
        raise InputError(f"the task id {TASK} is reserved for scans", field="task_id", hint=hint)


def is_scan(record: "Decision | Mapping[str, Any]") -> bool:
    """Return whether a decision is a recorded scan, and not the score of a single document."""
    found = record if isinstance(record, Mapping) else vars(record)
    return found["model"] == DocumentModel.name and "files" in found["detail"].get("answer", {})


def read_recorded_scan(record: "Decision") -> RecordedScan:
    """Return the scan that a decision records.

    Raises:
        NotFoundError: if the decision is not a scan.
    """
    if not is_scan(record):
        hint = "howsure scan --record writes one"
        raise NotFoundError(f"{shown(record.id)} is not a recorded scan", field="id", hint=hint)
    answer = record.detail["answer"]
    documents = tuple(document_from_fields(one) for one in answer["files"])
    counts = ScanCounts(*(int(answer[name]) for name in ScanCounts._fields))
    report = report_of(answer["root"], record.at, answer["pack"], documents)
    return RecordedScan(record.id, record.project, record.at, counts, answer["score"], report)


def summary(record: Mapping[str, Any]) -> dict[str, Any]:
    """Return the numbers of a scan, without its documents, which may be many."""
    names = ("score", *ScanCounts._fields, "pack")
    about = {name: record[name] for name in ("id", "project", "at")}
    return about | {name: record["detail"]["answer"][name] for name in names}


def report_of(root: str, at: float, pack: str, documents: tuple[Document, ...]) -> Report:
    """Build a report from scored documents."""
    folders, milestones = group_by_folder(documents), group_by_milestone(documents)
    return Report(root, at, pack, documents, (), mean_score(documents), folders, milestones)


def document_from_fields(fields: Mapping[str, Any]) -> Document:
    """Return a document from its recorded fields."""
    gains = tuple(Improvement(str(words), float(gain)) for words, gain in fields["gains"])
    due = None if fields["due"] is None else date.fromisoformat(fields["due"])
    plain = {name: fields[name] for name in _SCALAR_FIELDS}
    return Document(fields["path"], due=due, detail=lambda: Detail(fields["reason"], gains), **plain)
