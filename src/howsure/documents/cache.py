"""Cache of a scan: facts by file, the answers of git, and the last report, so that unchanged files are not read again.

The cache lies in two files. Anything unexpected in them counts as an empty cache, and a cache that cannot be written is
simply not there the next time.
"""

import os
import tempfile
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import date
from functools import cached_property
from operator import attrgetter
from pathlib import Path
from typing import Any, NamedTuple, overload

import orjson

from howsure.documents.content.facts import Facts
from howsure.documents.content.file_reader import Stamp
from howsure.documents.content.mentions import Mentions
from howsure.documents.content.symbols import PythonNames
from howsure.documents.document import Detail, Document, Group, Report, SkippedFile
from howsure.documents.repository.git import FileHistory
from howsure.documents.repository.tree import file_version
from howsure.files import sha256

FORMAT = 12
REPORT_FORMAT = 10
RACY_NS = 2_000_000_000
"""A file that was changed less than two seconds before it was read may change again without a new mtime."""

_FIELDS = (
    "path", "kind", "score", "milestone", "state", "categories", "months", "age_from", "action", "due", "problems",
    "header", "sources", "confirmed", "matches", "authors", "new", "changed_since",
    "drift", "hints", "hint_weight", "brief", "gaps", "weight",
)  # fmt: skip
_document_row = attrgetter(*_FIELDS)


class CachedFile(NamedTuple):
    """The facts of a file, and its stamp when it was read."""

    size: int
    mtime_ns: int
    inode: int
    sidecar_mtime_ns: int
    """0 if it has no sidecar."""
    ctime_ns: int
    sidecar_ctime_ns: int
    facts: Facts


class ScanCache:
    """Facts by path, and what git said about the files at one commit."""

    def __init__(self, path: Path | None, key: str) -> None:
        """Load the cache; its facts only if they were read with the same key, which stands for the patterns."""
        self._path = path
        self._key = key
        self.files: dict[str, Any] = {}
        """Each a `CachedFile` as a list; facts are converted when they are needed."""
        self.head: str = ""
        """The commit for which git answered."""
        self.histories: dict[str, FileHistory] = {}
        self.content_changes: dict[str, tuple[float, float]] = {}
        """For files with a header: time of the last commit, and of the last one that changed more than the header."""
        self.note: str = ""
        """What git could not tell."""
        self.written: int = 0
        if path is not None:
            try:
                self._load(orjson.loads(path.read_bytes()))
                self._check()
            except (OSError, ValueError, KeyError, TypeError, AttributeError):
                self.files, self.histories, self.content_changes, self.head = {}, {}, {}, ""

    def _load(self, data: Any) -> None:
        if data["format"] != FORMAT:
            return
        self.head, self.note = str(data["head"]), str(data["note"])
        self.histories = {
            path: FileHistory(
                float(changed),
                float(created),
                tuple(authors),
                int(commits),
                int(refactored),
                tuple(map(float, recent)),
                tuple(map(str, revisions)),
            )
            for path, (changed, created, authors, commits, refactored, recent, revisions) in data["past"].items()
        }
        self.content_changes = {path: (float(changed), float(at)) for path, (changed, at) in data["settled"].items()}
        if data["key"] != self._key:
            return
        self.written = int(data["written"])
        self.files = data["files"]

    def _check(self) -> None:
        """Raise an error if the facts of a file cannot be converted; one stands for all, as they were written alike."""
        for row in self.files.values():
            _to_facts(row[6])
            break

    def get(self, path: str, stamp: Stamp) -> Facts | None:
        """Return the facts of a file, or None if it may have changed since it was read."""
        row = self.files.get(path)
        if row is None or row[:6] != list(stamp):
            return None
        _, mtime, _, sidecar_mtime, _, _ = stamp
        return None if max(mtime, sidecar_mtime) > self.written - RACY_NS else _to_facts(row[6])

    def save(self, files: dict[str, Any], head: str, histories: dict[str, FileHistory], note: str, now_ns: int) -> None:
        """Replace the cache."""
        if self._path is None:
            return
        data = {
            "format": FORMAT,
            "key": self._key,
            "written": now_ns,
            "head": head,
            "past": histories,
            "settled": self.content_changes,
            "note": note,
            "files": files,
        }
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            _replace(self._path, [orjson.dumps(data, default=tuple)])
        except (OSError, TypeError, ValueError):
            return


def _replace(path: Path, parts: Iterable[bytes]) -> None:
    """Replace a cache file in one step. Unlike `atomic_write` it does not wait for the disk: a cache may be lost."""
    handle, name = tempfile.mkstemp(prefix=".scan-", dir=path.parent)
    part = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            file.writelines(parts)
        part.replace(path)
    except BaseException:
        part.unlink(missing_ok=True)
        raise


