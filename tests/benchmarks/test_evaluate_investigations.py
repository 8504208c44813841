"""The evaluation of investigations: areas within folds, and success rates of other folds."""

import pytest

from benchmarks.evaluate_investigations import average, hold_out_rates, within_folds
from howsure.formulas.chance import PRIOR, Chance
from howsure.investigations.learning import HeldOut


def _held(fold: int, *chances: tuple[float, bool]) -> list[HeldOut]:
    return [HeldOut(good, f"0:{fold}-{n}", fold, 0.5, chance) for n, (chance, good) in enumerate(chances)]


def test_runs_are_only_compared_with_runs_of_their_fold() -> None:
    low = _held(0, (0.2, True), (0.1, False), (0.3, True))
    high = _held(1, (0.9, True), (0.8, False), (0.7, False))
    assert within_folds([low + high]).value == 1.0
    assert within_folds([low + high, low + _held(1, (0.7, True), (0.8, False), (0.9, False))]).value == 0.75


def test_the_rate_is_that_of_the_other_folds() -> None:
    held = _held(0, (0.5, True), (0.5, True)) + _held(1, (0.5, False), (0.5, True)) + _held(2, (0.5, False))
    assert hold_out_rates(held) == pytest.approx([1 / 3, 1 / 3, 2 / 3, 2 / 3, 3 / 4])


def test_every_set_counts_the_same_in_the_average() -> None:
    models = [Chance(weights=dict.fromkeys(PRIOR, weight)) for weight in (0.0, 1.0)]
    assert set(average(models).weights.values()) == {0.5}
