"""Draw how often responses of about the same confidence turned out right."""

import math
from typing import Any

from howsure.charts import vega
from howsure.charts.chart import Chart
from howsure.charts.vega import Layer
from howsure.formulas.interval import Interval
from howsure.ledger.statistics import BINS, Calibration, ReliabilityBin
from howsure.wording import pluralize

_HEIGHT = 320
_EMPTY = (
    'No decision of this time has an outcome. Record one with sure.ledger.outcome(id, "right"), or howsure outcome.'
)


def wilson(right: int, of: int, z: float = 1.96) -> Interval:
    """Return the Wilson score interval of a proportion, by default at 95 % confidence.

    >>> print(wilson(8, 10), wilson(0, 0))
    [0.49, 0.94] [0.00, 1.00]
    """
    if not of:
        return Interval(0.0, 1.0)
    share, square = right / of, z * z
    centre = (share + square / (2 * of)) / (1 + square / of)
    half = z / (1 + square / of) * math.sqrt(share * (1 - share) / of + square / (4 * of * of))
    return Interval(max(0.0, centre - half), min(1.0, centre + half))


def reliability_chart(calibration: Calibration, who: str) -> Chart:
    """Return the reliability diagram."""
    title = f"{who}: confidence against outcomes" if who else "Confidence against outcomes"
    if not calibration.outcomes or calibration.brier is None or calibration.expected_error is None:
        return vega.empty_chart("reliability", title, _EMPTY)
    rows = [_row(one) for one in calibration.bins]
    listed = "; ".join(
        f"around {row['mean_confidence']:.2f}, {row['right']:,} of {row['outcomes']:,} were right" for row in rows
    )
    about = (
        f"{pluralize(calibration.outcomes, 'response')} with an outcome{vega.of(who)}, "
        f"{calibration.right:,} of them right. {listed}. "
        f"Calibration error {calibration.expected_error:.3f}, Brier score {calibration.brier:.3f}: "
        "0 is perfect for both."
    )
    values = [row | {"count": f"{row['outcomes']:,}"} for row in rows]
    errors = f"calibration error {calibration.expected_error:.3f}, Brier {calibration.brier:.3f}"
    return Chart("reliability", f"{title} ({errors})", about, vega.spec(about, _HEIGHT, _layers(), values), rows)


def _row(one: ReliabilityBin) -> dict[str, Any]:
    right = round(one.share_right * one.outcomes)
    bounds = wilson(right, one.outcomes)
    return {
        "from": one.start,
        "to": one.start + 1 / BINS,
        "outcomes": one.outcomes,
        "right": right,
        "mean_confidence": one.mean_confidence,
        "share_right": one.share_right,
        "lower": bounds.lower,
        "upper": bounds.upper,
    }


def _layers() -> list[Layer]:
    x_axis, y_axis = {"title": "mean confidence, and number of responses"}, {"title": "share that was right"}
    across, up = vega.confidence("mean_confidence", **x_axis), vega.confidence("share_right", **y_axis)
    ends = [{"x": 0, "y": 0, "text": ""}, {"x": 0.1, "y": 0.1, "text": "ideal"}, {"x": 1, "y": 1, "text": ""}]
    diagonal = {"x": vega.confidence("x", **x_axis), "y": vega.confidence("y", **y_axis)}
    tooltip = vega.tooltip(
        outcomes="responses", right="right", mean_confidence="mean confidence", share_right="share right"
    )
    range_ = {"x": across, "y": vega.confidence("lower", **y_axis), "y2": {"field": "upper"}}
    count = vega.text("note", baseline="bottom", dy=-2)
    size = vega.number("outcomes", scale={"type": "sqrt", "range": [60, 320]}, legend=None)
    line = vega.mark("line", "guide", strokeDash=[4, 3])
    words = vega.text("note", align="left", baseline="top", dx=8)
    return [
        {"data": {"values": ends}, "mark": line, "encoding": diagonal},
        {"data": {"values": ends}, "mark": words, "encoding": diagonal | {"text": vega.field("text")}},
        {"mark": vega.mark("rule", "error"), "encoding": range_},
        {
            "mark": vega.mark("point", "dot", filled=True, opacity=1),
            "encoding": {"x": across, "y": up, "size": size, "tooltip": tooltip},
        },
        {"mark": count, "encoding": {"x": across, "y": {"value": "height"}, "text": vega.field("count")}},
    ]
