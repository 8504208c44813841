"""Read what a file declares about itself in its front matter or in `data_metadata`."""

import math
import re
from collections.abc import Iterable, Mapping
from datetime import UTC, date, datetime
from typing import Any, NamedTuple

from howsure.errors import shown
from howsure.files import load_toml

# A block between --- lines (YAML, which may end with ...) or +++ lines (TOML) at the top of a file.
_FRONT = re.compile(r"\A\ufeff?(---|\+\+\+)[ \t]*\r?\n(.*?)^(?:\1|\.\.\.)[ \t]*\r?$", re.DOTALL | re.MULTILINE)
# Lines that can only be front matter, after its beginning.
_UNCLOSED = re.compile(
    r"\A\ufeff?(?:---[ \t]*\r?\n[A-Za-z_][\w-]*:(?:[ \t]|\r?$)|\+\+\+[ \t]*\r?\n[A-Za-z_][\w-]* ?=)", re.MULTILINE
)
# The key `data_metadata` of a YAML file with its indented block.
_BLOCK = re.compile(
    r"""^\ufeff?(?:data_metadata|"data_metadata"|'data_metadata')[ \t]*:[^\n]*(?:\n|\Z)"""
    r"(?:[ \t]+[^\n]*(?:\n|\Z)|[ \t]*(?:#[^\n]*)?\r?\n)*",
    re.MULTILINE,
)
_MAX_LENGTH = 200_000
"""Characters in which front matter has to end."""
_MAX_SOURCES = 500
"""Sources of one document that are read."""
_MAX_DEPTH, _MAX_GROWTH = 200, 100_000
"""How deeply YAML may be nested, and how many values its aliases may add."""
EXPIRY = ("expires", "expires_at", "expiry_date", "valid_until")
"""Names for the day from which a document no longer holds."""
DATES = ("created", "validated", "next_review")
"""The dates in `data_metadata`."""


class Source(NamedTuple):
    """A source that a document names."""

    evidence: float
    """Its weight, from 0 to 1."""
    observation: float
    """0 if it was not visited, 0.5 if visited, 1 if confirmed."""


class DeclaredMetadata(NamedTuple):
    """What a file declares about itself."""

    sources: tuple[Source, ...] = ()
    metadata: dict[str, Any] | None = None
    """Its `data_metadata` with dates as text; None if it has none."""
    validated: str = ""
    """Day of its validation; `yes` if it was validated without a day, empty if not."""
    problems: tuple[str, ...] = ()
    """What could not be read."""
    expires: str = ""
    """Day from which it no longer holds; empty if it names none."""


def front_matter(text: str) -> tuple[dict[str, Any], str]:
    r"""Return the front matter of a text, and a problem with it (empty if there is none).

    >>> front_matter("---\ntitle: Home\n---\nWelcome")
    ({'title': 'Home'}, '')
    """
    if not text.startswith(("---", "+++", "\ufeff---", "\ufeff+++")):
        return {}, ""
    found = _FRONT.match(text, 0, _MAX_LENGTH)
    if found is None:
        return {}, "the front matter has no end" if _UNCLOSED.match(text) else ""
    try:
        data = _load_toml(found[2]) if found[1] == "+++" else load_yaml(found[2])
    except ValueError as error:
        return {}, f"the front matter cannot be read: {error}"
    if data is None:
        return {}, ""
    if not isinstance(data, dict):
        return {}, "the front matter is not a mapping"
    return data, ""


def yaml_metadata(text: str) -> tuple[dict[str, Any], str]:
    """Return the `data_metadata` of a YAML file, and a problem; the rest is parsed only if the block needs it."""
    found = _BLOCK.search(text)
    if found is None:
        return {}, ""
    problem = ""
    for part in (found[0], text[:_MAX_LENGTH]):
        try:
            data = load_yaml(part)
        except ValueError as error:
            problem = problem or f"data_metadata cannot be read: {error}"
        else:
            return data if isinstance(data, dict) else {}, ""
    return {}, problem


def load_yaml(text: str) -> Any:
    """Parse YAML; raise ValueError if it is invalid, nested too deeply or grows too large."""
    import yaml

    loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        if "*" in text or sum(map(text.count, "[{-?")) > _MAX_DEPTH:
            _check_size(yaml.parse(text, loader), len(text) + _MAX_GROWTH)
        return yaml.load(text, loader)  # noqa: S506 - a safe loader, the fast one if it is installed
    except (yaml.YAMLError, ValueError, LookupError, TypeError, OverflowError, RecursionError) as error:
        mark = getattr(error, "problem_mark", None)
        where = f"line {mark.line + 1}: " if mark is not None else ""
        problem = getattr(error, "problem", None) or (isinstance(error, ValueError) and str(error)) or "invalid YAML"
        raise ValueError(f"{where}{problem}") from None


