"""The output validator for Pydantic AI, in agents of the real package with a scripted model."""

from typing import Any

import pytest
from pydantic import BaseModel
from pydantic_ai import Agent
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import AgentInfo, FunctionModel

from howsure import Sure
from howsure.errors import BlockedError
from howsure.integrations.core import OnBlocked, ResponseGate
from howsure.integrations.pydantic_ai import output_validator
from tests.integrations.scripts import FACT, QUESTION, RIGHT, UNKNOWN, WRONG, recorded

LOOK_UP = ToolCallPart("search", {"query": "port"})


class Port(BaseModel):
    port: int


def _agent(
    gate: ResponseGate, *said: str | ToolCallPart, on_blocked: OnBlocked = "retry", **options: Any
) -> tuple[Agent[None, Any], list[list[ModelMessage]]]:
    """Return an agent whose model says this, and the list of what the model is asked."""
    script, asked = list(said), []

    def answer(messages: list[ModelMessage], _: AgentInfo) -> ModelResponse:
        asked.append(messages)
        part = script.pop(0)
        return ModelResponse([TextPart(part) if isinstance(part, str) else part])

    agent: Agent[None, Any] = Agent(FunctionModel(answer), name="guide", **options)

    @agent.tool_plain
    def search(query: str) -> str:
        """Search the manual."""
        return FACT

    agent.output_validator(output_validator(gate, on_blocked=on_blocked))
    return agent, asked


def test_what_tools_returned_supports_the_response(gate: ResponseGate, sure: Sure) -> None:
    agent, _ = _agent(gate, LOOK_UP, RIGHT)
    assert agent.run_sync(QUESTION).output == RIGHT
    assert recorded(sure) == [("guide", "pass")]


def test_texts_of_the_run_support_the_response(gate: ResponseGate) -> None:
    for said, start in ((RIGHT, RIGHT), (WRONG, "I don't know: ")):
        agent = Agent(FunctionModel(lambda *_, said=said: ModelResponse([TextPart(said)])), deps_type=list[str])
        agent.output_validator(output_validator(gate, on_blocked="replace", context=lambda run: run.deps))
        assert agent.run_sync(QUESTION, deps=[FACT]).output.startswith(start)


def test_a_blocked_response_is_asked_for_again_with_the_reason(gate: ResponseGate, sure: Sure) -> None:
    agent, asked = _agent(gate, LOOK_UP, WRONG, RIGHT)
    assert agent.run_sync(QUESTION).output == RIGHT
    assert recorded(sure) == [("guide", "block"), ("guide", "pass")]
    assert "was not sent" in str(asked[-1][-1].parts[-1].content)


def test_a_response_that_is_blocked_again_is_replaced(gate: ResponseGate, sure: Sure) -> None:
    agent, _ = _agent(gate, LOOK_UP, WRONG, WRONG, WRONG, RIGHT, retries=2)
    assert agent.run_sync(QUESTION).output.startswith("I don't know: ")
    assert recorded(sure) == [("guide", "block")] * 3


def test_a_response_can_be_replaced_or_raised_at_once(gate: ResponseGate) -> None:
    agent, _ = _agent(gate, RIGHT, on_blocked="replace")
    assert agent.run_sync(QUESTION).output.startswith("I don't know: nothing was looked up")
    agent, _ = _agent(gate, LOOK_UP, WRONG, on_blocked="raise")
    with pytest.raises(BlockedError):
        agent.run_sync(QUESTION)


def test_an_honest_answer_passes(gate: ResponseGate) -> None:
    agent, _ = _agent(gate, UNKNOWN)
    assert agent.run_sync(QUESTION).output == UNKNOWN


def test_structured_output_is_gated(gate: ResponseGate, sure: Sure) -> None:
    def said(port: int) -> ToolCallPart:
        return ToolCallPart("final_result", {"port": port})

    agent, _ = _agent(gate, LOOK_UP, said(9443), said(8443), output_type=Port)
    assert agent.run_sync(QUESTION).output == Port(port=8443)
    assert [decision for _, decision in recorded(sure)] == ["block", "pass"]
    agent, _ = _agent(gate, LOOK_UP, said(9443), output_type=Port, on_blocked="replace")
    with pytest.raises(BlockedError):
        agent.run_sync(QUESTION)
