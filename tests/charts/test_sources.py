"""Charts of sources: reliability, and who copies whom."""

from howsure.charts.sources import copies_chart, sources_chart
from howsure.formulas.interval import Interval
from howsure.sources.api import SourceReliability


def _source(name: str, reliability: float = 0.8, copies: tuple[str, ...] = (), **more: bool) -> SourceReliability:
    interval = Interval(reliability - 0.2, min(reliability + 0.1, 1.0))
    return SourceReliability("agent", name, reliability, interval, 1.0, 5.0, 1.0, 6, copies, **more)


def test_each_source_has_a_bar_and_a_note() -> None:
    chart = sources_chart([_source("a", 0.9), _source("b", 0.4, invalid=True)])
    values = chart.spec["data"]["values"]
    assert [(one["label"], one["note"]) for one in values] == [
        ("agent:a", "90% [0.70, 1.00]"),
        ("agent:b", "invalidated [0.20, 0.50]"),
    ]
    assert [one["midpoint"] for one in values] == [0.9, 0.4]  # the tick is at the reliability, which is off the middle
    assert "agent:a is right in 90%" in chart.about
    assert [row["source_id"] for row in chart.rows] == ["a", "b"]
    assert "agent:a" in sources_chart([_source("a")]).about
    hostile = [_source("a\x0b\u202eb", copies=("agent:c\x0b",))]
    for chart in (sources_chart(hostile), copies_chart(hostile)):
        assert chart.about.isprintable(), "it is part of an SVG, in which control characters are not allowed"


def test_without_sources_the_chart_says_how_to_get_some() -> None:
    assert "howsure claim add" in sources_chart([]).about
    assert "howsure sources fit" in copies_chart([_source("a")]).about


def test_groups_are_drawn_below_each_other_the_largest_first() -> None:
    ring = ("agent:x", "agent:y", "agent:z")
    sources = [_source(name[-1], 0.5, tuple(one for one in ring if one != name)) for name in ring]
    pair = [_source("a", 0.9, ("agent:b",))]  # its other member is not listed
    chart = copies_chart([*pair, *sources])
    assert [(row["source"], row["copies"]) for row in chart.rows] == [
        ("agent:y", "agent:x"),
        ("agent:z", "agent:x"),
        ("agent:b", "agent:a"),
    ]
    nodes = [one for values in chart.spec["datasets"].values() for one in values if "label" in one]
    assert len({one["y"] for one in nodes}) == 5
    assert "2 groups" in chart.about
