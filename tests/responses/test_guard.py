"""Decorators and context managers that gate responses."""

import asyncio
from typing import Any

import pytest

from howsure.errors import BlockedError, InputError
from howsure.sure import Sure


def test_a_blocked_decorated_function_returns_i_do_not_know(sure: Sure) -> None:
    @sure.responses.gate(agent="a", agent_type="clerk")
    def answer(knowledge: float) -> tuple[str, dict[str, Any]]:
        """Answer."""
        return "It is documented.", {"knowledge": knowledge}

    @sure.responses.require(agent="a")
    async def later() -> str:
        return "Perhaps."

    assert answer(1.0) == "It is documented."
    assert answer(0.1).startswith("I don't know: my confidence is ")
    assert (answer.__name__, answer.__doc__) == ("answer", "Answer.")
    with pytest.raises(BlockedError, match="nothing supports the response") as blocked:
        asyncio.run(later())
    assert blocked.value.decision.decision == "review"
    assert len(sure.ledger.find().decisions) == 3

    def wrong() -> Any:
        return 5

    asked: Any = sure.responses.gate()(wrong)
    with pytest.raises(InputError, match="the function returned 5"):
        asked()


def test_no_response_is_an_empty_one_and_does_not_pass(sure: Sure) -> None:
    @sure.responses.gate(agent="a")
    def silent() -> None:
        return None

    @sure.responses.gate(agent="a")
    def answer() -> tuple[str | None, dict[str, Any]]:
        return None, {"knowledge": 0.95}

    assert silent().startswith("I don't know")
    assert answer().startswith("I don't know")


def test_a_guard_collects_knowledge_and_code_checks(sure: Sure) -> None:
    with sure.responses.guard(agent="a", agent_type="clerk") as guard:
        guard(knowledge=[0.95, 0.9])
        guard.text = "It is confirmed."
        with pytest.raises(InputError, match="not been checked"):
            _ = guard.reply
    assert guard.reply == "It is confirmed."
    with sure.responses.guard(agent="a") as guard:
        guard.text = "Maybe."
    assert guard.reply.startswith("I don't know")
    with pytest.raises(RuntimeError), sure.responses.guard(agent="a"):
        raise RuntimeError
    assert len(sure.ledger.find().decisions) == 2
