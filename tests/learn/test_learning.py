"""Learning from frames: what a fit holds, and when it is better beyond noise."""

import numpy as np
import pytest

from howsure.errors import InputError
from howsure.learn.learning import cross_validate, learn_scores, to_path


def _frame(size: int, seed: int = 0) -> dict[str, list[object]]:
    """Return scores that are too high, by two agents of which one is much better."""
    dice = np.random.default_rng(seed)
    scores = dice.choice([0.8, 0.9, 0.95, 1.0], size)
    agent = dice.choice(["ann", "bob"], size)
    right = dice.random(size) < np.where(agent == "ann", scores - 0.05, scores - 0.45)
    return {"s": scores.tolist(), "y": right.tolist(), "agent": agent.tolist(), "type": ["coder"] * size}


def test_a_fit_of_overconfident_scores_is_better_beyond_noise() -> None:
    fit = learn_scores(_frame(300), score="s", outcome="y")
    assert fit.better
    assert fit.quality is not None
    assert fit.replaced is not None
    assert (fit.quality.brier or 1.0) < (fit.replaced.brier or 0.0) - 0.02
    assert fit.outcomes == fit.quality.n == 300
    assert sum(level.outcomes for level in fit.levels) == 300
    assert {one.measure for one in fit.differences} >= {"brier", "log_loss", "ece"}


def test_a_calibrated_score_is_not_replaced() -> None:
    dice = np.random.default_rng(3)
    scores = dice.random(400)
    fit = learn_scores({"s": scores, "y": dice.random(400) < scores}, score="s", outcome="y")
    assert not fit.better
    again = learn_scores({"s": scores, "y": dice.random(400) < scores}, score="s", outcome="y", replaces=fit)
    assert not again.better
    assert again.replaced != fit.replaced


def test_separate_groups_improve_the_fit() -> None:
    frame = _frame(400)
    plain = learn_scores(frame, score="s", outcome="y")
    grouped = learn_scores(frame, score="s", outcome="y", groups=["type", "agent"], replaces=plain)
    assert (
        grouped.estimate(0.9, ["coder", "ann"]).probability > grouped.estimate(0.9, ["coder", "bob"]).probability + 0.2
    )
    assert grouped.better
    assert grouped.promise_on == "probability"
    assert grouped.group_columns == ("type", "agent")
    new = grouped.estimate(0.9, ["coder", "new"])
    assert new.probability == pytest.approx(grouped.estimate(0.9, ["coder"]).probability)
    assert new.lower < grouped.estimate(0.9, ["coder", "ann"]).lower


def test_a_promise_on_groups_holds_for_outcomes_to_come() -> None:
    later = _frame(20_000, seed=99)
    broken = promised = 0
    for seed in range(10):
        fit = learn_scores(_frame(300, seed), score="s", outcome="y", groups=["agent"], draws=10)
        promise = fit.promise(0.2)
        if promise.threshold is None:
            continue
        promised += 1
        groups = [(str(agent),) for agent in later["agent"]]
        chances = fit.estimates([float(str(score)) for score in later["s"]], groups)
        passed = [right for one, right in zip(chances, later["y"], strict=True) if promise.passes(one.probability)]
        broken += passed.count(False) > 0.2 * len(passed)
    assert promised >= 5
    assert broken <= 1


def test_clusters_stay_in_one_fold() -> None:
    clusters = np.array([0, 0, 1, 1, 2, 2, 3])
    seen: list[set[int]] = []

    def predict(known: np.ndarray, wanted: np.ndarray) -> np.ndarray:
        assert not set(clusters[known]) & set(clusters[wanted])
        seen.append(set(wanted.tolist()))
        return np.full(len(wanted), 0.5)

    assert cross_validate(predict, 7, clusters) is not None
    assert set().union(*seen) == set(range(7))
    frame = {"s": [0.1, 0.2, 0.8, 0.9], "y": [0, 0, 1, 1], "task": ["a", "a", "b", "b"]}
    assert learn_scores(frame, score="s", outcome="y", cluster="task").quality is not None


@pytest.mark.parametrize("size", [1, 2, 3, 11])
@pytest.mark.parametrize("right", [0, 1])
def test_few_outcomes_of_one_kind_give_a_fit(size: int, right: int) -> None:
    fit = learn_scores({"s": [0.5] * size, "y": [right] * size}, score="s", outcome="y")
    assert fit.estimate(0.5).lower <= fit.estimate(0.5).probability <= fit.estimate(0.5).upper
    assert (fit.quality is None) == (size == 1)
    assert fit.promise(0.05).missing > 0


def test_wrong_input_is_refused() -> None:
    with pytest.raises(InputError, match="line 2: s: nan is not a finite number"):
        learn_scores({"s": [0.5, float("nan")], "y": [1, 0]}, score="s", outcome="y")
    with pytest.raises(InputError, match="there are no outcomes"):
        learn_scores({"s": [], "y": []}, score="s", outcome="y")
    with pytest.raises(InputError, match="s: 1 scores for 2 outcomes"):
        learn_scores({"s": [0.5], "y": [1, 0]}, score="s", outcome="y")
    assert to_path([]) == ()
