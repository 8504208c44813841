"""Syntheses: merge sub-results of different quality into one text, and say how sure it is."""

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from copy import copy
from dataclasses import asdict, dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

from howsure.asynchronous import asynchronous
from howsure.errors import InputError
from howsure.formulas.ops import at_least
from howsure.formulas.overall import Overall
from howsure.formulas.score import Score
from howsure.formulas.spec import ModelSpec
from howsure.formulas.subresult import Subresult
from howsure.ledger.metrics import SYNTHESIS_CONFIDENCE, SYNTHESIS_CONFLICTS, SYNTHESIS_FILTERED, SYNTHESIS_SECONDS
from howsure.ledger.recorder import Recorder, Subject
from howsure.operation import Tool, operation
from howsure.parameters import configured
from howsure.progress import Progress, silent
from howsure.shapes import Doc, Local, Now, Unit, Wire, decode, decode_as
from howsure.shapes.encode import encode
from howsure.syntheses import stages
from howsure.syntheses.pipeline import StageRunner
from howsure.syntheses.stages import Combiner, ConflictReader, Detector, Extractor, Material, Scorer
from howsure.syntheses.synthesis import (
    CitedStatement,
    ScoredResult,
    SubResult,
    Synthesis,
    SynthesisConflict,
    SynthesisRules,
    SynthesisStatement,
    check_unicode,
    interpret,
    read_sub_results,
    short_id,
)

if TYPE_CHECKING:
    from howsure.claims.api import Claims
    from howsure.judge.question import Judge

ABSTAIN = "I don't know: no source is sure enough to answer this."
RECORDED_RESULTS, RECORDED_CONFLICTS = 200, 20
"""Sub-results whose numbers the ledger keeps, and conflicts."""
NAMED_RESULTS = 5
"""Sub-results that a warning names at most."""
MOST_STATEMENTS = 5000
"""Statements that `conflicts` compares at once."""


class StatementConflict(NamedTuple):
    """Two statements that cannot both be true, or hardly."""

    first: int
    """Index of the one statement, from 0."""
    second: int
    """Index of the other statement."""
    kind: str
    """contradiction, inconsistency or ambiguity."""
    severity: float
    """From 0 (minor) to 1 (major)."""
    reason: str


@dataclass(frozen=True)
class StatementConflicts:
    """The conflicts among statements."""

    conflicts: tuple[StatementConflict, ...]
    """The most severe first."""
    warnings: tuple[str, ...] = ()
    """Why the reader that is installed could not be used, if it was asked for."""


