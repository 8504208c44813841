"""Pydantic AI: an output validator that gates the final output of an agent."""

from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

from pydantic_ai import ModelRetry, RunContext

from howsure.integrations.core import OnBlocked, ResponseGate, ask_again, replace_blocked
from howsure.integrations.messages import output_text

Output = TypeVar("Output")


def output_validator(
    gate: ResponseGate | None = None,
    *,
    on_blocked: OnBlocked = "retry",
    context: Callable[[RunContext[Any]], list[str]] | None = None,
) -> Callable[[RunContext[Any], Output], Awaitable[Output]]:
    """Return a validator: `agent.output_validator(output_validator(gate))`.

    What tools returned is the evidence. With "retry" the model is asked again as often as the agent allows; then a text
    is replaced by "I don't know", and for any other type of output BlockedError is raised.

    Args:
        gate: Decides; default: the store of the settings.
        on_blocked: What to do with an output that is blocked.
        context: Returns retrieved texts that the output was made from, such as those in the dependencies of the run.
    """
    gate = gate or ResponseGate()

    async def validate(ctx: RunContext[Any], output: Output) -> Output:
        if ctx.partial_output:  # the whole output is validated again at the end of the stream
            return output
        name = ctx.agent.name if ctx.agent else None
        question = ctx.prompt if isinstance(ctx.prompt, str) else ""
        text = output_text(output)
        found = _tool_returns(ctx) + (context(ctx) if context else [])
        decision = await gate.acheck(text, agent=name or "", context=found, question=question)
        if decision.passed:
            return output
        if on_blocked == "retry" and ctx.retry < ctx.max_retries:
            raise ModelRetry(ask_again(decision))
        # Nothing can stand in for an output that is no text.
        return replace_blocked(decision, on_blocked if isinstance(output, str) else "raise")  # type: ignore[return-value]

    return validate


def _tool_returns(ctx: RunContext[Any]) -> list[str]:
    """Return what tools returned without an error, from the messages of a run."""
    parts = [part for message in ctx.messages for part in message.parts]
    return [
        part.model_response_str() for part in parts if part.part_kind == "tool-return" and part.outcome == "success"
    ]
