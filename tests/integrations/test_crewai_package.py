"""The CrewAI guardrail in tasks of the real package with a scripted model; not part of `make integrations`."""

from typing import Any

import pytest
from crewai import Agent, BaseLLM, Crew, Task

from howsure import Sure
from howsure.integrations.core import OnBlocked, ResponseGate
from howsure.integrations.crewai import task_guardrail
from tests.integrations.scripts import FACT, QUESTION, RIGHT, WRONG, recorded


class Scripted(BaseLLM):
    """A model that says what it is told to."""

    said: list[str] = []  # noqa: RUF012 - a field of a Pydantic model
    asked: list[Any] = []  # noqa: RUF012

    def call(self, messages: Any, *_: Any, **__: Any) -> str:
        self.asked.append(str(messages))
        return f"Thought: I know.\nFinal Answer: {self.said.pop(0)}"


def _run(gate: ResponseGate, *said: str, on_blocked: OnBlocked = "retry", retries: int = 1) -> tuple[str, Scripted]:
    model = Scripted(model="scripted", said=list(said), asked=[])
    agent = Agent(role="Guide", goal="Answer", backstory="Knows the manual", llm=model)
    guardrail = task_guardrail(gate, on_blocked=on_blocked, context=lambda _: [FACT])
    task = Task(
        description=QUESTION,
        expected_output="A port",
        agent=agent,
        guardrail=guardrail,
        guardrail_max_retries=retries,
    )
    return Crew(agents=[agent], tasks=[task]).kickoff().raw, model


def test_a_right_output_passes(gate: ResponseGate, sure: Sure) -> None:
    assert _run(gate, RIGHT)[0] == RIGHT
    assert recorded(sure) == [("Guide", "pass")]


def test_the_agent_is_asked_again_with_the_reason(gate: ResponseGate, sure: Sure) -> None:
    said, model = _run(gate, WRONG, RIGHT)
    assert said == RIGHT
    assert "was not sent" in model.asked[-1]
    assert recorded(sure) == [("Guide", "block"), ("Guide", "pass")]


def test_a_blocked_output_is_replaced(gate: ResponseGate) -> None:
    assert _run(gate, WRONG, on_blocked="replace")[0].startswith("I don't know: ")


def test_after_the_last_retry_crewai_raises(gate: ResponseGate) -> None:
    with pytest.raises(Exception, match="was not sent"):
        _run(gate, WRONG, WRONG)
