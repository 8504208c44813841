"""Change one number, name, negation or other word of an answer, so that its context no longer supports it."""

import itertools
import random
import re
from collections.abc import Mapping
from typing import Literal

from howsure.text.stems import stem
from howsure.text.words import antonyms, inflection
from howsure.text.words.stop_words import ENGLISH

EditKind = Literal["number", "name", "negation", "other number", "other name", "roles", "quantifier", "unit", "antonym"]
"""What is changed. "Other": taken from elsewhere in the context; "roles": two names of the answer are exchanged."""

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
_NAMES_IN_TEXT = re.compile(r"(?<=[a-z,;] )[A-Z][a-z]+(?: [A-Z][a-z]+)*\b")
_QUANTIFIERS = {
    "all": "some", "every": "hardly any", "some": "all", "most": "few", "many": "few", "both": "neither of the",
    "few": "most", "always": "rarely", "often": "never", "usually": "rarely", "several": "no", "each": "no",
}  # fmt: skip
_UNITS = {
    "seconds": "minutes", "minutes": "hours", "hours": "days", "days": "weeks", "weeks": "months", "months": "years",
    "years": "months", "km": "m", "kilometers": "miles", "miles": "kilometers", "meters": "feet", "feet": "meters",
    "percent": "points", "%": " points", "million": "billion", "billion": "million", "thousand": "million",
    "GB": "MB", "MB": "GB", "ms": "s", "kg": "g", "pounds": "ounces",
}  # fmt: skip
_NO_NAMES = frozenset(ENGLISH.split()) | {"both", "here", "however"}
_AFTER_NUMBER = re.compile(r"(?<=\d)(\s?)(%|[A-Za-z]+)")
_OPPOSITES = {
    word.strip(): others.split()[0]
    for word, _, others in (entry.partition(":") for entry in antonyms.PAIRS.replace("\n", " ").split(";"))
}
_VERBS = {stem(verb): verb for verb in inflection.VERBS.split()}


def edit(kind: EditKind, answer: str, context: str, dice: random.Random) -> str | None:
    """Return an answer with one change, or None if it has nothing to change.

    >>> edit("negation", "The port is open.", "", random.Random(1))
    'The port is not open.'
    """
    if kind == "number":
        return _change_number(answer, dice)
    if kind == "other number":
        return _change_from_context(_NUMBER, answer, context, dice)
    if kind == "other name":
        return _change_from_context(_NAMES_IN_TEXT, answer, context, dice)
    if kind == "roles":
        return _exchange_names(answer)
    if kind == "quantifier":
        return _change_word(answer, _QUANTIFIERS)
    if kind == "antonym":
        return _change_word(answer, _OPPOSITES)
    if kind == "unit":
        return _change_unit(answer)
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


def _change_from_context(form: re.Pattern[str], answer: str, context: str, dice: random.Random) -> str | None:
    """Replace a number or name by another one of the context."""
    matches = list(form.finditer(answer))
    known = {match[0] for match in matches}
    words = {word for text in known for word in text.split()}
    others = sorted({match[0] for match in form.finditer(context)} - known)
    others = [other for other in others if not words & set(other.split()) and other not in answer]
    if not matches or not others:
        return None
    match = dice.choice(matches)
    return answer[: match.start()] + dice.choice(others) + answer[match.end() :]


def _exchange_names(answer: str) -> str | None:
    """Exchange two names, unless both are joined by "and", "or" or a comma, so that their order says nothing."""
    names = list(re.finditer(r"\b[A-Z][a-z]+(?: [A-Z][a-z]+)*\b", answer))
    names = [name for name in names if name[0].lower() not in _NO_NAMES and (name.start() or " " in name[0])]
    for one, other in itertools.pairwise(names):
        between = answer[one.end() : other.start()]
        if one[0] != other[0] and re.search(r"[a-z]{3}", between) and not re.search(r"\b(?:and|or)\b|,", between):
            return answer[: one.start()] + other[0] + between + one[0] + answer[other.end() :]
    return None


def _change_word(answer: str, others: Mapping[str, str]) -> str | None:
    for match in re.finditer(r"[A-Za-z]+", answer):
        other = others.get(match[0].lower())
        if other:
            other = other.capitalize() if match[0][0].isupper() else other
            return answer[: match.start()] + other + answer[match.end() :]
    return None


def _change_unit(answer: str) -> str | None:
    for match in _AFTER_NUMBER.finditer(answer):
        if match[2] in _UNITS:
            return answer[: match.start()] + match[1] + _UNITS[match[2]] + answer[match.end() :]
    return None
