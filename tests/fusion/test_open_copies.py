"""Finding sources that copy when values are open."""

import math
from dataclasses import replace

import numpy as np
import pytest

from howsure.fusion.answers import Answers, collect_answers
from howsure.fusion.blocking import share_answers
from howsure.fusion.open_copies import compare_pairs, fit_with_copies
from howsure.fusion.open_values import OpenFit, fit_open
from howsure.fusion.pairs import RATES


def simulate(items: int, sources: int, right: float, wrong_values: int, seed: int = 0) -> Answers:
    dice = np.random.default_rng(seed)
    values = np.where(dice.random((items, sources)) < right, 0, dice.integers(1, wrong_values + 1, (items, sources)))
    item, source = np.divmod(np.arange(items * sources), sources)
    return collect_answers(item, source, values.ravel())


def ratio(answers: Answers, fit: OpenFit, one: int, two: int) -> float:
    """Compute the likelihood ratio of one pair with loops, straight from the formulas."""
    said: dict[int, dict[int, int]] = {}
    strength: dict[tuple[int, int], float] = {}
    for item, source, value, x in zip(answers.items, answers.sources, answers.values, fit.strengths, strict=True):
        said.setdefault(int(item), {})[int(source)] = int(value)
        strength[int(item), int(source)] = float(x)
    sums = dict.fromkeys(RATES, 0.0)
    p, q = fit.reliability[one], fit.reliability[two]
    for item, values in said.items():
        if one not in values or two not in values:
            continue
        v = values[one]
        if v != values[two]:
            sums = {rate: total + math.log(1 - rate) for rate, total in sums.items()}
            continue
        others = {source: value for source, value in values.items() if source not in (one, two)}
        candidates = set(values.values())
        evidence = {c: sum(strength[item, s] for s, value in others.items() if value == c) for c in candidates}
        powers: dict[int | None, float] = {c: math.exp(0.3 * evidence[c]) for c in candidates} | {None: 1.0}
        popularity = {c: 0.5 + sum(value == c for value in others.values()) for c in candidates}
        copied = independent = 0.0
        for truth, power in powers.items():
            wrong = popularity[v] / sum(popularity[c] for c in candidates if c != truth) if truth != v else 0.0
            by_one, by_two = (p, q) if truth == v else ((1 - p) * wrong, (1 - q) * wrong)
            share = power / sum(powers.values())
            copied += share * (by_one + by_two) / 2
            independent += share * by_one * by_two
        sums = {rate: total + math.log(1 - rate + rate * copied / independent) for rate, total in sums.items()}
    return math.log(sum(math.exp(total) for total in sums.values()) / len(RATES))


def test_ratios_are_those_of_the_formulas() -> None:
    answers = simulate(30, 6, 0.6, 3)
    fit = fit_open(answers)
    test = compare_pairs(answers, fit, share_answers(answers, fit.probability))
    assert len(test.ratio) == 15
    for first, second, found in zip(test.first.tolist(), test.second.tolist(), test.ratio.tolist(), strict=True):
        assert found == pytest.approx(ratio(answers, fit, first, second), abs=1e-9)


@pytest.mark.parametrize("weight", [1e3, 1e6])
def test_ratios_of_heavy_answers_are_finite(weight: float) -> None:
    answers = simulate(30, 6, 0.6, 3)
    fit = fit_open(answers)
    shared = share_answers(answers, fit.probability)
    assert np.isfinite(compare_pairs(answers, replace(fit, strengths=fit.strengths * weight), shared).ratio).all()


@pytest.mark.parametrize("seed", range(5))
def test_independent_sources_are_left_alone(seed: int) -> None:
    _, groups = fit_with_copies(simulate(150, 12, 0.7, 4, seed))
    assert groups.tolist() == list(range(12))


def plant(ring: tuple[int, float, float], honest: tuple[int, float], *, items: int = 200, seed: int = 0) -> Answers:
    """Answers of a ring (size, reliability, copy rate) and of independent sources (number, reliability)."""
    dice = np.random.default_rng(seed)
    size, right, rate = ring
    reliability = np.array([right] * size + [honest[1]] * honest[0])
    shape = (items, len(reliability))
    values = np.where(dice.random(shape) < reliability, 0, dice.integers(1, 6, shape))
    values[:, 1:size] = np.where(dice.random((items, size - 1)) < rate, values[:, :1], values[:, 1:size])
    item, source = np.divmod(np.arange(values.size), shape[1])
    return collect_answers(item, source, values.ravel())


@pytest.mark.parametrize(
    ("right", "honest"), [(0.7, (12, 0.7)), (0.5, (12, 0.7)), (0.85, (12, 0.85)), (0.7, (10, 0.7))]
)
def test_a_ring_below_half_is_found_whole(right: float, honest: tuple[int, float]) -> None:
    fit, groups = fit_with_copies(plant((5, right, 0.95), honest))
    assert groups.tolist() == [0] * 5 + list(range(5, 5 + honest[0]))
    assert fit.reliability[0] == pytest.approx(right, abs=0.1)


def test_experts_who_agree_because_they_are_right_are_no_ring() -> None:
    _, groups = fit_with_copies(plant((5, 0.97, 0.0), (6, 0.6)))
    assert groups.tolist() == list(range(11))


def test_a_large_table_is_compared_by_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    answers = plant((5, 0.6, 0.95), (40, 0.8))
    whole = fit_with_copies(answers)[1]
    monkeypatch.setattr(share_answers, "__kwdefaults__", {"most": 30_000, "always": None})
    assert fit_with_copies(answers)[1].tolist() == whole.tolist() == [0] * 5 + list(range(5, 45))


@pytest.mark.parametrize(
    ("right", "choices", "items"),
    [
        ([0.95, 0.85, 0.7, 0.5], 4, 3000),
        ([0.95, 0.85, 0.7, 0.5], 2, 3000),
        ([0.9, 0.8, 0.7, 0.4, 0.4], 10, 3000),
        ([0.95, 0.85, 0.7, 0.6, 0.5], 2, 3000),
        ([0.91, 0.72, 0.65, 0.8], 50, 2000),
    ],
)
@pytest.mark.parametrize("seed", [1, 2])
def test_good_sources_among_many_items_are_no_copies(right: list[float], choices: int, items: int, seed: int) -> None:
    dice = np.random.default_rng(seed)
    rows, sources = np.divmod(np.arange(items * len(right)), len(right))
    wrong = 1 + dice.integers(choices, size=len(rows))
    values = np.where(dice.random(len(rows)) < np.array(right)[sources], 0, wrong)
    answers = collect_answers(rows, sources, values)
    fit, groups = fit_with_copies(answers)
    assert groups.tolist() == list(range(len(right)))
    assert np.argsort(-fit.reliability)[0] == 0
