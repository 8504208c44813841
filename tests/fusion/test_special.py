"""Digamma and trigamma, compared with differences of the logarithm of the gamma function."""

import math

import numpy as np
import pytest

from howsure.fusion.special import digamma, trigamma

POINTS = [0.05, 0.5, 1.0, 1.5, 4.0, 17.3, 1e3, 1e6]


@pytest.mark.parametrize("x", POINTS)
def test_digamma_is_the_slope_of_the_log_gamma_function(x: float) -> None:
    # psi(x + 1) = psi(x) + 1 / x, and psi(x) lies between ln x - 1 / x and ln x - 1 / 2x.
    low, high = digamma(np.array([x, x + 1.0]))
    assert high - low == pytest.approx(1.0 / x, rel=1e-9)
    assert math.log(x) - 1.0 / x < low < math.log(x) - 0.5 / x
    step = 1e-4 * x
    assert low == pytest.approx((math.lgamma(x + step) - math.lgamma(x - step)) / (2 * step), rel=1e-5, abs=1e-5)


@pytest.mark.parametrize("x", POINTS)
def test_trigamma_is_the_slope_of_digamma(x: float) -> None:
    step = 1e-4 * x
    low, high = digamma(np.array([x - step, x + step]))
    assert trigamma(np.array([x]))[0] == pytest.approx((high - low) / (2 * step), rel=1e-5)
    one, two = trigamma(np.array([x, x + 1.0]))
    assert one - two == pytest.approx(1.0 / x**2, rel=1e-6)
