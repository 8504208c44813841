"""Reviews: what is due, and writing into a file that somebody has validated it."""

import re
from collections.abc import Iterable, Mapping
from datetime import UTC, date, datetime
from pathlib import Path, PurePosixPath
from typing import Any

from howsure.documents.document import URGENCY, Document, Kind
from howsure.documents.front_matter import front_matter, loaded
from howsure.documents.git_history import first_seen
from howsure.documents.headers.edit import EMPTY_SIDECAR, SIDECAR
from howsure.documents.headers.json_members import is_object, update_object
from howsure.documents.replace_file import current, replace_file
from howsure.documents.scoring import REVIEW_MONTHS, later
from howsure.documents.tree import document_kind, project_path
from howsure.errors import InputError, shown

_TOP = re.compile(r"\A\ufeff?(?:[ \t]*(?:#[^\n]*|%[^\n]*)?\r?\n)*(?:---[ \t]*(?:#[^\n]*)?\r?\n)?")
_BLOCK = re.compile(
    r"""^\ufeff?(?:data_metadata|"data_metadata"|'data_metadata')[ \t]*:[ \t]*(?:#[^\n]*)?\r?\n"""
    r"((?:[ \t]+[^\n]*(?:\n|\Z)|[ \t]*\r?\n|(?:#[^\n]*\n)+(?=[ \t]+[^\s#]))*)",
    re.MULTILINE,
)
_FENCES = re.compile(r"\A\ufeff?---[ \t]*\r?\n(.*?)^(?:---|\.\.\.)[ \t]*\r?$", re.DOTALL | re.MULTILINE)
_PLAIN = re.compile(r"[^\W\d_][\w .@-]*")


def due(
    documents: Iterable[Document], *, kinds: tuple[Kind, ...] = ("data",), by: date | None = None
) -> list[Document]:
    """Return what somebody has to look at, the most urgent first; `by` a day, also what is due until then."""
    chosen = [
        one
        for one in documents
        if one.kind in kinds and (one.action != "none" or (by is not None and one.due is not None and one.due <= by))
    ]
    return sorted(chosen, key=lambda one: (URGENCY[one.action], one.due or date.max, one.path))


def validate(place: Path, by: str, day: date) -> Path:
    """Write into a document that it was validated, by whom, and when it is due again; return the file that was changed.

    Data keep it in `data_metadata`, in a file beside them where they have no room; pages in their front matter.
    """
    if not by.strip():
        raise InputError("nobody is named", field="by", hint="who has validated it?")
    try:
        data = current(place)
    except OSError as error:
        raise InputError(f"it cannot be read: {error.strerror}") from None
    if data is None:
        raise InputError(f"there is no {place}")
    told = {
        "validated": day.isoformat(),
        "next_review": later(day, REVIEW_MONTHS).isoformat(),
        "confidence": 1.0,
        "reviewed_by": by.strip(),
    }
    kind, suffix = document_kind(project_path(place)), PurePosixPath(place.name).suffix.lower()
    if kind == "data" and suffix == ".json" and is_object(data):
        return _changed(place, data, update_object(data, "data_metadata", _usual(place, day), told))
    if kind == "data" and suffix in (".yml", ".yaml") and _mapping(data):
        return _changed(place, data, _in_yaml(data, _usual(place, day), told))
    if kind == "data" or suffix in (".csv", ".tsv"):
        beside = place.with_name(place.name + SIDECAR)
        before = current(beside)
        start = EMPTY_SIDECAR if before is None else before
        return _changed(beside, before, update_object(start, "data_metadata", _usual(place, day), told))
    if suffix in (".md", ".markdown", ".html", ".htm", ".txt"):
        page = {"validated": told["validated"], "reviewed_by": told["reviewed_by"]}
        return _changed(place, data, _in_front_matter(data, page))
    raise InputError(
        f"{place.name} has no room for a validation", hint="record it instead: howsure document event PATH confirm"
    )


def _usual(place: Path, day: date) -> dict[str, str]:
    """Return what is told where nothing is: that a file was created when git saw it first, or else on this day."""
    seen = first_seen(place)
    return {"created": (day if seen is None else datetime.fromtimestamp(seen, UTC).date()).isoformat()}


