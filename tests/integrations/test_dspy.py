"""The DSPy adapter, with records that are read as DSPy's are; test_dspy_package.py uses DSPy itself."""

import sys
from typing import Any

import pytest

from howsure import Sure
from howsure.errors import BlockedError, InputError
from howsure.integrations.core import ResponseGate
from howsure.integrations.dspy import GateMetric
from tests.integrations.scripts import FACT, QUESTION, RIGHT, WRONG, recorded


class Example:
    """Fields as attributes and by `get`, as in dspy.Example and dspy.Prediction."""

    def __init__(self, **fields: Any) -> None:
        self._store = fields

    def __getattr__(self, name: str) -> Any:
        return self._store[name]

    def get(self, name: str, default: Any = None) -> Any:
        return self._store.get(name, default)


def test_dspy_is_not_imported(gate: ResponseGate) -> None:
    GateMetric(gate)(Example(question=QUESTION), Example(answer=RIGHT, context=[FACT]))
    assert "dspy" not in sys.modules


def test_the_metric_is_the_confidence_and_a_bool_while_optimizing(gate: ResponseGate, sure: Sure) -> None:
    metric, example = GateMetric(gate), Example(question=QUESTION, context=FACT)
    assert metric(example, Example(answer=RIGHT)) > 0.9
    assert metric(example, Example(answer=WRONG)) < 0.1
    assert metric(example, Example(answer=RIGHT), trace=[]) is True
    assert metric(example, Example(answer=WRONG), trace=[]) is False
    assert recorded(sure) == [("dspy", "pass"), ("dspy", "block")] * 2


def test_the_reward_reaches_one_only_if_it_passes(gate: ResponseGate) -> None:
    metric = GateMetric(gate)
    assert metric.reward({"question": QUESTION}, Example(answer=RIGHT, context=[FACT])) == 1.0
    assert metric.reward({"question": QUESTION}, Example(answer=RIGHT)) < 1.0


def test_an_assertion_raises(gate: ResponseGate) -> None:
    metric = GateMetric(gate)
    metric.require(Example(answer=RIGHT, context=[FACT]))
    with pytest.raises(BlockedError) as raised:
        metric.require(Example(answer=WRONG, context=[FACT]))
    assert raised.value.decision.agent == "dspy"


def test_the_field_must_be_there(gate: ResponseGate) -> None:
    with pytest.raises(InputError, match="no field answer"):
        GateMetric(gate)(Example(), Example(response=RIGHT))
    assert (
        GateMetric(gate, field="response", context="passages")(Example(passages=[FACT]), Example(response=RIGHT)) > 0.9
    )
