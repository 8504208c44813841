"""Intervals of probabilities and reliabilities."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from howsure.fusion.intervals import bound_probabilities, bound_reliability

NOT_KNOWN = np.array([False])


@given(st.floats(0.0, 1.0), st.floats(0.0, 50.0))
def test_bounds_contain_the_probability(chance: float, variance: float) -> None:
    lower, upper = bound_probabilities(np.array([chance]), np.array([variance]), NOT_KNOWN)
    assert 0.0 <= lower[0] <= chance <= upper[0] <= 1.0
    assert upper[0] - lower[0] >= 0.025  # all sources may be wrong together


def test_what_is_verified_or_refuted_has_no_interval() -> None:
    lower, upper = bound_probabilities(np.array([0.0, 1.0]), np.array([9.0, 9.0]), np.array([True, True]))
    assert (lower.tolist(), upper.tolist()) == ([0.0, 1.0], [0.0, 1.0])


def test_bounds_allow_for_too_strong_and_too_weak_damping() -> None:
    """Log odds of 1 and a variance of 0.5: 1.2 standard deviations, 0.3 towards one half, 0.9 away from it."""
    chance = 1.0 / (1.0 + np.exp(-1.0))
    lower, upper = bound_probabilities(np.array([chance, 1.0 - chance]), np.full(2, 0.5), np.full(2, False))
    below, above = (
        1.0 / (1.0 + np.exp(np.sqrt(0.72 + share**2) * sign - 1.0)) for share, sign in ((0.3, 1), (0.9, -1))
    )
    assert lower.tolist() == pytest.approx([below - 0.025, 1.0 - above - 0.025])
    assert upper.tolist() == pytest.approx([above + 0.025, 1.0 - below + 0.025])


def test_the_interval_of_a_reliability_covers_nine_of_ten_draws() -> None:
    dice = np.random.default_rng(0)
    for right, wrong in ((4.0, 1.0), (40.0, 10.0), (12.0, 3.0)):
        lower, upper = bound_reliability(np.array([right]), np.array([wrong]))
        drawn = dice.beta(right, wrong, 20_000)
        assert np.mean((drawn >= lower) & (drawn <= upper)) == pytest.approx(0.9, abs=0.03)