def _to_facts(row: Any) -> Facts:
    (
        sources, metadata, validated, matches, categories, boost, bonus, links, header, problems, names, expires,
        python, brief, insecure, anchored, mentions, binary,
    ) = row  # fmt: skip
    pairs = tuple((evidence, observation) for evidence, observation in sources)
    return Facts(
        pairs, metadata, validated, tuple(matches), tuple(categories), boost, bonus, tuple(links), header,
        tuple(problems), tuple(names), expires, PythonNames(*map(tuple, python)), brief, insecure,
        tuple(anchored), Mentions(*map(tuple, mentions)), binary,
    )  # fmt: skip


def cache_path(folder: str, root: Path) -> Path:
    """Return the path of the cache for a scanned root."""
    name = sha256(os.fsencode(str(root.resolve()))).hexdigest()[:24]
    return Path(folder) / f"scan-{name}.json"


class LazyDocuments(Sequence[Document]):
    """The documents of a cached report, parsed when one is first needed."""

    def __init__(self, count: int, rows: bytes, detail: Callable[[str], Detail]) -> None:
        """Keep the JSON rows of the documents, and the function that computes a document's details by its path."""
        self._count = count
        self._json = rows
        self._detail = detail
        self._built: dict[int, Document] = {}

    @cached_property
    def _rows(self) -> list[list[Any]]:
        rows: list[list[Any]] = orjson.loads(self._json)
        return rows

    def __len__(self) -> int:
        """Return the number of documents."""
        return self._count

    @overload
    def __getitem__(self, index: int) -> Document: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Document, ...]: ...
    def __getitem__(self, index: int | slice) -> Document | tuple[Document, ...]:
        """Return one document, or several."""
        if isinstance(index, slice):
            return tuple(map(self._get, range(*index.indices(len(self._rows)))))
        return self._get(range(len(self._rows))[index])

    def __iter__(self) -> Iterator[Document]:
        """Yield every document."""
        return map(self._get, range(len(self._rows)))

    def _get(self, index: int) -> Document:
        """Return a document, the same object each time."""
        if index not in self._built:
            self._built[index] = self._build(self._rows[index])
        return self._built[index]

    def _build(self, row: list[Any]) -> Document:
        values = dict(zip(_FIELDS, row, strict=True))
        for name in ("categories", "problems", "matches", "authors", "changed_since", "hints", "gaps"):
            values[name] = tuple(values[name])
        if values["due"] is not None:
            values["due"] = date.fromisoformat(values["due"])
        path = values["path"]
        return Document(**values, _compute_detail=lambda: self._detail(path))


def load_report(path: Path, key: str, root: Path, detail: Callable[[str], Detail]) -> Report | None:
    """Return the cached report, or None if it has another key or a linked file has appeared or vanished since."""
    try:
        head, _, rows = path.read_bytes().partition(b"\n")
        data = orjson.loads(head)
        if data["format"] != REPORT_FORMAT or data["key"] != key or data["sum"] != zlib.crc32(rows):
            return None
        if any(os.path.lexists(root / linked) is not exists for linked, exists in data["linked"].items()):
            return None
        if any(file_version(root / name) != version for name, version in data["read"].items()):
            return None
        return Report(
            data["root"], data["at"], data["pack"], LazyDocuments(data["documents"], rows, detail),
            tuple(SkippedFile(*one) for one in data["skipped"]), data["score"],
            tuple(Group(*one) for one in data["folders"]), tuple(Group(*one) for one in data["milestones"]),
            data["documents"], fail_under=data["fail_under"], notes=tuple(data["notes"]),
            found=int(data["found"]),
        )  # fmt: skip
    except (OSError, ValueError, KeyError, TypeError):
        return None


def save_report(path: Path, key: str, report: Report, linked: dict[str, bool], read: dict[str, Any]) -> None:
    """Cache a report.

    `linked` says which of the files that documents link to exist, and `read` is the version of each file that was read
    to check what documents say.
    """
    data: dict[str, Any] = {
        "format": REPORT_FORMAT, "key": key, "root": report.root, "at": report.at, "pack": report.pack,
        "documents": len(report.documents), "skipped": report.skipped, "score": report.score,
        "folders": report.folders, "milestones": report.milestones, "fail_under": report.fail_under,
        "notes": report.notes, "found": report.found, "linked": linked, "read": read,
    }  # fmt: skip
    try:
        rows = orjson.dumps([_document_row(one) for one in report.documents], default=tuple)
        data["sum"] = zlib.crc32(rows)
        _replace(path, [orjson.dumps(data, default=tuple), b"\n", rows])
    except (OSError, TypeError, ValueError):
        return
