"""The gate's decision about a response: its reasons, and what would change it."""

from dataclasses import dataclass, field
from typing import Any, Literal

from howsure.formulas.response_case import MOST_SHOWN, apart
from howsure.formulas.score import Score
from howsure.formulas.spec import ModelSpec
from howsure.responses.factors import HOW, CertaintyMarker, FactorChange, ResponseFactor
from howsure.responses.policy import Basis, is_nlnh, policy_of
from howsure.responses.threshold import ResponseThreshold
from howsure.settings import Policy
from howsure.shapes.types import cached_json_property, json_property
from howsure.store.decisions import DecisionRow


@dataclass(frozen=True)
class ResponseDecision:
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
    """What the composite means: HIGH, MODERATE, LOW or VERY_LOW."""
    calibrated: bool
    """Whether the composite is a probability that was learned from outcomes; false until there are enough of them."""
    threshold: float
    """The composite that is needed."""
    threshold_from: str
    """Where the threshold comes from."""
    threshold_met: bool
    """Whether the composite reaches the threshold; a response that nothing supports is reviewed even then."""
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
        cls, basis: Basis, row: DecisionRow, threshold: ResponseThreshold, *, unrecorded: str = ""
    ) -> "ResponseDecision":
        """Return the decision that a score of the model stands for.

        Args:
            unrecorded: Why it could not be recorded; empty if it was.
        """
        answer = basis.score.answer
        return cls(
            row.id,
            row.at,
            row.agent,
            row.agent_type,
            policy_of(basis.model),
            answer["composite"],
            answer["level"],
            bool(answer.get("calibrated")),
            answer["threshold"],
            threshold.threshold_from,
            row.met,
            answer["decision"],
            row.shadow,
            answer["reason"],
            not unrecorded,
            (*basis.signals.warnings, *([f"the decision could not be recorded: {unrecorded}"] if unrecorded else [])),
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
        model, case, score, signals = self._basis
        if is_nlnh(model):
            from howsure.responses.factors import list_factors

            return tuple(list_factors(model, case, score))  # type: ignore[arg-type]
        from howsure.responses import evidence_factors

        return tuple(evidence_factors.list_factors(model, case, score, signals.notes))  # type: ignore[arg-type]

    @cached_json_property
    def lifts(self) -> tuple[FactorChange, ...]:
        """Changes that would bring it to the threshold, the smallest first; empty if it passes or none alone would."""
        return () if self.decision == "pass" else tuple(find_lifts(self._basis.model, self._basis.score))

    @cached_json_property
    def message(self) -> str:
        """What to say instead of the response; empty if it may be sent."""
        return "" if self.passed else _message(self.decision, self._basis.score, self.lifts)

    @cached_json_property
    def markers(self) -> tuple[CertaintyMarker, ...]:
        """Phrases that mark certainty or uncertainty, in the order of the text."""
        return tuple(_markers(self._basis.model, self._basis.case))


def find_lifts(model: Any, score: Score) -> list[FactorChange]:
    """Return what each factor alone would have to be for the response to pass, the smallest change first."""
    if is_nlnh(model):
        from howsure.responses.factors import lifts

        return lifts(model, score)
    from howsure.responses import evidence_factors

    return evidence_factors.lifts(model, score)


def _message(decision: str, score: Score, helpful: tuple[FactorChange, ...]) -> str:
    low, high = apart(score["composite"], score["threshold"], 100.0)
    why = (
        "nothing was looked up or checked to support my answer"
        if decision == "review"
        else f"my confidence is {low}%, and {high}% is needed"
    )
    more = f" It would help to {HOW[helpful[0].factor]}." if helpful else ""
    return f"I don't know: {why}.{more}"


def _markers(model: Any, case: Any) -> list[CertaintyMarker]:
    if case.response is None:
        return []
    matches = model.marks(case)
    certain = [CertaintyMarker("certain", *mark) for mark in matches.certain[:MOST_SHOWN]]
    uncertain = [CertaintyMarker("uncertain", *mark) for mark in matches.uncertain[:MOST_SHOWN]]
    return sorted(certain + uncertain, key=lambda marker: (marker.start, marker.end))
