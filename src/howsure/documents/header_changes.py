"""Compute the scoring headers of scanned documents, check them, and write them into the files."""

import difflib
import os
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from howsure.documents.document import Document, HeaderState, Report, SkippedFile
from howsure.documents.headers import edit
from howsure.documents.headers.fields import Fields, equal_apart_from_time, keep_date_if_unchanged
from howsure.documents.scan import Scan, ScannedFile
from howsure.errors import HowsureError
from howsure.progress import Progress, silent
from howsure.replace_file import read_current, replace_file

FORMULA = "compound_ema_qfa"
"""The label that the source document gives the formula."""
_JSON = edit.Style("json")
_UNSAFE_IN_DIFF = re.compile(rb'[\x00-\x1f\x7f"\\]')


class Change(NamedTuple):
    """A file that would change."""

    path: str
    """Path below the root of the file that would change: the document or its sidecar."""
    before: bytes | None
    """None if the file does not exist yet."""
    after: bytes

    def diff(self) -> bytes:
        """Return the change as a unified diff that can be applied, whatever the file's encoding."""
        old, new = (re.findall(rb"[^\n]*\n|[^\n]+", data or b"") for data in (self.before, self.after))
        name = os.fsencode(self.path)
        old_name = _quote_name(b"a/" + name) if self.before is not None else b"/dev/null"
        lines = difflib.diff_bytes(difflib.unified_diff, old, new, old_name, _quote_name(b"b/" + name))
        return b"".join(line if line.endswith(b"\n") else line + b"\n\\ No newline at end of file\n" for line in lines)


def _quote_name(name: bytes) -> bytes:
    r"""Return the name of a file as git writes it in a diff: quoted if a line could not hold it as it is.

    >>> print(_quote_name(b"b/a b.md").decode(), _quote_name(b'b/a\nb"c.md').decode())
    b/a b.md "b/a\012b\"c.md"
    """
    if not _UNSAFE_IN_DIFF.search(name):
        return name
    quoted = _UNSAFE_IN_DIFF.sub(
        lambda found: b"\\" + (found[0] if found[0] in b'"\\' else b"%03o" % found[0][0]), name
    )
    return b'"' + quoted + b'"'


def with_header_states(scan: Scan, report: Report) -> Report:
    """Return the report with the state of each document's header, without reading the files again."""
    entries = {entry.file.path: entry for entry in scan.scanned_files}
    documents = tuple(replace(one, header=header_state(scan, entries[one.path], one)) for one in report.documents)
    return replace(report, documents=documents)


def header_state(scan: Scan, entry: ScannedFile, document: Document) -> HeaderState:
    """Return the state of a document's header.

    It is current if only time has passed since it was written, or if a new file was committed or is new again.
    """
    style = edit.header_style(entry.file.path, in_data=entry.file.kind == "data")
    if style is None or document.score is None:
        return "impossible"
    old = entry.facts.header
    if old is None:
        return "missing"
    member = "score" in old
    if equal_apart_from_time(old, header_fields(scan, entry, document, member=member)):
        return "current"
    other = entry._replace(context=entry.context._replace(new=not entry.context.new))
    fields = header_fields(scan, other, scan.document(other), member=member)
    return "current" if equal_apart_from_time(old, fields) else "outdated"


def compute_change(scan: Scan, entry: ScannedFile, document: Document) -> Change | None:
    """Return the change that brings a document's header up to date; None if it is, or if it gets no header.

    Raises:
        HowsureError: if the file has vanished or cannot hold a header.
        OSError: if it cannot be read.
    """
    path = entry.file.path
    style = edit.header_style(path, in_data=entry.file.kind == "data")
    if style is None or document.score is None:
        return None
    data = read_current(Path(entry.file.location))
    if data is None:
        raise HowsureError(f"{path} vanished while the tree was scanned")
    before: bytes | None = data
    start, target, target_style = data, path, style
    if not edit.has_room(data, style):
        before = read_current(Path(entry.file.location + edit.SIDECAR))
        start, target, target_style = before or edit.EMPTY_SIDECAR, path + edit.SIDECAR, _JSON
    fields = header_fields(scan, entry, document, member=target_style.kind == "json")
    after = edit.put(start, target_style, keep_date_if_unchanged(edit.read(start, target_style), fields))
    return None if after == before else Change(target, before, after)


