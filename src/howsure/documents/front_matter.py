"""Evidence: what the front matter of a file, or its `data_metadata`, says about it."""

import math
import re
from collections.abc import Iterable, Mapping
from datetime import UTC, date, datetime
from typing import Any, NamedTuple

from howsure.errors import shown

_FRONT = re.compile(r"\A\ufeff?(---|\+\+\+)[ \t]*\r?\n(.*?)^(?:\1|\.\.\.)[ \t]*\r?$", re.DOTALL | re.MULTILINE)
_BLOCK = re.compile(
    r"""^\ufeff?(?:data_metadata|"data_metadata"|'data_metadata')[ \t]*:[^\n]*(?:\n|\Z)"""
    r"(?:[ \t]+[^\n]*(?:\n|\Z)|[ \t]*(?:#[^\n]*)?\r?\n)*",
    re.MULTILINE,
)
_LONGEST = 200_000
"""Characters of front matter that are read."""
_MOST = 500
"""Sources of one document that count."""
_DEEPEST, _GROWN = 200, 100_000
"""How deep YAML may be nested, and by how many values its aliases may make it grow."""
DATES = ("created", "validated", "next_review")
"""The dates in `data_metadata`."""


class Source(NamedTuple):
    """Something that a document rests on."""

    evidence: float
    """Its weight, from 0 to 1."""
    observation: float
    """0 if nobody has visited it, 0.5 if somebody has, 1 if it was confirmed."""


class DeclaredMetadata(NamedTuple):
    """What a file says about itself."""

    sources: tuple[Source, ...] = ()
    metadata: dict[str, Any] | None = None
    """Its `data_metadata`, dates as text; nothing, where it has none."""
    validated: str = ""
    """The day on which it was validated; `yes` where it was, without a day."""
    problems: tuple[str, ...] = ()
    """What could not be read."""


def front_matter(text: str) -> tuple[dict[str, Any], str]:
    r"""Return the front matter of a text, and what is wrong with it.

    >>> front_matter("---\ntitle: Home\n---\nWelcome")
    ({'title': 'Home'}, '')
    """
    if not text.startswith(("---", "+++", "\ufeff---", "\ufeff+++")):
        return {}, ""
    found = _FRONT.match(text, 0, _LONGEST)
    if found is None:
        return {}, ""
    try:
        data = _toml(found[2]) if found[1] == "+++" else loaded(found[2])
    except ValueError as error:
        return {}, f"the front matter cannot be read: {error}"
    if data is None:
        return {}, ""
    if not isinstance(data, dict):
        return {}, "the front matter is no mapping of names to values"
    return data, ""


def yaml_metadata(text: str) -> tuple[dict[str, Any], str]:
    """Return the `data_metadata` of a YAML file; the rest of the file is read only where that needs it."""
    found = _BLOCK.search(text)
    if found is None:
        return {}, ""
    problem = ""
    for part in (found[0], text[:_LONGEST]):
        try:
            data = loaded(part)
        except ValueError as error:
            problem = problem or f"data_metadata cannot be read: {error}"
        else:
            return data if isinstance(data, dict) else {}, ""
    return {}, problem


def loaded(text: str) -> Any:
    """Return what YAML says; a ValueError, where it says nothing that can be understood."""
    import yaml

    loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        if "*" in text or sum(map(text.count, "[{-?")) > _DEEPEST:
            _measure(yaml.parse(text, loader), len(text) + _GROWN)
        return yaml.load(text, loader)  # noqa: S506 - a safe loader, the fast one where there is one
    except (yaml.YAMLError, ValueError, LookupError, TypeError, OverflowError, RecursionError) as error:
        mark = getattr(error, "problem_mark", None)
        where = f"line {mark.line + 1}: " if mark is not None else ""
        told = getattr(error, "problem", None) or (isinstance(error, ValueError) and str(error)) or "it is no YAML"
        raise ValueError(f"{where}{told}") from None


def _measure(events: Iterable[Any], most: int) -> None:
    """Refuse YAML so deep, or with aliases of aliases so many, that loading it would end no other way."""
    sizes: dict[str, int] = {}
    open_: list[tuple[str | None, int]] = []
    size = 0
    for event in events:
        kind = type(event).__name__
        if kind.endswith("EndEvent") and open_:
            anchor, before = open_.pop()
            if anchor:
                sizes[anchor] = size - before
        elif kind == "AliasEvent":
            size += sizes.get(event.anchor, most)  # an alias within what it stands for has no end
        elif kind in ("MappingStartEvent", "SequenceStartEvent"):
            open_.append((event.anchor, size))
        elif kind == "ScalarEvent" and event.anchor:
            sizes[event.anchor] = 1
        size += 1
        if len(open_) > _DEEPEST:
            raise ValueError("it is nested too deeply")
        if size > most:
            raise ValueError("its aliases make it too large")


