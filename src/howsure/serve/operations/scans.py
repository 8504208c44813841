"""Scans: how the documents of projects stood, as far as that was recorded."""

from dataclasses import asdict, dataclass
from datetime import date
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypedDict

from howsure.documents.document import Action, Kind, sort_by_urgency
from howsure.documents.recorded_scans import (
    MAX_DOCUMENTS,
    TASK,
    document_from_fields,
    is_scan,
    record,
    report_of,
    summary,
)
from howsure.errors import InputError, shown
from howsure.formulas.document import Document as DocumentModel
from howsure.serve.operations.operation import FEW, operation
from howsure.shapes import Amount, Unit, Within
from howsure.store.text_rules import check_name

if TYPE_CHECKING:
    from howsure.sure import Sure

AT_ONCE = 10
"""Records that are read at the same time: each may hold thousands of documents."""


@dataclass(frozen=True)
class Listing:
    """Which scans are looked for, and how many at once."""

    project: str | None = None
    """The project whose documents were scanned."""
    limit: Annotated[int, Within(1, 200)] = 20
    """How many on one page."""
    cursor: str | None = None
    """Read on from the page before."""


@dataclass(frozen=True)
class Scored:
    """A document as a scan has scored it."""

    path: str
    """Where it lies below the project's folder, with / between folders."""
    kind: Kind = "content"
    """A page for people, a program, or a file of data."""
    score: Unit | None = None
    """How far it can be trusted; left out, where that cannot be known."""
    milestone: Literal["M1", "M2", "M3", "M4"] = "M1"
    """The milestone that it has reached."""
    state: Literal["INIT", "OBSERVE", "VALIDATE", "INTEGRATE", "REFRESH"] = "INIT"
    """Where its life stands."""
    months: Amount | None = None
    """Its age; left out, where that is unknown."""
    age_from: str = ""
    """What tells its age: validated, created or git."""
    action: Action = "none"
    """What is due."""
    due: str | None = None
    """When it is to be reviewed next, like 2026-12-31."""
    reason: str = ""
    """Why it has this score."""
    gains: tuple[tuple[str, Unit], ...] = ()
    """What would raise its score, and by how much, the most first."""

    def __post_init__(self) -> None:
        """Refuse what names no document, and days that no calendar has."""
        if not check_name(self.path, "path").strip():
            raise InputError("this field is missing", field="path")
        for name in ("age_from", "reason"):
            check_name(getattr(self, name), name)
        for words, _ in self.gains:
            check_name(words, "gains")
        try:
            date.fromisoformat("2000-01-01" if self.due is None else self.due)
        except ValueError:
            raise InputError(f"{shown(self.due)} is no day", field="due", hint="like 2026-12-31") from None


@dataclass(frozen=True)
class Standing:
    """How the documents of a project stand, as a scan elsewhere has found."""

    project: str
    """The project that the documents belong to: as it is set, or the name of its folder."""
    files: tuple[Scored, ...]
    """Every document; `howsure scan --json` tells them."""
    pack: str = "default"
    """The pattern pack that was used."""

    def __post_init__(self) -> None:
        """Refuse what names no project, and more documents than one request should bring."""
        if not check_name(self.project, "project").strip():
            raise InputError("this field is missing", field="project")
        check_name(self.pack, "pack")
        if len(self.files) > MAX_DOCUMENTS:
            problem = f"{len(self.files):,} documents are too many"
            raise InputError(
                problem, field="files", hint=f"at most {MAX_DOCUMENTS:,}; howsure scan --record takes more"
            )


@dataclass(frozen=True)
class ScanId:
    """Which scan."""

    id: str
    """Id of its record in the ledger."""


class Recorded(TypedDict):
    """A scan that was recorded."""

    id: str


class Summary(TypedDict):
    """How the documents of a project stood."""

    id: str
    project: str
    at: float
    score: float | None
    """The mean of the scores that are known."""
    documents: int
    unknown: int
    """Documents whose score cannot be known."""
    due: int
    """Documents for which something was due."""
    skipped: int
    pack: str


class File(TypedDict):
    """A document as it stood."""

    path: str
    kind: Kind
    score: float | None
    milestone: str
    state: str
    months: float | None
    """Its age."""
    age_from: str
    action: Action
    """What was due."""
    due: str | None
    """When it is to be reviewed next."""
    reason: str
    gains: list[list[Any]]
    """What would raise its score, and by how much, the most first."""


class Scan(Summary):
    """A recorded scan with its documents."""

    files: list[File]
    """What needed attention most comes first; of very many documents only these are kept."""


class Scans(TypedDict):
    """Some of the recorded scans, the newest first."""

    scans: list[Summary]
    cursor: str | None
    """Hand it in to read on; null at the end."""


@operation(
    "documents.scans", "GET /v1/documents/scans", scope="read", answer=Scans, example={"project": "howsure"}, tool=FEW
)
def scans(sure: "Sure", given: Listing) -> Any:
    """Return the scans of documents that were recorded, the newest first."""
    cursor = given.cursor
    found: list[dict[str, Any]] = []
    for start in range(0, given.limit, AT_ONCE):
        page = sure.ledger.find(
            project=given.project,
            model=DocumentModel.name,
            task_id=TASK,
            limit=min(AT_ONCE, given.limit - start),
            cursor=cursor,
        )
        found += [summary(vars(one)) for one in page.decisions if is_scan(one)]
        cursor = page.cursor
        if cursor is None:
            break
    return {"scans": found, "cursor": cursor}


@operation(
    "documents.scanned",
    "GET /v1/documents/scans/{id}",
    scope="read",
    answer=Scan,
    example={"id": "a01a3185c50009f3a2b4c5d6e7f80"},
    tool=FEW,
)
def scanned(sure: "Sure", given: ScanId) -> Any:
    """Return how the documents of a project stood when a scan was recorded."""
    return sure.documents.scanned(given.id).as_dict()


@operation(
    "documents.record",
    "POST /v1/documents/scans",
    scope="write",
    answer=Recorded,
    example={"project": "howsure", "files": [{"path": "docs/api.md", "score": 0.8, "months": 2, "due": "2027-01-31"}]},
    tool="documents are scanned by programs, and howsure scan --record keeps what they find",
)
def record_(sure: "Sure", given: Standing) -> Any:
    """Keep how the documents of a project stand, as a scan elsewhere has found."""
    documents = tuple(sort_by_urgency((document_from_fields(asdict(one)) for one in given.files), None))
    report = report_of(given.project, sure.session.at(None), given.pack, documents)
    return {"id": record(sure.ledger, report, given.project)}
