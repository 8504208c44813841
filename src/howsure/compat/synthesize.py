"""Names of the document "Confidence-weighted synthesis design": combine sub-call results by their confidence."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Protocol

from howsure.errors import InputError, shown
from howsure.formulas.ops import at_least
from howsure.judge.prompts import FACTORS
from howsure.judge.question import Judge
from howsure.shapes import Unit, decode_as
from howsure.syntheses import stages, synthesis
from howsure.syntheses.api import Syntheses
from howsure.syntheses.llm_stages import WEIGHTS, JudgedStages
from howsure.syntheses.stages import Detection, Extraction, Opinion
from howsure.syntheses.synthesis import SubResult, SynthesisFactor, SynthesisRules, SynthesisStatement


class ConfidenceLevel(IntEnum):
    """Levels of confidence, from the lowest to the highest."""

    VERY_LOW = 0
    LOW = 1
    MEDIUM = 2
    HIGH = 3


class ConflictType(IntEnum):
    """Kinds of conflict."""

    CONTRADICTION = 0
    INCONSISTENCY = 1
    AMBIGUITY = 2


@dataclass(frozen=True)
class ConfidenceComponent:
    """One factor of a confidence."""

    factor: str
    score: float
    weight: float


@dataclass(frozen=True)
class Confidence:
    """A confidence with its factors.

    >>> parts = [ConfidenceComponent("a", 0.9, 0.4), ConfidenceComponent("b", 0.5, 0.6)]
    >>> round(Confidence(0.0, parts).weighted(), 2), Confidence(0.0, parts).level().name, Confidence(0.7).level().name
    (0.66, 'LOW', 'MEDIUM')
    """

    score: float
    components: list[ConfidenceComponent] = field(default_factory=list)
    warning: str = ""
    """What went wrong while it was computed."""

    def weighted(self) -> float:
        """Return the weighted mean of the factors, or the score if there are no factors or their weights are 0."""
        whole = sum(part.weight for part in self.components)
        return sum(part.score * part.weight for part in self.components) / whole if whole > 0 else self.score

    def level(self) -> ConfidenceLevel:
        """Return the level by the weighted mean: HIGH from 0.9, MEDIUM from 0.7, LOW from 0.5."""
        starts = ((0.9, ConfidenceLevel.HIGH), (0.7, ConfidenceLevel.MEDIUM), (0.5, ConfidenceLevel.LOW))
        return next((level for start, level in starts if at_least(self.weighted(), start)), ConfidenceLevel.VERY_LOW)


@dataclass(frozen=True)
class SubCallResult:
    """The result of one sub-call."""

    sub_call_id: str
    content: str = ""
    subtask: str = ""
    error: str | None = None


@dataclass(frozen=True)
class Claim:
    """A factual assertion of a sub-call."""

    id: str
    statement: str
    confidence: float
    source_id: str
    """The sub-call that makes the claim."""
    evidence: str = ""


@dataclass(frozen=True)
class Conflict:
    """Two claims that cannot both be true, or hardly."""

    claim_a: Claim
    claim_b: Claim
    type: ConflictType
    severity: float
    """From 0 (minor) to 1 (major)."""


@dataclass(frozen=True)
class ScoredResult:
    """A sub-call's result with its confidence, its claims, and its conflicts with others."""

    result: SubCallResult
    confidence: Confidence
    claims: list[Claim] = field(default_factory=list)
    conflicts: list[Conflict] = field(default_factory=list)

    @property
    def sub_call_id(self) -> str:
        """Id of the sub-call."""
        return self.result.sub_call_id

    @property
    def content(self) -> str:
        """What it returned."""
        return self.result.content


@dataclass(frozen=True)
class ScoringContext:
    """What a scorer may use besides the result."""

    original_query: str = ""
    all_results: list[SubCallResult] = field(default_factory=list)
    memory_context: list[str] = field(default_factory=list)


class Scorer(Protocol):
    """Scores the result of a sub-call."""

    def score(self, result: SubCallResult, context: ScoringContext | None = None) -> Confidence:
        """Return how reliable a result is."""


@dataclass(frozen=True)
class ConfidenceFactor:
    """A factor that a language model rates."""

    name: str
    description: str
    weight: float


def default_factors() -> list[ConfidenceFactor]:
    """Return the five factors that a language model rates."""
    return [ConfidenceFactor(name, FACTORS[name], weight) for name, weight in WEIGHTS.items()]


class HeuristicScorer:
    """Scores a result by its text.

    >>> HeuristicScorer().score(SubCallResult("a", "It might work, I think.")).level().name
    'LOW'
    """

    def score(self, result: SubCallResult, _context: ScoringContext | None = None) -> Confidence:
        """Return how reliable a result looks: by length, hedging, certainty and form."""
        return _confidence(stages.score(_sub_result(result)))