def changes(scan: Scan, report: Report, progress: Progress = silent) -> Iterator[Change | SkippedFile]:
    """Yield the changes that bring all headers up to date, and the files whose header cannot be computed."""
    documents = {one.path: one for one in report.documents}
    for number, entry in enumerate(scan.scanned_files):
        if number % 20 == 0:
            progress("writing headers", number, len(scan.scanned_files))
        try:
            change = compute_change(scan, entry, documents[entry.file.path])
        except HowsureError as error:
            yield SkippedFile(entry.file.path, str(error))
        except OSError as error:
            yield SkippedFile(entry.file.path, f"it cannot be read: {error.strerror}")
        else:
            if change is not None:
                yield change


def apply_change(scan: Scan, change: Change) -> None:
    """Write a change into its file."""
    replace_file(Path(f"{scan.root}/{change.path}"), change.before, change.after, root=Path(scan.root))


def header_fields(scan: Scan, entry: ScannedFile, document: Document, *, member: bool) -> Fields:
    """Return the fields of a document's header: text under the source document's keys, or values of a JSON member."""
    if member:
        return _member_fields(entry, document)
    steps, day, decay = document.steps, scan.scorer.today.isoformat(), _format_signed(document.steps["ageing"])
    score = f"{document.score or 0.0:.3f}"
    style = edit.header_style(entry.file.path, in_data=entry.file.kind == "data")
    tested = steps["integration"] + steps["earned_test"]
    if style is not None and style.code:
        refactored = f"{_format_signed(steps['refactoring'])} (code refactoring for coverage)"
        passed = f"{_format_signed(tested)} (tests passed)" if tested else "0.0"
        return {
            "CONFIDENCE SCORE": score,
            "CONFIDENCE": refactored if steps["refactoring"] else "0.0",
            "V&V_INTEGRATION": passed,
            "DATA_DECAY": decay,
            "MILESTONE": document.milestone,
            "LAST_UPDATED": day,
        }
    data = entry.file.kind == "data"
    sources = entry.facts.sources
    base = 1.0 if data else steps["base"]
    count = max(len(sources), 1)
    return {
        "CONFIDENCE SCORE": score,
        "BASE": _format(base),
        "EVIDENCE": _format(sum(evidence for evidence, _ in sources) / count),
        "OBSERVATION": _format(sum(observation for _, observation in sources) / count),
        "VALIDATION": _format_signed(0.0 if data else steps["validation"] + steps["earned_confirm"]),
        "AHO_CORASICK": _format_signed(0.0 if data else steps["boost"] + steps["bonus"]),
        "CODE_REFACTOR": _format_signed(0.0 if data else steps["refactoring"]),
        "V&V_INTEGRATION": _format_signed(0.0 if data else tested),
        "NON_MD_PENALTY": _format_signed(0.0 if data else steps["new_files"]),
        "DATA_DECAY": decay,
        "FORMULA": FORMULA if not data else "data_decay",
        "MILESTONE": document.milestone,
        "LAST_UPDATED": day,
    }


def _member_fields(entry: ScannedFile, document: Document) -> Fields:
    metadata = entry.facts.metadata or {}
    fields: dict[str, str | int | float | bool] = {"score": round(document.score or 0.0, 3)}
    if "created" in metadata:
        fields["created"] = metadata["created"]
    if document.due is not None:
        fields["next_review"] = document.due.isoformat()
    return fields | {
        "decay_rate": 0.001,
        "human_validated": bool(document.steps["validated"] and metadata.get("reviewed_by")),
    }


def _format(number: float) -> str:
    """Return a number with as many digits as it needs: at least one, at most three."""
    text = f"{number:.3f}".rstrip("0")
    return text + "0" if text.endswith(".") else text


def _format_signed(number: float) -> str:
    """Return a number with its sign; zero has none."""
    text = _format(abs(number))
    return text if text == "0.0" else f"-{text}" if number < 0 else f"+{text}"
