"""Learn the weights of named features from outcomes, drawn to weights that are known beforehand.

The method is logistic regression with a Gaussian prior around the given weights (ridge, if they are 0). Without
outcomes the fit is the prior; each outcome moves it a little. Learning needs numpy, applying a fit does not.
"""

import math
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from howsure.errors import InputError, MissingExtraError, shown
from howsure.shapes import decode_as

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

PRECISION = 30.0
"""Default precision of the prior of a weight: as much as 120 outcomes say about a feature of spread 1."""
INTERCEPT_PRECISION = 1.0
"""Default precision of the prior of the intercept: as much as 4 outcomes say."""
MOST_KNOTS = 101
"""Points of the curve that turns a value into its rank."""
_ROUNDS = 100
_HALVINGS = 60
_CONVERGED = 1e-10
_SMALLEST_GAIN = 1e-12
"""Gain of a step, as a share of the loss, that is the last one."""
_LARGEST = 1e9
"""Values of features beyond this are an error, since their squares would lose all digits."""

Scaling = Literal["given", "standard", "rank"]
"""How features are scaled before they are weighted: not at all, to mean 0 and spread 1, or by their rank."""
Features = Mapping[str, float | None]
"""The features of one case by name. One that is missing, None or NaN is left out: it moves nothing."""


@dataclass(frozen=True)
class Scale:
    """A curve from the values of a feature to the numbers that are weighted: straight lines between its points."""

    values: tuple[float, ...]
    """Values of the feature, ascending; empty if it was always the same."""
    scaled: tuple[float, ...]
    """What each of them is scaled to."""
    clipped: bool
    """Whether values beyond the ends are scaled like the ends; otherwise the line goes on."""

    def __call__(self, value: float) -> float:
        """Return the scaled value; 0 if the feature was always the same."""
        if not self.values:
            return 0.0
        if self.clipped and not self.values[0] < value < self.values[-1]:
            return self.scaled[0] if value <= self.values[0] else self.scaled[-1]
        right = min(max(bisect_right(self.values, value), 1), len(self.values) - 1)
        low, high = self.values[right - 1], self.values[right]
        share = (value - low) / (high - low)
        return self.scaled[right - 1] + share * (self.scaled[right] - self.scaled[right - 1])


@dataclass(frozen=True)
class Weights:
    """Learned weights of named features, ready to be applied."""

    intercept: float
    """Log odds of a case whose features are all neutral."""
    weights: dict[str, float]
    """How much a scaled feature adds to the log odds."""
    errors: dict[str, float]
    """Standard error of each weight."""
    outcomes: int
    """How many outcomes they were learned from."""
    scales: dict[str, Scale] = field(default_factory=dict)
    """How each feature is scaled; a feature without a scale is taken as it is."""

    def contributions(self, features: Features) -> dict[str, float]:
        """Return what each feature adds to the log odds of a case; features that are left out are not in it."""
        found = {}
        for name, weight in self.weights.items():
            value = features.get(name)
            if value is not None and not math.isnan(value):
                scale = self.scales.get(name)
                found[name] = weight * (value if scale is None else scale(value))
        return found

    def log_odds(self, features: Features) -> float:
        """Return the log odds of a case."""
        return self.intercept + math.fsum(self.contributions(features).values())

    def probability(self, features: Features) -> float:
        """Return the probability of a case."""
        # tanh cannot overflow, unlike exp.
        return 0.5 + 0.5 * math.tanh(0.5 * self.log_odds(features))