class Syntheses:
    """Merges sub-results: score, filter, extract claims, detect conflicts, combine. Each stage can be replaced."""

    def __init__(
        self,
        ledger: Recorder | None = None,
        *,
        scorer: Scorer | None = None,
        extractor: Extractor = stages.extract,
        detector: Detector = stages.detect,
        combiner: Combiner = stages.combine,
        rules: SynthesisRules | None = None,
        judge: "Judge | None" = None,
        claims: "Callable[[], Claims] | None" = None,
    ) -> None:
        """Merge with these stages and rules.

        Args:
            ledger: Where results are recorded; without one they are not.
            scorer: Scores a sub-result; default: by the form of its text.
            extractor: Extracts the claims of a sub-result.
            detector: Detects conflicts among claims; `stages.detect_with_reader` also asks the installed reader.
            combiner: Merges everything into one text.
            rules: Default rules.
            judge: The language model for `judged()`.
            claims: Returns the claims in which `keep` stores what was found.
        """
        self._ledger = ledger
        self._settings = None if ledger is None else ledger.session.settings
        self.scorer: Scorer = scorer or partial(stages.score, model=configured(Subresult, self._settings))
        self.extractor = extractor
        self.detector = detector
        self.combiner = combiner
        self.rules: SynthesisRules = rules or SynthesisRules()
        self._judge = judge
        self._claims = claims

    def judged(self) -> "Syntheses":
        """Return the same with every stage done by the judge.

        Raises:
            InputError: if no judge is set.
        """
        if self._judge is None:
            raise InputError("no judge is configured", field="judge", hint="set judge.base_url and judge.model")
        from howsure.syntheses.llm_stages import JudgedStages

        by, judged = JudgedStages(self._judge), copy(self)
        judged.scorer, judged.extractor = by.score, by.extract
        judged.detector, judged.combiner = by.detect, by.combine
        return judged

    def _choose_stages(self, reader: ConflictReader, *, judge: bool) -> "Syntheses":
        """Return the same with the stages of the judge, or with conflicts of the reader that is installed."""
        if judge:
            return self.judged()
        if decode_as(ConflictReader, reader, "reader") == "rules":
            return self
        reading = copy(self)
        reading.detector = stages.detect_with_reader
        return reading

    @operation(
        "POST /v1/syntheses/combine",
        scope="write",
        example={
            "query": "Is the cache safe?",
            "results": [
                {"id": "docs", "content": "The cache is safe to share between threads."},
                {"id": "tests", "content": "The cache is not safe to share between threads.", "confidence": 0.7},
            ],
        },
        tool=Tool(
            "combine_results",
            "Combine results",
            "Merge what several sub-tasks or agents returned into one text: weak results are left out, each statement "
            "is attributed, disagreements are shown instead of hidden, and the whole has a confidence. If the decision "
            "is `abstain`, say that you do not know.",
            parameters=("query", "results", "context", "keep", "agent", "trace_id"),
            omit=("stages", "context", "rules", "models", "row", "steps"),
        ),
        slow=True,
    )
    def combine(
        self,
        query: str = "",
        results: Annotated[Iterable[SubResult | Mapping[str, Any]], Wire(tuple[SubResult, ...])] = (),
        *,
        context: str = "",
        rules: Annotated[SynthesisRules | Mapping[str, Any] | None, Wire(SynthesisRules | None)] = None,
        judge: bool = False,
        reader: Annotated[
            ConflictReader,
            Doc("Who finds conflicts: the rules, or also the reader that is installed. With `judge`, the judge does."),
        ] = "rules",
        keep: str | None = None,
        agent: Annotated[str, Doc("Name of the agent, always the same; leads to its history.")] = "",
        agent_type: Annotated[str, Doc("Type of the agent.")] = "",
        project: Annotated[str | None, Doc("The project it works on; by default the one in the settings.")] = None,
        task_id: Annotated[str | None, Doc("The task.")] = None,
        trace_id: Annotated[str | None, Doc("The trace or session.")] = None,
        progress: Annotated[Progress, Local()] = silent,
        now: Now = None,
    ) -> Synthesis:
        """Merge sub-results into one text, with its confidence, conflicts and warnings.

        If no sub-result is sure enough it abstains, and no further stage is run. A stage that fails is replaced by the
        offline one, with a warning.

        Args:
            query: The question.
            results: What each sub-task returned.
            context: What else is known about the question.
            rules: How sub-results are merged.
            judge: Let the language model do every stage; it may cost money.
            keep: A namespace in which the claims, contradictions and conclusion are stored.

        Raises:
            InputError: if a sub-result or rule is invalid, two sub-results have the same id, or no judge is set.
        """
        if keep is not None:
            _check_namespace(keep)
            if self._claims is None:  # before a judge is paid
                raise InputError("there is no store to keep claims in", field="keep", hint="use sure.syntheses")
        by = self._choose_stages(reader, judge=judge)
        about = None
        if self._ledger is not None:
            about = self._ledger.subject(
                agent=agent, agent_type=agent_type, project=project, task_id=task_id, trace_id=trace_id
            )
        synthesis = by._combine(query, results, context, rules, about, progress, now)  # noqa: SLF001 - a copy of this
        if keep is None or self._claims is None or synthesis.decision != "answer":
            return synthesis
        from howsure.syntheses.findings import save_findings

        return replace(synthesis, kept=save_findings(self._claims(), synthesis, keep, now))

    @operation(
        "POST /v1/syntheses/conflicts",
        scope="read",
        example={"statements": ["The function returns nil on error", "The function never returns nil"]},
        tool=Tool(
            "find_conflicts",
            "Find conflicts",
            "Which of these statements cannot both be true, or hardly? Use it on what several sources say before you "
            "put it together. Returns pairs by their places in the list, with the reason.",
            parameters=("statements", "threshold"),
            omit=("warnings",),
            idempotent=True,
        ),
        slow=True,
    )
    def conflicts(
        self,
        statements: Sequence[str],
        *,
        threshold: Unit = 0.5,
        reader: Annotated[
            ConflictReader, Doc("rules: by rules. installed: also by the reader that is installed, if there is one.")
        ] = "rules",
    ) -> StatementConflicts:
        """Find statements that contradict each other, the most severe conflicts first.

        Args:
            statements: Each in a sentence of its own.
            threshold: Severity from which a conflict is reported.

        Raises:
            InputError: if there are more than 5000 statements.
        """
        if len(statements) > MOST_STATEMENTS:
            hint = f"at most {MOST_STATEMENTS:,}; howsure conflicts takes more"
            raise InputError(f"{len(statements):,} statements are too many", field="statements", hint=hint)
        if decode_as(ConflictReader, reader, "reader") == "rules":
            detection = stages.Detection(stages.detect(statements))
        else:
            detection = stages.detect_with_reader(statements)
        conflicts = [StatementConflict(*one) for one in detection.conflicts]
        severe = [one for one in conflicts if at_least(one.severity, threshold)]
        warnings = (detection.warning,) if detection.warning else ()
        return StatementConflicts(tuple(sorted(severe, key=lambda one: -one.severity)), warnings)

    acombine = asynchronous(combine)
    aconflicts = asynchronous(conflicts)

    def _combine(
        self,
        query: str,
        results: Any,
        context: str,
        rules: Any,
        about: Subject | None,
        progress: Progress,
        now: float | None,
    ) -> Synthesis:
        start = time.perf_counter()
        check_unicode(query, "query")
        check_unicode(context, "context")
        rules = self.rules if rules is None else decode(SynthesisRules, rules)
        runner = StageRunner()
        scored = self._score(query, context, read_sub_results(results), rules, runner, progress)
        kept = sorted((one for one, _ in scored if one.kept), key=lambda one: -one.confidence)
        sub_results = {result.id: result for _, result in scored}
        parts = [{"confidence": one.confidence, "content": one.content} for one in kept]
        score = configured(Overall, self._settings).score({"results": parts})
        left_out = len(scored) - len(kept)
        runner.warnings += _left_out_warnings(scored, rules)
        claims: tuple[SynthesisStatement, ...] = ()
        conflicts: tuple[SynthesisConflict, ...] = ()
        content, decision = ABSTAIN, "abstain"
        if kept:
            claims = self._extract([(one, sub_results[one.id]) for one in kept], rules, runner, progress)
            progress("comparing claims", 0, len(claims))
            conflicts = self._detect(claims, rules, runner)
            progress("putting together claims", 0, len(claims))
            material = Material(query, context, tuple(kept), claims, conflicts, rules.provenance)
            content, decision = runner.combine(self.combiner, material), "answer"
            runner.warnings += _final_warnings(score["overall"], conflicts, rules)
        synthesis = Synthesis(
            id=None,
            query=query,
            context=context,
            decision=decision,
            overall=score["overall"],
            level=score["level"],
            interpretation=interpret(score["interpretation"], [one.id for one in claims], conflicts),
            content=content,
            results=tuple(_assign([one for one, _ in scored], claims, conflicts)),
            claims=claims,
            conflicts=conflicts,
            warnings=tuple(runner.warnings),
            stages=runner.done,
            rules=rules,
            models=_describe_models(runner.specs | {score.spec.name: score.spec}),
            row=score.row._asdict(),
            steps=score.steps._asdict(),
        )
        if self._ledger is None:
            return synthesis
        synthesis = _record(self._ledger, synthesis, score, about, now)
        metrics = self._ledger.metrics
        metrics.observe(SYNTHESIS_CONFIDENCE, synthesis.overall)
        metrics.observe(SYNTHESIS_CONFLICTS, len(conflicts))
        metrics.observe(SYNTHESIS_FILTERED, left_out)
        metrics.observe(SYNTHESIS_SECONDS, time.perf_counter() - start)
        return synthesis

    def _score(
        self,
        query: str,
        context: str,
        results: list[SubResult],
        rules: SynthesisRules,
        runner: StageRunner,
        progress: Progress,
    ) -> list[tuple[ScoredResult, SubResult]]:
        scored = []
        for place, result in enumerate(results):
            progress("scoring results", place, len(results))
            opinion = runner.score(self.scorer, result, query, context)
            level, interpretation = stages.find_level(opinion.confidence)
            one = ScoredResult(
                id=result.id,
                subtask=result.subtask,
                content=result.content,
                error=result.error,
                sources=result.sources,
                given=result.confidence,
                confidence=opinion.confidence,
                factors=opinion.factors,
                level=level,
                interpretation=interpretation,
                why=opinion.why,
                kept=result.error is None and not result.is_blank and bool(at_least(opinion.confidence, rules.minimum)),
            )
            scored.append((one, result))
        return scored

    def _extract(
        self, kept: list[tuple[ScoredResult, SubResult]], rules: SynthesisRules, runner: StageRunner, progress: Progress
    ) -> tuple[SynthesisStatement, ...]:
        claims: list[SynthesisStatement] = []
        for place, (one, result) in enumerate(kept):
            progress("extracting claims from results", place, len(kept))
            extracted = runner.extract(self.extractor, result, one.confidence)
            claims += [
                SynthesisStatement(f"{one.id}#{number}", text, confidence, one.id, evidence)
                for number, (text, confidence, evidence) in enumerate(extracted, start=1)
            ]
        if len(claims) > rules.max_claims:
            runner.warnings.append(
                f"{len(claims) - rules.max_claims} of {len(claims)} claims were left out: the least confident"
            )
        return tuple(sorted(claims, key=lambda one: -one.confidence)[: rules.max_claims])

    def _detect(
        self, claims: tuple[SynthesisStatement, ...], rules: SynthesisRules, runner: StageRunner
    ) -> tuple[SynthesisConflict, ...]:
        detected = runner.detect(self.detector, [one.statement for one in claims])
        conflicts = [
            SynthesisConflict(_cite(claims[first]), _cite(claims[second]), kind, severity, reason)
            for first, second, kind, severity, reason in detected
            if at_least(severity, rules.conflict_threshold)
        ]
        return tuple(sorted(conflicts, key=lambda one: -one.severity))


