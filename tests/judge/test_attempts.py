"""One question takes several requests if the first fails in a way that may pass."""

import pytest

from howsure.judge import ChatJudge
from tests.judge import server as say
from tests.judge.asking import GOOD, QUESTION, answered, both, failed
from tests.judge.conftest import KEY, MakeJudge
from tests.judge.server import JudgeServer, Request, Step


def test_an_answer_that_does_not_fit_is_asked_for_once_more(judge: ChatJudge, judge_server: JudgeServer) -> None:
    judge_server.script(*[say.answer({"text": ""}), GOOD] * 2)
    for asked in both(judge):
        found = answered(asked)
        assert (found.value, found.attempts) == ({"text": "yes"}, 2)
        assert (found.tokens_in, found.tokens_out) == (200, 40)
    for request in (judge_server.requests[1], judge_server.requests[3]):
        assert [message["role"] for message in request.messages] == ["system", "user", "assistant", "user"]
        _, _, wrong, note = (message["content"] for message in request.messages)
        assert wrong == '{"text": ""}'
        assert "text: a text of 0 characters is less than 1" in note
        assert '"minLength":1' in note


def test_an_answer_that_is_not_json_is_asked_for_again(judge: ChatJudge, judge_server: JudgeServer) -> None:
    judge_server.script(say.text("Sure! It is fine."), say.text('Here:\n```json\n{"text": "yes"}\n```'))
    assert answered(judge.ask(QUESTION)).attempts == 2
    assert "the answer is not JSON" in judge_server.requests[1].messages[3]["content"]


SECOND_TIME = {
    "not_json": [say.text("fine"), say.text(""), say.raw("<html>Welcome</html>", "text/html"), say.raw("[]")],
    "wrong_schema": [say.answer({"text": 5}), say.answer([])],
    "truncated": [say.truncated(), say.huge(300_000)],
}


@pytest.mark.parametrize(
    ("kind", "step"), [(kind, step) for kind, steps in SECOND_TIME.items() for step in steps], ids=lambda given: "step"
)
def test_two_unusable_answers_are_a_failure(
    make_judge: MakeJudge, judge_server: JudgeServer, kind: str, step: Step
) -> None:
    judge = make_judge(max_bytes=200_000)
    judge_server.otherwise = step
    for found in both(judge):
        assert (failed(found).kind, found.attempts) == (kind, 2)
        assert 0 < len(found.message) < 500  # type: ignore[union-attr]
    judge_server.script(step, GOOD)
    assert answered(judge.ask(QUESTION)).attempts == 2


def test_an_answer_without_choices_is_asked_for_once_more(judge: ChatJudge, judge_server: JudgeServer) -> None:
    empty = say.completion({}, choices=[], usage=None)
    judge_server.script(empty, GOOD)
    assert answered(judge.ask(QUESTION)).tokens_in == 100
    judge_server.script(empty, empty)
    found = failed(judge.ask(QUESTION))
    assert (found.kind, found.message) == ("not_json", f"{judge_server.url} sent no choices")


def test_after_an_answer_that_broke_off_a_shorter_one_is_asked_for(judge: ChatJudge, judge_server: JudgeServer) -> None:
    judge_server.script(say.truncated('{"text": "so much'), GOOD)
    answered(judge.ask(QUESTION))
    assert "much more briefly" in judge_server.requests[1].said("user")


def test_a_refusal_is_final(judge: ChatJudge, judge_server: JudgeServer) -> None:
    judge_server.otherwise = say.refusal("I will not do that.")
    for found in both(judge):
        assert (failed(found).kind, found.attempts) == ("refused", 1)
        assert found.message == "the model refused: I will not do that."  # type: ignore[union-attr]
    judge_server.script(say.text("", finish_reason="content_filter"))
    assert "filter" in failed(judge.ask(QUESTION)).message


TURNED_AWAY = {
    429: ("rate_limited", 3),
    500: ("unreachable", 3),
    503: ("unreachable", 3),
    529: ("unreachable", 3),
    408: ("unreachable", 3),
    400: ("refused", 3),  # in each of three forms
    422: ("refused", 3),
    401: ("refused", 1),
    403: ("refused", 1),
    404: ("refused", 1),
    307: ("refused", 1),
}


