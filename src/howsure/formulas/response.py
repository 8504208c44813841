"""The response model: may this response be sent, or should the agent say "I don't know"?"""

from collections.abc import Mapping
from dataclasses import field
from typing import TYPE_CHECKING, Any, ClassVar, Generic, NamedTuple

from howsure.formulas.model import Model, once
from howsure.formulas.ops import N, Ops, at_least
from howsure.formulas.response_case import (
    CHECKS,
    DEFAULT_THRESHOLD,
    FACTORS,
    MOST_SHOWN,
    THRESHOLDS,
    AgentHistory,
    CodeChecks,
    Similarity,
    ThresholdsAndLevels,
    apart,
    check_given_once,
    counted,
)
from howsure.shapes import Amount, Count, Unit
from howsure.shapes.types import Record, record

if TYPE_CHECKING:
    from howsure.text.markers import MarkerMatches


@record(frozen=True, eq=False, repr=False)
class ResponseCase(Record):
    """A response and what is known about it. A field that is null or missing was not looked at."""

    agent_type: str = ""
    """Type of the agent; sets the threshold."""
    similarities: tuple[Similarity, ...] | None = None
    """Similarity of each retrieved document. An empty list: retrieval found nothing."""
    code: CodeChecks | None = None
    """Checks of the code in the response."""
    response: str | None = None
    """Text of the response; null before it is generated."""
    history: AgentHistory | Unit | None = None
    """The agent's track record, as counts or as a share."""
    knowledge_base: Unit | None = None
    """Knowledge factor as a number, instead of similarities."""
    code_validation: Unit | None = None
    """Code factor as a number, instead of checks."""
    certainty: Unit | None = None
    """Certainty factor as a number, instead of a text."""
    threshold: Unit | None = None
    """Threshold for this response, instead of the agent type's."""

    def __post_init__(self) -> None:
        """Raise InputError if a factor is given both as a number and by its inputs."""
        check_given_once(self, (("knowledge_base", "similarities"), ("code_validation", "code")))


class Row(NamedTuple, Generic[N]):
    """The factors; `*_counts` is 1 for a factor that applies, else 0."""

    knowledge_base: N
    """Relevance of what was retrieved."""
    knowledge_base_counts: N
    """Retrieval was made."""
    code_validation: N
    """Share of code checks that hold."""
    code_validation_counts: N
    """Code was checked."""
    certainty: N
    """How certain the wording is."""
    certainty_counts: N
    """There is a text."""
    history: N
    """How often the agent was good enough lately."""
    needed: N
    """Threshold to reach."""


class Steps(NamedTuple, Generic[N]):
    """Every step from the factors to the decision."""

    weight: N
    """Weights of the factors that apply, summed."""
    from_knowledge_base: N
    """What knowledge adds to the composite."""
    from_code_validation: N
    """What code adds."""
    from_certainty: N
    """What the wording adds."""
    from_history: N
    """What the track record adds."""
    composite: N
    """How sure the response is."""
    reached: N
    """1 if the composite reaches the threshold, else 0."""
    passed: N
    """1 if it may be sent: the threshold is reached, and knowledge or code was checked."""


