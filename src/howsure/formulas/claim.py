"""Claim formulas: the interval of a claim from its sources, its age and its neighbours."""

from abc import abstractmethod
from dataclasses import dataclass, field
from functools import cached_property
from typing import Annotated, Any, ClassVar, Literal, NamedTuple

from howsure.formulas.decay import HalfLives, Tier, half_lives
from howsure.formulas.folds import Fold
from howsure.formulas.interval import Interval
from howsure.formulas.model import Model
from howsure.formulas.ops import FLOATS
from howsure.shapes import Alias, Amount, Moment, Unit
from howsure.shapes.encode import encode

RelationKind = Literal["supports", "contradicts", "refines", "supersedes", "derived_from", "related_to"]
Status = Literal["active", "challenged", "deprecated", "forgotten"]


@dataclass(frozen=True)
class Source:
    """A source of a claim, and how much it contributes."""

    source_type: str
    """Type of the source: user_input, extraction, agent_assertion, direct_load, inference, ..."""
    source_id: str
    """Id of the source. Entries of one type and id are the same source and count once."""
    contribution: Unit | None = None
    """How much it contributes, from 0 to 1. None or 0: a note that does not count."""
    at: Moment | None = None
    """When it was recorded."""
    context: str = ""
    """A note to keep with it."""


@dataclass(frozen=True)
class Neighbour:
    """Another claim that supports or contradicts this one."""

    influence: Unit
    """Influence of that claim, by its own sources and age."""
    strength: Unit = 1.0
    """Strength of the relation."""


@dataclass(frozen=True)
class ClaimCase:
    """The input of a claim formula."""

    now: Moment
    """The moment at which the claim is read."""
    sources: Annotated[tuple[Source, ...], Alias("provenance")] = ()
    """Its sources."""
    tier: Tier = "task"
    """How long the claim is meant to live; sets its half-life."""
    stale_at: Moment | None = None
    """When it starts to lose confidence; None: never."""
    supported_by: tuple[Neighbour, ...] = ()
    """Claims that support it."""
    contradicted_by: tuple[Neighbour, ...] = ()
    """Claims that contradict it, or that it contradicts."""
    trust: Unit = 1.0
    """Trust in the instance that holds the claim; 1 for one's own."""


class IndependentSource(NamedTuple):
    """A source that counts: all entries of one type and id, at their highest contribution."""

    source_type: str
    contribution: float


def independent(sources: tuple[Source, ...]) -> list[IndependentSource]:
    """Return the independent sources: entries of one source are merged, and notes are left out.

    >>> independent((Source("user", "ann", 0.4), Source("user", "ann", 0.7), Source("audit", "x")))
    [IndependentSource(source_type='user', contribution=0.7)]
    """
    return [IndependentSource(kind, contribution) for (kind, _), contribution in best_by_source(sources).items()]


def best_by_source(sources: tuple[Source, ...]) -> dict[tuple[str, str], float]:
    """Return the highest contribution of each source that counts, by its type and id."""
    best: dict[tuple[str, str], float] = {}
    for source in sources:
        if source.contribution:
            key = (source.source_type, source.source_id)
            if source.contribution > best.get(key, 0.0):
                best[key] = source.contribution
    return best


def by_age(sources: tuple[Source, ...]) -> list[Source]:
    """Return the sources, earliest first; those without a date come before all others."""
    return sorted(sources, key=lambda source: (source.at is not None, source.at or 0.0))


@dataclass(frozen=True)
class ClaimFormula(Model[ClaimCase]):
    """Base class of claim formulas. Subclasses define `folds` and `formula`."""

    case = ClaimCase
    unordered: ClassVar[tuple[str, ...]] = ("sources", "supported_by", "contradicted_by")

    half_life: HalfLives = field(default_factory=HalfLives)
    """Seconds in which a stale claim loses half of its confidence, by tier."""
    oldest: Amount = 200.0
    """Half-lives after which age makes no further difference."""

    @abstractmethod
    def folds(self) -> Any:
        """Return the row of folds: how each number of the row comes from sources and neighbours."""

    def features(self, case: ClaimCase) -> Any:
        """Fold sources and neighbours into the formula's row."""
        sources = independent(case.sources)
        numbers = {
            "sources": [source.contribution for source in sources],
            "supports": [n.influence * n.strength for n in case.supported_by],
            "contradictions": [n.influence * n.strength for n in case.contradicted_by],
        }
        attributes = {
            "source_types": float(len({source.source_type for source in sources})),
            "half_lives": self.age(case),
            "trust": case.trust,
        }
        return self._row(numbers, attributes)

    @cached_property
    def _folds(self) -> Any:
        return self.folds()

    def _row(self, numbers: dict[str, list[float]], attributes: dict[str, float]) -> Any:
        row = self._folds
        return row._make([f(numbers[f.over]) if isinstance(f, Fold) else attributes[f.name] for f in row])

    def age(self, case: ClaimCase) -> float:
        """Return the age of a claim in half-lives: 0 until it is stale."""
        if case.stale_at is None:
            return 0.0
        return half_lives(case.now, case.stale_at, self.half_life.of(case.tier), self.oldest, FLOATS)

    def interval(self, case: ClaimCase) -> Interval:
        """Return only the interval."""
        steps = self.formula(self.features(case), FLOATS)
        return Interval(steps.lower, steps.upper)

    def influence(self, case: ClaimCase) -> float:
        """Return what the claim lends to its neighbours, from its own sources and age alone."""
        alone = ClaimCase(case.now, case.sources, case.tier, case.stale_at)
        return float(self.formula(self.features(alone), FLOATS).influence)

    def base(self, case: ClaimCase) -> Interval:
        """Return the interval by the earliest source alone, fresh and without neighbours."""
        return self.alone(by_age(case.sources)[0].contribution if case.sources else None)

    def alone(self, contribution: float | None) -> Interval:
        """Return the interval of a fresh claim with one source and no neighbours."""
        numbers = {"sources": [contribution] if contribution else [], "supports": [], "contradictions": []}
        attributes = {"source_types": 1.0 if contribution else 0.0, "half_lives": 0.0, "trust": 1.0}
        steps = self.formula(self._row(numbers, attributes), FLOATS)
        return Interval(steps.lower, steps.upper)

    def conclude(self, case: ClaimCase, row: Any, steps: Any) -> dict[str, Any]:
        """Return the interval with its projections, the number of sources, and the reason."""
        sources = independent(case.sources)
        interval = Interval(steps.lower, steps.upper)
        extra = {"conflict": steps.conflict} if hasattr(steps, "conflict") else {}
        return {**encode(interval), "sources": len(sources)} | extra | {"reason": _reason(case, row, sources, steps)}


def _reason(case: ClaimCase, row: Any, sources: list[IndependentSource], steps: Any) -> str:
    if not sources:
        parts = ["no sources"]
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