def _changed(place: Path, before: bytes | None, after: bytes) -> Path:
    if after != before:
        replace_file(place, before, after)
    return place


def _mapping(data: bytes) -> bool:
    try:
        return isinstance(loaded(data.decode()), dict)
    except (UnicodeDecodeError, ValueError) as error:
        raise InputError(f"it is no YAML that can be read: {error}") from None


def _in_yaml(data: bytes, usual: Mapping[str, Any], told: Mapping[str, Any]) -> bytes:
    text = data.decode()
    end = "\r\n" if "\r\n" in text else "\n"
    before = loaded(text)
    found = _BLOCK.search(text)
    if found is None:
        if "data_metadata" in before:
            raise InputError("data_metadata is not written as a block", hint="one name and value on each line")
        lines = [f"  {name}: {_scalar(value)}" for name, value in {**usual, **told}.items()]
        top = _TOP.match(text)
        place = top.end() if top else 0
        after = text[:place] + end.join(["data_metadata:", *lines, ""]) + text[place:]
    else:
        after = text[: found.start(1)] + _with(found[1], told, end) + text[found.end(1) :]
    try:
        _check(before, loaded(after), told)
    except ValueError:
        raise InputError(f"{shown(told['reviewed_by'])} cannot be written into it", field="by") from None
    return after.encode()


def _in_front_matter(data: bytes, told: Mapping[str, Any]) -> bytes:
    try:
        text = data.decode()
    except UnicodeDecodeError:
        raise InputError("it is not UTF-8", hint="record it instead: howsure document event PATH confirm") from None
    found = _FENCES.match(text)
    if found is None:
        hint = "begin it with --- lines, or record it instead: howsure document event PATH confirm"
        raise InputError("it has no front matter to write into", hint=hint)
    before, problem = front_matter(text)
    if problem:
        raise InputError(problem)
    end = "\r\n" if "\r\n" in found[0] else "\n"
    after = text[: found.start(1)] + _with(found[1], told, end, indent="") + text[found.end(1) :]
    _check(before | {"data_metadata": before}, front_matter(after)[0] | {"data_metadata": front_matter(after)[0]}, told)
    return after.encode()


def _with(block: str, told: Mapping[str, Any], end: str, indent: str | None = None) -> str:
    """Return lines of names and values with some of them changed, and the others as they are."""
    if indent is None:
        first = re.search(r"^([ \t]+)\S", block, re.MULTILINE)
        indent = first[1] if first else "  "
    for name, value in told.items():
        line = re.compile(rf"^({re.escape(indent)}{name}:)([ \t]*)([^\n#]*?)([ \t]+#[^\n]*)?(\r?)$", re.MULTILINE)
        new = _scalar(value)
        block, count = line.subn(lambda m, new=new: f"{m[1]} {new}{m[4] or ''}{m[5]}", block, count=1)  # type: ignore[misc]
        if not count:
            kept = block.rstrip("\r\n \t")
            rest = block[len(kept) :]
            joint = end if kept else ""
            block = f"{kept}{joint}{indent}{name}: {new}{rest or end}"
    return block


def _scalar(value: Any) -> str:
    import json

    text = str(value)
    plain = isinstance(value, float) or re.fullmatch(r"\d{4}-\d\d-\d\d", text) or _PLAIN.fullmatch(text)
    if plain and text.lower() not in ("yes", "no", "true", "false", "null", "on", "off"):
        return text
    return json.dumps(text, ensure_ascii=not text.isprintable())


def _check(before: Mapping[str, Any], after: Mapping[str, Any], told: Mapping[str, Any]) -> None:
    """See to it that nothing else has changed."""
    kept = {name: value for name, value in before.items() if name != "data_metadata" and name not in told}
    same = {name: value for name, value in after.items() if name != "data_metadata" and name not in told}
    written = after.get("data_metadata") or {}
    if repr(kept) != repr(same) or any(str(written.get(name)) != str(value) for name, value in told.items()):
        raise InputError(f"{shown(dict(told))} cannot be written into it", hint="write data_metadata as a plain block")
