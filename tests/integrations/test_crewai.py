"""The CrewAI guardrail, with outputs that have the fields of CrewAI's; test_crewai_package.py uses CrewAI itself."""

import inspect
import sys
from dataclasses import dataclass, field
from typing import Any, get_args, get_origin

import pytest

from howsure import Sure
from howsure.errors import BlockedError
from howsure.integrations.core import ResponseGate
from howsure.integrations.crewai import task_guardrail
from tests.integrations.scripts import FACT, QUESTION, RIGHT, WRONG, recorded


@dataclass
class TaskOutput:
    """The fields of crewai.TaskOutput that a guardrail may read."""

    raw: str
    description: str = QUESTION
    agent: str = "Guide"
    messages: list[dict[str, Any]] = field(default_factory=list)


LOOKED_UP = [{"role": "tool", "content": FACT}]


def test_crewai_is_not_imported_and_accepts_the_signature(gate: ResponseGate) -> None:
    signature = inspect.signature(task_guardrail(gate))
    assert len(signature.parameters) == 1
    # CrewAI checks these two at run time.
    assert get_origin(signature.return_annotation) is tuple
    assert get_args(signature.return_annotation) == (bool, Any)
    assert "crewai" not in sys.modules


def test_what_tools_returned_supports_the_output(gate: ResponseGate, sure: Sure) -> None:
    assert task_guardrail(gate)(TaskOutput(RIGHT, messages=LOOKED_UP)) == (True, RIGHT)
    assert recorded(sure) == [("Guide", "pass")]


def test_a_blocked_output_is_asked_for_again_with_the_reason(gate: ResponseGate, sure: Sure) -> None:
    passed, reason = task_guardrail(gate)(TaskOutput(WRONG, messages=LOOKED_UP))
    assert not passed
    assert "was not sent" in reason
    assert recorded(sure) == [("Guide", "block")]


def test_an_output_can_be_replaced_or_raised(gate: ResponseGate) -> None:
    passed, said = task_guardrail(gate, on_blocked="replace")(TaskOutput(RIGHT))
    assert passed
    assert said.startswith("I don't know: nothing was looked up")
    with pytest.raises(BlockedError):
        task_guardrail(gate, on_blocked="raise")(TaskOutput(WRONG, messages=LOOKED_UP))


def test_more_texts_can_be_given(gate: ResponseGate) -> None:
    assert task_guardrail(gate, context=lambda _: [FACT])(TaskOutput(RIGHT)) == (True, RIGHT)
