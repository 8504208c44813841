"""Scan a tree: walk it, read its files, score each one, and report what needs attention."""

import marshal
import os
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import islice
from operator import itemgetter
from pathlib import Path
from typing import NamedTuple

from howsure.documents.cache import RACY_NS, REPORT_FORMAT, ScanCache, load_report, save_report
from howsure.documents.content.facts import Facts
from howsure.documents.content.file_reader import FEW_FILES, ReaderPool, stamp_of
from howsure.documents.content.mentions import Mentions
from howsure.documents.content.symbols import PythonNames
from howsure.documents.document import (
    PROBLEM_WEIGHT,
    Detail,
    Document,
    Report,
    SkippedFile,
    count_found,
    group_by_folder,
    group_by_milestone,
    mean_score,
    sort_by_urgency,
)
from howsure.documents.junit import outcome_of_tests, read_junit
from howsure.documents.problems.known_files import KnownFiles
from howsure.documents.problems.named_files import NameCheck, NamedFiles
from howsure.documents.repository.git import changed_since, head, new_files
from howsure.documents.repository.tree import LARGEST, DocumentFile, find_root, is_prose, is_test_data, walk
from howsure.documents.scoring import Events, FileContext, Scorer
from howsure.documents.tree_facts import TreeFacts
from howsure.errors import InputError
from howsure.files import sha256
from howsure.formulas.document import Document as DocumentModel
from howsure.garbage import garbage_collection_paused
from howsure.progress import Progress, silent
from howsure.text.patterns import Pack
from howsure.version import __version__

_WALK_BATCH = 500
_NO_NAMES = PythonNames()
_NO_MENTIONS = Mentions()
_NOTHING = NameCheck()


@dataclass(frozen=True)
class ScanOptions:
    """What to scan, and how."""

    paths: tuple[Path, ...]
    pack: Pack
    pack_name: str = "default"
    exclude: tuple[str, ...] = ()
    """Patterns of files to leave out, as in a .gitignore."""
    largest: int = LARGEST
    """Largest size of a file that is read, in bytes."""
    changed: str | None = None
    """A commit: scan only what is new or changed since then."""
    tests: Path | None = None
    """Test results as JUnit XML."""
    fail_under: float | None = None
    jobs: int = 0
    """Number of processes; 0 for one per core."""
    cache: Path | None = None
    """Path of the cache; None for no cache."""
    model: DocumentModel = field(default_factory=DocumentModel)
    """The model that scores documents."""
    everything: bool = False
    """Scan code and configuration, too, not only prose and data."""


class ScannedFile(NamedTuple):
    """One file of a scan, before it is scored."""

    file: DocumentFile
    facts: Facts
    context: FileContext


