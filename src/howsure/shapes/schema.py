"""Describe types as JSON Schema."""

import ast
import inspect
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from itertools import pairwise
from typing import Any

from howsure import python_syntax
from howsure.shapes.encode import encode, json_properties
from howsure.shapes.node import (
    Anything,
    Choice,
    Either,
    Field,
    Fixed,
    Flag,
    Items,
    Node,
    Null,
    Number,
    Object,
    Table,
    Text,
    doc_of,
    hints,
    node,
)

REFERENCE = "#/components/schemas/"


class Components:
    """Schemas that others refer to by name: one for each class, and one for each choice that has a name."""

    def __init__(self, choices: Mapping[tuple[str, ...], str] | None = None) -> None:
        """Start empty.

        Args:
            choices: The names of choices, by their options; a choice without a name is written where it is used.
        """
        self.schemas: dict[str, dict[str, Any]] = {}
        self._choices = choices or {}
        self._closed: dict[str, bool] = {}
        """Whether each class was described as an input."""

    def add(self, name: str, schema: dict[str, Any]) -> dict[str, Any]:
        """Add a schema under a name and return a reference to it.

        Raises:
            ValueError: if another schema has that name.
        """
        if self.schemas.setdefault(name, schema) != schema:
            raise ValueError(f"two different schemas are named {name}")
        return {"$ref": REFERENCE + name}

    def add_choice(self, options: tuple[str, ...]) -> dict[str, Any]:
        """Return the schema of a choice: a reference if it has a name."""
        described = {"type": "string", "enum": list(options)}
        if name := self._choices.get(options):
            return self.add(name, described)
        return {"type": "string", "const": options[0]} if len(options) == 1 else described

    def add_class(self, shape: Object, closed: bool) -> dict[str, Any]:
        """Return a reference to a class. As an input it is named `...Input` if it is a result too."""
        name = shape.type.__name__
        if closed and not self._closed.get(name, True):
            name += "Input"
        if name not in self.schemas:
            self._closed[name] = closed
            self.schemas[name] = {}  # holds the place while its fields are described
            self.schemas[name] = _object(shape, field_docs(shape.type), closed, self)
        return {"$ref": REFERENCE + name}


def schema(annotation: Any, *, closed: bool = False, components: Components | None = None) -> dict[str, Any]:
    """Return the JSON Schema of a type.

    Args:
        annotation: The type.
        closed: Allow no other fields than the named ones, as for an input.
        components: If given, each class is written there once under its name and referred to.

    >>> schema(list[float])
    {'type': 'array', 'items': {'type': 'number'}}
    """
    return _schema(node(annotation), closed, components)


def object_schema(described: Object, *, docs: dict[str, str], components: Components | None = None) -> dict[str, Any]:
    """Return the JSON Schema of the parameters of a function, given what each one means."""
    return _object(described, docs, True, components)


def _schema(shape: Node, closed: bool, components: Components | None) -> dict[str, Any]:
    def inner(part: Node) -> dict[str, Any]:
        return _schema(part, closed, components)

    match shape:
        case Anything(described):
            return {} if described is None else inner(node(described))
        case Null():
            return {"type": "null"}
        case Flag():
            return {"type": "boolean"}
        case Text():
            return {"type": "string"}
        case Number(kind, low, high):
            bounds = {"minimum": low, "maximum": high} if low > float("-inf") else {}
            return {"type": "integer" if kind is int else "number"} | bounds
        case Choice(options):
            return (
                components.add_choice(options) if components is not None else {"type": "string", "enum": list(options)}
            )
        case Either(parts):
            return {"anyOf": [inner(part) for part in parts]}
        case Items(item):
            return {"type": "array", "items": inner(item)}
        case Fixed(parts):
            size = len(parts)
            return {"type": "array", "prefixItems": [inner(part) for part in parts], "minItems": size, "maxItems": size}
        case Table(value):
            return {"type": "object", "additionalProperties": inner(value)}
        case _:  # an object
            if components is None or shape.type is None:
                return _object(shape, field_docs(shape.type), closed, components)
            return components.add_class(shape, closed)


