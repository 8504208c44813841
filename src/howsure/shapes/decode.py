"""Read data into types, or raise an error that names field, value and hint."""

import math
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import MISSING, fields, is_dataclass
from functools import cache
from typing import Any, TypeVar, cast

from howsure.errors import InputError, ShapeError, nearest, shown
from howsure.shapes.node import (
    Anything,
    Choice,
    Either,
    Fixed,
    Flag,
    Items,
    Node,
    Null,
    Number,
    Object,
    Table,
    Text,
    node,
)
from howsure.shapes.types import Moment

T = TypeVar("T")
Decoder = Callable[[Any], Any]


def decode(shape: type[T], data: object) -> T:
    """Read data into a type.

    Raises:
        ShapeError: if a field is missing, unknown, of the wrong type or out of range.

    >>> from howsure.formulas.claim import Neighbour
    >>> decode(Neighbour, {"influence": 0.2, "strength": 2})
    Traceback (most recent call last):
    howsure.errors.ShapeError: strength: 2 is not between 0 and 1
    """
    result: T = decoder(cast("Any", shape))(data)
    return result


def decode_as(shape: Any, value: Any, field: str) -> Any:
    """Read a single value; an error names it as `field`.

    >>> from howsure.shapes.types import Unit
    >>> decode_as(Unit, 0.5, "trust")
    0.5
    """
    try:
        return decoder(shape)(value)
    except InputError as error:
        raise error.under(field) from None


@cache
def decoder(shape: Any) -> Decoder:
    """Return the function that reads a type."""
    return _decoder(node(shape))


@cache
def field_decoders(shape: Any) -> dict[str, Decoder]:
    """Return the function that reads each field of a class."""
    described = node(shape)
    if not isinstance(described, Object):
        raise TypeError(f"{shape} has no fields")
    return {name: _decoder(field.node) for name, field in described.fields.items()}


def object_decoder(described: Object, *, names_only: bool = False) -> Decoder:
    """Return the function that reads the parameters of a function into a dict.

    With `names_only` it checks which parameters are given, and leaves their values to the function.
    """
    if names_only:
        fields = {name: field._replace(node=Anything()) for name, field in described.fields.items()}
        described = described._replace(fields=fields)
    return _object(described)


def _decoder(shape: Node) -> Decoder:
    match shape:
        case Anything():
            return lambda value: value
        case Null():
            return _null
        case Flag():
            return _flag
        case Text():
            return _text
        case Number():
            return _number(shape)
        case Choice(options):
            return _choice(options)
        case Either(parts):
            return _either(parts)
        case Items(item, kind):
            return _items(_decoder(item), kind)
        case Fixed(parts):
            return _fixed([_decoder(part) for part in parts])
        case Table(value):
            return _table(_decoder(value))
        case _:  # an object
            return _object(shape)


def _null(value: Any) -> None:
    if value is not None:
        raise ShapeError(f"{shown(value)} is not null")


def _flag(value: Any) -> bool:
    if not isinstance(value, bool):
        raise ShapeError(f"{shown(value)} is neither true nor false")
    return value


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise ShapeError(f"{shown(value)} is not a text", hint="in quotes")
    return value


def _number(shape: Number) -> Decoder:
    base: Any = shape.kind
    low, high = shape.low, shape.high
    kind = "a whole number" if base is int else "a number"
    hint = _number_hint(shape)

    def read(value: Any) -> float:
        if type(value) is base and low <= value <= high and (base is int or math.isfinite(value)):
            return cast("float", value)
        if isinstance(value, bool) or not isinstance(value, int | float):
            from numbers import Integral, Real

            if isinstance(value, bool) or not isinstance(value, Real):
                raise ShapeError(f"{shown(value)} is not {kind}", hint=hint)
            value = _plain(value, whole=isinstance(value, Integral))
        if isinstance(value, float) and not math.isfinite(value):
            raise ShapeError(f"{value} is not a finite number")
        if not low <= value <= high:
            raise ShapeError(f"{shown(value)} is not between {low:g} and {high:g}")
        if base is int and value != int(value):
            raise ShapeError(f"{shown(value)} is not a whole number")
        try:
            return cast("float", base(value))
        except OverflowError:  # a whole number of more than 308 digits
            raise ShapeError(f"{shown(value)} is too large") from None

    return read


def _number_hint(shape: Number) -> str:
    """Return what a number has to be; empty if any will do."""
    if shape == node(Moment):
        return "seconds since 1970"
    return f"from {shape.low:g} to {shape.high:g}" if shape.low > -math.inf else ""


def _plain(value: Any, *, whole: bool) -> float:
    """Return a number of another library, such as numpy's, as Python's own."""
    try:
        return int(value) if whole else float(value)
    except OverflowError:  # a fraction
        raise ShapeError(f"{shown(value)} is too large") from None


def _choice(options: tuple[str, ...]) -> Decoder:
    def read(value: Any) -> str:
        if not isinstance(value, str) or value not in options:
            hint = nearest(value, options) if isinstance(value, str) else ""
            if hint.startswith("there are"):  # as the problem says already
                hint = ""
            raise ShapeError(f"{shown(value)} is not one of {', '.join(options)}", hint=hint)
        return value

    return read


def _word_instead(number: Number, options: tuple[str, ...]) -> Decoder:
    """Read a word that may stand instead of a number."""

    def read(value: str) -> str:
        if value not in options:
            words = " or ".join(map(shown, options))
            raise ShapeError(f"{shown(value)} is neither a number nor {words}", hint=_number_hint(number))
        return value

    return read


