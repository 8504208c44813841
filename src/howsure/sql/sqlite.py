"""Mathematical functions for SQLite, which may be compiled without them."""

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


def prepare(connection: sqlite3.Connection) -> None:
    """Define the functions that generated SQL uses, if the connection lacks them."""
    try:
        connection.execute(f"SELECT {', '.join(f'{name}({_ones(arity)})' for name, (arity, _) in FUNCTIONS.items())}")
    except sqlite3.OperationalError:  # at least one is missing
        _define_missing(connection)


def _ones(arity: int) -> str:
    return ", ".join(["1.0"] * arity)


def _define_missing(connection: sqlite3.Connection) -> None:
    for name, (arity, function) in FUNCTIONS.items():
        try:
            connection.execute(f"SELECT {name}({_ones(arity)})")
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
