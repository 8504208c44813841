"""Damping of closed values: how much answers tell, and how far sources are wrong together."""

import math

import numpy as np
import pytest

from howsure.fusion.answers import collect_answers
from howsure.fusion.closed_values import Labels, fit_closed
from howsure.fusion.damping import find_evidence_factor, leave_out, relative_information
from tests.fusion.test_closed_values import crowd


def information(right: float, values: int) -> float:
    """What an answer tells of a truth that is any of the values, as a share of what there is to know."""
    wrong = (1.0 - right) / (values - 1)
    entropy = -right * math.log(right) - (values - 1) * wrong * math.log(wrong)
    return 1.0 - entropy / math.log(values)


@pytest.mark.parametrize(("right", "values"), [(0.8, 4), (0.75, 3)])
def test_independent_answers_are_damped_by_what_they_tell_too_often(right: float, values: int) -> None:
    answers, _ = crowd(2000, right=[right] * 8, values=values)
    fit = fit_closed(answers)
    known = information(right, values)
    assert relative_information(fit.models, fit.log_prior) == pytest.approx(np.full(8, known), abs=0.08)
    assert fit.damping == pytest.approx(np.full(2000, 1.0 / (8 * known)), rel=0.1)


def test_answers_that_do_not_settle_an_item_are_not_damped() -> None:
    answers, _ = crowd(600, right=[0.6] * 6, values=2)
    assert (fit_closed(answers).damping == 1.0).all()


def test_sources_that_err_together_are_damped_more() -> None:
    """Half of the items are hard: everybody follows one shared, often wrong, impression of them."""
    dice = np.random.default_rng(0)
    truth = dice.integers(0, 2, 600)
    impression = np.where(dice.random(600) < 0.5, truth, np.where(dice.random(600) < 0.6, truth, 1 - truth))
    clear = np.where(np.arange(600) % 2 == 0, 0.95, 0.6)
    values = np.where(dice.random((600, 8)) < clear[:, None], impression[:, None], 1 - impression[:, None])
    item, source = np.divmod(np.arange(4800), 8)
    labels = Labels(collect_answers(item, source, values.ravel()))
    fit = fit_closed(labels.answers)
    assert find_evidence_factor(leave_out(labels), fit.models, fit.log_prior) < 0.9


def test_items_with_one_answer_are_not_damped() -> None:
    answers = collect_answers(np.arange(5), np.arange(5), np.array([0, 1, 0, 1, 0]))
    labels = Labels(answers)
    assert find_evidence_factor(leave_out(labels), [], np.zeros(2)) == 1.0
    fit = fit_closed(answers)
    assert (fit.damping == 1.0).all()
    assert fit.posterior.max() < 1.0


def test_one_value_tells_nothing() -> None:
    answers = collect_answers(np.array([0, 0, 1]), np.array([0, 1, 0]), np.zeros(3, dtype=np.int64))
    fit = fit_closed(answers)
    assert relative_information(fit.models, fit.log_prior).tolist() == [0.0, 0.0]
    assert fit.posterior.tolist() == [[1.0, 1.0]]
