"""The graph rules in plain Python: the interval of each claim from its sources, neighbours and constituents."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import NamedTuple

from howsure.errors import InputError, shown
from howsure.formulas.claim import (
    ClaimCase,
    ClaimFormula,
    Neighbour,
    RelationKind,
    Source,
    SourceWeight,
    Status,
    counts,
)
from howsure.formulas.decay import Tier
from howsure.formulas.derived import DEEPEST, Derived
from howsure.formulas.derived import Case as DerivedCase
from howsure.formulas.interval import Interval
from howsure.formulas.ops import FLOATS
from howsure.shapes import Moment, Unit, decode


@dataclass(frozen=True)
class Node:
    """A claim in a graph."""

    id: str
    """Id of the claim."""
    sources: tuple[Source, ...] = ()
    """Its sources."""
    tier: Tier = "task"
    """How long it is meant to live."""
    stale_at: Moment | None = None
    """When it starts to lose confidence; None: never."""
    status: Status = "active"
    """Its status; deprecated and forgotten claims do not influence others."""
    valid_from: Moment | None = None
    """When it becomes valid; None: always was."""
    valid_until: Moment | None = None
    """When it stops being valid (exclusive); None: never."""

    def counts(self, now: float) -> bool:
        """Return whether the claim influences others at a moment: active or challenged, and valid."""
        return counts(self.status, self.valid_from, self.valid_until, now)


@dataclass(frozen=True)
class Relation:
    """A relation from one claim to another."""

    kind: RelationKind
    """supports, contradicts, refines, supersedes, derived_from or related_to."""
    source: str
    """The claim that supports, contradicts, was derived, ..."""
    target: str
    """The claim that it supports, contradicts, was derived from, ..."""
    strength: Unit = 1.0
    """Strength of the relation."""

    def __post_init__(self) -> None:
        """Raise InputError if a claim relates to itself."""
        if self.source == self.target:
            raise InputError(f"the claim {shown(self.source)} cannot relate to itself", field="target")


class Neighbourhood(NamedTuple):
    """The claims that act on one claim, with the strength of each relation, and its constituents."""

    supports: dict[str, float]
    contradictions: dict[str, float]
    constituents: dict[str, float]


class Graph:
    """Claims and their relations.

    >>> sky = Node("sky", (Source("user", "ann", 0.9),))
    >>> sea = Node("sea", (Source("user", "bob", 0.6),))
    >>> graph = Graph([sky, sea], [Relation("contradicts", "sky", "sea", 0.5)])
    >>> from howsure.formulas.noisy_or import NoisyOr
    >>> {name: str(interval) for name, interval in graph.intervals(NoisyOr(), now=0.0).items()}
    {'sky': '[0.56, 0.85]', 'sea': '[0.36, 0.55]'}
    """

    def __init__(
        self, claims: Iterable[Node], relations: Iterable[Relation] = (), weights: Iterable[SourceWeight] = ()
    ) -> None:
        """Take claims and relations; a pair that is given twice counts once, at its highest strength.

        `weights` is what was learned about the sources.

        Raises:
            InputError: if an id occurs twice, a relation refers to an unknown claim, or a chain of derived claims is
                closed or longer than DEEPEST.
        """
        self.claims: dict[str, Node] = {}
        for claim in claims:
            if claim.id in self.claims:
                raise InputError(f"the claim {shown(claim.id)} occurs twice", field="claims")
            self.claims[claim.id] = decode(Node, claim)
        self._weights = {(one.source_type, one.source_id): one for one in weights}
        self.around: dict[str, Neighbourhood] = {name: Neighbourhood({}, {}, {}) for name in self.claims}
        for item in relations:
            relation = decode(Relation, item)
            for name in (relation.source, relation.target):
                if name not in self.claims:
                    raise InputError(f"there is no claim {shown(name)}", field="relations")
            self._add(relation)
        self._order = self._constituents_first()

    def _add(self, relation: Relation) -> None:
        source, target = self.around[relation.source], self.around[relation.target]
        if relation.kind == "supports":
            _strongest(target.supports, relation.source, relation.strength)
        elif relation.kind == "contradicts":
            _strongest(target.contradictions, relation.source, relation.strength)
            _strongest(source.contradictions, relation.target, relation.strength)
        elif relation.kind == "derived_from":
            _strongest(source.constituents, relation.target, relation.strength)

    def _constituents_first(self) -> list[str]:
        """Return the ids of all claims, constituents before the claims derived from them."""
        depth: dict[str, int] = {}
        level = [name for name, around in self.around.items() if not around.constituents]
        waiting = {name: len(around.constituents) for name, around in self.around.items()}
        derived: dict[str, list[str]] = {name: [] for name in self.claims}
        for name, around in self.around.items():
            for constituent in around.constituents:
                derived[constituent].append(name)
        order: list[str] = []
        while level:
            order += level
            following = []
            for name in level:
                for inference in derived[name]:
                    depth[inference] = max(depth.get(inference, 0), depth.get(name, 0) + 1)
                    waiting[inference] -= 1
                    if not waiting[inference]:
                        following.append(inference)
            level = following
        if len(order) < len(self.claims):
            stuck = sorted(name for name, missing in waiting.items() if missing)
            raise InputError(f"{shown(stuck[0])} is derived from itself through other claims", field="relations")
        for name, deep in depth.items():
            if deep > DEEPEST:
                raise InputError(f"{shown(name)} rests on {deep} inferences in a row", hint=f"at most {DEEPEST}")
        return order

    def intervals(self, formula: ClaimFormula, now: float, trust: float = 1.0) -> dict[str, Interval]:
        """Return the effective interval of every claim at a moment."""
        decode(ClaimCase, {"now": now, "trust": trust})
        influence = self.influences(formula, now)
        intervals: dict[str, Interval] = {}
        for name in self._order:
            case = self.case(name, influence, now, trust)
            constituents = self.around[name].constituents
            if not constituents:
                intervals[name] = formula.interval(case)
                continue
            # A derived claim is assessed by its sources of type `inference` if it has any, and then bounded.
            inferred = tuple(source for source in case.sources if source.source_type == "inference")
            assessed = formula.interval(replace(case, sources=inferred or case.sources))
            # A constituent that does not count is [0, 0].
            bases = tuple(intervals[c] if self.claims[c].counts(now) else Interval(0.0, 0.0) for c in constituents)
            model = Derived()
            steps = model.formula(model.features(DerivedCase(bases, assessed.upper)), FLOATS)
            intervals[name] = Interval(steps.lower, steps.upper)
        return {name: intervals[name] for name in self.claims}

    def influences(self, formula: ClaimFormula, now: float) -> dict[str, float]:
        """Return what each claim lends to its neighbours at a moment; 0 if it does not count."""
        return {
            name: formula.influence(
                ClaimCase(now, claim.sources, claim.tier, claim.stale_at, weights=self._weights_of(claim))
            )
            if claim.counts(now)
            else 0.0
            for name, claim in self.claims.items()
        }

    def case(self, name: str, influence: Mapping[str, float], now: float, trust: float = 1.0) -> ClaimCase:
        """Return the input of a formula for a claim: its sources, age, and neighbours that count."""
        claim, around = self.claims[name], self.around[name]

        def neighbours(by: dict[str, float]) -> tuple[Neighbour, ...]:
            return tuple(
                Neighbour(influence[other], strength)
                for other, strength in by.items()
                if self.claims[other].counts(now)
            )

        return ClaimCase(
            now,
            claim.sources,
            claim.tier,
            claim.stale_at,
            neighbours(around.supports),
            neighbours(around.contradictions),
            trust,
            self._weights_of(claim),
        )

    def _weights_of(self, claim: Node) -> tuple[SourceWeight, ...]:
        """Return what was learned about the sources of a claim."""
        if not self._weights:
            return ()
        keys = dict.fromkeys((source.source_type, source.source_id) for source in claim.sources)
        return tuple(self._weights[key] for key in keys if key in self._weights)


def _strongest(strengths: dict[str, float], name: str, strength: float) -> None:
    strengths[name] = max(strengths.get(name, 0.0), strength)
