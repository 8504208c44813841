"""Shapes: what an input looks like, written as a dataclass, checked when it is read.

A shape's annotations are the single description of an input: `decode` checks data against them and names
field, value and hint when something is wrong, and `schema` writes them down as JSON Schema.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import MISSING, fields, is_dataclass
from functools import cache
from types import NoneType, UnionType
from typing import (
    Annotated,
    Any,
    Literal,
    NamedTuple,
    TypeVar,
    Union,
    cast,
    get_args,
    get_origin,
    get_type_hints,
)

from howsure.errors import InputError, nearest, shown

T = TypeVar("T")
Decoder = Callable[[Any], Any]


class Within(NamedTuple):
    """The range a number has to lie in, both ends included."""

    low: float
    high: float


Unit = Annotated[float, Within(0.0, 1.0)]
"""A score, share or strength: a number from 0 to 1."""

Moment = Annotated[float, Within(-1e12, 1e12)]
"""A point in time, in seconds since 1970."""

Count = Annotated[int, Within(0, 2**53)]
"""How many: a whole number from 0."""

Amount = Annotated[float, Within(0.0, 1e12)]
"""How much: a number from 0."""


def decode(shape: type[T], data: object) -> T:
    """Read data into a shape, or raise an `InputError` that names the field.

    >>> from howsure.formulas.claim import Neighbour
    >>> decode(Neighbour, {"influence": 0.2, "strength": 2})
    Traceback (most recent call last):
    howsure.errors.InputError: strength: 2 is not between 0 and 1
    """
    result: T = decoder(cast("Any", shape))(data)
    return result


def decode_as(shape: Any, value: Any, field: str) -> Any:
    """Read a single value, named in any error.

    >>> decode_as(Unit, 0.5, "trust")
    0.5
    """
    try:
        return decoder(shape)(value)
    except InputError as error:
        raise error.under(field) from None


@cache
def decoder(shape: Any) -> Decoder:
    """Return the function that reads one shape."""
    origin = get_origin(shape)
    if origin is Annotated:
        base, limits = get_args(shape)
        return _number(base, limits)
    if shape is bool:
        return _flag
    if shape is str:
        return _text
    if origin is Literal:
        return _choice(get_args(shape))
    if origin in (Union, UnionType):
        return _either(get_args(shape))
    if origin is tuple:
        return _items(get_args(shape))
    if origin in (dict, Mapping):
        return _mapping(decoder(get_args(shape)[1]))
    if is_dataclass(shape):
        return _object(shape)
    raise TypeError(f"{shape} is no shape")


def _number(base: type, limits: Within) -> Decoder:
    low, high = limits
    kind = "a whole number" if base is int else "a number"
    kind_of: Any = base

    def read(value: Any) -> float:
        if type(value) is kind_of and low <= value <= high:
            return cast("float", value)
        if isinstance(value, bool) or not isinstance(value, int | float):
            from numbers import Real

            if isinstance(value, bool) or not isinstance(value, Real):
                raise InputError(f"{shown(value)} is not {kind}", hint=f"from {low:g} to {high:g}")
            value = float(value)  # of another library, like numpy's
        if isinstance(value, float) and not math.isfinite(value):
            raise InputError(f"{value} is not a finite number")
        if not low <= value <= high:
            raise InputError(f"{shown(value)} is not between {low:g} and {high:g}")
        if base is int and value != int(value):
            raise InputError(f"{shown(value)} is not a whole number")
        return base(value)  # type: ignore[no-any-return]

    return read


def _flag(value: Any) -> bool:
    if not isinstance(value, bool):
        raise InputError(f"{shown(value)} is neither true nor false")
    return value


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise InputError(f"{shown(value)} is not a text", hint="in quotes")
    return value


def _choice(options: tuple[str, ...]) -> Decoder:
    def read(value: Any) -> str:
        if not isinstance(value, str) or value not in options:
            raise InputError(
                f"{shown(value)} is not one of {', '.join(options)}",
                hint=nearest(value, options) if isinstance(value, str) else "",
            )
        return value

    return read


def _either(parts: tuple[Any, ...]) -> Decoder:
    """Read whichever part the value looks like; where it looks like none, the first part says what is wrong."""
    options = [(_looks(part), decoder(part)) for part in parts if part is not NoneType]

    def read(value: Any) -> Any:
        if value is None and NoneType in parts:
            return None
        for looks, read_part in options:
            if isinstance(value, looks):
                return read_part(value)
        return options[0][1](value)

    return read


def _looks(shape: Any) -> tuple[type, ...]:
    """Return the types of value from which a shape may be read."""
    origin = get_origin(shape)
    if origin is Annotated:
        return (int, float)
    if origin is tuple:
        return (list, tuple)
    return (Mapping, cast("type", shape)) if is_dataclass(shape) else (str,)


def _items(parts: tuple[Any, ...]) -> Decoder:
    def read_each(value: Any, readers: Any) -> tuple[Any, ...]:
        items = []
        for index, (read, item) in enumerate(zip(readers, value, strict=True)):
            try:
                items.append(read(item))
            except InputError as error:
                raise error.under(f"[{index}]") from None
        return tuple(items)

    many = parts[-1] is Ellipsis
    readers = [decoder(part) for part in (parts[:1] if many else parts)]

    def read(value: Any) -> tuple[Any, ...]:
        if not isinstance(value, list | tuple):
            raise InputError(f"{shown(value)} is not a list")
        if many:
            read_one = readers[0]
            try:
                return tuple([read_one(item) for item in value])
            except InputError:  # once more, to say where
                return read_each(value, readers * len(value))
        if len(value) != len(readers):
            raise InputError(f"a list of {len(readers)} is needed, not of {len(value)}")
        return read_each(value, readers)

    return read


def _mapping(read_value: Decoder) -> Decoder:
    def read(value: Any) -> dict[str, Any]:
        if not isinstance(value, Mapping):
            raise InputError(f"{shown(value)} is not an object")
        found = {}
        for name, item in value.items():
            try:
                found[str(name)] = read_value(item)
            except InputError as error:
                raise error.under(str(name)[:60]) from None
        return found

    return read


@cache
def decoders(shape: Any) -> dict[str, Decoder]:
    """Return the function that reads each field of a dataclass."""
    hints = get_type_hints(shape, include_extras=True)
    return {field.name: decoder(hints[field.name]) for field in fields(shape)}


def _object(shape: Any) -> Decoder:  # noqa: C901 - a short way, and a careful one that says what is wrong
    readers = decoders(shape)
    required = [f.name for f in fields(shape) if f.default is MISSING and f.default_factory is MISSING]
    needed = frozenset(required)
    make = _maker(shape)

    def read(value: Any) -> Any:
        if type(value) is dict and needed <= value.keys():
            try:
                found = {name: readers[name](item) for name, item in value.items()}
            except (KeyError, InputError):  # once more, to say what is wrong
                return read_carefully(value)
            return make(found)
        return read_carefully(value)

    def read_carefully(value: Any) -> Any:
        if isinstance(value, shape):
            value = {name: getattr(value, name) for name in readers}
        if not isinstance(value, Mapping):
            raise InputError(
                f"{shown(value)} is not an object", hint=f"an object with {', '.join(readers) or 'no fields'}"
            )
        found = {}
        for name, item in value.items():
            if name not in readers:
                raise InputError(f"unknown field {shown(name)}", hint=nearest(str(name), readers))
            try:
                found[name] = readers[name](item)
            except InputError as error:
                raise error.under(name) from None
        for name in required:
            if name not in found:
                raise InputError("this field is missing", field=name, hint=f"given: {', '.join(found) or 'nothing'}")
        return shape(**found)

    return read


def _maker(shape: Any) -> Callable[[dict[str, Any]], Any]:
    """Return what makes an object of fields that were read. A frozen dataclass is slow to fill field by field."""
    if any(f.default_factory is not MISSING for f in fields(shape)) or hasattr(shape, "__slots__"):
        return lambda found: shape(**found)
    check = getattr(shape, "__post_init__", None)

    def make(found: dict[str, Any]) -> Any:
        made = shape.__new__(shape)
        made.__dict__.update(found)  # what is not given is the default, which the class holds
        if check is not None:
            check(made)
        return made

    return make
