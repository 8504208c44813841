"""The gate's decision about a response: its reasons, and what would change it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from howsure.formulas.ops import TOLERANCE
from howsure.formulas.response import CHECKS, FACTORS, MOST_SHOWN, AgentHistory, Response, ResponseCase, apart
from howsure.formulas.score import Score
from howsure.formulas.spec import ModelSpec
from howsure.responses.threshold import ResponseThreshold
from howsure.shapes.types import cached_json_property, json_property
from howsure.store.decisions import DecisionRow

WORDS = {
    "knowledge_base": "knowledge",
    "code_validation": "code",
    "certainty": "certainty of the wording",
    "history": "the agent's history",
}
"""The factors as lifts call them."""
_HOW = {
    "knowledge_base": "retrieve something relevant",
    "code_validation": "check the code: syntax, types, tests",
    "certainty": "verify what is hedged, and say it plainly",
    "history": "a better track record",
}


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


class _Basis(NamedTuple):
    """What the reasons of a decision are computed from."""

    model: Response
    case: ResponseCase
    score: Score


@dataclass(frozen=True)
class ResponseDecision:
    """What the gate decided about a response, and why. Reasons are put into words when they are first read."""

    id: str
    """Id of the decision: outcomes are reported with it."""
    at: float
    agent: str
    agent_type: str
    composite: float
    """How sure the response is, from 0 to 1."""
    level: str
    """What the composite means: HIGH, MODERATE, LOW or VERY_LOW."""
    threshold: float
    """The composite that is needed."""
    threshold_from: str
    """Where the threshold comes from."""
    threshold_met: bool
    """Whether the composite reaches the threshold; a response that nothing supports is reviewed even then."""
    decision: Literal["pass", "block", "review"]
    reason: str
    recorded: bool
    """Whether the decision is in the ledger."""
    warnings: tuple[str, ...]
    spec: ModelSpec
    """Name, version and parameters of the model."""
    _basis: _Basis = field(repr=False, compare=False)

    @classmethod
    def of(
        cls,
        model: Response,
        case: ResponseCase,
        score: Score,
        row: DecisionRow,
        threshold: ResponseThreshold,
        *,
        unrecorded: str = "",
    ) -> "ResponseDecision":
        """Return the decision that a score of the model stands for.

        Args:
            unrecorded: Why it could not be recorded; empty if it was.
        """
        answer = score.answer
        return cls(
            row.id,
            row.at,
            row.agent,
            row.agent_type,
            answer["composite"],
            answer["level"],
            answer["threshold"],
            threshold.threshold_from,
            row.met,
            answer["decision"],
            answer["reason"],
            not unrecorded,
            (f"the decision could not be recorded: {unrecorded}",) if unrecorded else (),
            score.spec,
            _Basis(model, case, score),
        )

    @property
    def score(self) -> Score:
        """Every number of the model."""
        return self._basis.score

    @property
    def passed(self) -> bool:
        """Whether the response may be sent."""
        return self.decision == "pass"

    @json_property
    def should_block(self) -> bool:
        """Whether the response should not be sent as it is."""
        return not self.passed

    @cached_json_property
    def factors(self) -> tuple[ResponseFactor, ...]:
        """Each factor with its score, its weight and why."""
        return tuple(_factors(*self._basis))

    @cached_json_property
    def lifts(self) -> tuple[FactorChange, ...]:
        """Changes that would bring it to the threshold, the smallest first; empty if it passes or none alone would."""
        return () if self.passed else tuple(lifts(self._basis.model, self._basis.score))

    @cached_json_property
    def message(self) -> str:
        """What to say instead of the response; empty if it passes."""
        return _message(self.decision, self._basis.score, self.lifts)

    @cached_json_property
    def markers(self) -> tuple[CertaintyMarker, ...]:
        """Phrases that mark certainty or uncertainty, in the order of the text."""
        return tuple(_markers(self._basis.model, self._basis.case))


def _weight(model: Response, name: str) -> float:
    return float(getattr(model, f"weight_{name}"))


def _factors(model: Response, case: ResponseCase, score: Score) -> list[ResponseFactor]:
    total = max(score.steps.weight, 1e-100)
    return [
        ResponseFactor(
            name,
            score[name],
            0.0 if score[name] is None else _weight(model, name) / total,
            _why(name, model, case, score),
        )
        for name in FACTORS
    ]


def _why(name: str, model: Response, case: ResponseCase, score: Score) -> str:
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
        states = {True: "yes", False: "no", None: "not checked"}
        return ", ".join(f"{check.replace('_', ' ')}: {states[getattr(case.code, check)]}" for check in CHECKS)
    if name == "certainty" and case.certainty is None:
        return describe_markers(score["markers"])
    return "given as a number"


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


def _history_words(history: AgentHistory | float | None, model: Response) -> str:
    if not isinstance(history, AgentHistory):
        return "given as a number" if history is not None else "no records: neutral"
    if history.outcomes and history.outcomes >= model.outcomes_from:
        return f"{history.right} of {history.outcomes} answers with a known outcome were right"
    if not history.total:
        return "no records in the look-back window: neutral"
    more = f"; outcomes count from {model.outcomes_from} on, {history.outcomes} are known" if history.outcomes else ""
    return f"{history.met} of {history.total} answers met their threshold{more}"


def lifts(model: Response, score: Score) -> list[FactorChange]:
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
            words = f"{WORDS[name]} at {needed:.2f} or more ({_HOW[name]}{more})"
            changes.append(FactorChange(name, needed, needed - now, words))
    return sorted(changes, key=lambda lift: lift.change)


def _message(decision: str, score: Score, helpful: tuple[FactorChange, ...]) -> str:
    if decision == "pass":
        return ""
    low, high = apart(score["composite"], score["threshold"], 100.0)
    why = (
        "nothing was looked up or checked to support my answer"
        if decision == "review"
        else f"my confidence is {low}%, and {high}% is needed"
    )
    more = f" It would help to {_HOW[helpful[0].factor]}." if helpful else ""
    return f"I don't know: {why}.{more}"


def _markers(model: Response, case: ResponseCase) -> list[CertaintyMarker]:
    if case.response is None:
        return []
    matches = model.marks(case)
    certain = [CertaintyMarker("certain", *mark) for mark in matches.certain[:MOST_SHOWN]]
    uncertain = [CertaintyMarker("uncertain", *mark) for mark in matches.uncertain[:MOST_SHOWN]]
    return sorted(certain + uncertain, key=lambda marker: (marker.start, marker.end))
