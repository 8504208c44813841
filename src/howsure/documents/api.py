"""Scan the documents of a tree, record scans, and record what happens to documents."""

import os
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import Annotated, Literal, cast

from howsure.documents.document import Document, Report, sort_by_urgency
from howsure.documents.recorded_scans import (
    MAX_DOCUMENTS,
    TASK,
    RecordedScan,
    ScannedDocument,
    ScanPage,
    ScanReport,
    ScanSummary,
    document_from_fields,
    is_scan,
    mark_due,
    read_recorded_scan,
    record,
    report_of,
    scan_report,
    summarize,
)
from howsure.documents.repository.tree import LARGEST, find_root, project_path
from howsure.documents.scan import Scan, ScanOptions
from howsure.documents.scoring import Events
from howsure.errors import InputError, MissingExtraError, nearest, shown
from howsure.formulas.automaton import SYMBOLS
from howsure.formulas.document import Document as DocumentModel
from howsure.formulas.patterns import Patterns
from howsure.ledger.api import Ledger
from howsure.operation import operation
from howsure.parameters import configured, find_parameters
from howsure.progress import Progress, silent
from howsure.redaction import redact_secrets
from howsure.settings import PACK, PROJECT, Settings
from howsure.shapes import Doc, Local, Unit, Within, decode_as
from howsure.store.ledger_tables import document_events as event_table
from howsure.store.ledger_tables.document_events import DocumentEvent
from howsure.store.session import Session
from howsure.store.text_rules import check_name
from howsure.text.patterns import Pack, load_builtin_pack, pack_names, read_pack

SCANS_AT_ONCE = 10
"""Decisions that are read at once: each may hold thousands of documents."""
EventSymbol = Literal["visit", "confirm", "test", "merge", "decay_warning"]
ProjectName = Annotated[
    str, Doc("Project of the documents: the setting `project`, or the name of its folder.", example="howsure")
]
ScanId = Annotated[str, Doc("Id of a recorded scan.", example="a01a3185c50009f3a2b4c5d6e7f80")]
DocumentPath = Annotated[str, Doc("Path of a document below the project's folder, with /.", example="docs/api.md")]


@dataclass(frozen=True)
class DocumentEvents:
    """Events of documents."""

    events: list[DocumentEvent]
    """In order of time."""


