"""Widen the intervals of claims as they age."""

from dataclasses import dataclass
from typing import Annotated, Literal, get_args

from howsure.formulas.ops import N, Ops
from howsure.shapes import DAY, HOUR, Within

MONTH = 30.4375 * DAY

Tier = Literal["ephemeral", "task", "project", "persistent"]
"""How long a claim is meant to live."""
TIERS: tuple[Tier, ...] = get_args(Tier)
"""All tiers, the shortest-lived first; tables in memory number them in this order."""

Seconds = Annotated[float, Within(1e-3, 1e12)]
"""A duration that is never zero."""


@dataclass(frozen=True)
class HalfLives:
    """Seconds after which a stale claim of each tier has lost half of its confidence."""

    ephemeral: Seconds = 4 * HOUR
    """Half-life of claims for the moment."""
    task: Seconds = 3 * DAY
    """Half-life of claims for one task."""
    project: Seconds = 28 * DAY
    """Half-life of claims for a project."""
    persistent: Seconds = 6 * MONTH
    """Half-life of claims that are kept for good."""

    def of(self, tier: Tier) -> float:
        """Return the half-life of a tier, in seconds."""
        return float(getattr(self, tier))


def half_lives(now: N, stale_at: N, half_life: N, oldest: float, ops: Ops[N]) -> N:
    """Return how many half-lives have passed since a claim became stale, limited to [0, oldest].

    >>> from howsure.formulas.ops import FLOATS
    >>> half_lives(100.0, 40.0, 20.0, 200.0, FLOATS), half_lives(10.0, 40.0, 20.0, 200.0, FLOATS)
    (3.0, 0.0)
    """
    since = ops.maximum(now - stale_at, 0.0)
    return ops.minimum(since / half_life, oldest)
