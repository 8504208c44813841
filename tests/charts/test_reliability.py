"""The chart of reliability shows how often decisions turned out right, with Wilson bounds."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from howsure.charts.reliability import _labels, wilson
from howsure.formulas.interval import Interval
from tests.charts.story import Opened


def test_reliability_is_computed_from_outcomes(opened: Opened) -> None:
    sure, _ = opened
    chart = sure.charts.reliability()
    known = [one for one in sure.ledger.find(limit=1000).decisions if one.outcome]
    assert sum(row["outcomes"] for row in chart.rows) == len(known)
    error, squares = 0.0, sum((one.score - (one.outcome == "right")) ** 2 for one in known) / len(known)
    for row in chart.rows:
        own = [one for one in known if row["from"] <= one.score < row["to"]]
        right = sum(one.outcome == "right" for one in own)
        assert (row["outcomes"], row["right"]) == (len(own), right)
        assert row["mean_confidence"] == pytest.approx(sum(one.score for one in own) / len(own))
        assert (row["lower"], row["upper"]) == tuple(wilson(right, len(own)))
        error += abs(sum(one.score for one in own) - right) / len(known)
    assert f"Calibration error {error:.3f}, Brier score {squares:.3f}" in chart.about
    assert f"(calibration error {error:.3f}, Brier {squares:.3f})" in chart.title


def test_wilson_bounds_are_those_of_the_books() -> None:
    assert wilson(8, 10) == pytest.approx((0.490, 0.943), abs=1e-3)
    assert wilson(0, 10) == pytest.approx((0.0, 0.278), abs=1e-3)
    assert wilson(0, 0) == Interval(0.0, 1.0)


@given(st.integers(1, 10**6), st.data())
def test_wilson_bounds_hold_the_share(of: int, data: st.DataObject) -> None:
    right = data.draw(st.integers(0, of))
    lower, upper = wilson(right, of)
    assert 0.0 <= lower <= right / of + 1e-12
    assert right / of - 1e-12 <= upper <= 1.0


@given(st.dictionaries(st.integers(1, 99), st.integers(1, 999), min_size=1, max_size=6))
def test_labels_in_one_lane_do_not_collide(dots: dict[int, int]) -> None:
    rows = [{"mean_confidence": place / 100, "outcomes": count} for place, count in sorted(dots.items())]
    labels = _labels(rows)
    lanes = sorted({one["lane"] for one in labels}, reverse=True)
    assert all(one["lane"] < 0 for one in labels), "a dot at 0 would hide it"
    first = [(row, one) for row, one in zip(rows, labels, strict=True) if one["lane"] == lanes[0]]
    for (left, said), (right, other) in pairwise(first):
        room = (right["mean_confidence"] - left["mean_confidence"]) * 230
        assert room >= 3 * (len(said["count"]) + len(other["count"]))


def test_neighbouring_labels_take_turns() -> None:
    rows = [{"mean_confidence": place, "outcomes": 1200} for place in (0.3, 0.8, 0.86)]
    lanes = [one["lane"] for one in _labels(rows)]
    assert lanes[0] == lanes[1] != lanes[2]
