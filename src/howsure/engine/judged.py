"""The stages of a synthesis, by a language model. What it fails at becomes a warning."""

from collections.abc import Sequence

from howsure.engine import stages
from howsure.engine.stages import Combined, Material, Opinion
from howsure.engine.synthesis import SubResult
from howsure.errors import HowsureError
from howsure.judge import prompts
from howsure.judge.base import Failure, Judge

WEIGHTS = {"completeness": 0.25, "consistency": 0.25, "specificity": 0.20, "grounding": 0.20, "hedging": 0.10}
"""What each factor counts for in the score of a sub-result."""
NEUTRAL = 0.5
"""Confidence of a sub-result that could not be scored."""


class JudgeError(HowsureError):
    """The judge gave no answer that could be used."""


class JudgedStages:
    """Scorer, extractor, detector and combiner that ask a judge."""

    def __init__(self, judge: Judge) -> None:
        """Take the judge to ask."""
        self.judge = judge

    def score(self, result: SubResult, query: str, context: str) -> Opinion:
        """Score a sub-result by five factors; those that do not come back are left out, and the rest weighted up."""
        if result.error is not None:
            return stages.heuristic(result)
        background = [context] if context.strip() else []
        asked = prompts.scores(result.content, question=result.subtask or query, background=background)
        found = self.judge.ask(asked)
        if isinstance(found, Failure):
            return Opinion(NEUTRAL, "the judge failed: neutral", f"{result.id} could not be judged: {found}")
        known = {name: found.value[name] for name in WEIGHTS if found.value.get(name) is not None}
        if not known:
            return Opinion(NEUTRAL, "the judge said nothing: neutral", f"{result.id}: the judge gave no factor")
        whole = sum(WEIGHTS[name] for name in known)
        score = sum(WEIGHTS[name] * value for name, value in known.items()) / whole
        missing = [name for name in WEIGHTS if name not in known]
        warning = f"{result.id}: the judge gave no {', '.join(missing)}" if missing else ""
        return Opinion(min(score, 1.0), ", ".join(f"{name} {value:.2f}" for name, value in known.items()), warning)

    def extract(self, result: SubResult, confidence: float) -> list[tuple[str, float, str]]:
        """Return the claims of a sub-result; none is surer than the sub-result allows."""
        found = self.judge.ask(prompts.claims(result.content, question=result.subtask))
        if isinstance(found, Failure):
            raise JudgeError(str(found))
        return [
            (claim["statement"], confidence * claim["confidence"], claim["evidence"])
            for claim in found.value["claims"]
            if claim["statement"].strip()
        ]

    def detect(self, statements: Sequence[str]) -> list[tuple[int, int, str, float, str]]:
        """Return which statements are at odds."""
        if len(statements) < 2:  # noqa: PLR2004 - a pair
            return []
        found = self.judge.ask(prompts.conflicts(statements))
        if isinstance(found, Failure):
            raise JudgeError(str(found))
        pairs = {}
        for one in found.value["conflicts"]:
            first, second = sorted((one["first"] - 1, one["second"] - 1))
            if first != second:
                pairs[first, second] = (first, second, one["kind"], one["severity"], one["reason"])
        return list(pairs.values())

    def combine(self, material: Material) -> Combined:
        """Merge by the judge; where it fails, an extract takes its place, and says so."""
        told = [
            f"{clash.first.source}: {clash.first.statement} / {clash.second.source}: {clash.second.statement}"
            for clash in material.clashes
        ]
        named = [(f"{one.result.id}, confidence {one.confidence:.2f}", one.result.content) for one in material.results]
        texts = [f"[{name}]\n{content}" for name, content in named]
        found = self.judge.ask(prompts.synthesis(texts, question=material.query, conflicts=told))
        if isinstance(found, Failure):
            extract = stages.extractive(material)
            return extract._replace(warning=f"the judge failed, this is an extract of the best sources: {found}")
        doubts = found.value["uncertain"]
        lines = [found.value["text"].strip()]
        lines += ["", "Uncertain:", *(f"- {doubt}" for doubt in doubts)] if doubts else []
        lines += ["", "Sources: " + "; ".join(name for name, _ in named)] if material.provenance else []
        return Combined("\n".join(lines), by=found.model)