def learn_weights(
    cases: Sequence[Features],
    outcomes: Sequence[float],
    prior: Mapping[str, float],
    *,
    intercept: float = 0.0,
    precision: float = PRECISION,
    intercept_precision: float = INTERCEPT_PRECISION,
    sample_weights: Sequence[float] | None = None,
    scaling: Scaling = "given",
) -> Weights:
    """Learn weights from cases with a known outcome.

    The same input gives the same weights, in any order of the cases up to rounding. Cases that a feature separates
    perfectly, features that never change and any small number of cases, none included, give finite weights.

    Args:
        cases: The features of each case. Features without a prior weight are ignored.
        outcomes: What each case turned out to be: 1 good, 0 bad, or a probability in between.
        prior: The weights to draw to, by the names of the features.
        intercept: The intercept to draw to.
        precision: How strongly weights are drawn to the prior: the inverse of its variance.
        intercept_precision: How strongly the intercept is drawn.
        sample_weights: How much each case counts; default: 1.
        scaling: How features are scaled before they are weighted.

    Raises:
        InputError: if the lengths differ, or a number is out of range.
        MissingExtraError: if numpy is not installed.

    >>> cases = [{"errors": 0.0}, {"errors": 1.0}, {"errors": 0.0}, {"errors": 1.0}]
    >>> learned = learn_weights(cases, [1, 0, 1, 0], {"errors": -0.2}, precision=1.0)
    >>> round(learned.weights["errors"], 3), round(learned.probability({"errors": 0.0}), 3)
    (-0.879, 0.553)
    """
    try:
        import numpy as np
    except ImportError:
        raise MissingExtraError("arrays", "learning weights") from None
    _check_numbers(intercept, precision, intercept_precision, prior)
    counts = [1.0] * len(cases) if sample_weights is None else list(sample_weights)
    for name, given in (("outcomes", outcomes), ("sample_weights", counts)):
        if len(given) != len(cases):
            raise InputError(f"{len(given)} {name} for {len(cases)} cases", field=name)
    _check_each(outcomes, "outcomes", 1.0)
    _check_each(counts, "sample_weights", _LARGEST)

    decode_as(Scaling, scaling, "scaling")

    names = list(prior)
    count, outcome = np.array(counts, dtype=float), np.array(outcomes, dtype=float)
    columns = [_column([case.get(name) for case in cases], name) for name in names]
    scales: dict[str, Scale] = {}
    if scaling != "given":
        build = _standard_scale if scaling == "standard" else _rank_scale
        scales = {name: build(column, count) for name, column in zip(names, columns, strict=True)}
        columns = [_apply(scales[name], column) for name, column in zip(names, columns, strict=True)]
    matrix = np.ones((len(cases), 1 + len(names)))
    for number, column in enumerate(columns, start=1):
        matrix[:, number] = np.where(np.isnan(column), 0.0, column)
    centre = np.array([intercept, *prior.values()], dtype=float)
    precisions = np.array([intercept_precision, *(precision for _ in names)])
    solution, curvature = maximize(matrix, outcome, count, centre, precisions)
    spread = np.sqrt(np.diag(np.linalg.inv(curvature)))
    return Weights(
        intercept=float(solution[0]),
        weights=dict(zip(names, map(float, solution[1:]), strict=True)),
        errors=dict(zip(names, map(float, spread[1:]), strict=True)),
        outcomes=int(np.count_nonzero(count)),
        scales=scales,
    )


def maximize(
    matrix: "Floats", outcome: "Floats", count: "Floats", centre: "Floats", precisions: "Floats"
) -> tuple["Floats", "Floats"]:
    """Return the weights with the highest posterior density, and the curvature there.

    Newton's method; a step that does not improve is halved. The problem is strictly convex, since every precision is
    positive, so there is one solution and it is found from any start.
    """
    import numpy as np

    def loss(weights: "Floats") -> float:
        odds = matrix @ weights
        misfit = count @ (np.logaddexp(0.0, odds) - outcome * odds)
        return float(misfit + 0.5 * precisions @ (weights - centre) ** 2)

    weights, current = centre.copy(), loss(centre)
    for _ in range(_ROUNDS):
        chance = 0.5 + 0.5 * np.tanh(0.5 * (matrix @ weights))
        gradient = matrix.T @ (count * (chance - outcome)) + precisions * (weights - centre)
        curvature = (matrix * (count * chance * (1.0 - chance))[:, None]).T @ matrix + np.diag(precisions)
        step = np.linalg.solve(curvature, gradient)
        if np.max(np.abs(step)) < _CONVERGED:
            break
        if gradient @ step < _SMALLEST_GAIN * (1.0 + abs(current)):
            # What is left to gain is below the rounding of the loss, which cannot tell whether a step improves; without
            # this, 24,000 cases took 1,000 evaluations. Newton's method squares the error, so one more step is exact.
            weights = weights - step
            break
        for _ in range(_HALVINGS):
            tried = loss(weights - step)
            if tried <= current:
                break
            step *= 0.5
        else:  # only rounding errors are left
            break
        weights, current = weights - step, tried
    return weights, curvature


