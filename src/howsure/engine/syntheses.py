"""Syntheses: what may be said when sub-results of different quality are merged."""

import time
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from howsure.core.ops import at_least
from howsure.core.score import Score
from howsure.core.shape import decode
from howsure.engine import stages
from howsure.engine.ledger import Ledger
from howsure.engine.metrics import SYNTHESIS_CONFIDENCE, SYNTHESIS_CONFLICTS, SYNTHESIS_FILTERED, SYNTHESIS_SECONDS
from howsure.engine.stages import Combiner, Detector, Extractor, Material, Scorer
from howsure.engine.synthesis import Clash, Rules, Statement, SubResult, Synthesis, Weighed
from howsure.errors import InputError, shown
from howsure.models.overall import Overall
from howsure.text.conflicts import Progress

if TYPE_CHECKING:
    from howsure.judge.base import Judge

ABSTAIN = "I don't know: no source is sure enough to answer this."


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
        from howsure.engine.judged import JudgedStages

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
        progress: Progress | None = None,
        now: float | None = None,
        **about: Any,
    ) -> Synthesis:
        """Merge sub-results into one answer, with its confidence, its disagreements and its warnings.

        Where nothing is sure enough it abstains, and no further stage is called. Failures of stages become warnings.
        `progress` is told what is being done, how much of it was done, and how much there is.
        """
        if not isinstance(query, str):
            raise InputError(f"{shown(query)} is not a question", field="query")
        start = time.perf_counter()
        chosen = self.rules if rules is None else decode(Rules, rules)
        warnings: list[str] = []
        show = progress or (lambda *_: None)
        weighed = self._weighed(query, context, _read(results), chosen, warnings, show)
        kept = sorted((one for one in weighed if one.kept), key=lambda one: -one.confidence)
        parts = [{"confidence": one.confidence, "content": one.result.content} for one in kept]
        score = Overall().score({"results": parts})
        left_out = len(weighed) - len(kept)
        if left_out:
            warnings.append(f"{left_out} of {len(weighed)} sources were left out: below {chosen.minimum:g}, or failed")
        if any(one.result.content.strip() for one in kept):
            statements = self._statements(kept, chosen, warnings, show)
            show("comparing claims", 0, len(statements))
            clashes = self._clashes(statements, chosen, warnings)
            show("putting together claims", 0, len(statements))
            weighed = [_marked(one, statements, clashes) for one in weighed]
            material = Material(query, context, tuple(kept), statements, clashes, chosen.provenance)
            content, by = self._content(material, warnings)
            decision = "answer"
            if not at_least(score["overall"], chosen.warn_below):
                warnings.append(f"overall confidence {score['overall']:.2f} is below {chosen.warn_below:g}: verify it")
            if clashes:
                warnings.append(_disagreement(clashes))
        else:
            statements, clashes, content, by, decision = (), (), ABSTAIN, "", "abstain"
            if kept:
                warnings.append("no source says anything")
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
            tuple(warnings),
            {"combined by": by} if by else {},
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
        self, query: str, context: str, results: list[SubResult], rules: Rules, warnings: list[str], show: Progress
    ) -> list[Weighed]:
        found: list[Weighed] = []
        for result in results:
            show("scoring results", len(found), len(results))
            try:
                opinion = self.scorer(result, query, context)
            except Exception as error:  # noqa: BLE001 - a scorer may be anybody's; its failure is told, never silent
                opinion = stages.Opinion(
                    0.5, "the scorer failed: neutral", f"the scorer failed for {result.id}: {error}"
                )
            if opinion.warning:
                warnings.append(opinion.warning)
            confidence = 0.0 if result.error is not None else opinion.confidence
            kept = result.error is None and at_least(confidence, rules.minimum)
            found.append(Weighed(result, confidence, *stages.level(confidence), opinion.why, bool(kept)))
        return found

    def _statements(
        self, kept: list[Weighed], rules: Rules, warnings: list[str], show: Progress
    ) -> tuple[Statement, ...]:
        found: list[Statement] = []
        for place, one in enumerate(kept):
            show("extracting claims from results", place, len(kept))
            try:
                claims = list(self.extractor(one.result, one.confidence))
            except Exception as error:  # noqa: BLE001 - likewise
                warnings.append(f"claims of {one.result.id} could not be extracted: {error}")
                continue
            found += [
                Statement(f"{one.result.id}#{number}", text, confidence, one.result.id, evidence)
                for number, (text, confidence, evidence) in enumerate(claims, start=1)
            ]
        if len(found) > rules.max_claims:
            warnings.append(
                f"{len(found) - rules.max_claims} of {len(found)} claims were left out: the least confident"
            )
        return tuple(sorted(found, key=lambda one: -one.confidence)[: rules.max_claims])

    def _clashes(self, statements: tuple[Statement, ...], rules: Rules, warnings: list[str]) -> tuple[Clash, ...]:
        try:
            found = self.detector([one.statement for one in statements])
            clashes = [
                Clash(statements[first], statements[second], kind, severity, reason)
                for first, second, kind, severity, reason in found
                if at_least(severity, rules.conflict_threshold)
            ]
        except Exception as error:  # noqa: BLE001 - likewise
            warnings.append(f"conflicts could not be looked for: {error}")
            return ()
        return tuple(sorted(clashes, key=lambda clash: -clash.severity))

    def _content(self, material: Material, warnings: list[str]) -> tuple[str, str]:
        try:
            found = self.combiner(material)
        except Exception as error:  # noqa: BLE001 - likewise
            found = stages.extractive(material)._replace(warning=f"the combiner failed, this is an extract: {error}")
        if found.warning:
            warnings.append(found.warning)
        return found.content, found.by

    def _recorded(self, found: Synthesis, score: Score, about: Mapping[str, Any], now: float | None) -> Synthesis:
        if self._ledger is None:
            return found
        more = {
            "decision": found.decision,
            "results": len(found.results),
            "left_out": sum(not one.kept for one in found.results),
            "conflicts": [clash.as_dict() for clash in found.clashes[:20]],
            "warnings": list(found.warnings),
        }
        whole = Score(score.spec, score.row, score.steps, score.answer | more)
        id_ = self._ledger.record(whole, self._ledger.about(**about), f"{found.query}\n\n{found.content}", now)
        return replace(found, id=id_)


def _disagreement(clashes: tuple[Clash, ...]) -> str:
    """Say how many conflicts there are, and whether sources disagree with each other or with themselves."""
    within = sum(clash.first.source == clash.second.source for clash in clashes)
    between = len(clashes) - within
    counted = ((between, "between sources"), (within, "within a source"))
    return ", ".join(f"{count} conflict{'s' * (count > 1)} {place}" for count, place in counted if count)


def _read(results: Iterable[SubResult | Mapping[str, Any]]) -> list[SubResult]:
    found: list[SubResult] = []
    for number, result in enumerate(results):
        try:
            found.append(decode(SubResult, result))
        except InputError as error:
            raise error.under(f"results[{number}]") from None
    names = [result.id for result in found]
    twice = next((name for name in names if names.count(name) > 1), None) if len(set(names)) < len(names) else None
    if twice is not None:
        raise InputError(f"{shown(twice)} is the id of two sub-results", field="results", hint="give each its own")
    return found


def _marked(one: Weighed, statements: tuple[Statement, ...], clashes: tuple[Clash, ...]) -> Weighed:
    """Return a sub-result with its claims, and the conflicts that it is part of."""
    own = tuple(statement for statement in statements if statement.source == one.result.id)
    part = tuple(clash for clash in clashes if one.result.id in (clash.first.source, clash.second.source))
    return replace(one, statements=own, clashes=part)
