"""A judge with prepared answers, for tests and examples."""

import threading
import time
from collections.abc import Callable, Iterable
from typing import Any

import orjson

from howsure.errors import InputError
from howsure.judge.budget import Budget, current, estimate_tokens
from howsure.judge.fence import messages
from howsure.judge.question import Answer, Failure, Question
from howsure.judge.reply import Mismatch, parse_answer


class ScriptedJudge:
    """Answers from a list of values or by a function of the question; every answer is checked against the schema.

    >>> from howsure.judge.prompts import reflection
    >>> ScriptedJudge([{"text": "Little is known."}]).ask(reflection("the moon", [])).value
    {'text': 'Little is known.'}
    """

    def __init__(self, answers: Iterable[Any] | Callable[[Question], Any], *, model: str = "scripted") -> None:
        """Take the answers: JSON data, or a `Failure` instead of an answer."""
        self.asked: list[Question] = []
        """The questions that were asked, in order."""
        self._model = model
        self._script = answers if callable(answers) else _in_turn(answers)
        self._lock = threading.Lock()

    @property
    def model(self) -> str:
        """The name of the model in its answers."""
        return self._model

    def ask(self, question: Question) -> Answer | Failure:
        """Return the next answer, if the budget allows a request."""
        start = time.monotonic()
        budget = current() or Budget()
        estimated = estimate_tokens(message["content"] for message in messages(question, tell_schema=True))
        refusal = budget.take(estimated)
        if refusal:
            return Failure("budget", refusal)
        with self._lock:
            self.asked.append(question)
        result = self._script(question)
        if isinstance(result, Failure):
            return result
        try:
            text = orjson.dumps(result).decode()
        except TypeError as error:
            raise InputError(f"the answer cannot be written as JSON: {error}", field="answers") from None
        budget.settle(estimated, estimated + estimate_tokens([text]))
        parsed = parse_answer(text, question.fitting)
        if isinstance(parsed, Mismatch):
            return Failure(parsed.kind, parsed.problem, 1, time.monotonic() - start)
        return Answer(parsed.value, self._model, seconds=time.monotonic() - start)

    async def aask(self, question: Question) -> Answer | Failure:
        """Return the next answer; a function is called in a thread."""
        import asyncio

        return await asyncio.to_thread(self.ask, question)


def _in_turn(answers: Iterable[Any]) -> Callable[[Question], Any]:
    """Return a function that returns one answer after the other, from any thread."""
    remaining, lock = iter(answers), threading.Lock()

    def answer(_: Question) -> Any:
        with lock:
            return next(remaining, Failure("unreachable", "the script has no more answers", 1))

    return answer
