"""Limits: how often a caller may ask for an operation."""

import math
import time
from collections.abc import Callable
from threading import Lock

from howsure.serve.operations.table import AnyOperation as Operation
from howsure.serve.refusals import TooManyError

RATE = 50.0
"""Requests a second, for each token and operation."""
BURST = 2.0
"""Seconds' worth of requests that may come at once."""
SLOW = 25.0
"""What an operation counts for that may take minutes."""
MOST = 10_000
"""Callers and operations that are remembered."""


class Limits:
    """Lets each caller do each operation so often and no more. Each server counts on its own.

    What may be done fills up with time, like a bucket; a request takes out of it.
    """

    def __init__(self, rate: float | None = RATE, clock: Callable[[], float] = time.monotonic) -> None:
        """Take how many requests a second are fine; nothing, where nobody is limited."""
        self.rate = rate
        self._clock = clock
        self._left: dict[tuple[str, str], tuple[float, float]] = {}
        self._lock = Lock()

    def take(self, caller: str, operation: Operation) -> None:
        """Count a request, or refuse it."""
        self.count(caller, operation.name, SLOW if operation.slow else 1.0)

    def count(self, caller: str, what: str, cost: float = 1.0) -> None:
        """Count something that is no operation, like a try to log in, or refuse it."""
        if self.rate is None:
            return
        most = max(self.rate * BURST, cost)
        place, now = (caller, what), self._clock()
        with self._lock:
            if len(self._left) >= MOST and place not in self._left:
                self._left.clear()
            left, at = self._left.get(place, (most, now))
            left = min(most, left + (now - at) * self.rate)
            enough = left >= cost
            self._left[place] = (left - cost if enough else left, now)
        if not enough:
            wait = (cost - left) / self.rate
            raise TooManyError(f"too many requests for {what}", wait=wait, hint=f"wait {math.ceil(wait)} s")
