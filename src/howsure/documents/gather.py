"""TreeEvidence: what the files of a tree say and what git tells, read anew only where something has changed."""

import time
from pathlib import Path
from typing import Any

from howsure.documents.cache import Cache, CachedFile
from howsure.documents.document import SkippedFile
from howsure.documents.facts import Facts
from howsure.documents.file_reader import ReaderPool, has_sidecar, sidecar_mtime
from howsure.documents.git import GitError
from howsure.documents.git_history import FileHistory, history
from howsure.documents.git_substance import settled
from howsure.documents.tree import DocumentFile
from howsure.progress import Progress

Stamp = tuple[int, int, int, int]
"""Size, time and inode of a file, and the time of the file beside it."""
_NOTHING = Facts()


class TreeEvidence:
    """What is known about some files."""

    def __init__(
        self,
        root: Path,
        files: list[DocumentFile],
        head: str,
        cache: Cache,
        readers: ReaderPool,
        *,
        whole: bool,
        progress: Progress,
    ) -> None:
        """Read what has changed since the last time; keep it for the next, all of it where these are all files."""
        self.skipped: list[SkippedFile] = []
        self._cache = cache
        self._head = head
        self._progress = progress
        known = bool(head) and head == cache.head and (bool(cache.past) or not cache.note)  # git may answer this time
        if not known:
            progress("asking git about the past", 0, 0)
        past, self.note = (cache.past, cache.note) if known else history(root)
        """What git could not tell."""
        self._stamps: dict[str, Stamp] = {}
        self.facts = self._read(files, readers)
        self._settled = {
            path: one for path, one in cache.settled.items() if path in past and past[path].changed == one[0]
        }
        unsettled = self._settle(root, files, past)
        self.past = past | {
            path: past[path]._replace(changed=at) for path, (_, at) in self._settled.items() if path in self.facts
        }
        """What git tells of each file; commits of nothing but headers count for nothing."""
        if not known or unsettled or len(self.facts) > self.reused or len(cache.files) != len(self.facts):
            self._save(files, head, past, whole=whole)

    @property
    def complete(self) -> bool:
        """Whether everything could be read, and git was able to answer."""
        return not self.skipped and not (self._head and self.note and not self.past)

    def _read(self, files: list[DocumentFile], readers: ReaderPool) -> dict[str, Facts]:
        found: dict[str, Facts] = {}
        unread = []
        for file in files:
            stamp = stamp_of(file)
            facts = self._cache.get(file.path, *stamp)
            if facts is None:
                unread.append(file)
            else:
                found[file.path], self._stamps[file.path] = facts, stamp
        self.reused = len(found)
        """Files that were not read again."""
        for read in readers.read(unread, self._progress):
            if read.facts is None:
                self.skipped.append(SkippedFile(read.path, read.why))
            else:
                found[read.path], self._stamps[read.path] = read.facts, read.stamp
        return found

    def _settle(self, root: Path, files: list[DocumentFile], past: dict[str, FileHistory]) -> bool:
        """Find out when files with a header last changed in more than that; say whether any had to be looked at."""
        unsettled = {
            file.path: file.kind
            for file in files
            if file.path in past
            and self.facts.get(file.path, _NOTHING).header is not None
            and file.path not in self._settled
        }
        try:
            found = settled(root, unsettled)
        except GitError:
            return False
        for path in unsettled:
            changed = past[path].changed
            self._settled[path] = (changed, found.get(path, changed))
        return bool(unsettled)

    def _save(self, files: list[DocumentFile], head: str, past: dict[str, FileHistory], *, whole: bool) -> None:
        kept: dict[str, Any] = {} if whole else dict(self._cache.files)
        for file in files:
            if file.path in self.facts and _plain(file.path):
                size, at, inode, beside = self._stamps[file.path]
                kept[file.path] = CachedFile(size, at, inode, beside, self.facts[file.path])
        known = {path: one for path, one in past.items() if _plain(path)}
        self._cache.settled = {path: one for path, one in self._settled.items() if _plain(path)}
        self._cache.save(kept, head, known, self.note, time.time_ns())


def stamp_of(file: DocumentFile) -> Stamp:
    """Return by what a file is recognised as unchanged."""
    path, place, kind, size, changed, inode = file
    return size, changed, inode, sidecar_mtime(place) if has_sidecar(path, kind) else 0


def _plain(path: str) -> bool:
    """Say whether a name can be kept: not every name is text."""
    try:
        path.encode()
    except UnicodeEncodeError:
        return False
    return True