class LLMScorer:
    """Scores a result by asking a language model; if that fails, the confidence is neutral, with a warning."""

    def __init__(self, client: Judge) -> None:
        """Take the judge to ask."""
        self._stages = JudgedStages(client)

    def score(self, result: SubCallResult, context: ScoringContext | None = None) -> Confidence:
        """Return how reliable a result is, by five factors."""
        around = context or ScoringContext()
        return _confidence(
            self._stages.score(_sub_result(result), around.original_query, "\n\n".join(around.memory_context))
        )


class ClaimExtractor(Protocol):
    """Extracts the claims of a result."""

    def extract(self, result: ScoredResult) -> list[Claim]:
        """Return the claims that a result makes."""


class ConflictDetector(Protocol):
    """Detects conflicts among claims."""

    def detect(self, claims: list[Claim]) -> list[Conflict]:
        """Return the pairs of claims that are at odds."""


class LLMClaimExtractor:
    """Extracts claims by asking a language model; what it does not read is read offline, with a warning."""

    def __init__(self, client: Judge) -> None:
        """Take the judge to ask."""
        self._stages = JudgedStages(client)
        self.warning: str = ""
        """What went wrong in the last call; empty if nothing did."""

    def extract(self, result: ScoredResult) -> list[Claim]:
        """Return the claims of a result, none more confident than the result itself."""
        found = self._stages.extract(_sub_result(result.result), result.confidence.weighted())
        self.warning = found.warning
        source = result.sub_call_id
        return [
            Claim(f"{source}-{number}", statement, min(max(confidence, 0.0), 1.0), source, evidence)
            for number, (statement, confidence, evidence) in enumerate(found.claims, start=1)
        ]


class LLMConflictDetector:
    """Detects conflicts by asking a language model; if that fails, they are looked for offline, with a warning."""

    def __init__(self, client: Judge, threshold: float = 0.5) -> None:
        """Take the judge to ask, and the least severity of a conflict that is reported."""
        self._stages = JudgedStages(client)
        self.threshold: float = decode_as(Unit, threshold, "threshold")
        self.warning: str = ""
        """What went wrong in the last call; empty if nothing did."""

    def detect(self, claims: list[Claim]) -> list[Conflict]:
        """Return the conflicts of at least the threshold's severity; none among fewer than two claims."""
        self.warning = ""
        if len(claims) < 2:  # noqa: PLR2004 - a pair
            return []
        found = self._stages.detect([claim.statement for claim in claims])
        self.warning = found.warning
        return [
            Conflict(claims[first], claims[second], ConflictType[kind.upper()], severity)
            for first, second, kind, severity, _ in found.conflicts
            if at_least(severity, self.threshold)
        ]


@dataclass(frozen=True)
class SynthesisConfig:
    """How results are combined."""

    min_confidence: float = 0.3
    conflict_threshold: float = 0.5
    include_provenance: bool = True
    max_claims: int = 50


def default_synthesis_config() -> SynthesisConfig:
    """Return the default configuration."""
    return SynthesisConfig()


@dataclass(frozen=True)
class SynthesisResult:
    """The combined text with its confidence, sources and conflicts."""

    content: str
    overall_conf: float
    scored_results: list[ScoredResult]
    """The results above the minimum confidence, with their claims and conflicts."""
    conflicts: list[Conflict]
    warnings: list[str]

    @property
    def confidence(self) -> Confidence:
        """The overall confidence, with its level."""
        return Confidence(self.overall_conf)


