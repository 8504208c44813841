"""A scan: every file of a tree, how far each can be trusted, and what needs attention."""

import os
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import unquote

from howsure.core.digest import sha256
from howsure.engine.documents.cache import Cache, Seen
from howsure.engine.documents.document import ATTENTION, Document, Group, Report, Skipped
from howsure.engine.documents.files import Read, beside_time, read_all
from howsure.engine.documents.history import Past, changed_since, head, history, new_files
from howsure.engine.documents.reading import Facts
from howsure.engine.documents.results import outcome_for, read_results
from howsure.engine.documents.scoring import Events, Known, Scorer
from howsure.engine.documents.substance import settled
from howsure.engine.documents.tree import Found, root_of, walk
from howsure.errors import InputError
from howsure.text.patterns import Pack

LARGEST = 10_000_000
"""Bytes up to which a file is read."""
_SHOWN_LINKS = 3


class Wish(NamedTuple):
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

    found: Found
    facts: Facts
    known: Known


class Scan:
    """One pass over a tree. What was read, and what it was read from, stays at hand for headers."""

    def __init__(
        self,
        wish: Wish,
        now: float,
        events: Mapping[str, Events] | None = None,
        progress: Callable[[str, int, int], Any] | None = None,
    ) -> None:
        """Look at the tree and read what has changed since the last time."""
        self._start = time.perf_counter()
        self.wish = wish
        self.scorer = Scorer(now)
        self.root = common_root(wish.paths)
        self.skipped: list[Skipped] = []
        self._events = events or {}
        self._progress = progress or (lambda *_: None)
        self._cache = Cache(wish.cache, pack_key(wish.pack))
        self.reused = 0
        files = self._files()
        past, why = self._past()
        self.notes: tuple[str, ...] = (f"git tells nothing: {why}",) if why else ()
        """What could not be found out for any file."""
        facts = self._facts(files)
        past = self._settled(files, facts, past)
        self._save(files, facts, past)
        self.entries = self._entries(files, facts, past)
        self._paths = {file.path for file in files}

    def _files(self) -> list[Found]:
        skipped: list[Skipped] = []
        starts = self.wish.paths
        self._status: dict[str, str] = {}
        if self.wish.changed is not None:
            self._status = changed_since(self.root, self.wish.changed)
            below = [os.path.relpath(path, self.root) for path in starts]
            wanted = [path for path in sorted(self._status) if any(_below(path, folder) for folder in below)]
            starts = tuple(self.root / path for path in wanted if os.path.lexists(self.root / path))
            if not starts:
                return []
        found = []
        for number, file in enumerate(
            walk(self.root, starts, exclude=self.wish.exclude, largest=self.wish.largest, skipped=skipped)
        ):
            if number % 500 == 0:
                self._progress("looking for files", number, 0)
            found.append(file)
        self.skipped += skipped
        return found

    def _past(self) -> tuple[dict[str, Past], str]:
        now = head(self.root)
        if now and now == self._cache.head:
            return self._cache.past, ""
        self._head = now
        return history(self.root)

    def _settled(
        self, files: list[Found], facts: Mapping[str, tuple[Facts, tuple[int, int, int, int]]], past: dict[str, Past]
    ) -> dict[str, Past]:
        """Return the past in which commits of nothing but headers count for nothing."""
        if past is self._cache.past:
            return past
        marked = {
            file.path: (file.kind, facts[file.path][0].digest)
            for file in files
            if file.path in facts and facts[file.path][0].header is not None and file.path in past
        }
        found = settled(self.root, marked)
        return past | {path: past[path]._replace(changed=at) for path, at in found.items()}

    def _facts(self, files: list[Found]) -> dict[str, tuple[Facts, tuple[int, int, int, int]]]:
        """Return what each file says: from the last time where it is unchanged, else read now."""
        found: dict[str, tuple[Facts, tuple[int, int, int, int]]] = {}
        unread = []
        for file in files:
            stamp = (file.size, file.mtime_ns, file.inode, beside_time(file.path, file.kind, file.place))
            facts = self._cache.get(file.path, *stamp)
            if facts is None:
                unread.append(file)
            else:
                found[file.path] = (facts, stamp)
        self.reused = len(found)
        total = len(unread)
        jobs = self.wish.jobs or os.cpu_count() or 1

        def show(done: int) -> None:
            self._progress("reading files", done, total)

        for read in read_all(unread, self.wish.pack, self.wish.largest, jobs, show):
            self._keep(read, found)
        return found

    def _keep(self, read: Read, found: dict[str, tuple[Facts, tuple[int, int, int, int]]]) -> None:
        if read.facts is None:
            self.skipped.append(Skipped(read.path, read.why))
        else:
            found[read.path] = (read.facts, read.stamp)

    def _save(
        self, files: list[Found], facts: Mapping[str, tuple[Facts, tuple[int, int, int, int]]], past: dict[str, Past]
    ) -> None:
        if len(facts) == self.reused and len(self._cache.files) == len(facts) and self._known_head(past):
            return
        kept = dict(self._cache.files) if self.wish.changed is not None or len(self.wish.paths) > 1 else {}
        kept |= {
            file.path: Seen(*facts[file.path][1], facts[file.path][0])
            for file in files
            if file.path in facts and _plain(file.path)
        }
        self._cache.save(kept, getattr(self, "_head", self._cache.head), _plain_past(past), time.time_ns())

    def _known_head(self, past: dict[str, Past]) -> bool:
        return past is self._cache.past or not past

    def _entries(
        self,
        files: list[Found],
        facts: Mapping[str, tuple[Facts, tuple[int, int, int, int]]],
        past: Mapping[str, Past],
    ) -> list[Entry]:
        results = read_results(self.wish.tests) if self.wish.tests is not None else None
        fresh = (
            {path for path, status in self._status.items() if status == "added"}
            if self.wish.changed is not None
            else new_files(self.root)
        )
        found = []
        for file in files:
            kept = facts.get(file.path)
            if kept is None:
                continue
            if kept[0].binary:
                self.skipped.append(Skipped(file.path, "it is binary"))
                continue
            passed = outcome_for(results, file.path) if results is not None else None
            known = Known(past.get(file.path), file.path in fresh, passed, self._events.get(file.path, ()))
            found.append(Entry(file, kept[0], known))
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

    def _broken(self, entry: Entry) -> tuple[str, ...]:
        folder = os.path.dirname(entry.found.path)  # noqa: PTH120 - names may be odd bytes
        found = []
        for link in entry.facts.links:
            target = os.path.normpath(os.path.join(folder, unquote(link)))  # noqa: PTH118
            if target.startswith("..") or target in self._paths:
                continue
            if not os.path.lexists(os.path.join(self.root, target)):  # noqa: PTH118
                found.append(link)
        return tuple(found)

    def report(self) -> Report:
        """Return what was found, by what needs attention most."""
        limit = self.wish.fail_under
        documents = sorted((self.document(entry) for entry in self.entries), key=lambda one: _urgency(one, limit))
        return Report(
            self.root.name or str(self.root),
            self.scorer.now,
            self.wish.pack_name,
            tuple(documents),
            tuple(sorted(self.skipped)),
            mean(documents),
            grouped(documents, lambda one: one.path.rpartition("/")[0] or "."),
            grouped((one for one in documents if one.kind != "data"), lambda one: one.milestone),
            self.reused,
            time.perf_counter() - self._start,
            limit,
            self.notes,
        )


