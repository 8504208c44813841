"""Find the documents that are due for review, and write validations into files."""

import calendar
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from pathlib import Path, PurePosixPath
from typing import Any

from howsure.documents.content.front_matter import front_matter, load_yaml
from howsure.documents.document import URGENCY, Document, DocumentKind, Report
from howsure.documents.headers.edit import EMPTY_SIDECAR, SIDECAR
from howsure.documents.headers.json_members import is_object, update_object
from howsure.documents.repository.git import first_commit_time
from howsure.documents.repository.tree import document_kind, project_path
from howsure.documents.scoring import REVIEW_MONTHS, add_months
from howsure.errors import InputError, shown
from howsure.replace_file import read_current, replace_file
from howsure.wording import utc_time

_RECORD_HINT = "record it instead: howsure document event PATH confirm"
# What stays at the top of a YAML file: comments, blank lines, directives and the first ---.
_YAML_TOP = re.compile(r"\A\ufeff?(?:[ \t]*(?:#[^\n]*|%[^\n]*)?\r?\n)*(?:---[ \t]*(?:#[^\n]*)?\r?\n)?")
# The key `data_metadata` with its block (group 1), including comments inside it.
_YAML_BLOCK = re.compile(
    r"""^\ufeff?(?:data_metadata|"data_metadata"|'data_metadata')[ \t]*:[ \t]*(?:#[^\n]*)?\r?\n"""
    r"((?:[ \t]+[^\n]*(?:\n|\Z)|[ \t]*\r?\n|(?:#[^\n]*\n)+(?=[ \t]+[^\s#]))*)",
    re.MULTILINE,
)
_FRONT_MATTER = re.compile(r"\A\ufeff?---[ \t]*\r?\n(.*?)^(?:---|\.\.\.)[ \t]*\r?$", re.DOTALL | re.MULTILINE)
_PLAIN_SCALAR = re.compile(r"[^\W\d_][\w .@-]*")
_YAML_WORDS = ("yes", "no", "true", "false", "null", "on", "off")
"""Words that YAML does not read as text."""


@dataclass(frozen=True)
class MonthPlan:
    """What is due in the month of a report."""

    until: date
    """The last day of the month."""
    overdue: tuple[Document, ...]
    """Documents whose day has passed, or whose age calls for a person; the most urgent first."""
    coming: tuple[Document, ...]
    """Documents whose day is between today and the end of the month; the next one first."""
    later: int
    """Number of documents that are old enough for a review whose day comes later."""
    unknown: int
    """Number of documents whose age is unknown."""


def plan_month(report: Report) -> MonthPlan:
    """Return what is due in the month of a report."""
    today = report.day
    until = today.replace(day=calendar.monthrange(today.year, today.month)[1])
    overdue, coming, later = [], [], 0
    for one in report.documents:
        if one.action == "unknown":
            continue
        if one.action in {"human_validation", "refresh_or_remove"} or (one.due is not None and one.due < today):
            overdue.append(one)
        elif one.due is not None and one.due <= until:
            coming.append(one)
        elif one.action == "review":
            later += 1
    overdue.sort(key=lambda one: (URGENCY[one.action], one.due or date.min, one.path))
    coming.sort(key=lambda one: (one.due or until, URGENCY[one.action], one.path))
    unknown = sum(one.action == "unknown" for one in report.documents)
    return MonthPlan(until, tuple(overdue), tuple(coming), later, unknown)


def list_due(
    documents: Iterable[Document], *, kinds: tuple[DocumentKind, ...] = ("data",), until: date | None = None
) -> list[Document]:
    """Return the documents for which something is due, also those due until a day; the most urgent first."""
    chosen = [
        one
        for one in documents
        if one.kind in kinds
        and (one.action != "none" or (until is not None and one.due is not None and one.due <= until))
    ]
    return sorted(chosen, key=lambda one: (URGENCY[one.action], one.due or date.max, one.path))


def write_validation(path: Path, by: str, day: date) -> Path:
    """Write into a document who validated it, when, and when it is due again; return the file that was changed.

    Data keep this in `data_metadata`, in a sidecar if their format has no room; pages keep it in their front matter.

    Raises:
        InputError: if the file cannot be read or cannot hold a validation.
    """
    if not by.strip():
        raise InputError("no name is given", field="by", hint="name who validated it")
    try:
        data = read_current(path)
    except OSError as error:
        raise InputError(f"it cannot be read: {error.strerror}") from None
    if data is None:
        raise InputError(f"{path} does not exist")
    values = {
        "validated": day.isoformat(),
        "next_review": add_months(day, REVIEW_MONTHS).isoformat(),
        "confidence": 1.0,
        "reviewed_by": by.strip(),
    }
    kind, suffix = document_kind(project_path(path)), PurePosixPath(path.name).suffix.lower()
    if kind == "data" and suffix == ".json" and is_object(data):
        return _write(path, data, update_object(data, "data_metadata", _defaults(path, day), values))
    if kind == "data" and suffix in (".yml", ".yaml") and _is_yaml_mapping(data):
        return _write(path, data, _update_yaml(data, _defaults(path, day), values))
    if kind == "data" or suffix in (".csv", ".tsv"):
        sidecar = path.with_name(path.name + SIDECAR)
        before = read_current(sidecar)
        start = EMPTY_SIDECAR if before is None else before
        return _write(sidecar, before, update_object(start, "data_metadata", _defaults(path, day), values))
    if suffix in (".md", ".markdown", ".html", ".htm", ".txt"):
        page = {"validated": values["validated"], "reviewed_by": values["reviewed_by"]}
        return _write(path, data, _update_front_matter(data, page))
    raise InputError(f"{path.name} cannot hold a validation", hint=_RECORD_HINT)


