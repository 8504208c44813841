"""The models of closed values: compared with plain Python, and what they find in simulated crowds."""

import math
from collections import defaultdict

import numpy as np
import pytest

from howsure.fusion import closed_values
from howsure.fusion.answers import Answers, collect_answers
from howsure.fusion.closed_values import Labels, fit_closed, minka, model_names
from howsure.fusion.special import digamma


def crowd(
    items: int = 200, *, right: list[float], values: int = 3, each: int | None = None, seed: int = 0
) -> tuple[Answers, np.ndarray]:
    """Answers of sources with given reliabilities to items of which each has `each` answers; and the truth."""
    dice = np.random.default_rng(seed)
    truth = dice.integers(0, values, items)
    rows = []
    for item in range(items):
        for source in dice.permutation(len(right))[: each or len(right)]:
            wrong = (truth[item] + dice.integers(1, values)) % values
            rows.append((item, source, truth[item] if dice.random() < right[source] else wrong))
    columns = np.array(rows, dtype=np.int64).T
    return collect_answers(*columns, counts=(items, len(right), values)), truth


def oracle(answers: Answers, name: str, rounds: int) -> list[list[float]]:  # noqa: C901
    """Learn the model coin or full with dictionaries and loops, straight from the formulas."""
    size, sources = answers.value_count, answers.source_count
    said = list(zip(answers.items.tolist(), answers.sources.tolist(), answers.values.tolist(), strict=True))
    by_item = defaultdict(list)
    for item, source, value in said:
        by_item[item].append((source, value))
    q = [[sum(v == t for _, v in by_item[i]) / len(by_item[i]) for t in range(size)] for i in range(answers.item_count)]
    votes = [sum(v == t for _, _, v in said) / len(said) for t in range(size)]
    full = [[4.0 if t == v else 1.0 for v in range(size)] for t in range(size)]
    coin = [4.0, size - 1.0]

    def psi(x: float) -> float:
        return float(digamma(np.array([x]))[0])

    def step(prior: list[float], counts: list[list[float]]) -> list[float]:
        counts = [row for row in counts if sum(row) > 0]
        below = sum(psi(sum(row) + sum(prior)) - psi(sum(prior)) for row in counts)
        return [a * sum(psi(row[place] + a) - psi(a) for row in counts) / below for place, a in enumerate(prior)]

    for _ in range(rounds):
        n = [[[0.0] * size for _ in range(size)] for _ in range(sources)]
        for i, s, v in said:
            for t in range(size):
                n[s][t][v] += q[i][t]
        if name == "full":
            full = [step(full[t], [n[s][t] for s in range(sources)]) for t in range(size)]

            def chance(s: int, t: int, v: int) -> float:
                return (n[s][t][v] + full[t][v]) / (sum(n[s][t]) + sum(full[t]))  # noqa: B023
        else:
            right = [sum(n[s][t][t] for t in range(size)) for s in range(sources)]
            total = [sum(map(sum, n[s])) for s in range(sources)]
            coin = step(coin, [[r, m - r] for r, m in zip(right, total, strict=True)])
            p = [(r + coin[0]) / (m + sum(coin)) for r, m in zip(right, total, strict=True)]
            wrong = [[1.0 + sum(n[s][t][v] for s in range(sources)) for v in range(size)] for t in range(size)]

            def chance(s: int, t: int, v: int) -> float:
                others = sum(wrong[t][u] for u in range(size) if u != t)  # noqa: B023
                return p[s] if t == v else (1 - p[s]) * wrong[t][v] / others  # noqa: B023

        prior = [0.5 * sum(row[t] for row in q) / len(q) + 0.5 * votes[t] for t in range(size)]
        for i, given in by_item.items():
            joint = [prior[t] * math.prod(chance(s, t, v) for s, v in given) for t in range(size)]
            q[i] = [one / sum(joint) for one in joint]
    return q


