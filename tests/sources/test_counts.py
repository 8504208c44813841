"""A source as two counts: special functions, weights and intervals."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from howsure.formulas.claim import PRIOR_RIGHTS, PRIOR_WRONGS, UNKNOWN_VARIANCE, UNKNOWN_WEIGHT
from howsure.sources import counts

COUNT = st.floats(0.5, 1e6)


@given(COUNT)
def test_digamma_and_trigamma_keep_their_recurrence(x: float) -> None:
    assert counts.digamma(x + 1) == pytest.approx(counts.digamma(x) + 1 / x, abs=1e-9)
    assert counts.trigamma(x + 1) == pytest.approx(counts.trigamma(x) - 1 / (x * x), abs=1e-9)


def test_known_values() -> None:
    assert counts.trigamma(0.5) == pytest.approx(math.pi**2 / 2, rel=1e-10)
    assert counts.digamma(0.5) == pytest.approx(-0.5772156649015329 - 2 * math.log(2), rel=1e-10)


def test_an_unknown_source_is_that_of_the_formula() -> None:
    prior = (PRIOR_RIGHTS, PRIOR_WRONGS)
    assert counts.weight(*prior, 0.0) == pytest.approx(UNKNOWN_WEIGHT)
    assert counts.variance(*prior) == pytest.approx(UNKNOWN_VARIANCE)


@given(COUNT, COUNT)
def test_the_interval_holds_the_reliability_and_narrows(rights: float, wrongs: float) -> None:
    interval = counts.interval(rights, wrongs)
    assert 0.0 <= interval.lower <= counts.reliability(rights, wrongs) <= interval.upper <= 1.0
    more = counts.interval(10 * rights, 10 * wrongs)
    assert more.width <= interval.width + 1e-9


def test_the_interval_allows_for_right_claims_that_were_estimated() -> None:
    """Ten sources of 55 to 95 %: as if right claims had been counted, 42 % of the intervals held the truth."""
    np = pytest.importorskip("numpy")
    from howsure.fusion.source_fit import fit_sources

    held = []
    for seed in range(6):
        dice = np.random.default_rng(seed)
        reliabilities = dice.uniform(0.55, 0.95, 10)
        said = np.where(dice.random((1000, 10)) < reliabilities, 0, dice.integers(1, 3, (1000, 10)))
        items, sources = np.nonzero(dice.random(said.shape) < 0.5)
        items = np.unique(items, return_inverse=True)[1].reshape(-1)
        fit = fit_sources(items, sources, said[items, sources])
        bounds = map(counts.interval, fit.right.tolist(), fit.wrong.tolist())
        held += [one.lower <= truth <= one.upper for one, truth in zip(bounds, reliabilities, strict=True)]
    assert np.mean(held) >= 0.8


@given(COUNT, COUNT, st.floats(0.0, 3.0))
def test_numpy_and_plain_python_agree(rights: float, wrongs: float, log_choices: float) -> None:
    np = pytest.importorskip("numpy")
    from howsure.fusion.special import digamma, trigamma

    assert float(digamma(np.array([rights]))[0]) == pytest.approx(counts.digamma(rights), rel=1e-9, abs=1e-9)
    assert float(trigamma(np.array([wrongs]))[0]) == pytest.approx(counts.trigamma(wrongs), rel=1e-9)
    assert math.isfinite(counts.weight(rights, wrongs, log_choices))
