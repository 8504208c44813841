"""Score how far a page, a piece of code or a data file can be trusted (the model `document`)."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, ClassVar, Generic, Literal, NamedTuple

from howsure.errors import InputError
from howsure.formulas.automaton import MILESTONES, STATES, Automaton, Event, most_probable
from howsure.formulas.automaton import Case as Life
from howsure.formulas.model import Model
from howsure.formulas.ops import N, Ops, above, clamp
from howsure.shapes import Amount, Count, Unit, Within
from howsure.wording import pluralize

Milestone = Literal["M1", "M2", "M3", "M4"]
LearningRate = Annotated[float, Within(0.1, 0.3)]
DecayFactor = Annotated[float, Within(0.05, 0.15)]


@dataclass(frozen=True)
class Modifiers:
    """Other facts about a document."""

    validated: bool = False
    """It was validated."""
    matched: bool = False
    """Patterns were found in it. Used only if its text was not scanned."""
    refactored: Count = 0
    """Files refactored for coverage."""
    integrated: bool = False
    """It was tested and integrated."""
    non_md: Count = 0
    """New files that are not Markdown."""
    months: Amount = 0.0
    """Age in months since it was validated."""


@dataclass(frozen=True)
class Case:
    """A document and what is known about it."""

    milestone: Milestone | None = None
    """Milestone it has reached; by default the one of the automaton's state."""
    events: tuple[Event, ...] = ()
    """[symbol, strength] of what has happened to it, in order."""
    observations: tuple[tuple[Unit, Unit] | Unit, ...] = ()
    """[evidence weight, observation] of each source, in order, or the observation alone for a weight of 1.
    An observation is 0 if unvisited, 0.5 if visited, 1 if confirmed."""
    modifiers: Modifiers = field(default_factory=Modifiers)
    """Other facts."""
    pattern_boost: Amount | None = None
    """Weights of the patterns found in its text; null if it was not scanned."""
    pattern_bonus: Amount | None = None
    """Bonus of the milestones that its patterns reach."""
    base: Unit | None = None
    """Where `compound` and `full_reinforcement` start; by default the milestone's base."""
    alpha: LearningRate | None = None
    """Learning rate, instead of the model's."""
    delta: DecayFactor | None = None
    """Decay factor, instead of the model's."""
    symbols: tuple[str, ...] | None = None
    """Events to walk through at full strength, for `automaton`; by default `events` as they are."""


class Row(NamedTuple, Generic[N]):
    """The numbers that the formula reads. Flags are 0 or 1."""

    start: N
    """Where `compound` and `full_reinforcement` start."""
    compound: N
    """Confidence after compounding every observation onto it."""
    evidence: N
    """Evidence times observation, summed."""
    compounded: N
    """Confidence after compounding every observation onto the milestone's base."""
    validated: N
    """It was validated."""
    matched: N
    """Patterns were found."""
    refactored: N
    """Files refactored for coverage."""
    integrated: N
    """It was tested and integrated."""
    non_md: N
    """New files that are not Markdown."""
    months: N
    """Age in months."""
    scanned: N
    """Its text was scanned for patterns."""
    boost: N
    """What the patterns found add."""
    bonus: N
    """What the milestones they reach add."""
    automaton_gain: N
    """Earned by events."""
    earned_confirm: N
    """Of that, earned by confirming."""
    earned_test: N
    """Of that, earned by testing."""


class Steps(NamedTuple, Generic[N]):
    """Every step from the row to the score."""

    modifiers: N
    """All modifiers, plainly added."""
    with_modifiers: N
    """`compound` with all modifiers."""
    full_reinforcement: N
    """`start`, all evidence and all modifiers."""
    validation: N
    """What validation adds beyond what confirming has earned."""
    pattern_match: N
    """What a match adds where the text was not scanned."""
    refactoring: N
    """What refactoring adds."""
    integration: N
    """What integration adds beyond what testing has earned."""
    new_files: N
    """What new files cost."""
    ageing: N
    """What age costs."""
    score: N
    """How far the document can be trusted."""
    data_confidence: N
    """Confidence of a data file of that age."""


def with_weights(observations: tuple[tuple[float, float] | float, ...]) -> list[tuple[float, float]]:
    """Return each observation with its evidence weight, which is 1 if not given."""
    return [one if isinstance(one, tuple) else (1.0, one) for one in observations]


