"""Noisy-or: a claim is wrong only if all of its sources are. The default formula for claims."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Generic, NamedTuple

from howsure.formulas.claim import ClaimFormula
from howsure.formulas.folds import Attribute, Fold
from howsure.formulas.ops import N, Ops, clamp
from howsure.shapes import Amount, Unit, Within


class Row(NamedTuple, Generic[N]):
    """What the formula needs of a claim, already folded to one number each."""

    doubt: N
    """Chance that every independent source is wrong: the product of 1 - contribution."""
    strongest: N
    """Highest contribution of a single source."""
    source_types: N
    """How many different types of source there are."""
    half_lives: N
    """Age beyond the stale date, in half-lives; 0 while fresh."""
    support: N
    """Influence times strength, summed over supporting claims."""
    contradiction: N
    """Influence times strength, summed over contradicting claims."""
    trust: N
    """Trust in the instance that holds the claim."""


class Steps(NamedTuple, Generic[N]):
    """Every step from the row to the interval."""

    diversity: N
    """Credit for sources of different types, from 0.5 towards 1."""
    staleness: N
    """What age has left: 1 while fresh, halved with every half-life."""
    influence: N
    """What the claim lends to its neighbours: at least one source is right, and not too old."""
    boost: N
    """Factor by which supporting claims raise the upper bound."""
    penalty: N
    """Factor by which contradicting claims lower both bounds."""
    upper: N
    """Best-case credibility."""
    lower: N
    """Worst-case credibility: the strongest source, credited for diversity."""


@dataclass(frozen=True)
class NoisyOr(ClaimFormula):
    """The more independent sources, the less likely that all are wrong; age and contradictions count against it.

    Without sources the interval is [0, 0], which means "no evidence for it", not "known to be false".

    >>> said = [{"source_type": t, "source_id": "s", "contribution": 0.8} for t in ("user", "extraction", "agent")]
    >>> agree = [{"influence": 0.9}, {"influence": 0.9}]
    >>> score = NoisyOr().score({"now": 0, "sources": said, "supported_by": agree, "trust": 0.5})
    >>> score["lower"], score["upper"]
    (0.4, 0.5)
    """

    name = "noisy_or"
    version = 1
    directions: ClassVar[Mapping[tuple[str, str], int]] = {
        ("doubt", "upper"): -1,
        ("strongest", "lower"): +1,
        ("source_types", "lower"): +1,
        ("half_lives", "lower"): -1,
        ("half_lives", "upper"): -1,
        ("support", "upper"): +1,
        ("contradiction", "lower"): -1,
        ("contradiction", "upper"): -1,
        ("trust", "upper"): +1,
    }

    boost_factor: Amount = 0.1
    """How much supporting claims raise the upper bound."""
    penalty_factor: Amount = 0.2
    """How much contradicting claims lower both bounds."""
    diversity_floor: Unit = 0.5
    """Credit for sources that are all of one type, before the first type is counted."""
    diversity_types: Annotated[float, Within(1.0, 1e6)] = 3.0
    """How many types of source earn full credit."""

    def folds(self) -> Row[Any]:
        """Return how each number of the row is folded from sources and neighbours."""
        return Row(
            doubt=Fold("sources", "product", lambda contribution, _: 1.0 - contribution),
            strongest=Fold("sources", "largest"),
            source_types=Attribute("source_types"),
            half_lives=Attribute("half_lives"),
            support=Fold("supports", "sum"),
            contradiction=Fold("contradictions", "sum"),
            trust=Attribute("trust"),
        )

    def formula(self, row: Row[N], ops: Ops[N]) -> Steps[N]:
        """Return the interval and every step on the way."""
        types = ops.minimum(row.source_types / self.diversity_types, 1.0)
        diversity = self.diversity_floor + (1.0 - self.diversity_floor) * types
        staleness = ops.power(0.5, row.half_lives)
        influence = staleness * (1.0 - row.doubt)
        boost = 1.0 + self.boost_factor * row.support
        penalty = ops.maximum(0.0, 1.0 - self.penalty_factor * row.contradiction)
        upper = clamp(influence * boost * penalty, ops) * row.trust
        lower = ops.minimum(row.strongest * diversity * staleness * penalty * row.trust, upper)
        return Steps(diversity, staleness, influence, boost, penalty, upper, lower)
