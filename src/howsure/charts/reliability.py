"""Draw how often responses of about the same confidence turned out right."""

import math
from typing import Any

from howsure.charts import vega
from howsure.charts.chart import Chart
from howsure.charts.vega import Layer
from howsure.formulas.interval import Interval
from howsure.ledger.statistics import BINS, Calibration, ReliabilityBin
from howsure.wording import pluralize

_HEIGHT = 340
_LANES = (-0.075, -0.125)
"""Where the numbers of responses stand, below the shares."""
_NARROW = 230
"""Pixels of the axis on a narrow screen, where labels must not collide either."""
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
    values = [row | label for row, label in zip(rows, _labels(rows), strict=True)]
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


def _labels(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the number of responses of each dot and its place below the diagram, in the first lane with room."""
    labels: list[dict[str, Any]] = []
    ends = [-1.0] * len(_LANES)
    for row in rows:
        text = f"{row['outcomes']:,}"
        half = (len(text) * vega.LETTER / 2 + 2) / _NARROW
        start, end = row["mean_confidence"] - half, row["mean_confidence"] + half
        lane = next((lane for lane, taken in enumerate(ends) if taken <= start), len(_LANES) - 1)
        ends[lane] = end
        labels.append({"count": text, "lane": _LANES[lane]})
    return labels


def _layers() -> list[Layer]:
    x_axis, y_axis = {"title": "mean confidence, and number of responses"}, {"title": "share that was right"}
    across, up = vega.confidence("mean_confidence", **x_axis), _share("share_right", **y_axis)
    ends = [{"x": 0, "y": 0}, {"x": 1, "y": 1}]
    diagonal = {"x": vega.confidence("x", **x_axis), "y": _share("y", **y_axis)}
    tooltip = vega.tooltip(
        outcomes="responses", right="right", mean_confidence="mean confidence", share_right="share right"
    )
    range_ = {"x": across, "y": _share("lower", **y_axis), "y2": {"field": "upper"}}
    count = vega.text("note", baseline="middle")
    size = vega.number("outcomes", scale={"type": "sqrt", "range": [60, 320]}, legend=None)
    line = vega.mark("line", "guide", strokeDash=[4, 3])
    # Above the diagram: on the line, dots of well calibrated scores would hide it.
    words = vega.text("note", align="right", baseline="bottom", dy=-4)
    named = {"x": {"value": "width"}, "y": {"value": 0}, "text": vega.field("text")}
    return [
        {"data": {"values": ends}, "mark": line, "encoding": diagonal},
        {"data": {"values": [{"text": "ideal"}]}, "mark": words, "encoding": named},
        {"mark": vega.mark("rule", "error"), "encoding": range_},
        {
            "mark": vega.mark("point", "dot", filled=True, opacity=1),
            "encoding": {"x": across, "y": up, "size": size, "tooltip": tooltip},
        },
        {"mark": count, "encoding": {"x": across, "y": _share("lane", **y_axis), "text": vega.field("count")}},
    ]


def _share(name: str, **axis: Any) -> dict[str, Any]:
    """Return the encoding of a share, with room below 0 for the labels and above 1 for the dots."""
    return vega.confidence(name, **axis) | {"scale": {"domain": [_LANES[-1] - 0.04, 1.04], "nice": False}}
