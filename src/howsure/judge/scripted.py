"""A judge whose answers are given beforehand: for examples, and where no model may be asked."""

import asyncio
import threading
import time
from collections.abc import Callable, Iterable
from typing import Any

import orjson

from howsure.errors import InputError
from howsure.judge.budget import Budget, current, estimate
from howsure.judge.fence import messages
from howsure.judge.question import Answer, Failure, Question
from howsure.judge.read_reply import Misread, read


class ScriptedJudge:
    """Answers from a list of values, or by a function of the question; what it answers is checked like any answer.

    >>> from howsure.judge.prompts import reflection
    >>> ScriptedJudge([{"text": "Little is known."}]).ask(reflection("the moon", [])).value
    {'text': 'Little is known.'}
    """

    def __init__(self, answers: Iterable[Any] | Callable[[Question], Any], *, model: str = "scripted") -> None:
        """Say what it answers: JSON data, or a `Failure` in the place of an answer."""
        self.asked: list[Question] = []
        """The questions that were put, in order."""
        self._model = model
        self._script = answers if callable(answers) else _one_by_one(answers)
        self._lock = threading.Lock()

    @property
    def model(self) -> str:
        """The name it answers under."""
        return self._model

    def ask(self, question: Question) -> Answer | Failure:
        """Return what is given for a question, if the budget allows to ask."""
        began = time.monotonic()
        budget = current() or Budget()
        guess = estimate(message["content"] for message in messages(question, tell_schema=True))
        refusal = budget.take(guess)
        if refusal:
            return Failure("budget", refusal)
        with self._lock:
            self.asked.append(question)
        given = self._script(question)
        if isinstance(given, Failure):
            return given
        try:
            text = orjson.dumps(given).decode()
        except TypeError as error:
            raise InputError(f"this answer cannot be written as JSON: {error}", field="answers") from None
        budget.settle(guess, guess + estimate([text]))
        found = read(text, question.fitting)
        if isinstance(found, Misread):
            return Failure(found.kind, found.problem, 1, time.monotonic() - began)
        return Answer(found.value, self._model, seconds=time.monotonic() - began)

    async def aask(self, question: Question) -> Answer | Failure:
        """Return what is given for a question; the function is called in a thread."""
        return await asyncio.to_thread(self.ask, question)


def _one_by_one(answers: Iterable[Any]) -> Callable[[Question], Any]:
    left, lock = iter(answers), threading.Lock()

    def answer(_: Question) -> Any:
        with lock:
            return next(left, Failure("unreachable", "there is no further answer in the script", 1))

    return answer
