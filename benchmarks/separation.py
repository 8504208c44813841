"""Measure how well a score separates successes from failures."""

import random
from collections.abc import Sequence
from typing import NamedTuple


class Separation(NamedTuple):
    """Area under the ROC curve with its 95 % interval."""

    auroc: float
    low: float
    high: float

    def __str__(self) -> str:
        """Return the area and its interval as shown in tables."""
        return f"{self.auroc:.2f} [{self.low:.2f}, {self.high:.2f}]"


def auroc(scores: Sequence[float], good: Sequence[bool]) -> float:
    """Return the probability that a success scores higher than a failure; equal scores count half.

    NaN if there are only successes or only failures.

    >>> auroc([0.9, 0.5, 0.5, 0.0], [True, True, False, False])
    0.875
    """
    order = sorted(range(len(scores)), key=scores.__getitem__)
    ranks = [0.0] * len(scores)
    start = 0
    while start < len(order):
        end = start
        while end + 1 < len(order) and scores[order[end + 1]] == scores[order[start]]:
            end += 1
        for index in range(start, end + 1):
            ranks[order[index]] = (start + end) / 2 + 1
        start = end + 1
    successes = sum(good)
    failures = len(good) - successes
    if not successes or not failures:
        return float("nan")
    above = sum(rank for rank, one in zip(ranks, good, strict=True) if one) - successes * (successes + 1) / 2
    return above / (successes * failures)


def separation(scores: Sequence[float], good: Sequence[bool], rounds: int = 1000) -> Separation:
    """Return the area with a 95 % interval from bootstrap samples of the cases."""
    dice = random.Random(5)
    areas = []
    for _ in range(rounds):
        sample = [dice.randrange(len(scores)) for _ in scores]
        value = auroc([scores[index] for index in sample], [good[index] for index in sample])
        if value == value:  # noqa: PLR0124 - NaN if a sample holds only one kind
            areas.append(value)
    areas.sort()
    return Separation(auroc(scores, good), areas[int(len(areas) * 0.025)], areas[int(len(areas) * 0.975)])
