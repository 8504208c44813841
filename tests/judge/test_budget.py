"""A budget limits everything that is called within it; requests that would exceed it are not sent."""

import asyncio
import contextvars
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from howsure.errors import InputError
from howsure.judge import Answer, Budget, ChatJudge, Failure, Question, ScriptedJudge
from howsure.judge.budget import current, estimate_tokens
from tests.conftest import Clock
from tests.judge import server as say
from tests.judge.conftest import MakeJudge
from tests.judge.server import JudgeServer

QUESTION = Question("test", {"type": "object"}, {"text": "a text"}, "Judge it.")
GOOD = say.answer({"text": "yes"})


def kinds(found: list[Answer | Failure]) -> list[str]:
    return ["" if one.ok else one.kind for one in found]


def test_calls_are_limited_and_nothing_more_is_sent(judge: ChatJudge, judge_server: JudgeServer) -> None:
    judge_server.otherwise = GOOD
    with Budget(calls=2) as budget:
        found = [judge.ask(QUESTION), asyncio.run(judge.aask(QUESTION)), judge.ask(QUESTION)]
    assert kinds(found) == ["", "", "budget"]
    assert isinstance(found[2], Failure)
    assert (found[2].message, found[2].attempts) == ("the budget of 2 calls is used up", 0)
    assert len(judge_server.requests) == budget.spent.calls == 2
    assert judge.ask(QUESTION).ok, "outside, there is no budget"


def test_every_request_is_a_call(judge: ChatJudge, judge_server: JudgeServer) -> None:
    judge_server.script(say.status(500), say.text("no json"), GOOD)
    with Budget(calls=2):
        found = judge.ask(QUESTION)
    assert kinds([found]) == ["budget"]
    assert found.attempts == len(judge_server.requests) == 2


def test_tokens_are_counted_as_reported_and_limited(judge: ChatJudge, judge_server: JudgeServer) -> None:
    judge_server.otherwise = say.answer({}, usage={"prompt_tokens": 900, "completion_tokens": 600})
    with Budget(tokens=2500) as budget:
        assert judge.ask(QUESTION).ok
        assert budget.spent.tokens == 1500
        assert judge.ask(QUESTION).ok
        found = judge.ask(QUESTION)
    assert isinstance(found, Failure)
    assert found.kind == "budget"
    assert "3000 of 2500 are used" in found.message
    assert len(judge_server.requests) == 2


def test_unreported_tokens_are_estimated(judge: ChatJudge, judge_server: JudgeServer) -> None:
    judge_server.script(say.answer({"text": "x" * 390}, usage=None))
    with Budget() as budget:
        assert judge.ask(QUESTION).ok
    sent = estimate_tokens(message["content"] for message in judge_server.requests[0].messages)
    assert budget.spent.tokens == sent + 101


def test_a_question_larger_than_what_is_left_is_not_sent(judge: ChatJudge, judge_server: JudgeServer) -> None:
    long = Question("test", {}, {"text": "word " * 1000}, "Judge it.")
    with Budget(tokens=1000):
        assert kinds([judge.ask(long)]) == ["budget"]
    assert not judge_server.requests


def test_a_rejected_request_costs_a_call_and_no_tokens(judge: ChatJudge, judge_server: JudgeServer) -> None:
    judge_server.script(say.status(401))
    with Budget() as budget:
        judge.ask(QUESTION)
    assert budget.spent[:2] == (1, 0)


def test_an_unreachable_endpoint_costs_no_tokens_a_truncated_answer_does(
    make_judge: MakeJudge, judge: ChatJudge, judge_server: JudgeServer
) -> None:
    with JudgeServer() as gone:
        address = gone.url
    with Budget() as budget:
        make_judge(base_url=address, retries=0).ask(QUESTION)
    assert budget.spent[:2] == (1, 0)
    judge_server.otherwise = say.half()
    with Budget() as budget:
        make_judge(retries=0).ask(QUESTION)
    assert budget.spent.tokens > 0


