"""Check values against JSON Schema: the part of it that answers need.

Keywords: type, properties, required, additionalProperties, items, enum, minimum, maximum, minLength, maxLength,
minItems and maxItems, with their meaning in draft 2020-12. Titles, descriptions and the like are allowed anywhere.
The package jsonschema would be one more dependency for a few keywords.
"""

import math
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from howsure.errors import InputError, shown

TYPES: dict[str, Callable[[Any], bool]] = {
    "null": lambda value: value is None,
    "boolean": lambda value: isinstance(value, bool),
    "string": lambda value: isinstance(value, str),
    "number": lambda value: _is_number(value) and math.isfinite(value),
    "integer": lambda value: _is_number(value) and (isinstance(value, int) or value.is_integer()),
    "array": lambda value: isinstance(value, list),
    "object": lambda value: isinstance(value, dict),
}
_COUNTS = {"minLength", "maxLength", "minItems", "maxItems"}
_LIMITS = {"minimum", "maximum"}
_NOTES = {"$schema", "$id", "$comment", "title", "description", "default", "examples", "deprecated"}
_CHECKED = {"type", "properties", "required", "additionalProperties", "items", "enum"} | _COUNTS | _LIMITS
MAX_PROBLEMS = 5
"""Problems of one answer that are listed."""


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def check(schema: Any, field: str = "schema") -> None:
    """Raise InputError if a schema uses a keyword that would not be checked.

    >>> check({"type": "object", "properties": {"name": {"pattern": "x"}}})
    Traceback (most recent call last):
    howsure.errors.InputError: schema.properties.name: unsupported keyword 'pattern' (see howsure.judge.schema)
    """
    if not isinstance(schema, Mapping):
        raise InputError(f"invalid schema {shown(schema)}", field=field, hint="an object")
    for keyword, value in schema.items():
        if keyword not in _CHECKED | _NOTES:
            raise InputError(f"unsupported keyword {shown(keyword)}", field=field, hint="see howsure.judge.schema")
        if keyword in _CHECKED and not _is_valid(keyword, value):
            raise InputError(f"invalid value {shown(value)}", field=f"{field}.{keyword}")
    for place, part in _parts(schema):
        check(part, f"{field}.{place}")


def _is_valid(keyword: str, value: Any) -> bool:
    if keyword == "type":
        names = [value] if isinstance(value, str) else value
        return isinstance(names, list | tuple) and bool(names) and all(name in TYPES for name in names)
    if keyword == "properties":
        return isinstance(value, Mapping) and all(isinstance(name, str) for name in value)
    if keyword in ("required", "enum"):
        return isinstance(value, list | tuple) and (keyword == "enum" or all(isinstance(name, str) for name in value))
    if keyword in _COUNTS:
        return isinstance(value, int) and not isinstance(value, bool) and value >= 0
    if keyword in _LIMITS:
        return _is_number(value) and math.isfinite(value)
    return isinstance(value, Mapping) or (keyword == "additionalProperties" and isinstance(value, bool))


def _parts(schema: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield the schemas directly within a schema, with their places."""
    yield from ((f"properties.{name}", part) for name, part in schema.get("properties", {}).items())
    yield from ((word, schema[word]) for word in ("items", "additionalProperties") if _holds(schema, word))


def _holds(schema: Mapping[str, Any], keyword: str) -> bool:
    return keyword in schema and not isinstance(schema[keyword], bool)


def problems(schema: Mapping[str, Any], value: Any) -> list[str]:
    """Return what is wrong with a value, in words; an empty list if it fits.

    >>> shape = {"type": "object", "properties": {"score": {"type": "number", "maximum": 1}}, "required": ["score"]}
    >>> problems(shape, {"score": 3})
    ['score: 3 is more than 1']
    >>> problems(shape, {"score": 0.5})
    []
    """
    listed = []
    for place, problem in _wrong(schema, value):
        listed.append(f"{place.lstrip('.') or 'the answer'}: {problem}")
        if len(listed) == MAX_PROBLEMS:
            break
    return listed


def _wrong(schema: Mapping[str, Any], value: Any, place: str = "") -> Iterator[tuple[str, str]]:
    if "type" in schema:
        names = [schema["type"]] if isinstance(schema["type"], str) else schema["type"]
        if not any(TYPES[name](value) for name in names):
            yield place, f"{shown(value)} is not of type {' or '.join(names)}"
            return
    if "enum" in schema and not any(_same(value, option) for option in schema["enum"]):
        yield place, f"{shown(value)} is not one of {', '.join(map(shown, schema['enum']))}"
    if _is_number(value):
        yield from _outside(place, shown(value), value, schema.get("minimum"), schema.get("maximum"))
    elif isinstance(value, str):
        lengths = schema.get("minLength"), schema.get("maxLength")
        yield from _outside(place, f"a text of {len(value)} characters", len(value), *lengths)
    elif isinstance(value, list):
        yield from _outside(
            place, f"a list of {len(value)}", len(value), schema.get("minItems"), schema.get("maxItems")
        )
        if "items" in schema:
            for index, item in enumerate(value):
                yield from _wrong(schema["items"], item, f"{place}[{index}]")
    elif isinstance(value, dict):
        yield from _wrong_object(schema, value, place)


def _outside(place: str, what: str, size: float, low: float | None, high: float | None) -> Iterator[tuple[str, str]]:
    if low is not None and size < low:
        yield place, f"{what} is less than {low}"
    if high is not None and size > high:
        yield place, f"{what} is more than {high}"


def _wrong_object(schema: Mapping[str, Any], value: dict[str, Any], place: str) -> Iterator[tuple[str, str]]:
    for name in schema.get("required", ()):
        if name not in value:
            yield f"{place}.{name}", "this field is missing"
    known, others = schema.get("properties", {}), schema.get("additionalProperties", True)
    for name, item in value.items():
        if name in known:
            yield from _wrong(known[name], item, f"{place}.{name}")
        elif others is False:
            yield place, f"there is no field {shown(name)}"
        elif others is not True:
            yield from _wrong(others, item, f"{place}.{name[:60]}")


def _same(one: Any, other: Any) -> bool:
    """Say whether two values are equal in JSON: 1 equals 1.0, but not true."""
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, list) and isinstance(other, list | tuple):
        return len(one) == len(other) and all(map(_same, one, other))
    if isinstance(one, dict) and isinstance(other, Mapping):
        return one.keys() == other.keys() and all(_same(item, other[name]) for name, item in one.items())
    return bool(one == other)


def is_strict(schema: Mapping[str, Any]) -> bool:
    """Return whether every object in a schema requires exactly its named fields, as endpoints demand for `strict`."""
    if "properties" in schema or schema.get("type") == "object":
        names = set(schema.get("properties", {}))
        if schema.get("additionalProperties") is not False or set(schema.get("required", ())) != names:
            return False
    return all(is_strict(part) for _, part in _parts(schema))


def without_lengths(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return a schema without minLength and maxLength, which some endpoints reject; answers are checked for them."""
    kept = {keyword: value for keyword, value in schema.items() if keyword not in ("minLength", "maxLength")}
    if "properties" in kept:
        kept["properties"] = {name: without_lengths(part) for name, part in kept["properties"].items()}
    for keyword in ("items", "additionalProperties"):
        if _holds(kept, keyword):
            kept[keyword] = without_lengths(kept[keyword])
    return kept
