"""Charts of fits: the same measures as those of the package learn, drawn from outcomes by score."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from howsure.charts.fits import calibrate_levels, levels_reliability, levels_risk_coverage
from howsure.learn.metrics import Scores
from howsure.learn.promise import count_levels

KNOWN = st.lists(st.tuples(st.floats(0, 1), st.booleans()), min_size=1, max_size=80)


@given(KNOWN)
def test_measures_of_levels_are_those_of_the_outcomes(known: list[tuple[float, bool]]) -> None:
    scores, outcomes = [score for score, _ in known], [float(right) for _, right in known]
    levels = count_levels(scores, outcomes)
    oracle = Scores(np.array(scores), np.array(outcomes))
    found = calibrate_levels(levels)
    assert (found.outcomes, found.right) == (len(known), sum(outcomes))
    assert found.brier == pytest.approx(oracle.brier())
    assert found.expected_error == pytest.approx(oracle.ece())
    assert [one.outcomes for one in found.bins] == [one.outcomes for one in oracle.reliability()]


@given(KNOWN)
def test_the_curve_is_that_of_the_outcomes(known: list[tuple[float, bool]]) -> None:
    scores, outcomes = [score for score, _ in known], [float(right) for _, right in known]
    chart = levels_risk_coverage({"score": count_levels(scores, outcomes)})
    oracle = Scores(np.array(scores), np.array(outcomes)).curve(most=1000)
    assert [(row["threshold"], row["coverage"], row["risk"]) for row in chart.rows] == [
        pytest.approx(tuple(point)) for point in oracle
    ]


def test_charts_tell_their_numbers() -> None:
    before = count_levels([0.9] * 8 + [0.6] * 8, [1.0] * 4 + [0.0] * 4 + [1.0] * 6 + [0.0] * 2)
    after = count_levels([0.9] * 4 + [0.5] * 12, [1.0] * 4 + [1.0] * 6 + [0.0] * 6)
    curve = levels_risk_coverage({"before": before, "after": after})
    assert "16 outcomes" in curve.about
    assert "after: 0.00 of the best 25% are wrong" in curve.about
    assert {row["score"] for row in curve.rows} == {"before", "after"}
    assert "calibration error 0.275" in levels_reliability(before, "Before").title
    assert levels_reliability((), "Nothing").rows == []
    many = count_levels([place / 1000 for place in range(1000)], [1.0] * 1000)
    thinned = levels_risk_coverage({"many": many}).rows
    assert len(thinned) <= 102
    assert thinned[-1]["coverage"] == 1.0


def test_a_fit_of_one_task_has_charts_that_say_why_they_are_empty() -> None:
    for chart in (levels_reliability((), "With this fit"), levels_risk_coverage({"with this fit": ()})):
        assert chart.rows == []
        assert "No outcome could be held out" in chart.about
    known = levels_risk_coverage({"without a fit": count_levels([0.9], [1.0]), "with this fit": ()})
    assert {row["score"] for row in known.rows} == {"without a fit"}