@dataclass(frozen=True)
class Document(Model[Case]):
    """Evidence compounds onto the milestone's base; modifiers, patterns and events add to it; nothing counts twice.

    >>> score = Document().score({"milestone": "M2", "observations": [[1.0, 1.0]], "modifiers": {"months": 7}})
    >>> round(score["score"], 4), score["decision"], score["data_file"]["confidence"]
    (0.6394, 'human_validation', 0.993)
    """

    name = "document"
    version = 1
    case = Case
    directions: ClassVar[Mapping[tuple[str, str], int]] = {
        ("validated", "score"): +1,
        ("matched", "score"): +1,
        ("refactored", "score"): +1,
        ("integrated", "score"): +1,
        ("non_md", "score"): -1,
        ("months", "score"): -1,
        ("months", "data_confidence"): -1,
        ("boost", "score"): +1,
        ("compounded", "score"): +1,
    }

    c_min: Unit = 0.5
    """Confidence of a document that nobody has verified."""
    c_max: Unit = 0.5**0.5
    """Confidence that compounding evidence tends to."""
    alpha: LearningRate = 0.2
    """Learning rate: how much an observation moves confidence up."""
    delta: DecayFactor = 0.1
    """Decay factor: how much every observation pulls it back."""
    milestone_boosts: tuple[Unit, Unit, Unit, Unit] = (0.10, 0.15, 0.18, 0.20)
    """What each milestone adds to the base: M1, M2, M3, M4."""
    validated_gain: Unit = 0.05
    """What validation adds."""
    matched_gain: Unit = 0.05
    """What a pattern match adds, where the text was not scanned."""
    refactored_gain: Unit = 0.003
    """What each refactored file adds."""
    integrated_gain: Unit = 0.004
    """What integration adds."""
    non_md_cost: Unit = 0.01
    """What each new file that is not Markdown costs."""
    month_cost: Unit = 0.001
    """What each month of age costs."""
    event_gains: tuple[Unit, Unit, Unit, Unit, Unit] = (0.05, 0.05, 0.004, 0.01, 0.0)
    """What each event earns: visit, confirm, test, merge, decay_warning."""
    action_months: tuple[Amount, Amount, Amount] = (3.0, 6.0, 12.0)
    """Months up to which nothing, a review, or validation by a person is due."""

    def features(self, case: Case) -> Row[float]:
        """Compound the observations and walk through the events."""
        life = self.automaton().features(Life(case.events))
        base = self.c_min + self.milestone_boosts[int(self.milestone(case)[1]) - 1]
        start = base if case.base is None else case.base
        known = case.modifiers
        return Row(
            start=start,
            compound=self.compound(start, case),
            evidence=math.fsum(evidence * observation for evidence, observation in with_weights(case.observations)),
            compounded=self.compound(base, case),
            validated=float(known.validated),
            matched=float(known.matched),
            refactored=float(known.refactored),
            integrated=float(known.integrated),
            non_md=float(known.non_md),
            months=known.months,
            scanned=float(case.pattern_boost is not None or case.pattern_bonus is not None),
            boost=case.pattern_boost or 0.0,
            bonus=case.pattern_bonus or 0.0,
            automaton_gain=life.earned_visit + life.earned_confirm + life.earned_test + life.earned_merge,
            earned_confirm=life.earned_confirm,
            earned_test=life.earned_test,
        )

    def __post_init__(self) -> None:
        """Raise InputError if the floor is above the ceiling."""
        super().__post_init__()
        if self.c_min > self.c_max:
            raise InputError(f"{self.c_min} is above c_max, {self.c_max}", field="c_min")

    def automaton(self) -> Automaton:
        """Return the automaton that the document's events move."""
        return Automaton(self.event_gains)

    def milestone(self, case: Case) -> Milestone:
        """Return the milestone the document has reached."""
        if case.milestone is not None:
            return case.milestone
        life = self.automaton().features(Life(case.events))
        return MILESTONES[most_probable(dict(zip(STATES, life, strict=False)))]  # type: ignore[return-value]

    def compound(self, start: float, case: Case) -> float:
        """Return the confidence after every observation, each building on the one before."""
        alpha = self.alpha if case.alpha is None else case.alpha
        delta = self.delta if case.delta is None else case.delta
        confidence = start
        for evidence, observation in with_weights(case.observations):
            gain = alpha * evidence * observation * (self.c_max - confidence)
            confidence += gain - delta * (confidence - self.c_min)
        return confidence

    def formula(self, row: Row[N], ops: Ops[N]) -> Steps[N]:
        """Return the score and every step on the way."""
        refactoring = self.refactored_gain * row.refactored
        new_files = 0.0 - self.non_md_cost * row.non_md
        ageing = 0.0 - self.month_cost * row.months
        flat = self.validated_gain * row.validated + self.matched_gain * row.matched
        modifiers = flat + self.integrated_gain * row.integrated + refactoring + new_files + ageing
        with_modifiers = clamp(row.compound + modifiers, ops)
        full_reinforcement = clamp(row.start + row.evidence + modifiers, ops)

        validation = row.validated * ops.maximum(self.validated_gain - row.earned_confirm, 0.0)
        pattern_match = self.matched_gain * row.matched * (1.0 - row.scanned)
        integration = row.integrated * ops.maximum(self.integrated_gain - row.earned_test, 0.0)
        earned = validation + pattern_match + refactoring + integration + new_files + ageing
        score = clamp(row.compounded + earned + row.boost + row.bonus + row.automaton_gain, ops)
        data_confidence = ops.maximum(1.0 + ageing, 0.0)
        return Steps(
            modifiers,
            with_modifiers,
            full_reinforcement,
            validation,
            pattern_match,
            refactoring,
            integration,
            new_files,
            ageing,
            score,
            data_confidence,
        )

    def action(self, months: float) -> str:
        """Return the action that is due for a document of that age."""
        nothing, review, validation = self.action_months
        if not above(months, nothing):
            return "none"
        if not above(months, review):
            return "review"
        return "human_validation" if not above(months, validation) else "refresh_or_remove"

    def conclude(self, case: Case, row: Row[float], steps: Steps[float]) -> dict[str, Any]:
        """Return the score, its parts, the state of the document, and the action that is due."""
        events = case.events if case.symbols is None else tuple((symbol, 1.0) for symbol in case.symbols)
        life = self.automaton().score(Life(events))
        action = self.action(row.months)
        due = "nothing is due" if action == "none" else f"due: {action.replace('_', ' ')}"
        milestone = self.milestone(case)
        return {
            "score": steps.score,
            "decision": action,
            "milestone": milestone,
            "compound": row.compound,
            "with_modifiers": steps.with_modifiers,
            "full_reinforcement": steps.full_reinforcement,
            "automaton": {"state": life["state"], "gain": life["gain"], "distribution": life["distribution"]},
            "data_file": {"confidence": steps.data_confidence, "action": action},
            "reason": f"{milestone} with {pluralize(len(case.observations), 'source')}, {row.months:.1f} months old: "
            f"{steps.score:.2f}; {due}",
        }
