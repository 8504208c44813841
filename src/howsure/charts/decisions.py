"""Draw how many decisions of each day passed, need review or were blocked, and their mean confidence."""

from datetime import UTC, datetime
from typing import Any

from howsure.charts import vega
from howsure.charts.chart import Chart
from howsure.charts.vega import Layer
from howsure.ledger.statistics import DecisionDay, LedgerStatistics
from howsure.shapes import DAY
from howsure.wording import pluralize

DECISIONS = ("blocked", "to review", "passed")
"""From worst to best, the order of the colours."""
_HEIGHT, _UPPER, _GAP = 300.0, 120.0, 34.0
"""Pixels: height of the chart, of its upper part, and of the gap between both parts."""
_EMPTY = (
    "There are no decisions in this time. "
    'Gate a response with sure.responses.check("...", agent="name"), or howsure gate.'
)


def decisions_chart(statistics: LedgerStatistics, model: str, who: str) -> Chart:
    """Return the chart of the decisions of each day."""
    title = f"Decisions per day: {who}" if who else "Decisions per day"
    if not statistics.all.total:
        return vega.empty_chart("decisions", title, _EMPTY)
    rows = [_row(one, model) for one in statistics.days]
    about = _about(statistics, rows, who)
    window = {"start": statistics.since // DAY * DAY, "end": (statistics.until // DAY + 1) * DAY}
    layers = [{"layer": _bars(rows, window)}, {"layer": _confidence(rows, statistics.all.threshold)}]
    picture = vega.spec(about, _HEIGHT, layers, resolve={"scale": {"y": "independent"}})
    return Chart("decisions", title, about, picture, rows)


def _row(one: DecisionDay, model: str) -> dict[str, Any]:
    """Return the counts of one day; other models than `response` have no review, only met or not met."""
    blocked, reviewed = (one.blocked, one.reviewed) if model == "response" else (one.total - one.met, 0)
    counts = {"passed": one.total - blocked - reviewed, "to_review": reviewed, "blocked": blocked}
    return {"day": one.day} | counts | {"total": one.total, "mean_confidence": one.mean_confidence}


def _about(statistics: LedgerStatistics, rows: list[dict[str, Any]], who: str) -> str:
    sums = {name: sum(row[name] for row in rows) for name in ("passed", "to_review", "blocked")}
    busiest = max(rows, key=lambda row: row["total"])
    threshold = statistics.all.threshold
    return (
        f"{pluralize(statistics.all.total, 'decision')}{vega.of(who)} "
        f"{vega.window(statistics.since, statistics.until)}: "
        f"{sums['passed']:,} passed, {sums['to_review']:,} to review, {sums['blocked']:,} blocked. "
        f"Mean confidence {statistics.all.mean_confidence or 0.0:.2f}"
        + ("" if threshold is None else f", threshold {threshold:.2f}")
        + f". The busiest day was {busiest['day']} with {busiest['total']:,}."
    )


def _start(day: str) -> float:
    return datetime.fromisoformat(day).replace(tzinfo=UTC).timestamp()


def _time(name: str) -> dict[str, Any]:
    axis = {"title": None, "grid": False, "labelOverlap": True, "tickCount": 6, "format": "%b %d"}
    return vega.moment(name, axis=axis)


def _counts(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the stacked bars of each day."""
    bars = []
    for row in rows:
        start, low = _start(row["day"]), 0
        ends = {"start": vega.milliseconds(start + 0.1 * DAY), "end": vega.milliseconds(start + 0.9 * DAY)}
        for name in reversed(DECISIONS):
            count = row[name.replace(" ", "_")]
            if count:
                place = {"count": count, "low": low, "high": low + count}
                bars.append({"day": row["day"], "decision": name} | place | ends)
            low += count
    return bars


def _bars(rows: list[dict[str, Any]], window: dict[str, float]) -> list[Layer]:
    """Return the counts of each day in the lower part, above a line that spans the whole window."""
    values, most = _counts(rows), max(row["total"] for row in rows)
    scale = {"domain": [0, most], "range": [_HEIGHT, _UPPER + _GAP], "nice": True}
    axis = {"title": "decisions", "tickCount": 4, "tickMinStep": 1, "format": "~s"}
    used = [name for name in reversed(DECISIONS) if any(one["decision"] == name for one in values)]
    colour = vega.field("decision", scale={"domain": list(DECISIONS), "range": "diverging"})
    colour["legend"] = {"title": None, "orient": "top", "values": used}
    across = {"x": _time("start"), "x2": {"field": "end"}}
    along = {"y": vega.number("low", scale=scale, axis=axis)}
    tooltip = {"tooltip": vega.tooltip(day="", decision="", count="")}
    base = {name: vega.milliseconds(at) for name, at in window.items()} | {"low": 0}
    bars = across | along | {"y2": {"field": "high"}, "fill": colour} | tooltip
    return [
        {"data": {"values": [base]}, "mark": vega.mark("rule", "base"), "encoding": across | along},
        {"data": {"values": values}, "mark": vega.mark("rect", "stack"), "encoding": bars},
    ]


def _confidence(rows: list[dict[str, Any]], threshold: float | None) -> list[Layer]:
    """Return the mean confidence of each day in the upper part, and the threshold."""
    means = {_start(row["day"]): row["mean_confidence"] for row in rows}
    gaps = {start + DAY for start in means if start < max(means)}  # a day without decisions breaks the line
    values = [
        {"at": vega.milliseconds(start + DAY / 2), "day": vega.day(start), "mean": means.get(start)}
        for start in sorted(means.keys() | gaps)
    ]
    scale = {"domain": [0, 1], "range": [_UPPER, 0], "nice": False}
    axis = {"title": "confidence", "orient": "left", "grid": True, "values": [0, 0.5, 1], "format": ".1~f"}
    sure = vega.number("mean", scale=scale, axis=axis)
    at = {"x": _time("at"), "y": sure}
    dots = vega.mark("point", "dot", filled=True, size=36, opacity=1)
    tooltip = vega.tooltip(day="", mean="mean confidence")
    layers: list[Layer] = [
        {"data": {"values": values}, "mark": vega.mark("line", "trend"), "encoding": at},
        {"data": {"values": values}, "mark": dots, "encoding": at | {"tooltip": tooltip}},
    ]
    if threshold is not None:
        limit = {"data": {"values": [{"mean": threshold, "text": f"threshold {threshold:.2f}"}]}}
        rule = vega.mark("rule", "guide", strokeDash=[4, 3])
        words = vega.text("note", align="left", baseline="bottom", dx=4, dy=-3)
        named = {"x": {"value": 0}, "y": sure, "text": vega.field("text")}
        layers.append(limit | {"mark": rule, "encoding": {"y": sure}})
        layers.append(limit | {"mark": words, "encoding": named})
    return layers
