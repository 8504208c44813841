"""Separation: how well a number tells successes from failures."""

import random
from collections.abc import Sequence
from typing import NamedTuple


class Separation(NamedTuple):
    """Area under the ROC curve, with an interval."""

    auroc: float
    low: float
    high: float

    def __str__(self) -> str:
        """Return it as tables show it."""
        return f"{self.auroc:.2f} [{self.low:.2f}, {self.high:.2f}]"


def auroc(scores: Sequence[float], good: Sequence[bool]) -> float:
    """Return the chance that a success scores higher than a failure; ties count half."""
    order = sorted(range(len(scores)), key=scores.__getitem__)
    ranks = [0.0] * len(scores)
    start = 0
    while start < len(order):
        end = start
        while end + 1 < len(order) and scores[order[end + 1]] == scores[order[start]]:
            end += 1
        for place in range(start, end + 1):
            ranks[order[place]] = (start + end) / 2 + 1
        start = end + 1
    successes = sum(good)
    failures = len(good) - successes
    if not successes or not failures:
        return float("nan")
    above = sum(rank for rank, one in zip(ranks, good, strict=True) if one) - successes * (successes + 1) / 2
    return above / (successes * failures)


def separation(scores: Sequence[float], good: Sequence[bool], rounds: int = 1000) -> Separation:
    """Return the area with a 95 % interval by bootstrap over cases."""
    dice = random.Random(5)
    found = []
    for _ in range(rounds):
        picked = [dice.randrange(len(scores)) for _ in scores]
        value = auroc([scores[place] for place in picked], [good[place] for place in picked])
        if value == value:  # noqa: PLR0124 - not where a sample holds only one kind
            found.append(value)
    found.sort()
    return Separation(auroc(scores, good), found[int(len(found) * 0.025)], found[int(len(found) * 0.975)])
