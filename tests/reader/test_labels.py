"""The meaning of a model's outputs."""

import pytest

from howsure.reader import ReaderError
from howsure.reader.labels import labels_in, order_of


@pytest.mark.parametrize(
    ("labels", "entailment", "contradiction"),
    [
        (["contradiction", "entailment", "neutral"], 1, 0),
        (["ENTAILMENT", "NEUTRAL", "CONTRADICTION"], 0, 2),
        (["SUPPORTS", "REFUTES", "NOT_ENOUGH_INFO"], 0, 1),
        (["entailment", "not_entailment"], 0, None),
        (["unsupported", "supported"], 1, None),
        (["inconsistent", "consistent"], 1, None),
        (["LABEL_0", "LABEL_1"], 1, None),
        (["LABEL_0"], 0, None),
    ],
)
def test_known_orders(labels: list[str], entailment: int, contradiction: int | None) -> None:
    order = order_of(labels)
    assert (order.entailment, order.contradiction, order.outputs) == (entailment, contradiction, len(labels))


@pytest.mark.parametrize("labels", [["a", "b", "c"], ["entailment", "neutral", "other"]])
def test_unknown_labels_are_an_error(labels: list[str]) -> None:
    with pytest.raises(ReaderError, match="labels="):
        order_of(labels)


def test_labels_are_sorted_by_number_and_counted_if_unnamed() -> None:
    assert labels_in({"id2label": {"10": "k", "2": "c", "0": "a"}}) == ["a", "c", "k"]
    assert labels_in({"num_labels": 2}) == ["LABEL_0", "LABEL_1"]
    assert labels_in({}) == ["LABEL_0"]


def test_probabilities_have_a_sum_of_one_at_any_size() -> None:
    order = order_of(["entailment", "neutral", "contradiction"])
    assert sum(order.probabilities([900.0, -900.0, 0.0])) == pytest.approx(1)
    assert order_of(["LABEL_0"]).probabilities([-5000.0])[0] == pytest.approx(0)
