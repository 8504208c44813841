"""A scan: every file of a tree, how far each can be trusted, and what needs attention."""

import marshal
import os
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import islice
from operator import itemgetter
from pathlib import Path
from typing import NamedTuple
from urllib.parse import unquote

from howsure import __version__
from howsure.documents import report_cache as kept
from howsure.documents.cache import Cache
from howsure.documents.document import Detail, Document, Report, SkippedFile
from howsure.documents.facts import Facts
from howsure.documents.file_reader import FEW_FILES, ReaderPool
from howsure.documents.gather import TreeEvidence, stamp_of
from howsure.documents.gc_pause import gc_paused
from howsure.documents.git_history import changed_since, head, new_files
from howsure.documents.junit import read_junit, tests_passed
from howsure.documents.report.summary import grouped, mean, sort_by_urgency
from howsure.documents.scoring import Events, FileContext, Scorer
from howsure.documents.tree import DocumentFile, find_root, walk
from howsure.errors import InputError
from howsure.files import sha256
from howsure.progress import Progress, silent
from howsure.text.patterns import Pack

LARGEST = 10_000_000
"""Bytes up to which a file is read."""
_SHOWN_LINKS = 3
_PAGES = (".md", ".markdown", ".mdx", ".html", "/index.md")
"""How the file of a page may end to which a site links by a shorter name, or as `.html`."""
_AT_ONCE = 500
_SETTLED = 2_000_000_000
"""Nanoseconds: a file changed so shortly before may change again without a new time."""


class ScanOptions(NamedTuple):
    """What is to be scanned, and how."""

    paths: tuple[Path, ...]
    pack: Pack
    pack_name: str = "default"
    exclude: tuple[str, ...] = ()
    largest: int = LARGEST
    changed: str | None = None
    """Only what is new or changed since this commit."""
    tests: Path | None = None
    """Results of tests, as JUnit XML."""
    fail_under: float | None = None
    jobs: int = 0
    """Processes to use; by default one for each core."""
    cache: Path | None = None
    """Where what was read is kept for the next time; nowhere, if nothing is given."""


class Entry(NamedTuple):
    """One file of a scan, before anybody looks at it."""

    found: DocumentFile
    facts: Facts
    known: FileContext