class WeightedSynthesizer:
    """Combines results by their confidence: score, filter, extract, detect, combine.

    >>> found = WeightedSynthesizer().synthesize([SubCallResult("a", "The host is up.")], "Is it up?")
    >>> found.content, found.scored_results[0].claims[0].source_id
    ('- The host is up. [a; 0.60]', 'a')
    """

    def __init__(
        self,
        config: SynthesisConfig | None = None,
        syntheses: Syntheses | None = None,
        *,
        scorer: Scorer | None = None,
        extractor: ClaimExtractor | None = None,
        detector: ConflictDetector | None = None,
        llm_client: Judge | None = None,
    ) -> None:
        """Take the configuration, and optionally other stages, some of the document's kind, or a judge for the rest."""
        if syntheses is not None and any(one is not None for one in (scorer, extractor, detector, llm_client)):
            raise InputError("syntheses already has its stages", field="syntheses", hint="pass it alone")
        self.config: SynthesisConfig = config or default_synthesis_config()
        self._syntheses = syntheses or Syntheses()
        if llm_client is not None:
            self._syntheses = Syntheses(judge=llm_client).judged()
        self._scorer = scorer
        self._extractor = extractor
        self._detector = detector

    def synthesize(self, results: Iterable[SubCallResult], query: str) -> SynthesisResult:
        """Combine results into one text that answers a query."""
        if not isinstance(query, str):
            raise InputError(f"{shown(query)} is not a query", field="query", hint="pass the results, then query")
        calls = list(results)
        for number, call in enumerate(calls):
            if not isinstance(call, SubCallResult):
                raise InputError(f"{shown(call)} is not a SubCallResult", field=f"results[{number}]")
        by, config = self._syntheses, self.config
        if self._scorer or self._extractor or self._detector:
            by = Syntheses(
                scorer=by.scorer if self._scorer is None else _scoring(self._scorer, calls),
                extractor=by.extractor if self._extractor is None else _extracting(self._extractor),
                detector=by.detector if self._detector is None else _detecting(self._detector),
                combiner=by.combiner,
            )
        rules = SynthesisRules(
            config.min_confidence, config.conflict_threshold, config.max_claims, config.include_provenance
        )
        result = by.combine(query, [_sub_result(call) for call in calls], rules=rules)
        by_id = {call.sub_call_id: call for call in calls}
        claims = {claim.id: _claim(claim) for claim in result.claims}
        scored = [_scored(by_id[one.id], one, claims) for one in result.results if one.kept]
        conflicts = [_conflict(conflict, claims) for conflict in result.conflicts]
        return SynthesisResult(result.content, result.overall, scored, conflicts, list(result.warnings))


def _sub_result(call: SubCallResult) -> SubResult:
    return SubResult(call.sub_call_id, call.content, call.subtask, call.error)


def _scoring(scorer: Scorer, calls: list[SubCallResult]) -> stages.Scorer:
    """Return a scorer of the document's kind as a stage of a synthesis."""

    def score(result: SubResult, query: str, context: str) -> Opinion:
        call = SubCallResult(result.id, result.content, result.subtask, result.error)
        confidence = scorer.score(call, ScoringContext(query, calls, [context] if context else []))
        factors = tuple(SynthesisFactor(part.factor, part.score, part.weight) for part in confidence.components)
        by = type(scorer).__name__
        return Opinion(confidence.weighted(), f"as {by} says", confidence.warning, by, factors)

    return score


def _extracting(extractor: ClaimExtractor) -> stages.Extractor:
    """Return an extractor of the document's kind as a stage of a synthesis."""

    def extract(result: SubResult, confidence: float) -> Extraction:
        call = SubCallResult(result.id, result.content, result.subtask, result.error)
        claims = extractor.extract(ScoredResult(call, Confidence(confidence)))
        found = [(claim.statement, claim.confidence, claim.evidence) for claim in claims]
        return Extraction(found, getattr(extractor, "warning", ""), type(extractor).__name__)

    return extract


def _detecting(detector: ConflictDetector) -> stages.Detector:
    """Return a detector of the document's kind as a stage of a synthesis."""

    def detect(statements: Sequence[str]) -> Detection:
        claims = [Claim(str(place), statement, 1.0, "") for place, statement in enumerate(statements)]
        found = [
            (int(one.claim_a.id), int(one.claim_b.id), one.type.name.lower(), one.severity, "")
            for one in detector.detect(claims)
        ]
        return Detection(found, getattr(detector, "warning", ""), type(detector).__name__)

    return detect


def _confidence(opinion: Opinion) -> Confidence:
    return Confidence(opinion.confidence, _components(opinion.factors), opinion.warning)


def _components(factors: Iterable[SynthesisFactor]) -> list[ConfidenceComponent]:
    return [ConfidenceComponent(*factor) for factor in factors]


def _scored(call: SubCallResult, one: synthesis.ScoredResult, claims: Mapping[str, Claim]) -> ScoredResult:
    confidence = Confidence(one.confidence, _components(one.factors))
    conflicts = [_conflict(conflict, claims) for conflict in one.conflicts]
    return ScoredResult(call, confidence, [claims[id_] for id_ in one.claims], conflicts)


def _claim(statement: SynthesisStatement) -> Claim:
    return Claim(statement.id, statement.statement, statement.confidence, statement.source, statement.evidence)


def _conflict(conflict: synthesis.SynthesisConflict, claims: Mapping[str, Claim]) -> Conflict:
    kind = ConflictType[conflict.kind.upper()]
    return Conflict(claims[conflict.first.id], claims[conflict.second.id], kind, conflict.severity)
