"""Write values as JSON-ready data."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from functools import cache
from pathlib import PurePath
from types import NoneType
from typing import Any

from howsure.shapes.node import hints
from howsure.shapes.types import Inline, Lossy, cached_json_property, json_property

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
        return _table
    if issubclass(kind, str | int | float | bool):
        return lambda value: value
    if issubclass(kind, Sequence | set | frozenset) and not issubclass(kind, bytes | bytearray | memoryview):
        return _items
    if hasattr(kind, "isoformat"):  # a date; importing datetime for it would slow down every start
        return lambda value: value.isoformat()
    if issubclass(kind, PurePath):
        return str
    raise TypeError(f"{kind.__name__} has no JSON form")


# Most values are plain, so that is tested here instead of calling `encode` for each.


def _table(value: Mapping[Any, Any]) -> dict[str, Any]:
    return {
        name if type(name) is str else str(name): item if type(item) in _PLAIN else encode(item)
        for name, item in value.items()
    }


def _items(value: Iterable[Any]) -> list[Any]:
    return [item if type(item) in _PLAIN else encode(item) for item in value]


def _object(kind: type, names: list[str]) -> Encoder:
    metadata = {name: getattr(annotation, "__metadata__", ()) for name, annotation in hints(kind).items()}
    inline = {name: item.prefix for name in names for item in metadata.get(name, ()) if isinstance(item, Inline)}
    lossy = {name for name in names if any(isinstance(item, Lossy) for item in metadata.get(name, ()))}
    properties = json_properties(kind)
    if issubclass(kind, tuple) and not inline and not lossy and not properties:
        return lambda value: _table(dict(zip(names, value, strict=True)))
    names += properties

    def encode_object(value: Any) -> dict[str, Any]:
        data: dict[str, Any] = {}
        for name in names:
            part = getattr(value, name)
            if type(part) not in _PLAIN:
                part = encode(part)
            if name in lossy:
                part = _unicode(part) if isinstance(part, str) else [_unicode(text) for text in part]
            if name in inline:
                data.update({inline[name] + inner: item for inner, item in part.items()} if inline[name] else part)
            else:
                data[name] = part
        return data

    return encode_object


def _unicode(text: str) -> str:
    return text.encode("utf-8", "replace").decode()


def json_properties(kind: type) -> list[str]:
    """Return the names of the properties that `encode` writes, parents' first."""
    marked: Any = (json_property, cached_json_property)
    return [
        name for parent in reversed(kind.__mro__) for name, item in vars(parent).items() if isinstance(item, marked)
    ]
