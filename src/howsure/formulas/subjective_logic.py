"""Subjective logic: evidence for and against, and a share that stays unknown."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Generic, NamedTuple

from howsure.formulas.claim import ClaimFormula
from howsure.formulas.folds import Attribute, Fold
from howsure.formulas.ops import N, Ops
from howsure.shapes import Unit, Within


class Row(NamedTuple, Generic[N]):
    """What the formula needs of a claim, already folded to one number each."""

    source_odds: N
    """Evidence from independent sources: the odds of each contribution, summed."""
    half_lives: N
    """Age beyond the stale date, in half-lives; 0 while fresh."""
    support_odds: N
    """Evidence from supporting claims: odds of their discounted influence times strength, summed."""
    contradiction_odds: N
    """Evidence against: odds of influence times strength of contradicting claims, summed."""
    trust: N
    """Trust in the instance that holds the claim."""


class Steps(NamedTuple, Generic[N]):
    """Every step from the row to the interval."""

    staleness: N
    """What age has left: 1 while fresh, halved with every half-life."""
    influence: N
    """What the claim lends to its neighbours: its belief by its own sources, aged."""
    evidence_for: N
    """Evidence for the claim, its own and its supporters'."""
    evidence_against: N
    """Evidence against it, held to what certainty would weigh."""
    total: N
    """All evidence, with the prior weight of not knowing."""
    upper: N
    """One minus disbelief: all that evidence against leaves open."""
    lower: N
    """Belief: the share that evidence for can claim."""


@dataclass(frozen=True)
class SubjectiveLogic(ClaimFormula):
    """Belief and disbelief by counted evidence; what is left is uncertainty. Nothing known is [0, 1].

    >>> said = [{"source_type": "user", "source_id": "ann", "contribution": 0.5}]
    >>> score = SubjectiveLogic().score({"now": 0, "sources": said})
    >>> score["lower"], score["upper"]
    (0.5, 1.0)
    """

    name = "subjective_logic"
    version = 1
    directions: ClassVar[Mapping[tuple[str, str], int]] = {
        ("source_odds", "lower"): +1,
        ("source_odds", "upper"): +1,
        ("half_lives", "lower"): -1,
        ("support_odds", "lower"): +1,
        ("support_odds", "upper"): +1,
        ("contradiction_odds", "lower"): -1,
        ("contradiction_odds", "upper"): -1,
        ("trust", "lower"): +1,
        ("trust", "upper"): -1,
    }

    prior_weight: Annotated[float, Within(1e-3, 1e6)] = 2.0
    """How much evidence "not knowing" weighs."""
    support_discount: Unit = 0.5
    """How much of a supporting claim's influence counts."""
    certainty_gap: Annotated[float, Within(1e-9, 0.5)] = 1e-6
    """How far from 1 a number is held before its odds are taken."""

    def odds(self, x: Any, ops: Ops[Any]) -> Any:
        """Return how much evidence a probability stands for."""
        held = ops.minimum(x, 1.0 - self.certainty_gap)
        return self.prior_weight * held / (1.0 - held)

    def folds(self) -> Row[Any]:
        """Return how each number of the row is folded from sources and neighbours."""
        return Row(
            source_odds=Fold("sources", "sum", self.odds),
            half_lives=Attribute("half_lives"),
            support_odds=Fold("supports", "sum", lambda x, ops: self.odds(self.support_discount * x, ops)),
            contradiction_odds=Fold("contradictions", "sum", self.odds),
            trust=Attribute("trust"),
        )

    def formula(self, row: Row[N], ops: Ops[N]) -> Steps[N]:
        """Return the interval and every step on the way."""
        certain = self.prior_weight * (1.0 - self.certainty_gap) / self.certainty_gap
        staleness = ops.power(0.5, row.half_lives)
        influence = staleness * row.source_odds / (row.source_odds + self.prior_weight)
        evidence_for = self.odds(influence, ops) + row.support_odds
        evidence_against = ops.minimum(row.contradiction_odds, certain)
        total = evidence_for + evidence_against + self.prior_weight
        upper = 1.0 - row.trust * evidence_against / total
        lower = ops.minimum(row.trust * evidence_for / total, upper)
        return Steps(staleness, influence, evidence_for, evidence_against, total, upper, lower)
