"""Syntheses: what may be said when sub-results of different quality are merged."""

import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any

from howsure.errors import InputError
from howsure.formulas.ops import at_least
from howsure.formulas.overall import Overall
from howsure.formulas.score import Score
from howsure.formulas.spec import Spec
from howsure.ledger.api import Ledger
from howsure.ledger.metrics import SYNTHESIS_CONFIDENCE, SYNTHESIS_CONFLICTS, SYNTHESIS_FILTERED, SYNTHESIS_SECONDS
from howsure.progress import Progress, silent
from howsure.shapes import decode
from howsure.syntheses import stages
from howsure.syntheses.pipeline import Staging
from howsure.syntheses.stages import Combiner, Detector, Extractor, Material, Scorer
from howsure.syntheses.synthesis import (
    Clash,
    Rules,
    Statement,
    SubResult,
    Synthesis,
    Weighed,
    checked_text,
    sub_results,
)

if TYPE_CHECKING:
    from howsure.judge.question import Judge

ABSTAIN = "I don't know: no source is sure enough to answer this."
MOST, CLASHES = 200, 20
"""Sub-results whose numbers the ledger keeps, and conflicts."""


class Syntheses:
    """Merges sub-results: score, filter, extract claims, detect conflicts, combine. Each stage can be replaced."""

    def __init__(
        self,
        ledger: Ledger | None = None,
        *,
        scorer: Scorer = stages.heuristic,
        extractor: Extractor = stages.extract,
        detector: Detector = stages.detect,
        combiner: Combiner = stages.extractive,
        rules: Rules | None = None,
        judge: "Judge | None" = None,
    ) -> None:
        """Take the ledger to write in, the stages, and the rules, where they are not the usual ones."""
        self._ledger = ledger
        self.scorer = scorer
        self.extractor = extractor
        self.detector = detector
        self.combiner = combiner
        self.rules = rules or Rules()
        self._judge = judge

    def judged(self) -> "Syntheses":
        """Return the same with every stage by the judge."""
        if self._judge is None:
            raise InputError("there is no judge to ask", field="judge", hint="set judge.base_url and judge.model")
        from howsure.syntheses.llm_stages import JudgedStages

        by = JudgedStages(self._judge)
        return Syntheses(
            self._ledger,
            scorer=by.score,
            extractor=by.extract,
            detector=by.detect,
            combiner=by.combine,
            rules=self.rules,
            judge=self._judge,
        )

    def combine(
        self,
        query: str,
        results: Iterable[SubResult | Mapping[str, Any]],
        *,
        context: str = "",
        rules: Rules | Mapping[str, Any] | None = None,
        progress: Progress = silent,
        now: float | None = None,
        **about: Any,
    ) -> Synthesis:
        """Merge sub-results into one answer, with its confidence, its disagreements and its warnings.

        Where nothing is sure enough it abstains, and no further stage is called. Failures of stages become warnings.
        `progress` is told what is being done, how much of it was done, and how much there is.
        """
        start = time.perf_counter()
        checked_text(query, "query")
        checked_text(context, "context")
        chosen = self.rules if rules is None else decode(Rules, rules)
        given = sub_results(results)
        staging = Staging()
        weighed = self._weighed(query, context, given, chosen, staging, progress)
        kept = sorted((one for one in weighed if one.kept), key=lambda one: -one.confidence)
        parts = [{"confidence": one.confidence, "content": one.result.content} for one in kept]
        score = Overall().score({"results": parts})
        left_out = len(weighed) - len(kept)
        if left_out:
            staging.warnings.append(
                f"{left_out} of {len(weighed)} sources were left out: below {chosen.minimum:g}, or failed"
            )
        statements: tuple[Statement, ...] = ()
        clashes: tuple[Clash, ...] = ()
        content, decision = ABSTAIN, "abstain"
        if any(one.result.content.strip() for one in kept):
            statements = self._statements(kept, chosen, staging, progress)
            progress("comparing claims", 0, len(statements))
            clashes = self._clashes(statements, chosen, staging)
            progress("putting together claims", 0, len(statements))
            weighed = _marked(weighed, statements, clashes)
            material = Material(query, context, tuple(kept), statements, clashes, chosen.provenance)
            content, decision = staging.combine(self.combiner, material), "answer"
            staging.warnings += _to_know(score["overall"], clashes, chosen)
        elif kept:
            staging.warnings.append("no source says anything")
        found = Synthesis(
            query,
            content,
            score["overall"],
            score["level"],
            score["interpretation"],
            decision,
            tuple(weighed),
            statements,
            clashes,
            tuple(staging.warnings),
            staging.done,
            chosen,
            _models(staging.specs | {score.spec.name: score.spec}),
            score,
            context,
        )
        recorded = self._recorded(found, score, about, now)
        if self._ledger is not None:
            metrics = self._ledger.metrics
            metrics.observe(SYNTHESIS_CONFIDENCE, found.overall)
            metrics.observe(SYNTHESIS_CONFLICTS, len(found.clashes))
            metrics.observe(SYNTHESIS_FILTERED, left_out)
            metrics.observe(SYNTHESIS_SECONDS, time.perf_counter() - start)
        return recorded

    def _weighed(
        self, query: str, context: str, results: list[SubResult], rules: Rules, staging: Staging, progress: Progress
    ) -> list[Weighed]:
        found: list[Weighed] = []
        for result in results:
            progress("scoring results", len(found), len(results))
            opinion = staging.score(self.scorer, result, query, context)
            kept = result.error is None and at_least(opinion.confidence, rules.minimum)
            named = stages.level(opinion.confidence)
            one = Weighed(result, opinion.confidence, *named, opinion.why, bool(kept), factors=opinion.factors)
            found.append(one)
        return found

    def _statements(
        self, kept: list[Weighed], rules: Rules, staging: Staging, progress: Progress
    ) -> tuple[Statement, ...]:
        found: list[Statement] = []
        for place, one in enumerate(kept):
            progress("extracting claims from results", place, len(kept))
            found += [
                Statement(f"{one.result.id}#{number}", text, confidence, one.result.id, evidence)
                for number, (text, confidence, evidence) in enumerate(
                    staging.extract(self.extractor, one.result, one.confidence), start=1
                )
            ]
        if len(found) > rules.max_claims:
            staging.warnings.append(
                f"{len(found) - rules.max_claims} of {len(found)} claims were left out: the least confident"
            )
        return tuple(sorted(found, key=lambda one: -one.confidence)[: rules.max_claims])

    def _clashes(self, statements: tuple[Statement, ...], rules: Rules, staging: Staging) -> tuple[Clash, ...]:
        clashes = [
            Clash(statements[first], statements[second], kind, severity, reason)
            for first, second, kind, severity, reason in staging.detect(
                self.detector, [one.statement for one in statements]
            )
            if at_least(severity, rules.conflict_threshold)
        ]
        return tuple(sorted(clashes, key=lambda clash: -clash.severity))

    def _recorded(self, found: Synthesis, score: Score, about: Mapping[str, Any], now: float | None) -> Synthesis:
        if self._ledger is None:
            return found
        ledger = self._ledger

        def said(text: str) -> str:
            """Return as much of a text as the ledger keeps."""
            return ledger.kept(text).content or ""

        more = {
            "decision": found.decision,
            "results": len(found.results),
            "left_out": sum(not one.kept for one in found.results),
            "sources": [one.weighing() | {"level": one.level, "why": said(one.why)} for one in found.results[:MOST]],
            "conflicts": [_kept(clash, said) for clash in found.clashes[:CLASHES]],
            "warnings": list(found.warnings),
            "stages": found.stages,
            "rules": asdict(found.rules),
            "models": found.models,
        }
        whole = Score(score.spec, score.row, score.steps, score.answer | more)
        id_ = ledger.record(whole, ledger.about(**about), f"{found.query}\n\n{found.content}", now)
        return replace(found, id=id_)


