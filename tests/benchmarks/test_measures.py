"""Measures in tables: AUROC, bootstrap intervals, differences and detection."""

import math

import numpy as np
import pytest

from benchmarks.measures import auroc, bootstrap, detect, show, show_difference, show_measure
from howsure.learn.evaluation import evaluate_columns
from howsure.learn.metrics import Interval, Scores


def test_auroc_counts_equal_scores_half() -> None:
    assert auroc([0.9, 0.5, 0.5, 0.0], [True, True, False, False]) == 0.875
    assert auroc([0.0, 0.0, 0.0], [True, False, False]) == 0.5
    assert auroc([0.1, 0.9], [True, False]) == 0.0
    assert math.isnan(auroc([0.1], [True]))


def test_the_interval_holds_the_area_and_is_narrower_with_more_cases() -> None:
    def area(repeats: int) -> Interval:
        scores = Scores(np.array([0.9, 0.4, 0.6, 0.1] * repeats), np.array([1.0, 1.0, 0.0, 0.0] * repeats))
        return bootstrap(lambda weights: scores.cumulate(weights).auroc(), range(4 * repeats))

    few, many = area(5), area(50)
    assert few.value == many.value == 0.75
    assert few.lower is not None
    assert many.lower is not None
    assert many.upper is not None
    assert few.upper is not None
    assert few.lower < many.lower < 0.75 < many.upper < few.upper
    assert show(many) == f"0.75 [{many.lower:.2f}, {many.upper:.2f}]"


def test_whole_groups_are_drawn() -> None:
    seen: set[tuple[float, ...]] = set()

    def first(weights: "np.ndarray[tuple[int], np.dtype[np.float64]]") -> float:
        seen.add(tuple(weights.tolist()))
        return float(weights[0])

    assert bootstrap(first, ["a", "a", "b"], draws=50).value == 1.0
    assert seen == {(1.0, 1.0, 1.0), (2.0, 2.0, 0.0), (0.0, 0.0, 2.0)}
    assert bootstrap(first, []) == Interval(None)


def test_what_is_undefined_is_a_dash() -> None:
    found = evaluate_columns({"a": [0.4, 0.6]}, [1, 1])
    assert show_measure(found, "auroc") == "-"
    assert show_difference(found, "b", "brier") == "-"


def test_a_difference_is_that_of_the_other_column() -> None:
    found = evaluate_columns({"a": [0.5] * 40, "b": [1.0, 0.0] * 20}, [1, 0] * 20)
    assert show_difference(found, "b", "brier") == "-0.250 [-0.250, -0.250]"
    assert show_measure(found, "brier", ".3f") == "0.250 [0.250, 0.250]"


@pytest.mark.parametrize("wanted", [[True, True], [False, False]])
def test_no_reports_give_no_score(wanted: list[bool]) -> None:
    assert detect([False, False], wanted) == (0.0, 0.0, 0.0)
