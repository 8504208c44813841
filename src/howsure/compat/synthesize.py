"""The names of "Confidence-weighted synthesis design": a synthesizer that weighs sub-call results."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import IntEnum

from howsure.engine.syntheses import Syntheses
from howsure.engine.synthesis import Clash, Rules, Synthesis


class ConfidenceLevel(IntEnum):
    """Levels of confidence, from the lowest on."""

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
    >>> round(Confidence(0.0, parts).weighted(), 2), Confidence(0.7).level().name
    (0.66, 'MEDIUM')
    """

    score: float
    components: list[ConfidenceComponent] = field(default_factory=list)

    def weighted(self) -> float:
        """Return the weighted mean of the factors; the score itself where there are none, or they weigh nothing."""
        whole = sum(part.weight for part in self.components)
        return sum(part.score * part.weight for part in self.components) / whole if whole > 0 else self.score

    def level(self) -> ConfidenceLevel:
        """Return the level: HIGH from 0.9, MEDIUM from 0.7, LOW from 0.5."""
        starts = ((0.9, ConfidenceLevel.HIGH), (0.7, ConfidenceLevel.MEDIUM), (0.5, ConfidenceLevel.LOW))
        return next((level for start, level in starts if self.score >= start - 5e-10), ConfidenceLevel.VERY_LOW)


@dataclass(frozen=True)
class SubCallResult:
    """What one sub-call returned."""

    sub_call_id: str
    content: str = ""
    subtask: str = ""
    error: str | None = None


@dataclass(frozen=True)
class ScoredResult:
    """A sub-call's result with its confidence."""

    result: SubCallResult
    confidence: Confidence
    conflicts: list[Clash]


@dataclass(frozen=True)
class SynthesisConfig:
    """How results are merged."""

    min_confidence: float = 0.3
    conflict_threshold: float = 0.5
    include_provenance: bool = True
    max_claims: int = 50


def default_synthesis_config() -> SynthesisConfig:
    """Return the usual way."""
    return SynthesisConfig()


@dataclass(frozen=True)
class SynthesisResult:
    """The merged text with all that is known about it."""

    content: str
    confidence: Confidence
    scored_results: list[ScoredResult]
    conflicts: list[Clash]
    warnings: list[str]


class WeightedSynthesizer:
    """Merges results by their confidence: score, filter, extract, detect, combine."""

    def __init__(self, config: SynthesisConfig | None = None, syntheses: Syntheses | None = None) -> None:
        """Take how to merge, and the stages if not the usual ones."""
        self.config = config or default_synthesis_config()
        self._syntheses = syntheses or Syntheses()

    def synthesize(self, query: str, results: Iterable[SubCallResult]) -> SynthesisResult:
        """Merge results into one answer."""
        given = {result.sub_call_id: result for result in results}
        rules = Rules(
            self.config.min_confidence,
            self.config.conflict_threshold,
            self.config.max_claims,
            self.config.include_provenance,
        )
        found: Synthesis = self._syntheses.combine(
            query,
            [
                {"id": name, "content": one.content, "subtask": one.subtask, "error": one.error}
                for name, one in given.items()
            ],
            rules=rules,
        )
        scored = [
            ScoredResult(given[one.result.id], Confidence(one.confidence), list(one.clashes))
            for one in found.results
            if one.kept
        ]
        return SynthesisResult(
            found.content, Confidence(found.overall), scored, list(found.clashes), list(found.warnings)
        )
