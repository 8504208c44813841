"""Draw a sweep: the distribution of bounds under each variant, and what depends on each source."""

from typing import Any

from howsure.bulk.sweep import BINS, SourceImpact, Sweep, Variant
from howsure.charts import vega as drawing
from howsure.charts.chart import Chart
from howsure.charts.vega import Layer
from howsure.wording import pluralize

_LANE, _BARS, _SOURCE, _GAP = 60.0, 36.0, 36.0, 44.0
"""Pixels: height of a variant and of its bars, height of a source, and the gap between variants and sources."""


def sweep_chart(sweep: Sweep) -> Chart:
    """Return the chart of a sweep: one histogram per variant, and one bar per source that was left out."""
    title = f"{pluralize(sweep.claims, 'claim')} by their {sweep.bound} bound; threshold {sweep.threshold:g}"
    rows = [_variant_row(variant) for variant in sweep.variants] + [_source_row(source) for source in sweep.sources]
    bottom = _LANE * len(sweep.variants)
    layers = [{"layer": _variants(sweep, bottom)}]
    height = bottom
    if sweep.sources:
        layers.append({"layer": _sources(sweep.sources, bottom + _GAP)})
        height += _GAP + _SOURCE * len(sweep.sources)
    about = _about(sweep)
    spec = drawing.spec(about, height, layers, resolve={"scale": {"x": "independent"}})
    return Chart("sweep", title, about, spec, rows)


def _about(sweep: Sweep) -> str:
    first, *others = sweep.variants
    parts = [f"By {first.name}, {first.above:,} of {pluralize(sweep.claims, 'claim')} reach {sweep.threshold:g}."]
    parts += [f"By {one.name}, {one.up:,} more and {one.down:,} fewer." for one in others]
    parts += [f"Without {drawing.label(one.source, 80)}, {one.down:,} fewer." for one in sweep.sources]
    return " ".join(parts)


def _variant_row(variant: Variant) -> dict[str, Any]:
    counts = {"above": variant.above, "up": variant.up, "down": variant.down}
    return {"variant": variant.name} | counts | {"mean": variant.mean, "moved": variant.moved}


def _source_row(impact: SourceImpact) -> dict[str, Any]:
    counts = {"claims": impact.claims, "up": impact.up, "down": impact.down}
    return {"without_source": impact.source} | counts | {"moved": impact.moved}


def _variants(sweep: Sweep, bottom: float) -> list[Layer]:
    bars, labels = [], []
    for number, variant in enumerate(sweep.variants):
        top, most = _LANE * number, max(*variant.histogram, 1)
        change = f", {variant.up:,} more, {variant.down:,} fewer" if number else ""
        labels.append({"text": drawing.label(f"{variant.name}: {variant.above:,} reach it{change}"), "y": top + 8})
        base = top + _LANE - 6
        for index, count in enumerate(variant.histogram):
            start, end = index / BINS, (index + 1) / BINS
            tall = {"top": base - _BARS * count / most, "bottom": base}
            bars.append({"start": start, "end": end, "count": count, "band": drawing.band((start + end) / 2)} | tall)
    across = drawing.confidence("start")
    limit = [{"start": sweep.threshold, "top": 0, "bottom": bottom}]
    ends = {"x": across, "y": drawing.pixels("top"), "y2": {"field": "bottom"}}
    told = drawing.tooltip(start="from", end="to", count="claims")
    return [
        {
            "data": {"values": bars},
            "mark": drawing.mark("bar", "bar"),
            "encoding": ends | {"x2": {"field": "end"}, "color": drawing.bands(), "tooltip": told},
        },
        {"data": {"values": limit}, "mark": drawing.mark("rule", "limit", strokeDash=[4, 3]), "encoding": ends},
        _texts(labels),
    ]


def _sources(impacts: tuple[SourceImpact, ...], top: float) -> list[Layer]:
    bars, labels = [], []
    for number, impact in enumerate(impacts):
        y = top + _SOURCE * number
        fewer = f"{impact.down:,} of its {pluralize(impact.claims, 'claim')} fall below"
        labels.append({"text": drawing.label(f"without {impact.source}: {fewer}"), "y": y})
        bars.append({"zero": 0, "down": impact.down, "top": y + 10, "bottom": y + 22})
    most = max(1, *(impact.down for impact in impacts))
    across = drawing.number("zero", scale={"domain": [0, most], "nice": False}, axis=None)
    ends = {"x": across, "x2": {"field": "down"}, "y": drawing.pixels("top"), "y2": {"field": "bottom"}}
    return [{"data": {"values": bars}, "mark": drawing.mark("bar", "interval"), "encoding": ends}, _texts(labels)]


def _texts(labels: list[dict[str, Any]]) -> Layer:
    mark = drawing.text("note", align="left", baseline="middle")
    where = {"x": {"value": 0}, "y": drawing.pixels("y")}
    return {"data": {"values": labels}, "mark": mark, "encoding": where | {"text": drawing.field("text")}}