def _check_namespace(namespace: str) -> None:
    """Raise InputError unless claims can be stored in this namespace; the field is `keep`."""
    from howsure.store.text_rules import check_namespace, check_text

    check_text("namespace", namespace, "keep")
    try:
        check_namespace(namespace)
    except InputError as error:
        raise InputError(error.problem, field="keep", hint=error.hint) from None


def _cite(claim: SynthesisStatement) -> CitedStatement:
    return CitedStatement(claim.id, claim.statement, claim.source)


def _record(
    ledger: Recorder, synthesis: Synthesis, score: Score, about: Subject | None, now: float | None
) -> Synthesis:
    """Record a synthesis in the ledger, with as much of each text as the ledger keeps; return it with its id."""

    def cut(text: str) -> str:
        return ledger.keep(text).content or ""

    def shorten(conflict: SynthesisConflict) -> dict[str, Any]:
        sides = [replace(side, statement=cut(side.statement)) for side in (conflict.first, conflict.second)]
        data: dict[str, Any] = encode(replace(conflict, first=sides[0], second=sides[1], reason=cut(conflict.reason)))
        return data

    meaning, reason = score["interpretation"], score["reason"]
    if synthesis.interpretation != meaning:
        words = synthesis.interpretation
        reason = f"{words[0].lower()}{words[1:]}; {reason.removesuffix(f', {meaning.lower()}')}"
    details = {
        "decision": synthesis.decision,
        "interpretation": synthesis.interpretation,
        "reason": reason,
        "results": len(synthesis.results),
        "left_out": sum(not one.kept for one in synthesis.results),
        "sources": [
            one.numbers() | {"level": one.level, "why": cut(one.why)} for one in synthesis.results[:RECORDED_RESULTS]
        ],
        "conflicts": [shorten(conflict) for conflict in synthesis.conflicts[:RECORDED_CONFLICTS]],
        "warnings": list(synthesis.warnings),
        "stages": synthesis.stages,
        "rules": asdict(synthesis.rules),
        "models": synthesis.models,
    }
    recorded = Score(score.answer | details, score.row, score.steps, score.spec)
    return replace(synthesis, id=ledger.record(recorded, about, f"{synthesis.query}\n\n{synthesis.content}", now))