@pytest.mark.parametrize("name", ["coin", "full"])
def test_models_are_those_of_the_formulas(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    answers, _ = crowd(25, right=[0.9, 0.7, 0.6, 0.4], each=3)
    monkeypatch.setattr(closed_values, "ROUNDS", 4)
    monkeypatch.setattr(closed_values, "CONVERGED", 0.0)
    labels = Labels(answers)
    found = closed_values.learn_model(labels, name, labels.start).posterior
    np.testing.assert_allclose(found.T, oracle(answers, name, 4), atol=1e-9)


def test_reliable_sources_are_found_and_believed() -> None:
    right = [0.95, 0.9, 0.6, 0.55, 0.5, 0.45]
    answers, truth = crowd(400, right=right)
    fit = fit_closed(answers)
    votes = Labels(answers).votes.argmax(axis=0)
    assert np.mean(fit.posterior.argmax(axis=0) == truth) > np.mean(votes == truth) + 0.02
    assert fit.right / (fit.right + fit.wrong) == pytest.approx(right, abs=0.1)
    assert [model.name for model in fit.models] == ["coin", "class", "full", "sub"]


def test_verified_items_are_certain_and_correct_the_damping() -> None:
    answers, truth = crowd(600, right=[0.75] * 8, values=2)
    known = np.where(np.arange(600) < 150, truth, -1)
    fit = fit_closed(answers, known=known)
    assert (fit.posterior[:, :150].max(axis=0) == 1.0).all()
    assert (fit.posterior[:, :150].argmax(axis=0) == truth[:150]).all()

    def loss(posterior: np.ndarray) -> float:
        return float(-np.log(np.maximum(posterior[truth[150:], np.arange(150, 600)], 1e-12)).mean())

    assert loss(fit.posterior) < loss(fit_closed(answers).posterior)


def test_minka_finds_the_distribution_that_counts_were_drawn_from() -> None:
    dice = np.random.default_rng(0)
    counts = np.array([dice.multinomial(50, dice.dirichlet([8.0, 2.0, 1.0])) for _ in range(3000)], dtype=np.float64)
    prior = np.ones(3)
    for _ in range(300):
        prior = minka(prior, counts)
    assert prior == pytest.approx([8.0, 2.0, 1.0], rel=0.1)
    np.testing.assert_array_equal(minka(prior, np.zeros((4, 3))), prior)


def test_tables_that_would_be_too_large_are_not_learned() -> None:
    assert model_names(10, 2) == ["coin", "full", "sub"]
    assert model_names(10_000, 50) == ["coin", "class", "full"]
    assert model_names(10_000, 10_000) == ["coin", "class"]


def test_the_model_alike_counts_votes() -> None:
    answers, _ = crowd(25, right=[0.9, 0.7, 0.6, 0.4], each=3)
    labels = Labels(answers)
    found = closed_values.learn_model(labels, "alike", labels.start)
    right = float((labels.votes * found.posterior).sum())
    chance = (right + 4.0) / (labels.votes.sum() + 5.0)
    powers = (2.0 * chance / (1.0 - chance)) ** labels.votes
    np.testing.assert_allclose(found.posterior, powers / powers.sum(axis=0), atol=1e-3)


def regular(items: int, sources: int) -> np.ndarray:
    """Rows of item, source and value, two values: every other source errs on every other item."""
    item, source = np.divmod(np.arange(items * sources), sources)
    return np.stack([item, source, (item + source % 2 * (item % 2)) % 2])


def opposed(items: int) -> np.ndarray:
    """Rows of item, source and value, two values: two sources contradict each other everywhere."""
    item, source = np.divmod(np.arange(items * 2), 2)
    return np.stack([item, source, (item + source + 1) % 2])


def scattered(items: int, sources: int, values: int, seed: int) -> np.ndarray:
    """Rows of item, source and value, of which 7 in 10 are right."""
    dice = np.random.default_rng(seed)
    item, source = np.divmod(np.arange(items * sources), sources)
    noise = dice.integers(0, values, len(item))
    return np.stack([item, source, np.where(dice.random(len(item)) < 0.7, item % values, noise)])


@pytest.mark.parametrize(
    "rows",
    [regular(8, 6), opposed(12), *(scattered(3 + seed, 2 + seed % 4, 2 + seed % 3, seed) for seed in range(4))],
)
def test_one_vote_more_for_a_value_hardly_lowers_its_probability(rows: np.ndarray) -> None:
    """A table can be so regular that several solutions are about as likely: one vote took an item from .83 to .06.

    It may still lower it by up to .15, since more answers are damped more, but never turns a likely value into an
    unlikely one.
    """
    items, sources, values = (rows.max(axis=1) + 1).tolist()
    for item, who, value in ((5 % items, sources - 1, 0), (1, 2, 1), (0, 0, values - 1)):
        before = rows[:, (rows[0] != item) | (rows[1] != who)]
        after = np.append(before, [[item], [who], [value]], axis=1)
        without, with_it = (
            fit_closed(collect_answers(*some, counts=(items, max(sources, who + 1), values))).posterior[value, item]
            for some in (before, after)
        )
        assert with_it > without - 0.15
        assert with_it > 0.5 or without < 0.5
