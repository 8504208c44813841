"""The output guardrail for the OpenAI Agents SDK, in runs of the real package with a scripted model."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest
from agents import (
    Agent,
    GuardrailFunctionOutput,
    Model,
    ModelResponse,
    OutputGuardrail,
    OutputGuardrailTripwireTriggered,
    Runner,
    Usage,
    function_tool,
)
from openai.types.responses import ResponseFunctionToolCall, ResponseOutputMessage, ResponseOutputText

from howsure import Sure
from howsure.errors import BlockedError
from howsure.integrations.core import ResponseGate
from howsure.integrations.openai_agents import EvidenceHooks, output_guardrail, run_gated
from tests.integrations.scripts import FACT, QUESTION, RIGHT, UNKNOWN, WRONG, recorded

LOOK_UP = "look up"
"""Says that the model calls the tool."""


class Scripted(Model):
    """A model that says what it is told to."""

    def __init__(self, *said: str) -> None:
        self.said = list(said)
        self.asked: list[Any] = []

    async def get_response(self, system_instructions: Any, input: Any, *_: Any, **__: Any) -> ModelResponse:  # noqa: A002
        self.asked.append(input)
        text, number = self.said.pop(0), len(self.asked)
        item: Any = ResponseOutputMessage(
            id=f"message-{number}",
            content=[ResponseOutputText(annotations=[], text=text, type="output_text")],
            role="assistant",
            status="completed",
            type="message",
        )
        if text == LOOK_UP:
            call: dict[str, Any] = {"arguments": '{"query": "port"}', "call_id": f"call-{number}", "name": "search"}
            item = ResponseFunctionToolCall(**call, type="function_call")
        return ModelResponse(output=[item], usage=Usage(), response_id=None)

    def stream_response(self, *_: Any, **__: Any) -> AsyncIterator[Any]:
        raise NotImplementedError


@function_tool
def search(query: str) -> str:
    """Search the manual."""
    return FACT


def _agent(gate: ResponseGate, model: Model, **options: Any) -> Agent[Any]:
    hooks = EvidenceHooks()
    guardrail = output_guardrail(gate, hooks)
    return Agent(name="guide", model=model, tools=[search], hooks=hooks, output_guardrails=[guardrail], **options)


def test_what_tools_returned_supports_the_response(gate: ResponseGate, sure: Sure) -> None:
    agent = _agent(gate, Scripted(LOOK_UP, RIGHT))
    assert asyncio.run(Runner.run(agent, QUESTION)).final_output == RIGHT
    assert recorded(sure) == [("guide", "pass")]


def test_texts_of_the_program_support_the_response(gate: ResponseGate) -> None:
    for said, start in ((RIGHT, RIGHT), (WRONG, "I don't know: ")):
        guardrail = output_guardrail(gate, context=lambda _: [FACT])
        agent = Agent(name="guide", model=Scripted(said), output_guardrails=[guardrail])
        assert asyncio.run(run_gated(agent, QUESTION, on_blocked="replace")).startswith(start)


def test_a_blocked_response_trips_the_wire_with_the_decision(gate: ResponseGate, sure: Sure) -> None:
    with pytest.raises(OutputGuardrailTripwireTriggered) as raised:
        asyncio.run(Runner.run(_agent(gate, Scripted(LOOK_UP, WRONG)), QUESTION))
    decision = raised.value.guardrail_result.output.output_info
    assert (decision.decision, decision.agent) == ("block", "guide")
    assert recorded(sure) == [("guide", "block")]


def test_a_blocked_response_is_asked_for_again_with_the_reason(gate: ResponseGate, sure: Sure) -> None:
    model = Scripted(LOOK_UP, WRONG, RIGHT)
    assert asyncio.run(run_gated(_agent(gate, model), QUESTION)) == RIGHT
    assert recorded(sure) == [("guide", "block"), ("guide", "pass")]
    assert "was not sent" in model.asked[-1][-1]["content"]
    assert any(item.get("type") == "function_call_output" for item in model.asked[-1]), "nothing is looked up again"


def test_a_response_that_is_blocked_again_is_replaced(gate: ResponseGate, sure: Sure) -> None:
    said = asyncio.run(run_gated(_agent(gate, Scripted(LOOK_UP, WRONG, WRONG, WRONG)), QUESTION, retries=2))
    assert said.startswith("I don't know: ")
    assert recorded(sure) == [("guide", "block")] * 3


def test_a_response_can_be_replaced_or_raised_at_once(gate: ResponseGate) -> None:
    replaced = run_gated(_agent(gate, Scripted(RIGHT)), QUESTION, on_blocked="replace")
    assert asyncio.run(replaced).startswith("I don't know: nothing was looked up")
    with pytest.raises(BlockedError):
        asyncio.run(run_gated(_agent(gate, Scripted(LOOK_UP, WRONG)), QUESTION, on_blocked="raise"))


def test_an_honest_answer_passes(gate: ResponseGate) -> None:
    assert asyncio.run(run_gated(_agent(gate, Scripted(UNKNOWN)), QUESTION)) == UNKNOWN


def test_runs_at_the_same_time_do_not_share_evidence(gate: ResponseGate) -> None:
    hooks = EvidenceHooks()

    async def run(*said: str) -> Any:
        guardrails = [output_guardrail(gate, hooks)]
        agent = Agent("guide", model=Scripted(*said), tools=[search], hooks=hooks, output_guardrails=guardrails)
        return await run_gated(agent, QUESTION, on_blocked="replace")

    async def both() -> list[Any]:
        return await asyncio.gather(*(run(LOOK_UP, RIGHT) if turn % 2 else run(RIGHT) for turn in range(10)))

    said = asyncio.run(both())
    assert [text == RIGHT for text in said] == [bool(turn % 2) for turn in range(10)]
    assert hooks._runs == {}


def test_other_guardrails_still_raise(gate: ResponseGate) -> None:
    def trip(*_: Any) -> GuardrailFunctionOutput:
        return GuardrailFunctionOutput(output_info="rude", tripwire_triggered=True)

    agent = _agent(gate, Scripted(LOOK_UP, RIGHT))
    agent.output_guardrails = [OutputGuardrail(trip)]
    with pytest.raises(OutputGuardrailTripwireTriggered):
        asyncio.run(run_gated(agent, QUESTION))
