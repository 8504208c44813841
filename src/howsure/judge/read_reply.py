"""Reading: from what a model wrote to a value that fits, or to what is wrong with it."""

import re
from collections.abc import Mapping
from typing import Any, Literal, NamedTuple

import orjson

from howsure.judge.schema import problems

_BLOCK = re.compile(r"```[A-Za-z]*[ \t]*\n(.*?)\n?[ \t]*```", re.DOTALL)
_THOUGHT = "</think>"


class Value(NamedTuple):
    """What was read: it fits the schema."""

    value: Any


class Misread(NamedTuple):
    """Why nothing was read."""

    kind: Literal["not_json", "wrong_schema"]
    problem: str
    """In words, for people and for the model."""


def read(text: str, schema: Mapping[str, Any]) -> Value | Misread:
    r"""Read an answer. JSON may stand alone, after a model's thoughts, or in the only code block of the text.

    >>> read('Here it is:\n```json\n{"text": "yes"}\n```', {"type": "object"})
    Value(value={'text': 'yes'})
    >>> read("[]", {"type": "object"})
    Misread(kind='wrong_schema', problem='the answer does not fit: the answer: an empty list is not of type object')
    """
    said = text.rpartition(_THOUGHT)[2].strip().removeprefix("\ufeff")
    try:
        value = orjson.loads(said)
    except orjson.JSONDecodeError as error:
        try:
            (block,) = _BLOCK.findall(said)
            value = orjson.loads(block)
        except ValueError:  # no block, several, or no JSON in it
            what = "is empty" if not said else f"is not JSON ({error})"
            return Misread("not_json", f"the answer {what}")
    wrong = problems(schema, value)
    return Misread("wrong_schema", f"the answer does not fit: {'; '.join(wrong)}") if wrong else Value(value)
