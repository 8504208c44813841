"""An assessment of an answer: the decision, its reasons, and what would change it."""

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, NamedTuple

from howsure.formulas.ops import TOLERANCE
from howsure.formulas.response import CHECKS, FACTORS, MOST_SHOWN, History, Response, ResponseCase, apart
from howsure.formulas.score import Score
from howsure.store.decisions import Entry
from howsure.text.phrases import PhraseMatch

WORDS = {
    "knowledge_base": "knowledge",
    "code_validation": "code",
    "certainty": "certainty of the wording",
    "history": "the agent's history",
}
_HOW = {
    "knowledge_base": "retrieve something relevant",
    "code_validation": "check the code: syntax, types, tests",
    "certainty": "verify what is hedged, and say it plainly",
    "history": "a better track record",
}


class Factor(NamedTuple):
    """One factor of an assessment."""

    name: str
    score: float | None
    """From 0 to 1; nothing, if it was left out."""
    weight: float
    """Its share of the composite, after what was left out has been weighted up."""
    why: str


class Lift(NamedTuple):
    """What would bring an answer to its threshold, all else being equal."""

    factor: str
    needed: float
    """The score that the factor would have to have."""
    change: float
    """How much more that is than now."""
    words: str


class Assessment:
    """What was decided about an answer, and why. Reasons are put into words when they are asked for."""

    def __init__(
        self,
        model: Response,
        answer: ResponseCase,
        score: Score,
        entry: Entry,
        threshold_from: str,
        unwritten: str = "",
    ) -> None:
        """Take what a model made of an answer, and what was written down of it."""
        self._model = model
        self._answer = answer
        self.score = score
        """Every number, with the model that made it."""
        self.id = entry.id
        """By this the ledger knows it, and outcomes are tied to it."""
        self.at = entry.at
        self.agent = entry.agent
        self.agent_type = entry.agent_type
        self.composite: float = score["composite"]
        """How sure the answer is."""
        self.level: str = score["level"]
        self.threshold: float = score["threshold"]
        self.threshold_from = threshold_from
        """Where the threshold comes from."""
        self.decision: str = score["decision"]
        """`pass`, `block`, or `review`."""
        self.reason: str = score["reason"]
        self.recorded = not unwritten
        """Whether the decision was written down."""
        self.warnings = (f"this decision could not be written down: {unwritten}",) if unwritten else ()

    @property
    def passed(self) -> bool:
        """Whether the answer may go out."""
        return self.decision == "pass"

    @property
    def threshold_met(self) -> bool:
        """Whether the threshold is reached; an answer that was not looked at is to be reviewed even so."""
        return bool(self.score.steps.reached)

    @cached_property
    def factors(self) -> tuple[Factor, ...]:
        """Each factor with its score, weight and why."""
        return tuple(_factors(self._model, self._answer, self.score))

    @cached_property
    def lifts(self) -> tuple[Lift, ...]:
        """What would lift it over the threshold, the cheapest first; empty where it passes, or nothing alone does."""
        return () if self.passed else tuple(lifts(self._model, self.score))

    @cached_property
    def message(self) -> str:
        """What to say instead of the answer; empty where it passes."""
        return _message(self.decision, self.score, self.lifts)

    @cached_property
    def markers(self) -> tuple[dict[str, Any], ...]:
        """Words that mark certainty or uncertainty, and where they stand."""
        return tuple(_markers(self._model, self._answer))

    def as_dict(self) -> dict[str, Any]:
        """Return everything as JSON-ready data."""
        return {name: getattr(self, name) for name in _PLAIN} | {
            "should_block": not self.passed,
            "factors": [factor._asdict() for factor in self.factors],
            "lifts": [lift._asdict() for lift in self.lifts],
            "spec": self.score.spec._asdict(),
        }

    def __repr__(self) -> str:
        """Return the decision and its reason."""
        return f"Assessment({self.id}, {self.decision}: {self.reason})"


_PLAIN = (
    "id",
    "at",
    "agent",
    "agent_type",
    "composite",
    "level",
    "threshold",
    "threshold_from",
    "threshold_met",
    "decision",
    "reason",
    "message",
    "markers",
    "recorded",
    "warnings",
)


def _weight(model: Response, name: str) -> float:
    return float(getattr(model, f"weight_{name}"))


def _factors(model: Response, answer: ResponseCase, score: Score) -> list[Factor]:
    whole = max(score.steps.weight, 1e-100)
    return [
        Factor(
            name,
            score[name],
            0.0 if score[name] is None else _weight(model, name) / whole,
            _why(name, model, answer, score),
        )
        for name in FACTORS
    ]


