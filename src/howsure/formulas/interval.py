"""Confidence intervals."""

from typing import NamedTuple

from howsure.shapes.types import json_property


class Interval(NamedTuple):
    """A confidence interval [lower, upper] within [0, 1].

    >>> i = Interval(0.4, 0.9)
    >>> i.midpoint, i.conservative, i.optimistic, i.width
    (0.65, 0.4, 0.9, 0.5)
    """

    lower: float
    """Worst-case credibility."""
    upper: float
    """Best-case credibility."""

    @json_property
    def midpoint(self) -> float:
        """Balanced estimate: the middle of the interval."""
        return (self.lower + self.upper) / 2

    @json_property
    def conservative(self) -> float:
        """Worst-case credibility: the lower bound."""
        return self.lower

    @json_property
    def optimistic(self) -> float:
        """Best-case credibility: the upper bound."""
        return self.upper

    @json_property
    def width(self) -> float:
        """Degree of uncertainty: how far the bounds lie apart."""
        return self.upper - self.lower

    def __str__(self) -> str:
        """Return the interval as people write it.

        >>> str(Interval(0.5, 1.0))
        '[0.50, 1.00]'
        """
        return f"[{self.lower:.2f}, {self.upper:.2f}]"
