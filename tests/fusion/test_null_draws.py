"""Answers drawn as if nobody copied."""

import numpy as np
import pytest

from howsure.fusion.answers import Answers, collect_answers
from howsure.fusion.null_draws import MOST_CHOICES, count_choices, draw_answers
from howsure.fusion.open_values import fit_open


def _answers(right: list[float], items: int, choices: int, seed: int = 0) -> Answers:
    dice = np.random.default_rng(seed)
    rows, sources = np.divmod(np.arange(items * len(right)), len(right))
    wrong = 1 + dice.integers(choices, size=len(rows))
    values = np.where(dice.random(len(rows)) < np.array(right)[sources], 0, wrong)
    return collect_answers(rows, sources, values)


def test_sources_are_as_often_right_and_agree_as_often_as_asked() -> None:
    answers = _answers([0.9, 0.8, 0.7, 0.6, 0.6], 4000, 5)
    fit = fit_open(answers)
    reliability = np.array([0.9, 0.8, 0.7, 0.6, 0.6])
    drawn = draw_answers(answers, fit, reliability, 5.0, np.arange(5), np.random.default_rng(1))
    assert (drawn.item_count, drawn.source_count) == (answers.item_count, answers.source_count)
    assert np.bincount(drawn.sources).tolist() == np.bincount(answers.sources).tolist()
    for one, two in ((answers, fit), (drawn, fit_open(drawn))):
        again = fit_open(one)
        assert again.reliability == pytest.approx(fit.reliability, abs=0.03)
        assert count_choices(one, two) == pytest.approx(count_choices(answers, fit), rel=0.15)


def test_sources_of_one_group_answer_alike() -> None:
    answers = _answers([0.8, 0.8, 0.8], 500, 5)
    fit = fit_open(answers)
    drawn = draw_answers(answers, fit, fit.reliability, 5.0, np.array([0, 0, 2]), np.random.default_rng(1))
    values = drawn.values[np.lexsort((drawn.sources, drawn.items))].reshape(-1, 3)
    assert (values[:, 0] == values[:, 1]).all()
    assert (values[:, 0] != values[:, 2]).any()


def test_the_number_of_wrong_values_is_seen_in_how_rarely_they_agree() -> None:
    tables = [_answers([0.7] * 6, 2000, choices) for choices in (1, 4, 10_000)]
    one, few, many = (count_choices(answers, fit_open(answers)) for answers in tables)
    assert 1.0 <= one < few < many <= MOST_CHOICES
