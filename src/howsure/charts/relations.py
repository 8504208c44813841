"""Draw the relations of a claim as a graph: the claims that support, contradict or otherwise relate to it."""

from collections.abc import Sequence
from typing import Any

from howsure.charts import vega
from howsure.charts.chart import Chart
from howsure.charts.graph_layout import ROW, Link, Place, curves, layout
from howsure.charts.vega import Layer
from howsure.claims.claim import Claim, ClaimRelation
from howsure.claims.neighbourhood import Neighbourhood
from howsure.wording import pluralize

STYLES = {"supports": "supports", "contradicts": "contradicts"}
"""Line styles by kind of relation; any other kind has the style `other`."""
DASHES: dict[str, list[int]] = {"supports": [], "contradicts": [6, 3], "other": [2, 3]}
_GROUPS = {"supports": 0, "contradicts": 1}
_RADIUS, _HEAD = 6.5, 5.0
_EMPTY = "No claim is related to {} yet. Add a relation with sure.claims.relate, or howsure claim relate."


def relations_chart(near: Neighbourhood) -> Chart:
    """Return the chart of a claim's neighbourhood."""
    first = near.claims[0]
    title = f"Relations of {vega.quoted(first.statement, 60)}"
    if not near.relations:
        return vega.empty_chart("relations", title, _EMPTY.format(vega.quoted(first.statement)))
    links = [Link(one.source, one.target, _GROUPS.get(one.kind, 2)) for one in near.relations]
    places = layout(first.id, near.distances, links)
    about = _about(near)
    layers = [
        *_lines(near.relations, curves(places, links, _RADIUS)),
        *_nodes([_node(one, places[one.id], near) for one in near.claims]),
    ]
    return Chart("relations", title, about, vega.spec(about, ROW * len(near.claims), layers), _rows(near))


def _rows(near: Neighbourhood) -> list[dict[str, Any]]:
    """Return one row for each relation, with both claims."""
    by_id = {one.id: one for one in near.claims}
    return [
        {
            "source": by_id[one.source].statement,
            "source_id": one.source,
            "kind": one.kind,
            "strength": one.strength,
            "target": by_id[one.target].statement,
            "target_id": one.target,
            "source_lower": by_id[one.source].interval.lower,
            "source_upper": by_id[one.source].interval.upper,
            "target_lower": by_id[one.target].interval.lower,
            "target_upper": by_id[one.target].interval.upper,
        }
        for one in near.relations
    ]


def _node(one: Claim, place: Place, near: Neighbourhood) -> dict[str, Any]:
    note = str(one.interval)
    inward = _inward_relation(one, near)
    if inward is not None:
        note = f"{_words(inward)} {note}"
    if one.status != "active":
        note = f"{note} {one.status}"
    return {
        "label": vega.label(one.statement),
        "note": note,
        "x": place.x,
        "y": place.y,
        "right": place.x + 14,
        "room": place.x + 14,
        "band": vega.band(one.interval.midpoint if one.sources else None),
        "size": 220 if one is near.claims[0] else 120,
    }


def _inward_relation(one: Claim, near: Neighbourhood) -> ClaimRelation | None:
    """Return the strongest relation to a claim that is nearer to the centre, or None."""
    step = near.distances[one.id]
    inward = [
        relation
        for relation in near.relations
        if one.id in (relation.source, relation.target)
        and min(near.distances[relation.source], near.distances[relation.target]) < step
    ]
    return max(inward, key=lambda relation: relation.strength, default=None)


def _words(relation: ClaimRelation) -> str:
    strong = "" if relation.strength == 1.0 else f" {relation.strength:.2f}"
    return f"{relation.kind.replace('_', ' ')}{strong}"


def _nodes(values: list[dict[str, Any]]) -> list[Layer]:
    data = {"data": {"values": values}}
    at = {"x": vega.pixels("x"), "y": vega.pixels("y")}
    beside = at | {"x": vega.pixels("right")}
    room = {"expr": "max(width - datum.room, 40)"}
    tooltip = vega.tooltip(label="", note="")
    size = {"field": "size", "type": "quantitative", "scale": None, "legend": None}
    label = vega.text("label", align="left", baseline="bottom", dy=1, limit=room)
    note = vega.text("note", align="left", baseline="top", dy=2, limit=room)
    circle = vega.mark("point", "node", shape="circle", filled=True, opacity=1)
    return [
        data | {"mark": circle, "encoding": at | {"fill": vega.bands(), "size": size, "tooltip": tooltip}},
        data | {"mark": label, "encoding": beside | {"text": vega.field("label")}},
        data | {"mark": note, "encoding": beside | {"text": vega.field("note")}},
    ]


def _lines(relations: Sequence[ClaimRelation], drawn: Sequence[Sequence[Place]]) -> list[Layer]:
    """Return the lines of each style with their arrowheads; a contradiction has one at both ends."""
    points: dict[str, list[dict[str, Any]]] = {style: [] for style in DASHES}
    heads: dict[str, list[dict[str, Any]]] = {style: [] for style in DASHES}
    for number, (relation, curve) in enumerate(zip(relations, drawn, strict=True)):
        style = STYLES.get(relation.kind, "other")
        points[style] += [{"line": number, "order": step, "x": at.x, "y": at.y} for step, at in enumerate(curve)]
        for at in (curve[-1], curve[0])[: 2 if style == "contradicts" else 1]:
            heads[style].append({"x": at.x - _HEAD / 2, "y": at.y})
    layers: list[Layer] = []
    for style, dash in DASHES.items():
        if points[style]:
            here = {"x": vega.pixels("x"), "y": vega.pixels("y")}
            how = {"strokeDash": dash} if dash else {}
            detail = {
                "detail": {"field": "line", "type": "nominal"},
                "order": {"field": "order", "type": "quantitative"},
            }
            line = vega.mark("line", style, interpolate="linear", **how)
            head = vega.mark("point", f"{style}-head", shape="triangle-right", size=46, filled=True, opacity=1)
            layers.append({"data": {"values": points[style]}, "mark": line, "encoding": here | detail})
            layers.append({"data": {"values": heads[style]}, "mark": head, "encoding": here})
    return layers


def _about(near: Neighbourhood) -> str:
    first = near.claims[0]
    by_id = {one.id: one for one in near.claims}
    listed = [
        f"{vega.quoted(by_id[one.source].statement, 60)} {one.kind.replace('_', ' ')} "
        f"{vega.quoted(by_id[one.target].statement, 60)} with strength {one.strength:.2f}"
        for one in near.relations[:6]
    ]
    more = len(near.relations) - len(listed)
    around = pluralize(len(near.claims) - 1, "claim")
    text = f"{vega.quoted(first.statement)} within {first.interval}, and {around} around it: "
    text += "; ".join(listed) + (f"; and {pluralize(more, 'more relation')}." if more else ".")
    verb = "is" if near.left_out == 1 else "are"
    return f"{text} {pluralize(near.left_out, 'claim')} {verb} left out." if near.left_out else text