def _check_size(events: Iterable[Any], most: int) -> None:
    """Raise ValueError for YAML that would exhaust the stack, or the memory by aliases of aliases."""
    sizes: dict[str, int] = {}
    containers: list[tuple[str | None, int]] = []
    size = 0
    for event in events:
        kind = type(event).__name__
        if kind.endswith("EndEvent") and containers:
            anchor, before = containers.pop()
            if anchor:
                sizes[anchor] = size - before
        elif kind == "AliasEvent":
            size += sizes.get(event.anchor, most)  # an alias inside its own anchor never ends
        elif kind in ("MappingStartEvent", "SequenceStartEvent"):
            containers.append((event.anchor, size))
        elif kind == "ScalarEvent" and event.anchor:
            sizes[event.anchor] = 1
        size += 1
        if len(containers) > _MAX_DEPTH:
            raise ValueError("nested too deeply")
        if size > most:
            raise ValueError("aliases make it too large")


def _load_toml(text: str) -> Any:
    try:
        return load_toml(text)
    except (ValueError, RecursionError) as error:
        raise ValueError(str(error)[:200]) from None


def parse_metadata(data: Mapping[str, Any]) -> DeclaredMetadata:
    """Parse front matter or the members of a data file. What is invalid is left out and named in `problems`."""
    problems: list[str] = []
    metadata = data.get("data_metadata")
    if metadata is not None and not isinstance(metadata, Mapping):
        problems.append(f"data_metadata: {shown(metadata)} is not a mapping")
        metadata = None
    checked = None if metadata is None else _check_metadata(metadata, problems)
    validated = _parse_validated((checked or {}).get("validated") or data.get("validated"), problems)
    expires = _parse_expiry(data, metadata or {}, problems)
    return DeclaredMetadata(tuple(_parse_sources(data, problems)), checked, validated, tuple(problems), expires)


def _parse_expiry(data: Mapping[str, Any], metadata: Mapping[str, Any], problems: list[str]) -> str:
    for name in EXPIRY:
        value = metadata.get(name, data.get(name))
        if value is None:
            continue
        day = parse_date(value)
        if day is not None:
            return day.isoformat()
        problems.append(f"{name}: {shown(value)} is not a date")
    return ""


def _check_metadata(metadata: Mapping[str, Any], problems: list[str]) -> dict[str, Any]:
    checked: dict[str, Any] = {}
    for name in DATES:
        if metadata.get(name) is not None:
            day = parse_date(metadata[name])
            if day is None:
                problems.append(f"data_metadata.{name}: {shown(metadata[name])} is not a date")
            else:
                checked[name] = day.isoformat()
    if metadata.get("confidence") is not None:
        confidence = _parse_unit(metadata["confidence"])
        if confidence is None:
            problems.append(f"data_metadata.confidence: {shown(metadata['confidence'])} is not between 0 and 1")
        else:
            checked["confidence"] = confidence
    if metadata.get("reviewed_by") is not None:
        checked["reviewed_by"] = str(metadata["reviewed_by"])[:200]
    return checked


def _parse_validated(value: Any, problems: list[str]) -> str:
    if value is None or value is False:
        return ""
    if value is True:
        return "yes"
    day = parse_date(value)
    if day is None:
        problems.append(f"validated: {shown(value)} is neither a date nor true or false")
        return ""
    return day.isoformat()


def _parse_sources(data: Mapping[str, Any], problems: list[str]) -> list[Source]:
    value = data.get("sources")
    if value is None:
        return []
    listed = list(value.values()) if isinstance(value, Mapping) else value if isinstance(value, list) else None
    if listed is None:
        problems.append(f"sources: {shown(value)} is not a list")
        return []
    usual = _parse_unit(data.get("evidence"))
    found = []
    for number, one in enumerate(listed[:_MAX_SOURCES]):
        if not isinstance(one, Mapping):
            found.append(Source(1.0 if usual is None else usual, 0.0))
            continue
        weight = one.get("evidence", one.get("weight"))
        evidence = (1.0 if usual is None else usual) if weight is None else _parse_unit(weight)
        if evidence is None:
            problems.append(f"sources[{number}].evidence: {shown(weight)} is not between 0 and 1")
            continue
        found.append(Source(evidence, _parse_observation(one, number, problems)))
    if len(listed) > _MAX_SOURCES:
        problems.append(f"sources: only the first {_MAX_SOURCES} of {len(listed)} are read")
    return found


def _parse_observation(source: Mapping[str, Any], number: int, problems: list[str]) -> float:
    """Return the observation of a source; a date counts as true."""
    for name, observation in (("confirmed", 1.0), ("visited", 0.5)):
        value = source.get(name)
        if value is True or isinstance(value, date):
            return observation
        if value not in (None, False):
            if parse_date(value) is not None:
                return observation
            problems.append(f"sources[{number}].{name}: {shown(value)} is neither a date nor true or false")
    return 0.0


def _parse_unit(value: Any) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return None
    return float(value) if 0.0 <= value <= 1.0 else None


def parse_date(value: Any) -> date | None:
    """Return a value as a date; None if it is not one.

    >>> parse_date("2026-03-20"), parse_date("soon")
    (datetime.date(2026, 3, 20), None)
    """
    if isinstance(value, date) and not isinstance(value, datetime):
        return value
    try:
        if isinstance(value, datetime):
            return value.astimezone(UTC).date() if value.tzinfo else value.date()
        if not isinstance(value, str):
            return None
        return datetime.fromisoformat(value.strip()).date()
    except (ValueError, OverflowError):
        return None
