"""SQLite: its mathematical functions are optional, so they are given to it where they are missing."""

import math
import sqlite3
from collections.abc import Callable

FUNCTIONS: dict[str, tuple[int, Callable[..., float]]] = {
    "POWER": (2, math.pow),
    "EXP": (1, math.exp),
    "LN": (1, math.log),
    "LOG2": (1, math.log2),
    "SQRT": (1, math.sqrt),
}


def prepare(connection: sqlite3.Connection) -> None:
    """Make sure that a connection knows the functions that generated SQL uses."""
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
