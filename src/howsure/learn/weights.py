"""Learn the weights of named features from outcomes, drawn to weights that are known beforehand.

The method is logistic regression with a Gaussian prior around the given weights (ridge, if they are 0). Without
outcomes the fit is the prior; each outcome moves it a little. Learning needs numpy, applying a fit does not.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from howsure.errors import InputError, MissingExtraError, shown

if TYPE_CHECKING:
    from howsure.arrays import Floats

PRECISION = 30.0
"""Default precision of the prior of a weight: as much as 120 outcomes say about a feature of spread 1."""
INTERCEPT_PRECISION = 1.0
"""Precision of the prior of the intercept: as much as 4 outcomes say."""
_ROUNDS = 100
_HALVINGS = 60
_CONVERGED = 1e-10
_SMALLEST_GAIN = 1e-12
"""Gain of a step, as a share of the loss, that is the last one."""
_LARGEST = 1e9
"""Values of features beyond this are an error, since their squares would lose all digits."""

Features = Mapping[str, float | None]
"""The features of one case by name. One that is missing, None or NaN is left out: it moves nothing."""


@dataclass(frozen=True)
class Weights:
    """Learned weights of named features, ready to be applied."""

    intercept: float
    """Log odds of a case whose features are all neutral."""
    weights: dict[str, float]
    """How much one unit of a feature adds to the log odds."""
    errors: dict[str, float]
    """Standard error of each weight."""
    outcomes: int
    """How many outcomes they were learned from."""

    def contributions(self, features: Features) -> dict[str, float]:
        """Return what each feature adds to the log odds of a case; features that are left out are not in it."""
        found = {}
        for name, weight in self.weights.items():
            value = features.get(name)
            if value is not None and not math.isnan(value):
                found[name] = weight * value
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
    _check_numbers(intercept, precision, prior)
    if len(outcomes) != len(cases):
        raise InputError(f"{len(outcomes)} outcomes for {len(cases)} cases", field="outcomes")
    for place, outcome in enumerate(outcomes):
        if not 0.0 <= outcome <= 1.0:  # also false for NaN
            raise InputError(f"{shown(outcome)} is not from 0 to 1", field=f"outcomes[{place}]")

    names = list(prior)
    matrix = np.ones((len(cases), 1 + len(names)))
    for number, name in enumerate(names, start=1):
        matrix[:, number] = _column([case.get(name) for case in cases], name)
    centre = np.array([intercept, *prior.values()], dtype=float)
    precisions = np.array([INTERCEPT_PRECISION, *(precision for _ in names)])
    solution, curvature = maximize(matrix, np.array(outcomes, dtype=float), centre, precisions)
    spread = np.sqrt(np.diag(np.linalg.inv(curvature)))
    return Weights(
        intercept=float(solution[0]),
        weights=dict(zip(names, map(float, solution[1:]), strict=True)),
        errors=dict(zip(names, map(float, spread[1:]), strict=True)),
        outcomes=len(cases),
    )


def maximize(matrix: "Floats", outcome: "Floats", centre: "Floats", precisions: "Floats") -> tuple["Floats", "Floats"]:
    """Return the weights with the highest posterior density, and the curvature there.

    Newton's method; a step that does not improve is halved. The problem is strictly convex, since every precision is
    positive, so there is one solution and it is found from any start.
    """
    import numpy as np

    def loss(weights: "Floats") -> float:
        odds = matrix @ weights
        misfit = np.sum(np.logaddexp(0.0, odds) - outcome * odds)
        return float(misfit + 0.5 * precisions @ (weights - centre) ** 2)

    weights, current = centre.copy(), loss(centre)
    for _ in range(_ROUNDS):
        chance = 0.5 + 0.5 * np.tanh(0.5 * (matrix @ weights))
        gradient = matrix.T @ (chance - outcome) + precisions * (weights - centre)
        curvature = (matrix * (chance * (1.0 - chance))[:, None]).T @ matrix + np.diag(precisions)
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
    """Return the values of one feature; 0 for those that are left out."""
    import numpy as np

    column = np.array([math.nan if value is None else value for value in values], dtype=float)
    if np.any(np.abs(column) > _LARGEST):
        raise InputError(f"a value of the feature {shown(name)} is too large", field="cases", hint="at most 1e9")
    return np.where(np.isnan(column), 0.0, column)


def _check_numbers(intercept: float, precision: float, prior: Mapping[str, float]) -> None:
    if not 0.0 < precision <= _LARGEST:
        raise InputError(f"{shown(precision)} is not above 0 and at most {_LARGEST:g}", field="precision")
    span = f"from {-_LARGEST:g} to {_LARGEST:g}"
    if not abs(intercept) <= _LARGEST:  # also true for NaN
        raise InputError(f"{shown(intercept)} is not {span}", field="intercept")
    for name, value in prior.items():
        if not abs(value) <= _LARGEST:
            raise InputError(f"{shown(value)} is not {span}", field="prior", hint=f"the weight of {name}")
