"""Reliability: sources weigh what was learned about them, and claims that contradict each other compete."""

import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Generic, NamedTuple

from howsure.formulas.claim import (
    COPY_SHARE,
    UNKNOWN_WEIGHT,
    ClaimCase,
    ClaimFormula,
    IndependentSource,
    best_by_source,
)
from howsure.formulas.folds import Attribute, Fold
from howsure.formulas.ops import N, Ops
from howsure.shapes import Amount, Unit, Within
from howsure.wording import pluralize

MOST_EVIDENCE = 15.0
"""Log-odds that sources give a claim at most. Lent to a neighbour as a probability, more would lose its last digits."""
FURTHEST = 60.0
"""Log-odds of a bound at most, so that no engine overflows."""


class Row(NamedTuple, Generic[N]):
    """What the formula needs of a claim, already folded to one number each."""

    evidence: N
    """Learned weights of independent sources, summed; sources that copy from each other share one weight."""
    evidence_variance: N
    """Variance of that sum."""
    voices: N
    """How many independent voices the sources are: s sources of one copy group count as 1 + 0.1 (s - 1)."""
    half_lives: N
    """Age beyond the stale date, in half-lives; 0 while fresh."""
    support: N
    """Influence times strength, summed over supporting claims."""
    rivals: N
    """Odds of contradicting claims, summed."""
    trust: N
    """Trust in the instance that holds the claim."""


class Steps(NamedTuple, Generic[N]):
    """Every step from the row to the interval."""

    damping: N
    """Share of the evidence that counts: sources of one claim are never quite independent."""
    staleness: N
    """What age has left: 1 while fresh, halved with every half-life."""
    claimed: N
    """Damped evidence: the log-odds of the claim if nothing contradicted it."""
    influence: N
    """What the claim lends to its neighbours: its probability if nothing contradicted it, aged."""
    log_odds: N
    """Log-odds of the claim against all that contradict it, and against none of them being right."""
    probability: N
    """The probability of the claim, aged and scaled by trust."""
    spread: N
    """Standard deviation of the log-odds."""
    backing: N
    """Log-odds by which supporting claims raise the upper bound."""
    upper: N
    """Best-case credibility."""
    lower: N
    """Worst-case credibility."""


