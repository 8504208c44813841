"""Learn weights and a calibration map from a matrix of factors, quickly enough for 100,000 outcomes."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from howsure.formulas.learned import LearnedModel, LearnedTerm
from howsure.learn import groups as offsets
from howsure.learn.calibration import Calibration, calibrate, sigmoid
from howsure.learn.fit import Fit
from howsure.learn.frames import number_groups
from howsure.learn.learning import cross_validate, measured
from howsure.learn.metrics import np
from howsure.learn.promise import count_levels
from howsure.learn.weights import INTERCEPT_PRECISION, PRECISION, maximize
from howsure.progress import Progress, silent

if TYPE_CHECKING:
    from howsure.learn.metrics import Floats

FOLDS, FEW_FOLDS, FEWEST_FOLDS = 10, 5, 3
MANY, VERY_MANY = 20_000, 50_000
"""Outcomes from which there are fewer folds, and weights cannot follow single outcomes any more."""


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

    The calibration map is learned from sums of outcomes that their weights were not learned from.

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
    places, count = number_groups(list(given.paths))
    group_of = np.asarray(places, dtype=np.int64)
    distinct: list[tuple[str, ...]] = [()] * count
    for place, path in zip(places, given.paths, strict=True):
        distinct[place] = path

    def weigh(known: Any) -> "Floats":
        return maximize(matrix[known], given.outcomes[known], np.ones(len(known)), centre, precisions)[0]

    def learn(known: Any) -> tuple["Floats", Calibration, LearnedModel]:
        weights = weigh(known)
        held = None
        if len(known) <= MANY:
            held = cross_validate(
                lambda fold, rest: sigmoid(matrix[known[rest]] @ weigh(known[fold])), len(known), None, folds=FEW_FOLDS
            )
        scores = sigmoid(matrix[known] @ weights) if held is None else held
        made = calibrate(scores, given.outcomes[known])
        found = offsets.fit_offsets(made(scores), given.outcomes[known], [given.paths[row] for row in known])
        return weights, made, LearnedModel(groups=found, group_error=offsets.PRECISION**-0.5)

    def predict(known: Any, wanted: Any) -> "Floats":
        weights, made, model = learn(known)
        chances = made(sigmoid(matrix[wanted] @ weights))
        factors = np.exp([model.group_offset(path)[0] for path in distinct])[group_of[wanted]]
        result: Floats = chances * factors / (1.0 - chances + chances * factors)
        return result

    folds = FOLDS if size <= MANY else FEW_FOLDS if size <= VERY_MANY else FEWEST_FOLDS
    chances = cross_validate(predict, size, None, progress, folds)
    weights, made, model = learn(np.arange(size))
    terms = tuple(
        replace(term, weight=term.weight * float(weight)) for term, weight in zip(given.terms, weights[1:], strict=True)
    )
    fit = Fit(
        kind="weights",
        score=name,
        outcomes=size,
        right=int(given.outcomes.sum()),
        parameters=replace(model, terms=terms, intercept=float(weights[0]), link="logistic", knots=made.knots),
        scale=made.scale,
        maps=made.weights,
        group_columns=("agent_type", "agent"),
        levels=() if chances is None else count_levels(chances.tolist(), given.outcomes.tolist()),
        promise_on="probability",
    )
    return measured(fit, chances, old, given.outcomes, draws=draws, progress=progress)
