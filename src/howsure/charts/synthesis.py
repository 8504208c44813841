"""Draw the sub-results of a synthesis: confidence, weight and conflicts."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from howsure.charts import vega
from howsure.charts.chart import Chart
from howsure.charts.graph_layout import Link, Place, curves
from howsure.charts.vega import LETTER, Layer
from howsure.syntheses.api import RECORDED_CONFLICTS
from howsure.syntheses.synthesis import Synthesis, short_id
from howsure.wording import pluralize

_ROW, _TOP, _BAR, _THICK, _GUTTER = 44.0, 14.0, 22.0, 11.0, 46.0
"""Pixels: height of a row, baseline of its text, top and height of its bar, and room for conflicts on the left."""


class SubResultNumbers(NamedTuple):
    """The numbers of one sub-result."""

    id: str
    confidence: float
    characters: int
    kept: bool
    failed: bool


class SynthesisNumbers(NamedTuple):
    """The numbers of a synthesis that a chart shows."""

    parts: Sequence[SubResultNumbers]
    conflicts: Sequence[tuple[str, str, float]]
    """Ids of two sub-results in conflict (or twice the same) and the severity; as many as the ledger keeps."""
    overall: float
    level: str
    decision: str
    results: int
    """How many sub-results there were."""

    @classmethod
    def recorded(cls, answer: Mapping[str, Any]) -> "SynthesisNumbers":
        """Return the numbers of a synthesis in the ledger."""
        parts = [
            SubResultNumbers(**{name: one[name] for name in SubResultNumbers._fields})
            for one in answer.get("sources") or ()
        ]
        conflicts = [
            (short_id(one["first"]["source"]), short_id(one["second"]["source"]), float(one["severity"]))
            for one in answer.get("conflicts") or ()
        ]
        named = (str(answer.get("level", "")), str(answer.get("decision", "")))
        return cls(parts, conflicts, float(answer["overall"]), *named, int(answer.get("results", len(parts))))

    @classmethod
    def of(cls, synthesis: Synthesis) -> "SynthesisNumbers":
        """Return the numbers of a synthesis."""
        parts = [SubResultNumbers(**one.numbers()) for one in synthesis.results]
        conflicts = [
            (short_id(one.first.source), short_id(one.second.source), one.severity)
            for one in synthesis.conflicts[:RECORDED_CONFLICTS]
        ]
        return cls(parts, conflicts, synthesis.overall, synthesis.level, synthesis.decision, len(parts))


def synthesis_chart(synthesis: SynthesisNumbers) -> Chart:
    """Return the chart of a synthesis."""
    title = f"Sub-results of a synthesis: {synthesis.overall:.2f} {synthesis.level.lower().replace('_', ' ')}"
    if not synthesis.parts:
        why = (
            f"The ledger does not hold the numbers of {pluralize(synthesis.results, 'sub-result')}."
            if synthesis.results
            else "There were no sub-results."
        )
        return vega.empty_chart("synthesis", title, f"{why} Draw the synthesis itself: sure.charts.synthesis(result).")
    rows = _rows(synthesis)
    about = _about(synthesis, rows)
    values = [_drawn(place, row) | {"overall": synthesis.overall} for place, row in enumerate(rows)]
    high = _ROW * len(rows) + 4
    layers = [*_conflicts(synthesis, rows), *_bars(), _overall()]
    return Chart("synthesis", title, about, vega.spec(about, high, layers, values), rows)


def _rows(synthesis: SynthesisNumbers) -> list[dict[str, Any]]:
    kept = [one for one in synthesis.parts if one.kept]
    total = sum(one.characters for one in kept)
    conflicts = Counter(name for first, second, _ in synthesis.conflicts for name in {first, second})

    def weight(one: SubResultNumbers) -> float:
        if not one.kept:
            return 0.0
        return one.characters / total if total else 1 / len(kept)

    rows = [one._asdict() | {"weight": weight(one), "conflicts": conflicts[one.id]} for one in synthesis.parts]
    return sorted(rows, key=lambda row: (not row["kept"], -row["confidence"], row["id"]))


def _about(synthesis: SynthesisNumbers, rows: list[dict[str, Any]]) -> str:
    listed = [
        f"{vega.label(row['id'], 60)} {row['confidence']:.2f}"
        + (f", {row['weight']:.0%} of the text" if row["kept"] else ", left out")
        for row in rows[:8]
    ]
    more = f"; and {synthesis.results - len(listed):,} more" if synthesis.results > len(listed) else ""
    many = len(synthesis.conflicts)
    least = "at least " if many == RECORDED_CONFLICTS else ""
    conflicts = f"{least}{many:,} conflict{'s' * (many != 1)}" if many else "no conflict"
    return (
        f"{pluralize(synthesis.results, 'sub-result')} with {conflicts}, "
        f"overall {synthesis.overall:.2f} ({synthesis.level}), "
        f"{synthesis.decision}: {'; '.join(listed)}{more}. "
        "A tick on each bar marks the overall confidence."
    )


def _drawn(place: int, row: dict[str, Any]) -> dict[str, Any]:
    top = place * _ROW
    conflicts = row["conflicts"]
    text = f"{pluralize(conflicts, 'conflict')}, " if conflicts else ""
    text += f"weight {row['weight']:.0%}" if row["kept"] else "failed" if row["failed"] else "left out"
    note = f"{text}, {row['confidence']:.2f}"
    return {
        "label": vega.label(row["id"], 80),
        "note": note,
        "room": round(len(note) * LETTER + 16 + _GUTTER),
        "confidence": row["confidence"],
        "band": vega.band(row["confidence"] if row["kept"] else None),
        "words": top + _TOP,
        "top": top + _BAR,
        "bottom": top + _BAR + _THICK,
        "over": top + _BAR - 3,
        "under": top + _BAR + _THICK + 3,
        "zero": 0,
    }


def _across(name: str) -> dict[str, Any]:
    return vega.confidence(name, grid=False) | {
        "scale": {"domain": [0, 1], "nice": False, "range": [_GUTTER, {"expr": "width"}]}
    }


def _bars() -> list[Layer]:
    span = {"y": vega.pixels("top"), "y2": {"field": "bottom"}}
    at = {"y": vega.pixels("words")}
    left = vega.text("label", align="left", baseline="alphabetic", limit={"expr": "max(width - datum.room, 40)"})
    right = vega.text("number", align="right", baseline="alphabetic")
    tooltip = vega.tooltip(label="", confidence="confidence", note="")
    bar = {"x": _across("zero"), "x2": {"field": "confidence"}, **span, "fill": vega.bands(), "tooltip": tooltip}
    return [
        {
            "mark": vega.mark("rect", "rail", cornerRadius=3),
            "encoding": {"x": {"value": _GUTTER}, "x2": {"value": "width"}, **span},
        },
        {"mark": vega.mark("rect", "bar", cornerRadius=3), "encoding": bar},
        {"mark": left, "encoding": {"x": {"value": _GUTTER}, **at, "text": vega.field("label")}},
        {"mark": right, "encoding": {"x": {"value": "width"}, **at, "text": vega.field("note")}},
    ]


def _overall() -> Layer:
    """Return a tick on each bar at the overall confidence."""
    ends = {"y": vega.pixels("over"), "y2": {"field": "under"}}
    return {"mark": vega.mark("rule", "middle"), "encoding": {"x": _across("overall"), **ends}}


def _conflicts(synthesis: SynthesisNumbers, rows: list[dict[str, Any]]) -> list[Layer]:
    """Return lines between sub-results in conflict, and a dot at one that contradicts itself."""
    places = {row["id"]: Place(_GUTTER, place * _ROW + _BAR + _THICK / 2) for place, row in enumerate(rows)}
    pairs = sorted({(min(a, b), max(a, b)) for a, b, _ in synthesis.conflicts if a in places and b in places})
    links = [Link(a, b) for a, b in pairs if a != b]
    drawn = curves(places, links, 8.0)
    points = [
        {"line": number, "order": step, "x": at.x, "y": at.y}
        for number, curve in enumerate(drawn)
        for step, at in enumerate(curve)
    ]
    ends = [{"x": at.x, "y": at.y} for curve in drawn for at in (curve[0], curve[-1])]
    ends += [{"x": places[a].x - 8.0, "y": places[a].y} for a, b in pairs if a == b]
    if not ends:
        return []
    at = {"x": vega.pixels("x"), "y": vega.pixels("y")}
    detail = {"detail": {"field": "line", "type": "nominal"}, "order": {"field": "order", "type": "quantitative"}}
    line = vega.mark("line", "contradicts", interpolate="linear", strokeDash=[6, 3])
    dot = vega.mark("point", "contradicts-head", shape="circle", size=34, filled=True, opacity=1)
    return [
        {"data": {"values": points}, "mark": line, "encoding": at | detail},
        {"data": {"values": ends}, "mark": dot, "encoding": at},
    ]
