"""Callers in any thread and event loop share one event loop, which ends with its judge."""

import asyncio
import gc
import os
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from howsure.judge import Answer, ChatJudge, Failure, Question
from tests.judge import server as say
from tests.judge.asking import GOOD, QUESTION, SCHEMA, answered, both, failed
from tests.judge.conftest import MakeJudge
from tests.judge.server import JudgeServer


def test_many_threads_and_loops_may_share_a_judge(make_judge: MakeJudge, judge_server: JudgeServer) -> None:
    judge = make_judge(concurrency=8)
    judge_server.otherwise = lambda request: say.answer({"text": request.said("user").split("\n")[2]})

    def ask(number: int) -> tuple[str, Any]:
        question = Question("test", SCHEMA, {"text": f"number {number}"}, "Repeat it.")
        found = judge.ask(question) if number % 2 else asyncio.run(judge.aask(question))
        return f"number {number}", answered(found).value["text"]

    with ThreadPoolExecutor(16) as pool:
        for asked, said in pool.map(ask, range(60)):
            assert asked == said


def test_closing_cancels_what_is_under_way_and_what_comes_later(
    make_judge: MakeJudge, judge_server: JudgeServer
) -> None:
    judge = make_judge(concurrency=1)
    judge_server.otherwise = say.silent()

    async def late() -> Answer | Failure:
        return await judge.aask(QUESTION)

    with ThreadPoolExecutor() as pool:
        asked = [pool.submit(judge.ask, QUESTION), pool.submit(asyncio.run, late())]
        judge_server.wait_for(1)
        judge.close()
        assert [failed(one.result()).kind for one in asked] == ["cancelled", "cancelled"]
    judge.close()
    for found in both(judge):
        assert (failed(found).kind, found.attempts) == ("cancelled", 0)


def test_a_cancelled_task_cancels_only_its_own_request(judge: ChatJudge, judge_server: JudgeServer) -> None:
    judge_server.script(say.silent())
    judge_server.otherwise = GOOD

    async def give_up() -> None:
        task = asyncio.create_task(judge.aask(QUESTION))
        await asyncio.to_thread(judge_server.wait_for, 1)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        answered(await judge.aask(QUESTION))

    asyncio.run(give_up())
    answered(judge.ask(QUESTION))


def test_asking_within_an_event_loop_without_await_works_too(judge: ChatJudge, judge_server: JudgeServer) -> None:
    judge_server.otherwise = GOOD

    async def blocking() -> Answer | Failure:
        return judge.ask(QUESTION)

    assert answered(asyncio.run(blocking())).value == {"text": "yes"}


def test_a_forgotten_judge_leaves_no_thread(judge_server: JudgeServer) -> None:
    judge_server.otherwise = GOOD
    judge = ChatJudge(judge_server.url, "m")
    answered(judge.ask(QUESTION))
    before = {thread for thread in threading.enumerate() if thread.name == "howsure-judge"}
    assert before
    del judge
    gc.collect()
    assert not {thread for thread in threading.enumerate() if thread.name == "howsure-judge"}


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_judge_may_be_used_after_a_fork(judge: ChatJudge, judge_server: JudgeServer) -> None:
    judge_server.otherwise = GOOD
    answered(judge.ask(QUESTION))
    child = os.fork()
    if child == 0:
        code = 1
        try:
            code = 0 if judge.ask(QUESTION).ok else 2
        finally:
            os._exit(code)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    answered(judge.ask(QUESTION))