class Scan:
    """One pass over a tree.

    The tree is walked at once; files are read when `entries` or `report` need them, and kept for writing headers.
    """

    def __init__(
        self,
        options: ScanOptions,
        now: float,
        events: Mapping[str, Events] | None = None,
        progress: Progress = silent,
    ) -> None:
        """Walk the tree. `events` are the recorded events of documents, by path."""
        self._start = time.perf_counter()
        self.options = options
        self.scorer: Scorer = Scorer(now, options.model)
        self.root: Path = common_root(options.paths)
        self._events = events or {}
        self._progress = progress
        self._skipped: list[SkippedFile] = []
        self._paths: set[str] = set()
        self._pages: dict[str, DocumentFile] = {}
        self._status = {} if options.changed is None else changed_since(self.root, options.changed)
        self._readers = ReaderPool(options.pack, options.largest, options.jobs)
        self.files: list[DocumentFile] = self._walk()
        """The files that are documents."""
        self._head = head(self.root)
        added = {path for path, status in self._status.items() if status == "added"}
        self._new = new_files(self.root) if options.changed is None else added

    @garbage_collection_paused()  # a scan from the cache takes half as long
    def _walk(self) -> list[DocumentFile]:
        files: list[DocumentFile] = []
        options = self.options
        whole = all(path.resolve() == self.root for path in options.paths)
        uncached = options.cache is None or not options.cache.exists()
        named = {os.path.realpath(path) for path in options.paths}
        walking = walk(
            self.root, options.paths, exclude=options.exclude, largest=options.largest, skipped=self._skipped
        )
        while batch := list(islice(walking, _WALK_BATCH)):
            self._progress("looking for files", len(files), 0)
            self._paths.update(file.path for file in batch)
            files += (file for file in batch if self._wanted(file, named))
            if whole:
                self._pages.update((file.path, file) for file in batch if _is_page(file))
            if uncached and len(files) >= FEW_FILES:
                self._readers.start()  # early, since worker processes take a while to start
        if not whole:
            # What a page is judged by must not depend on which files were named.
            for file in walk(self.root, exclude=options.exclude, largest=options.largest, skipped=[]):
                self._paths.add(file.path)
                if _is_page(file):
                    self._pages[file.path] = file
        return files

    @property
    def _all_files(self) -> list[DocumentFile]:
        """The scanned files, and the other pages of the tree."""
        return list({file.path: file for file in (*self.files, *self._pages.values())}.values())

    def _wanted(self, file: DocumentFile, named: set[str]) -> bool:
        if self.options.changed is not None and file.path not in self._status:
            return False
        if self.options.everything or file.location in named:
            return True
        return not is_test_data(file.path) if file.kind == "data" else is_prose(file.path)

    @cached_property
    @garbage_collection_paused()
    def _tree_facts(self) -> TreeFacts:
        options = self.options
        return TreeFacts(
            self.root,
            self.files,
            self._all_files,
            self._head,
            ScanCache(options.cache, pack_key(options.pack)),
            self._readers,
            whole=options.changed is None and any(path.resolve() == self.root for path in options.paths),
            progress=self._progress,
        )

    @property
    def reused(self) -> int:
        """Number of scanned files whose facts came from the cache."""
        return self._tree_facts.reused

    @cached_property
    @garbage_collection_paused()
    def scanned_files(self) -> list[ScannedFile]:
        """Every file that could be read, with everything that is known about it."""
        tree_facts, tests = self._tree_facts, self.options.tests
        results = read_junit(tests) if tests is not None else None
        scanned = {file.path for file in self.files}
        self._skipped += (one for one in tree_facts.skipped if one.path in scanned)
        entries = []
        for file in self.files:
            path = file.path
            facts = tree_facts.facts.get(path)
            if facts is None:
                continue
            if facts.binary:
                self._skipped.append(SkippedFile(path, "it is binary"))
                continue
            passed = outcome_of_tests(results, path) if results is not None else None
            context = FileContext(tree_facts.histories.get(path), path in self._new, passed, self._events.get(path, ()))
            entries.append(ScannedFile(file, facts, context))
        return entries

    def document(self, entry: ScannedFile) -> Document:
        """Score one file."""
        document = self.scorer.score(entry.file.path, entry.file.kind, entry.facts, entry.context)
        facts = entry.facts
        named = facts.links or facts.names or facts.anchored or facts.insecure or facts.brief
        if facts.python == _NO_NAMES and facts.mentions == _NO_MENTIONS and not named:
            return document
        found = self._named_files.check(entry.file.path)
        if found == _NOTHING and not facts.brief:
            return document
        return replace(
            document,
            problems=(*document.problems, *found.problems),
            changed_since=found.changed_since,
            drift=found.drift,
            hints=found.hints,
            hint_weight=found.hint_weight,
            brief=facts.brief,
            gaps=found.gaps,
            weight=found.weight + PROBLEM_WEIGHT * len(document.problems),
        )

    @cached_property
    def _known_files(self) -> KnownFiles:
        return KnownFiles(self.root, self._paths, self._tree_facts.histories)

    @cached_property
    def _named_files(self) -> NamedFiles:
        histories, facts = self._tree_facts.histories, self._tree_facts.facts
        scanned = {file.path: facts[file.path] for file in self.files if file.path in facts}
        pages = {path: facts[path] for path in self._pages if path in facts}
        return NamedFiles(self.root, self._known_files, histories, scanned, pages, self.scorer.now)

    @cached_property
    def _by_path(self) -> dict[str, ScannedFile]:
        return {entry.file.path: entry for entry in self.scanned_files}

    def _detail(self, path: str) -> Detail:
        file, facts, context = self._by_path[path]
        return self.scorer.score(path, file.kind, facts, context).detail

    @garbage_collection_paused()
    def report(self) -> Report:
        """Return every document, the most urgent first; from the cache if nothing has changed since."""
        cache = self.options.cache
        path = None if cache is None or self.options.tests is not None else cache.with_suffix(".report")
        key = self._report_key() if path is not None else ""
        report = load_report(path, key, self.root, self._detail) if path is not None and key else None
        if report is None:
            report = self._build_report()
            # An incomplete report is not cached: what could not be read may be readable the next time.
            if path is not None and key and self._tree_facts.complete:
                save_report(path, key, report, self._known_files.looked_up, self._known_files.versions)
        return replace(report, at=self.scorer.now, seconds=time.perf_counter() - self._start)

    def _report_key(self) -> str:
        """Return a key that two scans share only if their reports are the same; empty if files changed just now."""
        files = self._all_files
        stamps = [stamp_of(file) for file in files]
        newest = max(max(map(itemgetter(place), stamps), default=0) for place in (1, 3))
        if newest > time.time_ns() - RACY_NS:
            return ""
        options = self.options
        inputs = (
            REPORT_FORMAT, str(self.root), str(options.paths), pack_key(options.pack), options.pack_name,
            options.exclude, options.largest, options.changed, options.fail_under, self.scorer.today, self._head,
            options.model, options.everything, sorted(self._new), sorted(self._events.items()), self._skipped,
        )  # fmt: skip
        digest = sha256(repr(inputs).encode("utf-8", "surrogatepass"))
        # Version 2 of marshal writes equal values alike; later ones depend on which objects are shared.
        digest.update(marshal.dumps((len(self.files), [file.path for file in files], stamps), 2))
        return digest.hexdigest()

    def _build_report(self) -> Report:
        limit = self.options.fail_under
        documents = sort_by_urgency((self.document(entry) for entry in self.scanned_files), limit)
        note = self._tree_facts.note
        known = "not all" if self._tree_facts.histories else "no"
        return Report(
            self.root.name or str(self.root),
            self.scorer.now,
            self.options.pack_name,
            tuple(documents),
            tuple(sorted(self._skipped)),
            mean_score(documents),
            group_by_folder(documents),
            group_by_milestone(documents),
            self.reused,
            fail_under=limit,
            notes=(f"{known} dates from git: {note}",) if note else (),
            found=count_found(documents, limit),
        )


def _is_page(file: DocumentFile) -> bool:
    """Return whether a file is one of the pages that a tree is known by: it is scanned by default."""
    return file.kind != "data" and is_prose(file.path)


def common_root(paths: Sequence[Path]) -> Path:
    """Return the root of a scan: the repository, or the folder that holds all paths.

    Raises:
        InputError: if a path does not exist, or the paths lie in different repositories.
    """
    for path in paths:
        if not os.path.lexists(path):
            raise InputError(f"{path} does not exist", field="path")
    roots = {find_root(path.absolute()) for path in paths}
    if len(roots) > 1 and any(os.path.lexists(root / ".git") for root in roots):
        names = ", ".join(sorted(root.name for root in roots))
        raise InputError(f"these are different repositories: {names}", field="path", hint="scan each by itself")
    return Path(os.path.commonpath(roots)) if len(roots) > 1 else roots.pop()


def pack_key(pack: Pack) -> str:
    """Return a key of a pattern pack and of the version of howsure, which may read files differently."""
    return sha256(repr((__version__, pack)).encode("utf-8", "surrogatepass")).hexdigest()[:24]
