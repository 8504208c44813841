"""Promises are kept as often as they say, and withdrawn when they no longer hold."""

import json
import random
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom

from howsure.errors import InputError
from howsure.learn.promise import ScoreLevel, Watch, binomial_tail, count_levels, fewest_outcomes, make_promise
from howsure.shapes import decode
from howsure.shapes.encode import encode


@given(st.integers(0, 3000), st.integers(1, 3000), st.sampled_from([0.001, 0.05, 0.2, 0.5, 0.9]))
def test_the_binomial_tail_agrees_with_scipy(wrong: int, count: int, risk: float) -> None:
    assert binomial_tail(min(wrong, count), count, risk) == pytest.approx(
        float(binom.cdf(min(wrong, count), count, risk)), rel=1e-8, abs=1e-12
    )


@pytest.mark.parametrize("wrong", [0, 1, 7, 40])
def test_the_fewest_outcomes_are_enough_and_one_less_is_not(wrong: int) -> None:
    fewest = fewest_outcomes(wrong, 0.05, 0.03)
    assert binom.cdf(wrong, fewest, 0.05) <= 0.03 < binom.cdf(wrong, fewest - 1, 0.05)


def _by_hand(pairs: list[tuple[float, int]], risk: float) -> float | None:
    """Try every threshold from the one that keeps enough, until the first that fails."""
    enough = max(next(n for n in range(1, 10_000) if (1 - risk) ** n <= 0.03), 0.3 * len(pairs))
    threshold = None
    for score in sorted({s for s, _ in pairs}, reverse=True):
        kept = [y for s, y in pairs if s >= score]
        if len(kept) >= enough:
            if binom.cdf(kept.count(0), len(kept), risk) > 0.03:
                break
            threshold = score
    return threshold


def test_the_threshold_is_the_last_one_before_the_first_failure() -> None:
    dice = random.Random(1)
    promised = 0
    for _ in range(60):
        size, share = dice.choice((50, 120, 300)), dice.uniform(0.02, 0.4)
        pairs = [(round(dice.random(), dice.choice((1, 2))), 0) for _ in range(size)]
        pairs = [(s, int(dice.random() > share * (1.2 - s))) for s, _ in pairs]
        found = make_promise(count_levels([s for s, _ in pairs], [float(y) for _, y in pairs]), 0.1)
        assert found.threshold == _by_hand(pairs, 0.1)
        promised += found.threshold is not None
        if found.threshold is not None:
            kept = [y for s, y in pairs if s >= found.threshold]
            assert (found.kept, found.wrong, found.missing) == (len(kept), kept.count(0), 0)
    assert 10 < promised < 60


POPULATIONS: dict[str, Callable[[np.random.Generator, int], tuple[np.ndarray, np.ndarray]]] = {
    "continuous": lambda dice, n: (s := dice.random(n), dice.random(n) < 0.80 + 0.19 * s),
    "few levels": lambda dice, n: (s := dice.choice([0.7, 0.8, 0.9, 1.0], n), dice.random(n) < 0.85 + 0.12 * s),
    "useless": lambda dice, n: (dice.random(n), dice.random(n) < 0.95),
    "at the limit": lambda dice, n: (s := dice.random(n), dice.random(n) < np.where(s > 0.5, 0.95, 0.6)),
}


@pytest.mark.parametrize("name", POPULATIONS)
def test_a_promise_is_broken_in_at_most_one_of_twenty_samples(name: str) -> None:
    dice, broken, promised = np.random.default_rng(8), 0, 0
    future, truth = POPULATIONS[name](dice, 200_000)
    for _ in range(400):
        scores, right = POPULATIONS[name](dice, 300)
        found = make_promise(count_levels(scores.tolist(), right.astype(float).tolist()), 0.05)
        if found.threshold is not None:
            promised += 1
            broken += 1.0 - truth[future >= found.threshold].mean() > 0.05
    assert broken <= 0.05 * 400
    assert promised > (0 if name in ("continuous", "few levels") else -1)


