"""Folds make one number of many, whatever their order."""

import math
import random

from hypothesis import given
from hypothesis import strategies as st

from howsure.formulas.folds import SMALLEST_PRODUCT, Fold

SUM = Fold("sources", "sum")
LARGEST = Fold("sources", "largest")
PRODUCT = Fold("sources", "product", lambda x, _: 1.0 - x)
units = st.lists(st.floats(0, 1), max_size=30)


@given(units, st.randoms())
def test_the_order_makes_no_difference_at_all(numbers: list[float], dice: random.Random) -> None:
    shuffled = list(numbers)
    dice.shuffle(shuffled)
    for fold in (SUM, LARGEST, PRODUCT):
        assert fold(numbers) == fold(shuffled)


def test_folds_of_nothing_are_neutral() -> None:
    assert (SUM([]), LARGEST([]), PRODUCT([])) == (0.0, 0.0, 1.0)


def test_a_product_is_floored_unless_a_factor_is_zero() -> None:
    assert PRODUCT([0.999] * 1000) == SMALLEST_PRODUCT == math.exp(-140)
    assert PRODUCT([0.999] * 1000 + [1.0]) == 0.0
    assert PRODUCT([0.5, 0.5]) == 0.25


@given(units, units)
def test_two_folds_make_the_fold_over_both(first: list[float], second: list[float]) -> None:
    for fold in (SUM, LARGEST, PRODUCT):
        assert math.isclose(
            fold.together(fold(first), fold(second)), fold(first + second), rel_tol=1e-12, abs_tol=1e-15
        )
