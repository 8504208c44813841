"""Random values of a type, for contract tests."""

import random
from typing import Any

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
    Table,
    Text,
    node,
)

_TEXTS = ("", "a", "user", "It is definitely tested.", "I think it might be", "- sources:\n## x", "src/a_b.py", "visit")
_OPTIONAL = 0.8
"""How often a field that has a default is given."""


def sample(annotation: Any, dice: random.Random) -> Any:
    """Return a random value of a type. The ends of ranges, empty lists and missing fields are common.

    >>> sample(bool, random.Random(1)) in (True, False)
    True
    """
    return _sample(node(annotation), dice)


def _sample(shape: Node, dice: random.Random) -> Any:
    match shape:
        case Null() | Anything():
            return None
        case Flag():
            return dice.random() < 0.5  # noqa: PLR2004
        case Text():
            return dice.choice(_TEXTS)
        case Number(kind, low, high):
            low, high = max(low, -1e9), min(high, 1e9)
            number = dice.choice((low, high, dice.uniform(low, high), dice.uniform(low, min(high, low + 10.0))))
            return int(number) if kind is int else float(number)
        case Choice(options):
            return dice.choice(options)
        case Either(parts):
            return _sample(dice.choice(parts), dice)
        case Items(item, kind):
            return kind(_sample(item, dice) for _ in range(dice.choice((0, 1, 2, 3, 8))))
        case Fixed(parts):
            return tuple(_sample(part, dice) for part in parts)
        case Table(value):
            return {dice.choice(_TEXTS): _sample(value, dice) for _ in range(dice.choice((0, 1, 3)))}
        case _:  # an object
            fields = shape.fields.items()
            chosen = {name: field for name, field in fields if field.required or dice.random() < _OPTIONAL}
            return shape.type(**{name: _sample(field.node, dice) for name, field in chosen.items()})
