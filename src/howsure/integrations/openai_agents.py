"""OpenAI Agents SDK: an output guardrail, and a run that replaces or repeats a blocked response."""

from collections import OrderedDict
from collections.abc import Callable
from typing import Any

from agents import (
    Agent,
    AgentHooks,
    GuardrailFunctionOutput,
    ItemHelpers,
    OutputGuardrail,
    OutputGuardrailTripwireTriggered,
    RunContextWrapper,
    Runner,
    TResponseInputItem,
)

from howsure.integrations.core import OnBlocked, ResponseGate, ask_again, replace_blocked
from howsure.integrations.messages import output_text, tool_results
from howsure.responses.gate import ResponseDecision

MOST_RUNS = 1000
"""Runs under way whose evidence is kept."""


class EvidenceHooks(AgentHooks[Any]):
    """Remembers what tools returned in each run, since a guardrail is only given the output."""

    def __init__(self) -> None:
        """Start without runs."""
        # By the id of the run's usage, the one object that all contexts of a run share.
        self._runs: OrderedDict[int, list[str]] = OrderedDict()

    async def on_llm_start(self, context: RunContextWrapper[Any], *given: Any, **named: Any) -> None:
        """Keep the results of tools among the items that the model is given, the last argument."""
        self._runs[id(context.usage)] = tool_results(named.get("input_items") or given[-1])
        while len(self._runs) > MOST_RUNS:
            self._runs.popitem(last=False)

    def take(self, context: RunContextWrapper[Any]) -> list[str]:
        """Return what tools returned in a run, and forget it."""
        return self._runs.pop(id(context.usage), [])


def output_guardrail(
    gate: ResponseGate | None = None,
    hooks: EvidenceHooks | None = None,
    *,
    context: Callable[[RunContextWrapper[Any]], list[str]] | None = None,
) -> OutputGuardrail[Any]:
    """Return a guardrail for `Agent(output_guardrails=[...])`; the `hooks` of the same agent give it the evidence.

    A response that does not pass raises OutputGuardrailTripwireTriggered with the decision as `output_info`.

    Args:
        gate: Decides; default: the store of the settings.
        hooks: The hooks of the agent.
        context: Returns retrieved texts that the output was made from, besides what tools returned.
    """
    gate = gate or ResponseGate()

    async def howsure(run: RunContextWrapper[Any], agent: Agent[Any], output: Any) -> GuardrailFunctionOutput:
        texts = (hooks.take(run) if hooks else []) + (context(run) if context else [])
        decision = await gate.acheck(output_text(output), agent=agent.name, context=texts)
        return GuardrailFunctionOutput(output_info=decision, tripwire_triggered=not decision.passed)

    return OutputGuardrail(howsure, name="howsure")


async def run_gated(
    agent: Agent[Any], question: str | list[TResponseInputItem], *, on_blocked: OnBlocked = "retry", retries: int = 1
) -> Any:
    """Run an agent that has the guardrail; return its output, or what to say instead if it is blocked.

    Raises:
        BlockedError: if it is blocked and `on_blocked` is "raise".
    """
    items = ItemHelpers.input_to_new_input_list(question)
    while True:
        try:
            return (await Runner.run(agent, items)).final_output
        except OutputGuardrailTripwireTriggered as error:
            decision = error.guardrail_result.output.output_info
            if not isinstance(decision, ResponseDecision):
                raise  # another guardrail
            if on_blocked != "retry" or retries <= 0:
                return replace_blocked(decision, on_blocked)
            retries -= 1
            done = error.run_data.new_items if error.run_data else []  # nothing is looked up again
            items = [*items, *(one.to_input_item() for one in done), {"role": "user", "content": ask_again(decision)}]
