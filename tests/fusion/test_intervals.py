"""Intervals of probabilities and reliabilities."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from howsure.fusion.intervals import bound_probabilities, bound_reliability


@given(st.floats(0.0, 1.0), st.floats(0.0, 50.0))
def test_bounds_contain_the_probability(chance: float, variance: float) -> None:
    lower, upper = bound_probabilities(np.array([chance]), np.array([variance]), z=1.645)
    assert 0.0 <= lower[0] <= chance <= upper[0] <= 1.0


def test_what_is_certain_has_no_interval() -> None:
    lower, upper = bound_probabilities(np.array([0.0, 1.0]), np.array([9.0, 9.0]), z=1.0)
    assert (lower.tolist(), upper.tolist()) == ([0.0, 1.0], [0.0, 1.0])


def test_a_bound_is_z_standard_deviations_away_in_log_odds() -> None:
    """Log odds of 1 and a variance of 0.5: the standard deviation is the root of 0.5 + 0.35^2."""
    lower, upper = bound_probabilities(np.array([1.0 / (1.0 + np.exp(-1.0))]), np.array([0.5]), z=2.0)
    half = 2.0 * np.sqrt(0.5 + 0.35**2)
    assert np.log(lower / (1 - lower))[0] == pytest.approx(1.0 - half)
    assert np.log(upper / (1 - upper))[0] == pytest.approx(1.0 + half)


def test_the_interval_of_a_reliability_covers_nine_of_ten_draws() -> None:
    dice = np.random.default_rng(0)
    for right, wrong in ((4.0, 1.0), (40.0, 10.0), (12.0, 3.0)):
        lower, upper = bound_reliability(np.array([right]), np.array([wrong]))
        drawn = dice.beta(right, wrong, 20_000)
        assert np.mean((drawn >= lower) & (drawn <= upper)) == pytest.approx(0.9, abs=0.03)
