"""The LangChain middleware, in agents of the real package with a scripted model."""

import asyncio
from typing import Any

import pytest
from langchain.agents import create_agent
from langchain.agents.structured_output import ToolStrategy
from langchain_core.language_models.fake_chat_models import FakeMessagesListChatModel
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
from langchain_core.tools import tool
from pydantic import BaseModel

from howsure import Sure
from howsure.errors import BlockedError
from howsure.integrations.core import ResponseGate
from howsure.integrations.langchain import GateMiddleware
from tests.integrations.scripts import FACT, QUESTION, RIGHT, UNKNOWN, WRONG, recorded


class Scripted(FakeMessagesListChatModel):
    """A model that says what it is told to, with tools bound."""

    def bind_tools(self, *_: Any, **__: Any) -> "Scripted":
        return self


@tool
def search(query: str) -> str:
    """Search the manual."""
    return FACT


class Port(BaseModel):
    port: int


LOOK_UP = AIMessage("", tool_calls=[{"name": "search", "args": {"query": "port"}, "id": "call-1"}])


def _ask(middleware: GateMiddleware, *said: AIMessage | str, **options: Any) -> dict[str, Any]:
    model = Scripted(responses=[AIMessage(one) if isinstance(one, str) else one for one in said])
    agent = create_agent(model, [search], middleware=[middleware], name="guide", **options)
    result: dict[str, Any] = agent.invoke({"messages": [HumanMessage(QUESTION)]})
    return result


def _last(result: dict[str, Any]) -> str:
    return str(result["messages"][-1].text)


def test_what_tools_returned_supports_the_response(gate: ResponseGate, sure: Sure) -> None:
    assert _last(_ask(GateMiddleware(gate), LOOK_UP, RIGHT)) == RIGHT
    assert recorded(sure) == [("guide", "pass")]  # the message that calls a tool is no response


def test_a_blocked_response_is_asked_for_again_with_the_reason(gate: ResponseGate, sure: Sure) -> None:
    result = _ask(GateMiddleware(gate), LOOK_UP, WRONG, RIGHT)
    assert _last(result) == RIGHT
    assert recorded(sure) == [("guide", "block"), ("guide", "pass")]
    asked = [message for message in result["messages"] if isinstance(message, HumanMessage)]
    assert "grounding" in asked[1].text
    assert "was not sent" in asked[1].text


def test_a_response_that_is_blocked_again_is_replaced(gate: ResponseGate, sure: Sure) -> None:
    result = _ask(GateMiddleware(gate, retries=2), LOOK_UP, WRONG, WRONG, WRONG, RIGHT)
    assert _last(result).startswith("I don't know: ")
    assert recorded(sure) == [("guide", "block")] * 3


def test_a_response_is_replaced_in_place(gate: ResponseGate) -> None:
    result = _ask(GateMiddleware(gate, on_blocked="replace"), LOOK_UP, WRONG)
    assert _last(result).startswith("I don't know: ")
    assert WRONG not in [message.text for message in result["messages"]]


def test_a_response_without_evidence_is_for_review_and_not_sent(gate: ResponseGate, sure: Sure) -> None:
    assert _last(_ask(GateMiddleware(gate, on_blocked="replace"), RIGHT)).startswith("I don't know: ")
    assert recorded(sure) == [("guide", "review")]


def test_an_honest_answer_passes(gate: ResponseGate) -> None:
    assert _last(_ask(GateMiddleware(gate), RIGHT, UNKNOWN)) == UNKNOWN


def test_an_error_can_be_asked_for(gate: ResponseGate) -> None:
    with pytest.raises(BlockedError) as raised:
        _ask(GateMiddleware(gate, on_blocked="raise"), LOOK_UP, WRONG)
    assert raised.value.decision.should_block


def test_the_event_loop_is_not_needed_but_used(gate: ResponseGate, sure: Sure) -> None:
    model = Scripted(responses=[LOOK_UP, AIMessage(WRONG), AIMessage(RIGHT)])
    agent = create_agent(model, [search], middleware=[GateMiddleware(gate)], name="guide")
    result = asyncio.run(agent.ainvoke({"messages": [HumanMessage(QUESTION)]}))
    assert _last(result) == RIGHT
    assert recorded(sure) == [("guide", "block"), ("guide", "pass")]


def test_a_failed_tool_is_no_evidence(gate: ResponseGate, sure: Sure) -> None:
    messages = [
        HumanMessage(QUESTION),
        LOOK_UP,
        ToolMessage(FACT, tool_call_id="call-1", status="error"),
    ]
    agent = create_agent(Scripted(responses=[AIMessage(RIGHT)]), [search], middleware=[GateMiddleware(gate, retries=0)])
    assert _last(agent.invoke({"messages": messages})).startswith("I don't know: ")


def test_structured_output_is_gated(gate: ResponseGate, sure: Sure) -> None:
    def said(port: int) -> AIMessage:
        return AIMessage("", tool_calls=[{"name": "Port", "args": {"port": port}, "id": f"call-{port}"}])

    good = _ask(GateMiddleware(gate), LOOK_UP, said(8443), response_format=ToolStrategy(Port))
    assert good["structured_response"] == Port(port=8443)
    with pytest.raises(BlockedError):
        _ask(GateMiddleware(gate, on_blocked="replace"), LOOK_UP, said(9443), response_format=ToolStrategy(Port))
    again = _ask(GateMiddleware(gate), LOOK_UP, said(9443), said(8443), response_format=ToolStrategy(Port))
    assert again["structured_response"] == Port(port=8443)


def test_more_texts_can_come_from_the_state(gate: ResponseGate) -> None:
    assert _last(_ask(GateMiddleware(gate, context=lambda _: [FACT]), RIGHT)) == RIGHT
