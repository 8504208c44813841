"""Intervals inside the database are those of the oracle, after any edits, now and in the past."""

import copy
import math
import random
from dataclasses import dataclass, field
from typing import Any

import pytest

from howsure.errors import InputError
from howsure.sure import Sure
from tests import oracle
from tests.conftest import NOW, Clock

FORMULAS = ["noisy_or", "subjective_logic", "dempster_shafer", "beta"]
DAY = 86400.0
TIERS = ["ephemeral", "task", "project"]
TYPES = ["user_input", "extraction", "agent_assertion", "inference"]
SHARES = [0.0, 0.05, 0.3, 0.5, 0.8, 0.95, 1.0]


@dataclass
class World:
    """What the store should hold, kept in plain Python."""

    nodes: dict[str, oracle.Node] = field(default_factory=dict)
    edges: list[oracle.Edge] = field(default_factory=list)
    invalid: set[tuple[str, str]] = field(default_factory=set)

    def intervals(self, now: float, formula: str) -> dict[str, tuple[float, float]]:
        nodes = [self._valid(node) for node in self.nodes.values()]
        return oracle.effective(nodes, self.edges, now, formula)

    def _valid(self, node: oracle.Node) -> oracle.Node:
        entries = tuple(
            oracle.Entry(
                e.source_type, e.source_id, None if (e.source_type, e.source_id) in self.invalid else e.contribution
            )
            for e in node.entries
        )
        return oracle.Node(node.id, node.tier, node.stale_at, entries, node.status, node.valid_from, node.valid_until)


class Editor:
    """Makes random edits, in the store and in the world alike."""

    def __init__(self, sure: Sure, clock: Clock, seed: int) -> None:
        self.sure, self.clock = sure, clock
        self.dice = random.Random(seed)
        self.world = World()

    def edit(self) -> None:
        dice, world = self.dice, self.world
        self.clock.now += dice.choice([1.0, DAY / 2, 3 * DAY])
        names = list(world.nodes)
        kind = dice.choice(["add", "corroborate", "relate", "derive", "status", "invalidate", "resolve"])
        if kind == "add" or len(names) < 3:
            self._add()
        elif kind == "corroborate":
            name = dice.choice(names)
            self._corroborate(name)
        elif kind == "relate":
            source, target = dice.sample(names, 2)
            relation: Any = dice.choice(["supports", "contradicts", "refines"])
            strength = dice.choice(SHARES)
            self.sure.claims.relate(source, relation, target, strength=strength)
            world.edges.append(oracle.Edge(relation, source, target, strength))
        elif kind == "derive":
            source, target = dice.sample(names, 2)
            edge = oracle.Edge("derived_from", source, target, 1.0)
            try:
                self.sure.claims.relate(source, "derived_from", target)
            except InputError:
                with pytest.raises(ValueError):  # noqa: PT011
                    oracle.effective(world.nodes.values(), [*world.edges, edge], self.clock.now, "beta")
                return
            world.edges.append(edge)
        elif kind == "status":
            self._forget(dice.choice(names))
        else:
            self._toggle_source()

    def _add(self) -> None:
        dice, at = self.dice, self.clock.now
        stale: Any = dice.choice(["never", at, at - 5 * DAY, at + 5 * DAY])
        entries = [self._entry() for _ in range(dice.choice([0, 1, 2, 5]))]
        valid_until = dice.choice([None, None, None, at + 10 * DAY])
        tier: Any = dice.choice(TIERS)
        added = self.sure.claims.add(
            f"claim {len(self.world.nodes)}",
            tier=tier,
            stale_at=stale,
            sources=[vars(entry) for entry in entries],
            valid_until=valid_until,
        )
        assert added.id is not None
        self.world.nodes[added.id] = oracle.Node(
            added.id, tier, None if isinstance(stale, str) else stale, tuple(entries), "active", None, valid_until
        )

    def _entry(self) -> oracle.Entry:
        return oracle.Entry(self.dice.choice(TYPES), self.dice.choice("abcd"), self.dice.choice(SHARES))

    def _corroborate(self, name: str) -> None:
        entry, node = self._entry(), self.world.nodes[name]
        if node.status == "forgotten":
            return
        statement = self.sure.claims.get(name).statement
        added = self.sure.claims.add(statement.upper() + ".", sources=[vars(entry)])
        assert (added.outcome, added.id) == ("corroborated", name)
        self.world.nodes[name] = oracle.Node(
            node.id, node.tier, node.stale_at, (*node.entries, entry), node.status, node.valid_from, node.valid_until
        )

    def _forget(self, name: str) -> None:
        node = self.world.nodes[name]
        changed = self.sure.claims.forget(name)
        assert changed is (node.status != "forgotten")
        self.world.nodes[name] = oracle.Node(
            node.id, node.tier, node.stale_at, node.entries, "forgotten", node.valid_from, node.valid_until
        )

    def _toggle_source(self) -> None:
        source = (self.dice.choice(TYPES), self.dice.choice("abcd"))
        if source in self.world.invalid:
            self.sure.claims.restore_source(*source)
            self.world.invalid.remove(source)
        else:
            self.sure.claims.invalidate_source(*source)
            self.world.invalid.add(source)


