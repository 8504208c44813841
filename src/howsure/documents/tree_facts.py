"""Collect what is known about the files of a tree: their facts and their history, from the cache where possible."""

import time
from pathlib import Path
from typing import Any

from howsure.documents.cache import CachedFile, ScanCache
from howsure.documents.content.facts import Facts
from howsure.documents.content.file_reader import ReaderPool, Stamp, stamp_of
from howsure.documents.document import SkippedFile
from howsure.documents.headers import edit as headers
from howsure.documents.repository.git import FileHistory, content_changed_at, history
from howsure.documents.repository.git_safety import GitError
from howsure.documents.repository.tree import DocumentFile
from howsure.progress import Progress

_NO_FACTS = Facts()


class TreeFacts:
    """The facts and histories of some files."""

    def __init__(
        self,
        root: Path,
        scanned: list[DocumentFile],
        files: list[DocumentFile],
        head: str,
        cache: ScanCache,
        readers: ReaderPool,
        *,
        whole: bool,
        progress: Progress,
    ) -> None:
        """Read what has changed since the last scan and update the cache; `whole` if these are all files below root.

        Facts are of all `files`; the histories of those that are `scanned` leave out changes of headers.
        """
        self.skipped: list[SkippedFile] = []
        self._cache = cache
        self._head = head
        self._progress = progress
        # If git failed the last time, ask it again.
        git_cached = bool(head) and head == cache.head and (bool(cache.histories) or not cache.note)
        if not git_cached:
            progress("asking git about the past", 0, 0)
        committed, self.note = (cache.histories, cache.note) if git_cached else history(root)
        """What git could not tell."""
        self._stamps: dict[str, Stamp] = {}
        self._reused: set[str] = set()
        self.facts: dict[str, Facts] = self._read(files, readers)
        self.reused: int = sum(file.path in self._reused for file in scanned)
        """Number of scanned files whose facts came from the cache."""
        self._content_changes = {
            path: times
            for path, times in cache.content_changes.items()
            if path in committed and committed[path].changed == times[0]
        }
        compared = self._compare_versions(root, scanned, committed)
        self.histories: dict[str, FileHistory] = committed | {
            path: committed[path]._replace(changed=at)
            for path, (_, at) in self._content_changes.items()
            if path in self.facts
        }
        """The history of each file; commits that changed only scoring headers do not count as changes."""
        if not git_cached or compared or len(self.facts) > len(self._reused) or len(cache.files) != len(self.facts):
            self._save(files, head, committed, whole=whole)

    @property
    def complete(self) -> bool:
        """Whether every file could be read, and git answered."""
        return not self.skipped and not (self._head and self.note and not self.histories)

    def _read(self, files: list[DocumentFile], readers: ReaderPool) -> dict[str, Facts]:
        facts: dict[str, Facts] = {}
        unread = []
        for file in files:
            stamp = stamp_of(file)
            cached = self._cache.get(file.path, stamp)
            if cached is None:
                unread.append(file)
            else:
                facts[file.path], self._stamps[file.path] = cached, stamp
        self._reused.update(facts)
        for result in readers.read(unread, self._progress):
            if result.facts is None:
                self.skipped.append(SkippedFile(result.path, result.why))
            else:
                facts[result.path], self._stamps[result.path] = result.facts, result.stamp
        return facts

    def _compare_versions(self, root: Path, files: list[DocumentFile], committed: dict[str, FileHistory]) -> bool:
        """Find when files with a header were last changed in more than that; return whether any was looked at."""
        kinds = {
            file.path: file.kind
            for file in files
            if file.path in committed
            and self.facts.get(file.path, _NO_FACTS).header is not None
            and file.path not in self._content_changes
        }

        def body(path: str, data: bytes) -> bytes:
            style = headers.header_style(path, in_data=kinds[path] == "data")
            return data if style is None else headers.remove(data, style)

        try:
            changes = content_changed_at(root, kinds, body)
        except GitError:
            return False
        for path in kinds:
            changed = committed[path].changed
            self._content_changes[path] = (changed, changes.get(path, changed))
        return bool(kinds)

    def _save(self, files: list[DocumentFile], head: str, committed: dict[str, FileHistory], *, whole: bool) -> None:
        cached: dict[str, Any] = {} if whole else dict(self._cache.files)
        for file in files:
            if file.path in self.facts and _is_utf8(file.path):
                cached[file.path] = CachedFile(*self._stamps[file.path], self.facts[file.path])
        histories = {path: one for path, one in committed.items() if _is_utf8(path)}
        self._cache.content_changes = {path: times for path, times in self._content_changes.items() if _is_utf8(path)}
        self._cache.save(cached, head, histories, self.note, time.time_ns())


def _is_utf8(path: str) -> bool:
    """Return whether a file name can be written as JSON; names may be any bytes."""
    try:
        path.encode()
    except UnicodeEncodeError:
        return False
    return True