def _toml(text: str) -> Any:
    import tomllib

    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        raise ValueError(str(error)[:200]) from None


def said(data: Mapping[str, Any]) -> DeclaredMetadata:
    """Return what front matter, or a file of data, says about itself. What cannot be read counts for nothing."""
    problems: list[str] = []
    metadata = data.get("data_metadata")
    if metadata is not None and not isinstance(metadata, Mapping):
        problems.append(f"data_metadata: {shown(metadata)} is no mapping")
        metadata = None
    kept = None if metadata is None else _metadata(metadata, problems)
    validated = _validated((kept or {}).get("validated") or data.get("validated"), problems)
    return DeclaredMetadata(tuple(_sources(data, problems)), kept, validated, tuple(problems))


def _metadata(given: Mapping[str, Any], problems: list[str]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name in DATES:
        if given.get(name) is not None:
            day = as_date(given[name])
            if day is None:
                problems.append(f"data_metadata.{name}: {shown(given[name])} is no date")
            else:
                found[name] = day.isoformat()
    if given.get("confidence") is not None:
        confidence = _unit(given["confidence"])
        if confidence is None:
            problems.append(f"data_metadata.confidence: {shown(given['confidence'])} is not between 0 and 1")
        else:
            found["confidence"] = confidence
    if given.get("reviewed_by") is not None:
        found["reviewed_by"] = str(given["reviewed_by"])[:200]
    return found


def _validated(given: Any, problems: list[str]) -> str:
    if given is None or given is False:
        return ""
    if given is True:
        return "yes"
    day = as_date(given)
    if day is None:
        problems.append(f"validated: {shown(given)} is neither a date nor true or false")
        return ""
    return day.isoformat()


def _sources(data: Mapping[str, Any], problems: list[str]) -> list[Source]:
    given = data.get("sources")
    if given is None:
        return []
    listed = list(given.values()) if isinstance(given, Mapping) else given if isinstance(given, list) else None
    if listed is None:
        problems.append(f"sources: {shown(given)} is no list")
        return []
    usual = _unit(data.get("evidence"))
    found = []
    for number, one in enumerate(listed[:_MOST]):
        if not isinstance(one, Mapping):
            found.append(Source(1.0 if usual is None else usual, 0.0))
            continue
        weight = one.get("evidence", one.get("weight"))
        evidence = (1.0 if usual is None else usual) if weight is None else _unit(weight)
        if evidence is None:
            problems.append(f"sources[{number}].evidence: {shown(weight)} is not between 0 and 1")
            continue
        found.append(Source(evidence, _observation(one, number, problems)))
    if len(listed) > _MOST:
        problems.append(f"sources: only the first {_MOST} of {len(listed)} count")
    return found


def _observation(source: Mapping[str, Any], number: int, problems: list[str]) -> float:
    """Return what is known of a source; a date says that it happened."""
    for name, observation in (("confirmed", 1.0), ("visited", 0.5)):
        given = source.get(name)
        if given is True or isinstance(given, date):
            return observation
        if given not in (None, False):
            if as_date(given) is not None:
                return observation
            problems.append(f"sources[{number}].{name}: {shown(given)} is neither a date nor true or false")
    return 0.0


def _unit(given: Any) -> float | None:
    if isinstance(given, bool) or not isinstance(given, int | float) or not math.isfinite(given):
        return None
    return float(given) if 0.0 <= given <= 1.0 else None


def as_date(given: Any) -> date | None:
    """Return a day that was written as one; nothing, where it was not.

    >>> as_date("2026-03-20"), as_date("soon")
    (datetime.date(2026, 3, 20), None)
    """
    if isinstance(given, date) and not isinstance(given, datetime):
        return given
    try:
        if isinstance(given, datetime):
            return given.astimezone(UTC).date() if given.tzinfo else given.date()
        if not isinstance(given, str):
            return None
        return datetime.fromisoformat(given.strip()).date()
    except (ValueError, OverflowError):
        return None
