"""The same question to the same model is asked once."""

import asyncio
import json
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from howsure.errors import InputError
from howsure.judge import Answer, Budget, CachedJudge, ChatJudge, Failure, Question, ScriptedJudge
from howsure.shapes.encode import encode
from tests.judge import server as say
from tests.judge.conftest import MakeJudge
from tests.judge.server import JudgeServer, Request, Step

SCHEMA = {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]}


def question(text: str = "a text") -> Question:
    return Question("test", SCHEMA, {"text": text}, "Judge it.")


QUESTION = question()
GOOD = say.answer({"text": "yes"})


def test_a_kept_answer_costs_no_request(judge: ChatJudge, judge_server: JudgeServer) -> None:
    judge_server.script(GOOD)
    cached = CachedJudge(judge)
    first = cached.ask(QUESTION)
    with Budget(calls=0):
        again = [cached.ask(QUESTION), asyncio.run(cached.aask(QUESTION))]
    assert isinstance(first, Answer)
    assert (first.cached, first.attempts) == (False, 1)
    for found in again:
        assert isinstance(found, Answer)
        assert (found.value, found.model) == (first.value, first.model)
        assert (found.cached, found.attempts, found.tokens_in, found.tokens_out) == (True, 0, 0, 0)
    assert len(judge_server.requests) == 1


def test_another_question_or_model_is_asked(make_judge: MakeJudge, judge_server: JudgeServer, tmp_path: Path) -> None:
    judge_server.otherwise = GOOD
    for model in ("m", "n", "m"):
        cached = CachedJudge(make_judge(model=model), folder=tmp_path)
        assert cached.model == model
        for text in ("a", "b", "a"):
            assert cached.ask(question(text)).ok
    assert len(judge_server.requests) == 4


def test_failures_are_not_kept(judge: ChatJudge, judge_server: JudgeServer, tmp_path: Path) -> None:
    cached = CachedJudge(judge, folder=tmp_path)
    judge_server.script(say.refusal("no"), GOOD)
    assert not cached.ask(QUESTION).ok
    assert not list(tmp_path.iterdir())
    assert cached.ask(QUESTION).ok


def test_changing_a_returned_answer_does_not_change_the_cache() -> None:
    cached = CachedJudge(ScriptedJudge(lambda _: {"text": "yes"}))
    for _ in range(3):
        found = cached.ask(QUESTION)
        assert isinstance(found, Answer)
        assert found.value == {"text": "yes"}
        found.value["text"] = "no"


def test_only_the_latest_stay_in_memory() -> None:
    judge = ScriptedJudge(lambda asked: {"text": asked.content["text"]})
    cached = CachedJudge(judge, size=2)
    for text in ("a", "b", "a", "c", "a", "b"):
        cached.ask(question(text))
    assert [asked.content["text"] for asked in judge.asked] == ["a", "b", "c", "b"]
    with pytest.raises(InputError, match="size"):
        CachedJudge(judge, size=-1)


def test_answers_stay_in_a_folder(tmp_path: Path) -> None:
    folder = tmp_path / "a" / "b"
    judge = ScriptedJudge([{"text": "yes"}])
    assert CachedJudge(judge, size=0, folder=folder).ask(QUESTION).ok
    (kept,) = folder.iterdir()
    assert kept.name == f"{QUESTION.key('scripted')}.json"
    assert json.loads(kept.read_text()) == {"value": {"text": "yes"}, "model": "scripted"}
    found = CachedJudge(judge, folder=folder).ask(QUESTION)
    assert isinstance(found, Answer)
    assert found.cached
    assert asyncio.run(CachedJudge(judge, folder=str(folder)).aask(QUESTION)).ok
    assert len(judge.asked) == 1


SPOILT = ["", "{", "[]", "null", '{"value": {"text": 5}, "model": "m"}', '{"model": "m"}', '{"value": {"text": "x"}}']


@pytest.mark.parametrize("content", SPOILT)
def test_a_spoilt_file_is_not_there(tmp_path: Path, content: str) -> None:
    path = tmp_path / f"{QUESTION.key('scripted')}.json"
    path.write_text(content)
    found = CachedJudge(ScriptedJudge([{"text": "yes"}]), folder=tmp_path).ask(QUESTION)
    assert isinstance(found, Answer)
    assert (found.value, found.cached) == ({"text": "yes"}, False)
    assert json.loads(path.read_text())["value"] == {"text": "yes"}
    assert list(tmp_path.iterdir()) == [path]


