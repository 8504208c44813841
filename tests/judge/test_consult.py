"""Whatever a judge does, the result is data."""

from typing import Any

import pytest

from howsure.judge import Answer, Failure, Question, ScriptedJudge
from howsure.judge.consult import consult, name_of

QUESTION = Question("test", {"type": "object", "required": ["a"]}, {"text": "a text"}, "Judge it.")


class Own:
    """A judge that does what it is told."""

    model = "own"

    def __init__(self, given: Any) -> None:
        self._given = given

    def ask(self, question: Question) -> Answer | Failure:
        if isinstance(self._given, BaseException):
            raise self._given
        return self._given  # type: ignore[no-any-return]

    async def aask(self, question: Question) -> Answer | Failure:
        return self.ask(question)


class MuteError(Exception):
    def __str__(self) -> str:
        return ""


@pytest.mark.parametrize(
    ("given", "kind", "said"),
    [
        (ValueError("no\n\x1b[31mmodel"), "broken", "ValueError: no [31mmodel"),
        (MuteError(), "broken", "MuteError"),
        (RecursionError(), "broken", "RecursionError"),
        (None, "broken", "null is neither an answer nor a failure"),
        ({"a": 1}, "broken", "an object of 1 is neither"),
        ("yes", "broken", "'yes' is neither"),
        (Answer({"b": 1}, "m"), "wrong_schema", "a: this field is missing"),
        (Answer(None, "m"), "wrong_schema", "null is not of type object"),
        (Answer({"a": "half \ud800"}, "m"), "broken", "surrogates not allowed"),
        (Answer({"a": {1, 2}}, "m"), "broken", "not JSON serializable"),
        (Answer({"a": 1}, b"m"), "broken", "not JSON serializable"),  # type: ignore[arg-type]
        (Failure("timeout", "too slow"), "timeout", "too slow"),
    ],
)
def test_errors_of_a_judge_are_returned_as_data(given: Any, kind: str, said: str) -> None:
    found = consult(Own(given), QUESTION)
    assert isinstance(found, Failure)
    assert found.kind == kind
    assert said in found.message


def test_an_answer_that_fits_comes_through() -> None:
    found = consult(ScriptedJudge([{"a": 1}]), QUESTION)
    assert isinstance(found, Answer)
    assert found.value == {"a": 1}


def test_a_model_has_a_name_that_can_be_shown() -> None:
    found = consult(Own(Answer({"a": 1}, None)), QUESTION)  # type: ignore[arg-type]
    assert isinstance(found, Answer)
    assert found.model == "None"


def test_interrupts_are_not_swallowed() -> None:
    with pytest.raises(KeyboardInterrupt):
        consult(Own(KeyboardInterrupt()), QUESTION)


def test_every_judge_has_a_name() -> None:
    class Nameless(Own):
        @property
        def model(self) -> str:  # type: ignore[override]
            raise RuntimeError("I have none")

    assert (name_of(Own(None)), name_of(Nameless(None))) == ("own", "Nameless")