def _column(values: Sequence[float | None], name: str) -> "Floats":
    """Return the values of one feature; NaN for those that are left out."""
    import numpy as np

    column = np.array([math.nan if value is None else value for value in values], dtype=float)
    if np.any(np.abs(column) > _LARGEST):
        raise InputError(f"a value of the feature {shown(name)} is too large", field="cases", hint="at most 1e9")
    return column


def _standard_scale(column: "Floats", count: "Floats") -> Scale:
    """Return the line that gives a feature mean 0 and spread 1."""
    import numpy as np

    known = ~np.isnan(column) & (count > 0.0)
    if not known.any() or np.ptp(column[known]) == 0.0:
        return Scale((), (), clipped=False)
    mean = float(np.average(column[known], weights=count[known]))
    spread = math.sqrt(float(np.average((column[known] - mean) ** 2, weights=count[known])))
    return Scale((mean, mean + spread), (0.0, 1.0), clipped=False)


def _rank_scale(column: "Floats", count: "Floats") -> Scale:
    """Return the curve that gives a feature's ranks mean 0 and spread 1; equal values share a rank."""
    import numpy as np

    known = ~np.isnan(column) & (count > 0.0)
    values, places = np.unique(column[known], return_inverse=True)
    if len(values) < 2:  # noqa: PLR2004 - it never changes
        return Scale((), (), clipped=True)
    weight = np.bincount(places, weights=count[known])
    ranks = (np.cumsum(weight) - 0.5 * weight) / weight.sum()
    scaled = (ranks - 0.5) * math.sqrt(12.0)  # the spread of evenly spread ranks is 1 / sqrt(12)
    if len(values) > MOST_KNOTS:
        chosen = np.unique(np.linspace(0, len(values) - 1, MOST_KNOTS).round().astype(int))
        values, scaled = values[chosen], scaled[chosen]
    return Scale(tuple(map(float, values)), tuple(map(float, scaled)), clipped=True)


def _apply(scale: Scale, column: "Floats") -> "Floats":
    """Scale a whole column; NaN stays NaN."""
    import numpy as np

    if not scale.values:
        return np.where(np.isnan(column), column, 0.0)
    if scale.clipped:
        return np.interp(column, scale.values, scale.scaled)
    (low, high), (start, end) = scale.values, scale.scaled
    return start + (column - low) / (high - low) * (end - start)


def _check_numbers(intercept: float, precision: float, intercept_precision: float, prior: Mapping[str, float]) -> None:
    for name, value in (("precision", precision), ("intercept_precision", intercept_precision)):
        if not 0.0 < value <= _LARGEST:
            raise InputError(f"{shown(value)} is not above 0 and at most {_LARGEST:g}", field=name)
    span = f"from {-_LARGEST:g} to {_LARGEST:g}"
    if not abs(intercept) <= _LARGEST:  # also true for NaN
        raise InputError(f"{shown(intercept)} is not {span}", field="intercept")
    for name, value in prior.items():
        if not abs(value) <= _LARGEST:
            raise InputError(f"{shown(value)} is not {span}", field="prior", hint=f"the weight of {name}")


def _check_each(numbers: Sequence[Any], name: str, most: float) -> None:
    for place, number in enumerate(numbers):
        if not 0.0 <= number <= most:  # also false for NaN
            raise InputError(f"{shown(number)} is not from 0 to {most:g}", field=f"{name}[{place}]")
