"""Limit how often a caller may run an operation."""

import math
import time
from collections.abc import Callable
from threading import Lock
from typing import TYPE_CHECKING

from howsure.serve.errors import RateLimitError

if TYPE_CHECKING:
    from howsure.serve.operations import Operation

RATE = 50.0
"""Requests per second, for each token and operation."""
BURST = 2.0
"""Seconds' worth of requests that may come at once."""
SLOW_COST = 25.0
"""How many requests a slow operation counts for."""
MAX_BUCKETS = 10_000
"""Pairs of caller and operation that are remembered."""


class RateLimits:
    """A token bucket for each caller and operation. Each server process counts on its own."""

    def __init__(self, rate: float | None = RATE, clock: Callable[[], float] = time.monotonic) -> None:
        """Set the number of requests per second; None for no limit."""
        self.rate = rate
        self._clock = clock
        self._buckets: dict[tuple[str, str], tuple[float, float]] = {}
        self._lock = Lock()

    def count_operation(self, caller: str, operation: "Operation") -> None:
        """Count a request for an operation.

        Raises:
            RateLimitError: if the caller has to wait.
        """
        self.count(caller, operation.name, SLOW_COST if operation.slow else 1.0)

    def count(self, caller: str, name: str, cost: float = 1.0) -> None:
        """Count a request for anything that has a name, such as a login.

        Raises:
            RateLimitError: if the caller has to wait.
        """
        if self.rate is None:
            return
        capacity = max(self.rate * BURST, cost)
        key, now = (caller, name), self._clock()
        with self._lock:
            if len(self._buckets) >= MAX_BUCKETS and key not in self._buckets:
                self._buckets.clear()  # forgetting everything is cheap and only grants a new burst
            left, updated = self._buckets.get(key, (capacity, now))
            left = min(capacity, left + (now - updated) * self.rate)
            enough = left >= cost
            self._buckets[key] = (left - cost if enough else left, now)
        if not enough:
            wait = (cost - left) / self.rate
            raise RateLimitError(f"too many requests for {name}", wait=wait, hint=f"wait {math.ceil(wait)} s")

    def give_back(self, caller: str, name: str, cost: float = 1.0) -> None:
        """Take back a request that was counted, as a login that succeeded.

        It is counted before it is known to succeed, so that no more than the limit can be tried at once.
        """
        with self._lock:
            if self.rate is not None and (bucket := self._buckets.get((caller, name))) is not None:
                left, updated = bucket
                self._buckets[caller, name] = (min(max(self.rate * BURST, cost), left + cost), updated)
