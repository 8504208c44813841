"""The factors and signals of a decision about a response, and what would change it, by the policy `evidence`."""

from collections.abc import Callable, Mapping
from typing import Any

from howsure.formulas.evidence import SIGNALS, Evidence
from howsure.formulas.evidence_case import EvidenceCase, OutcomeCounts, Row
from howsure.formulas.ops import FLOATS, at_least
from howsure.formulas.response_case import FACTORS
from howsure.formulas.score import Score
from howsure.responses.factors import HOW, FactorChange, ResponseFactor, describe_code, describe_markers

LEFT_OUT = {
    "knowledge_base": "nothing was retrieved or looked up: left out",
    "code_validation": "no code was checked: left out",
    "certainty": "nothing in the text is hedged: left out",
    "history": "no outcome is known: left out",
}
SIGNAL_NOTES = {
    "grounding": "how much of the response is found in what was retrieved",
    "judge": "how sure the judge is that the response is right",
    "samples": "how far other answers to the question agree with the response",
    "logprobs": "mean probability of a token of the response",
    "stated": "stated by the model itself; can only lower the composite",
}
UNWEIGHTED = "recorded; counts for nothing until outcomes give it a weight"
_CHANGED = {
    "knowledge_base": "knowledge",
    "code_validation": "code",
    "grounding": "grounding",
    "certainty": "certainty of the wording",
}
_HALVINGS = 50


def list_factors(model: Evidence, case: EvidenceCase, score: Score, notes: Mapping[str, str]) -> list[ResponseFactor]:
    """Return the four factors and every signal with its score, its share of the composite, and why."""
    scores = known_scores(score.answer)
    weights = model.weights(scores)
    return [
        ResponseFactor(name, scores.get(name), weights.get(name, 0.0), _why(name, model, case, score, notes))
        for name in dict.fromkeys((*FACTORS, *scores))
    ]


def known_scores(answer: Mapping[str, Any]) -> dict[str, float]:
    """Return the factors and signals of an answer that are known, by name."""
    factors = {name: answer[name] for name in FACTORS if answer.get(name) is not None}
    return factors | dict(answer.get("signals") or {})


def _why(name: str, model: Evidence, case: EvidenceCase, score: Score, notes: Mapping[str, str]) -> str:
    if name in notes:
        return notes[name]
    if name not in FACTORS:
        return signal_note(name, model)
    if score[name] is None:
        return left_out(name, case)
    if name == "knowledge_base" and case.similarities is not None:
        relevant = [one for one in case.similarities if at_least(one, model.relevant_centre)]
        best = f", the best {max(case.similarities):.2f}" if case.similarities else ""
        return f"{len(relevant)} of {len(case.similarities)} retrieved are relevant{best}"
    if name == "knowledge_base" and case.lookups is not None:
        return f"by what was looked up, {case.lookups:.2f} as an investigation; checks of the code may raise it"
    if name == "code_validation" and case.code is not None:
        return describe_code(case.code)
    if name == "certainty" and case.certainty is None:
        return describe_markers({"certain": [], "uncertain": score["markers"]["uncertain"]})
    if name == "history" and isinstance(case.history, OutcomeCounts):
        return describe_outcomes(case.history)
    return "given as a number"


def left_out(name: str, case: EvidenceCase | None = None) -> str:
    """Say why a factor is left out."""
    if name == "certainty" and case is not None and case.response is None:
        return "there is no text yet: left out"
    return LEFT_OUT[name]


def signal_note(name: str, model: Evidence) -> str:
    """Say what a signal is."""
    if name in SIGNALS:
        return SIGNAL_NOTES[name]
    return "given by name" if model.signal_weights.get(name) else UNWEIGHTED


def describe_outcomes(counts: OutcomeCounts) -> str:
    """Say which outcomes history comes from."""
    groups = (
        ("of its type", counts.type_right, counts.type_outcomes),
        ("of all agents", counts.all_right, counts.all_outcomes),
    )
    others = ", ".join(f"{right} of {outcomes} {who}" for who, right, outcomes in groups if outcomes > counts.outcomes)
    if not counts.outcomes:
        return f"no outcome of its own is known; right were {others}"
    own = f"{counts.right} of {counts.outcomes} answers with a known outcome were right"
    return f"{own}; drawn to {others}" if others else own


def lifts(model: Evidence, score: Score, passes: Callable[[Row[float], str], bool] | None = None) -> list[FactorChange]:
    """Return what each factor alone would have to be for the response to pass, the smallest change first.

    Args:
        model: The model.
        score: The score of the response.
        passes: Says whether it would pass with another row, in which the named factor differs; default: by the model.
    """
    if passes is None:

        def passes(row: Row[float], _: str) -> bool:
            return bool(model.formula(row, FLOATS).passed)

    row: Row[float] = score.row
    changes = []
    for name, what in _CHANGED.items():
        present = bool(getattr(row, f"{name}_counts"))
        if not present and name in ("certainty", "grounding"):
            continue
        now = getattr(row, name) if present else 0.0
        if name == "certainty" and not score.steps.supported:
            continue
        needed = _find_needed(passes, row, name, now)
        if needed is not None:
            changes.append(FactorChange(name, needed, needed - now, f"{what} at {needed:.2f} or more ({HOW[name]})"))
    return sorted(changes, key=lambda change: change.change)


def _find_needed(passes: Callable[[Row[float], str], bool], row: Row[float], name: str, low: float) -> float | None:
    """Return the lowest score of a factor at which the response passes, by halving; None if there is none."""

    def at(score: float) -> bool:
        return passes(row._replace(**{name: score, f"{name}_counts": 1.0}), name)

    high = 1.0
    if not at(high):
        return None
    if at(low):
        return low
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        low, high = (low, middle) if at(middle) else (middle, high)
    return high