def test_caches_can_be_nested() -> None:
    judge = ScriptedJudge([{"text": "yes"}])
    inner = CachedJudge(judge)
    assert inner.ask(QUESTION).ok
    outer = CachedJudge(inner)
    assert outer.ask(QUESTION).ok
    inner._answers = type(inner._answers)(0, None)
    assert outer.ask(QUESTION).ok
    assert len(judge.asked) == 1


def test_an_unwritable_folder_does_not_prevent_answers(tmp_path: Path) -> None:
    folder = tmp_path / "kept"
    cached = CachedJudge(ScriptedJudge([{"text": "yes"}]), folder=folder)
    folder.rmdir()
    assert cached.ask(QUESTION).ok
    assert cached.ask(QUESTION).ok
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="folder: cannot create .*: "):
        CachedJudge(ScriptedJudge([]), folder=tmp_path / "file" / "kept")


class Counting(CachedJudge):
    """Tells when so many are asking or waiting."""

    joined = threading.Semaphore(0)

    def _join(self, key: str, *, is_async: bool) -> Any:
        found = super()._join(key, is_async=is_async)
        self.joined.release()
        return found


@pytest.mark.parametrize("step", [GOOD, say.refusal("no")], ids=["answer", "refusal"])
def test_the_same_question_at_the_same_time_is_asked_once(
    judge: ChatJudge, judge_server: JudgeServer, step: Step
) -> None:
    cached = Counting(judge)
    judge_server.script(step)
    judge_server.otherwise = say.status(401, "it was asked twice")

    def ask(number: int) -> Answer | Failure:
        return cached.ask(QUESTION) if number % 2 else asyncio.run(cached.aask(QUESTION))

    with ThreadPoolExecutor(16) as pool:
        with judge_server.holding():
            asked = [pool.submit(ask, number) for number in range(16)]
            assert all(cached.joined.acquire(timeout=30) for _ in asked)
        found = [one.result() for one in asked]
    assert len(judge_server.requests) == 1
    assert {one.ok for one in found} == {step is GOOD}
    assert sorted(one.attempts for one in found) == [0] * 15 + [1]


def test_tasks_of_one_loop_ask_once(judge: ChatJudge, judge_server: JudgeServer) -> None:
    cached = CachedJudge(judge)
    judge_server.script(GOOD)

    async def many() -> list[Answer | Failure]:
        return await asyncio.gather(*(cached.aask(QUESTION) for _ in range(20)))

    assert all(found.ok for found in asyncio.run(many()))
    assert len(judge_server.requests) == 1


def test_if_the_asking_caller_gives_up_another_one_asks(judge: ChatJudge, judge_server: JudgeServer) -> None:
    cached = CachedJudge(judge)
    judge_server.script(say.silent(), GOOD)

    async def give_up() -> list[Any]:
        first = asyncio.create_task(cached.aask(QUESTION))
        await asyncio.to_thread(judge_server.wait_for, 1)
        others = [asyncio.create_task(cached.aask(QUESTION)) for _ in range(3)]
        await asyncio.sleep(0)
        first.cancel()
        return await asyncio.gather(first, *others, return_exceptions=True)

    first, *others = asyncio.run(give_up())
    assert isinstance(first, asyncio.CancelledError)
    assert all(found.ok for found in others)
    assert len(judge_server.requests) == 2


def test_a_waiting_caller_can_give_up_alone(judge: ChatJudge, judge_server: JudgeServer) -> None:
    cached = CachedJudge(judge)
    judge_server.script(GOOD)

    async def give_up() -> list[Any]:
        with judge_server.holding():
            asked = [asyncio.create_task(cached.aask(QUESTION)) for _ in range(3)]
            await asyncio.to_thread(judge_server.wait_for, 1)
            asked[1].cancel()
            await asyncio.wait([asked[1]])
        return await asyncio.gather(*asked, return_exceptions=True)

    first, second, third = asyncio.run(give_up())
    assert first.ok
    assert isinstance(second, asyncio.CancelledError)
    assert third.ok