class Scan:
    """One pass over a tree. What was read, and what it was read from, stays at hand for headers."""

    def __init__(
        self,
        options: ScanOptions,
        now: float,
        events: Mapping[str, Events] | None = None,
        progress: Progress = silent,
    ) -> None:
        """Look at the tree. Files are read when their facts are needed."""
        self._start = time.perf_counter()
        self.options = options
        self.scorer = Scorer(now)
        self.root = common_root(options.paths)
        self._events = events or {}
        self._progress = progress
        self._skipped: list[SkippedFile] = []
        self.linked: dict[str, bool] = {}
        """Whether what documents link to is there, where it is no document itself."""
        self._status = {} if options.changed is None else changed_since(self.root, options.changed)
        self._readers = ReaderPool(options.pack, options.largest, options.jobs)
        self.files = self._walked()
        """The files that are documents."""
        self._head = head(self.root)
        added = {path for path, status in self._status.items() if status == "added"}
        self._new = new_files(self.root) if options.changed is None else added

    @gc_paused()
    def _walked(self) -> list[DocumentFile]:
        found: list[DocumentFile] = []
        options = self.options
        unknown = options.cache is None or not options.cache.exists()
        walked = walk(self.root, options.paths, exclude=options.exclude, largest=options.largest, skipped=self._skipped)
        while some := list(islice(walked, _AT_ONCE)):
            self._progress("looking for files", len(found), 0)
            found += some if options.changed is None else (file for file in some if file.path in self._status)
            if unknown and len(found) >= FEW_FILES:
                self._readers.start()
        return found

    @cached_property
    @gc_paused()
    def _gathered(self) -> TreeEvidence:
        options = self.options
        return TreeEvidence(
            self.root,
            self.files,
            self._head,
            Cache(options.cache, pack_key(options.pack)),
            self._readers,
            whole=options.changed is None and self._complete,
            progress=self._progress,
        )

    @property
    def _complete(self) -> bool:
        """Whether everything below the root is looked at."""
        return any(path.resolve() == self.root for path in self.options.paths)

    @property
    def reused(self) -> int:
        """How many files were not read again."""
        return self._gathered.reused

    @cached_property
    @gc_paused()
    def entries(self) -> list[Entry]:
        """Every file that could be read, with all that is known about it."""
        gathered, options = self._gathered, self.options
        results = read_junit(options.tests) if options.tests is not None else None
        self._skipped += gathered.skipped
        found = []
        for file in self.files:
            path = file.path
            facts = gathered.facts.get(path)
            if facts is None:
                continue
            if facts.binary:
                self._skipped.append(SkippedFile(path, "it is binary"))
                continue
            passed = tests_passed(results, path) if results is not None else None
            known = FileContext(gathered.past.get(path), path in self._new, passed, self._events.get(path, ()))
            found.append(Entry(file, facts, known))
        return found

    def document(self, entry: Entry) -> Document:
        """Return how far one file can be trusted."""
        found = self.scorer.score(entry.found.path, entry.found.kind, entry.facts, entry.known)
        broken = self._broken(entry) if entry.facts.links else ()
        if broken:
            shown = ", ".join(broken[:_SHOWN_LINKS]) + (", ..." if len(broken) > _SHOWN_LINKS else "")
            lead = "1 link leads" if len(broken) == 1 else f"{len(broken)} links lead"
            found.problems = (*found.problems, f"{lead} nowhere: {shown}")
        return found

    @cached_property
    def _paths(self) -> set[str]:
        return {file.path for file in self.files}

    def _broken(self, entry: Entry) -> tuple[str, ...]:
        folder = os.path.dirname(entry.found.path)  # noqa: PTH120 - names may be odd bytes
        found = []
        for link in entry.facts.links:
            target = os.path.normpath(os.path.join(folder, unquote(link)))  # noqa: PTH118
            if not target.startswith("..") and not self._leads(target):
                found.append(link)
        return tuple(found)

    def _leads(self, target: str) -> bool:
        """Say whether a link leads somewhere: to what is there, or to what a site makes of a page that is there."""
        bare = target.removesuffix(".html")
        for page in (target, *(bare + ending for ending in _PAGES)):
            if page in self._paths:
                return True
            self.linked[page] = os.path.lexists(os.path.join(self.root, page))  # noqa: PTH118
            if self.linked[page]:
                return True
        return False

    @cached_property
    def _by_path(self) -> dict[str, Entry]:
        return {entry.found.path: entry for entry in self.entries}

    def _detail(self, path: str) -> Detail:
        found, facts, known = self._by_path[path]
        return self.scorer.score(path, found.kind, facts, known).detail()

    @gc_paused()
    def report(self) -> Report:
        """Return what was found, by what needs attention most; as it was kept, where nothing has changed since."""
        place = (
            None
            if self.options.cache is None or self.options.tests is not None
            else self.options.cache.with_suffix(".report")
        )
        key = self._key() if place is not None else ""
        found = kept.load(place, key, self.root, self._detail) if place is not None and key else None
        if found is None:
            found = self._report()
            if place is not None and key and self._gathered.complete:  # what was out of reach may be there again
                kept.save(place, key, found, self.linked)
        return replace(found, at=self.scorer.now, seconds=time.perf_counter() - self._start)

    def _key(self) -> str:
        """Return what two scans have in common only if they have the same report; nothing, where that is not sure."""
        stamps = [stamp_of(file) for file in self.files]
        newest = max(max(map(itemgetter(place), stamps), default=0) for place in (1, 3))
        if newest > time.time_ns() - _SETTLED:
            return ""
        options = self.options
        told = (
            kept.FORMAT, str(self.root), str(options.paths), pack_key(options.pack), options.pack_name, options.exclude,
            options.largest, options.changed, options.fail_under, self.scorer.today, self._head, sorted(self._new),
            sorted(self._events.items()), self._skipped,
        )  # fmt: skip
        found = sha256(repr(told).encode("utf-8", "surrogatepass"))
        found.update(marshal.dumps(([file.path for file in self.files], stamps), 2))  # 2: the same for the same data
        return found.hexdigest()

    def _report(self) -> Report:
        limit = self.options.fail_under
        documents = sort_by_urgency((self.document(entry) for entry in self.entries), limit)
        note = self._gathered.note
        return Report(
            self.root.name or str(self.root),
            self.scorer.now,
            self.options.pack_name,
            tuple(documents),
            tuple(sorted(self._skipped)),
            mean(documents),
            grouped(documents, lambda one: one.path.rpartition("/")[0] or "."),
            grouped((one for one in documents if one.kind != "data"), lambda one: one.milestone),
            self.reused,
            fail_under=limit,
            notes=(f"git does not tell {'everything' if self._gathered.past else 'anything'}: {note}",) if note else (),
        )


def common_root(paths: Sequence[Path]) -> Path:
    """Return the folder that everything is counted from: the repository's, or what holds all paths."""
    for path in paths:
        if not os.path.lexists(path):
            raise InputError(f"there is no {path}", field="path")
    roots = {find_root(path.absolute()) for path in paths}
    if len(roots) > 1 and any(os.path.lexists(root / ".git") for root in roots):
        names = ", ".join(sorted(root.name for root in roots))
        raise InputError(f"these are different repositories: {names}", field="path", hint="scan each by itself")
    return Path(os.path.commonpath(roots)) if len(roots) > 1 else roots.pop()


def pack_key(pack: Pack) -> str:
    """Return what tells one pack from another, and one version of howsure from the next, which may read otherwise."""
    return sha256(repr((__version__, pack)).encode("utf-8", "surrogatepass")).hexdigest()[:24]
