"""Draw the reliability of sources, and who copies whom."""

from collections.abc import Sequence
from typing import Any

from howsure.charts import interval_rows, vega
from howsure.charts.chart import Chart
from howsure.charts.graph_layout import ROW, Link, Place, curves, layout
from howsure.charts.vega import Layer
from howsure.shapes.encode import encode
from howsure.sources.api import SourceReliability
from howsure.wording import pluralize

_EMPTY = 'No claim has a source yet. Add one with sure.claims.add("...", source="type:id"), or howsure claim add.'
_NO_COPIES = "No sources are known to copy from each other. sure.sources.fit(), or howsure sources fit, looks for them."
_RADIUS = 6.5


def sources_chart(sources: Sequence[SourceReliability]) -> Chart:
    """Return the chart of the reliability of sources, one below the other."""
    if not sources:
        return vega.empty_chart("sources", "Reliability of sources", _EMPTY)
    rows = [
        interval_rows.Row(one.name, one.interval, _note(one), known=one.right + one.wrong > 0, estimate=one.reliability)
        for one in sources
    ]
    first, last = sources[0], sources[-1]
    about = f"{vega.label(first.name, 80)} is right in {first.reliability:.0%} of cases, within {first.interval}"
    if len(sources) > 1:
        about = (
            f"{len(sources):,} sources, from {about}, to {vega.label(last.name, 80)}, {last.reliability:.0%}, "
            f"within {last.interval}"
        )
    about += "; each bar is meant to hold how often the source is right."
    drawn = interval_rows.draw_rows(rows, about)
    return Chart("sources", "Reliability of sources", about, drawn, [encode(one) for one in sources])


def _note(one: SourceReliability) -> str:
    if one.invalid:
        return "invalidated"
    return "unknown" if one.right + one.wrong <= 0 else f"{one.reliability:.0%}"


def copies_chart(sources: Sequence[SourceReliability]) -> Chart:
    """Return the graph of who copies whom: sources that repeat each other are joined by lines."""
    title = "Who copies whom"
    groups = _groups(sources)
    if not groups:
        return vega.empty_chart("copies", title, _NO_COPIES)
    by_name = {one.name: one for one in sources}
    layers: list[Layer] = []
    rows: list[dict[str, Any]] = []
    above = 0.0
    for members in groups:
        first, *others = members
        links = [Link(name, first, 1) for name in others]
        places = {name: Place(at.x, at.y + above) for name, at in layout(first, members, links).items()}
        layers += _lines(curves(places, links, _RADIUS))
        layers += _nodes([_node(name, by_name.get(name), places[name]) for name in members])
        rows += [{"source": name, "copies": first, "size": len(members)} for name in others]
        above += ROW * len(members)
    listed = "; ".join(", ".join(vega.label(name, 80) for name in members[:6]) for members in groups[:4])
    about = f"{pluralize(len(groups), 'group')} of sources that repeat each other: {listed}."
    return Chart("copies", title, about, vega.spec(about, above, layers), rows)


def _groups(sources: Sequence[SourceReliability]) -> list[list[str]]:
    """Return the groups of sources that copy, each with its most reliable member first, the largest group first."""
    groups: dict[frozenset[str], list[str]] = {}
    for one in sources:
        if one.copies:
            groups.setdefault(frozenset((one.name, *one.copies)), []).append(one.name)
    listed = [[*shown, *sorted(group - set(shown))] for group, shown in groups.items()]
    return sorted(listed, key=lambda members: (-len(members), members))


def _node(name: str, one: SourceReliability | None, place: Place) -> dict[str, Any]:
    return {
        "label": vega.label(name),
        "note": "" if one is None else f"right in {one.reliability:.0%} {one.interval}",
        "x": place.x,
        "y": place.y,
        "right": place.x + 14,
        "room": place.x + 14,
        "band": vega.band(None if one is None else one.reliability),
    }


def _nodes(values: list[dict[str, Any]]) -> list[Layer]:
    data = {"data": {"values": values}}
    at = {"x": vega.pixels("x"), "y": vega.pixels("y")}
    beside = at | {"x": vega.pixels("right")}
    room = {"expr": "max(width - datum.room, 40)"}
    circle = vega.mark("point", "node", shape="circle", size=120, filled=True, opacity=1)
    label = vega.text("label", align="left", baseline="bottom", dy=1, limit=room)
    note = vega.text("note", align="left", baseline="top", dy=2, limit=room)
    tooltip = vega.tooltip(label="", note="")
    return [
        data | {"mark": circle, "encoding": at | {"fill": vega.bands(), "tooltip": tooltip}},
        data | {"mark": label, "encoding": beside | {"text": vega.field("label")}},
        data | {"mark": note, "encoding": beside | {"text": vega.field("note")}},
    ]


def _lines(drawn: Sequence[Sequence[Place]]) -> list[Layer]:
    points = [
        {"line": number, "order": step, "x": at.x, "y": at.y}
        for number, curve in enumerate(drawn)
        for step, at in enumerate(curve)
    ]
    encoding = {
        "x": vega.pixels("x"),
        "y": vega.pixels("y"),
        "detail": {"field": "line", "type": "nominal"},
        "order": {"field": "order", "type": "quantitative"},
    }
    mark = vega.mark("line", "other", interpolate="linear", strokeDash=[2, 3])
    return [{"data": {"values": points}, "mark": mark, "encoding": encoding}]
