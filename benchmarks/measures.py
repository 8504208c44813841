"""Measures as the tables of `docs/evaluation.md` show them; scores are held against outcomes by `howsure.learn`."""

import math
from collections.abc import Callable, Hashable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from howsure.learn.evaluation import Evaluation
from howsure.learn.frames import number_groups
from howsure.learn.metrics import Interval, Scores, bootstrap_weights, percentile_interval

Numbers = NDArray[np.float64]
DRAWS = 1000


def show(interval: Interval, form: str = ".2f") -> str:
    """Return a number with its 95 % interval, each in the given format; a dash if it is undefined.

    >>> show(Interval(0.5, 0.25, 0.75)), show(Interval(None))
    ('0.50 [0.25, 0.75]', '-')
    """
    if interval.value is None:
        return "-"
    if interval.lower is None or interval.upper is None:
        return f"{interval.value:{form}}"
    return f"{interval.value:{form}} [{interval.lower:{form}}, {interval.upper:{form}}]"


def show_measure(found: Evaluation, measure: str, form: str = ".2f") -> str:
    """Return one measure of an evaluation with its interval."""
    bounds = found.intervals.get(measure)
    value = getattr(found, measure)
    return show(Interval(value) if bounds is None else Interval(value, bounds.lower, bounds.upper), form)


def show_difference(found: Evaluation, other: str, measure: str, form: str = "+.3f") -> str:
    """Return by how much a measure of another column differs from that of the first, with its paired interval."""
    own = [one for one in found.differences if one.score == other and one.measure == measure]
    return show(Interval(own[0].difference, own[0].lower, own[0].upper), form) if own else "-"


def print_heads(*heads: str) -> None:
    """Print the first two lines of a Markdown table."""
    print("| " + " | ".join(heads) + " |\n|" + "---|" * len(heads))


def auroc(scores: Sequence[float], good: Sequence[bool]) -> float:
    """Return the probability that a success scores higher than a failure; NaN if there are only successes or failures.

    >>> auroc([0.9, 0.5, 0.5, 0.0], [True, True, False, False])
    0.875
    """
    found = Scores(np.array(scores, dtype=float), np.array(good, dtype=float)).cumulate().auroc()
    return math.nan if found is None else found


def bootstrap(
    statistic: Callable[[Any], float | None], groups: Sequence[Hashable], draws: int | None = None
) -> Interval:
    """Return a statistic of all cases with its 95 % interval; `groups` names the group of each, which is drawn whole.

    The statistic takes how often each case is drawn. It may return None or NaN if a draw has nothing to compare.
    """
    if not groups:
        return Interval(None)
    numbers = np.asarray(number_groups(list(groups))[0])
    weights = bootstrap_weights(len(groups), numbers, draws=DRAWS if draws is None else draws)
    value = statistic(np.ones(len(groups)))
    return percentile_interval(
        None if value is None or math.isnan(value) else value, [statistic(drawn) for drawn in weights]
    )


class Detection(NamedTuple):
    """How well cases of one kind are found."""

    precision: float
    recall: float
    f1: float


def detect(reported: Sequence[bool], wanted: Sequence[bool]) -> Detection:
    """Return precision, recall and F1.

    >>> detect([True, True, False], [True, False, True])
    Detection(precision=0.5, recall=0.5, f1=0.5)
    """
    right = sum(one and other for one, other in zip(reported, wanted, strict=True))
    precision = right / sum(reported) if any(reported) else 0.0
    recall = right / sum(wanted) if any(wanted) else 0.0
    return Detection(precision, recall, 2 * precision * recall / (precision + recall) if right else 0.0)


def pearson(one: Numbers, other: Numbers) -> float:
    """Return the linear correlation; NaN if one side is constant."""
    if not len(one) or np.ptp(one) == 0 or np.ptp(other) == 0:
        return math.nan
    x, y = one - one.mean(), other - other.mean()
    return float(x @ y / np.sqrt((x @ x) * (y @ y)))


def ranks(values: Numbers) -> Numbers:
    """Return the ranks, starting at 1; equal values get the mean of their ranks."""
    _, index, counts = np.unique(values, return_inverse=True, return_counts=True)
    mean_ranks: Numbers = (np.cumsum(counts) - (counts - 1) / 2)[index]
    return mean_ranks


def spearman(one: Numbers, other: Numbers) -> float:
    """Return the correlation of the ranks."""
    return pearson(ranks(one), ranks(other))
