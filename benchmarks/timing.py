"""Measuring: the best of a few runs, since everything else only adds to it."""

import time
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


def best(action: Callable[[], T], runs: int = 5) -> tuple[float, T]:
    """Return the fastest of several runs in seconds, and what the last one gave."""
    fastest = float("inf")
    for _ in range(runs):
        start = time.perf_counter()
        result = action()
        fastest = min(fastest, time.perf_counter() - start)
    return fastest, result
