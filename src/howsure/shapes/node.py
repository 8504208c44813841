"""Turn a type annotation into a small tree that says which values it allows."""

import math
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import MISSING, fields, is_dataclass
from functools import cache
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, NamedTuple, Union, get_args, get_origin, get_type_hints

from howsure.shapes.types import Alias, Doc, Inline, Local, Unchecked, Wire, Within


class Anything(NamedTuple):
    """Any JSON value."""

    described: Any = None
    """The type that callers are told of; None if there is none."""


class Null(NamedTuple):
    """None only."""


class Flag(NamedTuple):
    """True or False."""


class Text(NamedTuple):
    """A string."""


class Number(NamedTuple):
    """A finite number within bounds."""

    kind: type
    """`int` or `float`."""
    low: float = -math.inf
    high: float = math.inf


class Choice(NamedTuple):
    """One of several strings."""

    options: tuple[str, ...]


class Either(NamedTuple):
    """A value of one of several types."""

    parts: tuple["Node", ...]


class Items(NamedTuple):
    """A list of any length."""

    item: "Node"
    kind: type
    """`tuple` or `list`."""


class Fixed(NamedTuple):
    """A tuple of fixed length."""

    parts: tuple["Node", ...]


class Table(NamedTuple):
    """An object with any names and values of one type."""

    value: "Node"


class Field(NamedTuple):
    """One field of an object."""

    node: "Node"
    required: bool
    default: Any
    """None if it is required."""
    annotation: Any
    inline: Inline | None = None
    aliases: tuple[str, ...] = ()


class Object(NamedTuple):
    """An object with named fields: a dataclass, a named tuple or the parameters of a function."""

    type: Any
    """The class; None for the parameters of a function."""
    fields: Mapping[str, Field]


Node = Anything | Null | Flag | Text | Number | Choice | Either | Items | Fixed | Table | Object

_PLAIN: dict[Any, Node] = {
    Any: Anything(),
    object: Anything(),
    None: Null(),
    NoneType: Null(),
    bool: Flag(),
    str: Text(),
    int: Number(int),
    float: Number(float),
    dict: Table(Anything()),
    list: Items(Anything(), list),
}
_LISTS = {list: list, tuple: tuple, Sequence: tuple, Iterable: list, Iterator: list}


@cache
def node(annotation: Any) -> Node:
    """Return what values an annotation allows.

    Raises:
        TypeError: if the annotation has no JSON form.

    >>> node(Literal["a", "b"])
    Choice(options=('a', 'b'))
    """
    if annotation in _PLAIN:
        return _PLAIN[annotation]
    origin, parts = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return _annotated(parts[0], annotation.__metadata__)
    if origin is Literal:
        return Choice(parts)
    if origin in (Union, UnionType):
        return Either(tuple(node(part) for part in parts))
    if origin is tuple and parts[-1] is not Ellipsis:
        return Fixed(tuple(node(part) for part in parts))
    if origin in _LISTS:
        return Items(node(parts[0]), _LISTS[origin])
    if origin in (dict, Mapping):
        return Table(node(parts[1]))
    if is_object(annotation):
        return Object(annotation, _object_fields(annotation))
    raise TypeError(f"{annotation} has no JSON form")


def _annotated(base: Any, metadata: tuple[Any, ...]) -> Node:
    for item in metadata:
        if isinstance(item, Wire):
            return node(item.type)
        if isinstance(item, Unchecked):
            return Anything(item.type)
        if isinstance(item, Within):
            return Number(base, item.low, item.high)
    return node(base)


def is_object(annotation: Any) -> bool:
    """Return whether an annotation is a class with named fields."""
    return isinstance(annotation, type) and (is_dataclass(annotation) or hasattr(annotation, "_fields"))


@cache
def hints(owner: Any) -> dict[str, Any]:
    """Return the annotations of a class or function, resolved."""
    try:
        return get_type_hints(owner, include_extras=True)
    except NameError:
        return get_type_hints(owner, localns=_type_only_imports(owner.__module__), include_extras=True)


@cache
def _type_only_imports(module: str) -> dict[str, Any]:
    """Return the names that a module imports for type checkers only, to keep its own import fast."""
    import ast
    import inspect

    from howsure import python_syntax

    names: dict[str, Any] = {}
    for item in python_syntax.parse(inspect.getsource(sys.modules[module])).body:
        if isinstance(item, ast.If) and isinstance(item.test, ast.Name) and item.test.id == "TYPE_CHECKING":
            exec(compile(ast.Module(item.body, []), module, "exec"), names)  # noqa: S102 - import statements of ours
    return names


def _object_fields(owner: Any) -> dict[str, Field]:
    return {name: _field(annotation, default) for name, annotation, default in _members(owner)}


def _field(annotation: Any, default: Any) -> Field:
    metadata = list(_metadata(annotation))
    return Field(
        node(annotation),
        required=default is MISSING,
        default=None if default is MISSING else default,
        annotation=annotation,
        inline=next((item for item in metadata if isinstance(item, Inline)), None),
        aliases=tuple(item.name for item in metadata if isinstance(item, Alias)),
    )


def _members(owner: Any) -> Iterator[tuple[str, Any, Any]]:
    """Yield name, annotation and default of each field of a dataclass or named tuple."""
    annotations = hints(owner)
    if not is_dataclass(owner):
        for name in owner._fields:
            yield name, annotations[name], owner._field_defaults.get(name, MISSING)
        return
    for field in fields(owner):
        if field.name.startswith("_"):
            continue
        factory: Any = field.default_factory
        yield field.name, annotations[field.name], field.default if factory is MISSING else factory()


@cache
def parameters(function: Callable[..., Any], local: tuple[str, ...] = ()) -> Object:
    """Return the parameters of a function as an object, without `self` and those for Python callers only.

    Args:
        function: The function.
        local: Parameters for Python callers only that are included.
    """
    import inspect  # late: a gate decodes its case without it

    annotations = hints(function)
    found = {}
    for name, parameter in inspect.signature(function).parameters.items():
        annotation = annotations.get(name)
        if name == "self" or (name not in local and any(isinstance(item, Local) for item in _metadata(annotation))):
            continue
        default = MISSING if parameter.default is inspect.Parameter.empty else parameter.default
        found[name] = _field(annotation, default)
    return Object(None, found)


def _metadata(annotation: Any) -> Iterator[Any]:
    """Yield the metadata of an annotated type, also inside `X | None`."""
    if get_origin(annotation) is Annotated:
        yield from annotation.__metadata__
        yield from _metadata(annotation.__origin__)
    elif get_origin(annotation) in (Union, UnionType):
        for part in get_args(annotation):
            yield from _metadata(part)


def doc_of(annotation: Any) -> Doc | None:
    """Return the description that an annotation carries, or None."""
    return next((item for item in _metadata(annotation) if isinstance(item, Doc)), None)
