"""Fitting sources on arrays of numbers."""

import numpy as np
import pytest

from howsure.fusion.source_fit import fit_sources


def columns(table: list[tuple[int, int, int]]) -> list[np.ndarray]:
    return [np.array(column, dtype=np.int64) for column in zip(*table, strict=True)]


def crowd(items: int, sources: int, right: float = 0.8, seed: int = 0) -> list[tuple[int, int, int]]:
    """Answers whose value 0 is right; each wrong one is one of 20 values."""
    dice = np.random.default_rng(seed)
    return [
        (item, source, 0 if dice.random() < right else int(dice.integers(1, 21)))
        for item in range(items)
        for source in range(sources)
    ]


def test_a_claim_is_scored_from_the_numbers_of_its_sources_alone() -> None:
    table = crowd(60, 6)
    fit = fit_sources(*columns(table))
    evidence: dict[tuple[int, int], float] = {}
    for item, source, value in table:
        evidence[item, value] = evidence.get((item, value), 0.0) + fit.weight[source] / (1.0 + 0.1 * 5.0)
    for item, value, chance in zip(fit.items.tolist(), fit.values.tolist(), fit.probability.tolist(), strict=True):
        rivals = sum(np.exp(x) for (of, _), x in evidence.items() if of == item)
        assert chance == pytest.approx(np.exp(evidence[item, value]) / (1.0 + rivals))
    assert fit.reliability == pytest.approx(fit.right / (fit.right + fit.wrong))
    assert fit.weight == pytest.approx(np.log(fit.right / fit.wrong) + fit.log_choices)


def test_sources_that_copy_form_a_group_and_count_little_more_than_one() -> None:
    table = crowd(200, 15, right=0.7)
    copied = [(item, 15 + copy, value) for item, source, value in table if source == 0 for copy in range(4)]
    fit = fit_sources(*columns(table + copied))
    assert fit.group.tolist() == [*range(15), 0, 0, 0, 0]
    without = fit_sources(*columns(table + copied), copies=False)
    assert without.group.tolist() == list(range(19))
    alone = fit_sources(*columns(table))
    accuracy = [
        np.mean([one.probability[one.items == item].argmax() == 0 for item in range(200)])
        for one in (fit, alone, without)
    ]
    assert accuracy[0] >= accuracy[1] - 0.02 > accuracy[2]


def test_a_verified_value_is_certain_and_teaches_who_knew_it() -> None:
    table = [(item, source, source) for item in range(10) for source in range(2)]
    known = {(item, 1): True for item in range(9)}
    fit = fit_sources(*columns(table), known=known)
    assert fit.reliability[1] > 0.9
    assert fit.reliability[0] < 0.4
    assert fit.probability[:4].tolist() == [0.0, 1.0, 0.0, 1.0]
    assert (fit.lower[:2].tolist(), fit.upper[:2].tolist()) == ([0.0, 1.0], [0.0, 1.0])
    assert fit.probability[19] > 0.9
    assert fit.probability[18] < 0.1


def test_refuted_and_never_given_values() -> None:
    table = [(0, 0, 0), (0, 1, 1), (1, 0, 0), (1, 1, 1)]
    fit = fit_sources(*columns(table), known={(0, 0): False, (1, 7): True})
    assert fit.probability[0] == 0.0
    assert 0.0 < fit.probability[1] < 1.0
    assert fit.probability[2:].tolist() == [0.0, 0.0]


def test_reliability_may_differ_by_kind_of_item() -> None:
    """Source 3 is always right about items of kind 1 and always wrong about those of kind 0."""
    table = [(item, source, 0) for item in range(80) for source in range(3)]
    table += [(item, 3, item % 2 == 0) for item in range(80)]
    table += [(80, 3, 5), (80, 4, 6), (81, 3, 5), (81, 4, 6)]
    kinds = np.array([int(item % 2) for item in range(82)])
    fit = fit_sources(*columns(table), kinds=kinds, copies=False)
    chance = {
        (i, v): p for i, v, p in zip(fit.items.tolist(), fit.values.tolist(), fit.probability.tolist(), strict=True)
    }
    assert chance[80, 5] < 0.2
    assert chance[81, 5] > 0.8


def test_bounds_contain_the_probability() -> None:
    fit = fit_sources(*columns(crowd(50, 4)))
    assert (fit.lower <= fit.probability).all()
    assert (fit.probability <= fit.upper).all()
    assert (fit.reliability_lower <= fit.reliability).all()
    assert (fit.reliability <= fit.reliability_upper).all()
