"""Groups are drawn to the broader group, the more the fewer outcomes they have."""

import numpy as np
import pytest
from scipy.optimize import minimize_scalar

from howsure.learn.groups import PRECISION, fit_offsets


def test_an_offset_is_the_most_probable_one() -> None:
    dice = np.random.default_rng(0)
    chances, right = dice.uniform(0.2, 0.9, 50), (dice.random(50) < 0.5).astype(float)
    logits = np.log(chances / (1.0 - chances))

    def loss(offset: float) -> float:
        linear = logits + offset
        return float(np.logaddexp(0.0, linear).sum() - right @ linear + PRECISION * offset**2 / 2.0)

    (found,) = fit_offsets(chances, right, [("a",)] * 50)
    assert found.offset == pytest.approx(minimize_scalar(loss, tol=1e-12).x, abs=1e-6)
    step = 1e-3
    curvature = (loss(found.offset + step) - 2.0 * loss(found.offset) + loss(found.offset - step)) / step**2
    assert found.error == pytest.approx(curvature**-0.5, rel=1e-4)


def test_groups_with_few_outcomes_shrink_towards_their_type() -> None:
    paths = [("coder", "old")] * 200 + [("coder", "new")] * 3 + [("writer", "other")] * 200
    right = np.array([1.0] * 190 + [0.0] * 10 + [0.0] * 3 + [0.0, 1.0] * 100)
    found = {one.path: one for one in fit_offsets(np.full(len(paths), 0.7), right, paths)}
    assert found["coder",].offset > 1.0
    assert found["coder", "old"].offset > found["coder", "new"].offset > 0.0
    assert found["writer", "other"].offset < -0.5
    assert found["coder", "new"].error > found["coder", "old"].error


def test_paths_of_different_length_and_extreme_probabilities() -> None:
    found = fit_offsets(np.array([1.0, 0.0, 0.5]), np.array([0.0, 1.0, 1.0]), [("a",), ("a", "b"), ()])
    assert [one.path for one in found] == [("a",), ("a", "b")]
    assert all(np.isfinite(one.offset) for one in found)
