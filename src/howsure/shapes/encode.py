"""Write values as JSON-ready data."""

from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from functools import cache
from pathlib import PurePath
from types import NoneType
from typing import Any

from howsure.shapes.node import hints
from howsure.shapes.types import Inline, cached_json_property, json_property

Encoder = Callable[[Any], Any]
_PLAIN = frozenset((str, int, float, bool, NoneType))


def encode(value: Any) -> Any:
    """Return a value as JSON-ready data: dataclasses and named tuples as objects, sequences as lists.

    A field marked with `Inline` puts its own fields beside the others. Properties marked with
    `json_property` follow the fields. Fields whose names start with an underscore are left out.

    >>> from howsure.formulas.interval import Interval
    >>> encode({"interval": Interval(0.25, 0.75)})["interval"]["midpoint"]
    0.5
    """
    kind: Any = type(value)
    return value if kind in _PLAIN else _encoder(kind)(value)


@cache
def _encoder(kind: type) -> Encoder:
    if is_dataclass(kind):
        return _object(kind, [field.name for field in fields(kind) if not field.name.startswith("_")])
    if issubclass(kind, tuple) and hasattr(kind, "_fields"):
        return _object(kind, list(kind._fields))
    if issubclass(kind, Mapping):
        return lambda value: {str(name): encode(item) for name, item in value.items()}
    if issubclass(kind, list | tuple | set | frozenset):
        return lambda value: [encode(item) for item in value]
    if issubclass(kind, str | int | float | bool):
        return lambda value: value
    if issubclass(kind, PurePath):
        return str
    raise TypeError(f"{kind.__name__} has no JSON form")


def _object(kind: type, names: list[str]) -> Encoder:
    annotations = hints(kind)
    inline = {
        name: item.prefix
        for name in names
        for item in getattr(annotations.get(name), "__metadata__", ())
        if isinstance(item, Inline)
    }
    properties = json_properties(kind)

    def encode_object(value: Any) -> dict[str, Any]:
        data: dict[str, Any] = {}
        for name in names:
            part = encode(getattr(value, name))
            if name in inline:
                data.update({inline[name] + inner: item for inner, item in part.items()})
            else:
                data[name] = part
        for name in properties:
            data[name] = encode(getattr(value, name))
        return data

    return encode_object


def json_properties(kind: type) -> list[str]:
    """Return the names of the properties that `encode` writes, parents' first."""
    marked: Any = (json_property, cached_json_property)
    return [
        name for parent in reversed(kind.__mro__) for name, item in vars(parent).items() if isinstance(item, marked)
    ]