def _either(parts: tuple[Node, ...]) -> Decoder:
    """Read the part whose JSON type the value has; if it has none of them, the first part reports the error."""
    number = next((part for part in parts if isinstance(part, Number)), None)
    options = [
        (
            _json_types(part),
            _word_instead(number, part.options) if number and isinstance(part, Choice) else _decoder(part),
        )
        for part in parts
        if not isinstance(part, Null)
    ]
    nullable = any(isinstance(part, Null) for part in parts)

    def read(value: Any) -> Any:
        if value is None and nullable:
            return None
        for types, read_part in options:
            if isinstance(value, types):
                return read_part(value)
        return options[0][1](value)

    return read


def _json_types(shape: Node) -> tuple[type, ...]:
    match shape:
        case Number():
            return (int, float)
        case Items() | Fixed():
            return (list, tuple)
        case Table():
            return (Mapping,)
        case Object(type=owner):
            return (Mapping, owner)
        case Flag():
            return (bool,)
        case Anything():
            return (object,)
        case _:
            return (str,)


def _items(read_item: Decoder, kind: type) -> Decoder:
    def read(value: Any) -> Any:
        if not isinstance(value, list | tuple):
            raise ShapeError(f"{shown(value)} is not a list")
        try:
            return kind([read_item(item) for item in value])
        except InputError:  # read again, to say where
            return kind(_read_each([read_item] * len(value), value))

    return read


def _fixed(readers: list[Decoder]) -> Decoder:
    def read(value: Any) -> tuple[Any, ...]:
        if not isinstance(value, list | tuple):
            raise ShapeError(f"{shown(value)} is not a list")
        if len(value) != len(readers):
            raise ShapeError(f"a list of {len(readers)} is needed, not of {len(value)}")
        return tuple(_read_each(readers, value))

    return read


def _read_each(readers: list[Decoder], values: Any) -> list[Any]:
    items = []
    for index, (read, item) in enumerate(zip(readers, values, strict=True)):
        try:
            items.append(read(item))
        except InputError as error:
            raise error.under(f"[{index}]") from None
    return items


def _table(read_value: Decoder) -> Decoder:
    def read(value: Any) -> dict[str, Any]:
        if not isinstance(value, Mapping):
            raise ShapeError(f"{shown(value)} is not an object")
        items = {}
        for name, item in value.items():
            try:
                items[str(name)] = read_value(item)
            except InputError as error:
                raise error.under(str(name)[:60]) from None
        return items

    return read


def _object(shape: Object) -> Decoder:
    owner = shape.type
    readers = {name: _decoder(field.node) for name, field in shape.fields.items()}
    aliases = {alias: name for name, field in shape.fields.items() for alias in field.aliases}
    required = [name for name, field in shape.fields.items() if field.required]
    needed = frozenset(required)
    make = dict if owner is None else _maker(owner)

    def read(value: Any) -> Any:
        if type(value) is dict and needed <= value.keys():
            try:
                values = {name: readers[name](item) for name, item in value.items()}
            except (KeyError, InputError):  # read again, to say what is wrong
                return read_carefully(value)
            return make(values)
        return read_carefully(value)

    def read_carefully(value: Any) -> Any:
        if owner is not None and isinstance(value, owner):
            value = {name: getattr(value, name) for name in readers}
        if not isinstance(value, Mapping):
            names = ", ".join(readers) or "no fields"
            raise ShapeError(f"{shown(value)} is not an object", hint=f"an object with {names}")
        values = {}
        for given, item in value.items():
            name = str(aliases.get(given, given))
            if name in values:
                raise ShapeError(f"given twice, also as {given}", field=name, hint="give it once")
            if name not in readers:
                raise unknown_field(name, {str(aliases.get(one, one)) for one in value}, readers, required)
            try:
                values[name] = readers[name](item)
            except InputError as error:
                raise error.under(name) from None
        for missing in required:
            if missing not in values:
                hint = f"given: {', '.join(values) or 'nothing'}"
                raise ShapeError("this field is missing", field=missing, hint=hint)
        return values if owner is None else owner(**values)

    return read


def unknown_field(name: str, given: Collection[str], known: Iterable[str], required: Iterable[str]) -> ShapeError:
    """Return the error for a field that is unknown, or for one that is missing and has another name.

    >>> print(unknown_field("statemnt", {"statemnt"}, ["statement", "tier"], ["statement"]))
    statemnt: unknown field 'statemnt' (did you mean statement?)
    >>> print(unknown_field("text", {"text"}, ["response", "context"], ["response", "context"]))
    response: this field is missing, and 'text' is unknown
    """
    missing = [one for one in required if one not in given]
    hint = nearest(name, missing, alike=0.8) if missing else nearest(name, known)
    if missing and not hint.startswith("did you mean"):
        return ShapeError(f"this field is missing, and {shown(name)} is unknown", field=missing[0])
    return ShapeError(f"unknown field {shown(name)}", field=name[:100], hint=hint)


def _maker(owner: Any) -> Callable[[dict[str, Any]], Any]:
    """Return what builds an object from its fields; filling a frozen dataclass field by field is slow."""
    plain = is_dataclass(owner) and not hasattr(owner, "__slots__")
    if not plain:
        return lambda values: owner(**values)
    factories: list[tuple[str, Any]] = [
        (field.name, field.default_factory) for field in fields(owner) if field.default_factory is not MISSING
    ]
    check = getattr(owner, "__post_init__", None)

    def make(values: dict[str, Any]) -> Any:
        made = owner.__new__(owner)
        made.__dict__.update(values)  # what is not given is the default, which the class holds
        for name, factory in factories:
            if name not in values:
                made.__dict__[name] = factory()
        if check is not None:
            check(made)
        return made

    return make
