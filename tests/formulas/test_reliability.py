"""The formula reliability: its golden cases, and what holds for every claim."""

import json
import math
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from howsure.formulas.claim import UNKNOWN_VARIANCE, UNKNOWN_WEIGHT, ClaimCase, Neighbour, Source, SourceWeight
from howsure.formulas.reliability import Reliability
from howsure.graph.python import Graph, Node, Relation
from tests.conftest import close
from tests.formulas.reliability_oracle import GOLDEN, golden, trigamma

WEIGHT = st.floats(-4.0, 8.0)


def _said(*names: str) -> tuple[Source, ...]:
    return tuple(Source("agent", name, 0.5) for name in names)


def _known(name: str, weight: float = UNKNOWN_WEIGHT, group: str = "") -> SourceWeight:
    return SourceWeight("agent", name, weight, UNKNOWN_VARIANCE, group)


def _probability(*sources: Source, **case: Any) -> float:
    score = Reliability().score(ClaimCase(0.0, sources, **case))
    return float(score.steps.probability)


def test_the_golden_cases_are_those_of_the_oracle() -> None:
    stored = json.loads(GOLDEN.read_text())
    made = golden()
    assert len(stored) == len(made)
    assert all(map(close, stored, made))


def test_one_unknown_source_alone_gives_four_in_five() -> None:
    assert math.isclose(_probability(*_said("ann")), 0.8)
    assert math.isclose(UNKNOWN_VARIANCE, float(trigamma(4) + trigamma(1)), rel_tol=1e-15)


def test_contradicting_claims_share_one_probability() -> None:
    claims = [Node("a", _said("ann", "bob")), Node("b", _said("eve")), Node("c", _said("joe"))]
    relations = [Relation("contradicts", one, two) for one, two in (("a", "b"), ("b", "c"), ("c", "a"))]
    formula, graph = Reliability(), Graph(claims, relations)
    lent = graph.influences(formula, 0.0)
    chances = [formula.score(graph.case(name, lent, 0.0)).steps.probability for name in "abc"]
    odds = [math.exp(2 * UNKNOWN_WEIGHT / 1.1), 4.0, 4.0]
    assert all(math.isclose(chance, one / (1 + sum(odds))) for chance, one in zip(chances, odds, strict=True))


def test_words_name_the_sources_that_repeat_each_other() -> None:
    names = "abcde"
    weights = tuple(_known(name, group="x" if name in "abc" else "") for name in names)
    score = Reliability().score(ClaimCase(0.0, _said(*names), weights=weights))
    assert "three of its five sources repeat each other and count as 1.2" in score["reason"]
    assert math.isclose(score.row.voices, 3.2)
    whole = Reliability().score(ClaimCase(0.0, _said("a", "b"), weights=weights[:2]))
    assert "all of its two sources repeat each other and count as 1.1" in whole["reason"]
    many = tuple(str(number) for number in range(12))
    crowd = Reliability().score(ClaimCase(0.0, _said(*many), weights=tuple(_known(n, group="x") for n in many[:11])))
    assert "12 sources, 1 of them unknown; 11 of its 12 sources repeat" in crowd["reason"]
    assert "2 sources, all unknown" in Reliability().score(ClaimCase(0.0, _said("a", "b")))["reason"]
    assert "1 source, unknown" in Reliability().score(ClaimCase(0.0, _said("a")))["reason"]
    assert "no sources" in Reliability().score(ClaimCase(0.0))["reason"]


def test_supporting_claims_raise_the_upper_bound_only_and_less_than_one_more_source() -> None:
    alone = Reliability().interval(ClaimCase(0.0, _said("a")))
    flood = tuple(Neighbour(1.0) for _ in range(10_000))
    backed = Reliability().interval(ClaimCase(0.0, _said("a"), supported_by=flood))
    assert backed.lower == alone.lower
    assert alone.upper < backed.upper < 1 / (1 + math.exp(-math.log(alone.upper / (1 - alone.upper)) - math.log(4)))


@given(st.integers(1, 60), WEIGHT)
def test_a_flood_of_copies_never_counts_more_than_its_voices(copies: int, weight: float) -> None:
    names = [str(number) for number in range(copies)]
    weights = tuple(_known(name, weight, "ring") for name in names)
    flooded = Reliability().score(ClaimCase(0.0, _said(*names), weights=weights))
    voices = 1 + 0.1 * (copies - 1)
    assert math.isclose(flooded.row.voices, voices)
    assert math.isclose(flooded.row.evidence, weight * voices, abs_tol=1e-9)
    assert flooded.steps.claimed <= max(weight, 0.0) * 10 + 1e-9  # the limit of the damping


@given(st.lists(WEIGHT, min_size=1, max_size=8), st.floats(0.0, 1.0), st.floats(0.0, 1.0))
def test_a_contradiction_never_raises_and_the_bounds_hold_the_probability(
    weights: list[float], rival: float, strength: float
) -> None:
    names = [str(number) for number in range(len(weights))]
    known = tuple(_known(name, weight) for name, weight in zip(names, weights, strict=True))
    alone = Reliability().score(ClaimCase(0.0, _said(*names), weights=known))
    against = Reliability().score(
        ClaimCase(0.0, _said(*names), contradicted_by=(Neighbour(rival, strength),), weights=known)
    )
    for score in (alone, against):
        assert score["lower"] <= score.steps.probability <= score["upper"]
    assert against["lower"] <= alone["lower"]
    assert against["upper"] <= alone["upper"]