@record(frozen=True, eq=False, repr=False)
class Response(ThresholdsAndLevels, Model[ResponseCase]):
    """Four factors against a threshold; words and history alone never pass.

    >>> score = Response().score(
    ...     {
    ...         "agent_type": "planner",
    ...         "knowledge_base": 0.8,
    ...         "code_validation": 0.9,
    ...         "certainty": 0.7,
    ...         "history": 0.75,
    ...     }
    ... )
    >>> round(score["composite"], 4), score["level"], score["decision"]
    (0.8, 'MODERATE', 'pass')
    """

    name = "response"
    version = 1
    case = ResponseCase
    unordered: ClassVar[tuple[str, ...]] = ("similarities",)
    directions: ClassVar[Mapping[tuple[str, str], int]] = {(factor, "composite"): +1 for factor in FACTORS} | {
        ("needed", "reached"): -1
    }

    weight_knowledge_base: Amount = 0.30
    """Weight of knowledge."""
    weight_code_validation: Amount = 0.30
    """Weight of code."""
    weight_certainty: Amount = 0.20
    """Weight of the wording."""
    weight_history: Amount = 0.20
    """Weight of the track record."""
    relevant_from: Similarity = 0.7
    """Similarity from which a retrieved document is relevant."""
    relevant_gain: Unit = 0.05
    """What each relevant document adds to the best similarity."""
    relevant_most: Unit = 0.2
    """What all of them together can add."""
    check_weights: tuple[Unit, Unit, Unit, Unit, Unit] = (0.30, 0.20, 0.20, 0.15, 0.15)
    """What each code check earns: exists, syntax, types, tests exist, tests pass."""
    certainty_base: Unit = 0.5
    """Certainty of a text without markers."""
    certain_gain: Unit = 0.1
    """What each marker of certainty adds."""
    certain_most: Unit = 0.5
    """What all of them together can add."""
    uncertain_cost: Unit = 0.15
    """What each marker of uncertainty takes away."""
    uncertain_most: Unit = 0.5
    """What all of them together can take away."""
    no_history: Unit = 0.5
    """History of an agent without records."""
    outcomes_from: Count = 20
    """Known outcomes from which the share of right responses replaces the share that met the threshold."""
    thresholds: dict[str, Unit] = field(default_factory=lambda: dict(THRESHOLDS))
    """Composite to reach, by agent type."""
    default_threshold: Unit = DEFAULT_THRESHOLD
    """Composite to reach for any other type."""
    level_starts: tuple[Unit, Unit, Unit] = (0.90, 0.75, 0.50)
    """Composites above which the level is HIGH, and from which it is MODERATE or LOW; below, it is VERY_LOW."""
    language: str = "en"
    """Language of the marker lists."""

    def features(self, case: ResponseCase) -> Row[float]:
        """Return the factors."""
        knowledge = self.knowledge_base(case)
        code = self.code_validation(case)
        certainty = self.certainty(case)
        factors = (*counted(knowledge), *counted(code), *counted(certainty))
        return Row(*factors, self.history(case), self.threshold(case))

    def knowledge_base(self, case: ResponseCase) -> float | None:
        """Return the best relevant similarity, with a bonus for each relevant document; None without retrieval."""
        if case.similarities is None:
            return case.knowledge_base
        relevant = [similarity for similarity in case.similarities if at_least(similarity, self.relevant_from)]
        if not relevant:
            return 0.0
        return max(0.0, min(max(relevant) + min(len(relevant) * self.relevant_gain, self.relevant_most), 1.0))

    def code_validation(self, case: ResponseCase) -> float | None:
        """Return the score of the code checks; None if none was made."""
        if case.code is None:
            return case.code_validation
        checks = [getattr(case.code, name) for name in CHECKS]
        if all(check is None for check in checks):
            return None
        return min(sum(weight for weight, check in zip(self.check_weights, checks, strict=True) if check), 1.0)

    def marks(self, case: ResponseCase) -> "MarkerMatches":
        """Return the markers in the text of the response."""
        from howsure.text.markers import load_markers  # the policy evidence starts without them

        return once(
            case, f"marks {self.language}", lambda: load_markers("response", self.language).find(case.response or "")
        )

    def certainty(self, case: ResponseCase) -> float | None:
        """Return how certain the wording is; None without a text."""
        if case.certainty is not None or case.response is None:
            return case.certainty
        marks = self.marks(case)
        raised = min(len(marks.certain) * self.certain_gain, self.certain_most)
        lowered = min(len(marks.uncertain) * self.uncertain_cost, self.uncertain_most)
        return max(0.0, min(self.certainty_base + raised - lowered, 1.0))

    def history(self, case: ResponseCase) -> float:
        """Return the share of right responses if enough outcomes are known, else the share that met the threshold."""
        if case.history is None:
            return self.no_history
        if isinstance(case.history, float):
            return case.history
        if case.history.outcomes and case.history.outcomes >= self.outcomes_from:
            return case.history.right / case.history.outcomes
        return case.history.met / case.history.total if case.history.total else self.no_history

    def formula(self, row: Row[N], ops: Ops[N]) -> Steps[N]:
        """Return the composite and whether it reaches the threshold."""
        knowledge = self.weight_knowledge_base * row.knowledge_base_counts
        code = self.weight_code_validation * row.code_validation_counts
        wording = self.weight_certainty * row.certainty_counts
        weight = knowledge + code + wording + self.weight_history
        whole = ops.maximum(weight, 1e-100)
        from_knowledge = knowledge * row.knowledge_base / whole
        from_code = code * row.code_validation / whole
        from_certainty = wording * row.certainty / whole
        from_history = self.weight_history * row.history / whole
        composite = ops.minimum(from_knowledge + from_code + from_certainty + from_history, 1.0)
        reached = ops.where(at_least(composite, row.needed), 1.0, 0.0)
        passed = reached * ops.maximum(row.knowledge_base_counts, row.code_validation_counts)
        return Steps(weight, from_knowledge, from_code, from_certainty, from_history, composite, reached, passed)

    def conclude(self, case: ResponseCase, row: Row[float], steps: Steps[float]) -> dict[str, Any]:
        """Return composite, level, threshold, decision, reason, and each factor (null where it does not apply)."""
        factors = {
            "knowledge_base": row.knowledge_base if row.knowledge_base_counts else None,
            "code_validation": row.code_validation if row.code_validation_counts else None,
            "certainty": row.certainty if row.certainty_counts else None,
            "history": row.history,
        }
        decision = "pass" if steps.passed else "review" if steps.reached else "block"
        checked = {} if case.code is None else {name: getattr(case.code, name) for name in CHECKS}
        marks = self.marks(case)
        return {
            **factors,
            "composite": steps.composite,
            "level": self.level(steps.composite),
            "threshold": row.needed,
            "decision": decision,
            "code_checks": {name: "not checked" if check is None else check for name, check in checked.items()},
            "markers": {
                "certain": [m.phrase for m in marks.certain[:MOST_SHOWN]],
                "uncertain": [m.phrase for m in marks.uncertain[:MOST_SHOWN]],
            },
            "reason": _reason(decision, factors, row.needed, steps.composite),
        }


def _reason(decision: str, factors: dict[str, float | None], needed: float, composite: float) -> str:
    known = {name.replace("_", " "): score for name, score in factors.items() if score is not None}
    shown = ", ".join([f"{name} {score:.2f}" for name, score in known.items()])
    if decision == "pass":
        return f"{composite:.2f} reaches the threshold {needed:.2f} ({shown})"
    if decision == "review":
        unseen = "but neither knowledge nor code was looked at"
        return f"{composite:.2f} reaches the threshold {needed:.2f}, {unseen} ({shown})"
    weakest = min(known, key=known.__getitem__)
    low, high = apart(composite, needed)
    return f"{low} is below the threshold {high}; the weakest factor is {weakest} ({shown})"
