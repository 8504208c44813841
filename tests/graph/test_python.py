"""Claims that lean on each other, against an oracle written from the specification alone."""

import math
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from howsure.errors import InputError
from howsure.formulas import MODELS
from howsure.formulas.claim import ClaimFormula, RelationKind, Source, Status
from howsure.formulas.decay import Tier
from howsure.formulas.noisy_or import NoisyOr
from howsure.graph.python import Graph, Node, Relation
from tests import oracle

FORMULAS = ["noisy_or", "subjective_logic", "dempster_shafer", "beta"]
TIERS: list[Tier] = ["ephemeral", "task", "project", "persistent"]
STATUSES: list[Status] = ["active", "active", "active", "challenged", "deprecated", "forgotten"]
KINDS: list[RelationKind] = ["supports", "supports", "contradicts", "contradicts", "derived_from", "refines"]
NOW = 1_800_000_000.0
shares = st.one_of(st.sampled_from([0.0, 0.5, 1.0]), st.floats(0, 0.999).map(lambda x: round(x, 6)))
moments = st.one_of(st.none(), st.floats(-400 * 86400, 86400).map(lambda x: NOW + round(x)))


@st.composite
def graphs(draw: st.DrawFn) -> tuple[list[Node], list[Relation]]:
    size = draw(st.integers(1, 7))
    entries = st.builds(
        Source,
        st.sampled_from(["user_input", "extraction", "inference", "agent_assertion"]),
        st.sampled_from(["a", "b", "c"]),
        st.one_of(st.none(), shares),
    )
    claims = [
        Node(
            str(index),
            tuple(draw(st.lists(entries, max_size=5))),
            draw(st.sampled_from(TIERS)),
            draw(moments),
            draw(st.sampled_from(STATUSES)),
            draw(moments),
            draw(moments),
        )
        for index in range(size)
    ]
    relations = []
    for _ in range(draw(st.integers(0, 14)) if size > 1 else 0):
        source, target = draw(st.lists(st.integers(0, size - 1), min_size=2, max_size=2, unique=True))
        kind = draw(st.sampled_from(KINDS))
        if kind == "derived_from":  # from later to earlier claims, so that there is no cycle
            source, target = max(source, target), min(source, target)
        relations.append(Relation(kind, str(source), str(target), draw(shares)))
    return claims, relations


def _by_oracle(
    claims: list[Node], relations: list[Relation], formula: str, trust: float
) -> dict[str, tuple[float, float]]:
    nodes = [
        oracle.Node(
            claim.id,
            claim.tier,
            claim.stale_at,
            tuple(oracle.Entry(s.source_type, s.source_id, s.contribution) for s in claim.sources),
            claim.status,
            claim.valid_from,
            claim.valid_until,
        )
        for claim in claims
    ]
    edges = [oracle.Edge(r.kind, r.source, r.target, r.strength) for r in relations]
    return oracle.effective(nodes, edges, NOW, formula, trust)


@pytest.mark.parametrize("formula", FORMULAS)
@settings(deadline=None, max_examples=150)
@given(graphs(), shares)
def test_intervals_are_those_of_the_oracle(
    formula: str, graph: tuple[list[Node], list[Relation]], trust: float
) -> None:
    claims, relations = graph
    model = MODELS.find(formula)()
    assert isinstance(model, ClaimFormula)
    try:
        found = Graph(claims, relations).intervals(model, NOW, trust)
    except InputError:
        with pytest.raises(ValueError):  # noqa: PT011 - the oracle refuses it too
            _by_oracle(claims, relations, formula, trust)
        return
    expected = _by_oracle(claims, relations, formula, trust)
    assert found.keys() == expected.keys()
    for name, interval in found.items():
        for got, want in zip(interval, expected[name], strict=True):
            assert math.isclose(got, want, abs_tol=1e-9), (name, interval, expected[name])


def _chain(length: int) -> tuple[list[Node], list[Relation]]:
    claims = [Node(str(i), (Source("inference", str(i), 0.9),)) for i in range(length + 1)]
    return claims, [Relation("derived_from", str(i + 1), str(i)) for i in range(length)]


def test_a_chain_of_five_inferences_holds_and_widens_never_narrows() -> None:
    found = Graph(*_chain(5)).intervals(NoisyOr(), NOW)
    widths = [found[str(i)].width for i in range(6)]
    lowers = [found[str(i)].lower for i in range(6)]
    assert all(later >= earlier - 1e-12 for earlier, later in pairwise(widths))
    assert all(later <= earlier + 1e-12 for earlier, later in pairwise(lowers))


def test_a_chain_of_six_inferences_is_refused() -> None:
    with pytest.raises(InputError, match="rests on 6 inferences in a row \\(at most 5\\)"):
        Graph(*_chain(6))


def test_a_cycle_of_inferences_is_refused() -> None:
    claims, relations = _chain(3)
    with pytest.raises(InputError, match="derived from itself"):
        Graph(claims, [*relations, Relation("derived_from", "0", "3")])


def test_a_relation_to_itself_is_refused() -> None:
    with pytest.raises(InputError, match="cannot relate to itself"):
        Relation("supports", "a", "a")


def test_a_relation_to_an_unknown_claim_is_refused() -> None:
    with pytest.raises(InputError, match="there is no claim 'b'"):
        Graph([Node("a")], [Relation("supports", "a", "b")])


def test_a_graph_refuses_invalid_values() -> None:
    claim = Node("a", (Source("user", "ann", 7.0),))
    with pytest.raises(InputError, match="contribution: 7.0 is not between 0 and 1"):
        Graph([claim])
    with pytest.raises(InputError, match="trust: 5.0 is not between 0 and 1"):
        Graph([Node("a")]).intervals(NoisyOr(), NOW, trust=5.0)
    with pytest.raises(InputError, match="now: nan is not a finite number"):
        Graph([Node("a")]).intervals(NoisyOr(), math.nan)
    with pytest.raises(InputError, match="'a' occurs twice"):
        Graph([Node("a"), Node("a")])
    with pytest.raises(InputError, match="tier: 'weekly' is not one of"):
        Graph([Node("a", tier="weekly")])  # type: ignore[arg-type]


def test_forgetting_a_constituent_forgets_its_inference() -> None:
    base = Node("base", (Source("user_input", "ann", 0.9),), status="forgotten")
    inferred = Node("inferred", (Source("inference", "model", 0.8),))
    found = Graph([base, inferred], [Relation("derived_from", "inferred", "base")]).intervals(NoisyOr(), NOW)
    assert found["inferred"] == (0.0, 0.0)
