"""Finding sources that copy when all items share a few values."""

import math

import numpy as np
import pytest

from howsure.fusion.answers import Answers, collect_answers
from howsure.fusion.blocking import share_answers
from howsure.fusion.closed_copies import compare_closed, fit_closed_with_copies
from howsure.fusion.closed_values import ClosedFit, Labels, fit_closed
from howsure.fusion.pairs import RATES


def crowd(items: int, right: list[float], *, ring: int = 0, values: int = 3, seed: int = 0) -> Answers:
    """Answers of independent sources, and of a ring that copies the first source at a rate of .95."""
    dice = np.random.default_rng(seed)
    truth = dice.integers(0, values, items)
    columns = [
        np.where(dice.random(items) < p, truth, (truth + dice.integers(1, values, items)) % values) for p in right
    ]
    for _ in range(ring):
        columns.append(np.where(dice.random(items) < 0.95, columns[0], dice.integers(0, values, items)))
    said = np.stack(columns, axis=1)
    item, source = np.divmod(np.arange(said.size), said.shape[1])
    return collect_answers(item, source, said.ravel(), counts=(items, said.shape[1], values))


def ratio(answers: Answers, fit: ClosedFit, name: str, one: int, two: int) -> float:
    """Compute the likelihood ratio of one pair with loops, straight from the formulas."""
    table = next(model.table for model in fit.models if model.name == name)
    said: dict[int, dict[int, int]] = {}
    for item, source, value in zip(answers.items, answers.sources, answers.values, strict=True):
        said.setdefault(int(item), {})[int(source)] = int(value)
    sums = dict.fromkeys(RATES, 0.0)
    for item, values in said.items():
        if one not in values or two not in values:
            continue
        v = values[one]
        if v != values[two]:
            sums = {rate: total + math.log(1 - rate) for rate, total in sums.items()}
            continue
        powers = []
        for truth in range(answers.value_count):
            others = sum(table[s, truth, value] for s, value in values.items() if s not in (one, two))
            powers.append(math.exp(fit.damping[item] * (others + fit.log_prior[truth])))
        copied = independent = 0.0
        for truth, power in enumerate(powers):
            p, q = math.exp(table[one, truth, v]), math.exp(table[two, truth, v])
            copied += power / sum(powers) * (p + q) / 2
            independent += power / sum(powers) * p * q
        sums = {rate: total + math.log(1 - rate + rate * copied / independent) for rate, total in sums.items()}
    return math.log(sum(math.exp(total) for total in sums.values()) / len(RATES))


def test_ratios_are_the_lowest_of_those_of_the_formulas() -> None:
    answers = crowd(30, [0.8, 0.7, 0.6, 0.5, 0.7])
    fit = fit_closed(answers)
    models = [model for model in fit.models if model.name != "sub"]
    shared = share_answers(answers, fit.posterior[answers.candidate_values, answers.candidate_items])
    test = compare_closed(Labels(answers), fit, shared, models)
    assert len(test.ratio) == 10
    for first, second, found in zip(test.first.tolist(), test.second.tolist(), test.ratio.tolist(), strict=True):
        wanted = min(ratio(answers, fit, model.name, first, second) for model in models)
        assert found == pytest.approx(wanted, abs=1e-9)


@pytest.mark.parametrize("values", [2, 3])
@pytest.mark.parametrize("seed", range(3))
def test_ring_is_found_whole_and_alone(values: int, seed: int) -> None:
    answers = crowd(400, [0.7] * 15, ring=4, values=values, seed=seed)
    _, groups = fit_closed_with_copies(answers)
    assert groups.tolist() == [*range(15), 0, 0, 0, 0]


def test_ring_counts_little_more_than_one_source() -> None:
    answers = crowd(400, [0.7] * 15, ring=4, seed=1)
    fit, groups = fit_closed_with_copies(answers)
    ring = np.isin(answers.sources, np.flatnonzero(groups == 0))
    assert fit.weights[ring].max() == 1.0
    assert fit.weights[ring].min() == pytest.approx(1.4 / 5)
    assert (fit.weights[~ring] == 1.0).all()


@pytest.mark.parametrize("seed", range(5))
def test_experts_who_agree_because_they_are_right_do_not_copy(seed: int) -> None:
    answers = crowd(400, [0.97] * 5 + [0.6] * 10, seed=seed)
    _, groups = fit_closed_with_copies(answers)
    assert groups.tolist() == list(range(15))


@pytest.mark.parametrize("values", [2, 3, 5])
@pytest.mark.parametrize("seed", range(4))
def test_believed_ring_does_not_make_copies_of_honest_sources(values: int, seed: int) -> None:
    # Five that always say the same look like experts, and then eight honest sources share what seem to be mistakes.
    dice = np.random.default_rng(seed)
    truth = dice.integers(0, values, 100)

    def answer(right: float) -> np.ndarray:
        return np.where(dice.random(100) < right, truth, (truth + dice.integers(1, values, 100)) % values)

    said = np.stack([answer(0.8) for _ in range(8)] + [answer(0.4)] * 5, axis=1)
    items, sources = np.repeat(np.arange(100), 13), np.tile(np.arange(13), 100)
    fit, groups = fit_closed_with_copies(collect_answers(items, sources, said.ravel(), counts=(100, 13, values)))
    assert groups.tolist() == [*range(8), 8, 8, 8, 8, 8]
    right = (fit.posterior.argmax(axis=0) == truth).mean()
    assert right > 0.9
    assert fit.posterior.max(axis=0).mean() > right - 0.15


def test_guessing_sources_do_not_copy() -> None:
    _, groups = fit_closed_with_copies(crowd(300, [0.8] * 5 + [1 / 3] * 10))
    assert groups.tolist() == list(range(15))


def test_known_items_are_settled() -> None:
    answers = crowd(200, [0.7] * 5, ring=6, seed=3)
    truth = np.full(200, -1, dtype=np.int64)
    dice = np.random.default_rng(3)
    truth[:100] = dice.integers(0, 3, 200)[:100]  # the truth that `crowd` draws first
    fit, groups = fit_closed_with_copies(answers, known=truth)
    assert groups.tolist() == [0, 1, 2, 3, 4, 0, 0, 0, 0, 0, 0]
    assert (fit.posterior[truth[:100], np.arange(100)] == 1.0).all()


def test_one_source_copies_nobody() -> None:
    answers = collect_answers(np.array([0, 1]), np.array([0, 0]), np.array([0, 1]))
    assert fit_closed_with_copies(answers)[1].tolist() == [0]