def _compare(found: Any, expected: dict[str, tuple[float, float]], what: object) -> None:
    assert {claim.id for claim in found} == expected.keys(), what
    for claim in found:
        for got, want in zip(claim.interval, expected[claim.id], strict=True):
            assert math.isclose(got, want, abs_tol=1e-9), (what, claim.id, claim.interval, expected[claim.id])


EVERYTHING: dict[str, Any] = {
    "statuses": ["active", "challenged", "deprecated", "forgotten"],
    "outside_validity": True,
    "limit": None,
}


@pytest.fixture(params=range(3))
def editor(sure: Sure, clock: Clock, request: pytest.FixtureRequest) -> Editor:
    return Editor(sure, clock, request.param)


def test_intervals_are_the_oracles_after_every_edit_and_in_the_past(editor: Editor) -> None:
    sure, clock, past = editor.sure, editor.clock, {}
    for step in range(40):
        editor.edit()
        if step % 4 == 0:
            past[clock.now] = copy.deepcopy(editor.world)
            for formula in FORMULAS:
                found = sure.claims.find(formula=formula, **EVERYTHING).claims
                _compare(found, editor.world.intervals(clock.now, formula), (formula, step))
    later = clock.now + 7 * DAY
    for formula in FORMULAS:
        found = sure.claims.find(formula=formula, now=later, **EVERYTHING).claims
        _compare(found, editor.world.intervals(later, formula), (formula, "later"))
        for moment, world in past.items():
            found = sure.claims.find(formula=formula, as_of=moment, **EVERYTHING).claims
            _compare(found, world.intervals(moment, formula), (formula, "as of", moment))


def test_a_single_claim_is_read_with_the_same_interval(editor: Editor) -> None:
    for _ in range(30):
        editor.edit()
    expected = editor.world.intervals(editor.clock.now, "noisy_or")
    for name, interval in expected.items():
        claim = editor.sure.claims.get(name)
        assert claim.interval == pytest.approx(interval, abs=1e-9)
        explained = editor.sure.claims.explain(name)
        bounds = explained.score if explained.derived is None else explained.derived
        assert (bounds["lower"], bounds["upper"]) == pytest.approx(interval, abs=1e-9)


@pytest.mark.parametrize("least", [0.02, 0.2, 0.5, 0.7, 0.9])
def test_the_index_by_lower_bound_leaves_out_nothing(editor: Editor, least: float) -> None:
    for _ in range(60):
        editor.edit()
    for now in (editor.clock.now, editor.clock.now + 4 * DAY, NOW - 100 * DAY):
        found = {c.id for c in editor.sure.claims.find(min_lower=least, now=now, **EVERYTHING).claims}
        expected = editor.world.intervals(now, "noisy_or")
        assert found == {name for name, (lower, _) in expected.items() if lower >= least - 5e-10}


def test_parameters_other_than_the_default_are_folded_anew(editor: Editor) -> None:
    from howsure.formulas.decay import HalfLives
    from howsure.formulas.subjective_logic import SubjectiveLogic
    from howsure.graph.python import Graph, Node, Relation

    for _ in range(30):
        editor.edit()
    formula = SubjectiveLogic(prior_weight=3.0, certainty_gap=0.01, half_life=HalfLives(task=DAY))
    world = editor.world
    nodes: list[Any] = list(world.nodes.values())
    claims = [
        Node(
            node.id,
            tuple(_source(entry, world) for entry in node.entries),
            node.tier,
            node.stale_at,
            node.status,
            node.valid_from,
            node.valid_until,
        )
        for node in nodes
    ]
    relations = [Relation(e.kind, e.source, e.target, e.strength) for e in world.edges]  # type: ignore[arg-type]
    expected = Graph(claims, relations).intervals(formula, editor.clock.now)
    found = editor.sure.claims.find(formula=formula, **EVERYTHING).claims
    _compare(found, {name: tuple(interval) for name, interval in expected.items()}, "custom")  # type: ignore[misc]


def _source(entry: oracle.Entry, world: World) -> Any:
    from howsure.formulas.claim import Source

    invalid = (entry.source_type, entry.source_id) in world.invalid
    return Source(entry.source_type, entry.source_id, None if invalid else entry.contribution)
