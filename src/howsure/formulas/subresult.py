"""Score how reliable a text looks that answers part of a question (the model `subresult`)."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Generic, NamedTuple

from howsure.formulas.level import level_of, with_starts
from howsure.formulas.model import Model
from howsure.formulas.ops import N, Ops
from howsure.formulas.overall import LEVELS
from howsure.shapes import Amount, Count, Unit
from howsure.text.markers import load_markers

_LIST = re.compile(r"^[^\S\n]*(?:[-*+]|\d+[.)])[ \t]", re.MULTILINE)
_HEADER = re.compile(r"^#{1,6}[ \t]", re.MULTILINE)
_BOLD = re.compile(r"\*\*(?!\*).+?\*\*")


@dataclass(frozen=True)
class Case:
    """A sub-result."""

    content: str
    """Its text."""
    failed: bool = False
    """Whether the sub-task failed; its score is then 0."""


class Row(NamedTuple, Generic[N]):
    """The numbers that the formula reads. Flags are 0 or 1."""

    words: N
    """How many words it has."""
    hedges: N
    """How many markers of uncertainty."""
    assertions: N
    """How many markers of certainty."""
    has_list: N
    """It has a list."""
    has_emphasis: N
    """It has headers or bold text."""
    has_code: N
    """It has a code fence."""
    failed: N
    """The sub-task failed."""


class Steps(NamedTuple, Generic[N]):
    """Every step from the row to the score."""

    length: N
    """Score of the length: a longer text is more likely to be complete."""
    hedging: N
    """Score of hedging: 1 without, down to 0.5."""
    certainty: N
    """Score of insisting: 0.5 without, up to 0.8."""
    structure: N
    """Score of the form: lists, headers or bold text, code."""
    score: N
    """Weighted mean of the four."""


@dataclass(frozen=True)
class Subresult(Model[Case]):
    """A heuristic by form alone: length, hedging, certainty and structure. It reads no meaning.

    >>> score = Subresult().score({"content": "It might work, I think."})
    >>> round(score["score"], 4), score["level"], score["factors"]["hedging"]
    (0.5429, 'LOW', 0.8)
    """

    name = "subresult"
    version = 1
    case = Case
    directions: ClassVar[Mapping[tuple[str, str], int]] = {
        ("words", "score"): +1,
        ("hedges", "score"): -1,
        ("assertions", "score"): +1,
        ("has_list", "score"): +1,
        ("has_emphasis", "score"): +1,
        ("has_code", "score"): +1,
        ("failed", "score"): -1,
    }

    length_limits: tuple[Count, Count, Count, Count] = (10, 50, 200, 500)
    """Numbers of words at which the length score steps up."""
    length_scores: tuple[Unit, Unit, Unit, Unit, Unit] = (0.3, 0.5, 0.7, 0.8, 0.9)
    """Length score below the first limit, the second, ..., and from the last on."""
    hedge_cost: Unit = 0.1
    """What each hedge takes away."""
    hedge_most: Unit = 0.5
    """What all hedges together can take away."""
    certainty_base: Unit = 0.5
    """Certainty score without markers."""
    certainty_gain: Unit = 0.1
    """What each marker of certainty adds."""
    certainty_most: Unit = 0.3
    """What all of them together can add."""
    structure_base: Unit = 0.5
    """Structure score of plain prose."""
    list_gain: Unit = 0.15
    """What a list adds."""
    emphasis_gain: Unit = 0.15
    """What headers or bold text add."""
    code_gain: Unit = 0.20
    """What a code fence adds."""
    weight_length: Amount = 0.15
    """Weight of the length."""
    weight_hedging: Amount = 0.20
    """Weight of hedging."""
    weight_certainty: Amount = 0.20
    """Weight of certainty."""
    weight_structure: Amount = 0.15
    """Weight of structure."""
    level_starts: tuple[Unit, Unit, Unit] = (0.9, 0.7, 0.5)
    """Scores from which the level is HIGH, MEDIUM or LOW; below, it is VERY_LOW."""
    language: str = "en"
    """Language of the marker lists."""

    def features(self, case: Case) -> Row[float]:
        """Count words and markers, and recognise the form."""
        marks = load_markers("subresult", self.language).find(case.content)
        return Row(
            words=float(len(case.content.split())),
            hedges=float(len(marks.uncertain)),
            assertions=float(len(marks.certain)),
            has_list=float(bool(_LIST.search(case.content))),
            has_emphasis=float(bool(_HEADER.search(case.content) or _BOLD.search(case.content))),
            has_code=float("```" in case.content),
            failed=float(case.failed),
        )

    def formula(self, row: Row[N], ops: Ops[N]) -> Steps[N]:
        """Return the four factors and their weighted mean."""
        length: Any = self.length_scores[-1]
        for limit, score in zip(reversed(self.length_limits), reversed(self.length_scores[:-1]), strict=True):
            length = ops.where(row.words < float(limit), score, length)
        hedging = 1.0 - ops.minimum(self.hedge_cost * row.hedges, self.hedge_most)
        certainty = ops.minimum(
            self.certainty_base + ops.minimum(self.certainty_gain * row.assertions, self.certainty_most), 1.0
        )
        form = self.list_gain * row.has_list + self.emphasis_gain * row.has_emphasis + self.code_gain * row.has_code
        structure = ops.minimum(self.structure_base + form, 1.0)
        total = (
            self.weight_length * length
            + self.weight_hedging * hedging
            + self.weight_certainty * certainty
            + self.weight_structure * structure
        )
        weight = self.weight_length + self.weight_hedging + self.weight_certainty + self.weight_structure
        score = ops.where(row.failed > 0.0, 0.0, total / max(weight, 1e-100))
        return Steps(length, hedging, certainty, structure, score)

    def conclude(self, case: Case, row: Row[float], steps: Steps[float]) -> dict[str, Any]:
        """Return score, level and factors."""
        level = level_of(steps.score, with_starts(LEVELS, self.level_starts))
        counts = f"{row.words:.0f} words, {row.hedges:.0f} hedges, {row.assertions:.0f} markers of certainty"
        return {
            "score": steps.score,
            "level": level.name,
            "interpretation": level.meaning,
            "factors": {
                "length": steps.length,
                "hedging": steps.hedging,
                "certainty": steps.certainty,
                "structure": steps.structure,
            },
            "reason": ("the sub-task failed" if case.failed else counts)
            + f": {steps.score:.2f}, {level.meaning.lower()}",
        }
