"""AUROC and its bootstrap interval."""

import math

from benchmarks.separation import auroc, separation


def test_auroc_counts_equal_scores_half() -> None:
    assert auroc([0.9, 0.5, 0.5, 0.0], [True, True, False, False]) == 0.875
    assert auroc([0.0, 0.0, 0.0], [True, False, False]) == 0.5
    assert auroc([0.1, 0.9], [True, False]) == 0.0
    assert math.isnan(auroc([0.1], [True]))


def test_the_interval_holds_the_area_and_is_narrower_with_more_cases() -> None:
    few, many = (
        separation([0.9, 0.4, 0.6, 0.1] * repeats, [True, True, False, False] * repeats) for repeats in (5, 50)
    )
    assert few.auroc == many.auroc == 0.75
    assert few.low < many.low < 0.75 < many.high < few.high
    assert str(many) == f"0.75 [{many.low:.2f}, {many.high:.2f}]"