def _object(shape: Object, docs: dict[str, str], closed: bool, components: Components | None) -> dict[str, Any]:
    properties: dict[str, Any] = {}
    required: list[str] = []
    parents: list[dict[str, Any]] = []
    for name, field in shape.fields.items():
        if field.inline is not None and isinstance(field.node, Object):
            if components is not None and not closed and not field.inline.prefix:
                parents.append(components.add_class(field.node, closed))
                continue
            part = _object(field.node, field_docs(field.node.type), closed, components)
            properties |= {field.inline.prefix + inner: value for inner, value in part["properties"].items()}
            required += [field.inline.prefix + inner for inner in part.get("required", ())]
            continue
        properties[name] = _field(field, docs.get(name, ""), closed, components)
        for alias in field.aliases if closed else ():  # an input may use another name; a result never does
            properties[alias] = properties[name] | {"description": f"Another name of `{name}`.", "deprecated": True}
        if field.required or not closed:  # a result always has all of its fields
            required.append(name)
    for name in () if closed or shape.type is None else json_properties(shape.type):
        properties[name] = _property(shape.type, name, components)
        required.append(name)
    described: dict[str, Any] = {"type": "object", "properties": properties}
    described |= {"required": required} if required else {}
    described |= {"additionalProperties": False} if closed else {}
    if parents:  # client generators take one item beside properties for an alias, so its own fields are an item too
        described = {"allOf": [*parents, described]}
    if shape.type is not None and (summary := _summary(shape.type)):
        described["description"] = summary
    return described


def _field(field: Field, doc: str, closed: bool, components: Components | None) -> dict[str, Any]:
    described = _schema(field.node, closed, components)
    carried = doc_of(field.annotation)
    text = doc or (carried.text if carried else "")
    about: dict[str, Any] = {"description": text} if text else {}
    if closed and not field.required:
        about["default"] = encode(field.default)
    if carried is not None and carried.example is not None:
        about["examples"] = [carried.example]
    return {"allOf": [described]} | about if "$ref" in described and about else described | about


def _property(owner: Any, name: str, components: Components | None) -> dict[str, Any]:
    getter = inspect.getattr_static(owner, name)
    function = getattr(getter, "fget", None) or getter.func  # a property, or a cached one
    described = _schema(node(hints(function)["return"]), False, components)
    text = (inspect.getdoc(function) or "").split("\n\n")[0]
    return {"allOf": [described], "description": text} if "$ref" in described else described | {"description": text}


def _summary(owner: Any) -> str:
    """Return the first paragraph of a class's docstring; empty for one that Python wrote itself."""
    text = (owner.__doc__ or "").split("\n\n")[0]
    return "" if text.startswith(f"{owner.__name__}(") else " ".join(text.split())


_ANNOTATIONS = {"__annotations__", "__annotate_func__"}
"""Where a class holds its annotations: up to Python 3.13, and from 3.14 on."""


@cache
def field_docs(owner: Any) -> dict[str, str]:
    """Return the docstring below each field of a class, its parents' included.

    >>> from howsure.formulas.interval import Interval
    >>> field_docs(Interval)["lower"]
    'Worst-case credibility.'
    """
    docs: dict[str, str] = {}
    for parent in reversed(getattr(owner, "__mro__", ())):
        if _ANNOTATIONS & vars(parent).keys():
            docs |= _module_docs(parent.__module__).get(parent.__name__, {})
    return docs


@cache
def _module_docs(module: str) -> dict[str, dict[str, str]]:
    """Return the docstring of each field of each class of a module, by reading its source once."""
    try:
        tree = python_syntax.parse(inspect.getsource(sys.modules[module]))
    except (OSError, TypeError, SyntaxError):  # no source, as in a frozen program
        return {}
    return {item.name: dict(_documented(item)) for item in tree.body if isinstance(item, ast.ClassDef)}


def _documented(owner: ast.ClassDef) -> Iterator[tuple[str, str]]:
    for field, doc in pairwise(owner.body):
        match field, doc:
            case ast.AnnAssign(target=ast.Name(id=name)), ast.Expr(value=ast.Constant(value=str(text))):
                yield name, inspect.cleandoc(text)


_SECTIONS = re.compile(r"\n\n(?:Args|Returns|Raises|Yields|Examples?):\n|\n\n>>> ")


def summary_of(function: Callable[..., Any]) -> str:
    """Return what a function does: its docstring without sections and examples.

    >>> summary_of(summary_of)
    'Return what a function does: its docstring without sections and examples.'
    """
    return _SECTIONS.split(inspect.getdoc(function) or "", maxsplit=1)[0].strip()


_ARGUMENT = re.compile(r"^    (\w+): (.+)$")


@cache
def parameter_docs(function: Callable[..., Any]) -> dict[str, str]:
    """Return what each parameter means: from the `Args` section of the docstring.

    >>> parameter_docs(schema)["annotation"]
    'The type.'
    """
    docs: dict[str, str] = {}
    inside, name = False, ""
    for line in (inspect.getdoc(function) or "").splitlines():
        if not line.startswith(" "):
            inside = line.strip() == "Args:" or (inside and not line.strip())
        elif inside and (argument := _ARGUMENT.match(line)):
            name, docs[argument[1]] = argument[1], argument[2]
        elif inside and name:
            docs[name] += " " + line.strip()
    return docs
