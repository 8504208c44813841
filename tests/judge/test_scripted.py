"""A judge with prepared answers."""

import asyncio
from concurrent.futures import ThreadPoolExecutor

import pytest

from howsure.errors import InputError
from howsure.judge import Answer, Budget, Failure, Judge, Question, ScriptedJudge
from howsure.shapes.encode import encode

QUESTION = Question("test", {"type": "object", "required": ["a"]}, {"text": "a text"}, "Judge it.")


def test_answers_come_in_order_and_are_checked() -> None:
    judge = ScriptedJudge([{"a": 1}, {"b": 1}, Failure("timeout", "too slow"), {"a": (1, 2)}])
    first = judge.ask(QUESTION)
    assert first == Answer({"a": 1}, "scripted", seconds=first.seconds)
    wrong = asyncio.run(judge.aask(QUESTION))
    assert isinstance(wrong, Failure)
    assert (wrong.kind, wrong.message, wrong.attempts) == (
        "wrong_schema",
        "the answer does not fit: a: this field is missing",
        1,
    )
    assert judge.ask(QUESTION) == Failure("timeout", "too slow")
    assert encode(judge.ask(QUESTION))["value"] == {"a": [1, 2]}
    assert judge.ask(QUESTION) == Failure("unreachable", "the script has no more answers", 1)
    assert judge.asked == [QUESTION] * 5


def test_a_function_answers_by_the_question() -> None:
    judge: Judge = ScriptedJudge(lambda asked: {"a": asked.content["text"].upper()}, model="loud")
    found = judge.ask(QUESTION)
    assert isinstance(found, Answer)
    assert (found.value, found.model) == ({"a": "A TEXT"}, "loud")


def test_a_budget_limits_a_scripted_judge() -> None:
    judge = ScriptedJudge(lambda _: {"a": "x" * 4000})
    with Budget(tokens=1100) as budget:
        assert judge.ask(QUESTION).ok
        assert budget.spent.tokens > 1000
        found = asyncio.run(judge.aask(QUESTION))
    assert isinstance(found, Failure)
    assert found.kind == "budget"
    assert len(judge.asked) == 1


def test_every_answer_is_given_once_under_many_threads() -> None:
    judge = ScriptedJudge({"a": number} for number in range(100))
    with ThreadPoolExecutor(8) as pool:
        found = [encode(one)["value"]["a"] for one in pool.map(judge.ask, [QUESTION] * 100)]
    assert sorted(found) == list(range(100))


def test_values_without_json_form_are_refused() -> None:
    with pytest.raises(InputError, match="cannot be written as JSON"):
        ScriptedJudge([{"a": {1, 2}}]).ask(QUESTION)
