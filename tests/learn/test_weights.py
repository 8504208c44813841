"""Weights drawn to a prior: the optimum, and what a user relies on at the edges."""

import math
import random
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from howsure.errors import InputError
from howsure.learn.weights import Features, Weights, learn_weights

NAMES = ("steps", "errors", "news")
PRIOR = {"steps": -0.3, "errors": -0.2, "news": 0.2}
values = st.none() | st.floats(-3, 3).map(lambda value: round(value, 2))
rows = st.tuples(st.fixed_dictionaries(dict.fromkeys(NAMES, values)), st.booleans())


def _oracle(cases: Sequence[Features], outcomes: Sequence[float], precision: float, start: float) -> list[float]:
    """Find the optimum by cyclic bisection of each partial derivative: slow, and nothing in common with Newton."""
    prior = [start, *PRIOR.values()]
    precisions = [1.0, *(precision for _ in NAMES)]
    inputs = [[1.0, *((case.get(name) or 0.0) for name in NAMES)] for case in cases]
    weights = list(prior)

    def slope(place: int, value: float) -> float:
        total = precisions[place] * (value - prior[place])
        for row, outcome in zip(inputs, outcomes, strict=True):
            odds = sum(w * x for k, (w, x) in enumerate(zip(weights, row, strict=True)) if k != place)
            odds += value * row[place]
            total += (1 / (1 + math.exp(-odds)) - outcome) * row[place]
        return total

    for _ in range(400):
        before = list(weights)
        for place in range(len(weights)):
            low, high = -50.0, 50.0
            for _ in range(60):
                middle = (low + high) / 2
                low, high = (low, middle) if slope(place, middle) > 0 else (middle, high)
            weights[place] = (low + high) / 2
        if max(abs(a - b) for a, b in zip(before, weights, strict=True)) < 1e-12:
            break
    return weights


def _flat(learned: Weights) -> list[float]:
    return [learned.intercept, *learned.weights.values()]


@settings(max_examples=25, deadline=None)
@given(st.lists(rows, max_size=12), st.sampled_from([0.5, 3.0, 30.0]))
def test_the_fit_is_the_optimum_of_an_independent_oracle(rows: list[Any], precision: float) -> None:
    cases, outcomes = [row[0] for row in rows], [float(row[1]) for row in rows]
    learned = learn_weights(cases, outcomes, PRIOR, intercept=-1.0, precision=precision)
    assert _flat(learned) == pytest.approx(_oracle(cases, outcomes, precision, -1.0), abs=1e-7)


def test_without_outcomes_the_prior_is_returned() -> None:
    learned = learn_weights([], [], PRIOR, intercept=-1.1)
    assert learned.weights == PRIOR
    assert learned.intercept == -1.1
    assert learned.outcomes == 0
    assert learned.errors["steps"] == pytest.approx(1 / math.sqrt(30))


@settings(max_examples=50)
@given(st.lists(rows, min_size=2, max_size=20), st.randoms(use_true_random=False))
def test_the_order_of_cases_and_features_makes_no_difference(rows: list[Any], dice: random.Random) -> None:
    shuffled = list(rows)
    dice.shuffle(shuffled)
    names = list(PRIOR)
    dice.shuffle(names)
    one = learn_weights([row[0] for row in rows], [float(row[1]) for row in rows], PRIOR)
    other = learn_weights(
        [row[0] for row in shuffled], [float(row[1]) for row in shuffled], {name: PRIOR[name] for name in names}
    )
    assert [other.weights[name] for name in NAMES] == pytest.approx(list(one.weights.values()), abs=1e-8)


@settings(max_examples=50)
@given(st.lists(rows, min_size=1, max_size=20))
def test_the_opposite_outcomes_give_the_opposite_weights(rows: list[Any]) -> None:
    cases, outcomes = [row[0] for row in rows], [float(row[1]) for row in rows]
    one = learn_weights(cases, outcomes, PRIOR, intercept=0.4)
    opposite = {name: -weight for name, weight in PRIOR.items()}
    other = learn_weights(cases, [1.0 - outcome for outcome in outcomes], opposite, intercept=-0.4)
    assert _flat(other) == pytest.approx([-value for value in _flat(one)], abs=1e-8)


def _separated(count: int) -> tuple[list[Features], list[float]]:
    return [{"steps": float(n % 2), "errors": 1.0} for n in range(count)], [float(n % 2 == 0) for n in range(count)]


def test_perfect_separation_gives_finite_weights_in_its_direction() -> None:
    cases, outcomes = _separated(10_000)
    learned = learn_weights(cases, outcomes, PRIOR)
    assert learned.weights["steps"] < -2
    assert all(math.isfinite(value) for value in _flat(learned))
    assert learned.probability({"steps": 1.0}) < 0.05


def test_a_weak_prior_and_huge_values_still_converge() -> None:
    cases: list[Features] = [{"steps": 1e6 if n % 3 else -1e6} for n in range(200)]
    learned = learn_weights(cases, [float(n % 3 == 0) for n in range(200)], {"steps": 5.0}, precision=1e-6)
    assert learned.weights["steps"] < 0
    assert math.isfinite(learned.intercept)


def test_a_missing_feature_is_left_out() -> None:
    learned = learn_weights([{"steps": 1.0}], [1.0], PRIOR)
    assert learned.contributions({"steps": 2.0, "errors": None, "news": math.nan, "other": 3.0}).keys() == {"steps"}
    assert learned.log_odds({}) == learned.intercept
    assert learned.weights["errors"] == PRIOR["errors"]


def test_more_outcomes_move_the_weights_further() -> None:
    moved = []
    for count in (4, 40, 400, 4000):
        cases, outcomes = _separated(count)
        moved.append(abs(learn_weights(cases, outcomes, PRIOR).weights["steps"] - PRIOR["steps"]))
    assert moved == sorted(moved)
    assert moved[0] < 0.1


def test_the_fit_recovers_the_weights_that_made_the_outcomes() -> None:
    dice = random.Random(3)
    true = Weights(-0.5, {"steps": -1.0, "errors": 0.5, "news": 0.0}, {}, 0)
    cases: list[Features] = [{name: dice.gauss(0, 1) for name in NAMES} for _ in range(20_000)]
    outcomes = [float(dice.random() < true.probability(case)) for case in cases]
    learned = learn_weights(cases, outcomes, PRIOR)
    for name in NAMES:
        assert abs(learned.weights[name] - true.weights[name]) < 4 * learned.errors[name] + 0.01
    assert learned.errors["steps"] < 0.03


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"outcomes": [1.0]}, "outcomes"),
        ({"outcomes": [1.0, 2.0]}, "outcomes[1]"),
        ({"outcomes": [math.nan, 1.0]}, "outcomes[0]"),
        ({"precision": 0.0}, "precision"),
        ({"intercept": math.inf}, "intercept"),
        ({"prior": {"steps": math.nan}}, "prior"),
        ({"cases": [{"steps": 1e12}, {}]}, "cases"),
    ],
)
def test_wrong_input_is_refused_with_its_field(change: dict[str, Any], field: str) -> None:
    arguments: dict[str, Any] = {"cases": [{"steps": 1.0}, {}], "outcomes": [1.0, 0.0], "prior": PRIOR} | change
    with pytest.raises(InputError) as raised:
        learn_weights(**arguments)
    assert raised.value.field == field
