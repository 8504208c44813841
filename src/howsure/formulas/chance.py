"""Estimate the probability that a run of an agent succeeds, from its tool calls (the model `chance`)."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, ClassVar, Generic, NamedTuple

from howsure.errors import InputError, nearest
from howsure.formulas.model import Model
from howsure.formulas.ops import N, Ops
from howsure.shapes import Count, Unit, Within
from howsure.wording import pluralize

Weight = Annotated[float, Within(-20.0, 20.0)]
"""What a feature one spread above its centre adds to the log odds."""

PRIOR = {
    "steps": -0.3,
    "late_errors": -0.2,
    "repeats": -0.2,
    "late_news": 0.2,
    "check_passed": 0.2,
    "finished": 0.2,
    "detail": 0.12,
    "late_changes": 0.0,
    "refusals": 0.0,
    "questions": 0.0,
}
"""Weight of each feature before any outcome is known. What the last three say depends on the kind of agent."""
NO_OUTCOMES = "uncalibrated prior"
"""What a chance is based on as long as no outcomes were learned from."""
_FARTHEST = 2.0
"""Spreads from its centre at which a feature stops to count more."""


class Reference(NamedTuple):
    """Where a feature usually lies. Features are compared with this, since a single run has no ranks."""

    centre: float
    """The value that moves nothing."""
    spread: float
    """How far values usually are from it."""


REFERENCES = {
    "steps": Reference(3.2, 0.8),
    "late_errors": Reference(0.13, 0.25),
    "repeats": Reference(0.07, 0.1),
    "late_news": Reference(0.8, 0.25),
    "check_passed": Reference(0.5, 0.5),
    "finished": Reference(0.9, 0.3),
    "detail": Reference(4.4, 0.6),
    "late_changes": Reference(0.3, 0.3),
    "refusals": Reference(0.2, 0.25),
    "questions": Reference(0.3, 0.25),
}
"""Centre and spread of each feature: rounded means over runs of a repair, a coding and a booking agent."""


@dataclass(frozen=True)
class Case:
    """The course of one run. What is unknown is left out."""

    steps: Count | None = None
    """How many steps it took: tool calls or messages, whichever are more."""
    late_errors: Unit | None = None
    """Share of the last third of the tool calls that failed or found nothing."""
    repeats: Unit | None = None
    """Share of the tool calls that were made before with the same arguments."""
    late_news: Unit | None = None
    """Share of the second half of the tool calls that returned something new."""
    check_passed: bool | None = None
    """Whether the last test, build or program that it ran passed."""
    finished: bool | None = None
    """Whether it ended by itself with a result, not by an error, a limit or in the middle of its work."""
    detail: Annotated[float, Within(0.0, 6.0)] | None = None
    """How detailed its arguments are: mean binary logarithm of their length, at most 64 characters each."""
    late_changes: Unit | None = None
    """Share of the second half of the tool calls that change something."""
    refusals: Unit | None = None
    """Share of its messages that decline something."""
    questions: Unit | None = None
    """Share of its messages that end with a question."""


class Row(NamedTuple, Generic[N]):
    """The numbers that the formula reads. A feature that is left out is at its centre."""

    steps: N
    """Binary logarithm of the number of steps."""
    late_errors: N
    """Share of late calls that failed."""
    repeats: N
    """Share of calls that were repeated."""
    late_news: N
    """Share of late calls with something new."""
    check_passed: N
    """1 if the last check passed, 0 if it failed."""
    finished: N
    """1 if the run ended by itself, 0 if not."""
    detail: N
    """Mean binary logarithm of the length of arguments."""
    late_changes: N
    """Share of late calls that change something."""
    refusals: N
    """Share of messages that decline something."""
    questions: N
    """Share of messages that end with a question."""


class Steps(NamedTuple, Generic[N]):
    """Every step from the row to the chance. Each but the last two is what a feature adds to the log odds."""

    by_steps: N
    """By the number of steps."""
    by_late_errors: N
    """By late errors."""
    by_repeats: N
    """By repeated calls."""
    by_late_news: N
    """By late new information."""
    by_check_passed: N
    """By the last check."""
    by_finished: N
    """By how it ended."""
    by_detail: N
    """By the detail of the arguments."""
    by_late_changes: N
    """By late changes."""
    by_refusals: N
    """By what it declined."""
    by_questions: N
    """By what it asked."""
    log_odds: N
    """The intercept and all of these, summed."""
    chance: N
    """The chance of success."""


@dataclass(frozen=True)
class Chance(Model[Case]):
    """Features of a run move the log odds of its success, each by a weight that outcomes can change.

    >>> good = Chance().score({"steps": 6, "late_errors": 0.0, "check_passed": True, "finished": True})
    >>> poor = Chance().score({"steps": 30, "late_errors": 0.5, "check_passed": False, "finished": True})
    >>> round(good["chance"], 2), round(poor["chance"], 2), poor["basis"]
    (0.38, 0.11, 'uncalibrated prior')
    """

    name = "chance"
    version = 1
    case = Case
    directions: ClassVar[Mapping[tuple[str, str], int]] = {
        ("steps", "chance"): -1,
        ("late_errors", "chance"): -1,
        ("repeats", "chance"): -1,
        ("late_news", "chance"): +1,
        ("check_passed", "chance"): +1,
        ("finished", "chance"): +1,
        ("detail", "chance"): +1,
    }

    intercept: Weight = -1.1
    """Log odds of a run whose features are all at their centre; by default a chance of one in four."""
    weights: dict[str, Weight] = field(default_factory=lambda: dict(PRIOR))
    """Weight of each feature; one that is not named has none."""
    outcomes: Count = 0
    """How many outcomes the weights were learned from; 0 for the prior."""

    def __post_init__(self) -> None:
        """Raise InputError if a weight belongs to no feature or is out of range."""
        super().__post_init__()
        for name in self.weights:
            if name not in PRIOR:
                hint = nearest(name, PRIOR)
                raise InputError(f"unknown feature {name!r}", field="weights", hint=hint)

    def features(self, case: Case) -> Row[float]:
        """Return the features as numbers; the centre for those that are left out."""
        known = {name: float(value) for name, value in vars(case).items() if name in PRIOR and value is not None}
        if "steps" in known:
            known["steps"] = math.log2(max(known["steps"], 1.0))
        return Row(**{name: known.get(name, reference.centre) for name, reference in REFERENCES.items()})

    def formula(self, row: Row[N], ops: Ops[N]) -> Steps[N]:
        """Return the chance and what each feature adds to its log odds."""
        steps = self._added("steps", row.steps, ops)
        late_errors = self._added("late_errors", row.late_errors, ops)
        repeats = self._added("repeats", row.repeats, ops)
        late_news = self._added("late_news", row.late_news, ops)
        check_passed = self._added("check_passed", row.check_passed, ops)
        finished = self._added("finished", row.finished, ops)
        detail = self._added("detail", row.detail, ops)
        late_changes = self._added("late_changes", row.late_changes, ops)
        refusals = self._added("refusals", row.refusals, ops)
        questions = self._added("questions", row.questions, ops)
        log_odds = self.intercept + steps + late_errors + repeats + late_news + check_passed + finished
        log_odds = log_odds + detail + late_changes + refusals + questions
        # Beyond this the chance is 0 or 1 to nine digits, and powers may overflow in a database.
        bounded = ops.minimum(ops.maximum(log_odds, -30.0), 30.0)
        chance = 1.0 / (1.0 + ops.power(math.e, -1.0 * bounded))
        return Steps(
            steps,
            late_errors,
            repeats,
            late_news,
            check_passed,
            finished,
            detail,
            late_changes,
            refusals,
            questions,
            log_odds,
            chance,
        )

    def _added(self, name: str, value: N, ops: Ops[N]) -> N:
        """Return what a feature adds to the log odds."""
        centre, spread = REFERENCES[name]
        away: N = (value - centre) / spread
        bounded = ops.minimum(ops.maximum(away, -_FARTHEST), _FARTHEST)
        added: N = self.weights.get(name, 0.0) * bounded
        return added

    def conclude(self, case: Case, row: Row[float], steps: Steps[float]) -> dict[str, Any]:
        """Return the chance, what it is based on, and what each known feature adds, the strongest first."""
        reasons = [
            {"feature": name, "adds": getattr(steps, f"by_{name}"), "words": _describe(name, getattr(case, name))}
            for name in Row._fields
            if getattr(case, name) is not None and self.weights.get(name)
        ]
        reasons.sort(key=lambda reason: -abs(reason["adds"]))
        basis = f"learned from {pluralize(self.outcomes, 'outcome')}" if self.outcomes else NO_OUTCOMES
        words = "; ".join(str(reason["words"]) for reason in reasons[:3]) or "nothing is known about the run"
        return {
            "chance": steps.chance,
            "basis": basis,
            "reasons": reasons,
            "reason": f"{words}: {steps.chance:.2f}, {basis}",
        }


def _describe(name: str, value: Any) -> str:
    """Return what a feature says, in words."""
    match name:
        case "steps":
            return pluralize(value, "step")
        case "late_errors":
            return f"{value:.0%} of its late calls failed or found nothing"
        case "repeats":
            return f"{value:.0%} of its calls are repetitions"
        case "late_news":
            return f"{value:.0%} of its late calls returned something new"
        case "check_passed":
            return "the last check passed" if value else "the last check failed"
        case "finished":
            return "it ended by itself" if value else "it did not end by itself"
        case "detail":
            return f"its arguments are {2**value:.0f} characters long on average"
        case "late_changes":
            return f"{value:.0%} of its late calls change something"
        case "refusals":
            return f"{value:.0%} of its messages decline something"
        case _:
            return f"{value:.0%} of its messages end with a question"
