"""ChatJudge: settings, deadlines, limits, and secrets that it never shows."""

import asyncio
import logging
import os
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from howsure.errors import InputError, MissingExtraError
from howsure.judge import Answer, ChatJudge, Failure
from howsure.shapes.encode import encode
from tests.judge import server as say
from tests.judge.asking import GOOD, QUESTION, answered, both, failed
from tests.judge.conftest import KEY, MakeJudge
from tests.judge.server import MODEL, JudgeServer, Request, Step


def test_a_good_answer_comes_back_checked(judge: ChatJudge, judge_server: JudgeServer) -> None:
    judge_server.otherwise = GOOD
    for found in both(judge):
        assert answered(found).value == {"text": "yes"}
        assert (found.model, found.attempts, found.tokens_in, found.tokens_out) == (MODEL, 1, 100, 20)  # type: ignore[union-attr]
        assert found.seconds > 0
    assert len(judge_server.requests) == 2


def test_no_answer_in_time_is_a_timeout(make_judge: MakeJudge, judge_server: JudgeServer) -> None:
    judge = make_judge(time_limit=1)
    judge_server.script(say.silent(), say.endless())
    for found in both(judge):
        assert (failed(found).kind, found.attempts) == ("timeout", 1)
        assert found.message == f"{judge_server.url} sent no answer within 1 s"  # type: ignore[union-attr]
    judge_server.otherwise = GOOD
    answered(judge.ask(QUESTION))


def test_ctrl_c_ends_the_question_and_not_the_judge(judge: ChatJudge, judge_server: JudgeServer) -> None:
    def interrupt(_: Request) -> Step:
        os.kill(os.getpid(), signal.SIGINT)
        return say.silent()

    judge_server.script(interrupt)
    judge_server.otherwise = GOOD
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt):
            judge.ask(QUESTION)
    finally:
        signal.signal(signal.SIGINT, before)
    answered(judge.ask(QUESTION))


def test_the_number_of_concurrent_questions_is_limited(make_judge: MakeJudge, judge_server: JudgeServer) -> None:
    judge = make_judge(concurrency=3)
    judge_server.otherwise = GOOD

    async def many() -> list[Answer | Failure]:
        return await asyncio.gather(*(judge.aask(QUESTION) for _ in range(10)))

    with ThreadPoolExecutor(20) as pool:
        with judge_server.holding():
            asked = [pool.submit(judge.ask, QUESTION) for _ in range(10)]
            together = pool.submit(asyncio.run, many())
            judge_server.wait_for(3)
            time.sleep(0.2)  # time for a fourth to come, if one could
            assert len(judge_server.requests) == 3
        for found in [*(one.result() for one in asked), *together.result()]:
            answered(found)
    assert judge_server.most_at_once <= 3
    assert len(judge_server.requests) == 20


def test_waiting_for_a_place_does_not_count_as_time(make_judge: MakeJudge, judge_server: JudgeServer) -> None:
    judge = make_judge(concurrency=1, time_limit=1)
    judge_server.script(say.silent())
    judge_server.otherwise = GOOD
    with ThreadPoolExecutor() as pool:
        first = pool.submit(judge.ask, QUESTION)
        judge_server.wait_for(1)
        second = pool.submit(judge.ask, QUESTION)
        assert failed(first.result()).kind == "timeout"
        answered(second.result())


EVERYTHING = [
    GOOD,
    say.text(f"no json {KEY}"),
    say.refusal(f"not with {KEY}"),
    say.status(401, f"Incorrect API key provided: {KEY}"),
    say.status(429, f"{KEY} is too fast", retry_after=0),
    say.status(500, KEY * 20),
    say.raw(f"<html>{'x' * 60}{KEY}</html>"),
    say.truncated(KEY),
    say.answer({"text": 5, f"{'x' * 30} {KEY * 3}": 1}),
    say.status(403, f"the key {KEY[:20]}****{KEY[-4:]} is not known"),
    say.answer({"text": "yes"}, model=KEY),
]


@pytest.mark.parametrize("step", EVERYTHING, ids=lambda _: "step")
def test_the_key_is_never_shown(
    make_judge: MakeJudge, judge_server: JudgeServer, caplog: pytest.LogCaptureFixture, step: Step
) -> None:
    caplog.set_level(logging.DEBUG)
    judge = make_judge(headers={"X-Api-Key": "another-secret", "Authorization": f"Bearer {KEY}"})
    judge_server.otherwise = step
    for found in both(judge):
        shown = f"{found!r} {found} {judge!r} {judge} {encode(found)} {vars(judge)}"
        assert judge_server.url in shown
        for secret in (KEY, KEY[:20], "another-secret"):
            assert secret not in shown
            assert secret not in caplog.text


WRONG: list[tuple[dict[str, Any], str]] = [
    ({"base_url": "localhost:11434"}, "base_url: invalid address 'localhost:11434'"),
    ({"base_url": "http://"}, "base_url"),
    ({"base_url": "http://host:port"}, "base_url"),
    ({"base_url": "http://a..b"}, "base_url"),
    ({"base_url": "file:///etc/passwd"}, "base_url"),
    ({"model": ""}, "model"),
    ({"time_limit": 0}, "time_limit"),
    ({"time_limit": float("nan")}, "time_limit"),
    ({"retries": -1}, "retries"),
    ({"concurrency": 0}, "concurrency"),
    ({"backoff": -1}, "backoff"),
    ({"max_bytes": 0}, "max_bytes"),
]


@pytest.mark.parametrize(("changed", "said"), WRONG)
def test_invalid_options_are_refused(changed: dict[str, Any], said: str) -> None:
    with pytest.raises(InputError, match=said):
        ChatJudge(**({"base_url": "http://localhost/v1", "model": "m"} | changed))


@pytest.mark.parametrize(
    "changed",
    [
        {"base_url": f"http://ann:{KEY}@localhost/v1"},
        {"base_url": f"http://localhost/v1?key={KEY}"},
        {"key": f"{KEY}\nX-Other: 1"},
        {"key": f"{KEY}é"},
        {"headers": {"X-Api-Key": f"{KEY}\r\n"[:-2] + "\r\nX: 1"}},
    ],
)
def test_a_refusal_does_not_show_what_may_be_secret(changed: dict[str, Any]) -> None:
    with pytest.raises(InputError) as refused:
        ChatJudge(**({"base_url": "http://localhost/v1", "model": "m"} | changed))
    assert KEY not in str(refused.value)


def test_without_the_extra_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "openai", None)
    with pytest.raises(MissingExtraError, match=r"'\.\[judge\]'"):
        ChatJudge("http://localhost/v1", "m")


def test_importing_the_judge_loads_no_client() -> None:
    script = (
        "import sys, howsure.judge; from howsure.judge import ChatJudge, CachedJudge, Budget, ScriptedJudge, prompts\n"
        "ChatJudge('http://localhost/v1', 'm')\n"
        "assert not {'openai', 'pydantic', 'httpx', 'httpx2'} & set(sys.modules)\n"
        "assert dir(howsure.judge) == howsure.judge.__all__"
    )
    subprocess.run([sys.executable, "-c", script], check=True)
