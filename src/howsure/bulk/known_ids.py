"""Known ids: whole numbers without great gaps, each looked up directly instead of in a table of a database."""

from collections.abc import Iterable
from typing import Any

import numpy as np

KINDS = {"UTINYINT": np.uint8, "INTEGER": np.int32, "BIGINT": np.int64, "DOUBLE": np.float64}
"""Types of numbers in DuckDB, and what they are in an array."""
_SPARSE = 4
"""How many times as many numbers as ids the range from the lowest to the highest may hold."""
_FEW = 1000


class Known:
    """Where each id stands. Made only if no two ids are the same."""

    def __init__(self, low: int, places: Any, size: int) -> None:
        """Take the lowest id, the place of each from there on (-1 for those that are not there), and how many are."""
        self.low = low
        self.places = places
        self.gapless = len(places) == size
        """Whether every number from the lowest to the highest is an id."""

    def outside(self, column: str) -> str:
        """Write the condition that a number lies beyond all ids."""
        return f"({column} < {self.low} OR {column} >= {self.low + len(self.places)})"

    def find(self, ids: Any) -> Any:
        """Return the place of each id, or -1.

        >>> known([np.array([3, 5, 4])], 3, 3, 5).find(np.array([4, 5, 6, -9])).tolist()
        [2, 1, -1, -1]
        """
        if not len(self.places):
            return np.full(len(ids), -1, np.int32)
        shifted = ids - self.low
        outside = (shifted < 0) | (shifted >= len(self.places))
        if not outside.any():
            return self.places[shifted]
        shifted[outside] = 0
        found = self.places[shifted]
        found[outside] = -1
        return found

    def lost(self, batches: Iterable[Any]) -> int:
        """Return how many rows of ids, in Arrow batches, name one that is not there."""
        count = 0
        for batch in batches:
            places = [self.find(flat(column, "BIGINT")) for column in batch.columns]
            count += int(np.count_nonzero(np.minimum.reduce(places) < 0))
        return count


def flat(column: Any, kind: str) -> Any:
    """Return the numbers of an Arrow column without empty cells, where they lie; its own way would load pandas."""
    numbers = np.frombuffer(column.buffers()[1], KINDS[kind]) if len(column) else np.empty(0, KINDS[kind])
    return numbers[column.offset : column.offset + len(column)]


def known(batches: Iterable[Any], size: int, low: int, high: int) -> Known | None:
    """Return where each of so many ids stands; nothing where they lie too far apart or one is there twice."""
    if high - low >= _SPARSE * size + _FEW:
        return None
    places = np.full(high - low + 1, -1, np.int32)
    first = 0
    for ids in batches:
        places[ids - low] = np.arange(first, first + len(ids), dtype=np.int32)
        first += len(ids)
    return Known(low, places, size) if np.count_nonzero(places >= 0) == size else None
