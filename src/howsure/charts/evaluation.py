"""Draw evaluations: reliability, and the risk at each coverage."""

from itertools import cycle, islice
from typing import Any

from howsure.charts import vega
from howsure.charts.chart import Chart
from howsure.charts.reliability import reliability_chart
from howsure.charts.vega import Layer
from howsure.learn.evaluation import Evaluation
from howsure.ledger.statistics import Calibration, ReliabilityBin
from howsure.wording import pluralize

_HEIGHT = 320
_NAMED_AT = 0.4
_MOST_DOTS = 20
KINDS = ("reliability", "risk-coverage")
"""Charts of an evaluation."""
_DASHES = ([1, 0], [7, 4], [2, 3], [9, 3, 2, 3])
"""How lines are drawn, the first one solid; from the fifth on again."""


def evaluation_chart(evaluation: Evaluation, kind: str) -> Chart:
    """Return one of the charts of an evaluation."""
    return evaluation_reliability(evaluation) if kind == "reliability" else risk_coverage_chart(evaluation)


def evaluation_reliability(evaluation: Evaluation) -> Chart:
    """Return the reliability diagram of the first column."""
    name = vega.label(evaluation.score, 60)
    if evaluation.brier is None:
        about = f"{name} is not between 0 and 1, so it cannot be compared with shares. Calibrate it first."
        return vega.empty_chart("reliability", f"{name}: confidence against outcomes", about)
    bins = tuple(ReliabilityBin(one.start, one.outcomes, one.mean_score, one.share_right) for one in evaluation.bins)
    return reliability_chart(Calibration(evaluation.n, evaluation.right, evaluation.brier, evaluation.ece, bins), name)


def risk_coverage_chart(evaluation: Evaluation) -> Chart:
    """Return the share that is wrong at each share that is kept, one line for each column."""
    rows = [
        {"score": one.score, "threshold": point.threshold, "coverage": point.coverage, "risk": point.risk}
        for one in (evaluation, *evaluation.others)
        for point in one.curve
    ]
    listed = "; ".join(
        f"{vega.label(one.score, 60)}: area {one.aurc:.3f}, {one.coverage:.0%} can be kept at a risk of {one.risk:g}"
        for one in (evaluation, *evaluation.others)
    )
    about = (
        f"Share of wrong outcomes among the highest scores, of {pluralize(evaluation.n, 'outcome')}. {listed}. "
        f"Without a threshold {1 - evaluation.right / evaluation.n:.3f} are wrong."
    )
    layers = risk_coverage_layers(rows)
    return Chart("risk_coverage", "Risk against coverage", about, vega.spec(about, _HEIGHT, layers, rows), rows)


def risk_coverage_layers(rows: list[dict[str, Any]]) -> list[Layer]:
    """Return a line for each name in the field `score`, with its name beside it."""
    across = vega.confidence("coverage", title="share kept, from the highest score on")
    up: dict[str, Any] = vega.number("risk", axis={"title": "share of them wrong"}, scale={"domainMin": 0})
    tooltip = vega.tooltip(score="column", threshold="threshold", coverage="kept", risk="wrong")
    names = list(dict.fromkeys(row["score"] for row in rows))
    dashes = {"scale": {"domain": names, "range": list(islice(cycle(_DASHES), len(names)))}, "legend": None}
    line = {
        "mark": vega.mark("line", "guide", interpolate="linear", point=len(rows) <= _MOST_DOTS),
        "encoding": {"x": across, "y": up, "strokeDash": vega.field("score", **dashes), "tooltip": tooltip},
    }
    # Names stand at two fifths of the way, where lines are apart; at the right end all lines meet.
    named: dict[Any, dict[str, Any]] = {}
    for row in rows:
        if row["score"] not in named or named[row["score"]]["coverage"] < _NAMED_AT:
            named[row["score"]] = row
    lowest, *others = sorted(named.values(), key=lambda row: float(row["risk"]))
    # The name of the lowest line stands below it, the others above theirs: curves rise to the right.
    return [line] + [
        {
            "data": {"values": values},
            "mark": vega.text("note", align=align, baseline=baseline, dx=aside, dy=dy),
            "encoding": {"x": across, "y": up, "text": vega.field("score")},
        }
        for values, align, baseline, aside, dy in (
            ([lowest], "left", "top", 4, 6),
            (others, "right", "bottom", -4, -6),
        )
        if values
    ]


def evaluation_page(evaluation: Evaluation) -> str:
    """Return an HTML page with the measures and both charts, which loads nothing from outside.

    Raises:
        MissingExtraError: if the extras `plot` or `documents` are not installed.
    """
    from howsure.charts.page import render_page

    rows = [
        (one.score, name, getattr(one, name), one.intervals.get(name))
        for one in (evaluation, *evaluation.others)
        for name in ("brier", "ece", "ece_equal_mass", "log_loss", "auroc", "aurc", "coverage")
    ]
    tables = [
        (
            ("Column", "Measure", "Value", "95 % interval"),
            [
                (score, name, _number(value), f"{bounds.lower:.4f} to {bounds.upper:.4f}" if bounds else "")
                for score, name, value, bounds in rows
            ],
        )
    ]
    if evaluation.differences:
        header = ("Column", "Measure", f"Difference from {evaluation.score}", "95 % interval")
        cells = [
            (one.score, one.measure, f"{one.difference:+.4f}", f"{one.lower:+.4f} to {one.upper:+.4f}")
            for one in evaluation.differences
        ]
        tables.append((header, cells))
    charts = [evaluation_chart(evaluation, kind) for kind in KINDS]
    title = f"{evaluation.score}: {pluralize(evaluation.n, 'outcome')}, {evaluation.right:,} right"
    return render_page(title, tables, charts)


def _number(value: float | None) -> str:
    return "not defined" if value is None else f"{value:.4f}"