def test_waiting_callers_have_their_own_budget(judge: ChatJudge, judge_server: JudgeServer) -> None:
    cached = CachedJudge(judge)
    judge_server.script(say.silent(), GOOD)

    def poor() -> Answer | Failure:
        with Budget(seconds=0.5):
            return cached.ask(QUESTION)

    with ThreadPoolExecutor() as pool:
        first = pool.submit(poor)
        judge_server.wait_for(1)
        second = pool.submit(cached.ask, QUESTION)
        found = first.result()
        assert isinstance(found, Failure)
        assert found.kind == "budget"
        assert second.result().ok


@pytest.mark.parametrize("way", ["thread", "task"])
def test_waiting_callers_keep_their_time_limit(judge: ChatJudge, judge_server: JudgeServer, way: str) -> None:
    cached = CachedJudge(judge)
    judge_server.script(GOOD)
    with ThreadPoolExecutor() as pool, judge_server.holding():
        pool.submit(cached.ask, QUESTION)
        judge_server.wait_for(1)
        with Budget(seconds=0.1):
            found = cached.ask(QUESTION) if way == "thread" else asyncio.run(cached.aask(QUESTION))
    assert isinstance(found, Failure)
    assert (found.kind, found.attempts) == ("budget", 0)


def test_a_caller_does_not_wait_for_itself() -> None:
    depth = []

    def ask_again(asked: Question) -> Any:
        depth.append(1)
        return {"text": "yes"} if len(depth) > 1 else encode(cached.ask(asked))["value"]

    cached = CachedJudge(ScriptedJudge(ask_again))
    assert cached.ask(QUESTION).ok
    assert len(depth) == 2


def test_a_thread_does_not_wait_for_its_own_task(judge: ChatJudge, judge_server: JudgeServer) -> None:
    cached = CachedJudge(judge)
    came = threading.Event()

    def once_the_second_has_come(_: Request) -> Step:
        assert came.wait(30)
        return GOOD

    def second(_: Request) -> Step:
        came.set()
        return GOOD

    judge_server.script(once_the_second_has_come, second)

    async def mixed() -> list[Answer | Failure]:
        first = asyncio.create_task(cached.aask(QUESTION))
        await asyncio.to_thread(judge_server.wait_for, 1)
        return [cached.ask(QUESTION), await first]

    assert all(found.ok for found in asyncio.run(mixed()))


def test_errors_reach_only_the_asking_caller() -> None:
    calls = iter([ValueError("mine"), None])

    def fail_once(_: Question) -> Any:
        error = next(calls)
        if error is not None:
            raise error
        return {"text": "yes"}

    cached = CachedJudge(ScriptedJudge(fail_once))
    with pytest.raises(ValueError, match="mine"):
        cached.ask(QUESTION)
    assert cached.ask(QUESTION).ok
    assert "ScriptedJudge" in repr(cached)


def test_many_threads_with_many_questions_get_their_own_answers(tmp_path: Path) -> None:
    judge = ScriptedJudge(lambda asked: {"text": asked.content["text"]})
    cached = CachedJudge(judge, size=3, folder=tmp_path)

    def ask(number: int) -> bool:
        text = str(number % 10)
        found = cached.ask(question(text)) if number % 3 else asyncio.run(cached.aask(question(text)))
        return isinstance(found, Answer) and found.value == {"text": text}

    with ThreadPoolExecutor(16) as pool:
        assert all(pool.map(ask, range(200)))
    assert len(judge.asked) == 10
    assert len(list(tmp_path.iterdir())) == 10


def test_answers_accepted_by_the_question_are_cached(
    judge: ChatJudge, judge_server: JudgeServer, tmp_path: Path
) -> None:
    judge_server.script(say.answer({"text": 5}))
    loose = Question("test", SCHEMA, {"text": "a text"}, "Judge it.", accepted={"type": "object"})
    for cached in (CachedJudge(judge, folder=tmp_path), CachedJudge(judge, folder=tmp_path)):
        found = cached.ask(loose)
        assert isinstance(found, Answer)
        assert found.value == {"text": 5}
    (request,) = judge_server.requests
    assert request.body["response_format"]["json_schema"]["schema"] == SCHEMA
