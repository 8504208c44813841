"""Cut what is long into lists that are handled one at a time."""

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import TypeVar

T = TypeVar("T")


def in_chunks(items: Iterable[T], size: int = 500) -> Iterator[list[T]]:
    """Yield lists of at most so many items.

    The default suits queries with a parameter for each item: SQLite allows 32,766 of them, older versions 999.

    >>> list(in_chunks(range(5), 2))
    [[0, 1], [2, 3], [4]]
    """
    rest = iter(items)
    while chunk := list(islice(rest, size)):
        yield chunk
