"""CrewAI: a guardrail for tasks. CrewAI itself is not imported."""

from collections.abc import Callable
from typing import Any

from howsure.integrations.core import OnBlocked, ResponseGate, ask_again, replace_blocked
from howsure.integrations.messages import tool_results


def task_guardrail(
    gate: ResponseGate | None = None,
    *,
    on_blocked: OnBlocked = "retry",
    context: Callable[[Any], list[str]] | None = None,
) -> Callable[[Any], tuple[bool, Any]]:
    """Return a guardrail: `Task(..., guardrail=task_guardrail(gate))`.

    What tools returned in the messages of the task is the evidence. With "retry", CrewAI gives the reason to the agent
    and runs the task again, as often as `guardrail_max_retries` of the task allows; then it raises an error.

    Args:
        gate: Decides; default: the store of the settings.
        on_blocked: What to do with an output that is blocked.
        context: Returns retrieved texts that the output was made from, besides what tools returned.
    """
    gate = gate or ResponseGate()

    def guardrail(output: Any) -> tuple[bool, Any]:
        texts = tool_results(output.messages or ()) + (context(output) if context else [])
        question = getattr(output, "description", "") or ""
        decision = gate.check(
            output.raw, agent=getattr(output, "agent", None) or "crewai", context=texts, question=question
        )
        if decision.passed:
            return True, output.raw
        if on_blocked == "retry":
            return False, ask_again(decision)
        return True, replace_blocked(decision, on_blocked)

    return guardrail
