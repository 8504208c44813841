"""Intervals of probabilities and reliabilities."""

from typing import Literal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from howsure.fusion.api import fuse
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
    """Of a source whose right answers are counted, not guessed; a little more for what is off in any case."""
    dice = np.random.default_rng(0)
    for right, wrong in ((4.0, 1.0), (40.0, 10.0), (12.0, 3.0)):
        lower, upper = bound_reliability(np.array([right]), np.array([wrong]), np.zeros(1))
        drawn = dice.beta(right, wrong, 20_000)
        assert 0.9 <= np.mean((drawn >= lower) & (drawn <= upper)) <= 0.97


def test_a_reliability_that_is_guessed_may_be_far_too_near_to_one_half() -> None:
    """Log odds of about 1.39 after 1,000 answers: 3 away from 0 and 0.8 towards it if nothing is known but the sum."""
    right, wrong = np.array([804.0]), np.array([201.0])
    spread = 1000.0 * 0.8 * 0.2
    counted, half, guessed = (
        np.array(bound_reliability(right, wrong, np.array([share * spread])))[:, 0] for share in (0.0, 0.5, 1.0)
    )
    assert counted.tolist() == pytest.approx([0.73, 0.86], abs=0.01)
    assert guessed.tolist() == pytest.approx([0.62, 0.99], abs=0.01)
    assert guessed[0] < half[0] < counted[0] < counted[1] < half[1] < guessed[1]


@pytest.mark.parametrize(("kind", "values", "items"), [("open", 4, 150), ("open", 2, 1000), ("closed", 4, 1000)])
def test_the_interval_of_a_source_holds_how_often_it_is_right(
    kind: Literal["open", "closed"], values: int, items: int
) -> None:
    """By the two counts alone the interval held the truth in 75, 72 and 47 % of these cases."""
    reliabilities = np.array([0.95, 0.85, 0.7, 0.5])
    held = []
    for seed in range(8):
        dice = np.random.default_rng(seed)
        truth = dice.integers(0, values, (items, 1))
        wrong = (truth + dice.integers(1, values, (items, 4))) % values
        said = np.where(dice.random((items, 4)) < reliabilities, truth, wrong)
        item, source = np.indices(said.shape)
        votes = {"item": item.ravel().tolist(), "source": source.ravel().tolist(), "value": said.ravel().tolist()}
        held += [row.lower <= reliabilities[row.source] <= row.upper for row in fuse(votes, kind=kind).sources]
    assert np.mean(held) >= 0.85


def test_verified_answers_are_counted_and_not_guessed() -> None:
    dice = np.random.default_rng(1)
    truth = dice.integers(0, 4, 300)
    said = np.where(dice.random((300, 3)) < 0.7, truth[:, None], (truth[:, None] + 1) % 4)
    votes = [(item, source, int(said[item, source])) for item in range(300) for source in range(3)]
    unknown = fuse(votes, kind="open").sources[0]
    known = fuse(votes, kind="open", verified=dict(enumerate(truth.tolist()))).sources[0]
    assert known.upper - known.lower < 0.15 < unknown.upper - unknown.lower
    assert known.lower <= 0.7 <= known.upper
