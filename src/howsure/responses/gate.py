"""The gate's decision about a response: its reasons, and what would change it."""

from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from howsure.formulas.response_case import MOST_SHOWN, apart
from howsure.formulas.score import Score
from howsure.formulas.spec import ModelSpec
from howsure.responses.factors import HOW, CertaintyMarker, FactorChange, ResponseFactor
from howsure.responses.policy import Basis, is_nlnh, policy_of
from howsure.responses.threshold import ResponseThreshold
from howsure.settings import Policy
from howsure.shapes.types import Record, cached_json_property, json_property, record
from howsure.store.ledger_tables.decisions import DecisionRow

if TYPE_CHECKING:
    from howsure.responses.fitted import FitUse


class ResponsePromise(NamedTuple):
    """A promise about everything that passes, made from the outcomes of the active fit."""

    risk: float
    """At most this share of what passes is wrong."""
    confidence: float
    """How sure that is."""
    kept: bool
    """Whether it can be made; if not, nothing passes."""
    outcomes: int
    """How many outcomes it is made from."""
    missing: int
    """How many more outcomes are needed at least before it can be made."""

    @classmethod
    def of(cls, answer: Mapping[str, Any]) -> "ResponsePromise | None":
        """Return the promise of an answer, or None if it has none."""
        if answer.get("promise") is None:
            return None
        kept, outcomes, missing = (answer[f"promise_{name}"] for name in ("kept", "outcomes", "missing"))
        return cls(answer["promise"], 0.95, kept, outcomes, missing)


@record(frozen=True, eq=False, repr=False)
class ResponseDecision(Record):
    """What the gate decided about a response, and why. Reasons are put into words when they are first read."""

    id: str
    """Id of the decision: outcomes are reported with it."""
    at: float
    agent: str
    agent_type: str
    policy: Policy
    """The policy that decided: evidence or nlnh."""
    composite: float
    """How sure the response is, from 0 to 1."""
    level: str
    """What the probability, or the composite without a fit, means: HIGH, MODERATE, LOW or VERY_LOW."""
    calibrated: bool
    """Whether there is a probability that was learned from outcomes; false until there are enough of them."""
    probability: float | None
    """The probability that the response is right, by the active fit; null without one."""
    lower: float | None
    """Lower bound of the probability; with the upper one it is meant to hold it in nine of ten cases."""
    upper: float | None
    fit: str | None
    """Id of the fit that was used."""
    promise: "ResponsePromise | None"
    """What is promised about everything that passes; null if no promise is wanted."""
    threshold: float
    """The probability that is needed, or the composite if there is no fit."""
    threshold_from: str
    """Where the threshold comes from."""
    threshold_met: bool
    """Whether the probability, or the composite without a fit, reaches the threshold.

    A response that nothing supports is reviewed even then."""
    decision: Literal["pass", "block", "review"]
    shadow: bool
    """Whether the response may be sent whatever was decided (setting `gate.shadow`)."""
    reason: str
    recorded: bool
    """Whether the decision is in the ledger."""
    warnings: tuple[str, ...]
    spec: ModelSpec
    """Name, version and parameters of the model."""
    _basis: Basis = field(repr=False, compare=False)

    @classmethod
    def of(
        cls,
        basis: Basis,
        row: DecisionRow,
        threshold: ResponseThreshold,
        *,
        loosened: Sequence[str] = (),
        unrecorded: str = "",
    ) -> "ResponseDecision":
        """Return the decision that a score of the model stands for.

        Args:
            loosened: How settings loosen the gate, in words.
            unrecorded: Why it could not be recorded; empty if it was.
        """
        answer = basis.score.answer
        warnings = [*basis.signals.warnings, *[f"the gate is loosened: {words}" for words in loosened]]
        if unrecorded:
            warnings.append(f"the decision could not be recorded: {unrecorded}")
        return cls.of_valid(
            row.id,
            row.at,
            row.agent,
            row.agent_type,
            policy_of(basis.model),
            answer["composite"],
            answer["level"],
            bool(answer.get("calibrated")),
            answer.get("probability"),
            answer.get("lower"),
            answer.get("upper"),
            answer.get("fit"),
            ResponsePromise.of(answer),
            answer["threshold"],
            "the promise" if answer.get("promise_kept") else threshold.threshold_from,
            row.met,
            answer["decision"],
            row.shadow,
            answer["reason"],
            not unrecorded,
            tuple(warnings),
            basis.score.spec,
            basis,
        )

    @property
    def score(self) -> Score:
        """Every number of the model."""
        return self._basis.score

    @property
    def passed(self) -> bool:
        """Whether the response may be sent: it passed, or the gate is in shadow mode."""
        return self.shadow or self.decision == "pass"

    @json_property
    def should_block(self) -> bool:
        """Whether the response should not be sent as it is."""
        return not self.passed

    @cached_json_property
    def factors(self) -> tuple[ResponseFactor, ...]:
        """Each factor and signal with its score, its weight and why."""
        model: Any
        model, case, score, signals, _ = self._basis
        if is_nlnh(model):
            from howsure.responses.factors import list_factors

            return tuple(list_factors(model, case, score))  # type: ignore[arg-type]
        from howsure.responses import evidence_factors

        return tuple(evidence_factors.list_factors(model, case, score, signals.notes))  # type: ignore[arg-type]

    @cached_json_property
    def lifts(self) -> tuple[FactorChange, ...]:
        """Changes that would bring it to the threshold, the smallest first; empty if it passes or none alone would."""
        basis = self._basis
        return () if self.decision == "pass" else tuple(find_lifts(basis.model, basis.score, basis.use))

    @cached_json_property
    def message(self) -> str:
        """What to say instead of the response; empty if it may be sent."""
        return "" if self.passed else _message(self.decision, self._basis.score, self.lifts)

    @cached_json_property
    def markers(self) -> tuple[CertaintyMarker, ...]:
        """Phrases that mark certainty or uncertainty, in the order of the text."""
        return tuple(_markers(self._basis.model, self._basis.case))


def find_lifts(model: Any, score: Score, use: "FitUse | None" = None) -> list[FactorChange]:
    """Return what each factor alone would have to be for the response to pass, the smallest change first."""
    if score.answer.get("promise_kept") is False:
        return []  # nothing passes
    if is_nlnh(model):
        from howsure.responses.factors import lifts

        return lifts(model, score)
    from howsure.responses import evidence_factors

    if use is None or use.fit is None:
        return evidence_factors.lifts(model, score)
    from howsure.responses.fitted import passes_with

    return evidence_factors.lifts(model, score, passes_with(model, score, use))


def _message(decision: str, score: Score, helpful: tuple[FactorChange, ...]) -> str:
    answer = score.answer
    low, high = apart(answer.get("probability", answer["composite"]), answer["threshold"], 100.0)
    why = f"my confidence is {low}%, and {high}% is needed"
    if decision == "review":
        why = "nothing was looked up or checked to support my answer"
        if answer.get("promise_kept") is False and score.steps.supported:
            why = "too little is known about how often answers like mine are right"
    more = f" It would help to {HOW[helpful[0].factor]}." if helpful else ""
    return f"I don't know: {why}.{more}"


def _markers(model: Any, case: Any) -> list[CertaintyMarker]:
    if case.response is None:
        return []
    matches = model.marks(case)
    certain = [CertaintyMarker("certain", *mark) for mark in matches.certain[:MOST_SHOWN]]
    uncertain = [CertaintyMarker("uncertain", *mark) for mark in matches.uncertain[:MOST_SHOWN]]
    return sorted(certain + uncertain, key=lambda marker: (marker.start, marker.end))
