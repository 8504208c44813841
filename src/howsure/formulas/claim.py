"""Claim formulas: the interval of a claim from its sources, its age and its neighbours."""

import math
from abc import abstractmethod
from collections import Counter
from dataclasses import dataclass, field
from functools import cached_property
from typing import Annotated, Any, ClassVar, Literal, NamedTuple

from howsure.errors import InputError
from howsure.formulas.decay import HalfLives, Tier, half_lives
from howsure.formulas.folds import CONTRIBUTION, Fold
from howsure.formulas.interval import Interval
from howsure.formulas.model import Model
from howsure.formulas.ops import FLOATS
from howsure.shapes import Alias, Amount, Moment, Unit, Within
from howsure.shapes.encode import encode
from howsure.wording import pluralize

RelationKind = Literal["supports", "contradicts", "refines", "supersedes", "derived_from", "related_to"]
Status = Literal["active", "challenged", "deprecated", "forgotten"]
IN_USE: tuple[Status, ...] = ("active", "challenged")
"""Statuses of claims that count. As text it is also a list in SQL."""


def counts(status: Status, valid_from: float | None, valid_until: float | None, now: float) -> bool:
    """Return whether a claim counts at a moment: active or challenged, and valid.

    >>> counts("active", None, 9.0, now=8.0), counts("active", None, 9.0, now=9.0), counts("forgotten", None, None, 0.0)
    (True, False, False)
    """
    begun = valid_from is None or valid_from <= now
    over = valid_until is not None and valid_until <= now
    return begun and not over and status in IN_USE


_MAX_CACHED = 4096
"""Intervals that are kept."""
_FEW_SOURCES = 8
"""Sources of a claim up to which its interval is kept: a claim may have thousands."""
PRIOR_RIGHTS, PRIOR_WRONGS = 4.0, 1.0
"""Right and wrong claims that a source is taken to have made before its first one: four out of five are right."""
LEAST_RELIABLE, MOST_RELIABLE = 0.02, 0.98
"""No source is held to be right less, or more, often than this."""
COPY_SHARE = 0.1
"""What each further source of a copy group adds to a claim, where an independent one adds 1."""
UNKNOWN_WEIGHT = math.log(PRIOR_RIGHTS / PRIOR_WRONGS)
"""Weight of a source of which nothing is known."""
UNKNOWN_VARIANCE = math.pi**2 / 3 - 49 / 36
"""Variance of that weight: that of the log-odds of a Beta(4, 1), the sum of its two trigamma functions."""


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


LogOdds = Annotated[float, Within(-50.0, 50.0)]
"""What a source adds to a claim."""
Variance = Annotated[float, Within(0.0, 1000.0)]
"""Variance of what a source adds."""
ClaimCount = Annotated[float, Within(0.05, 1e12)]
"""Right or wrong claims of a source, prior included. With fewer, the variance of its weight is beyond its limit."""


@dataclass(frozen=True)
class SourceWeight:
    """What was learned about a source; the formula `reliability` reads it."""

    source_type: str
    """Type of the source."""
    source_id: str
    """Id of the source."""
    weight: LogOdds = UNKNOWN_WEIGHT
    """Log-odds that it adds to a claim."""
    variance: Variance = UNKNOWN_VARIANCE
    """Variance of the weight."""
    copy_group: str = ""
    """Sources with the same name here copy from each other; empty if it copies from none."""


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
    weights: tuple[SourceWeight, ...] = ()
    """What was learned about its sources; a source without an entry is unknown."""

    def __post_init__(self) -> None:
        """Raise InputError if a source has two weights."""
        if len({(one.source_type, one.source_id) for one in self.weights}) < len(self.weights):
            raise InputError("a source has two weights", field="weights", hint="give each source once")


class IndependentSource(NamedTuple):
    """A source that counts: all entries of one type and id, at their highest contribution."""

    source_type: str
    contribution: float


