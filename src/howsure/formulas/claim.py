"""A claim and what speaks for and against it."""

from abc import abstractmethod
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal, NamedTuple

from howsure.formulas.decay import HalfLives, Tier, half_lives
from howsure.formulas.folds import Fold
from howsure.formulas.interval import Interval
from howsure.formulas.model import Model
from howsure.formulas.ops import FLOATS
from howsure.shapes import Amount, Moment, Unit

RelationKind = Literal["supports", "contradicts", "refines", "supersedes", "derived_from", "related_to"]
Status = Literal["active", "challenged", "deprecated", "forgotten"]


@dataclass(frozen=True)
class Source:
    """A provenance entry: who says so, and how much that counts."""

    source_type: str
    """What kind of source it is: user_input, extraction, agent_assertion, direct_load, inference, ..."""
    source_id: str
    """Which one. Entries of one type and id are the same source and count once."""
    contribution: Unit | None = None
    """How much it adds, from 0 to 1. Without one, or with 0, the entry is a note that counts for nothing."""
    at: Moment | None = None
    """When it was recorded."""
    context: str = ""
    """Anything worth keeping with it."""


@dataclass(frozen=True)
class Neighbour:
    """Another claim that supports or contradicts this one."""

    influence: Unit
    """What that claim is worth by its own sources and age."""
    strength: Unit = 1.0
    """How strong the relation is."""


@dataclass(frozen=True)
class ClaimCase:
    """All that a claim formula looks at."""

    now: Moment
    """The moment at which the claim is read."""
    provenance: tuple[Source, ...] = ()
    """Who says so."""
    tier: Tier = "task"
    """How long the claim is meant to live; sets its half-life."""
    stale_at: Moment | None = None
    """When it starts to lose confidence; never, if not given."""
    supported_by: tuple[Neighbour, ...] = ()
    """Claims that support it."""
    contradicted_by: tuple[Neighbour, ...] = ()
    """Claims that contradict it, or that it contradicts."""
    trust: Unit = 1.0
    """How far the instance that holds the claim is trusted; 1 for one's own."""


class Independent(NamedTuple):
    """A source that counts: entries of one type and id, at their highest contribution."""

    source_type: str
    contribution: float


def independent(provenance: tuple[Source, ...]) -> list[Independent]:
    """Collapse entries that are the same source, and leave out those that count for nothing.

    >>> independent((Source("user", "ann", 0.4), Source("user", "ann", 0.7), Source("audit", "x")))
    [Independent(source_type='user', contribution=0.7)]
    """
    return [Independent(kind, contribution) for (kind, _), contribution in best_by_source(provenance).items()]


def best_by_source(provenance: tuple[Source, ...]) -> dict[tuple[str, str], float]:
    """Return the highest contribution of each source that counts, by its type and id."""
    best: dict[tuple[str, str], float] = {}
    for entry in provenance:
        if entry.contribution:
            key = (entry.source_type, entry.source_id)
            if entry.contribution > best.get(key, 0.0):
                best[key] = entry.contribution
    return best


def by_age(provenance: tuple[Source, ...]) -> list[Source]:
    """Return the entries from the earliest on; those without a date come first."""
    return sorted(provenance, key=lambda entry: (entry.at is not None, entry.at or 0.0))


@dataclass(frozen=True)
class ClaimFormula(Model[ClaimCase]):
    """The interval of a claim from its sources, age and neighbours. Subclasses bring the arithmetic."""

    case = ClaimCase
    unordered = ("provenance", "supported_by", "contradicted_by")

    half_life: HalfLives = field(default_factory=HalfLives)
    """Seconds in which a stale claim loses half of its confidence, by tier."""
    oldest: Amount = 200.0
    """Half-lives after which age makes no further difference."""

    @abstractmethod
    def folds(self) -> Any:
        """Return the row of folds: how each number of the row comes from sources and neighbours."""

    def features(self, case: ClaimCase) -> Any:
        """Fold the evidence into the formula's row."""
        sources = independent(case.provenance)
        numbers = {
            "sources": [source.contribution for source in sources],
            "supports": [n.influence * n.strength for n in case.supported_by],
            "contradictions": [n.influence * n.strength for n in case.contradicted_by],
        }
        given = {
            "source_types": float(len({source.source_type for source in sources})),
            "half_lives": self.age(case),
            "trust": case.trust,
        }
        return self._row(numbers, given)

    @cached_property
    def _folds(self) -> Any:
        return self.folds()

    def _row(self, numbers: dict[str, list[float]], given: dict[str, float]) -> Any:
        row = self._folds
        return row._make([f(numbers[f.over]) if isinstance(f, Fold) else given[f.name] for f in row])

    def age(self, case: ClaimCase) -> float:
        """Return the age of a claim in half-lives: 0 until it is stale."""
        if case.stale_at is None:
            return 0.0
        return half_lives(case.now, case.stale_at, self.half_life.of(case.tier), self.oldest, FLOATS)

    def interval(self, case: ClaimCase) -> Interval:
        """Return just the interval."""
        steps = self.formula(self.features(case), FLOATS)
        return Interval(steps.lower, steps.upper)

    def influence(self, case: ClaimCase) -> float:
        """Return what the claim lends to its neighbours: its own sources and age, relations left out."""
        alone = ClaimCase(case.now, case.provenance, case.tier, case.stale_at)
        return float(self.formula(self.features(alone), FLOATS).influence)

    def base(self, case: ClaimCase) -> Interval:
        """Return the interval by the earliest provenance entry alone, fresh and without neighbours."""
        return self.alone(by_age(case.provenance)[0].contribution if case.provenance else None)

    def alone(self, contribution: float | None) -> Interval:
        """Return the interval of a fresh claim with one source and no neighbours."""
        numbers = {"sources": [contribution] if contribution else [], "supports": [], "contradictions": []}
        given = {"source_types": 1.0 if contribution else 0.0, "half_lives": 0.0, "trust": 1.0}
        steps = self.formula(self._row(numbers, given), FLOATS)
        return Interval(steps.lower, steps.upper)

    def conclude(self, case: ClaimCase, row: Any, steps: Any) -> dict[str, Any]:
        """Return the interval with its projections, the number of sources, and the reason."""
        sources = independent(case.provenance)
        interval = Interval(steps.lower, steps.upper)
        extra = {"conflict": steps.conflict} if hasattr(steps, "conflict") else {}
        return interval.as_dict() | {"sources": len(sources)} | extra | {"reason": _words(case, row, sources, steps)}


def _words(case: ClaimCase, row: Any, sources: list[Independent], steps: Any) -> str:
    if not sources:
        parts = ["no source speaks for it"]
    else:
        strongest = max(source.contribution for source in sources)
        types = len({source.source_type for source in sources})
        parts = [
            f"{_several(len(sources), 'independent source')} of {_several(types, 'type')} (strongest {strongest:.2f})"
        ]
    if row.half_lives > 0:
        parts.append(f"stale for {row.half_lives:.3g} half-lives, {steps.staleness:.1%} left")
    if case.supported_by:
        parts.append(f"supported by {_several(len(case.supported_by), 'claim')}")
    if case.contradicted_by:
        parts.append(f"contradicted by {_several(len(case.contradicted_by), 'claim')}")
    if row.trust < 1:
        parts.append(f"scaled by trust {row.trust:.2f}")
    return "; ".join(parts) + f": {Interval(steps.lower, steps.upper)}"


def _several(count: int, noun: str) -> str:
    return f"{count} {noun}" + ("" if count == 1 else "s")
