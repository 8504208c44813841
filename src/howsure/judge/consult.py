"""Consulting: any judge is asked, one's own too, so that whatever it does comes back as data."""

import time
from dataclasses import replace

import orjson

from howsure.errors import shown
from howsure.judge.question import Answer, Failure, Judge, Question
from howsure.judge.redaction import Redactor
from howsure.judge.schema import problems

_line = Redactor("", {}).line


def consult(judge: Judge, question: Question) -> Answer | Failure:
    """Put a question. A judge that raises, or answers what does not fit, has failed, and that is told as data.

    >>> from howsure.judge.prompts import reflection
    >>> from howsure.judge.scripted import ScriptedJudge
    >>> print(consult(ScriptedJudge(lambda question: 1 / 0), reflection("the moon", [])))
    broken: ZeroDivisionError: division by zero
    """
    began = time.monotonic()
    try:
        return _checked(judge.ask(question), question)
    except Exception as error:  # noqa: BLE001 - a judge may be anybody's
        said = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
        return Failure("broken", _line(said), seconds=time.monotonic() - began)


def _checked(found: object, question: Question) -> Answer | Failure:
    if isinstance(found, Failure):
        return found
    if not isinstance(found, Answer):
        return Failure("broken", f"{_line(shown(found))} is neither an answer nor a failure")
    orjson.dumps([found.value, found.model])  # what cannot be written as JSON cannot be used
    wrong = problems(question.fitting, found.value)
    if wrong:
        return Failure("wrong_schema", f"the answer does not fit: {'; '.join(wrong)}", found.attempts, found.seconds)
    return replace(found, model=_line(str(found.model)))


def name_of(judge: Judge) -> str:
    """Return what a judge calls its model; whatever it does, a name comes back."""
    try:
        return _line(str(judge.model)) or type(judge).__name__
    except Exception:  # noqa: BLE001 - likewise
        return type(judge).__name__
