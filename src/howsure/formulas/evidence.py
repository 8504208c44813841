"""The evidence model: may this response be sent, judged by what supports it and by how such responses turned out?

It is the gate's default policy. What is unknown is left out, words can only lower a score, and history comes from
outcomes alone.
"""

import math
from collections.abc import Mapping
from dataclasses import field
from typing import TYPE_CHECKING, Any, ClassVar

from howsure.formulas.evidence_case import EvidenceCase, OutcomeCounts, Row, Steps
from howsure.formulas.model import Model, once
from howsure.formulas.ops import N, Ops, at_least
from howsure.formulas.response_case import (
    CHECKS,
    DEFAULT_THRESHOLD,
    FACTORS,
    MOST_SHOWN,
    THRESHOLDS,
    CodeChecks,
    Similarity,
    ThresholdsAndLevels,
    apart,
    counted,
)
from howsure.shapes import Amount, Unit
from howsure.shapes.types import record
from howsure.text.hedging.response_wording import ResponseWording, read_wording

if TYPE_CHECKING:
    from howsure.text.markers import MarkerMatches

SIGNALS = ("grounding", "judge", "samples", "logprobs", "stated")
"""Signals besides the four factors that have a weight of their own."""
EVIDENCE = ("knowledge_base", "code_validation", "grounding", "judge")
"""What can support a response. Everything else is only what the agent says about itself."""
_ZERO_WIDTH = "\xad\u061c\u180e\u200b\u200c\u200d\u200e\u200f\u2060\u2061\u2062\u2063\u2064\ufeff"
_IMPLIED = ("exists", "syntax_valid", "tests_exist")
"""Checks of the code that hold if its tests pass."""