def test_missing_outcomes_are_counted() -> None:
    found = make_promise([ScoreLevel(0.9, 20, 0), ScoreLevel(0.2, 20, 9)], 0.05)
    assert found.threshold is None
    assert not found.passes(1.0)
    assert f"at least {found.missing} more outcomes" in found.reason
    half = found.missing // 2
    again = make_promise([ScoreLevel(0.9, 20 + half, 0), ScoreLevel(0.2, 20 + half, 9 + half // 3)], 0.05)
    assert again.threshold == 0.9
    assert "0 of 69 were" in again.reason
    assert again.passes(0.9)
    assert not again.passes(0.89)
    assert make_promise([], 0.05).missing == 69


def test_missing_outcomes_are_counted_at_the_best_of_the_thresholds_that_keep_enough() -> None:
    later = make_promise([ScoreLevel(0.9, 20, 2), ScoreLevel(0.8, 40, 0)], 0.05)
    assert (later.kept, later.wrong) == (60, 2)
    few = make_promise([ScoreLevel(0.9, 10, 0), ScoreLevel(0.2, 990, 990)], 0.05)
    assert (few.kept, few.wrong) == (1000, 990)


def test_levels_are_merged_by_scores_alone() -> None:
    dice = np.random.default_rng(0)
    scores = dice.random(5000).tolist()
    levels = count_levels(scores, [1.0] * 5000, most=100)
    other = count_levels(scores, [0.0] * 5000, most=100)
    assert [level.score for level in levels] == [level.score for level in other]
    assert len(levels) <= 101
    assert sum(level.outcomes for level in levels) == sum(level.wrong for level in other) == 5000
    assert count_levels([0.5, 0.5, 0.1], [1.0, 0.0, 1.0]) == (ScoreLevel(0.5, 2, 1), ScoreLevel(0.1, 1, 0))
    with pytest.raises(InputError, match="1 scores for 2 outcomes"):
        count_levels([0.5], [1.0, 0.0])


@pytest.mark.parametrize("risk", [0.0, 1.0, -0.5, float("nan")])
def test_a_risk_must_be_a_share(risk: float) -> None:
    with pytest.raises(InputError, match="promise"):
        make_promise([ScoreLevel(0.9, 20, 0)], risk)
    with pytest.raises(InputError, match="promise"):
        Watch(risk)
    with pytest.raises(InputError, match="confidence"):
        Watch(0.05, risk)


def test_a_watch_raises_false_alarms_in_at_most_one_of_twenty_runs() -> None:
    dice, alarms = random.Random(2), 0
    for _ in range(150):
        watch = Watch(0.05).add_all(dice.random() < 0.05 for _ in range(400))
        alarms += watch.broken
    assert alarms <= 7


def test_a_watch_notices_drift_early_and_late() -> None:
    dice = random.Random(3)
    for quiet in (0, 500):
        delays = []
        for _ in range(20):
            watch = Watch(0.05).add_all(dice.random() < 0.03 for _ in range(quiet))
            delay = 0
            while not watch.broken and delay < 1000:
                watch, delay = watch.add(dice.random() < 0.2), delay + 1
            delays.append(delay)
        assert sum(delays) / len(delays) < (60 if quiet == 0 else 250), quiet


def test_a_watch_of_a_high_risk_bets_on_rates_between_the_risk_and_one() -> None:
    assert Watch(0.5).add_all([True] * 20).broken
    assert not Watch(0.5).add_all([False] * 200).broken


def test_a_watch_survives_json_and_stays_broken() -> None:
    watch = Watch(0.05).add_all([True] * 12)
    assert watch.broken
    assert decode(Watch, encode(watch)) == watch
    assert watch.add_all([False] * 500).broken


def test_a_promise_is_written_as_json() -> None:
    promise = make_promise([ScoreLevel(0.9, 100, 0)], 0.05)
    assert json.loads(json.dumps(encode(promise), allow_nan=False))["highest"] is None
    assert (promise.passes(0.9), promise.passes(90.0)) == (True, True)
