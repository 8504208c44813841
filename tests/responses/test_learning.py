"""What is learned from decisions about responses."""

import math
from itertools import pairwise

import pytest

from howsure.errors import InputError
from howsure.responses.learning import (
    MOST_SIGNALS,
    KnownResponses,
    build_matrix,
    frequent_names,
    learn_responses,
    logit_points,
    read_values,
)


def _known(size: int) -> KnownResponses:
    cases = [{"composite": 0.3 + 0.6 * (place % 2), "knowledge_base": 0.5 * (place % 3)} for place in range(size)]
    return KnownResponses(cases, [float(place % 2) for place in range(size)], [("", "ann")] * size)


def test_without_news_the_fit_is_the_composite() -> None:
    matrix = build_matrix(_known(6))
    assert matrix.prior == (1.0, 0.0)
    assert [term.name for term in matrix.terms] == ["composite", "knowledge_base"]
    assert matrix.values[0].tolist() == pytest.approx([math.log(0.3 / 0.7), -2.0])
    assert learn_responses(_known(1)).quality is None


def test_points_of_log_odds_rise() -> None:
    points = logit_points()
    assert all(one < other for one, other in pairwise(points))
    assert points[len(points) // 2] == (0.5, 0.0)


def test_many_signals_are_limited_to_the_most_frequent() -> None:
    cases = [{"composite": 0.5, "often": 1.0, f"signal {place}": 1.0} for place in range(2 * MOST_SIGNALS)]
    names = frequent_names(cases)
    assert len(names) == MOST_SIGNALS
    assert "often" in names
    assert "composite" not in names


def test_details_of_other_models_are_left_out() -> None:
    row = {"knowledge_base_counts": 1.0, "sendable": 1.0, "deferral": 0.0}
    answer = {"policy": "evidence", "composite": 0.7, "history": None, "signals": {"rerank": 0.4}}
    assert read_values({"row": row, "answer": answer}) == {"composite": 0.7, "rerank": 0.4}
    assert read_values({"row": row, "answer": answer | {"policy": "nlnh"}}) is None
    assert read_values({"row": row | {"deferral": 1.0}, "answer": answer}) is None
    assert read_values({"row": {}, "answer": answer}) is None
    assert read_values({}) is None
    with pytest.raises(InputError, match="howsure outcome ID right"):
        learn_responses(KnownResponses())
