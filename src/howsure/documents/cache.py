"""What is kept of a scan, so that files that have not changed are not read again."""

import os
import tempfile
from pathlib import Path
from typing import Any, NamedTuple

import orjson

from howsure.documents.facts import Facts
from howsure.documents.git_history import FileHistory
from howsure.files import sha256

FORMAT = 4
_RACY = 2_000_000_000
"""Nanoseconds: a file changed so shortly before it was read may change again without a new time."""


class CachedFile(NamedTuple):
    """A file as it was when it was read."""

    size: int
    mtime_ns: int
    inode: int
    beside: int
    """When the file beside it was changed; 0, where there is none."""
    facts: Facts


class Cache:
    """Facts by path, and what git told at one commit."""

    def __init__(self, place: Path | None, key: str) -> None:
        """Read what is kept, if it is there and was made with the same patterns; anything odd counts as not there."""
        self._place = place
        self._key = key
        self.files: dict[str, Any] = {}
        """Each a `CachedFile`, as it was written; facts are read when they are asked for."""
        self.head = ""
        """The commit at which git told about the files."""
        self.past: dict[str, FileHistory] = {}
        self.settled: dict[str, tuple[float, float]] = {}
        """For files with a header, when they were last changed, and when last in more than the header."""
        self.note = ""
        """What git could not tell."""
        self.written = 0
        if place is not None:
            try:
                self._load(orjson.loads(place.read_bytes()))
                self._check()
            except (OSError, ValueError, KeyError, TypeError, AttributeError):
                self.files, self.past, self.settled, self.head = {}, {}, {}, ""

    def _load(self, data: Any) -> None:
        if data["format"] != FORMAT:
            return
        self.head, self.note = str(data["head"]), str(data["note"])
        self.past = {
            path: FileHistory(float(changed), float(created), tuple(authors), int(commits), int(refactored))
            for path, (changed, created, authors, commits, refactored) in data["past"].items()
        }
        self.settled = {path: (float(changed), float(at)) for path, (changed, at) in data["settled"].items()}
        if data["key"] != self._key:
            return
        self.written = int(data["written"])
        self.files = data["files"]

    def _check(self) -> None:
        """See to it that one of the files can be read; they were all written by the same hand."""
        for row in self.files.values():
            _facts(row[4])
            break

    def get(self, path: str, size: int, mtime_ns: int, inode: int, beside: int) -> Facts | None:
        """Return the facts of a file that is as it was."""
        seen = self.files.get(path)
        if seen is None or seen[:4] != [size, mtime_ns, inode, beside]:
            return None
        return None if max(mtime_ns, beside) > self.written - _RACY else _facts(seen[4])

    def save(self, files: dict[str, Any], head: str, past: dict[str, FileHistory], note: str, now_ns: int) -> None:
        """Keep what was found, whole or not at all. A cache that cannot be written is none."""
        if self._place is None:
            return
        data = {
            "format": FORMAT,
            "key": self._key,
            "written": now_ns,
            "head": head,
            "past": past,
            "settled": self.settled,
            "note": note,
            "files": files,
        }
        part = ""
        try:
            self._place.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            handle, part = tempfile.mkstemp(prefix=".scan-", dir=self._place.parent)
            with os.fdopen(handle, "wb") as file:
                file.write(orjson.dumps(data, default=tuple))
            Path(part).replace(self._place)
        except (OSError, TypeError, ValueError):
            if part:
                Path(part).unlink(missing_ok=True)


def _facts(row: Any) -> Facts:
    sources, metadata, validated, matches, categories, boost, bonus, links, header, problems, binary = row
    pairs = tuple((evidence, observation) for evidence, observation in sources)
    return Facts(
        pairs, metadata, validated, tuple(matches), tuple(categories), boost, bonus, tuple(links), header,
        tuple(problems), binary,
    )  # fmt: skip


def cache_path(folder: str, root: Path) -> Path:
    """Return where the cache of a folder lies: one file for each folder that was scanned."""
    name = sha256(os.fsencode(str(root.resolve()))).hexdigest()[:24]
    return Path(folder) / f"scan-{name}.json"
