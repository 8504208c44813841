"""Groups as paths of names, from the broad one to the narrow one: agent type, agent."""

from collections.abc import Sequence
from typing import Any


def to_path(cells: Sequence[Any]) -> tuple[str, ...]:
    """Return the names of a group up to the first one that is missing.

    >>> to_path(["coder", 7]), to_path(["coder", None])
    (('coder', '7'), ('coder',))
    """
    names: list[str] = []
    for cell in cells:
        if cell is None or cell == "":
            break
        names.append(str(cell))
    return tuple(names)
