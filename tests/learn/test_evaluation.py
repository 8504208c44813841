"""Evaluations hold every measure, their intervals, and paired differences."""

import numpy as np
import pytest

import howsure.learn
from howsure.errors import InputError
from howsure.learn.evaluation import evaluate


def _frame(size: int = 300) -> dict[str, list[float]]:
    dice = np.random.default_rng(0)
    truth = dice.random(size)
    right = (dice.random(size) < truth).astype(float)
    noisy = np.clip(truth + dice.normal(size=size) * 0.3, 0, 1)
    return {"s": truth.tolist(), "noisy": noisy.tolist(), "y": right.tolist(), "g": [n // 3 for n in range(size)]}


def test_a_better_column_is_better_beyond_noise() -> None:
    seen: list[tuple[str, int, int]] = []
    found = evaluate(_frame(), score="s", outcome="y", compare=["noisy"], progress=lambda *report: seen.append(report))
    brier = next(one for one in found.differences if one.measure == "brier")
    assert brier.score == "noisy"
    assert 0.0 < brier.lower < brier.difference < brier.upper
    assert found.others[0].brier == pytest.approx((found.brier or 0.0) + brier.difference)
    assert seen[0] == ("bootstrap", 0, 1000)
    for name, bounds in found.intervals.items():
        assert bounds.lower <= getattr(found, name) <= bounds.upper or name.startswith("ece"), name


def test_groups_are_drawn_whole_and_widen_intervals() -> None:
    frame = {name: [value for value in values for _ in range(5)] for name, values in _frame(100).items()}
    frame["g"] = [place // 5 for place in range(500)]
    single = evaluate(frame, score="s", outcome="y").intervals["brier"]
    grouped = evaluate(frame, score="s", outcome="y", group="g")
    assert grouped.groups == 100
    assert grouped.intervals["brier"].upper - grouped.intervals["brier"].lower > 1.5 * (single.upper - single.lower)


def test_scores_of_any_range_are_ranked_only() -> None:
    found = evaluate({"s": [-5.0, 3.0, 40.0], "y": [0, 1, 1]}, score="s", outcome="y")
    assert (found.brier, found.ece, found.log_loss, found.bins) == (None, None, None, ())
    assert found.auroc == 1.0
    assert "brier" not in found.intervals


def test_the_evaluation_is_deterministic() -> None:
    assert evaluate(_frame(), score="s", outcome="y") == evaluate(_frame(), score="s", outcome="y")
    assert howsure.learn.evaluate is evaluate


def test_wrong_input_is_refused() -> None:
    with pytest.raises(InputError, match="there are no outcomes"):
        evaluate({"s": [], "y": []}, score="s", outcome="y")
    with pytest.raises(InputError, match="s: 1 scores for 2 outcomes"):
        evaluate({"s": [0.5], "y": [1, 0]}, score="s", outcome="y")
    with pytest.raises(InputError, match="g: 1 cell for 2 outcomes"):
        evaluate({"s": [0.5, 0.5], "y": [1, 0], "g": ["a"]}, score="s", outcome="y", group="g")
    with pytest.raises(InputError, match="line 2: y: 3 is not an outcome"):
        evaluate({"s": [0.5, 0.5], "y": [1, 3]}, score="s", outcome="y")
    with pytest.raises(InputError, match="risk"):
        evaluate({"s": [0.5], "y": [1]}, score="s", outcome="y", risk=2.0)


@pytest.mark.parametrize("size", [50, 1000])
@pytest.mark.parametrize(("too_high", "error"), [(0.0, 0.0), (0.15, 0.15)])
def test_intervals_of_the_calibration_error_hold_it_and_the_true_one(size: int, too_high: float, error: float) -> None:
    dice = np.random.default_rng(size)
    covered = 0
    for _ in range(40):
        scores = 0.2 + 0.8 * dice.beta(4, 2, size)
        right = dice.random(size) < scores - too_high
        found = evaluate({"s": scores, "y": right.astype(float)}, score="s", outcome="y", draws=100)
        for name in ("ece", "ece_equal_mass"):
            bounds = found.intervals[name]
            assert 0.0 <= bounds.lower <= getattr(found, name) <= bounds.upper <= 1.0
        covered += found.intervals["ece"].lower <= error <= found.intervals["ece"].upper
    assert covered >= 34


def test_few_outcomes_and_one_group_have_no_intervals() -> None:
    for size, expected in ((1, 0), (19, 0), (20, 7)):
        frame = {"s": [0.5] * size, "t": [0.4] * size, "y": [place % 2 for place in range(size)]}
        found = evaluate(frame, score="s", outcome="y", compare=["t"])
        assert len(found.intervals) == len(found.others[0].intervals) == len(found.differences) == expected
    frame = {"s": [0.5] * 40, "y": [place % 2 for place in range(40)], "g": [place // 20 for place in range(40)]}
    assert evaluate(frame, score="s", outcome="y", group="g").intervals
    one_group = {**frame, "g": [1] * 40}
    assert evaluate(one_group, score="s", outcome="y", group="g").intervals == {}
