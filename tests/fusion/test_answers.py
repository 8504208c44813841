"""Rows become distinct answers."""

import numpy as np
import pytest

from howsure.errors import InputError
from howsure.fusion import answers as module
from howsure.fusion.answers import collect_answers


def collect(table: list[tuple[int, int, int]], weights: list[float] | None = None) -> list[tuple[int, int, int, float]]:
    items, sources, values = np.array(table, dtype=np.int64).T
    made = collect_answers(items, sources, values, None if weights is None else np.array(weights))
    columns = (made.items, made.sources, made.values, made.weights)
    return list(zip(*(column.tolist() for column in columns), strict=True))


def test_a_repeated_answer_is_one_answer_with_its_largest_weight() -> None:
    assert collect([(0, 1, 0), (0, 1, 0), (0, 0, 0)], [0.5, 2.0, 1.0]) == [(0, 0, 0, 1.0), (0, 1, 0, 2.0)]


def test_a_source_divides_its_weight_among_its_values() -> None:
    assert collect([(0, 0, value) for value in range(4)]) == [(0, 0, value, 0.25) for value in range(4)]


def test_numbers_too_large_to_pack_are_sorted_one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    dice = np.random.default_rng(0)
    table = [(item % 50, int(dice.integers(0, 9)), int(dice.integers(0, 4))) for item in range(500)]
    weights = dice.integers(1, 4, 500).astype(float).tolist()
    packed = collect(table), collect(table, weights)
    monkeypatch.setattr(module, "_LARGEST", 1)
    assert (collect(table), collect(table, weights)) == packed


@pytest.mark.parametrize("weight", [-1.0, float("nan"), float("inf")])
def test_a_weight_is_a_finite_number_of_at_least_0(weight: float) -> None:
    with pytest.raises(InputError, match="weight"):
        collect([(0, 0, 0)], [weight])


def test_items_are_numbered_without_gaps() -> None:
    with pytest.raises(InputError, match="no answer"):
        collect([(1, 0, 0)])


def test_there_may_be_no_answers() -> None:
    nothing = np.zeros(0, dtype=np.int64)
    made = collect_answers(nothing, nothing, nothing)
    assert (made.item_count, made.sum_by_candidate(np.zeros(0)).size, made.sum_by_item(np.zeros(0)).size) == (0, 0, 0)
