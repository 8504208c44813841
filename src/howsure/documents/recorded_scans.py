"""Recorded scans: how the documents of a project stood, kept in the ledger, so that others can see it elsewhere."""

from collections.abc import Mapping
from datetime import date
from typing import TYPE_CHECKING, Any, NamedTuple

from howsure.documents.document import URGENCY, Detail, Document, Improvement, Report, utf8_text
from howsure.documents.report.summary import grouped, mean
from howsure.errors import InputError, NotFoundError, shown
from howsure.formulas.document import Document as DocumentModel
from howsure.formulas.score import Score

if TYPE_CHECKING:
    from howsure.ledger.api import Ledger
    from howsure.ledger.decision import Record

TASK = "scan"
"""The task under which the ledger keeps scans."""
MOST = 2000
"""Documents that are kept of a scan, what needs attention first; the rest is counted."""
_PLAIN = ("kind", "score", "milestone", "state", "months", "age_from", "action")


class ScanCounts(NamedTuple):
    """What a scan has counted."""

    documents: int
    unknown: int
    """Documents whose score cannot be known."""
    due: int
    """Documents for which something is due."""
    skipped: int


def record(ledger: "Ledger", report: Report, project: str) -> str:
    """Write down how the documents of a project stand, and return the id of the record once it is durable."""
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
        "files": [_kept(one) for one in documents[:MOST]],
    }
    score = Score(DocumentModel().spec, counts, counts, answer)
    return ledger.record(score, ledger.about(project=project, task_id=TASK), now=report.at)


def _kept(one: Document) -> dict[str, Any]:
    values = {name: getattr(one, name) for name in _PLAIN}
    plain = {name: utf8_text(value) if isinstance(value, str) else value for name, value in values.items()}
    more = {"due": one.due.isoformat() if one.due else None, "reason": utf8_text(one.reason)}
    gains = [[utf8_text(gain.words), gain.gain] for gain in one.gains[:2]]
    return {"path": utf8_text(one.path)} | plain | more | {"gains": gains}


class Recorded(NamedTuple):
    """A scan that was recorded."""

    id: str
    project: str
    at: float
    counts: ScanCounts
    score: float | None
    """The project's score: the mean of what is known."""
    report: Report
    """What was kept of it."""

    def as_dict(self) -> dict[str, Any]:
        """Return it as JSON-ready data, the documents included."""
        plain = {"id": self.id, "project": self.project, "at": self.at, "score": self.score}
        found = plain | self.counts._asdict() | {"pack": self.report.pack}
        return found | {"files": [_kept(one) for one in self.report.documents]}


def check_task(model: str, task: str | None) -> None:
    """Refuse to score one document under the task that scans are kept by: it would stand where one is looked for."""
    if model == DocumentModel.name and task == TASK:
        hint = "name another task; howsure scan --record keeps a scan"
        raise InputError(f"the task {TASK} is kept for scans", field="task_id", hint=hint)


def is_scan(record: "Record | Mapping[str, Any]") -> bool:
    """Say whether a record of the ledger tells of a scan, and not of one document that somebody has scored."""
    found = record if isinstance(record, Mapping) else vars(record)
    return found["model"] == DocumentModel.name and "files" in found["detail"].get("answer", {})


def recorded(record: "Record") -> Recorded:
    """Return the scan that a record of the ledger tells of."""
    if not is_scan(record):
        hint = "howsure scan --record writes one"
        raise NotFoundError(f"{shown(record.id)} is no record of a scan", field="id", hint=hint)
    answer = record.detail["answer"]
    documents = tuple(document(one) for one in answer["files"])
    counts = ScanCounts(*(int(answer[name]) for name in ScanCounts._fields))
    report = report_of(answer["root"], record.at, answer["pack"], documents)
    return Recorded(record.id, record.project, record.at, counts, answer["score"], report)


def summary(record: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a scan has counted, without its documents, which may be many."""
    names = ("score", *ScanCounts._fields, "pack")
    about = {name: record[name] for name in ("id", "project", "at")}
    return about | {name: record["detail"]["answer"][name] for name in names}


def report_of(root: str, at: float, pack: str, documents: tuple[Document, ...]) -> Report:
    """Return the report of documents that somebody has scored."""
    folders = grouped(documents, lambda one: one.path.rpartition("/")[0] or ".")
    milestones = grouped((one for one in documents if one.kind != "data"), lambda one: one.milestone)
    return Report(root, at, pack, documents, (), mean(documents), folders, milestones)


def document(kept: Mapping[str, Any]) -> Document:
    """Return a document from what is kept of it."""
    gains = tuple(Improvement(str(words), float(gain)) for words, gain in kept["gains"])
    due = None if kept["due"] is None else date.fromisoformat(kept["due"])
    plain = {name: kept[name] for name in _PLAIN}
    return Document(kept["path"], due=due, detail=lambda: Detail(kept["reason"], gains), **plain)
