"""Shapes at a door: reading what was handed in, and telling as JSON Schema what may be, and what comes back.

Besides the shapes of `howsure.shapes`, an input may have fields which the use case reads itself: `Any`, `list[Any]`
or `dict[str, Any]`. An answer is described by a dataclass, a named tuple or a `TypedDict`.
"""

import math
from collections.abc import Mapping
from dataclasses import MISSING, asdict, fields, is_dataclass
from functools import cache
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, NotRequired, Union, get_args, get_origin, get_type_hints, is_typeddict

from howsure.errors import InputError, nearest, shown
from howsure.shapes import Within, decode, decoder
from howsure.shapes.schema import field_docs

_PLAIN: dict[Any, dict[str, Any]] = {
    Any: {},
    bool: {"type": "boolean"},
    str: {"type": "string"},
    int: {"type": "integer"},
    float: {"type": "number"},
    NoneType: {"type": "null"},
}
_OPEN: dict[str, tuple[tuple[type, ...], str]] = {
    str(Any): ((object,), "anything"),
    str(list[Any]): ((list,), "a list"),
    str(list[Any] | None): ((list, NoneType), "a list"),
    str(dict[str, Any]): ((dict,), "an object"),
}
"""What the use case reads itself: what it is at least, and how that is called."""
_TYPES: dict[str, Any] = {
    "boolean": bool,
    "string": str,
    "null": NoneType,
    "array": list,
    "object": dict,
    "number": (int, float),
    "integer": (int, float),
}


def read(shape: Any, data: Any) -> Any:
    """Read what was handed in into a shape, or raise an `InputError` that names the field.

    >>> from howsure.claims.add import ClaimInput
    >>> read(ClaimInput, {"statement": "It rains", "teir": "task"})
    Traceback (most recent call last):
    howsure.errors.ShapeError: unknown field 'teir' (did you mean tier?)
    """
    hints = _hints(shape)
    if not any(str(hint) in _OPEN for hint in hints.values()):
        return decode(shape, data)
    if not isinstance(data, Mapping):
        raise InputError(f"{shown(data)} is not an object", hint=f"an object with {', '.join(hints)}")
    needed = [field.name for field in fields(shape) if field.default is MISSING and field.default_factory is MISSING]
    found = {}
    for name, value in data.items():
        if name not in hints:
            raise InputError(f"unknown field {shown(name)}", hint=nearest(str(name), hints))
        try:
            found[name] = _as_it_is(hints[name], value) if str(hints[name]) in _OPEN else decoder(hints[name])(value)
        except InputError as error:
            raise error.under(name) from None
    for name in needed:
        if name not in found:
            raise InputError("this field is missing", field=name, hint=f"given: {', '.join(found) or 'nothing'}")
    return shape(**found)


def _as_it_is(hint: Any, value: Any) -> Any:
    """Return a value that the use case reads itself."""
    kinds, words = _OPEN[str(hint)]
    if not isinstance(value, kinds):
        raise InputError(f"{shown(value)} is not {words}")
    return value


@cache
def _hints(shape: Any) -> dict[str, Any]:
    """Return the annotation of each field."""
    return get_type_hints(shape, include_extras=True)


@cache
def schema(shape: Any, *, closed: bool = False) -> dict[str, Any]:
    """Return a shape as JSON Schema. An input is closed: it has no other fields than those it names.

    >>> schema(list[float])
    {'type': 'array', 'items': {'type': 'number'}}
    """
    if shape in _PLAIN:
        return _PLAIN[shape]
    origin, parts = get_origin(shape), get_args(shape)
    if origin is Annotated:
        low, high = next(part for part in parts if isinstance(part, Within))
        return {"type": "integer" if parts[0] is int else "number", "minimum": low, "maximum": high}
    if origin is Literal:
        return {"enum": list(parts)}
    if origin in (Union, UnionType):
        return {"anyOf": [schema(part, closed=closed) for part in parts]}
    if origin is NotRequired:
        return schema(parts[0], closed=closed)
    if origin is list or (origin is tuple and parts[-1] is Ellipsis):
        return {"type": "array", "items": schema(parts[0], closed=closed)}
    if origin is tuple:
        size = {"minItems": len(parts), "maxItems": len(parts)}
        return {"type": "array", "prefixItems": [schema(part, closed=closed) for part in parts]} | size
    if origin is dict:
        return {"type": "object", "additionalProperties": schema(parts[1], closed=closed)}
    return _object(shape, closed=closed)


def _object(shape: Any, *, closed: bool) -> dict[str, Any]:
    """Describe an object by its fields, with what each means, and its default where it has one."""
    defaults, meant = _defaults(shape), _meanings(shape)
    properties = {}
    for name, hint in _hints(shape).items():
        about = {"description": meant[name]} if meant.get(name) else {}
        properties[name] = (
            schema(hint, closed=closed) | about | ({"default": defaults[name]} if name in defaults else {})
        )
    required = [name for name in properties if name not in defaults and name in _required(shape)]
    found: dict[str, Any] = {"type": "object", "properties": properties}
    found |= {"required": required} if required else {}
    return found | ({"additionalProperties": False} if closed else {})


def _meanings(shape: Any) -> dict[str, str]:
    """Return what each field means; a typed dictionary does not know its parents as other classes do."""
    parents = getattr(shape, "__orig_bases__", ()) if is_typeddict(shape) else ()
    inherited = [_meanings(parent) for parent in parents if is_typeddict(parent)]
    return {name: text for found in (*inherited, field_docs(shape)) for name, text in found.items()}


def _required(shape: Any) -> frozenset[str]:
    return shape.__required_keys__ if is_typeddict(shape) else frozenset(_hints(shape))


def _defaults(shape: Any) -> dict[str, Any]:
    if not is_dataclass(shape):
        return {}
    found = {}
    for field in fields(shape):
        value = field.default_factory() if field.default_factory is not MISSING else field.default
        if value is not MISSING:
            plain = asdict(value) if is_dataclass(value) and not isinstance(value, type) else value
            found[field.name] = list(plain) if isinstance(plain, tuple) else plain
    return found


def fits(described: Mapping[str, Any], value: Any) -> bool:
    """Say whether data is as a schema of ours describes it. What fits may still be refused, for what it says.

    >>> fits(schema(tuple[float, float]), [0.1]), fits(schema(tuple[float, float]), [0.1, 0.2])
    (False, True)
    """
    if "anyOf" in described:
        return any(fits(part, value) for part in described["anyOf"])
    if "enum" in described:
        return value in described["enum"]
    kind = described.get("type")
    if kind is not None and not isinstance(value, _TYPES[kind]):
        return False
    if kind in ("number", "integer"):
        return _fits_number(described, value)
    if kind == "array":
        if "prefixItems" in described:
            places = described["prefixItems"]
            return len(value) == len(places) and all(map(fits, places, value))
        return all(fits(described["items"], item) for item in value)
    if kind == "object":
        known, others = described.get("properties", {}), described.get("additionalProperties", {})
        if any(name not in value for name in described.get("required", ())):
            return False
        return all(
            fits(known[name], item) if name in known else others is not False and fits(others, item)
            for name, item in value.items()
        )
    return True


def _fits_number(described: Mapping[str, Any], value: Any) -> bool:
    if isinstance(value, bool) or (isinstance(value, float) and not math.isfinite(value)):
        return False
    if described["type"] == "integer" and value != int(value):
        return False
    return bool(described.get("minimum", value) <= value <= described.get("maximum", value))