def test_seconds_are_limited(judge: ChatJudge, judge_server: JudgeServer, clock: Clock) -> None:
    judge_server.otherwise = GOOD
    with Budget(seconds=60, clock=clock) as budget:
        assert judge.ask(QUESTION).ok
        assert budget.seconds_left() == 60
        clock.now += 61
        assert budget.seconds_left() == 0
        assert kinds([judge.ask(QUESTION)]) == ["budget"]
    clock.now += 1000
    assert budget.spent.seconds == 61
    assert len(judge_server.requests) == 1


def test_a_question_under_way_ends_with_the_seconds(judge: ChatJudge, judge_server: JudgeServer) -> None:
    judge_server.otherwise = say.silent()
    with Budget(seconds=0.3):
        found = judge.ask(QUESTION)
    assert (kinds([found]), found.attempts) == (["budget"], 1)


def test_a_budget_within_a_budget_spends_from_both() -> None:
    judge = ScriptedJudge(lambda _: {})
    with Budget(calls=3) as outer:
        with Budget(calls=2) as inner:
            assert kinds([judge.ask(QUESTION) for _ in range(3)]) == ["", "", "budget"]
            assert current() is inner
        assert current() is outer
        with Budget(calls=100, seconds=1000) as inner:
            assert kinds([judge.ask(QUESTION) for _ in range(2)]) == ["", "budget"]
        assert (outer.spent.calls, inner.spent.calls) == (3, 1)
        assert outer.spent.tokens > inner.spent.tokens > 0
    assert current() is None


def test_threads_with_a_copy_of_the_context_share_a_budget(judge: ChatJudge, judge_server: JudgeServer) -> None:
    judge_server.otherwise = GOOD
    with ThreadPoolExecutor(8) as pool, Budget(calls=5) as budget:
        asked = [pool.submit(contextvars.copy_context().run, judge.ask, QUESTION) for _ in range(20)]
        found = kinds([one.result() for one in asked])
    assert (found.count(""), found.count("budget")) == (5, 15)
    assert budget.spent.calls == len(judge_server.requests) == 5


def test_tasks_share_a_budget(judge: ChatJudge, judge_server: JudgeServer) -> None:
    judge_server.otherwise = GOOD

    async def deeper() -> Answer | Failure:
        return await asyncio.create_task(judge.aask(QUESTION))

    async def many() -> list[Answer | Failure]:
        with Budget(calls=5):
            return await asyncio.gather(*(deeper() for _ in range(20)), asyncio.to_thread(judge.ask, QUESTION))

    found = kinds(asyncio.run(many()))
    assert (found.count(""), found.count("budget")) == (5, 16)
    assert len(judge_server.requests) == 5


def test_a_budget_of_one_task_is_not_that_of_another() -> None:
    judge = ScriptedJudge(lambda _: {})

    async def poor() -> str:
        with Budget(calls=0):
            await asyncio.sleep(0)
            return kinds([await judge.aask(QUESTION)])[0]

    async def rich() -> str:
        await asyncio.sleep(0)
        return kinds([await judge.aask(QUESTION)])[0]

    async def together() -> list[str]:
        return list(await asyncio.gather(poor(), rich()))

    assert asyncio.run(together()) == ["budget", ""]


def test_counts_are_right_under_many_threads() -> None:
    budget = Budget(calls=1000)
    granted: list[str] = []

    def take() -> None:
        for _ in range(200):
            granted.append(budget.take(3))
            budget.settle(3, 1)

    threads = [threading.Thread(target=take) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert granted.count("") == budget.spent.calls == 1000


def test_a_budget_is_shown_with_what_was_spent_of_it(clock: Clock) -> None:
    with Budget(calls=5, seconds=60, clock=clock) as budget:
        ScriptedJudge(lambda _: {}).ask(QUESTION)
    assert repr(budget) == "Budget(calls=1 of 5, seconds=0 of 60)"


def test_a_budget_is_used_once_and_is_not_negative() -> None:
    budget = Budget(calls=1)
    with budget, pytest.raises(InputError, match="already used"), budget:
        pass
    with pytest.raises(InputError, match="already used"):
        budget.__enter__()
    for wrong in ({"calls": -1}, {"tokens": -1}, {"seconds": float("nan")}):
        with pytest.raises(InputError, match="less than 0"):
            Budget(**wrong)
