"""Measures agree with scikit-learn and with what their definitions say, term by term."""

from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from sklearn import metrics as sklearn

from howsure.learn.metrics import Scores, bootstrap_weights, default_draws, equal_mass, percentile_interval

pairs = st.lists(
    st.tuples(st.sampled_from([0.0, 0.1, 0.25, 0.3, 0.5, 0.75, 0.9, 1.0]), st.integers(0, 1)), min_size=1, max_size=40
)


def _scores(pairs: list[tuple[float, int]]) -> Scores:
    return Scores(np.array([s for s, _ in pairs], dtype=float), np.array([y for _, y in pairs], dtype=float))


def _auroc(pairs: list[tuple[float, int]]) -> float | None:
    right, wrong = [s for s, y in pairs if y], [s for s, y in pairs if not y]
    if not right or not wrong:
        return None
    return sum((r > w) + (r == w) / 2 for r in right for w in wrong) / (len(right) * len(wrong))


def _ece(pairs: list[tuple[float, int]]) -> float:
    total = 0.0
    for place in range(10):
        own = [(s, y) for s, y in pairs if place <= s * 10 < place + 1 or (place == 9 and s == 1.0)]
        if own:
            total += len(own) * abs(sum(s for s, _ in own) / len(own) - sum(y for _, y in own) / len(own))
    return total / len(pairs)


def _aurc(pairs: list[tuple[float, int]]) -> float:
    """Return the mean risk over the kept 1, 2, 3 ...; within a tie every order is as likely."""
    risks: list[float] = []
    kept = wrong = 0.0
    for score in sorted({s for s, _ in pairs}, reverse=True):
        own = [y for s, y in pairs if s == score]
        share = own.count(0) / len(own)
        risks += [(wrong + place * share) / (kept + place) for place in range(1, len(own) + 1)]
        kept, wrong = kept + len(own), wrong + own.count(0)
    return sum(risks) / len(risks)


def _coverage(pairs: list[tuple[float, int]], risk: float) -> float:
    best = 0.0
    for threshold in {s for s, _ in pairs}:
        kept = [y for s, y in pairs if s >= threshold]
        if kept.count(0) / len(kept) <= risk:
            best = max(best, len(kept) / len(pairs))
    return best


@given(pairs)
@example([(0.9, 1), (1.0, 0)])
def test_measures_agree_with_their_definitions(pairs: list[tuple[float, int]]) -> None:
    scores = _scores(pairs)
    assert scores.brier() == pytest.approx(sum((s - y) ** 2 for s, y in pairs) / len(pairs))
    assert scores.ece() == pytest.approx(_ece(pairs))
    assert scores.cumulate().auroc() == pytest.approx(_auroc(pairs))
    assert scores.cumulate().aurc() == pytest.approx(_aurc(pairs))
    for risk in (0.0, 0.2, 0.5):
        assert scores.cumulate().coverage_at(risk) == pytest.approx(_coverage(pairs, risk))


@given(pairs.filter(lambda pairs: {y for _, y in pairs} == {0, 1}))
def test_measures_agree_with_scikit_learn(pairs: list[tuple[float, int]]) -> None:
    scores, values, outcomes = _scores(pairs), [s for s, _ in pairs], [y for _, y in pairs]
    assert scores.brier() == pytest.approx(sklearn.brier_score_loss(outcomes, values))
    assert scores.cumulate().auroc() == pytest.approx(sklearn.roc_auc_score(outcomes, values))
    assert scores.log_loss() == pytest.approx(sklearn.log_loss(outcomes, values))


@given(pairs, st.integers(0, 1000))
def test_weights_mean_that_an_outcome_is_there_so_often(pairs: list[tuple[float, int]], seed: int) -> None:
    counts = np.random.default_rng(seed).integers(0, 3, len(pairs)).astype(float)
    counts[0] = 1.0
    repeated = _scores([pair for pair, count in zip(pairs, counts, strict=True) for _ in range(int(count))])
    scores = _scores(pairs)
    for name in ("brier", "ece", "log_loss"):
        assert getattr(scores, name)(counts) == pytest.approx(getattr(repeated, name)()), name
    assert scores.cumulate(counts).auroc() == pytest.approx(repeated.cumulate().auroc())
    assert scores.cumulate(counts).coverage_at(0.2) == pytest.approx(repeated.cumulate().coverage_at(0.2))


def test_equal_mass_bins_hold_about_the_same_number_and_keep_ties_together() -> None:
    assert np.bincount(equal_mass(np.linspace(0, 1, 1000))).tolist() == [100] * 10
    scores = np.array([0.5] * 70 + [0.9] * 30)
    assert len(set(equal_mass(scores)[:70])) == 1
    assert Scores(scores, np.ones(100)).ece_equal_mass() == pytest.approx(0.7 * 0.5 + 0.3 * 0.1)


def test_scores_outside_of_0_and_1_have_rankings_only() -> None:
    scores = Scores(np.array([-3.0, 5.0, 9.0]), np.array([0.0, 1.0, 1.0]))
    assert not scores.probabilities
    assert scores.cumulate().auroc() == 1.0


def test_bootstrap_draws_are_seeded_and_draw_whole_groups() -> None:
    first = [weights.tolist() for weights in bootstrap_weights(20, draws=3, seed=1)]
    assert first == [weights.tolist() for weights in bootstrap_weights(20, draws=3, seed=1)]
    assert first != [weights.tolist() for weights in bootstrap_weights(20, draws=3, seed=2)]
    assert all(sum(weights) == 20 for weights in first)
    groups = np.array([0, 0, 1, 1, 1, 2])
    for weights in bootstrap_weights(6, groups, draws=20):
        assert weights[0] == weights[1]
        assert weights[2] == weights[3] == weights[4]


def test_bootstrap_intervals_cover_the_truth_as_often_as_they_say() -> None:
    dice, hits = np.random.default_rng(3), 0
    for _ in range(200):
        outcomes = (dice.random(150) < 0.7).astype(float)
        scores = Scores(np.full(150, 0.6), outcomes)
        drawn: Any = [scores.brier(weights) for weights in bootstrap_weights(150, draws=200, seed=int(outcomes.sum()))]
        interval = percentile_interval(scores.brier(), drawn)
        assert interval.lower is not None
        assert interval.upper is not None
        hits += interval.lower <= 0.7 * 0.16 + 0.3 * 0.36 <= interval.upper
    assert 180 <= hits <= 199


def test_large_samples_need_fewer_draws() -> None:
    assert default_draws(100) > default_draws(20_000) > default_draws(100_000)
    assert percentile_interval(None, []).lower is None


def test_the_curve_and_the_bins_add_up() -> None:
    dice = np.random.default_rng(0)
    scores = Scores(dice.random(500), (dice.random(500) < 0.8).astype(float))
    curve, bins = scores.curve(), scores.reliability()
    assert len(curve) <= 100
    assert curve[-1].coverage == 1.0
    assert curve[-1].risk == pytest.approx(1.0 - scores.outcomes.mean())
    assert sum(one.outcomes for one in bins) == 500
    assert sum(one.outcomes * one.share_right for one in bins) == pytest.approx(scores.outcomes.sum())
