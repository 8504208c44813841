"""Evaluate score columns against outcomes: measures with bootstrap intervals, and paired differences."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from howsure.arrays import np
from howsure.errors import InputError
from howsure.learn.fit import FEWEST, MeasureBounds, MeasureDifference
from howsure.learn.frames import column, number_groups, read_groups, read_outcome, read_score
from howsure.learn.metrics import (
    Bin,
    Interval,
    Point,
    Scores,
    bootstrap_weights,
    calibration_interval,
    default_draws,
    percentile_interval,
)
from howsure.progress import Progress, silent
from howsure.shapes import Unit, decode_as

if TYPE_CHECKING:
    from howsure.arrays import Floats

MEASURES = ("brier", "ece", "ece_equal_mass", "log_loss", "auroc", "aurc", "coverage")
"""Measures of a column, in the order in which they are reported."""
OF_PROBABILITIES = ("brier", "ece", "ece_equal_mass", "log_loss")
"""Measures that exist only if every score is between 0 and 1."""
_REPORT_EVERY = 20


@dataclass(frozen=True)
class Evaluation:
    """How well one column of scores matches the outcomes."""

    score: str
    """Name of the column."""
    n: int
    """Outcomes."""
    right: int
    groups: int | None
    """Groups that were drawn whole in the bootstrap; null if single outcomes were drawn."""
    brier: float | None
    """Mean squared difference between score and outcome; null if a score is not between 0 and 1."""
    ece: float | None
    """Calibration error over 10 bins of equal width."""
    ece_equal_mass: float | None
    """Calibration error over 10 bins with about the same number of outcomes."""
    log_loss: float | None
    """Mean negative log-likelihood of the outcomes."""
    auroc: float | None
    """Chance that a right one scores above a wrong one; null if all outcomes are alike."""
    aurc: float
    """Area under the risk-coverage curve."""
    coverage: float
    """Largest share that a threshold keeps with at most `risk` of them wrong."""
    risk: float
    """The risk that `coverage` is for."""
    intervals: dict[str, MeasureBounds]
    """95 % bootstrap interval of each measure that exists; empty with fewer than 20 outcomes or only one group."""
    bins: tuple[Bin, ...]
    """The reliability diagram; empty if a score is not between 0 and 1."""
    curve: tuple[Point, ...]
    """The risk-coverage curve."""
    differences: tuple[MeasureDifference, ...] = ()
    """Paired differences of other columns from this one; empty without intervals."""
    others: tuple["Evaluation", ...] = ()
    """Evaluations of the other columns."""


def evaluate(
    frame: Any,
    *,
    score: str,
    outcome: str,
    group: str | None = None,
    compare: Sequence[str] = (),
    risk: float = 0.05,
    draws: int | None = None,
    seed: int = 0,
    progress: Progress = silent,
) -> Evaluation:
    """Measure how well a column of scores matches outcomes.

    Args:
        frame: A dict of columns, a list of dicts, a pandas or polars frame, or an Arrow table.
        score: Name of the column of scores.
        outcome: Name of the column of outcomes: 1 or true if right, 0 or false if wrong.
        group: Name of a column of groups, which the bootstrap draws whole: answers to one question, runs of one task.
        compare: Names of other columns of scores, to compare with the first.
        risk: The risk at which to report coverage.
        draws: Bootstrap draws; default 1,000, and fewer from 5,000 outcomes on.
        seed: Start of the random numbers.
        progress: Called with how far the bootstrap has come.

    Raises:
        InputError: if a column is missing, or a cell is not a number or outcome.

    >>> found = evaluate({"s": [0.9, 0.8, 0.3], "y": [1, 1, 0]}, score="s", outcome="y")
    >>> found.n, found.auroc, round(found.brier, 4)
    (3, 1.0, 0.0467)
    """
    outcomes = [
        read_outcome(cell, outcome, line) for line, cell in enumerate(column(frame, outcome, "outcome"), start=1)
    ]
    names = list(dict.fromkeys((score, *compare)))
    columns = {name: read_scores(frame, name) for name in names}
    groups = None if group is None else read_groups(frame, group, "group", len(outcomes))
    return evaluate_columns(columns, outcomes, groups, risk=risk, draws=draws, seed=seed, progress=progress)


def read_scores(frame: Any, name: str) -> list[float]:
    """Return a column of scores.

    Raises:
        InputError: if the column is missing, or a cell is not a finite number.
    """
    return [read_score(cell, name, line) for line, cell in enumerate(column(frame, name, "score"), start=1)]


def evaluate_columns(
    columns: dict[str, Any],
    outcomes: Any,
    groups: Sequence[Any] | None = None,
    *,
    risk: float = 0.05,
    draws: int | None = None,
    seed: int = 0,
    progress: Progress = silent,
) -> Evaluation:
    """Evaluate columns of scores that were already read; the first one is compared with the others."""
    if not len(outcomes):
        raise InputError("there are no outcomes", field="outcome", hint="at least one row is needed")
    for name, values in columns.items():
        if len(values) != len(outcomes):
            raise InputError(f"{len(values)} scores for {len(outcomes)} outcomes", field=name)
    risk = decode_as(Unit, risk, "risk")
    right = np.asarray(outcomes, dtype=np.float64)
    numbers = None if groups is None else np.asarray(number_groups(groups)[0])
    prepared = {name: Scores(np.asarray(values, dtype=np.float64), right) for name, values in columns.items()}
    measured = {name: measure(one, risk) for name, one in prepared.items()}
    few = len(right) < FEWEST or (numbers is not None and not numbers.any())
    count = 0 if few else default_draws(len(right)) if draws is None else draws
    drawn: dict[str, dict[str, list[float | None]]] = {
        name: {own: [] for own in values} for name, values in measured.items()
    }
    noise: dict[str, dict[str, list[float]]] = {name: {} for name in columns}
    for done, weights in enumerate(bootstrap_weights(len(right), numbers, draws=count, seed=seed)):
        if done % _REPORT_EVERY == 0:
            progress("bootstrap", done, count)
        for name, one in prepared.items():
            for own, value in measure(one, risk, weights).items():
                drawn[name][own].append(value)
            for own, moved in one.calibration_noise(weights).items() if one.probabilities else ():
                noise[name].setdefault(own, []).append(moved)
    made = [
        _evaluation(name, one, measured[name], drawn[name], noise[name], risk, numbers)
        for name, one in prepared.items()
    ]
    first, *others = made
    if not others:
        return first
    differences = tuple(one for other in others for one in _differences(first.score, other.score, measured, drawn))
    return replace(first, differences=differences, others=tuple(others))


def measure(scores: Scores, risk: float, weights: "Floats | None" = None) -> dict[str, float | None]:
    """Return every measure of a column; those of probabilities only if the scores are."""
    found: dict[str, float | None] = {}
    if scores.probabilities:
        found |= {name: getattr(scores, name)(weights) for name in OF_PROBABILITIES}
    ranked = scores.cumulate(weights)
    return found | {"auroc": ranked.auroc(), "aurc": ranked.aurc(), "coverage": ranked.coverage_at(risk)}


def _evaluation(
    name: str,
    scores: Scores,
    measured: dict[str, float | None],
    drawn: dict[str, list[float | None]],
    noise: dict[str, list[float]],
    risk: float,
    groups: Any,
) -> Evaluation:
    intervals = {own: percentile_interval(measured[own], drawn[own]) for own in measured}
    for own, moved in noise.items():
        error, errors = measured[own], [one for one in drawn[own] if one is not None]
        if error is not None and errors:
            intervals[own] = calibration_interval(error, errors, moved)
    return Evaluation(
        score=name,
        n=len(scores),
        right=int(scores.outcomes.sum()),
        groups=None if groups is None else int(groups.max()) + 1,
        brier=measured.get("brier"),
        ece=measured.get("ece"),
        ece_equal_mass=measured.get("ece_equal_mass"),
        log_loss=measured.get("log_loss"),
        auroc=measured["auroc"],
        aurc=measured["aurc"] or 0.0,
        coverage=measured["coverage"] or 0.0,
        risk=risk,
        intervals={own: MeasureBounds(one.lower, one.upper) for own, one in intervals.items() if _bounded(one)},  # type: ignore[arg-type]
        bins=scores.reliability() if scores.probabilities else (),
        curve=scores.curve(),
    )


def _bounded(interval: Interval) -> bool:
    return interval.lower is not None and interval.upper is not None


def _differences(
    first: str,
    other: str,
    measured: dict[str, dict[str, float | None]],
    drawn: dict[str, dict[str, list[float | None]]],
) -> list[MeasureDifference]:
    found = []
    for name in MEASURES:
        before, after = measured[first].get(name), measured[other].get(name)
        if before is None or after is None:
            continue
        pairs = zip(drawn[first][name], drawn[other][name], strict=True)
        gaps: list[float | None] = [None if a is None or b is None else b - a for a, b in pairs]
        interval = percentile_interval(after - before, gaps)
        lower, upper = interval.lower, interval.upper
        if lower is not None and upper is not None:
            found.append(MeasureDifference(other, name, after - before, lower, upper))
    return found