@record(frozen=True, eq=False, repr=False)
class Evidence(ThresholdsAndLevels, Model[EvidenceCase]):
    """What supports a response, against a threshold: unknown is left out, words only lower, outcomes make history.

    >>> score = Evidence().score({"response": "Paris is the capital of France.", "similarities": [0.92, 0.91]})
    >>> round(score["composite"], 2), score["level"], score["decision"]
    (0.98, 'HIGH', 'pass')
    >>> Evidence().score({"response": "Definitely verified, tested, proven cheese."})["decision"]
    'review'
    """

    name = "evidence"
    version = 1
    case = EvidenceCase
    unordered: ClassVar[tuple[str, ...]] = ("similarities",)
    directions: ClassVar[Mapping[tuple[str, str], int]] = {
        **{(name, "composite"): +1 for name in ("knowledge_base", "code_validation", "certainty", "history", *SIGNALS)},
        **{(name, "composite"): +1 for name in ("named", "right", "type_right", "all_right")},
        **{(name, "composite"): -1 for name in ("outcomes", "type_outcomes", "all_outcomes")},
        ("needed", "reached"): -1,
        ("deferral", "passed"): +1,
    }

    weight_knowledge_base: Amount = 0.30
    """Weight of knowledge."""
    weight_code_validation: Amount = 0.30
    """Weight of code."""
    weight_history: Amount = 0.20
    """Weight of the track record, once an outcome is known."""
    weight_grounding: Amount = 0.30
    """Weight of grounding."""
    weight_judge: Amount = 0.20
    """Weight of the judge."""
    weight_samples: Amount = 0.10
    """Weight of agreement among several answers."""
    weight_logprobs: Amount = 0.05
    """Weight of token probabilities."""
    signal_weights: dict[str, Amount] = field(default_factory=dict)
    """Weights of other signals by name. Without one, a signal is recorded and counts for nothing."""
    pull_certainty: Unit = 0.40
    """How far a higher score is drawn down to the certainty of the wording: a fully hedged text loses this share."""
    pull_stated: Unit = 0.15
    """How far a higher score is drawn down to the confidence that the model states."""
    relevant_centre: Similarity = 0.70
    """Similarity at which knowledge is one half."""
    relevant_width: Amount = 0.06
    """Width of the ramp: knowledge is 0.73 one width above the centre, 0.88 two widths and 0.95 three widths above."""
    more_documents: Unit = 0.20
    """Share of the missing knowledge that any number of further relevant documents can add."""
    lookup_centre: Unit = 0.50
    """Score of lookups at which knowledge is one half."""
    lookup_width: Amount = 0.10
    """Width of that ramp."""
    check_weights: tuple[Unit, Unit, Unit, Unit, Unit] = (0.30, 0.20, 0.20, 0.15, 0.15)
    """What each code check earns: exists, syntax, types, tests exist, tests pass."""
    unchecked_share: Unit = 0.40
    """Share of that which a check that was not made earns."""
    failed_most: Unit = 0.40
    """Most that code can earn if a check failed."""
    neutral: Unit = 0.50
    """Score of a response of which nothing is known."""
    pseudo_outcomes: Amount = 10.0
    """How many outcomes the rate of the larger group counts for when a smaller group's rate is drawn to it."""
    thresholds: dict[str, Unit] = field(default_factory=lambda: dict(THRESHOLDS))
    """Composite to reach, by agent type."""
    default_threshold: Unit = DEFAULT_THRESHOLD
    """Composite to reach for any other type."""
    level_starts: tuple[Unit, Unit, Unit] = (0.90, 0.75, 0.50)
    """Composites above which the level is HIGH, and from which it is MODERATE or LOW; below, it is VERY_LOW."""

    # From a case to numbers

    def features(self, case: EvidenceCase) -> Row[float]:
        """Return the factors and signals."""
        counts = case.history if isinstance(case.history, OutcomeCounts) else _NO_OUTCOMES
        share = case.history if isinstance(case.history, float) else None
        named = [
            (self.signal_weights[name], value) for name, value in case.signals.items() if name in self.signal_weights
        ]
        wording = self.wording(case)
        return Row(
            *counted(self.knowledge_base(case)),
            *counted(self.code_validation(case)),
            *counted(case.grounding),
            *counted(case.judge),
            *counted(case.samples),
            *counted(case.logprobs),
            sum((weight * value for weight, value in named), 0.0) if named else 0.0,
            sum((weight for weight, _ in named), 0.0) if named else 0.0,
            *counted(wording.certainty if case.certainty is None else case.certainty),
            *counted(case.stated),
            *counted(share),
            float(counts.right),
            float(counts.outcomes),
            float(counts.type_right),
            float(counts.type_outcomes),
            float(counts.all_right),
            float(counts.all_outcomes),
            0.0 if case.response is not None and not _is_visible(case.response) else 1.0,
            0.0 if wording.deferral is None else 1.0,
            self.threshold(case),
        )

    def knowledge_base(self, case: EvidenceCase) -> float | None:
        """Return how relevant what was retrieved or looked up is; None if nothing was.

        Lookups that found something count at least as much as the rest if code was checked, so that they never lower
        what checks show.
        """
        knowledge = self._relevance(case)
        if case.lookups is None or knowledge is None or case.lookups < self.lookup_centre:
            return knowledge
        code = self._checks_and_signals(case)
        return knowledge if code is None else max(knowledge, self._mean(case, {"code_validation": code}))

    def _relevance(self, case: EvidenceCase) -> float | None:
        """Return a smooth ramp over lookups or the best similarity; further relevant documents add a little."""
        if case.lookups is not None:
            return ramp(case.lookups, self.lookup_centre, self.lookup_width)
        if case.similarities is None:
            return case.knowledge_base
        # Added from the smallest on, so that the order of the documents makes no difference.
        relevance = sorted(ramp(one, self.relevant_centre, self.relevant_width) for one in case.similarities)
        if not relevance:
            return 0.0
        best, others = relevance[-1], sum(relevance[:-1])
        return best + (1.0 - best) * self.more_documents * best * others / (1.0 + others)

    def code_validation(self, case: EvidenceCase) -> float | None:
        """Return the score of the code checks; None if none was made.

        Checks that all hold count at least as much as what else supports the response, so that they never lower it.
        Lookups are the exception: an agent that has read much and changed code has to check it.
        """
        if case.code is None:
            return case.code_validation
        code, knowledge = self._checks_and_signals(case), None if case.lookups is not None else self._relevance(case)
        if code is None or knowledge is None or _failed(case.code):
            return code
        return max(code, self._mean(case, {"knowledge_base": knowledge}))

    def _checks_and_signals(self, case: EvidenceCase) -> float | None:
        """Return the score of the code checks, if they all hold at least as much as the signals that support it."""
        code = self._checks(case)
        if code is None or case.code is None or _failed(case.code) or case.grounding is case.judge is None:
            return code
        return max(code, self._mean(case, {}))

    def _checks(self, case: EvidenceCase) -> float | None:
        """Return what the code checks earn. A check that was not made earns a part."""
        if case.code is None:
            return case.code_validation
        checks = {name: getattr(case.code, name) for name in CHECKS}
        if all(check is None for check in checks.values()):
            return None
        if checks["tests_pass"]:
            checks |= {name: True for name in _IMPLIED if checks[name] is None}
        earned = {True: 1.0, False: 0.0, None: self.unchecked_share}
        total = sum(weight * earned[check] for weight, check in zip(self.check_weights, checks.values(), strict=True))
        return min(total, self.failed_most if _failed(case.code) else 1.0)

    def _mean(self, case: EvidenceCase, factors: dict[str, float]) -> float:
        """Return the weighted mean of some factors and all signals."""
        known = factors | case.signals
        known |= {name: value for name in SIGNALS if (value := getattr(case, name)) is not None}
        total = sum(self._weight(name) for name in known)
        return sum(self._weight(name) * value for name, value in known.items()) / max(total, _NOTHING)

    def wording(self, case: EvidenceCase) -> ResponseWording:
        """Return what the words of the response say."""
        return once(case, "wording", lambda: read_wording(case.response or ""))

    def marks(self, case: EvidenceCase) -> "MarkerMatches":
        """Return the phrases of doubt in the text of the response. Phrases of certainty do not count."""
        from howsure.text.markers import MarkerMatches
        from howsure.text.phrases import PhraseMatch

        return MarkerMatches([], [PhraseMatch(*hedge[:4]) for hedge in self.wording(case).hedges])

    # From numbers to a score, and from a score to a decision

    def formula(self, row: Row[N], ops: Ops[N]) -> Steps[N]:
        """Return the composite and whether the response may be sent."""
        scored = self.combine(row, ops)
        supported = ops.maximum(
            ops.maximum(row.knowledge_base_counts, row.code_validation_counts),
            ops.maximum(row.grounding_counts, row.judge_counts),
        )
        reached = ops.where(at_least(scored[-1], row.needed), 1.0, 0.0)
        passed = ops.maximum(reached * supported * row.sendable, row.deferral)
        return Steps(*scored, supported, reached, passed)

    def combine(self, row: Row[N], ops: Ops[N]) -> tuple[N, N, N, N, N, N, N, N, N]:
        """Return the steps from factors and signals to the composite, which is the last one."""
        knowledge = self.weight_knowledge_base * row.knowledge_base_counts
        code = self.weight_code_validation * row.code_validation_counts
        grounding = self.weight_grounding * row.grounding_counts
        judge = self.weight_judge * row.judge_counts
        samples = self.weight_samples * row.samples_counts
        logprobs = self.weight_logprobs * row.logprobs_counts
        weight = knowledge + code + grounding + judge + samples + logprobs + row.named_weight
        total = (
            knowledge * row.knowledge_base
            + code * row.code_validation
            + grounding * row.grounding
            + judge * row.judge
            + samples * row.samples
            + logprobs * row.logprobs
            + row.named
        )
        known = weight > _NOTHING
        supported_by = ops.minimum(ops.where(known, total / ops.maximum(weight, _NOTHING), self.neutral), 1.0)
        # Each rate is drawn to that of the larger group, and the largest to what supports this response. So a first
        # outcome moves the score little, a right one never lowers it and a wrong one never raises it.
        pseudo = self.pseudo_outcomes + _NOTHING
        of_all = (row.all_right + pseudo * supported_by) / (row.all_outcomes + pseudo)
        of_type = (row.type_right + pseudo * of_all) / (row.type_outcomes + pseudo)
        of_agent = (row.right + pseudo * of_type) / (row.outcomes + pseudo)
        track_record = ops.where(row.history_counts > 0.5, row.history, of_agent)
        outcomes = row.history_counts + row.outcomes + row.type_outcomes + row.all_outcomes
        history_weight = ops.where(outcomes > 0.5, self.weight_history, 0.0)
        both = weight + history_weight
        with_history = (weight * supported_by + history_weight * track_record) / ops.maximum(both, _NOTHING)
        before_words = ops.minimum(ops.where(both > _NOTHING, with_history, supported_by), 1.0)
        pull = self.pull_certainty * row.certainty_counts
        after_wording = ops.minimum(before_words, (1.0 - pull) * before_words + pull * row.certainty)
        pull = self.pull_stated * row.stated_counts
        composite = ops.minimum(after_wording, (1.0 - pull) * after_wording + pull * row.stated)
        return (
            weight,
            supported_by,
            of_all,
            of_type,
            track_record,
            history_weight,
            before_words,
            after_wording,
            composite,
        )

    def weights(self, scores: Mapping[str, float]) -> dict[str, float]:
        """Return the share that each factor and signal has in the composite, given all that are known by name.

        The shares add up to 1, and the scores times their shares to the composite, if anything but words is known.
        """
        own = {name: self._weight(name) for name in scores}
        total = max(sum(own.values()), _NOTHING)
        shares = {name: weight / total for name, weight in own.items()}
        mean = sum(shares[name] * score for name, score in scores.items()) if any(own.values()) else self.neutral
        for name, pull in (("certainty", self.pull_certainty), ("stated", self.pull_stated)):
            if name in scores and scores[name] < mean:
                shares = {other: share * (1.0 - pull) for other, share in shares.items()} | {name: pull}
                mean += pull * (scores[name] - mean)
        return shares

    def _weight(self, name: str) -> float:
        """Return the weight of a factor or signal in the mean; 0 for words, which only draw it down."""
        if name in ("certainty", "stated"):
            return 0.0
        known = name in FACTORS or name in SIGNALS
        return float(getattr(self, f"weight_{name}") if known else self.signal_weights.get(name, 0.0))

    # Into words

    def conclude(self, case: EvidenceCase, row: Row[float], steps: Steps[float]) -> dict[str, Any]:
        """Return composite, level, threshold, decision, reason, each factor (null if unknown) and the signals."""
        answer = self.describe(case, row, steps)
        answer["reason"] = self.reason(answer, row, steps, steps.composite, "uncalibrated")
        return answer

    def describe(self, case: EvidenceCase, row: Row[float], steps: Steps[float]) -> dict[str, Any]:
        """Return the same without the reason, which a fit puts into words of its own."""
        factors = {
            "knowledge_base": row.knowledge_base if row.knowledge_base_counts else None,
            "code_validation": row.code_validation if row.code_validation_counts else None,
            "certainty": row.certainty if row.certainty_counts else None,
            "history": steps.track_record if steps.history_weight else None,
        }
        signals = {name: value for name in SIGNALS if (value := getattr(case, name)) is not None} | case.signals
        wording = self.wording(case)
        decision = "pass" if steps.passed else "block" if steps.supported and row.sendable else "review"
        checked = {} if case.code is None else {name: getattr(case.code, name) for name in CHECKS}
        return {
            "policy": self.name,
            **factors,
            "signals": signals,
            "composite": steps.composite,
            "level": self.level(steps.composite),
            "threshold": row.needed,
            "decision": decision,
            "deferral": wording.deferral,
            "calibrated": False,
            "code_checks": {name: "not checked" if check is None else check for name, check in checked.items()},
            "markers": {
                "certain": [],
                "uncertain": [hedge.phrase for hedge in wording.hedges[:MOST_SHOWN]],
            },
        }

    def reason(self, answer: Mapping[str, Any], row: Row[float], steps: Steps[float], sure: float, basis: str) -> str:
        """Return why a response was decided about as it was.

        Args:
            answer: The decision with its factors and signals.
            row: The row, with the threshold that is needed.
            steps: The steps.
            sure: What was held against the threshold: the composite, or a probability.
            basis: What that rests on, in words.
        """
        scores = {_WORDS[name]: score for name in FACTORS if (score := answer[name]) is not None}
        if answer["signals"]:
            scores |= {name.replace("_", " "): score for name, score in answer["signals"].items()}
        shown = ", ".join([f"{name} {score:.2f}" for name, score in scores.items()]) or "nothing is known"
        shown = f"({shown}; {basis})"
        if answer["deferral"]:
            asks = answer["deferral"] == "question"
            does = "asks back instead of answering" if asks else "says that the answer is not known"
            return f"the response {does}, so there is nothing to be sure of {shown}"
        if not row.sendable:
            return f"the response is empty {shown}"
        if not steps.supported:
            return f"nothing supports the response: no knowledge, code, grounding or judge was looked at {shown}"
        if answer["decision"] == "pass":
            return f"{sure:.2f} reaches the threshold {row.needed:.2f} {shown}"
        weighed = [
            name for name in scores if name.replace(" ", "_") in (*FACTORS, *SIGNALS) or name in self.signal_weights
        ]
        weakest = min(weighed, key=scores.__getitem__)
        low, high = apart(sure, row.needed)
        return f"{low} is below the threshold {high}; the weakest factor is {weakest} {shown}"


_NOTHING = 1e-100
"""Guards divisions; no weight is that small."""
_NO_OUTCOMES = OutcomeCounts.of_valid(0, 0, 0, 0, 0, 0, 0, 0)
_WORDS = {name: name.replace("_", " ") for name in FACTORS}


def ramp(score: float, centre: float, width: float) -> float:
    """Return a smooth step from 0 to 1: one half at the centre. A width of 0 makes a step.

    >>> [round(ramp(similarity, 0.7, 0.06), 3) for similarity in (0.4, 0.64, 0.7, 0.76, 0.91)]
    [0.007, 0.269, 0.5, 0.731, 0.971]
    """
    if width <= 0.0:
        return 1.0 if at_least(score, centre) else 0.0
    return 1.0 / (1.0 + math.exp(min((centre - score) / width, 700.0)))


def _is_visible(text: str) -> bool:
    """Return True if a text has a character that can be seen; False for one of blanks and zero-width characters."""
    return text[:1].isalnum() or any(not one.isspace() and one not in _ZERO_WIDTH for one in text)


def _failed(code: CodeChecks) -> bool:
    """Return whether a check of the code failed."""
    return any(getattr(code, name) is False for name in CHECKS)
