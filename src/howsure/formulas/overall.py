"""The overall model: the confidence of a synthesis, from its sub-results weighted by length."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Generic, NamedTuple

from howsure.formulas.folds import Fold
from howsure.formulas.level import Level, level_of, with_starts
from howsure.formulas.model import Model
from howsure.formulas.ops import N, Ops, clamp
from howsure.shapes import Unit

LEVELS = (
    Level("HIGH", 0.9, "Highly reliable, well-supported"),
    Level("MEDIUM", 0.7, "Generally reliable, minor uncertainty"),
    Level("LOW", 0.5, "Uncertain, use with caution"),
    Level("VERY_LOW", 0.0, "Unreliable, verify independently"),
)
"""What a sub-result's or a synthesis' score means."""


@dataclass(frozen=True)
class Part:
    """One sub-result."""

    confidence: Unit
    """How sure it is."""
    content: str = ""
    """Its text; only the length is used."""


@dataclass(frozen=True)
class Case:
    """The sub-results that were kept."""

    results: tuple[Part, ...]
    """The sub-results."""


class Row(NamedTuple, Generic[N]):
    """The numbers that the formula reads."""

    weighted: N
    """Confidence times length in characters, summed."""
    length: N
    """Characters, summed."""
    plain: N
    """Confidence, summed."""
    parts: N
    """How many there are."""


class Steps(NamedTuple, Generic[N]):
    """Every step from the row to the result."""

    by_length: N
    """Mean confidence weighted by length; 0 if all contents are empty."""
    by_count: N
    """Plain mean confidence; 0 without sub-results."""
    overall: N
    """The first, or the second if all contents are empty."""


@dataclass(frozen=True)
class Overall(Model[Case]):
    """Mean confidence weighted by content length; the plain mean if all are empty; 0 without sub-results.

    >>> parts = [{"confidence": 0.9, "content": "abc"}, {"confidence": 0.5, "content": "d"}]
    >>> score = Overall().score({"results": parts})
    >>> round(score["overall"], 12), score["level"]
    (0.8, 'MEDIUM')
    """

    name = "overall"
    version = 1
    case = Case
    unordered: ClassVar[tuple[str, ...]] = ("results",)
    directions: ClassVar[Mapping[tuple[str, str], int]] = {("weighted", "overall"): +1, ("plain", "by_count"): +1}

    level_starts: tuple[Unit, Unit, Unit] = (0.9, 0.7, 0.5)
    """Scores from which the level is HIGH, MEDIUM or LOW; below, it is VERY_LOW."""

    def features(self, case: Case) -> Row[float]:
        """Add up the sub-results."""
        total = Fold("sources", "sum")
        return Row(
            weighted=total(part.confidence * len(part.content) for part in case.results),
            length=total(float(len(part.content)) for part in case.results),
            plain=total(part.confidence for part in case.results),
            parts=float(len(case.results)),
        )

    def formula(self, row: Row[N], ops: Ops[N]) -> Steps[N]:
        """Return the mean."""
        by_length = clamp(row.weighted / ops.maximum(row.length, 1.0), ops)
        by_count = clamp(row.plain / ops.maximum(row.parts, 1.0), ops)
        overall = ops.where(row.length > 0.0, by_length, by_count)
        return Steps(by_length, by_count, overall)

    def conclude(self, case: Case, row: Row[float], steps: Steps[float]) -> dict[str, Any]:
        """Return the mean, its level and what it means."""
        level = level_of(steps.overall, with_starts(LEVELS, self.level_starts))
        how = "weighted by length" if row.length else "as a plain mean"
        return {
            "overall": steps.overall,
            "level": level.name,
            "interpretation": level.meaning,
            "reason": f"{len(case.results)} sub-results {how}: {steps.overall:.2f}, {level.meaning.lower()}",
        }
