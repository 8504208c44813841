"""The chart of relations shows every claim within reach, now and in the past."""

from typing import Any

import pytest

from howsure.errors import InputError
from howsure.sure import Sure
from tests.charts.story import Opened, layer_values
from tests.conftest import NOW, Clock


def test_relations_are_all_there_is_within_reach(sure: Sure) -> None:
    ids = [str(sure.claims.add(f"Fact {name}", source="a:b", contribution=0.5).id) for name in "abcdef"]
    a, b, c, d, e, f = ids
    kinds: tuple[tuple[str, Any, str, float], ...] = (
        (b, "supports", a, 0.4),
        (b, "supports", a, 0.9),
        (a, "contradicts", c, 0.5),
        (c, "refines", d, 1.0),
        (d, "supports", e, 1.0),
        (e, "related_to", f, 1.0),
    )
    for source, kind, target, strength in kinds:
        sure.claims.relate(source, kind, target, strength=strength)

    def drawn(depth: int, **given: Any) -> list[tuple[Any, ...]]:
        rows = sure.charts.relations(a, depth, **given).rows
        return [(row["source_id"], row["kind"], row["target_id"], row["strength"]) for row in rows]

    near = [(b, "supports", a, 0.9), (a, "contradicts", c, 0.5)]
    assert drawn(1) == near
    assert drawn(2) == [*near, (c, "refines", d, 1.0)]
    assert drawn(4) == [*near, *kinds[3:]]
    labels = {one["label"]: one["note"] for one in layer_values(sure.charts.relations(a, 2).spec, "node")}
    assert set(labels) == {"Fact a", "Fact b", "Fact c", "Fact d"}
    assert labels["Fact b"].startswith("supports 0.90 [")
    heads = {
        style: len(layer_values(sure.charts.relations(a, 4).spec, f"{style}-head")) for style in ("supports", "other")
    }
    assert heads == {"supports": 2, "other": 2}
    assert len(layer_values(sure.charts.relations(a).spec, "contradicts-head")) == 2, "it acts on both ends"
    sure.claims.forget(b)
    assert drawn(1) == near[1:]


def test_relations_are_read_as_of_a_past_moment(sure: Sure, clock: Clock) -> None:
    a, b, c = (str(sure.claims.add(f"Fact {name}", source="a:b", contribution=0.5).id) for name in "abc")
    clock.now += 10
    sure.claims.relate(b, "supports", a)
    clock.now += 10
    sure.claims.challenge(a, c)
    clock.now += 10
    sure.claims.resolve(a, c, uphold=True)

    def drawn(at: float) -> list[str]:
        return [str(row["kind"]) for row in sure.charts.relations(a, as_of=at).rows]

    assert [drawn(NOW + at) for at in (5, 15, 25, 35)] == [[], ["supports"], ["supports", "contradicts"], ["supports"]]
    assert len(sure.charts.relations(a).rows) == 1


def test_neighbours_beyond_the_limit_are_left_out_and_counted(opened: Opened) -> None:
    sure, told = opened
    chart = sure.charts.relations(told.claim, 1, limit=3)
    assert len(layer_values(chart.spec, "node")) == 3
    assert chart.about.endswith("2 claims are left out.")
    wrong: list[dict[str, Any]] = [{"depth": 0}, {"depth": 5}, {"limit": 0}, {"limit": 201}, {"depth": True}]
    for limits in wrong:
        with pytest.raises(InputError) as caught:
            sure.charts.relations(told.claim, **limits)
        assert caught.value.field in limits
