"""Draw histograms of scores, one below the other."""

from typing import Any

from howsure.charts import vega
from howsure.charts.chart import Chart
from howsure.charts.vega import LETTER, Layer
from howsure.ledger.distribution import BINS, Distribution, Spread
from howsure.wording import pluralize

MAX_HISTOGRAMS = 8
_ROW, _HEAD, _ALONE = 68.0, 28.0, 200.0
"""Pixels: height of a histogram, of the text above it, and of the only histogram of a chart."""
_EMPTY = (
    "There are no decisions in this time. "
    'Gate a response with sure.responses.check("...", agent="name"), or howsure gate.'
)


def scores_chart(distribution: Distribution, by: str | None, who: str) -> Chart:
    """Return the histograms of scores."""
    title = f"Distribution of scores: {who}" if who else "Distribution of scores"
    if not distribution.spreads:
        return vega.empty_chart("scores", title, _EMPTY)
    timed = by in ("day", "week", "month")
    shown = distribution.spreads[-MAX_HISTOGRAMS:] if timed else distribution.spreads[:MAX_HISTOGRAMS]
    left_out = len(distribution.spreads) - len(shown)
    listed = "; ".join(f"{_name(one)} {one.total:,}, mean {one.mean:.2f}, mostly {_mostly(one)}" for one in shown)
    window = vega.window(distribution.since, distribution.until)
    about = f"{pluralize(distribution.total, 'score')}{vega.of(who)} {window}: {listed}."
    if left_out:
        about += f" {left_out:,} more are left out."
    high = _ALONE if len(shown) == 1 else _ROW
    layers = _layers(shown, high)
    picture = vega.spec(about, (high + _HEAD) * len(shown), layers)
    return Chart("scores", title, about, picture, [row for one in shown for row in _rows(one, by or "all")])


def _name(one: Spread) -> str:
    return vega.label(one.name, 60) or "(no name)"


def _mostly(one: Spread) -> str:
    most = max(range(BINS), key=lambda place: one.counts[place])
    return f"{most / BINS:.2f} to {(most + 1) / BINS:.2f}"


def _rows(one: Spread, by: str) -> list[dict[str, Any]]:
    """Return one row for each range with scores in it."""
    return [
        {by: one.name, "from": place / BINS, "to": (place + 1) / BINS, "count": count}
        for place, count in enumerate(one.counts)
        if count
    ]


def _layers(shown: tuple[Spread, ...], high: float) -> list[Layer]:
    bars, heads = [], []
    for row, one in enumerate(shown):
        foot = (row + 1) * (high + _HEAD)
        most = max(one.counts)
        note = f"{one.total:,}, mean {one.mean:.2f}"
        room = round(len(note) * LETTER + 16)
        heads.append(
            {"label": _name(one), "note": note, "room": room, "y": foot - high - 6, "foot": foot, "mean": one.mean}
        )
        heads[-1]["top"] = foot - high
        for place, count in enumerate(one.counts):
            if count:
                ends = {"from": place / BINS, "to": (place + 1) / BINS, "top": foot - max(high * count / most, 2.0)}
                middle = (place + 0.5) / BINS
                bars.append(ends | {"foot": foot, "count": count, "of": _name(one), "band": vega.band(middle)})
    tooltip = vega.tooltip(of="", count="scores", **{"from": "from", "to": "to"})
    across = {"x": vega.confidence("from"), "x2": {"field": "to"}}
    along = {"y": vega.pixels("top"), "y2": {"field": "foot"}}
    at = {"y": vega.pixels("y")}
    left = vega.text("label", align="left", baseline="alphabetic", limit={"expr": "max(width - datum.room, 40)"})
    right = vega.text("number", align="right", baseline="alphabetic")
    head = {"data": {"values": heads}}
    bar = vega.mark("rect", "stack")
    return [
        head | {"mark": vega.mark("rule", "base"), "encoding": {"y": vega.pixels("foot")}},
        {
            "data": {"values": bars},
            "mark": bar,
            "encoding": across | along | {"fill": vega.bands(), "tooltip": tooltip},
        },
        head | {"mark": vega.mark("rule", "middle"), "encoding": {"x": vega.confidence("mean")} | along},
        head | {"mark": left, "encoding": {"x": {"value": 0}, **at, "text": vega.field("label")}},
        head | {"mark": right, "encoding": {"x": {"value": "width"}, **at, "text": vega.field("note")}},
    ]
