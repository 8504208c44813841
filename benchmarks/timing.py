"""Measure how long a call takes."""

import time
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


def best(action: Callable[[], T], runs: int = 5) -> tuple[float, T]:
    """Return the seconds of the fastest of several runs, and the result of the last one.

    The fastest is the least disturbed by other work on the machine.
    """
    fastest = float("inf")
    for _ in range(runs):
        start = time.perf_counter()
        result = action()
        fastest = min(fastest, time.perf_counter() - start)
    return fastest, result
