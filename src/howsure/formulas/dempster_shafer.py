"""Dempster-Shafer: belief, doubt, and the conflict between them."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Generic, NamedTuple

from howsure.formulas.claim import ClaimFormula
from howsure.formulas.folds import Attribute, Fold
from howsure.formulas.ops import N, Ops, clamp
from howsure.shapes import Unit


class Row(NamedTuple, Generic[N]):
    """What the formula needs of a claim, already folded to one number each."""

    doubt: N
    """Chance that every independent source is wrong: the product of 1 - contribution."""
    half_lives: N
    """Age beyond the stale date, in half-lives; 0 while fresh."""
    unsupported: N
    """Mass that no supporting claim takes away: the product of 1 - discounted influence times strength."""
    unopposed: N
    """Mass that no contradicting claim takes away: the product of 1 - influence times strength."""
    trust: N
    """Trust in the instance that holds the claim."""


class Steps(NamedTuple, Generic[N]):
    """Every step from the row to the interval."""

    staleness: N
    """What age has left: 1 while fresh, halved with every half-life."""
    influence: N
    """What the claim lends to its neighbours: at least one source is right, and not too old."""
    uncommitted: N
    """Mass not committed to the claim, after sources, age and supporting claims."""
    conflict: N
    """Mass on which both sides insist: 1 means that they exclude each other."""
    agreement: N
    """Mass that is free of conflict, by which the rest is scaled."""
    belief: N
    """Mass committed to the claim."""
    disbelief: N
    """Mass committed against it."""
    upper: N
    """Plausibility: what disbelief leaves open."""
    lower: N
    """Belief, scaled by trust."""


@dataclass(frozen=True)
class DempsterShafer(ClaimFormula):
    """Masses for and against are combined by Dempster's rule, and the conflict is reported. Nothing known is [0, 1].

    >>> said = [{"source_type": "user", "source_id": "ann", "contribution": 0.5}]
    >>> score = DempsterShafer().score({"now": 0, "sources": said, "contradicted_by": [{"influence": 0.5}]})
    >>> round(score["lower"], 4), round(score["upper"], 4), score["conflict"]
    (0.3333, 0.6667, 0.25)
    """

    name = "dempster_shafer"
    version = 1
    directions: ClassVar[Mapping[tuple[str, str], int]] = {
        ("doubt", "lower"): -1,
        ("half_lives", "lower"): -1,
        ("unsupported", "lower"): -1,
        ("unopposed", "lower"): +1,
        ("unopposed", "upper"): +1,
        ("trust", "lower"): +1,
        ("trust", "upper"): -1,
    }

    support_discount: Unit = 0.5
    """How much of a supporting claim's influence counts."""

    def folds(self) -> Row[Any]:
        """Return how each number of the row is folded from sources and neighbours."""
        return Row(
            doubt=Fold("sources", "product", lambda contribution, _: 1.0 - contribution),
            half_lives=Attribute("half_lives"),
            unsupported=Fold("supports", "product", lambda x, _: 1.0 - self.support_discount * x),
            unopposed=Fold("contradictions", "product", lambda x, _: 1.0 - x),
            trust=Attribute("trust"),
        )

    def formula(self, row: Row[N], ops: Ops[N]) -> Steps[N]:
        """Return the interval and every step on the way."""
        staleness = ops.power(0.5, row.half_lives)
        influence = staleness * (1.0 - row.doubt)
        uncommitted = (1.0 - staleness + staleness * row.doubt) * row.unsupported
        conflict = (1.0 - uncommitted) * (1.0 - row.unopposed)
        agreement = uncommitted + row.unopposed - uncommitted * row.unopposed  # 1 - conflict, which would cancel
        scale = ops.maximum(agreement, 1e-130)
        belief = (1.0 - uncommitted) * row.unopposed / scale
        disbelief = uncommitted * (1.0 - row.unopposed) / scale
        upper = clamp(1.0 - row.trust * disbelief, ops)
        lower = ops.minimum(clamp(row.trust * belief, ops), upper)
        return Steps(staleness, influence, uncommitted, conflict, agreement, belief, disbelief, upper, lower)
