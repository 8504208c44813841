"""Learn weights and a calibration map from a matrix of factors, quickly enough for 100,000 outcomes."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from howsure.arrays import np
from howsure.formulas.learned import LearnedModel, LearnedTerm
from howsure.learn.calibration import sigmoid
from howsure.learn.fit import Fit
from howsure.learn.learning import WeightMethod, fit_weights
from howsure.learn.weights import INTERCEPT_PRECISION, PRECISION, maximize
from howsure.progress import Progress, silent

if TYPE_CHECKING:
    from howsure.arrays import Floats


@dataclass(frozen=True)
class FactorMatrix:
    """Factors of decisions with their outcomes. A value that is missing is 0, which moves nothing."""

    terms: tuple[LearnedTerm, ...]
    """How each column is computed from a named value; the weight is that of one unit of the column."""
    prior: tuple[float, ...]
    """The weight of each column that learning is drawn to."""
    values: "Floats"
    """One row for each decision, one column for each term."""
    outcomes: "Floats"
    """1 right, 0 wrong."""
    paths: Sequence[tuple[str, ...]]
    """Who each decision comes from, from the broad group to the narrow one."""


def learn_matrix(
    given: FactorMatrix,
    *,
    name: str,
    old: "Floats | None",
    precision: float = PRECISION,
    draws: int | None = None,
    progress: Progress = silent,
) -> Fit:
    """Learn weights drawn to a prior, which probability their sum stands for, and the offset of each group.

    Args:
        given: The factors and outcomes.
        name: What the weighted sum is called.
        old: The probabilities in use, which the fit would replace.
        precision: How strongly weights are drawn to their prior.
        draws: Bootstrap draws; default 1,000, and fewer from 5,000 outcomes on.
        progress: Called with how far it has come.
    """
    size = len(given.outcomes)
    matrix = np.concatenate([np.ones((size, 1)), given.values], axis=1)
    centre = np.array([0.0, *given.prior])
    precisions = np.array([INTERCEPT_PRECISION, *(precision for _ in given.prior)])

    def weigh(known: Any) -> "Floats":
        return maximize(matrix[known], given.outcomes[known], centre, precisions)[0]

    def model(weights: "Floats") -> LearnedModel:
        terms = tuple(
            replace(term, weight=term.weight * float(weight))
            for term, weight in zip(given.terms, weights[1:], strict=True)
        )
        return LearnedModel(terms=terms, intercept=float(weights[0]), link="logistic")

    return fit_weights(
        WeightMethod(weigh, lambda weights, wanted: sigmoid(matrix[wanted] @ weights), model), given.outcomes,
        name=name, groups=("agent_type", "agent"), paths=given.paths, old=old, draws=draws, progress=progress,
    )  # fmt: skip
