"""Documents: scan a tree, record what happens to its files, and see to what is due."""

import os
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from howsure.documents.document import Document, Report
from howsure.documents.scan import LARGEST, Scan, ScanOptions
from howsure.documents.scoring import Events
from howsure.documents.tree import find_root, project_path
from howsure.errors import InputError, MissingExtraError, nearest, shown
from howsure.formulas.automaton import SYMBOLS
from howsure.ledger.api import Ledger, check_name
from howsure.progress import Progress, silent
from howsure.settings import PACK, PROJECT, Settings
from howsure.shapes import Unit, decode_as
from howsure.store import documents as table
from howsure.store.documents import Event
from howsure.store.session import Session
from howsure.text.patterns import Pack, load_builtin_pack, pack_names, read_pack

if TYPE_CHECKING:
    from howsure.documents.recorded_scans import Recorded


class Documents:
    """The files of repositories, and how far each can be trusted."""

    def __init__(self, session: Session, settings: Settings) -> None:
        """Take the session in which events are written down, and the settings."""
        self.session = session
        self.settings = settings

    def scan(
        self,
        *paths: str | Path,
        pack: str | None = None,
        exclude: Sequence[str] = (),
        largest: int = LARGEST,
        changed: str | None = None,
        tests: str | Path | None = None,
        fail_under: float | None = None,
        jobs: int = 0,
        cache: bool = True,
        progress: Progress = silent,
        now: float | None = None,
    ) -> Scan:
        """Look at every file of some folders; `report()` of what comes back says how far each can be trusted.

        `pack` is the name of a pattern pack or a file that holds one. `changed` is a commit: only what is new or
        changed since then is looked at. `tests` are results of tests, as JUnit XML. Files that were not changed since
        the last scan are not read again, unless `cache` is off.
        """
        chosen = tuple(Path(path) for path in paths) or (Path(),)
        name = pack if pack is not None else self.settings.value(PACK)
        limit = None if fail_under is None else decode_as(Unit, fail_under, "fail_under")
        at = self.session.at(now)
        from howsure.documents.cache import cache_path
        from howsure.documents.scan import common_root

        needed()
        root = common_root(chosen)
        options = ScanOptions(
            chosen,
            load_pack(name),
            name,
            tuple(exclude),
            largest,
            changed,
            None if tests is None else Path(tests),
            limit,
            jobs,
            cache_path(self.settings.cache, root) if cache else None,
        )
        return Scan(options, at, self.lives(root, at), progress)

    def record(self, scan: Scan, report: Report | None = None) -> str:
        """Write into the ledger how the documents of a scan stand, and return the id of the record."""
        from howsure.documents.recorded_scans import record

        if scan.options.changed is not None:
            problem = "a record tells how all documents stand, and this scan looked only at what has changed"
            raise InputError(problem, field="changed", hint="scan everything to record it")
        return record(self._ledger, report or scan.report(), check_name(self.project(scan.root), "project"))

    def scans(self, project: str | None = None, *, limit: int = 20) -> "list[Recorded]":
        """Return the scans that were recorded, of all projects or one, the newest first."""
        from howsure.documents.recorded_scans import TASK, is_scan, recorded

        found = self._ledger.find(model="document", task_id=TASK, project=project, limit=limit)
        return [recorded(one) for one in found if is_scan(one)]

    def scanned(self, id_: str) -> "Recorded":
        """Return a scan that was recorded."""
        from howsure.documents.recorded_scans import recorded

        return recorded(self._ledger.get(id_))

    @cached_property
    def _ledger(self) -> Ledger:
        return Ledger(self.session, self.settings)

    def project(self, root: Path) -> str:
        """Return the name by which a folder's documents are known: the one that is set, or the folder's own."""
        return self.settings.value(PROJECT) or root.resolve().name

    def place(self, path: str | Path) -> tuple[str, str, Path]:
        """Return the project and the path by which a file is known, and its root."""
        root = find_root(path)
        return self.project(root), project_path(path), root

    def lives(self, root: Path, until: float) -> dict[str, Events]:
        """Return what has happened to each document of a folder, up to a moment."""
        found: dict[str, list[tuple[str, float]]] = {}
        with self.session.database.read() as transaction:
            for event in table.of_project(transaction, self.project(root)):
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
    ) -> Event:
        """Record that something has happened to a document: visit, confirm, test, merge or decay_warning.

        `strength` is how strongly it was observed: the share of the document's life that moves on.
        """
        if symbol not in SYMBOLS:
            raise InputError(f"{shown(symbol)} is no event", field="symbol", hint=nearest(symbol, SYMBOLS))
        if not os.path.lexists(path):
            raise InputError(f"there is no {path}", field="path", hint="events are recorded for files that are there")
        _refuse_folder(path)
        project, document, _ = self.place(path)
        event = Event(
            check_name(project, "project"),
            check_name(document, "path"),
            self.session.at(now),
            symbol,
            decode_as(Unit, strength, "strength"),
            check_name(by or self.session.actor, "by"),
            check_name(note, "note"),
        )
        with self.session.write() as transaction:
            table.add(transaction, event)
        return event

    def events(self, path: str | Path) -> list[Event]:
        """Return what has happened to a document, in order."""
        project, document, _ = self.place(path)
        with self.session.database.read() as transaction:
            return table.of_project(transaction, check_name(project, "project"), check_name(document, "path"))

    def show(self, path: str | Path, **given: Any) -> Document:
        """Return how far one file can be trusted, even one that is ignored."""
        _refuse_folder(path)
        report: Report = self.scan(path, cache=False, **given).report()
        if not report.documents:
            why = "; ".join(f"{one.path}: {one.why}" for one in report.skipped) or "it is no kind of document"
            raise InputError(f"{path} cannot be scored: {why}", field="path")
        return report.documents[0]


def _refuse_folder(path: str | Path) -> None:
    if Path(path).is_dir():
        raise InputError(f"{path} is a folder", field="path", hint="name one file")


def load_pack(name: str) -> Pack:
    """Return a pattern pack: a built-in one by its name, or one in a file."""
    if name not in pack_names() and (name.endswith(".toml") or os.sep in name):
        return read_pack(Path(name))
    return load_builtin_pack(name)


def needed() -> None:
    """See to it that what reads documents is installed."""
    try:
        import yaml  # noqa: F401
    except ImportError:
        raise MissingExtraError("documents", "scanning documents") from None