def _kept(clash: Clash, said: Callable[[str], str]) -> dict[str, Any]:
    """Return what the ledger keeps of a conflict: of both sides and the reason as much as of any text."""
    found = clash.as_dict()
    sides = {name: found[name] | {"statement": said(found[name]["statement"])} for name in ("first", "second")}
    return found | sides | {"reason": said(clash.reason)}


def _to_know(overall: float, clashes: tuple[Clash, ...], rules: Rules) -> list[str]:
    """Return what a reader should know of an answer: that it is not sure, and how many conflicts there are.

    Whether sources disagree with each other or with themselves is told apart.
    """
    found = []
    if not at_least(overall, rules.warn_below):
        found.append(f"overall confidence {overall:.2f} is below {rules.warn_below:g}: verify it")
    within = sum(clash.first.source == clash.second.source for clash in clashes)
    counted = ((len(clashes) - within, "between sources"), (within, "within a source"))
    told = ", ".join(f"{count} conflict{'s' * (count > 1)} {place}" for count, place in counted if count)
    return [*found, told] if told else found


def _models(specs: Mapping[str, Spec]) -> dict[str, dict[str, Any]]:
    """Return version and parameters of each model, by its name."""
    return {name: {"version": spec.version, "parameters": spec.parameters} for name, spec in specs.items()}


def _marked(weighed: list[Weighed], statements: tuple[Statement, ...], clashes: tuple[Clash, ...]) -> list[Weighed]:
    """Return sub-results with their claims, and the conflicts that each is part of."""
    own: dict[str, list[Statement]] = {}
    for statement in statements:
        own.setdefault(statement.source, []).append(statement)
    part: dict[str, list[Clash]] = {}
    for clash in clashes:
        for source in {clash.first.source, clash.second.source}:
            part.setdefault(source, []).append(clash)
    return [
        replace(one, statements=tuple(own.get(one.result.id, ())), clashes=tuple(part.get(one.result.id, ())))
        for one in weighed
    ]
