"""Record scans in the ledger and read them again, so that a dashboard elsewhere can show them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from howsure.documents.document import (
    URGENCY,
    Action,
    Detail,
    Document,
    DocumentKind,
    Improvement,
    Report,
    count_found,
    group_by_folder,
    group_by_milestone,
    mean_score,
    utf8_text,
)
from howsure.errors import InputError, NotFoundError, shown
from howsure.formulas.document import Document as DocumentModel
from howsure.formulas.document import Milestone
from howsure.formulas.score import Score
from howsure.shapes import Amount, Unit
from howsure.store.text_rules import check_name

if TYPE_CHECKING:
    from howsure.ledger.decision import Decision
    from howsure.ledger.recorder import Recorder

TASK = "scan"
"""Task id of scans in the ledger."""
MAX_DOCUMENTS = 2000
"""Documents that are recorded of one scan, the most urgent ones; the others are only counted."""
LifecycleState = Literal["INIT", "OBSERVE", "VALIDATE", "INTEGRATE", "REFRESH"]
_SCALAR_FIELDS = ("kind", "score", "milestone", "state", "months", "age_from", "action", "weight")
_REASONS = ("problems", "gaps", "hints")
_MAX_REASONS = 5
"""Problems, gaps and hints of one document that are recorded, of each the first."""


class ScanCounts(NamedTuple):
    """The numbers of a scan."""

    documents: int
    unknown: int
    """Documents whose score is unknown."""
    due: int
    """Documents for which something is due."""
    skipped: int
    found: int = 0
    """Documents that should be opened for a reason; they come first."""


def record(ledger: "Recorder", report: Report, project: str, model: DocumentModel | None = None) -> str:
    """Record a report as a decision in the ledger, and return its id once it is durable."""
    documents = report.documents
    due = sum(one.action not in ("none", "unknown") for one in documents)
    counts = ScanCounts(
        len(documents), sum(one.score is None for one in documents), due, len(report.skipped), report.found
    )
    decision = min((one.action for one in documents), key=lambda action: URGENCY[action], default="none")
    answer = counts._asdict() | {
        "score": report.score,
        "decision": decision,
        "root": utf8_text(report.root),
        "pack": utf8_text(report.pack),
        "reason": f"{counts.documents:,} documents, {report.found:,} to open, {due:,} due",
        "files": [_document_fields(one) for one in documents[:MAX_DOCUMENTS]],
    }
    score = Score(answer, counts, counts, (model or DocumentModel()).spec)
    return ledger.record(score, ledger.subject(project=project, task_id=TASK), now=report.at)


def _document_fields(one: Document) -> dict[str, Any]:
    values = {name: getattr(one, name) for name in _SCALAR_FIELDS}
    plain = {name: utf8_text(value) if isinstance(value, str) else value for name, value in values.items()}
    more = {"due": one.due.isoformat() if one.due else None, "reason": utf8_text(one.reason)}
    gains = [[utf8_text(gain.words), gain.gain] for gain in one.gains[:2]]
    reasons = {name: [utf8_text(words) for words in getattr(one, name)[:_MAX_REASONS]] for name in _REASONS}
    return {"path": utf8_text(one.path)} | plain | more | {"gains": gains} | reasons


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


@dataclass(frozen=True)
class RecordedDocument:
    """A document as a recorded scan scored it."""

    path: str
    """Path below the project's folder, with / between folders."""
    kind: DocumentKind = "content"
    """A page for people, a program, or a data file."""
    score: Unit | None = None
    """How far it can be trusted; null if unknown."""
    milestone: Milestone = "M1"
    """The milestone that it has reached."""
    state: LifecycleState = "INIT"
    """State of its lifecycle."""
    months: Amount | None = None
    """Its age; null if unknown."""
    age_from: str = ""
    """Where the age comes from: validated, created or git."""
    action: Action = "none"
    """What is due."""
    due: str | None = None
    """Date of the next review, like 2026-12-31."""
    reason: str = ""
    """Why it has this score."""
    gains: tuple[tuple[str, Unit], ...] = ()
    """What would raise its score, and by how much, largest first."""
    problems: tuple[str, ...] = ()
    """What is wrong with it."""
    gaps: tuple[str, ...] = ()
    """What it leaves out."""
    hints: tuple[str, ...] = ()
    """What may make it out of date."""
    weight: Amount = 0.0
    """How much its problems and gaps say together."""


@dataclass(frozen=True)
class ScannedDocument(RecordedDocument):
    """A document to record: a `RecordedDocument` whose texts and date are checked."""

    def __post_init__(self) -> None:
        """Raise InputError if the path is blank, a text is too long or the date is invalid."""
        if not check_name(self.path, "path").strip():
            raise InputError("this field is missing", field="path")
        if self.path.startswith("/") or ".." in self.path.split("/"):
            hint = "below the project's folder, like docs/api.md"
            raise InputError(f"{shown(self.path)} is not the path of a document", field="path", hint=hint)
        for name in ("age_from", "reason"):
            check_name(getattr(self, name), name)
        for words, _ in self.gains:
            check_name(words, "gains")
        for name in _REASONS:
            for words in getattr(self, name):
                check_name(words, name)
        try:
            date.fromisoformat("2000-01-01" if self.due is None else self.due)
        except ValueError:
            raise InputError(f"invalid date {shown(self.due)}", field="due", hint="like 2026-12-31") from None


