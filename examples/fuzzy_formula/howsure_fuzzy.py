"""A claim formula as a plug-in: fuzzy logic, where only the strongest source on each side counts."""

from dataclasses import dataclass
from typing import Any, ClassVar, Generic, NamedTuple

from howsure.formulas.claim import ClaimFormula
from howsure.formulas.folds import Attribute, Fold
from howsure.formulas.ops import N, Ops
from howsure.shapes import Unit


class Row(NamedTuple, Generic[N]):
    """The numbers of a claim that the formula uses."""

    strongest: N
    """Highest contribution of a single source."""
    half_lives: N
    """Age beyond the stale date, in half-lives."""
    best_support: N
    """Influence times strength of the strongest supporting claim."""
    worst_contradiction: N
    """Influence times strength of the strongest contradicting claim."""
    trust: N
    """Trust in the instance that holds the claim."""


class Steps(NamedTuple, Generic[N]):
    """Every step from the row to the interval."""

    staleness: N
    """Share of the confidence that is left at this age."""
    influence: N
    """Truth of the claim by its own sources, which also counts for related claims."""
    possible: N
    """Highest truth that contradictions leave possible."""
    upper: N
    """Truth of the claim or of a supporting claim, limited to what is possible."""
    lower: N
    """Truth of the claim, limited to what is possible."""


@dataclass(frozen=True)
class Fuzzy(ClaimFormula):
    """Truth is the contribution of the strongest source; a contradiction limits it.

    >>> said = [{"source_type": "user", "source_id": "ann", "contribution": 0.8}]
    >>> score = Fuzzy().score({"now": 0, "sources": said, "contradicted_by": [{"influence": 0.4}]})
    >>> score["lower"], score["upper"]
    (0.6, 0.6)
    """

    name = "fuzzy"
    version = 1
    directions: ClassVar = {
        ("strongest", "lower"): +1,
        ("half_lives", "upper"): -1,
        ("best_support", "upper"): +1,
        ("worst_contradiction", "upper"): -1,
    }

    support_discount: Unit = 0.5
    """How much of a supporting claim's influence counts."""

    def folds(self) -> Row[Any]:
        """Return how each number of the row is computed from sources and related claims."""
        return Row(
            strongest=Fold("sources", "largest"),
            half_lives=Attribute("half_lives"),
            best_support=Fold("supports", "largest"),
            worst_contradiction=Fold("contradictions", "largest"),
            trust=Attribute("trust"),
        )

    def formula(self, row: Row[N], ops: Ops[N]) -> Steps[N]:
        """Return every step from the row to the interval."""
        staleness = ops.power(0.5, row.half_lives)
        influence = row.strongest * staleness
        possible = 1.0 - row.worst_contradiction
        supported = ops.maximum(influence, self.support_discount * row.best_support)
        upper = ops.minimum(supported, possible) * row.trust
        lower = ops.minimum(ops.minimum(influence, possible) * row.trust, upper)
        return Steps(staleness, influence, possible, upper, lower)