class SourceNumbers(NamedTuple):
    """The numbers of an independent source that folds read."""

    contribution: float
    weight: float = UNKNOWN_WEIGHT
    variance: float = UNKNOWN_VARIANCE
    copies: float = 1.0
    """How many sources of the claim are in its copy group, itself included."""


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
        numbers: dict[str, Any] = {
            "sources": [source.contribution for source in sources],
            "learned": learned_numbers(case) if self.reads_weights else [],
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

    @cached_property
    def reads_weights(self) -> bool:
        """Whether it reads learned weights of sources."""
        return reads_weights(self._folds)

    def _row(self, numbers: dict[str, Any], attributes: dict[str, float]) -> Any:
        return self._folds._make(
            [
                attributes[by.name]
                if not isinstance(by, Fold)
                else by(numbers[by.over])
                if by.of == CONTRIBUTION
                else by([tuple([getattr(source, name) for name in by.of]) for source in numbers["learned"]])
                for by in self._folds
            ]
        )

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
        alone = ClaimCase(case.now, case.sources, case.tier, case.stale_at, weights=case.weights)
        return float(self.formula(self.features(alone), FLOATS).influence)

    def base(self, case: ClaimCase) -> Interval:
        """Return the interval by the earliest source alone, fresh and without neighbours."""
        return self.alone(by_age(case.sources)[0].contribution if case.sources else None)

    def alone(self, contribution: float | None) -> Interval:
        """Return the interval of a fresh claim with one unknown source and no neighbours."""
        return self.fresh((contribution,), 1) if contribution else self.fresh((), 0)

    def fresh(self, contributions: tuple[float, ...], source_types: int) -> Interval:
        """Return the interval of a fresh claim without neighbours, by independent sources that are all unknown."""
        if len(contributions) > _FEW_SOURCES:
            return self._compute_fresh(contributions, source_types)
        known = self._fresh.get((contributions, source_types))
        if known is None:
            if len(self._fresh) >= _MAX_CACHED:
                self._fresh.clear()
            known = self._fresh[contributions, source_types] = self._compute_fresh(contributions, source_types)
        return known

    @cached_property
    def _fresh(self) -> dict[tuple[tuple[float, ...], int], Interval]:
        """Intervals of fresh claims. Few sets of contributions are in use, and computing one takes 6 us."""
        return {}

    def _compute_fresh(self, contributions: tuple[float, ...], source_types: int) -> Interval:
        learned = [SourceNumbers(contribution) for contribution in contributions]
        numbers = {"sources": contributions, "learned": learned, "supports": (), "contradictions": ()}
        attributes = {"source_types": float(source_types), "half_lives": 0.0, "trust": 1.0}
        steps = self.formula(self._row(numbers, attributes), FLOATS)
        return Interval(steps.lower, steps.upper)

    def conclude(self, case: ClaimCase, row: Any, steps: Any) -> dict[str, Any]:
        """Return the interval with its projections, the number of sources, and the reason."""
        sources = independent(case.sources)
        interval = Interval(steps.lower, steps.upper)
        extra = {"conflict": steps.conflict} if hasattr(steps, "conflict") else {}
        reason = _reason(case, row, self.describe_sources(case, sources), steps)
        return {**encode(interval), "sources": len(sources)} | extra | {"reason": reason}

    def describe_sources(self, case: ClaimCase, sources: list[IndependentSource]) -> str:
        """Return what the formula sees in the sources of a claim, in words."""
        if not sources:
            return "no sources"
        strongest = max(source.contribution for source in sources)
        types = len({source.source_type for source in sources})
        return (
            f"{pluralize(len(sources), 'independent source')} of {pluralize(types, 'type')} (strongest {strongest:.2f})"
        )


def reads_weights(folds: Any) -> bool:
    """Return whether any fold of a row reads learned weights of sources."""
    return any(isinstance(by, Fold) and by.of != CONTRIBUTION for by in folds)


def learned_numbers(case: ClaimCase) -> list[SourceNumbers]:
    """Return the numbers of each independent source; one without a weight is unknown."""
    known = {(one.source_type, one.source_id): one for one in case.weights}
    best = best_by_source(case.sources)
    sizes = Counter(known[key].copy_group for key in best if key in known)
    numbers = []
    for key, contribution in best.items():
        own = known.get(key)
        if own is None:
            numbers.append(SourceNumbers(contribution))
        else:
            copies = float(sizes[own.copy_group]) if own.copy_group else 1.0
            numbers.append(SourceNumbers(contribution, own.weight, own.variance, copies))
    return numbers


def _reason(case: ClaimCase, row: Any, sources: str, steps: Any) -> str:
    parts = [sources]
    if row.half_lives > 0:
        parts.append(f"stale for {row.half_lives:.3g} half-lives, {steps.staleness:.1%} left")
    if case.supported_by:
        parts.append(f"supported by {pluralize(len(case.supported_by), 'claim')}")
    if case.contradicted_by:
        parts.append(f"contradicted by {pluralize(len(case.contradicted_by), 'claim')}")
    if row.trust < 1:
        parts.append(f"scaled by trust {row.trust:.2f}")
    return "; ".join(parts) + f": {Interval(steps.lower, steps.upper)}"
