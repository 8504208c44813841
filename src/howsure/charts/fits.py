"""Draw what a fit changes: reliability, and the risk at each coverage, from outcomes by score."""

from collections.abc import Mapping, Sequence
from typing import Any

from howsure.charts import vega
from howsure.charts.chart import Chart
from howsure.charts.evaluation import risk_coverage_layers
from howsure.charts.reliability import reliability_chart
from howsure.learn.promise import ScoreLevel
from howsure.ledger.statistics import BINS, Calibration, ReliabilityBin
from howsure.wording import pluralize

_HEIGHT = 320
_TITLE = "Risk against coverage"
_MOST_POINTS = 100
_ASKED_AT = (0.25, 0.5, 1.0)
"""Coverages whose risk the description tells."""
_EMPTY = (
    "No outcome could be held out, so nothing is known about how good this is. Report outcomes of other tasks, too."
)


def calibrate_levels(levels: Sequence[ScoreLevel]) -> Calibration:
    """Return how well scores match outcomes, given the outcomes of each score from 0 to 1.

    >>> calibrate_levels([ScoreLevel(0.9, 10, 1), ScoreLevel(0.5, 10, 10)]).expected_error
    0.25
    """
    bins: dict[int, list[ScoreLevel]] = {}
    for level in levels:
        bins.setdefault(min(max(int(level.score * BINS), 0), BINS - 1), []).append(level)
    total, wrong = _sum(levels)
    if not total:
        return Calibration(0, 0, None, None, ())
    drawn = []
    gaps = 0.0
    for place, own in sorted(bins.items()):
        count, mistakes = _sum(own)
        mean = sum(level.score * level.outcomes for level in own) / count
        drawn.append(ReliabilityBin(place / BINS, count, mean, 1 - mistakes / count))
        gaps += abs(mean * count - (count - mistakes))
    squares = sum(
        (level.outcomes - level.wrong) * (1 - level.score) ** 2 + level.wrong * level.score**2 for level in levels
    )
    return Calibration(total, total - wrong, squares / total, gaps / total, tuple(drawn))


def levels_reliability(levels: Sequence[ScoreLevel], who: str) -> Chart:
    """Return the reliability diagram of outcomes by score."""
    if not levels:
        return vega.empty_chart("reliability", f"{who}: confidence against outcomes", _EMPTY)
    return reliability_chart(calibrate_levels(levels), who)


def levels_risk_coverage(curves: Mapping[str, Sequence[ScoreLevel]]) -> Chart:
    """Return the share that is wrong at each share that is kept, one line for each name that has outcomes."""
    curves = {name: levels for name, levels in curves.items() if levels}
    if not curves:
        return vega.empty_chart("risk_coverage", _TITLE, _EMPTY)
    rows = [{"score": name} | point for name, levels in curves.items() for point in _curve(levels)]
    told = "; ".join(f"{name}: {_describe(levels)}" for name, levels in curves.items())
    outcomes = max(_sum(levels)[0] for levels in curves.values())
    about = f"Share of wrong outcomes among the highest scores, of {pluralize(outcomes, 'outcome')}. {told}."
    layers = risk_coverage_layers(rows)
    return Chart("risk_coverage", _TITLE, about, vega.spec(about, _HEIGHT, layers, rows), rows)


def _sum(levels: Sequence[ScoreLevel]) -> tuple[int, int]:
    """Return how many outcomes there are, and how many of them were wrong."""
    return sum(level.outcomes for level in levels), sum(level.wrong for level in levels)


def _curve(levels: Sequence[ScoreLevel]) -> list[dict[str, Any]]:
    """Return the points of the curve from the highest score on, thinned if there are many."""
    total, _ = _sum(levels)
    points = []
    kept = wrong = 0
    for level in sorted(levels, key=lambda level: -level.score):
        kept, wrong = kept + level.outcomes, wrong + level.wrong
        points.append({"threshold": level.score, "coverage": kept / total, "risk": wrong / kept})
    step = max(len(points) // _MOST_POINTS, 1)
    return points[:-1:step] + points[-1:]


def _describe(levels: Sequence[ScoreLevel]) -> str:
    """Return the risk at some coverages in words."""
    points = _curve(levels)
    at = [next(point for point in points if point["coverage"] >= asked - 1e-9) for asked in _ASKED_AT]
    return ", ".join(f"{point['risk']:.2f} of the best {point['coverage']:.0%} are wrong" for point in at)
