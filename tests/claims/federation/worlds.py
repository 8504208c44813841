"""Stores with claims of every kind, and the same claims as the oracle takes them."""

import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from howsure.sure import Sure
from tests.conftest import NOW
from tests.oracle import Edge, Entry, Node, effective

if TYPE_CHECKING:
    from howsure.formulas.decay import Tier

DAY = 86_400.0
SHARED = [f"Fact {number} holds" for number in range(6)]
"""What several stores may tell."""


@dataclass
class World:
    """What one store holds, by the ids that it has given."""

    nodes: dict[str, Node] = field(default_factory=dict)
    edges: list[Edge] = field(default_factory=list)
    statements: dict[str, str] = field(default_factory=dict)

    def intervals(self, formula: str, trust: float, now: float = NOW) -> dict[str, tuple[float, float]]:
        """Return what every claim comes to, by the oracle."""
        return effective(self.nodes.values(), self.edges, now, formula, trust)

    def found(self) -> Iterator[str]:
        """Give the ids of the claims that a query finds."""
        return (name for name, node in self.nodes.items() if node.status in ("active", "challenged"))


def filled(sure: Sure, name: str, seed: int) -> World:
    """Fill a store with claims, related in every way, and return them as the oracle takes them."""
    chance = random.Random(seed)
    world = World()
    said = [*chance.sample(SHARED, 4), *(f"Only {name} knows {number}" for number in range(6))]
    ids = [_added(sure, world, chance, statement) for statement in said]
    for number in range(2):
        parts = chance.sample(ids, chance.randint(1, 3))
        ids.append(_derived(sure, world, chance, f"{name} infers {number}", parts))
    ids.append(_derived(sure, world, chance, f"{name} infers more", [ids[-1], ids[0]]))
    for kind in ("supports", "contradicts", "supports", "contradicts", "supports", "related_to"):
        source, target = chance.sample(ids, 2)
        strength = round(chance.random(), 3)
        sure.claims.relate(source, kind, target, strength=strength)
        world.edges.append(Edge(kind, source, target, strength))
    gone = ids[chance.randrange(4, 10)]
    sure.claims.forget(gone)
    node = world.nodes[gone]
    world.nodes[gone] = Node(node.id, node.tier, node.stale_at, node.entries, "forgotten")
    return world


def _added(sure: Sure, world: World, chance: random.Random, statement: str) -> str:
    kinds = chance.sample(["user_input", "extraction", "agent", "file"], chance.randint(1, 4))
    entries = tuple(Entry(kind, f"s{chance.randint(0, 2)}", round(chance.random(), 3)) for kind in kinds)
    tiers: list[Tier] = ["ephemeral", "task", "project"]
    tier, stale_at = chance.choice(tiers), NOW + chance.uniform(-5, 5) * DAY
    sources = [vars(entry) for entry in entries]
    words = statement if chance.random() < 0.5 else f"  {statement.upper()}."
    added = sure.claims.add(words, sources=sources, tier=tier, stale_at=stale_at)
    assert added.id
    world.nodes[added.id] = Node(added.id, tier, stale_at, entries)
    world.statements[added.id] = words
    return added.id


def _derived(sure: Sure, world: World, chance: random.Random, statement: str, parts: list[str]) -> str:
    assessed = round(chance.uniform(0.3, 1.0), 3)
    added = sure.claims.derive(statement, parts, confidence=assessed, stale_at=NOW + DAY)
    assert added.id
    world.nodes[added.id] = Node(added.id, "task", NOW + DAY, (Entry("inference", "inference", assessed),))
    world.edges += [Edge("derived_from", added.id, part) for part in parts]
    world.statements[added.id] = statement
    return added.id
