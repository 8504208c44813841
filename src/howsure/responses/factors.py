"""The factors of a decision about a response, and what would change it, by the source document's policy `nlnh`."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Literal, NamedTuple

from howsure.formulas.ops import TOLERANCE
from howsure.formulas.response_case import CHECKS, FACTORS, MOST_SHOWN, AgentHistory, CodeChecks
from howsure.formulas.score import Score

if TYPE_CHECKING:  # loaded only by its policy
    from howsure.formulas.response import Response, ResponseCase

WORDS = {
    "knowledge_base": "knowledge",
    "code_validation": "code",
    "certainty": "certainty of the wording",
    "history": "the agent's history",
}
"""The factors as lifts call them."""
HOW = {
    "knowledge_base": "retrieve something relevant",
    "code_validation": "check the code: syntax, types, tests",
    "certainty": "verify what is hedged, and say it plainly",
    "history": "a better track record",
    "grounding": "say what the retrieved texts say",
}
"""How each of them gets better."""
NOT_USED = "recorded; the policy nlnh does not use it"


class ResponseFactor(NamedTuple):
    """One factor of a decision."""

    name: str
    score: float | None
    """From 0 to 1; null if it was left out."""
    weight: float
    """Its share of the composite; the weights of the factors that were not left out add up to 1."""
    why: str
    """What the score is based on, in words."""


class FactorChange(NamedTuple):
    """A change of one factor that would bring a response to its threshold, all else being equal."""

    factor: str
    needed: float
    """The score that the factor would need."""
    change: float
    """How much more that is than now."""
    words: str
    """The change in words."""


class CertaintyMarker(NamedTuple):
    """A phrase that marks certainty or uncertainty, and where it stands in the text."""

    kind: Literal["certain", "uncertain"]
    phrase: str
    start: int
    end: int
    negated: bool


def _weight(model: "Response", name: str) -> float:
    return float(getattr(model, f"weight_{name}"))


def list_factors(model: "Response", case: "ResponseCase", score: Score) -> list[ResponseFactor]:
    """Return the four factors with their scores, their shares of the composite, and why."""
    total = max(score.steps.weight, 1e-100)
    return [
        ResponseFactor(
            name,
            score[name],
            0.0 if score[name] is None else _weight(model, name) / total,
            _why(name, model, case, score),
        )
        for name in FACTORS
    ] + [ResponseFactor(name, value, 0.0, NOT_USED) for name, value in score.answer.get("signals", {}).items()]


def _why(name: str, model: "Response", case: "ResponseCase", score: Score) -> str:
    if name == "history":
        return _history_words(case.history, model)
    if score[name] is None:
        return {
            "knowledge_base": "nothing was retrieved or looked up: left out",
            "code_validation": "no code was checked: left out",
            "certainty": "there is no text yet: left out",
        }[name]
    if name == "knowledge_base" and case.similarities is not None:
        relevant = [s for s in case.similarities if s >= model.relevant_from - 5e-10]
        best = f", the best {max(relevant):.2f}" if relevant else ""
        return f"{len(relevant)} of {len(case.similarities)} retrieved are relevant{best}"
    if name == "code_validation" and case.code is not None:
        return describe_code(case.code)
    if name == "certainty" and case.certainty is None:
        return describe_markers(score["markers"])
    return "given as a number"


def describe_code(code: CodeChecks) -> str:
    """Say how each check of the code ended."""
    states = {True: "yes", False: "no", None: "not checked"}
    return ", ".join(f"{check.replace('_', ' ')}: {states[getattr(code, check)]}" for check in CHECKS)


def describe_markers(phrases: Mapping[str, Sequence[str]]) -> str:
    """Say which phrases mark certainty or uncertainty."""
    if not phrases["certain"] and not phrases["uncertain"]:
        return "no word marks certainty or doubt"
    parts = [
        f"{len(words)}{'+' if len(words) == MOST_SHOWN else ''} {kind} ({', '.join(dict.fromkeys(words))[:100]})"
        for kind, words in phrases.items()
        if words
    ]
    return " and ".join(parts)


def _history_words(history: AgentHistory | float | None, model: "Response") -> str:
    if not isinstance(history, AgentHistory):
        return "given as a number" if history is not None else "no records: neutral"
    if history.outcomes and history.outcomes >= model.outcomes_from:
        return f"{history.right} of {history.outcomes} answers with a known outcome were right"
    if not history.total:
        return "no records in the look-back window: neutral"
    more = f"; outcomes count from {model.outcomes_from} on, {history.outcomes} are known" if history.outcomes else ""
    return f"{history.met} of {history.total} answers met their threshold{more}"


def lifts(model: "Response", score: Score) -> list[FactorChange]:
    """Return what each factor alone would have to be, the smallest change first. History cannot be changed at will."""
    total, weighted = score.steps.weight, score.steps.composite * score.steps.weight
    changes = []
    for name in ("knowledge_base", "code_validation", "certainty"):
        weight = _weight(model, name)
        if weight <= 0.0 or (name == "certainty" and score[name] is None):
            continue
        present = score[name] is not None
        now = score[name] or 0.0
        # composite = weighted / total, so solve (rest + weight * needed) / total = threshold for needed
        rest = weighted - weight * now if present else weighted
        needed = (score["threshold"] * (total if present else total + weight) - rest) / weight
        if score["decision"] == "review":  # support only has to be looked at, without lowering the composite too far
            if present or name == "certainty":
                continue
            needed = max(needed, 0.0)
        needed = min(needed, 1.0) if needed <= 1.0 + TOLERANCE else needed
        if needed <= 1.0 and (needed > now or not present):
            alone = name == "certainty" and score["knowledge_base"] is None and score["code_validation"] is None
            more = "; still to be reviewed, for words alone never pass" if alone else ""
            words = f"{WORDS[name]} at {needed:.2f} or more ({HOW[name]}{more})"
            changes.append(FactorChange(name, needed, needed - now, words))
    return sorted(changes, key=lambda lift: lift.change)
