"""Meanings: what a field means, taken from the docstring that stands below it."""

import ast
import inspect
import sys
from collections.abc import Iterator
from functools import cache
from itertools import pairwise
from typing import Any, get_origin, get_type_hints

from howsure.formulas.model import Model


@cache
def meanings(shape: type) -> dict[str, str]:
    """Return the docstring of each field of a class, its parents' included.

    >>> from howsure.formulas.interval import Interval
    >>> meanings(Interval)["lower"]
    'Worst-case credibility.'
    """
    found: dict[str, str] = {}
    for parent in reversed(shape.__mro__):
        if "__annotations__" in vars(parent):
            found |= _module_meanings(parent.__module__).get(parent.__name__, {})
    return found


@cache
def _module_meanings(module: str) -> dict[str, dict[str, str]]:
    """Return the docstring of each field of each class in a module, by reading its source once."""
    try:
        tree = ast.parse(inspect.getsource(sys.modules[module]))
    except (OSError, TypeError, SyntaxError):  # no source at hand, as in a frozen program
        return {}
    return {node.name: dict(_documented(node)) for node in tree.body if isinstance(node, ast.ClassDef)}


def _documented(node: ast.ClassDef) -> Iterator[tuple[str, str]]:
    for field, doc in pairwise(node.body):
        match field, doc:
            case ast.AnnAssign(target=ast.Name(id=name)), ast.Expr(value=ast.Constant(value=str(text))):
                yield name, inspect.cleandoc(text)


def tables(model: type[Model[Any]]) -> tuple[Any, Any]:
    """Return the row and the steps that a model's formula goes from and to."""
    hints = get_type_hints(model.formula)
    return get_origin(hints["row"]) or hints["row"], get_origin(hints["return"]) or hints["return"]
