"""Ask any judge, including the user's own, and get everything that goes wrong as data."""

import time
from dataclasses import replace

import orjson

from howsure.errors import shown
from howsure.judge.fence import short_line
from howsure.judge.question import Answer, Failure, Judge, Question
from howsure.judge.schema import problems


def consult(judge: Judge, question: Question) -> Answer | Failure:
    """Ask a question. If the judge raises or returns something that does not fit, return a failure.

    >>> from howsure.judge.prompts import reflection
    >>> from howsure.judge.scripted import ScriptedJudge
    >>> print(consult(ScriptedJudge(lambda question: 1 / 0), reflection("the moon", [])))
    broken: ZeroDivisionError: division by zero
    """
    start = time.monotonic()
    try:
        return _check(judge.ask(question), question)
    except Exception as error:  # noqa: BLE001 - the user's own judge may raise anything
        message = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
        return Failure("broken", short_line(message), seconds=time.monotonic() - start)


def _check(result: object, question: Question) -> Answer | Failure:
    if isinstance(result, Failure):
        return result
    if not isinstance(result, Answer):
        return Failure("broken", f"{short_line(shown(result))} is neither an answer nor a failure")
    orjson.dumps([result.value, result.model])  # raises if it cannot be written as JSON
    wrong = problems(question.fitting, result.value)
    if wrong:
        return Failure("wrong_schema", f"the answer does not fit: {'; '.join(wrong)}", result.attempts, result.seconds)
    return replace(result, model=short_line(str(result.model)))


def name_of(judge: Judge) -> str:
    """Return the name of a judge's model, or of its class if that fails."""
    try:
        return short_line(str(judge.model)) or type(judge).__name__
    except Exception:  # noqa: BLE001 - the user's own judge may raise anything
        return type(judge).__name__
