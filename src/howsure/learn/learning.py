"""Learn a fit from a frame of outcomes, and compare it with what it would replace."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar

from howsure.arrays import np
from howsure.errors import InputError
from howsure.formulas.learned import LearnedModel, LearnedTerm
from howsure.learn import groups as offsets
from howsure.learn.calibration import Calibration, calibrate
from howsure.learn.evaluation import Evaluation, evaluate_columns, read_scores
from howsure.learn.fit import Fit, FitQuality, MeasureDifference, to_path
from howsure.learn.frames import column, number_groups, read_groups, read_outcome, read_score
from howsure.learn.promise import count_levels
from howsure.learn.weights import PRECISION, Weights, learn_weights
from howsure.progress import Progress, silent

if TYPE_CHECKING:
    from howsure.arrays import Floats

FOLDS = 10
"""Folds of the cross-validation that measures a fit."""
CANDIDATE, REPLACED = "candidate", "replaced"
_FEW_FOLDS, _FEWEST_FOLDS = 5, 3
"""Folds that keep the calibration map apart from the weights, and of large sets; and of the largest."""
_MANY, _VERY_MANY = 20_000, 50_000
"""Outcomes beyond which there are fewer folds. Weights cannot follow single ones among so many."""
_SEED = 20_240_501

W = TypeVar("W")
"""Weights as a method represents them."""
Predict = Callable[[Any, Any], "Floats"]
"""Learn from the rows of the first list, return the probabilities of the second."""


def learn_scores(
    frame: Any,
    *,
    score: str,
    outcome: str,
    groups: Sequence[str] = (),
    cluster: str | None = None,
    replaces: Fit | None = None,
    draws: int | None = None,
    progress: Progress = silent,
) -> Fit:
    """Learn which probability a score stands for.

    Args:
        frame: A dict of columns, a list of dicts, a pandas or polars frame, or an Arrow table.
        score: Name of the column of scores: any numbers, the higher the surer.
        outcome: Name of the column of outcomes: 1 or true if right, 0 or false if wrong.
        groups: Names of columns that say who it comes from, from the broad one to the narrow one: agent type, agent.
        cluster: Name of a column of what must not be split in cross-validation: answers to one question.
        replaces: The fit that is in use; default: the score as it is.
        draws: Bootstrap draws; default 1,000, and fewer from 5,000 outcomes on.
        progress: Called with how far it has come.

    Raises:
        InputError: if a column is missing, or a cell is not a number or outcome.

    >>> frame = {"s": [0.9, 0.9, 0.6, 0.6] * 10, "y": [1, 1, 1, 0] * 10}
    >>> fit = learn_scores(frame, score="s", outcome="y")
    >>> fit.outcomes, round(fit.estimate(0.9).probability, 2)
    (40, 0.94)
    """
    scores = np.asarray(read_scores(frame, score), dtype=np.float64)
    outcomes = read_outcomes(frame, outcome)
    _check_lengths(scores, outcomes, score)
    paths, clusters = read_paths(frame, groups, len(outcomes)), _clusters(frame, cluster, len(outcomes))

    def predict(known: Any, wanted: Any) -> "Floats":
        made = calibrate(scores[known], outcomes[known])
        chances = made(scores[wanted])
        if paths is None:
            return chances
        own = _with_groups(made, score, scores[known], outcomes[known], [paths[row] for row in known])
        return _shifted(own, chances, [paths[row] for row in wanted])

    chances = cross_validate(predict, len(outcomes), clusters, progress)
    whole = calibrate(scores, outcomes)
    model = _with_groups(whole, score, scores, outcomes, paths)
    by_score = paths is None or chances is None
    ranked: Any = scores if by_score else chances
    fit = Fit(
        kind="calibration",
        score=score,
        outcomes=len(outcomes),
        right=int(outcomes.sum()),
        parameters=model,
        scale=whole.scale,
        maps=whole.weights,
        group_columns=tuple(groups),
        levels=count_levels(ranked.tolist(), outcomes.tolist()),
        promise_on="score" if by_score else "probability",
    )
    old: Floats | None
    if replaces is not None:
        old = np.array([one.probability for one in replaces.estimates(scores.tolist(), paths)])
    else:
        old = scores if whole.scale.kind == "unit" else None
    return measure_fit(fit, chances, old, outcomes, clusters, draws=draws, progress=progress)


def _with_groups(
    made: Calibration, score: str, scores: "Floats", outcomes: "Floats", paths: Sequence[tuple[str, ...]] | None
) -> LearnedModel:
    """Return the model of a calibration map, with the offsets of groups if there are any."""
    centre = float(scores.mean())
    model = LearnedModel(terms=(LearnedTerm(score, 1.0, centre),), intercept=centre, knots=made.knots)
    return model if paths is None else _add_offsets(model, made(scores), outcomes, paths)


def _add_offsets(
    model: LearnedModel, chances: "Floats", outcomes: "Floats", paths: Sequence[tuple[str, ...]]
) -> LearnedModel:
    found = offsets.fit_offsets(chances, outcomes, list(paths))
    return replace(model, groups=found, group_error=offsets.PRECISION**-0.5)


def _shifted(model: LearnedModel, chances: "Floats", paths: Sequence[tuple[str, ...]]) -> "Floats":
    offset_of = {path: model.group_offset(path)[0] for path in set(paths)}  # few groups have all the outcomes
    factor = np.exp([offset_of[path] for path in paths])
    result: Floats = chances * factor / (1.0 - chances + chances * factor)
    return result


def cross_validate(
    predict: Predict, size: int, clusters: Any, progress: Progress = silent, folds: int = FOLDS
) -> "Floats | None":
    """Return for every outcome the probability that was learned from the other folds; None if there are too few.

    Outcomes of one cluster are in one fold. Folds are drawn at random with a fixed seed.
    """
    units = np.arange(size) if clusters is None else np.asarray(clusters)
    count = int(units.max()) + 1 if size else 0
    if count < 2:  # noqa: PLR2004
        return None
    parts = min(folds, count)
    fold = (np.random.default_rng(_SEED).permutation(count) % parts)[units]
    chances = np.empty(size)
    for part in range(parts):
        progress("cross-validating", part, parts)
        held = fold == part
        chances[held] = predict(np.flatnonzero(~held), np.flatnonzero(held))
    return chances


def measure_fit(
    fit: Fit,
    chances: "Floats | None",
    old: "Floats | None",
    outcomes: "Floats",
    clusters: Any = None,
    *,
    draws: int | None = None,
    progress: Progress = silent,
) -> Fit:
    """Return a fit with its cross-validated measures, those of what it would replace, and their differences."""
    if chances is None:
        return fit
    columns = {CANDIDATE: chances} if old is None else {REPLACED: old, CANDIDATE: chances}
    found = evaluate_columns(columns, outcomes, clusters, draws=draws, progress=progress)
    if old is None:
        return replace(fit, quality=_quality(found))
    return replace(
        fit,
        quality=_quality(found.others[0]),
        replaced=_quality(found),
        differences=found.differences,
        better=is_better(found.differences),
    )


def is_better(differences: Sequence[MeasureDifference]) -> bool:
    """Return whether a candidate is better beyond noise than what it would replace.

    That is so if the 95 % interval of the paired difference of Brier scores or of log losses is below 0, and neither
    is higher.
    """
    proper = [one for one in differences if one.measure in ("brier", "log_loss")]
    return any(one.upper < 0.0 for one in proper) and all(one.difference <= 0.0 for one in proper)


def _quality(found: Evaluation) -> FitQuality:
    return FitQuality(
        n=found.n,
        brier=found.brier,
        ece=found.ece,
        log_loss=found.log_loss,
        auroc=found.auroc,
        aurc=found.aurc,
        intervals=found.intervals,
    )


def read_outcomes(frame: Any, name: str) -> "Floats":
    """Return a column of outcomes.

    Raises:
        InputError: if the column is missing or empty, or a cell is not an outcome.
    """
    cells = column(frame, name, "outcome")
    if not cells:
        raise InputError("there are no outcomes", field=name, hint="at least one row is needed")
    return np.array([read_outcome(cell, name, line) for line, cell in enumerate(cells, start=1)])


def read_paths(frame: Any, groups: Sequence[str], size: int) -> list[tuple[str, ...]] | None:
    """Return the group of each row as a path of names, or None without groups. An empty cell ends a path."""
    if not groups:
        return None
    columns = [read_groups(frame, name, "group", size) for name in groups]
    return [to_path(cells) for cells in zip(*columns, strict=True)]


def _clusters(frame: Any, name: str | None, size: int) -> Any:
    return None if name is None else np.asarray(number_groups(read_groups(frame, name, "cluster", size))[0])


def _check_lengths(scores: Any, outcomes: "Floats", name: str) -> None:
    if len(scores) != len(outcomes):
        raise InputError(f"{len(scores)} scores for {len(outcomes)} outcomes", field=name)


def learn_factors(
    frame: Any,
    *,
    factors: Mapping[str, float],
    outcome: str,
    name: str = "score",
    intercept: float = 0.0,
    precision: float = PRECISION,
    groups: Sequence[str] = (),
    cluster: str | None = None,
    in_use: str | None = None,
    replaces: Fit | None = None,
    draws: int | None = None,
    progress: Progress = silent,
) -> Fit:
    """Learn weights of factors and signals, drawn to prior weights, and which probability their sum stands for.

    The calibration map is learned from scores of outcomes that their weights were not learned from.

    Args:
        frame: A dict of columns, a list of dicts, a pandas or polars frame, or an Arrow table. Cells may be missing.
        factors: The prior weight of each factor or signal, by the name of its column.
        outcome: Name of the column of outcomes: 1 or true if right, 0 or false if wrong.
        name: What the weighted sum is called in results.
        intercept: The intercept to draw to.
        precision: How strongly weights are drawn to their prior.
        groups: Names of columns that say who it comes from, from the broad one to the narrow one.
        cluster: Name of a column of what must not be split in cross-validation.
        in_use: Name of the column with the score that is in use, which the fit would replace.
        replaces: The fit that is in use, if there is one.
        draws: Bootstrap draws; default 1,000, and fewer from 5,000 outcomes on.
        progress: Called with how far it has come.

    Raises:
        InputError: if a column is missing, a cell is not a number or outcome, or there are no factors.

    >>> frame = {"a": [0.9, 0.1] * 30, "y": [1, 0] * 30}
    >>> fit = learn_factors(frame, factors={"a": 1.0}, outcome="y", precision=1.0)
    >>> fit.estimate({"a": 0.9}).probability > 0.8 > 0.2 > fit.estimate({"a": 0.1}).probability
    True
    """
    if not factors:
        raise InputError("there are no factors", field="factors", hint="name at least one column with its prior weight")
    outcomes = read_outcomes(frame, outcome)
    cases = read_cases(frame, tuple(factors))
    _check_lengths(cases, outcomes, next(iter(factors)))
    paths, clusters = read_paths(frame, groups, len(outcomes)), _clusters(frame, cluster, len(outcomes))

    def weigh(known: Any) -> Weights:
        own = [cases[row] for row in known]
        return learn_weights(own, outcomes[known].tolist(), factors, intercept=intercept, precision=precision)

    method: WeightMethod[Weights] = WeightMethod(
        weigh,
        score=lambda weights, wanted: np.array([weights.probability(cases[row]) for row in wanted]),
        model=lambda weights: LearnedModel(
            terms=tuple(LearnedTerm(name, weight) for name, weight in weights.weights.items()),
            intercept=weights.intercept,
            link="logistic",
        ),
    )
    old: Floats | None = None
    if replaces is not None:
        old = np.array([one.probability for one in replaces.estimates(cases, paths)])
    elif in_use is not None:
        old = np.array(read_scores(frame, in_use))
        _check_lengths(old, outcomes, in_use)
    return fit_weights(
        method, outcomes, name=name, groups=groups, paths=paths, clusters=clusters, old=old, draws=draws,
        progress=progress,
    )  # fmt: skip


class WeightMethod(NamedTuple, Generic[W]):
    """How weights are learned and applied. Outcomes are given by the numbers of their rows."""

    weigh: Callable[[Any], W]
    """Learn weights from outcomes."""
    score: Callable[[W, Any], "Floats"]
    """Return the logistic function of the weighted sums of rows."""
    model: Callable[[W], LearnedModel]
    """Return the model of weights, without a calibration map and groups."""


def fit_weights(
    method: WeightMethod[W],
    outcomes: "Floats",
    *,
    name: str,
    groups: Sequence[str],
    paths: Sequence[tuple[str, ...]] | None,
    clusters: Any = None,
    old: "Floats | None",
    draws: int | None = None,
    progress: Progress = silent,
) -> Fit:
    """Learn weights, which probability their sum stands for, and the offset of each group; measure the fit.

    The calibration map is learned from scores of outcomes that their weights were not learned from.

    Args:
        method: How weights are learned and applied.
        outcomes: 1 right, 0 wrong.
        name: What the weighted sum is called.
        groups: Names of the groups of a path.
        paths: Who each outcome comes from, from the broad group to the narrow one; None without groups.
        clusters: Number of each outcome's cluster; None if each is its own.
        old: The probabilities in use, which the fit would replace; None if there are none.
        draws: Bootstrap draws; default 1,000, and fewer from 5,000 outcomes on.
        progress: Called with how far it has come.
    """
    size = len(outcomes)

    def learn(known: Any) -> tuple[W, Calibration, LearnedModel]:
        weights = method.weigh(known)
        own = None if clusters is None else np.unique(clusters[known], return_inverse=True)[1]
        held = None
        if len(known) <= _MANY:
            held = cross_validate(
                lambda fold, rest: method.score(method.weigh(known[fold]), known[rest]), len(known), own,
                folds=_FEW_FOLDS,
            )  # fmt: skip
        scores = method.score(weights, known) if held is None else held
        made = calibrate(scores, outcomes[known])
        model = replace(method.model(weights), knots=made.knots, group_error=0.0)
        if paths is not None:
            model = _add_offsets(model, made(scores), outcomes[known], [paths[row] for row in known])
        return weights, made, model

    def predict(known: Any, wanted: Any) -> "Floats":
        weights, made, model = learn(known)
        chances = made(method.score(weights, wanted))
        return chances if paths is None else _shifted(model, chances, [paths[row] for row in wanted])

    folds = FOLDS if size <= _MANY else _FEW_FOLDS if size <= _VERY_MANY else _FEWEST_FOLDS
    chances = cross_validate(predict, size, clusters, progress, folds)
    _, made, model = learn(np.arange(size))
    fit = Fit(
        kind="weights",
        score=name,
        outcomes=size,
        right=int(outcomes.sum()),
        parameters=model,
        scale=made.scale,
        maps=made.weights,
        group_columns=tuple(groups),
        levels=() if chances is None else count_levels(chances.tolist(), outcomes.tolist()),
        promise_on="probability",
    )
    return measure_fit(fit, chances, old, outcomes, clusters, draws=draws, progress=progress)


def read_cases(frame: Any, names: Sequence[str]) -> list[dict[str, float]]:
    """Return the factors of each row by name, without the cells that are missing.

    Raises:
        InputError: if a column is missing, or a cell is not a number.
    """
    columns = [(name, column(frame, name, "factors")) for name in names]
    size = {len(cells) for _, cells in columns}
    if len(size) > 1:
        raise InputError("the columns of the factors have different lengths", field="factors")
    cases: list[dict[str, float]] = [{} for _ in range(size.pop())]
    for name, cells in columns:
        for line, (case, cell) in enumerate(zip(cases, cells, strict=True), start=1):
            if not (cell is None or cell == "" or cell != cell):  # noqa: PLR0124 - NaN, which frames use for missing
                case[name] = read_score(cell, name, line)
    return cases