def mark_due(files: Sequence[ScannedDocument], at: float) -> list[ScannedDocument]:
    """Return the documents of a scan, with a review as the action of those whose review is due at a moment.

    Raises:
        InputError: if a path is there twice.
    """
    today = datetime.fromtimestamp(at, UTC).date()
    seen: set[str] = set()
    marked = []
    for number, one in enumerate(files):
        if one.path in seen:
            raise InputError(f"{shown(one.path)} is there twice", field=f"files[{number}].path", hint="give it once")
        seen.add(one.path)
        due = one.action == "none" and one.due is not None and date.fromisoformat(one.due) <= today
        marked.append(replace(one, action="review") if due else one)
    return marked


@dataclass(frozen=True)
class ScanSummary:
    """The numbers of a recorded scan."""

    id: str
    project: str
    at: float
    score: float | None
    """The mean of the known scores."""
    documents: int
    unknown: int
    """Documents whose score is unknown."""
    due: int
    """Documents for which something is due."""
    skipped: int
    found: int
    """Documents that should be opened for a reason; they come first."""
    pack: str
    """The pattern pack of the scan."""


@dataclass(frozen=True)
class ScanReport(ScanSummary):
    """A recorded scan with its documents."""

    files: list[RecordedDocument]
    """Most urgent first; of very many documents only the most urgent are kept."""


@dataclass(frozen=True)
class ScanPage:
    """One page of recorded scans, newest first."""

    scans: list[ScanSummary]
    cursor: str | None
    """Pass it to get the next page; null at the end."""


def check_task(model: str, task: str | None) -> None:
    """Raise InputError if a single document would be recorded under the task id of scans."""
    if model == DocumentModel.name and task == TASK:
        hint = "name another task; howsure scan --record keeps a scan"
        raise InputError(f"the task id {TASK} is reserved for scans", field="task_id", hint=hint)


def is_scan(record: "Decision | Mapping[str, Any]") -> bool:
    """Return whether a decision is a recorded scan, and not the score of a single document."""
    found = record if isinstance(record, Mapping) else vars(record)
    return found["model"] == DocumentModel.name and "files" in (found["detail"].get("answer") or {})


def _check_scan(record: "Decision") -> None:
    if not is_scan(record):
        hint = "howsure scan --record writes one"
        raise NotFoundError(f"{shown(record.id)} is not a recorded scan", field="scan", hint=hint)


def read_recorded_scan(record: "Decision") -> RecordedScan:
    """Return the scan that a decision records.

    Raises:
        NotFoundError: if the decision is not a scan.
    """
    _check_scan(record)
    answer = record.detail["answer"]
    documents = tuple(document_from_fields(one) for one in answer["files"])
    counts = ScanCounts(*(int(answer[name]) for name in ScanCounts._fields))
    report = report_of(answer["root"], record.at, answer["pack"], documents)
    return RecordedScan(record.id, record.project, record.at, counts, answer["score"], report)


def summarize(record: "Decision") -> ScanSummary:
    """Return the numbers of a scan, without reading its documents, which may be many."""
    answer = record.detail["answer"]
    numbers = {name: answer[name] for name in ("score", *ScanCounts._fields, "pack")}
    return ScanSummary(record.id, record.project, record.at, **numbers)


def scan_report(record: "Decision") -> ScanReport:
    """Return a scan with its documents.

    Raises:
        NotFoundError: if the decision is not a scan.
    """
    _check_scan(record)
    files = [
        RecordedDocument(
            **fields
            | {"gains": tuple((words, gain) for words, gain in fields["gains"])}
            | {name: tuple(fields[name]) for name in _REASONS}
        )
        for fields in record.detail["answer"]["files"]
    ]
    return ScanReport(**vars(summarize(record)), files=files)


def report_of(root: str, at: float, pack: str, documents: tuple[Document, ...]) -> Report:
    """Build a report from scored documents."""
    folders, milestones = group_by_folder(documents), group_by_milestone(documents)
    found = count_found(documents, None)
    return Report(root, at, pack, documents, (), mean_score(documents), folders, milestones, found=found)


def document_from_fields(fields: Mapping[str, Any]) -> Document:
    """Return a document from its recorded fields."""
    gains = tuple(Improvement(str(words), float(gain)) for words, gain in fields["gains"])
    due = None if fields["due"] is None else date.fromisoformat(fields["due"])
    plain = {name: fields[name] for name in _SCALAR_FIELDS} | {name: tuple(fields[name]) for name in _REASONS}
    return Document(fields["path"], due=due, _compute_detail=lambda: Detail(fields["reason"], gains), **plain)
