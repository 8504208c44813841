"""Change one number, name or negation of an answer, so that its context no longer supports it."""

import random
import re
from typing import Literal

from howsure.text.stems import stem
from howsure.text.words import inflection

EditKind = Literal["number", "name", "negation"]

_NUMBER = re.compile(r"\d[\d,]*\d(?:\.\d+)?|\d(?:\.\d+)?")
_NUMBER_WORDS = {
    "two": "five", "three": "six", "four": "nine", "five": "eight", "six": "eleven", "seven": "three",
    "eight": "twelve", "ten": "six",
}  # fmt: skip
_NAME = re.compile(r"(?<=[a-z,;] )[A-Z][A-Za-z0-9]+\b|(?<=[A-Z][a-z] )[A-Z][A-Za-z0-9]+\b")
_NAMES = [
    *("Oracle", "Bergen", "Hadoop", "Nguyen", "Kotlin", "Django", "Volkov", "Madrid", "Solaris", "Hetzner", "Garcia"),
    *("Ansible", "Toyota", "Helsinki", "Scala", "Datadog", "Novak", "Fortran", "Nokia", "Brussels"),
]
_NEGATED = [
    (re.compile(r"\b(is|are|was|were|do|does|can|will|must|should|did|has|have) not\b"), r"\1"),
    (re.compile(r"\bcannot\b"), "can"),
    (re.compile(r"\bnever "), ""),
    (re.compile(r"\b(is|are|does|do|was|can|did)n't\b"), r"\1"),
]
_AUXILIARY = re.compile(r"\b(?:is|are|was|were|can|will|must|should|may|does|do)\b")
_VERBS = {stem(verb): verb for verb in inflection.VERBS.split()}


def edit(kind: EditKind, answer: str, context: str, dice: random.Random) -> str | None:
    """Return an answer with one change, or None if it has nothing to change.

    >>> edit("negation", "The port is open.", "", random.Random(1))
    'The port is not open.'
    """
    if kind == "number":
        return _change_number(answer, dice)
    return _change_name(answer, context, dice) if kind == "name" else _change_negation(answer)


def _change_number(answer: str, dice: random.Random) -> str | None:
    if matches := list(_NUMBER.finditer(answer)):
        match = dice.choice(matches)
        return answer[: match.start()] + _other_number(match[0], dice) + answer[match.end() :]
    for match in re.finditer(r"[a-z]+", answer):
        if match[0] in _NUMBER_WORDS:
            return answer[: match.start()] + _NUMBER_WORDS[match[0]] + answer[match.end() :]
    return None


def _other_number(written: str, dice: random.Random) -> str:
    value = float(written.replace(",", ""))
    if "." in written:
        return f"{value + dice.choice([1.1, 2.3, 0.4]):.{len(written.partition('.')[2])}f}"
    is_small = value < 100 or 1000 < value < 2100  # noqa: PLR2004 - also years
    other = int(value) + dice.choice([1, 2, 3, 7, 10, 13]) if is_small else int(value) * 2 + dice.choice([10, 100])
    return f"{other:,}" if "," in written else str(other)


def _change_name(answer: str, context: str, dice: random.Random) -> str | None:
    matches = list(_NAME.finditer(answer))
    if not matches:
        return None
    match = dice.choice(matches)
    other = dice.choice([name for name in _NAMES if name.lower() not in context.lower()])
    return answer[: match.start()] + other + answer[match.end() :]


def _change_negation(answer: str) -> str | None:
    for negated, plain in _NEGATED:
        if negated.search(answer):
            return negated.sub(plain, answer, count=1)
    if match := _AUXILIARY.search(answer):
        return f"{answer[: match.end()]} not{answer[match.end() :]}"
    for match in re.finditer(r"(?<= )[a-z]+s\b", answer):
        if stem(match[0]) in _VERBS:
            return f"{answer[: match.start()]}does not {_VERBS[stem(match[0])]}{answer[match.end() :]}"
    return None
