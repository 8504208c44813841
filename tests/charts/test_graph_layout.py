"""Every node has a place of its own, and curves lead from one to another."""

import math
from itertools import combinations

from hypothesis import given
from hypothesis import strategies as st

from howsure.charts.graph_layout import GUTTER, ROW, Link, Place, curves, layout

NODES = st.lists(st.text("abcdefgh", min_size=1, max_size=2), min_size=1, max_size=25, unique=True)


@st.composite
def graphs(draw: st.DrawFn) -> tuple[list[str], list[Link]]:
    nodes = draw(NODES)
    name = st.sampled_from(nodes)
    return nodes, draw(st.lists(st.builds(Link, name, name, st.integers(0, 2)), max_size=60))


@given(graphs())
def test_places_are_finite_within_bounds_and_apart(graph: tuple[list[str], list[Link]]) -> None:
    nodes, links = graph
    places = layout(nodes[0], nodes, links)
    assert set(places) == set(nodes)
    for place in places.values():
        assert math.isfinite(place.x)
        assert place.x >= GUTTER
        assert 0 < place.y < ROW * len(nodes)
    assert all(abs(a.y - b.y) >= ROW for a, b in combinations(places.values(), 2)), "words would meet"
    assert layout(nodes[0], nodes, links) == places
    assert layout(nodes[0], [*nodes, *nodes], links) == places


@given(graphs())
def test_lines_run_in_the_gutter_from_node_to_node(graph: tuple[list[str], list[Link]]) -> None:
    nodes, links = graph
    places = layout(nodes[0], nodes, links)
    drawn = curves(places, links, 6.0)
    assert len(drawn) == len(links)
    for link, curve in zip(links, drawn, strict=True):
        for end, name in ((curve[0], link.source), (curve[-1], link.target)):
            assert end.x == round(places[name].x - 6.0, 2)
            assert abs(end.y - places[name].y) <= ROW / 4
        for point in curve:
            assert math.isfinite(point.y)
            assert 0 <= point.x <= max(places[link.source].x, places[link.target].x)
            assert 0 <= point.y <= ROW * len(nodes)
    assert curves(places, links, 6.0) == drawn


def test_supporting_claims_are_drawn_above_and_others_below() -> None:
    links = [Link("x", "a", 2), Link("s", "a", 0), Link("c", "a", 1), Link("t", "s", 1)]
    places = layout("a", ["a", "c", "s", "t", "x", "lost"], links)
    assert sorted(places, key=lambda name: places[name].y) == ["s", "t", "a", "c", "x", "lost"]
    assert places["a"].x < places["s"].x < places["t"].x


def test_a_graph_of_one_and_lines_that_are_drawn_twice() -> None:
    assert layout("a", [], []) == {"a": Place(GUTTER, ROW / 2)}
    places = layout("a", ["a", "b"], [Link("a", "b")])
    first, second, back = curves(places, [Link("a", "b"), Link("a", "b"), Link("b", "a")], 6.0)
    assert len({first[5].x, second[5].x, back[5].x}) == 3, "lines that lie on each other look like one"
