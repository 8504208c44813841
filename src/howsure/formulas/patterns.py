"""Score a file by the known patterns that were found in it (the model `patterns`)."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Generic, NamedTuple

from howsure.errors import InputError
from howsure.formulas.model import Model, once
from howsure.formulas.ops import N, Ops, at_least
from howsure.shapes import Unit
from howsure.text.patterns import Pattern, get_matcher, load_builtin_pack


@dataclass(frozen=True)
class Case:
    """A text and the patterns to look for."""

    text: str
    """The text, without its own scoring header."""
    base: Unit = 0.5
    """Confidence before the text is looked at."""
    pack: tuple[Pattern, ...] | str = "default"
    """The patterns, or the name of a built-in pack."""


class Row(NamedTuple, Generic[N]):
    """The numbers that the formula reads."""

    base: N
    """Confidence before the text is looked at."""
    matched: N
    """Weights of the patterns found, summed."""
    matched_m2: N
    """The same for patterns of milestone M2 only."""
    matched_m4: N
    """The same for patterns of milestone M4 only."""


class Steps(NamedTuple, Generic[N]):
    """Every step from the row to the score."""

    boost: N
    """What the patterns add."""
    bonus: N
    """What reaching a milestone's threshold adds."""
    score: N
    """Confidence after the text was looked at."""


@dataclass(frozen=True)
class Patterns(Model[Case]):
    r"""Each pattern found adds its weight once; milestones that are well covered earn a bonus.

    >>> score = Patterns().score({"text": "sources: ...\nevidence: ...", "base": 0.6})
    >>> score["matches"], round(score["score"], 4)
    (['evidence:', 'sources:'], 0.75)
    """

    name = "patterns"
    version = 1
    case = Case
    directions: ClassVar[Mapping[tuple[str, str], int]] = {
        ("base", "score"): +1,
        ("matched", "score"): +1,
        ("matched_m2", "bonus"): +1,
    }

    m2_from: Unit = 0.10
    """Weight of M2 patterns from which their bonus is earned."""
    m2_bonus: Unit = 0.05
    """Bonus for M2."""
    m4_from: Unit = 0.05
    """Weight of M4 patterns from which their bonus is earned."""
    m4_bonus: Unit = 0.04
    """Bonus for M4."""

    def matches(self, case: Case) -> list[Pattern]:
        """Return each pattern that occurs in the text, once, sorted."""
        try:
            chosen = load_builtin_pack(case.pack).patterns if isinstance(case.pack, str) else case.pack
        except InputError as error:
            raise error.under("pack") from None
        return once(case, "matches", lambda: get_matcher(chosen).find_unique(case.text))

    def features(self, case: Case) -> Row[float]:
        """Add up the weights of the patterns found."""
        return self.row(case.base, self.matches(case))

    def row(self, base: float, matches: list[Pattern]) -> Row[float]:
        """Return the row of patterns that were already found."""
        return Row(
            base=base,
            matched=math.fsum(pattern.weight for pattern in matches),
            matched_m2=math.fsum(pattern.weight for pattern in matches if pattern.milestone == "M2"),
            matched_m4=math.fsum(pattern.weight for pattern in matches if pattern.milestone == "M4"),
        )

    def formula(self, row: Row[N], ops: Ops[N]) -> Steps[N]:
        """Return boost, bonus and score."""
        m2 = ops.where(at_least(row.matched_m2, self.m2_from), self.m2_bonus, 0.0)
        m4 = ops.where(at_least(row.matched_m4, self.m4_from), self.m4_bonus, 0.0)
        boost = row.matched * 1.0
        bonus = m2 + m4
        score = ops.minimum(row.base + boost + bonus, 1.0)
        return Steps(boost, bonus, score)

    def conclude(self, case: Case, row: Row[float], steps: Steps[float]) -> dict[str, Any]:
        """Return score, boost, bonus, the matches and the categories they cover."""
        matches = self.matches(case)
        categories = sorted({pattern.category for pattern in matches if pattern.category})
        return {
            "score": steps.score,
            "boost": steps.boost,
            "bonus": steps.bonus,
            "matches": [pattern.pattern for pattern in matches],
            "categories": categories,
            "reason": f"{len(matches)} patterns add {steps.boost:.3f}, milestones {steps.bonus:.2f}: {steps.score:.2f}",
        }
