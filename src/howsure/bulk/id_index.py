"""An index of whole-number ids without large gaps: each id is looked up in an array instead of a database table."""

from collections.abc import Iterable
from typing import Any

import numpy as np

NUMPY_TYPES = {"UTINYINT": np.uint8, "INTEGER": np.int32, "BIGINT": np.int64, "DOUBLE": np.float64}
"""DuckDB's numeric types, and the type of their values in an array."""
_SPARSE = 4
"""The range from the lowest to the highest id may be this many times as large as the number of ids."""
_SLACK = 1000


class IdIndex:
    """The position of each id."""

    def __init__(self, low: int, positions: Any) -> None:
        """Store the lowest id and the position of every number from it on (-1 if not an id)."""
        self.low = low
        self.positions = positions

    def find(self, ids: Any) -> Any:
        """Return the position of each id, or -1.

        >>> index_ids([np.array([3, 5, 4])], 3, 3, 5).find(np.array([4, 5, 6, -9])).tolist()
        [2, 1, -1, -1]
        """
        if not len(self.positions):
            return np.full(len(ids), -1, np.int32)
        shifted = ids - self.low
        outside = (shifted < 0) | (shifted >= len(self.positions))
        if not outside.any():
            return self.positions[shifted]
        shifted[outside] = 0
        positions = self.positions[shifted]
        positions[outside] = -1
        return positions

    def count_unknown(self, batches: Iterable[Any]) -> int:
        """Return how many rows, in Arrow batches of columns of ids, contain an unknown id."""
        count = 0
        for batch in batches:
            positions = [self.find(column_values(column, "BIGINT")) for column in batch.columns]
            count += int(np.count_nonzero(np.minimum.reduce(positions) < 0))
        return count


def column_values(column: Any, kind: str) -> Any:
    """Return the numbers of an Arrow column without NULLs as an array, without copying.

    Arrow's own `to_numpy` would import pandas if that is installed.
    """
    numbers = np.frombuffer(column.buffers()[1], NUMPY_TYPES[kind]) if len(column) else np.empty(0, NUMPY_TYPES[kind])
    return numbers[column.offset : column.offset + len(column)]


def index_ids(batches: Iterable[Any], size: int, low: int, high: int) -> IdIndex | None:
    """Return an index of `size` ids from `low` to `high`; None if they are too sparse or one occurs twice."""
    if high - low >= _SPARSE * size + _SLACK:
        return None
    positions = np.full(high - low + 1, -1, np.int32)
    first = 0
    for ids in batches:
        positions[ids - low] = np.arange(first, first + len(ids), dtype=np.int32)
        first += len(ids)
    return IdIndex(low, positions) if np.count_nonzero(positions >= 0) == size else None