class Documents:
    """The documents of repositories and their scores."""

    def __init__(self, session: Session, settings: Settings) -> None:
        """Use a session to record events and scans, and the settings for defaults."""
        self.session = session
        self.settings = settings

    def scan(
        self,
        *paths: str | Path,
        pack: str | None = None,
        exclude: Sequence[str] = (),
        largest: int = LARGEST,
        everything: bool = False,
        changed: str | None = None,
        tests: str | Path | None = None,
        fail_under: float | None = None,
        jobs: int = 0,
        cache: bool = True,
        progress: Progress = silent,
        now: float | None = None,
    ) -> Scan:
        """Scan folders and files; `report()` of the result has the score of each document.

        Args:
            pack: Name or TOML file of a pattern pack; by default the setting `documents.pack`.
            exclude: Patterns of files to leave out, as in a .gitignore.
            largest: Largest size of a file that is read, in bytes.
            everything: Scan code and configuration, too, not only prose and data. Files among `paths` are always
                scanned.
            changed: A commit: scan only what is new or changed since then.
            tests: Test results as JUnit XML.
            fail_under: A limit; the report lists the documents below it first.
            jobs: Number of processes; 0 for one per core.
            cache: Whether to reuse what the last scan read of unchanged files.
            progress: Called with the progress of the scan.
            now: Time at which ages are computed; by default the current time.

        Raises:
            InputError: if a path, the pack or the commit does not exist.
            MissingExtraError: if the extra `documents` is not installed.
        """
        chosen = tuple(Path(path) for path in paths) or (Path(),)
        name = pack if pack is not None else self.settings.value(PACK)
        limit = None if fail_under is None else decode_as(Unit, fail_under, "fail_under")
        at = self.session.at(now)
        from howsure.documents.cache import cache_path
        from howsure.documents.scan import common_root

        _require_yaml()
        root = common_root(chosen)
        options = ScanOptions(
            chosen,
            self._configured_pack(load_pack(name)),
            name,
            tuple(exclude),
            largest,
            changed,
            None if tests is None else Path(tests),
            limit,
            jobs,
            cache_path(self.settings.cache, root) if cache else None,
            self._model,
            everything,
        )
        return Scan(options, at, self.events_by_path(root, at), progress)

    def record(self, scan: Scan, report: Report | None = None) -> str:
        """Record a scan in the ledger and return its id.

        Raises:
            InputError: if the scan looked only at changed files.
        """
        if scan.options.changed is not None:
            problem = "only a scan of all documents can be recorded, and this one looked at changed files only"
            raise InputError(problem, field="changed", hint="scan everything to record it")
        project = check_name(self.project(scan.root), "project")
        return record(self._ledger, report or scan.report(), project, scan.options.model)

    @property
    def _model(self) -> DocumentModel:
        return configured(DocumentModel, self.settings)

    def _configured_pack(self, pack: Pack) -> Pack:
        """Return a pack with the bonuses that the settings change."""
        changed = find_parameters(Patterns, self.settings) if self.settings.sets_parameters else {}
        bonuses = {name: value for name, (value, _) in changed.items()}
        return pack._replace(thresholds=tuple((dict(pack.thresholds) | bonuses).items())) if bonuses else pack

    @operation("GET /v1/documents/scans", scope="read", example={"project": "howsure"})
    def list_scans(
        self,
        project: ProjectName | None = None,
        *,
        limit: Annotated[int, Within(1, 200)] = 20,
        cursor: str | None = None,
    ) -> ScanPage:
        """Return the recorded scans of one project or of all, newest first.

        Args:
            project: Only the scans of this project.
            limit: How many on one page.
            cursor: The cursor of the previous page.
        """
        size = decode_as(Annotated[int, Within(1, 200)], limit, "limit")
        scans: list[ScanSummary] = []
        for start in range(0, size, SCANS_AT_ONCE):
            page = self._ledger.find(
                project=project,
                model=DocumentModel.name,
                task_id=TASK,
                limit=min(SCANS_AT_ONCE, size - start),
                cursor=cursor,
            )
            scans += [summarize(decision) for decision in page.decisions if is_scan(decision)]
            cursor = page.cursor
            if cursor is None:
                break
        return ScanPage(scans, cursor)

    @operation("GET /v1/documents/scans/{scan}", scope="read", example={"scan": "a01a3185c50009f3a2b4c5d6e7f80"})
    def scan_report(self, scan: ScanId) -> ScanReport:
        """Return a recorded scan with its documents.

        Raises:
            NotFoundError: if there is no such scan.
        """
        return scan_report(self._ledger.get(scan))

    @operation(
        "POST /v1/documents/scans",
        scope="write",
        example={
            "project": "howsure",
            "files": [{"path": "docs/api.md", "score": 0.8, "months": 2, "due": "2027-01-31"}],
        },
    )
    def record_scan(
        self, project: ProjectName, files: Sequence[ScannedDocument], *, pack: str = "default"
    ) -> ScanSummary:
        """Record a scan that was made elsewhere.

        Args:
            files: Every document, as `howsure scan --json` prints them. One whose `due` has come is due for review
                unless its action says otherwise.
            pack: The pattern pack of the scan.

        Raises:
            InputError: if the project is blank, there are too many documents, or one is there twice.
        """
        if not check_name(project, "project").strip():
            raise InputError("this field is missing", field="project")
        check_name(pack, "pack")
        if len(files) > MAX_DOCUMENTS:
            hint = f"at most {MAX_DOCUMENTS:,}; howsure scan --record takes more"
            raise InputError(f"{len(files):,} documents are too many", field="files", hint=hint)
        at = self.session.at(None)
        checked = (document_from_fields(asdict(one)) for one in mark_due(files, at))
        report = report_of(project, at, pack, tuple(sort_by_urgency(checked, None)))
        return summarize(self._ledger.get(record(self._ledger, report, project)))

    def recorded_scan(self, scan: str) -> RecordedScan:
        """Return a recorded scan by its id, with its report as `scan` returns it.

        Raises:
            NotFoundError: if there is no such scan.
        """
        return read_recorded_scan(self._ledger.get(scan))

    @cached_property
    def _ledger(self) -> Ledger:
        return Ledger(self.session, self.settings)

    def project(self, root: Path) -> str:
        """Return the project of a root: the setting `project`, or the name of the folder."""
        return self.settings.value(PROJECT) or root.resolve().name

    def place(self, path: str | Path) -> tuple[str, str, Path]:
        """Return the project of a file, its path below the root, and the root."""
        root = find_root(path)
        return self.project(root), project_path(path), root

    def events_by_path(self, root: Path, until: float) -> dict[str, Events]:
        """Return the events of each document below a root, up to a time."""
        found: dict[str, list[tuple[str, float]]] = {}
        with self.session.database.read() as transaction:
            for event in event_table.of_project(transaction, self.project(root)):
                if event.at <= until:
                    found.setdefault(event.document, []).append((event.symbol, event.strength))
        return {document: tuple(events) for document, events in found.items()}

    def event(
        self,
        path: str | Path,
        symbol: str,
        *,
        strength: float = 1.0,
        by: str | None = None,
        note: str = "",
        now: float | None = None,
    ) -> DocumentEvent:
        """Record an event of a document: visit, confirm, test, merge or decay_warning.

        Args:
            strength: How strongly it was observed, from 0 to 1: the share of the document's state that moves on.
            by: Who observed it; by default the actor of the session.
            note: Anything worth recording with it.
            now: When it happened; by default now.

        Raises:
            InputError: if the symbol is unknown or the file does not exist.
        """
        if symbol not in SYMBOLS:
            raise InputError(f"unknown event {shown(symbol)}", field="symbol", hint=nearest(symbol, SYMBOLS))
        if not os.path.lexists(path):
            raise InputError(f"{path} does not exist", field="path", hint="events are recorded for existing files")
        _check_not_folder(path)
        project, document, _ = self.place(path)
        check_name(document, "path")
        known_symbol = cast("EventSymbol", symbol)
        return self.record_event(project, document, known_symbol, strength=strength, by=by, note=note, now=now)

    def events(self, path: str | Path) -> list[DocumentEvent]:
        """Return the events of a document, in order."""
        project, document, _ = self.place(path)
        with self.session.database.read() as transaction:
            return event_table.of_project(transaction, check_name(project, "project"), check_name(document, "path"))

    @operation("GET /v1/documents/events", scope="read", example={"project": "howsure", "document": "docs/api.md"})
    def project_events(self, project: ProjectName, document: DocumentPath | None = None) -> DocumentEvents:
        """Return the events of all documents of a project, or of one, in order."""
        check_name(project, "project")
        if document is not None:
            check_name(document, "document")
        with self.session.database.read() as transaction:
            return DocumentEvents(event_table.of_project(transaction, project, document))

    @operation(
        "POST /v1/documents/events",
        scope="write",
        example={"project": "howsure", "document": "docs/api.md", "symbol": "confirm", "note": "read and found right"},
    )
    def record_event(
        self,
        project: ProjectName,
        document: DocumentPath,
        symbol: EventSymbol,
        *,
        strength: Unit = 1.0,
        by: str | None = None,
        note: str = "",
        now: Annotated[float | None, Local()] = None,
    ) -> DocumentEvent:
        """Record an event of a document: visit, confirm, test, merge or decay_warning.

        Unlike `event`, this takes names instead of a file, which may be on another machine.

        Args:
            symbol: What happened.
            strength: How strongly it was observed: the share of the document's state that moves on.
            by: Who observed it; by default the caller.
            note: Anything worth recording with it.

        Raises:
            InputError: if a name is blank or too long.
        """
        for name, value in (("project", project), ("document", document)):
            if not check_name(value, name).strip():
                raise InputError("this field is missing", field=name)
        actor = check_name(self.session.signature(by), "by")
        at, note = self.session.at(now), redact_secrets(check_name(note, "note"))
        event = DocumentEvent(project, document, at, symbol, decode_as(Unit, strength, "strength"), actor, note)
        with self.session.write() as transaction:
            event_table.add(transaction, event)
        return event

    def show(
        self,
        path: str | Path,
        *,
        pack: str | None = None,
        tests: str | Path | None = None,
        now: float | None = None,
    ) -> Document:
        """Return the score of one file, also of one that is ignored.

        Raises:
            InputError: if it is a folder or cannot be scored.
        """
        _check_not_folder(path)
        report: Report = self.scan(path, pack=pack, tests=tests, now=now, cache=False).report()
        if not report.documents:
            why = "; ".join(f"{one.path}: {one.why}" for one in report.skipped) or "it is not a document"
            raise InputError(f"{path} cannot be scored: {why}", field="path")
        return report.documents[0]


def _check_not_folder(path: str | Path) -> None:
    if Path(path).is_dir():
        raise InputError(f"{path} is a folder", field="path", hint="name one file")


def load_pack(name: str) -> Pack:
    """Return a built-in pattern pack by its name, or one from a TOML file."""
    if name not in pack_names() and (name.endswith(".toml") or os.sep in name):
        return read_pack(Path(name))
    return load_builtin_pack(name)


def _require_yaml() -> None:
    """Raise MissingExtraError unless PyYAML is installed."""
    try:
        import yaml  # noqa: F401
    except ImportError:
        raise MissingExtraError("documents", "scanning documents") from None
