"""Fixtures of the judge's tests: a real endpoint, and judges that ask it."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import pytest

from howsure.judge import ChatJudge
from tests.judge.server import JudgeServer

KEY = "sk-not-to-be-shown-0123456789"
MakeJudge = Callable[..., ChatJudge]


@pytest.fixture
def judge_server(monkeypatch: pytest.MonkeyPatch) -> Iterator[JudgeServer]:
    """Give an endpoint that answers by a script."""
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    with JudgeServer() as server:
        yield server


@pytest.fixture
def make_judge(judge_server: JudgeServer) -> Iterator[MakeJudge]:
    """Make judges that ask the endpoint, and do not wait long between requests."""
    with ExitStack() as opened:

        def make(**options: Any) -> ChatJudge:
            usual: dict[str, Any] = {
                "time_limit": 30,
                "backoff": 0.001,
                "base_url": judge_server.url,
                "model": "m",
                "key": KEY,
            }
            return opened.enter_context(ChatJudge(**(usual | options)))

        yield make


@pytest.fixture
def judge(make_judge: MakeJudge) -> ChatJudge:
    """Give a judge that asks the endpoint."""
    return make_judge()
