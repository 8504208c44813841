"""Arrays: columns of numbers in memory."""

from typing import Any

from howsure.errors import MissingExtraError
from howsure.formulas.model import Model

try:
    import numpy as np
except ImportError as error:  # pragma: no cover - the development environment has it
    raise MissingExtraError("arrays", "scoring columns of numbers") from error


class Columns:
    """The operations on numbers that have no symbol, for numpy columns."""

    @staticmethod
    def minimum(a: Any, b: Any, /) -> Any:
        """Return the smaller of two numbers, row by row."""
        return np.minimum(a, b)

    @staticmethod
    def maximum(a: Any, b: Any, /) -> Any:
        """Return the larger of two numbers, row by row."""
        return np.maximum(a, b)

    @staticmethod
    def power(base: Any, exponent: Any, /) -> Any:
        """Return the base raised to the exponent, row by row."""
        return np.power(base, exponent)

    @staticmethod
    def where(condition: Any, yes: Any, no: Any, /) -> Any:
        """Return one number where the condition holds, else the other, row by row."""
        return np.where(condition, yes, no)


COLUMNS = Columns()
"""The reading that scores a table in memory."""


def score_rows(model: Model[Any], row: Any) -> Any:
    """Return every step of a model's formula for columns of rows, each step a column of the same length.

    >>> from howsure.formulas.derived import Derived, Row
    >>> score_rows(Derived(), Row([0.75, 0.5], [0.9, 0.9], [0.6, 0.2], [0.2, 0.1])).upper.tolist()
    [0.75, 0.5]
    """
    columns = row._make(np.asarray(column, dtype=np.float64) for column in row)
    shape = np.broadcast_shapes(*(column.shape for column in columns))
    steps = model.formula(columns, COLUMNS)
    return steps._make(np.broadcast_to(step, shape) for step in steps)
