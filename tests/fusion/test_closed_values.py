"""The models of closed values: compared with plain Python, and what they find in simulated crowds."""

import math
from collections import defaultdict

import numpy as np
import pytest

from howsure.fusion import closed_values
from howsure.fusion.answers import Answers, collect_answers
from howsure.fusion.closed_values import Labels, find_dependence, fit_closed, leave_out, minka, model_names
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


def test_sources_of_independent_answers_are_damped_least() -> None:
    answers, _ = crowd(600, right=[0.8] * 8, values=4)
    fit = fit_closed(answers)
    assert fit.damping == pytest.approx(np.full(600, 1.0 / (1.0 + 0.2 * 7.0)), abs=1e-3)


def test_sources_that_err_together_are_damped_more() -> None:
    """Half of the items are hard: everybody follows one shared, often wrong, impression of them."""
    dice = np.random.default_rng(0)
    truth = dice.integers(0, 2, 600)
    impression = np.where(dice.random(600) < 0.5, truth, np.where(dice.random(600) < 0.6, truth, 1 - truth))
    values = np.where(dice.random((600, 8)) < 0.9, impression[:, None], 1 - impression[:, None])
    item, source = np.divmod(np.arange(4800), 8)
    answers = collect_answers(item, source, values.ravel())
    hard = fit_closed(answers)
    assert hard.damping[0] < 1.0 / (1.0 + 0.25 * 7.0)


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


def test_items_with_one_answer_leave_the_dependence_as_it_is() -> None:
    answers = collect_answers(np.arange(5), np.arange(5), np.array([0, 1, 0, 1, 0]))
    labels = Labels(answers)
    assert find_dependence(leave_out(labels), [], np.zeros(2)) == pytest.approx(0.2)
    assert fit_closed(answers).posterior.max() < 1.0
