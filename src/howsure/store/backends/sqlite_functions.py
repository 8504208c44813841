"""Mathematical functions for a SQLite that was compiled without them."""

import math
import sqlite3
from collections.abc import Callable

FUNCTIONS: dict[str, tuple[int, Callable[..., float]]] = {
    "POWER": (2, math.pow),
    "EXP": (1, math.exp),
    "LN": (1, math.log),
    "LOG2": (1, math.log2),
    "SQRT": (1, math.sqrt),
    "FLOOR": (1, lambda number: float(math.floor(number))),
}
"""Functions of generated SQL: arity and definition."""


def define_missing(connection: sqlite3.Connection) -> None:
    """Define those functions that a connection lacks."""
    for name, (arity, function) in FUNCTIONS.items():
        try:
            connection.execute(f"SELECT {name}({', '.join(['1.0'] * arity)})")
        except sqlite3.OperationalError:
            connection.create_function(name, arity, _null_safe(function), deterministic=True)


def _null_safe(function: Callable[..., float]) -> Callable[..., float | None]:
    def call(*numbers: float | None) -> float | None:
        if None in numbers:
            return None
        try:
            return function(*numbers)
        except (ValueError, OverflowError):
            return None  # as SQLite's own functions do outside their domain

    return call
