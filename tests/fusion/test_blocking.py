"""Choosing pairs of answers to compare."""

import numpy as np

from howsure.fusion.answers import collect_answers
from howsure.fusion.blocking import share_answers


def test_all_pairs_of_a_small_table_are_compared() -> None:
    answers = collect_answers(np.array([0, 0, 0, 1, 1]), np.array([0, 1, 2, 0, 1]), np.array([0, 0, 1, 0, 0]))
    shared = share_answers(answers, np.full(3, 0.5))
    pairs = zip(answers.sources[shared.one].tolist(), answers.sources[shared.two].tolist(), shared.same, strict=True)
    assert sorted(pairs) == [(0, 1, True), (0, 1, True), (0, 2, False), (1, 2, False)]
    assert not shared.blocked


def test_two_answers_of_one_source_are_no_pair() -> None:
    answers = collect_answers(np.array([0, 0]), np.array([0, 0]), np.array([0, 1]))
    assert not len(share_answers(answers, np.full(2, 0.5)).one)


def test_of_a_large_table_only_sources_that_share_unlikely_values_are_compared() -> None:
    """Sources 0 and 1 give the same wrong value for 5 items; 40 others agree on the likely one."""
    item, source = np.divmod(np.arange(5 * 42), 42)
    answers = collect_answers(item, source, (source < 2).astype(np.int64))
    probability = np.where(answers.candidate_values == 0, 0.9, 0.1)
    shared = share_answers(answers, probability, most=100)
    assert shared.blocked
    assert (answers.sources[shared.one].tolist(), answers.sources[shared.two].tolist()) == ([0] * 5, [1] * 5)
    assert shared.same.all()


def test_if_there_are_still_too_many_some_items_are_compared() -> None:
    item, source = np.divmod(np.arange(50 * 10), 10)
    answers = collect_answers(item, source, np.zeros(500, dtype=np.int64))
    shared = share_answers(answers, np.full(50, 0.1), most=450)
    assert 200 <= len(shared.one) <= 450
