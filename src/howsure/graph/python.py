"""A graph of claims: each read with its effective interval, neighbours and inferences included."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import NamedTuple

from howsure.errors import InputError, shown
from howsure.formulas.claim import ClaimCase, ClaimFormula, Neighbour, RelationKind, Source, Status
from howsure.formulas.decay import Tier
from howsure.formulas.derived import Case as DerivedCase
from howsure.formulas.derived import Derived
from howsure.formulas.interval import Interval
from howsure.formulas.ops import FLOATS
from howsure.shapes import Moment, Unit, decode

DEEPEST = 5
"""How many inferences may rest on each other."""


@dataclass(frozen=True)
class Node:
    """A claim as it is read: its sources, age and standing."""

    id: str
    """Name of the claim."""
    provenance: tuple[Source, ...] = ()
    """Who says so."""
    tier: Tier = "task"
    """How long it is meant to live."""
    stale_at: Moment | None = None
    """When it starts to lose confidence; never, if not given."""
    status: Status = "active"
    """How it stands: deprecated and forgotten claims lend nothing."""
    valid_from: Moment | None = None
    """When it starts to hold."""
    valid_until: Moment | None = None
    """When it stops to hold; this moment no longer counts."""

    def counts(self, now: float) -> bool:
        """Say whether the claim lends anything to others at a moment."""
        begun = self.valid_from is None or self.valid_from <= now
        over = self.valid_until is not None and now >= self.valid_until
        return begun and not over and self.status in ("active", "challenged")


@dataclass(frozen=True)
class Relation:
    """What one claim says about another."""

    kind: RelationKind
    """supports, contradicts, refines, supersedes, derived_from or related_to."""
    source: str
    """The claim that supports, contradicts, was derived, ..."""
    target: str
    """The claim that it supports, contradicts, was derived from, ..."""
    strength: Unit = 1.0
    """How strong the relation is."""

    def __post_init__(self) -> None:
        """Refuse a claim that relates to itself."""
        if self.source == self.target:
            raise InputError(f"the claim {shown(self.source)} cannot relate to itself", field="target")


class Neighbourhood(NamedTuple):
    """The claims that act on one claim, each with the strength of the relation; and those it was derived from."""

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

    def __init__(self, claims: Iterable[Node], relations: Iterable[Relation] = ()) -> None:
        """Collapse duplicate relations, and refuse those to unknown claims, cycles and chains that are too long."""
        self.claims: dict[str, Node] = {}
        for claim in claims:
            if claim.id in self.claims:
                raise InputError(f"the claim {shown(claim.id)} is there twice", field="claims")
            self.claims[claim.id] = decode(Node, claim)
        self.around = {name: Neighbourhood({}, {}, {}) for name in self.claims}
        for given in relations:
            relation = decode(Relation, given)
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
        """Order the claims so that every constituent comes before what was derived from it."""
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
            raise InputError(f"{shown(stuck[0])} was derived from itself, by way of others", field="relations")
        for name, deep in depth.items():
            if deep > DEEPEST:
                raise InputError(f"{shown(name)} rests on {deep} inferences in a row", hint=f"at most {DEEPEST}")
        return order

    def intervals(self, formula: ClaimFormula, now: float, trust: float = 1.0) -> dict[str, Interval]:
        """Return the effective interval of every claim at a moment."""
        decode(ClaimCase, {"now": now, "trust": trust})
        influence = self.influences(formula, now)
        found: dict[str, Interval] = {}
        for name in self._order:
            evidence = self.evidence(name, influence, now, trust)
            constituents = self.around[name].constituents
            if not constituents:
                found[name] = formula.interval(evidence)
                continue
            inferred = tuple(entry for entry in evidence.provenance if entry.source_type == "inference")
            assessed = formula.interval(replace(evidence, provenance=inferred or evidence.provenance))
            # A constituent that no longer counts is a foundation that is gone.
            bases = tuple(found[c] if self.claims[c].counts(now) else Interval(0.0, 0.0) for c in constituents)
            model = Derived()
            steps = model.formula(model.features(DerivedCase(bases, assessed.upper)), FLOATS)
            found[name] = Interval(steps.lower, steps.upper)
        return {name: found[name] for name in self.claims}

    def influences(self, formula: ClaimFormula, now: float) -> dict[str, float]:
        """Return what each claim lends to its neighbours at a moment; nothing, if it does not count."""
        return {
            name: formula.influence(ClaimCase(now, claim.provenance, claim.tier, claim.stale_at))
            if claim.counts(now)
            else 0.0
            for name, claim in self.claims.items()
        }

    def evidence(self, name: str, influence: Mapping[str, float], now: float, trust: float = 1.0) -> ClaimCase:
        """Return all that speaks for and against a claim."""
        claim, around = self.claims[name], self.around[name]

        def lent(by: dict[str, float]) -> tuple[Neighbour, ...]:
            return tuple(
                Neighbour(influence[other], strength)
                for other, strength in by.items()
                if self.claims[other].counts(now)
            )

        return ClaimCase(
            now,
            claim.provenance,
            claim.tier,
            claim.stale_at,
            lent(around.supports),
            lent(around.contradictions),
            trust,
        )


def _strongest(strengths: dict[str, float], name: str, strength: float) -> None:
    strengths[name] = max(strengths.get(name, 0.0), strength)