def _why(name: str, model: Response, answer: ResponseCase, score: Score) -> str:
    if name == "history":
        return _history_words(answer.history, model)
    if score[name] is None:
        return {
            "knowledge_base": "nothing was retrieved or looked up: left out",
            "code_validation": "no code was checked: left out",
            "certainty": "there is no text yet: left out",
        }[name]
    if name == "knowledge_base" and answer.similarities is not None:
        relevant = [s for s in answer.similarities if s >= model.relevant_from - 5e-10]
        best = f", the best {max(relevant):.2f}" if relevant else ""
        return f"{len(relevant)} of {len(answer.similarities)} retrieved are relevant{best}"
    if name == "code_validation" and answer.code is not None:
        states = {True: "yes", False: "no", None: "not checked"}
        return ", ".join(f"{check.replace('_', ' ')}: {states[getattr(answer.code, check)]}" for check in CHECKS)
    if name == "certainty" and answer.certainty is None:
        return marker_words(score["markers"])
    return "given as a number"


def marker_words(found: Mapping[str, Sequence[str]]) -> str:
    """Say which words mark certainty or doubt."""
    if not found["certain"] and not found["uncertain"]:
        return "no word marks certainty or doubt"
    parts = [
        f"{len(words)}{'+' if len(words) == MOST_SHOWN else ''} {kind} ({', '.join(dict.fromkeys(words))[:100]})"
        for kind, words in found.items()
        if words
    ]
    return " and ".join(parts)


def _history_words(history: History | float | None, model: Response) -> str:
    if not isinstance(history, History):
        return "given as a number" if history is not None else "no records: neutral"
    if history.outcomes and history.outcomes >= model.outcomes_from:
        return f"{history.right} of {history.outcomes} answers with a known outcome were right"
    if not history.total:
        return "no records in the look-back window: neutral"
    more = f"; outcomes count from {model.outcomes_from} on, {history.outcomes} are known" if history.outcomes else ""
    return f"{history.met} of {history.total} answers met their threshold{more}"


def lifts(model: Response, score: Score) -> list[Lift]:
    """Return what each factor alone would have to be, the smallest change first. History cannot be chosen."""
    whole, total = score.steps.weight, score.steps.composite * score.steps.weight
    found = []
    for name in ("knowledge_base", "code_validation", "certainty"):
        weight = _weight(model, name)
        if weight <= 0.0 or (name == "certainty" and score[name] is None):
            continue
        present = score[name] is not None
        now = score[name] or 0.0
        base = total - weight * now if present else total
        needed = (score["threshold"] * (whole if present else whole + weight) - base) / weight
        looked = present and name != "certainty"
        if score["decision"] == "review":  # it only has to be looked at, and not to drag the rest down
            if name == "certainty" or looked:
                continue
            needed = max(needed, 0.0)
        needed = min(needed, 1.0) if needed <= 1.0 + TOLERANCE else needed
        if needed <= 1.0 and (needed > now or not present):
            alone = name == "certainty" and score["knowledge_base"] is None and score["code_validation"] is None
            more = "; still to be reviewed, for words alone never pass" if alone else ""
            words = f"{WORDS[name]} at {needed:.2f} or more ({_HOW[name]}{more})"
            found.append(Lift(name, needed, needed - now, words))
    return sorted(found, key=lambda lift: lift.change)


def _message(decision: str, score: Score, helping: tuple[Lift, ...]) -> str:
    if decision == "pass":
        return ""
    low, high = apart(score["composite"], score["threshold"], 100.0)
    why = (
        "nothing was looked up or checked to support my answer"
        if decision == "review"
        else f"my confidence is {low}%, and {high}% is needed"
    )
    more = f" It would help to {_HOW[helping[0].factor]}." if helping else ""
    return f"I don't know: {why}.{more}"


def _markers(model: Response, answer: ResponseCase) -> list[dict[str, Any]]:
    if answer.response is None:
        return []
    found = model.marks(answer)

    def shown(mark: PhraseMatch, kind: str) -> dict[str, Any]:
        return {"kind": kind} | mark._asdict()

    certain = [shown(mark, "certain") for mark in found.certain[:MOST_SHOWN]]
    uncertain = [shown(mark, "uncertain") for mark in found.uncertain[:MOST_SHOWN]]
    return sorted(certain + uncertain, key=lambda mark: (mark["start"], mark["end"]))