@pytest.mark.parametrize("status", TURNED_AWAY)
def test_every_status_has_its_kind_and_its_number_of_tries(
    judge: ChatJudge, judge_server: JudgeServer, status: int
) -> None:
    judge_server.otherwise = say.status(status, f"because, {KEY}!")
    kind, attempts = TURNED_AWAY[status]
    for found in both(judge):
        assert (failed(found).kind, found.attempts) == (kind, attempts)
        assert found.message == f"{judge_server.url} answered {status}: because, [redacted]!"  # type: ignore[union-attr]
    assert len(judge_server.requests) == 2 * attempts


@pytest.mark.parametrize("passing", [say.status(429), say.status(429, retry_after=0), say.status(502), say.half()])
def test_temporary_errors_are_retried(judge: ChatJudge, judge_server: JudgeServer, passing: Step) -> None:
    judge_server.script(passing, passing, GOOD, passing, passing, GOOD)
    for found in both(judge):
        assert answered(found).attempts == 3


def test_retries_are_counted_once_for_the_whole_question(make_judge: MakeJudge, judge_server: JudgeServer) -> None:
    judge_server.script(say.status(500), say.text("no json"), say.status(500), say.status(500))
    found = failed(make_judge(retries=2).ask(QUESTION))
    assert (found.kind, found.attempts) == ("unreachable", 4)
    judge_server.script(say.status(500))
    assert failed(make_judge(retries=0).ask(QUESTION)).attempts == 1


def test_a_truncated_answer_is_not_used(judge: ChatJudge, judge_server: JudgeServer) -> None:
    judge_server.otherwise = say.half()
    found = failed(judge.ask(QUESTION))
    assert (found.kind, found.attempts) == ("unreachable", 3)


def test_a_too_long_retry_delay_is_not_waited_for(make_judge: MakeJudge, judge_server: JudgeServer) -> None:
    judge = make_judge(longest_wait=5)
    judge_server.script(say.status(429, retry_after=3600))
    found = failed(judge.ask(QUESTION))
    assert (found.kind, found.attempts) == ("rate_limited", 1)
    assert found.message.endswith("it asks to wait 3600 s")
    judge_server.script(say.status(429, retry_after=4))
    found = failed(make_judge(time_limit=2, longest_wait=5).ask(QUESTION))
    assert (found.kind, found.attempts) == ("rate_limited", 1)
    assert found.message.endswith("no time is left to try again")


def test_no_more_quota_is_not_waited_for(judge: ChatJudge, judge_server: JudgeServer) -> None:
    judge_server.script(say.status(429, error_code="insufficient_quota"))
    assert failed(judge.ask(QUESTION)).attempts == 1


def test_a_fault_in_an_answer_of_status_200_is_a_fault(judge: ChatJudge, judge_server: JudgeServer) -> None:
    fault = say.raw('{"error": {"code": 502, "message": "the model is down"}}')
    judge_server.script(fault, GOOD)
    assert answered(judge.ask(QUESTION)).attempts == 2
    judge_server.script(say.raw('{"error": {"code": 403, "message": "no"}}'))
    assert failed(judge.ask(QUESTION)).kind == "refused"


def test_an_endpoint_that_knows_fewer_forms_is_asked_in_those(judge: ChatJudge, judge_server: JudgeServer) -> None:
    def picky(request: Request) -> Step:
        form = request.body.get("response_format", {}).get("type")
        return say.status(400, f"response_format {form} is not known") if form else GOOD

    judge_server.otherwise = picky
    assert answered(judge.ask(QUESTION)).attempts == 3
    forms = [request.body.get("response_format", {}).get("type") for request in judge_server.requests]
    assert forms == ["json_schema", "json_object", None]
    assert all("JSON" in request.said("system") for request in judge_server.requests)
    told = ['"minLength":1' in request.said("system") for request in judge_server.requests]
    assert told == [False, True, True]
    assert answered(judge.ask(QUESTION)).attempts == 1, "what worked is tried first"


def test_a_model_that_takes_no_temperature_is_given_none(judge: ChatJudge, judge_server: JudgeServer) -> None:
    def warm(request: Request) -> Step:
        return say.status(400, "'temperature' does not support 0") if "temperature" in request.body else GOOD

    judge_server.otherwise = warm
    assert answered(judge.ask(QUESTION)).attempts == 2
    assert judge_server.requests[-1].body["response_format"]["type"] == "json_schema"
    assert answered(judge.ask(QUESTION)).attempts == 1


def test_a_question_that_is_too_long_is_not_tried_in_other_forms(judge: ChatJudge, judge_server: JudgeServer) -> None:
    judge_server.script(say.status(400, error_code="context_length_exceeded"), say.status(400), say.status(400))
    assert failed(judge.ask(QUESTION)).attempts == 1
