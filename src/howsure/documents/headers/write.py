"""Scoring headers of documents: what would stand there now, whether that differs, and putting it in."""

import difflib
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from howsure.documents.document import Document, HeaderState, SkippedFile
from howsure.documents.headers import edit as headers
from howsure.documents.headers.fields import Fields, dated, same
from howsure.documents.replace_file import current, replace_file
from howsure.documents.scan import Entry, Scan
from howsure.errors import HowsureError
from howsure.progress import Progress, silent

FORMULA = "compound_ema_qfa"
"""The label that the source document gives the formula."""
_JSON = headers.Style("json")


class Change(NamedTuple):
    """A file that would change."""

    path: str
    """The file that would change, below the root: the document, or the file beside it."""
    before: bytes | None
    after: bytes

    def diff(self) -> bytes:
        """Return what would change, as a unified diff that can be applied, whatever the file's encoding."""
        old, new = (re.findall(rb"[^\n]*\n|[^\n]+", data or b"") for data in (self.before, self.after))
        name = os.fsencode(self.path)
        was = b"a/" + name if self.before is not None else b"/dev/null"
        lines = difflib.diff_bytes(difflib.unified_diff, old, new, was, b"b/" + name)
        return b"".join(line if line.endswith(b"\n") else line + b"\n\\ No newline at end of file\n" for line in lines)


def state_of(scan: Scan, entry: Entry, document: Document) -> HeaderState:
    """Return how a document's header stands, without reading the file again.

    What time alone has changed is current, and so is what was written before a new file was committed, or after.
    """
    style = headers.style_of(entry.found.path, in_data=entry.found.kind == "data")
    if style is None or document.score is None:
        return "impossible"
    old = entry.facts.header
    if old is None:
        return "missing"
    member = "score" in old
    if same(old, fields_of(scan, entry, document, member=member)):
        return "current"
    other = entry._replace(known=entry.known._replace(new=not entry.known.new))
    return "current" if same(old, fields_of(scan, other, scan.document(other), member=member)) else "outdated"


def change_of(scan: Scan, entry: Entry, document: Document) -> Change | None:
    """Return how a file would change for its header to be right; nothing, where it is, or where it gets none."""
    path = entry.found.path
    style = headers.style_of(path, in_data=entry.found.kind == "data")
    if style is None or document.score is None:
        return None
    place = Path(entry.found.place)
    data = current(place)
    if data is None:
        raise HowsureError(f"{path} vanished meanwhile")
    before: bytes | None = data
    start, holder, into = data, path, style
    if not headers.has_room(data, style):
        before = current(Path(entry.found.place + headers.SIDECAR))
        start, holder, into = before or headers.EMPTY_SIDECAR, path + headers.SIDECAR, _JSON
    new = fields_of(scan, entry, document, member=into.kind == "json")
    after = headers.put(start, into, dated(headers.read(start, into), new))
    return None if after == before else Change(holder, before, after)


def write(scan: Scan, change: Change) -> None:
    """Put a change into its file."""
    replace_file(Path(f"{scan.root}/{change.path}"), change.before, change.after)


def changes(scan: Scan, documents: dict[str, Document], progress: Progress = silent) -> Iterator[Change | SkippedFile]:
    """Give what would change, and what cannot, with the reason."""
    for number, entry in enumerate(scan.entries):
        if number % 20 == 0:
            progress("writing headers", number, len(scan.entries))
        try:
            change = change_of(scan, entry, documents[entry.found.path])
        except HowsureError as error:
            yield SkippedFile(entry.found.path, str(error))
        except OSError as error:
            yield SkippedFile(entry.found.path, f"it cannot be read: {error.strerror}")
        else:
            if change is not None:
                yield change


def fields_of(scan: Scan, entry: Entry, document: Document, *, member: bool) -> Fields:
    """Return what a header says of a document: under the seed's keys, as text; in JSON, as values."""
    if member:
        return _member(entry, document)
    steps, day, decay = document.steps, scan.scorer.today.isoformat(), _signed(document.steps["ageing"])
    score = f"{document.score or 0.0:.3f}"
    style = headers.style_of(entry.found.path, in_data=entry.found.kind == "data")
    tested = steps["integration"] + steps["earned_test"]
    if style is not None and style.code:
        refactored = f"{_signed(steps['refactoring'])} (code refactoring for coverage)"
        passed = f"{_signed(tested)} (tests passed)" if tested else "0.0"
        return {
            "CONFIDENCE SCORE": score,
            "CONFIDENCE": refactored if steps["refactoring"] else "0.0",
            "V&V_INTEGRATION": passed,
            "DATA_DECAY": decay,
            "MILESTONE": document.milestone,
            "LAST_UPDATED": day,
        }
    data = entry.found.kind == "data"
    sources = entry.facts.sources
    base = 1.0 if data else steps["base"]
    count = max(len(sources), 1)
    return {
        "CONFIDENCE SCORE": score,
        "BASE": _plain(base),
        "EVIDENCE": _plain(sum(evidence for evidence, _ in sources) / count),
        "OBSERVATION": _plain(sum(observation for _, observation in sources) / count),
        "VALIDATION": _signed(0.0 if data else steps["validation"] + steps["earned_confirm"]),
        "AHO_CORASICK": _signed(0.0 if data else steps["boost"] + steps["bonus"]),
        "CODE_REFACTOR": _signed(0.0 if data else steps["refactoring"]),
        "V&V_INTEGRATION": _signed(0.0 if data else tested),
        "NON_MD_PENALTY": _signed(0.0 if data else steps["new_files"]),
        "DATA_DECAY": decay,
        "FORMULA": FORMULA if not data else "data_decay",
        "MILESTONE": document.milestone,
        "LAST_UPDATED": day,
    }


def _member(entry: Entry, document: Document) -> Fields:
    metadata = entry.facts.metadata or {}
    found: dict[str, str | int | float | bool] = {"score": round(document.score or 0.0, 3)}
    if "created" in metadata:
        found["created"] = metadata["created"]
    if document.due is not None:
        found["next_review"] = document.due.isoformat()
    return found | {
        "decay_rate": 0.001,
        "human_validated": bool(document.steps["validated"] and metadata.get("reviewed_by")),
    }


def _plain(number: float) -> str:
    """Return a number with as many digits as it needs, at most three."""
    text = f"{number:.3f}".rstrip("0")
    return text + "0" if text.endswith(".") else text


def _signed(number: float) -> str:
    """Return a number with its sign; nothing at all has none."""
    text = _plain(abs(number))
    return text if text == "0.0" else f"-{text}" if number < 0 else f"+{text}"
