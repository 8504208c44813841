"""The operations that a formula needs besides Python's operators, for any kind of number.

A formula is written once, against `Ops`. The same lines then run on floats, on numpy columns, or on symbolic
expressions that are written as SQL, because each of these kinds of number has its own `Ops`.
"""

import math
from typing import Any, Protocol, TypeVar


class Number(Protocol):
    """Anything with + - * / and comparisons: a float, a column, a piece of SQL."""

    def __add__(self, other: Any, /) -> Any: ...
    def __radd__(self, other: Any, /) -> Any: ...
    def __sub__(self, other: Any, /) -> Any: ...
    def __rsub__(self, other: Any, /) -> Any: ...
    def __mul__(self, other: Any, /) -> Any: ...
    def __rmul__(self, other: Any, /) -> Any: ...
    def __truediv__(self, other: Any, /) -> Any: ...
    def __rtruediv__(self, other: Any, /) -> Any: ...
    def __lt__(self, other: Any, /) -> Any: ...
    def __le__(self, other: Any, /) -> Any: ...
    def __gt__(self, other: Any, /) -> Any: ...
    def __ge__(self, other: Any, /) -> Any: ...


N = TypeVar("N", bound=Number)
"""One kind of number."""

TOLERANCE = 5e-10
"""Scores that differ by less count as equal, so that every engine makes the same decision."""


class Ops(Protocol[N]):
    """The operations on numbers that Python has no operator for."""

    def minimum(self, a: N | float, b: N | float, /) -> N:
        """Return the smaller of two numbers."""
        ...

    def maximum(self, a: N | float, b: N | float, /) -> N:
        """Return the larger of two numbers."""
        ...

    def power(self, base: N | float, exponent: N | float, /) -> N:
        """Return the base raised to the exponent."""
        ...

    def log(self, number: N | float, /) -> N:
        """Return the natural logarithm of a number above 0."""
        ...

    def where(self, condition: Any, yes: N | float, no: N | float, /) -> N:
        """Return one number where the condition holds, else the other. Both are evaluated: guard divisions."""
        ...


class Floats:
    """Plain Python floats."""

    @staticmethod
    def minimum(a: float, b: float, /) -> float:
        """Return the smaller of two floats."""
        return a if a <= b else b

    @staticmethod
    def maximum(a: float, b: float, /) -> float:
        """Return the larger of two floats."""
        return a if a >= b else b

    @staticmethod
    def power(base: float, exponent: float, /) -> float:
        """Return the base raised to the exponent."""
        return float(base**exponent)

    @staticmethod
    def log(number: float, /) -> float:
        """Return the natural logarithm of a number above 0."""
        return math.log(number)

    @staticmethod
    def where(condition: Any, yes: float, no: float, /) -> float:
        """Return `yes` if the condition holds, else `no`."""
        return yes if condition else no


FLOATS: Ops[float] = Floats()
"""Operations that evaluate a formula on floats, one case at a time."""


def at_least(score: Any, threshold: Any) -> Any:
    """Return whether a score reaches a threshold, for any kind of number.

    >>> at_least(0.1 + 0.2, 0.3), at_least(0.3 - 1e-12, 0.3), at_least(0.2999, 0.3)
    (True, True, False)
    """
    return score >= threshold - TOLERANCE


def above(score: Any, threshold: Any) -> Any:
    """Return whether a score is strictly above a threshold, for any kind of number.

    >>> above(0.1 + 0.2, 0.3), above(0.31, 0.3)
    (False, True)
    """
    return score > threshold + TOLERANCE


def clamp(score: N, ops: Ops[N]) -> N:
    """Limit a number to [0, 1]."""
    return ops.minimum(ops.maximum(score, 0.0), 1.0)