def _left_out_warnings(scored: list[tuple[ScoredResult, SubResult]], rules: SynthesisRules) -> list[str]:
    """Return warnings about sub-results that are not used: too unsure or failed, and those that say nothing."""
    blank = [short_id(result.id) for _, result in scored if result.is_blank]
    if blank and len(blank) == len(scored):
        return ["no source says anything"]
    warnings = []
    unsure = sum(not one.kept for one, _ in scored) - len(blank)
    if unsure:
        warnings.append(f"{unsure} of {len(scored)} sources were left out: below {rules.minimum:g}, or failed")
    if blank:
        names = ", ".join(blank[:NAMED_RESULTS]) + (", ..." if len(blank) > NAMED_RESULTS else "")
        warnings.append(f"{len(blank)} of {len(scored)} sources were left out, since they say nothing: {names}")
    return warnings


def _final_warnings(overall: float, conflicts: tuple[SynthesisConflict, ...], rules: SynthesisRules) -> list[str]:
    """Return warnings about low confidence, and about conflicts between sub-results and within one."""
    warnings = []
    if not at_least(overall, rules.warn_below):
        warnings.append(f"overall confidence {overall:.2f} is below {rules.warn_below:g}: verify it")
    within = sum(one.first.source == one.second.source for one in conflicts)
    counts = ((len(conflicts) - within, "between sources"), (within, "within a source"))
    text = ", ".join(f"{count} conflict{'s' * (count > 1)} {place}" for count, place in counts if count)
    return [*warnings, text] if text else warnings


def _describe_models(specs: Mapping[str, ModelSpec]) -> dict[str, dict[str, Any]]:
    """Return version and parameters of each model, by its name."""
    return {name: {"version": spec.version, "parameters": spec.parameters} for name, spec in specs.items()}


def _assign(
    results: list[ScoredResult], claims: tuple[SynthesisStatement, ...], conflicts: tuple[SynthesisConflict, ...]
) -> list[ScoredResult]:
    """Return sub-results with the ids of their claims, and the conflicts that each is part of."""
    own_claims: dict[str, list[str]] = {}
    for claim in claims:
        own_claims.setdefault(claim.source, []).append(claim.id)
    own_conflicts: dict[str, list[SynthesisConflict]] = {}
    for conflict in conflicts:
        for source in {conflict.first.source, conflict.second.source}:
            own_conflicts.setdefault(source, []).append(conflict)
    assigned = []
    for one in results:
        own, disputes = tuple(own_claims.get(one.id, ())), tuple(own_conflicts.get(one.id, ()))
        words = interpret(one.interpretation, own, disputes)
        assigned.append(replace(one, claims=own, conflicts=disputes, interpretation=words))
    return assigned
