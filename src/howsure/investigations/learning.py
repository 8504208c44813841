"""Learn the weights of the chance of success from investigations whose outcome is known."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from hashlib import blake2b

from howsure.errors import InputError
from howsure.formulas.chance import REFERENCES, Case, Chance
from howsure.formulas.learned import LearnedModel, LearnedTerm
from howsure.formulas.ops import FLOATS
from howsure.learn.fit import Fit
from howsure.learn.frames import number_groups
from howsure.learn.promise import count_levels
from howsure.learn.weights import Weights, learn_weights
from howsure.ledger.decision import Decision
from howsure.parameters import configured
from howsure.progress import Progress, silent
from howsure.shapes import decode
from howsure.store.ledger_tables.decisions import DecisionFilter, stream
from howsure.store.session import Session

PRECISION = 10.0
"""How strongly weights are drawn to the prior. Held-out Brier scores from 6 to 30 differ by 0.002 at most."""
FOLDS = 10
"""Parts into which the tasks are divided for cross-validation."""


@dataclass(frozen=True)
class LabelledRun:
    """A run whose outcome is known."""

    features: Case
    """The course that it took."""
    good: bool
    """Whether it succeeded."""
    task: str
    """The task; runs of one task are never on both sides of a fold."""
    at: float = 0.0
    """When it was judged, in seconds since 1970."""


@dataclass(frozen=True)
class HeldOut:
    """A run, and the chances that were computed without any outcome of its task."""

    good: bool
    """Whether it succeeded."""
    task: str
    """The task."""
    fold: int
    """The fold that it was held out with."""
    before: float
    """The chance by the model that would be replaced."""
    learned: float
    """The chance by weights learned from the other folds."""


@dataclass(frozen=True)
class ChanceFit:
    """Learned weights of the chance of success, and how they do on runs that they were not learned from."""

    model: Chance
    """The model with the learned weights."""
    errors: dict[str, float]
    """Standard error of each weight."""
    held_out: tuple[HeldOut, ...]
    """Every run, judged by weights that were learned without its task; empty with fewer than two tasks."""
    since: float
    """When the oldest of the runs was judged."""
    until: float
    """When the newest was."""
    right: int = 0
    """How many of the runs succeeded."""


def learn_chance(
    decisions: Iterable[Decision], *, before: Chance | None = None, prior: Chance | None = None, folds: int = FOLDS
) -> ChanceFit:
    """Learn from the investigations of a ledger whose outcome is known; the others are ignored.

    Args:
        decisions: The decisions, such as `ledger.stream(model="investigation", with_outcome=True)`.
        before: The model that would be replaced; default: the prior.
        prior: The model whose weights are drawn to; default: the prior weights.
        folds: Parts for cross-validation.

    Raises:
        InputError: if no decision has both an outcome and the features of its run.
        MissingExtraError: if numpy is not installed.
    """
    runs = [run for decision in decisions if (run := read_run(decision)) is not None]
    if not runs:
        hint = "report outcomes of recorded investigations, by `sure.ledger.outcome` or `howsure outcome ID right`"
        raise InputError("no investigation with a known outcome", field="decisions", hint=hint)
    return fit_chance(runs, before=before, prior=prior, folds=folds)


def read_run(decision: Decision) -> LabelledRun | None:
    """Return the run that a decision judged, or None if its outcome or its features are not known."""
    course = decision.answer.get("course")
    if decision.model != "investigation" or decision.outcome is None or not isinstance(course, dict):
        return None
    try:
        features = decode(Case, course)
    except InputError:  # imported from elsewhere, or written by another version
        return None
    task = decision.task_id or decision.trace_id or decision.id
    return LabelledRun(features, decision.outcome == "right", task, decision.at)


def fit_chance(
    runs: Sequence[LabelledRun], *, before: Chance | None = None, prior: Chance | None = None, folds: int = FOLDS
) -> ChanceFit:
    """Learn from runs, and judge each of them by weights that were learned without its task.

    Raises:
        InputError: if there is no run, or fewer than two folds.
        MissingExtraError: if numpy is not installed.
    """
    if not runs:
        raise InputError("there are no runs to learn from", field="runs")
    if folds < 2:  # noqa: PLR2004
        raise InputError(f"{folds} folds are too few", field="folds", hint="at least 2")
    prior = prior or Chance()
    learned = _learn(runs, prior)
    fold_of = assign_folds((run.task for run in runs), folds)
    held_out = []
    for fold in sorted(set(fold_of.values())):
        rest = [run for run in runs if fold_of[run.task] != fold]
        if not rest:  # all runs are of one task
            break
        model = _build(_learn(rest, prior))
        held_out += [
            HeldOut(run.good, run.task, fold, judge(before or prior, run.features), judge(model, run.features))
            for run in runs
            if fold_of[run.task] == fold
        ]
    times = [run.at for run in runs]
    return ChanceFit(
        _build(learned), learned.errors, tuple(held_out), min(times), max(times), sum(run.good for run in runs)
    )


def assign_folds(tasks: Iterable[str], folds: int) -> dict[str, int]:
    """Return the fold of each task: the same for the same tasks in any order, and folds of equal size."""
    by_digest = sorted(set(tasks), key=lambda task: blake2b(task.encode("utf-8", "replace"), digest_size=16).digest())
    return {task: place % folds for place, task in enumerate(by_digest)}


def judge(model: Chance, features: Case) -> float:
    """Return the chance of a run."""
    return float(model.formula(model.features(features), FLOATS).chance)


def _learn(runs: Sequence[LabelledRun], prior: Chance) -> Weights:
    # A model in which every weight is 1 returns the scaled features themselves.
    scale = Chance(intercept=0.0, weights=dict.fromkeys(REFERENCES, 1.0))
    cases = []
    for run in runs:
        steps = scale.formula(scale.features(run.features), FLOATS)
        known = [name for name in REFERENCES if getattr(run.features, name) is not None]
        cases.append({name: getattr(steps, f"by_{name}") for name in known})
    weights = {name: prior.weights.get(name, 0.0) for name in REFERENCES}
    outcomes = [float(run.good) for run in runs]
    return learn_weights(cases, outcomes, weights, intercept=prior.intercept, precision=PRECISION)


def _build(learned: Weights) -> Chance:
    return Chance(intercept=learned.intercept, weights=learned.weights, outcomes=learned.outcomes)


class ChanceLearner:
    """Learns the chance of success from the investigations of a store."""

    model = "investigation"

    def learn(
        self, session: Session, *, since: float | None = None, active: Fit | None = None, progress: Progress = silent
    ) -> Fit:
        """Learn from investigations whose outcome is known.

        Args:
            session: The store.
            since: Only investigations judged at this moment or later.
            active: The fit in use, to compare with; default: the prior weights.
            progress: Called with how far it has come.

        Raises:
            InputError: if there is nothing to learn from.
            MissingExtraError: if numpy is not installed.
        """
        progress("reading outcomes", 0, 0)
        wanted = DecisionFilter(model=self.model, since=since, with_outcome=True)
        with session.database.read(separate=True) as transaction:
            decisions = (Decision.from_columns(row) for row in stream(transaction, wanted))
            before = None if active is None else chance_of(active)
            learned = learn_chance(decisions, before=before, prior=configured(Chance, session.settings))
        return to_fit(learned, progress)


def to_fit(learned: ChanceFit, progress: Progress = silent) -> Fit:
    """Return learned weights as a fit, with its cross-validated measures and those of what it would replace."""
    from howsure.arrays import np
    from howsure.learn.learning import measure_fit

    model, held_out = learned.model, learned.held_out
    chances = np.array([one.learned for one in held_out])
    outcomes = np.array([float(one.good) for one in held_out])
    terms = tuple(LearnedTerm(name, weight) for name, weight in model.weights.items())
    fit = Fit(
        kind="weights",
        score=model.name,
        outcomes=learned.model.outcomes,
        right=learned.right,
        parameters=LearnedModel(terms=terms, intercept=model.intercept, link="logistic"),
        since=learned.since,
        until=learned.until,
        levels=count_levels(chances.tolist(), outcomes.tolist()),
        promise_on="probability",
    )
    if not held_out:
        return fit
    tasks = np.asarray(number_groups([one.task for one in held_out])[0])
    before = np.array([one.before for one in held_out])
    return measure_fit(fit, chances, before, outcomes, tasks, progress=progress)


def chance_of(fit: Fit) -> Chance:
    """Return the model of the chance with the weights of a fit."""
    weights = {term.name: term.weight for term in fit.parameters.terms}
    return Chance(intercept=fit.parameters.intercept, weights=weights, outcomes=fit.outcomes)
