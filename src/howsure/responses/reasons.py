"""Explain a stored decision: its factors, and what would have changed it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from howsure.errors import HowsureError
from howsure.formulas.evidence import Evidence
from howsure.formulas.model import Model, row_and_steps
from howsure.formulas.ops import FLOATS
from howsure.formulas.response import Response
from howsure.formulas.response_case import FACTORS
from howsure.formulas.score import Score
from howsure.formulas.scoring import build
from howsure.ledger.decision import Decision
from howsure.responses import evidence_factors
from howsure.responses.factors import NOT_USED, FactorChange, ResponseFactor, describe_markers
from howsure.responses.fitted import AppliedFit, FitUse, group_path
from howsure.responses.gate import find_lifts
from howsure.responses.highlights import HighlightedSentence, read_highlights
from howsure.responses.policy import MODEL
from howsure.store.ledger_tables.decisions import ReportedOutcome

_LEFT_OUT = {
    "knowledge_base": "nothing was retrieved or looked up: left out",
    "code_validation": "no code was checked: left out",
    "certainty": "there was no text yet: left out",
}
_INCLUDED = {
    "knowledge_base": "given, retrieved or looked up",
    "code_validation": "given or checked",
    "history": "given, or how the agent had done before",
}
"""How a score came about. More is not stored: whether a number was given, or computed from results."""
_STATES = {True: "yes", False: "no"}


@dataclass(frozen=True)
class DecisionExplanation:
    """A decision, why it was made, and every outcome that was reported for it."""

    decision: Decision
    factors: tuple[ResponseFactor, ...]
    """The factors of a response; empty for decisions of other models."""
    lifts: tuple[FactorChange, ...]
    """Changes that would have brought a response to its threshold, the smallest first."""
    outcomes: tuple[ReportedOutcome, ...]
    """Every outcome that was reported, in order; the last one counts, except those of agents."""
    sentences: tuple[HighlightedSentence, ...] = ()
    """The sentences of a response that was grounded, with what its context said; of a long one the first 50."""


def explain(
    decision: Decision, outcomes: Sequence[ReportedOutcome], fit: AppliedFit | None = None
) -> DecisionExplanation:
    """Explain a decision by what was stored of it, and by the fit that was used."""
    factors = stored_factors(decision.model, decision.answer, decision.spec)
    lifts = tuple(stored_lifts(decision, fit))
    return DecisionExplanation(decision, tuple(factors), lifts, tuple(outcomes), read_highlights(decision.answer))


def stored_factors(model: str, answer: Mapping[str, Any], spec: Mapping[str, Any]) -> list[ResponseFactor]:
    """Return each factor of a stored response with its score, weight and why; empty for other models.

    >>> spec = {"parameters": {"weight_history": 0.2}}
    >>> [(one.name, one.score, one.weight) for one in stored_factors("response", {"history": 0.5}, spec)][2:]
    [('certainty', None, 0.0), ('history', 0.5, 1.0)]
    """
    if model != MODEL:
        return []
    if spec.get("name") == Evidence.name:
        return _evidence_factors(answer, spec)
    parameters = spec.get("parameters", {})
    weights = {name: float(parameters.get(f"weight_{name}", 0.0)) for name in FACTORS if answer.get(name) is not None}
    total = max(sum(weights.values()), 1e-100)
    factors = [
        ResponseFactor(name, answer.get(name), weights.get(name, 0.0) / total, _why(name, answer)) for name in FACTORS
    ]
    return factors + [ResponseFactor(name, score, 0.0, NOT_USED) for name, score in answer.get("signals", {}).items()]


def _evidence_factors(answer: Mapping[str, Any], spec: Mapping[str, Any]) -> list[ResponseFactor]:
    """Return the factors and signals of a stored response that the policy `evidence` decided about."""
    model = _model(spec) or Evidence()
    assert isinstance(model, Evidence)  # noqa: S101 - the name of the spec says so
    scores = evidence_factors.known_scores(answer)
    doubt = {**answer, "markers": {"uncertain": answer.get("markers", {}).get("uncertain", [])}}
    weights = model.weights(scores)
    return [
        ResponseFactor(
            name,
            scores.get(name),
            weights.get(name, 0.0),
            evidence_factors.signal_note(name, model)
            if name not in FACTORS
            else _why(name, doubt)
            if name in scores
            else evidence_factors.LEFT_OUT[name],
        )
        for name in dict.fromkeys((*FACTORS, *scores))
    ]


def _model(spec: Mapping[str, Any]) -> Model[Any] | None:
    """Return the model of a specification; None if it was made by another version, with other parameters."""
    try:
        return build(spec["name"], spec["parameters"])
    except (HowsureError, KeyError, TypeError):
        return None


def _why(name: str, answer: Mapping[str, Any]) -> str:
    if answer.get(name) is None:
        return _LEFT_OUT.get(name, "left out")
    if name == "certainty":
        return describe_markers({"certain": [], "uncertain": []} | answer.get("markers", {}))
    checks = answer.get("code_checks") if name == "code_validation" else None
    if checks:
        return ", ".join(f"{check.replace('_', ' ')}: {_STATES.get(state, state)}" for check, state in checks.items())
    return _INCLUDED[name]


def stored_lifts(decision: Decision, fit: AppliedFit | None = None) -> list[FactorChange]:
    """Return what would have changed a response's decision, by the model that made it and the fit that was used."""
    model = _model(decision.spec)
    if decision.model != MODEL or decision.decision == "pass" or not isinstance(model, Response | Evidence):
        return []
    try:
        row = row_and_steps(type(model))[0](**decision.detail["row"])
        use = FitUse(fit, None, None, group_path(decision.agent_type, decision.agent))
        return find_lifts(model, Score(decision.answer, row, model.formula(row, FLOATS), model.spec), use)
    except (HowsureError, KeyError, TypeError):  # made by another version of the model, with other parameters
        return []