@dataclass(frozen=True)
class Reliability(ClaimFormula):
    """Each source weighs what was learned about it, and contradicting claims share one probability.

    How much a source says it contributes makes no difference, as long as it is above 0. An unknown source alone gives
    0.8. Without sources the lower bound is 0, and the upper bound what contradicting claims leave.

    >>> said = [{"source_type": "user", "source_id": name, "contribution": 0.5} for name in ("ann", "bob")]
    >>> score = Reliability().score({"now": 0, "sources": said[:1]})
    >>> round(score.steps.probability, 4), round(score["lower"], 4), round(score["upper"], 4)
    (0.8, 0.2624, 0.9783)
    >>> known = [{"source_type": "user", "source_id": "ann", "weight": 3.0, "variance": 0.1}]
    >>> round(Reliability().score({"now": 0, "sources": said[:1], "weights": known}).steps.probability, 4)
    0.9526
    """

    name = "reliability"
    version = 1
    directions: ClassVar[Mapping[tuple[str, str], int]] = {
        ("evidence", "lower"): +1,
        ("evidence", "upper"): +1,
        ("evidence_variance", "lower"): -1,
        ("evidence_variance", "upper"): +1,
        ("half_lives", "lower"): -1,
        ("half_lives", "upper"): -1,
        ("support", "upper"): +1,
        ("rivals", "lower"): -1,
        ("rivals", "upper"): -1,
        ("trust", "lower"): +1,
        ("trust", "upper"): +1,
    }

    copy_share: Unit = COPY_SHARE
    """How much each further source of a copy group counts."""
    dependence: Annotated[float, Within(0.0, 0.99)] = 0.1
    """How much each further voice damps the evidence."""
    z: Annotated[float, Within(1e-3, 10.0)] = 1.645
    """Width of the interval in standard deviations."""
    model_error: Unit = 0.35
    """Standard deviation of the log-odds that the model itself adds, as a share of them."""
    backing_weight: Amount = UNKNOWN_WEIGHT
    """Log-odds that all supporting claims together add to the upper bound at most: those of one unknown source."""

    def folds(self) -> Row[Any]:
        """Return how each number of the row is folded from sources and neighbours."""
        share = self.copy_share

        def counted(copies: Any) -> Any:  # (1 + share (copies - 1)) / copies
            return share + (1.0 - share) / copies

        def rival(influence: Any, ops: Ops[Any]) -> Any:
            return influence / ops.maximum(1.0 - influence, math.exp(-MOST_EVIDENCE))

        return Row(
            evidence=Fold("sources", "sum", lambda w, copies, _: w * counted(copies), ("weight", "copies")),
            evidence_variance=Fold(
                "sources", "sum", lambda v, copies, _: v * counted(copies) * counted(copies), ("variance", "copies")
            ),
            voices=Fold("sources", "sum", lambda copies, _: counted(copies), ("copies",)),
            half_lives=Attribute("half_lives"),
            support=Fold("supports", "sum"),
            rivals=Fold("contradictions", "sum", rival),
            trust=Attribute("trust"),
        )

    def formula(self, row: Row[N], ops: Ops[N]) -> Steps[N]:
        """Return the interval and every step on the way."""
        said = row.voices > 0.0
        # Any source is at least one voice, so this is 1 with sources and 0 without. The influence is written into every
        # query as one expression, which SQLite's parser allows to be only so deep.
        any_voice = ops.minimum(row.voices, 1.0)
        damping = 1.0 / (1.0 - self.dependence + self.dependence * row.voices)
        staleness = ops.power(0.5, row.half_lives)
        claimed = ops.minimum(ops.maximum(damping * row.evidence, -MOST_EVIDENCE), MOST_EVIDENCE)
        influence = any_voice * staleness / (1.0 + ops.power(math.e, 0.0 - claimed))
        log_odds = claimed - ops.log(1.0 + row.rivals)
        left = staleness * row.trust
        probability = ops.where(said, left * _chance(log_odds, ops), 0.0)
        model_error = self.model_error * log_odds
        spread = ops.power(damping * damping * row.evidence_variance + model_error * model_error, 0.5)
        backing = self.backing_weight * row.support / (1.0 + row.support)
        unsaid = 1.0 / (1.0 + row.rivals)
        upper = left * ops.where(said, _chance(log_odds + backing + self.z * spread, ops), unsaid)
        lower = ops.where(said, left * _chance(log_odds - self.z * spread, ops), 0.0)
        return Steps(damping, staleness, claimed, influence, log_odds, probability, spread, backing, upper, lower)

    def describe_sources(self, case: ClaimCase, sources: list[IndependentSource]) -> str:
        """Return how many sources there are, which of them repeat each other, and what they count as.

        >>> said = [{"source_type": "user", "source_id": str(n), "contribution": 1} for n in range(5)]
        >>> copying = [{"source_type": "user", "source_id": str(n), "copy_group": "a"} for n in range(3)]
        >>> Reliability().score({"now": 0, "sources": said, "weights": copying})["reason"]
        '5 sources, 2 of them unknown; three of its five sources repeat each other and count as 1.2: [0.50, 1.00]'
        """
        if not sources:
            return "no sources"
        best = best_by_source(case.sources)
        known = {(one.source_type, one.source_id): one for one in case.weights}
        unknown = sum(key not in known for key in best)
        parts = [pluralize(len(best), "source")]
        if unknown:
            which = "" if len(best) == 1 else "all " if unknown == len(best) else f"{unknown} of them "
            parts[0] += f", {which}unknown"
        groups = Counter(known[key].copy_group for key in best if key in known and known[key].copy_group)
        for _, size in sorted(groups.items()):
            if size > 1:
                counted = 1.0 + self.copy_share * (size - 1)
                every = "all of" if size == len(best) else f"{_spelled(size)} of"
                parts.append(f"{every} its {_spelled(len(best))} sources repeat each other and count as {counted:.3g}")
        return "; ".join(parts)


def _chance(log_odds: N, ops: Ops[N]) -> N:
    """Return the probability of log-odds."""
    bounded = ops.minimum(ops.maximum(log_odds, -FURTHEST), FURTHEST)
    chance: N = 1.0 / (1.0 + ops.power(math.e, 0.0 - bounded))
    return chance


def _spelled(count: int) -> str:
    """Return a small number as a word."""
    words = ("none", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
    return words[count] if count < len(words) else str(count)
