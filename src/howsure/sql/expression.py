"""Symbolic numbers that record how they are computed."""

from collections.abc import Callable
from typing import Any, NoReturn

Operation = Callable[["Expression", Any], "Expression"]


def _left(operator: str) -> Operation:
    return lambda self, other: Expression(operator, self, other)


def _right(operator: str) -> Operation:
    return lambda self, other: Expression(operator, other, self)


class Expression:
    """A tree of operations over columns and constants, built by Python's own operators.

    >>> a = Expression.column("a")
    >>> 1 - (1 - a)
    (1 - (1 - a))
    """

    __slots__ = ("arguments", "operator")

    def __init__(self, operator: str, *arguments: Any) -> None:
        """Take an operator (or 'column', 'sql', 'min', 'max', 'power', 'log', 'where') and its arguments."""
        self.operator: str = operator
        self.arguments: tuple[Any, ...] = arguments

    @classmethod
    def column(cls, name: str) -> "Expression":
        """Return the number in a column."""
        return cls("column", name)

    def __bool__(self) -> NoReturn:
        """Raise TypeError: a symbolic number has no truth value, so a formula cannot branch on it."""
        raise TypeError("a formula has no `if`: use ops.where, which decides for every row")

    __add__: Operation = _left("+")
    __radd__: Operation = _right("+")
    __sub__: Operation = _left("-")
    __rsub__: Operation = _right("-")
    __mul__: Operation = _left("*")
    __rmul__: Operation = _right("*")
    __truediv__: Operation = _left("/")
    __rtruediv__: Operation = _right("/")
    __lt__: Operation = _left("<")
    __le__: Operation = _left("<=")
    __gt__: Operation = _left(">")
    __ge__: Operation = _left(">=")

    def __hash__(self) -> int:
        """Hash by identity, like `__eq__`."""
        return id(self)

    def __eq__(self, other: object) -> bool:
        """Compare by identity, because an expression may be used as a key."""
        return self is other

    def __repr__(self) -> str:
        """Show the expression as arithmetic."""
        if self.operator == "column":
            return str(self.arguments[0])
        if len(self.arguments) == 2 and not self.operator.isalpha():  # noqa: PLR2004
            return f"({self.arguments[0]!r} {self.operator} {self.arguments[1]!r})"
        return f"{self.operator}({', '.join(map(repr, self.arguments))})"


class Symbols:
    """The operations of `Ops` on expressions."""

    @staticmethod
    def minimum(a: Any, b: Any, /) -> Expression:
        """Return the smaller of two numbers."""
        return Expression("min", a, b)

    @staticmethod
    def maximum(a: Any, b: Any, /) -> Expression:
        """Return the larger of two numbers."""
        return Expression("max", a, b)

    @staticmethod
    def power(base: Any, exponent: Any, /) -> Expression:
        """Return the base raised to the exponent."""
        return Expression("power", base, exponent)

    @staticmethod
    def log(number: Any, /) -> Expression:
        """Return the natural logarithm of a number."""
        return Expression("log", number)

    @staticmethod
    def where(condition: Any, yes: Any, no: Any, /) -> Expression:
        """Return one number where the condition holds, else the other."""
        return Expression("where", condition, yes, no)


SYMBOLS = Symbols()
"""Operations that record a formula as expressions."""
