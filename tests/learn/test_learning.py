"""Learning from frames: what a fit holds, and when it is better beyond noise."""

from typing import Any

import numpy as np
import pytest

from howsure.errors import InputError
from howsure.learn.evaluation import evaluate
from howsure.learn.learning import cross_validate, learn_factors, learn_scores, read_cases
from howsure.learn.metrics import Scores


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
    short = {"s": [0.5, 0.5], "y": [1, 0], "type": ["coder"] * 2, "agent": ["ann"]}
    with pytest.raises(InputError, match="agent: 1 cell for 2 outcomes"):
        learn_scores(short, score="s", outcome="y", groups=["type", "agent"])
    with pytest.raises(InputError, match="agent: 1 cell for 2 outcomes"):
        learn_factors(short, factors={"s": 1.0}, outcome="y", cluster="agent")
    with pytest.raises(InputError, match="old: 1 scores for 2 outcomes"):
        learn_factors(short | {"old": [0.5]}, factors={"s": 1.0}, outcome="y", in_use="old")


def _factors(size: int, seed: int = 0) -> dict[str, list[float | None]]:
    dice = np.random.default_rng(seed)
    a, b, c = dice.random(size), dice.normal(size=size) * 3, dice.integers(0, 2, size)
    right = dice.random(size) < 1.0 / (1.0 + np.exp(-(4.0 * a - 2.5 + 0.4 * b)))
    seen: list[float | None] = [None if dice.random() < 0.2 else float(value) for value in b]
    return {"a": a.tolist(), "b": seen, "c": c.astype(float).tolist(), "y": right.astype(float).tolist()}


def test_weights_and_their_map_become_one_formula() -> None:
    prior = {"a": 1.0, "b": 0.1, "c": 0.0}
    fit = learn_factors(_factors(600), factors=prior, outcome="y", precision=1.0, draws=50)
    test = _factors(4000, seed=5)
    cases = [{n: v for n in prior if (v := test[n][row]) is not None} for row in range(4000)]
    chances = np.array([one.probability for one in fit.estimates(cases)])
    outcomes = np.array(test["y"])
    found = Scores(chances, outcomes)
    assert found.ece() < 0.06
    assert (found.cumulate().auroc() or 0.0) > 0.75
    assert fit.quality is not None
    assert fit.quality.auroc == pytest.approx(found.cumulate().auroc(), abs=0.05)
    assert fit.factor_names == ("a", "b", "c")


def test_factors_are_compared_with_the_score_in_use() -> None:
    frame = _factors(500)
    frame["now"] = [0.5] * 500
    fit = learn_factors(frame, factors={"a": 0.0}, outcome="y", precision=1.0, in_use="now", draws=200)
    assert fit.better
    again = learn_factors(frame, factors={"a": 0.0}, outcome="y", precision=1.0, replaces=fit, draws=200)
    assert not again.better


def test_a_promise_on_learned_weights_holds_for_outcomes_to_come() -> None:
    later = _factors(20_000, seed=99)
    cases = read_cases(later, ("a", "b", "c"))
    broken = 0
    for seed in range(8):
        prior = {"a": 1.0, "b": 0.1, "c": 0.0}
        fit = learn_factors(_factors(300, seed), factors=prior, outcome="y", precision=1.0, draws=5)
        promise = fit.promise(0.2)
        estimates = fit.estimates(cases)
        passed = [y for one, y in zip(estimates, later["y"], strict=True) if promise.passes(one.probability)]
        broken += passed.count(0.0) > 0.2 * len(passed)
    assert broken <= 1


def test_wrong_factors_are_refused() -> None:
    with pytest.raises(InputError, match="there are no factors"):
        learn_factors({"y": [1]}, factors={}, outcome="y")
    with pytest.raises(InputError, match="line 1: a: 'x' is not a finite number"):
        learn_factors({"a": ["x"], "y": [1]}, factors={"a": 1.0}, outcome="y")
    with pytest.raises(InputError, match="different lengths"):
        read_cases({"a": [1.0], "b": [1.0, 2.0]}, ("a", "b"))


@pytest.mark.parametrize("frame", [[], {"s": [], "y": []}])
def test_without_rows_there_are_no_outcomes(frame: Any) -> None:
    with pytest.raises(InputError, match="^y: there are no outcomes"):
        learn_scores(frame, score="s", outcome="y")
    with pytest.raises(InputError, match="^y: there are no outcomes"):
        learn_factors(frame, factors={"s": 1.0}, outcome="y")
    with pytest.raises(InputError, match="there are no outcomes"):
        evaluate(frame, score="s", outcome="y")
