"""Enumerating and joining pairs of sources."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from howsure.fusion import pairs as module
from howsure.fusion.pairs import PairTest, enumerate_pairs, join_groups, share_weights, sum_ratios


@given(st.lists(st.integers(1, 6), min_size=1, max_size=8))
def test_all_pairs_within_runs_are_enumerated(sizes: list[int]) -> None:
    starts = np.cumsum([0, *sizes[:-1]])
    first, second = enumerate_pairs(starts, sum(sizes))
    expected = [
        pair for start, size in zip(starts, sizes, strict=True) for pair in combinations(range(start, start + size), 2)
    ]
    assert list(zip(first.tolist(), second.tolist(), strict=True)) == expected
    assert module.count_pairs(np.array(sizes)) == len(expected)


def test_ratios_are_those_of_the_definition_however_they_are_added(monkeypatch: pytest.MonkeyPatch) -> None:
    dice = np.random.default_rng(0)
    first, second = dice.integers(0, 5, 200), dice.integers(5, 9, 200)
    likelier, same = dice.uniform(1.0, 9.0, 200), dice.random(200) < 0.7
    full = sum_ratios(first, second, likelier, same, 9)
    for one, other, ratio in zip(*full, strict=True):
        own = (first == one) & (second == other)
        chances = [np.where(same, 1.0 - rate + rate * likelier, 1.0 - rate)[own].prod() for rate in module.RATES]
        assert ratio == pytest.approx(np.log(np.mean(chances)))
    monkeypatch.setattr(module, "_DENSE", 0)
    for one, two in zip(full, sum_ratios(second, first, likelier, same, 9), strict=True):
        np.testing.assert_allclose(one, two)


def as_test(ratios: dict[tuple[int, int], float]) -> PairTest:
    pairs = np.array(list(ratios))
    return PairTest(pairs[:, 0], pairs[:, 1], np.array(list(ratios.values())), 3.0)


def test_only_the_strongest_pairs_are_joined_at_once() -> None:
    groups = join_groups(np.arange(4), as_test({(0, 1): 20.0, (2, 3): 9.0}))
    assert groups.tolist() == [0, 0, 2, 3]
    assert join_groups(groups, as_test({(0, 1): 20.0, (2, 3): 9.0})).tolist() == [0, 0, 2, 2]


def test_groups_are_joined_only_if_half_of_the_pairs_across_pass() -> None:
    chain = as_test({(0, 1): 20.0, (2, 3): 19.0, (1, 2): 18.0})
    assert join_groups(np.arange(4), chain).tolist() == [0, 0, 2, 2]
    most = as_test({(0, 1): 20.0, (2, 3): 19.0, (1, 2): 18.0, (0, 2): 4.0})
    assert join_groups(np.arange(4), most).tolist() == [0, 0, 0, 0]
    two_of_six = as_test({(0, 2): 20.0, (1, 3): 20.0})
    assert join_groups(np.array([0, 0, 2, 2, 2]), two_of_six).tolist() == [0, 0, 2, 2, 2]


def test_members_that_agree_share_one_vote_and_a_little() -> None:
    candidates, sources = np.array([0, 0, 0, 1, 1]), np.array([0, 1, 2, 2, 3])
    shares = share_weights(candidates, sources, np.array([0, 0, 0, 3]))
    np.testing.assert_allclose(shares, [0.4, 0.4, 0.4, 1.0, 1.0])


def test_pairs_that_may_not_be_joined_do_not_hold_up_weaker_ones() -> None:
    groups = np.array([0, 0, 2, 2, 4, 5])
    first, second = np.array([0, 0, 1, 1, 4]), np.array([2, 3, 2, 3, 5])
    test = PairTest(first, second, np.array([1000.0, 0.0, 0.0, 0.0, 20.0]), 10.0)
    assert join_groups(groups, test).tolist() == [0, 0, 2, 2, 4, 4]
