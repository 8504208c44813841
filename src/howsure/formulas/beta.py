"""Beta: sources and neighbours as trials, with Wilson's bounds on the share of successes."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Generic, NamedTuple

from howsure.formulas.claim import ClaimFormula
from howsure.formulas.folds import Attribute, Fold
from howsure.formulas.ops import N, Ops, clamp
from howsure.shapes import Amount, Unit, Within


class Row(NamedTuple, Generic[N]):
    """What the formula needs of a claim, already folded to one number each."""

    contributions: N
    """Contributions of independent sources, summed."""
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

    staleness: N
    """What age has left: 1 while fresh, halved with every half-life."""
    influence: N
    """What the claim lends to its neighbours: its sources against one prior trial, aged."""
    successes: N
    """Trials for the claim."""
    failures: N
    """Trials against it."""
    trials: N
    """All trials."""
    centre: N
    """Middle of the interval, drawn towards one half where trials are few."""
    half_width: N
    """How far the bounds lie from the centre."""
    upper: N
    """Wilson's upper bound."""
    lower: N
    """Wilson's lower bound."""


@dataclass(frozen=True)
class Beta(ClaimFormula):
    """Sources and neighbours as trials of one coin: the more, the narrower. Nothing known is [0, 1].

    >>> said = [{"source_type": "user", "source_id": name, "contribution": 0.9} for name in ("ann", "bob", "eve")]
    >>> score = Beta().score({"now": 0, "sources": said})
    >>> round(score["lower"], 4), score["upper"]
    (0.6662, 1.0)
    """

    name = "beta"
    version = 1
    directions: ClassVar[Mapping[tuple[str, str], int]] = {
        ("contributions", "lower"): +1,
        ("half_lives", "lower"): -1,
        ("support", "lower"): +1,
        ("contradiction", "lower"): -1,
        ("contradiction", "upper"): -1,
    }

    trials_per_source: Amount = 2.0
    """How many trials a full contribution counts for."""
    support_discount: Unit = 0.5
    """How much of a supporting claim's influence counts."""
    z: Annotated[float, Within(1e-3, 10.0)] = 1.645
    """Width of the interval in standard deviations; 1.645 holds 90 % of cases."""

    def folds(self) -> Row[Any]:
        """Return how each number of the row is folded from sources and neighbours."""
        return Row(
            contributions=Fold("sources", "sum"),
            half_lives=Attribute("half_lives"),
            support=Fold("supports", "sum"),
            contradiction=Fold("contradictions", "sum"),
            trust=Attribute("trust"),
        )

    def formula(self, row: Row[N], ops: Ops[N]) -> Steps[N]:
        """Return the interval and every step on the way."""
        z2 = self.z * self.z
        staleness = ops.power(0.5, row.half_lives)
        influence = staleness * row.contributions / (row.contributions + 1.0)
        own = staleness * row.contributions + self.support_discount * row.support
        successes = self.trials_per_source * row.trust * own
        failures = self.trials_per_source * row.trust * row.contradiction
        trials = successes + failures
        centre = (successes + z2 / 2.0) / (trials + z2)
        spread = successes * (failures / ops.maximum(trials, 1e-100)) + z2 / 4.0
        half_width = self.z / (trials + z2) * ops.power(spread, 0.5)
        upper = clamp(centre + half_width, ops)
        lower = clamp(centre - half_width, ops)
        return Steps(staleness, influence, successes, failures, trials, centre, half_width, upper, lower)
