"""LangChain and LangGraph: a middleware that gates the final response of an agent."""

from collections.abc import Callable
from itertools import takewhile
from typing import Any

from langchain.agents.middleware import AgentMiddleware, AgentState, hook_config
from langchain_core.messages import AIMessage, HumanMessage
from langgraph.runtime import Runtime

from howsure.integrations.core import OnBlocked, ResponseGate, ask_again, replace_blocked
from howsure.integrations.messages import output_text, tool_results
from howsure.responses.gate import ResponseDecision

NAME = "howsure"
"""Name of the messages that ask the model again."""


class GateMiddleware(AgentMiddleware):
    """Gates the last message of an agent, with what tools returned as the evidence.

    `create_agent(model, tools, middleware=[GateMiddleware(gate)])`. Messages that call tools are not responses.
    """

    def __init__(
        self,
        gate: ResponseGate | None = None,
        *,
        on_blocked: OnBlocked = "retry",
        retries: int = 1,
        context: Callable[[AgentState[Any]], list[str]] | None = None,
    ) -> None:
        """Gate with these options.

        Args:
            gate: Decides; default: the store of the settings.
            on_blocked: What to do with a blocked response. One that is still blocked after all retries is replaced.
            retries: How often the model is asked again for one response.
            context: Returns retrieved texts that are in the state but not in messages of tools.
        """
        super().__init__()
        self.gate: ResponseGate = gate or ResponseGate()
        self.on_blocked: OnBlocked = on_blocked
        self.retries = retries
        self._context = context

    @hook_config(can_jump_to=["model", "end"])
    def after_model(self, state: AgentState[Any], runtime: Runtime[Any]) -> dict[str, Any] | None:  # noqa: ARG002
        """Check a final response; return the change of the state if it is blocked."""
        text, evidence = self._read(state)
        return self._act(state, self.gate.check(text, **evidence)) if text else None

    @hook_config(can_jump_to=["model", "end"])
    async def aafter_model(self, state: AgentState[Any], runtime: Runtime[Any]) -> dict[str, Any] | None:  # noqa: ARG002
        """Do the same without blocking the event loop."""
        text, evidence = self._read(state)
        return self._act(state, await self.gate.acheck(text, **evidence)) if text else None

    def _read(self, state: AgentState[Any]) -> tuple[str, dict[str, Any]]:
        """Return the final response, empty if the model has called tools, and its evidence."""
        said = next((one for one in reversed(state["messages"]) if isinstance(one, AIMessage)), AIMessage(""))
        structured = state.get("structured_response")
        # A structured output is a call of a tool whose result repeats it: no evidence.
        own = {call["name"] for call in said.tool_calls} if structured is not None else set()
        found = tool_results(one for one in state["messages"] if one.name not in own or one.type != "tool")
        found += self._context(state) if self._context else []
        text = output_text(structured) if structured is not None else "" if said.tool_calls else said.text
        return text, {"agent": said.name or "", "context": found}

    def _act(self, state: AgentState[Any], decision: ResponseDecision) -> dict[str, Any] | None:
        if decision.passed:
            return None
        humans = [one for one in reversed(state["messages"]) if isinstance(one, HumanMessage)]
        asked = len(list(takewhile(lambda one: one.name == NAME, humans)))  # again, since the user's last message
        if self.on_blocked == "retry" and asked < self.retries:
            return {"messages": [HumanMessage(ask_again(decision), name=NAME)], "jump_to": "model"}
        structured = state.get("structured_response") is not None  # nothing can stand in for it
        said = replace_blocked(decision, "raise" if structured else self.on_blocked)
        return {"messages": [AIMessage(said, id=state["messages"][-1].id)], "jump_to": "end"}