def _urgency(one: Document, limit: float | None) -> tuple[bool, int, float, str]:
    """Return by what documents are sorted: below the limit, what is due, and how low the score is."""
    score = -1.0 if one.score is None else one.score
    return limit is None or score >= limit, ATTENTION[one.action], score, one.path


def grouped(documents: Iterable[Document], name: Callable[[Document], str]) -> tuple[Group, ...]:
    """Return documents by what they have in common."""
    parts: dict[str, list[Document]] = {}
    for one in documents:
        parts.setdefault(name(one), []).append(one)
    return tuple(
        Group(
            part,
            len(of),
            mean(of),
            sum(one.score is None for one in of),
            sum(one.action not in ("none", "unknown") for one in of),
        )
        for part, of in sorted(parts.items())
    )


def mean(documents: Sequence[Document]) -> float | None:
    """Return the mean of the scores that are known."""
    known = [one.score for one in documents if one.score is not None]
    return sum(known) / len(known) if known else None


def common_root(paths: Sequence[Path]) -> Path:
    """Return the folder that everything is counted from: the repository's, or what holds all paths."""
    for path in paths:
        if not os.path.lexists(path):
            raise InputError(f"there is no {path}", field="path")
    roots = {root_of(path.absolute()) for path in paths}
    return Path(os.path.commonpath(roots)) if len(roots) > 1 else roots.pop()


def pack_key(pack: Pack) -> str:
    """Return what tells one pack from another."""
    return sha256(repr(pack).encode("utf-8", "surrogatepass")).hexdigest()[:24]


def _below(path: str, folder: str) -> bool:
    return folder in (".", path) or path.startswith(folder.rstrip("/") + "/")


def _plain(path: str) -> bool:
    """Say whether a name can be kept: not every name is text."""
    try:
        path.encode()
    except UnicodeEncodeError:
        return False
    return True


def _plain_past(past: dict[str, Past]) -> dict[str, Past]:
    return {path: one for path, one in past.items() if _plain(path)}
