"""A report that is kept: where nothing at all has changed since, it is shown again without working it out."""

import os
import tempfile
import zlib
from collections.abc import Callable, Iterator, Sequence
from datetime import date
from functools import cached_property
from operator import attrgetter
from pathlib import Path
from typing import Any, overload

import orjson

from howsure.documents.document import Detail, Document, Group, Report, SkippedFile

FORMAT = 3
_FIELDS = (
    "path", "kind", "score", "milestone", "state", "categories", "months", "age_from", "action", "due", "problems",
    "header", "sources", "confirmed", "matches", "authors",
)  # fmt: skip
_ROW = attrgetter(*_FIELDS)


class LazyDocuments(Sequence[Document]):
    """Documents that are read and made when somebody looks at them."""

    def __init__(self, count: int, rows: bytes, detail: Callable[[str], Detail]) -> None:
        """Take how many there are, what is kept of each, and what works out the rest."""
        self._count = count
        self._kept = rows
        self._detail = detail
        self._done: dict[int, Document] = {}

    @cached_property
    def _rows(self) -> list[list[Any]]:
        found: list[list[Any]] = orjson.loads(self._kept)
        return found

    def __len__(self) -> int:
        """Return how many there are."""
        return self._count

    @overload
    def __getitem__(self, place: int) -> Document: ...
    @overload
    def __getitem__(self, place: slice) -> tuple[Document, ...]: ...
    def __getitem__(self, place: int | slice) -> Document | tuple[Document, ...]:
        """Return one of them, or some."""
        if isinstance(place, slice):
            return tuple(map(self._made, range(*place.indices(len(self._rows)))))
        return self._made(range(len(self._rows))[place])

    def __iter__(self) -> Iterator[Document]:
        """Give each of them."""
        return map(self._made, range(len(self._rows)))

    def _made(self, place: int) -> Document:
        """Return a document: the same one, whenever it is asked for."""
        if place not in self._done:
            self._done[place] = self._new(self._rows[place])
        return self._done[place]

    def _new(self, row: list[Any]) -> Document:
        told = dict(zip(_FIELDS, row, strict=True))
        for name in ("categories", "problems", "matches", "authors"):
            told[name] = tuple(told[name])
        if told["due"] is not None:
            told["due"] = date.fromisoformat(told["due"])
        path = told["path"]
        return Document(**told, detail=lambda: self._detail(path))


def load(place: Path, key: str, root: Path, detail: Callable[[str], Detail]) -> Report | None:
    """Return the report that was kept under a key, if it was, and if what documents link to is still as it was."""
    try:
        head, _, rows = place.read_bytes().partition(b"\n")
        data = orjson.loads(head)
        if data["format"] != FORMAT or data["key"] != key or data["sum"] != zlib.crc32(rows):
            return None
        if any(os.path.lexists(root / path) is not there for path, there in data["linked"].items()):
            return None
        return Report(
            data["root"], data["at"], data["pack"], LazyDocuments(data["documents"], rows, detail),
            tuple(SkippedFile(*one) for one in data["skipped"]), data["score"],
            tuple(Group(*one) for one in data["folders"]), tuple(Group(*one) for one in data["milestones"]),
            data["documents"], fail_under=data["fail_under"], notes=tuple(data["notes"]),
        )  # fmt: skip
    except (OSError, ValueError, KeyError, TypeError):
        return None


def save(place: Path, key: str, report: Report, linked: dict[str, bool]) -> None:
    """Keep a report; one that cannot be kept is worked out again."""
    data: dict[str, Any] = {
        "format": FORMAT, "key": key, "root": report.root, "at": report.at, "pack": report.pack,
        "documents": len(report.documents), "skipped": report.skipped, "score": report.score,
        "folders": report.folders, "milestones": report.milestones, "fail_under": report.fail_under,
        "notes": report.notes, "linked": linked,
    }  # fmt: skip
    part = ""
    try:
        rows = orjson.dumps([_ROW(one) for one in report.documents], default=tuple)
        data["sum"] = zlib.crc32(rows)
        handle, part = tempfile.mkstemp(prefix=".scan-", dir=place.parent)
        with os.fdopen(handle, "wb") as file:
            file.writelines((orjson.dumps(data, default=tuple), b"\n", rows))
        Path(part).replace(place)
    except (OSError, TypeError, ValueError):
        if part:
            Path(part).unlink(missing_ok=True)