def _defaults(path: Path, day: date) -> dict[str, str]:
    """Return metadata for a file that has none: it was created with its first commit, or else on this day."""
    committed = first_commit_time(path)
    return {"created": (day if committed is None else utc_time(committed).date()).isoformat()}


def _write(path: Path, before: bytes | None, after: bytes) -> Path:
    if after != before:
        replace_file(path, before, after)
    return path


def _is_yaml_mapping(data: bytes) -> bool:
    try:
        return isinstance(load_yaml(data.decode()), dict)
    except (UnicodeDecodeError, ValueError) as error:
        raise InputError(f"invalid YAML: {error}") from None


def _update_yaml(data: bytes, defaults: Mapping[str, Any], values: Mapping[str, Any]) -> bytes:
    text = data.decode()
    line_break = "\r\n" if "\r\n" in text else "\n"
    before = load_yaml(text)
    block = _YAML_BLOCK.search(text)
    if block is None:
        if "data_metadata" in before:
            raise InputError("data_metadata is not written as a block", hint="write one name and value on each line")
        lines = [f"  {name}: {_scalar(value)}" for name, value in {**defaults, **values}.items()]
        top = _YAML_TOP.match(text)
        at = top.end() if top else 0
        after = text[:at] + line_break.join(["data_metadata:", *lines, ""]) + text[at:]
    else:
        after = text[: block.start(1)] + _update_lines(block[1], values, line_break) + text[block.end(1) :]
    try:
        _check_only_values_changed(before, load_yaml(after), values)
    except ValueError:
        raise InputError(f"{shown(values['reviewed_by'])} cannot be written into it", field="by") from None
    return after.encode()


def _update_front_matter(data: bytes, values: Mapping[str, Any]) -> bytes:
    try:
        text = data.decode()
    except UnicodeDecodeError:
        raise InputError("it is not UTF-8", hint=_RECORD_HINT) from None
    block = _FRONT_MATTER.match(text)
    if block is None:
        raise InputError("it has no front matter to write into", hint=f"begin it with --- lines, or {_RECORD_HINT}")
    before, problem = front_matter(text)
    if problem:
        raise InputError(problem)
    line_break = "\r\n" if "\r\n" in block[0] else "\n"
    after = text[: block.start(1)] + _update_lines(block[1], values, line_break, indent="") + text[block.end(1) :]
    fields, _ = front_matter(after)
    _check_only_values_changed(before | {"data_metadata": before}, fields | {"data_metadata": fields}, values)
    return after.encode()


def _update_lines(block: str, values: Mapping[str, Any], line_break: str, indent: str | None = None) -> str:
    """Set values in a block of `name: value` lines; other lines and trailing comments stay as they are."""
    if indent is None:
        first = re.search(r"^([ \t]+)\S", block, re.MULTILINE)
        indent = first[1] if first else "  "
    for name, value in values.items():
        line = re.compile(rf"^({re.escape(indent)}{name}:)([ \t]*)([^\n#]*?)([ \t]+#[^\n]*)?(\r?)$", re.MULTILINE)
        new = _scalar(value)
        block, count = line.subn(lambda m, new=new: f"{m[1]} {new}{m[4] or ''}{m[5]}", block, count=1)  # type: ignore[misc]
        if not count:
            content = block.rstrip("\r\n \t")
            rest = block[len(content) :]
            block = f"{content}{line_break if content else ''}{indent}{name}: {new}{rest or line_break}"
    return block


def _scalar(value: Any) -> str:
    """Return a value as YAML, quoted if YAML would read it as something else."""
    import json

    text = str(value)
    plain = isinstance(value, float) or re.fullmatch(r"\d{4}-\d\d-\d\d", text) or _PLAIN_SCALAR.fullmatch(text)
    if plain and text.lower() not in _YAML_WORDS:
        return text
    return json.dumps(text, ensure_ascii=not text.isprintable())


def _check_only_values_changed(before: Mapping[str, Any], after: Mapping[str, Any], values: Mapping[str, Any]) -> None:
    """Raise InputError unless the edit set the values and changed nothing else."""
    others = {name: value for name, value in before.items() if name != "data_metadata" and name not in values}
    others_after = {name: value for name, value in after.items() if name != "data_metadata" and name not in values}
    written = after.get("data_metadata") or {}
    if repr(others) != repr(others_after) or any(
        str(written.get(name)) != str(value) for name, value in values.items()
    ):
        hint = "write data_metadata as a plain block"
        raise InputError(f"{shown(dict(values))} cannot be written into it", hint=hint)
