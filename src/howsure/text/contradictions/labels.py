"""Labels: numbers that tell which of several things is meant, as in "port 22" or "version 1.4"."""

import re

from howsure.text.contradictions.tokens import Token
from howsure.text.words import grammar, values

_PROPERTIES = frozenset(values.PROPERTIES.split())
_NOT_NAMED = frozenset(grammar.BEFORE_COUNTS.split())
_NUMBERED = frozenset({"number", "version"})
_VERSION = ("version ", "release ", "v")
_BEFORE_DIGITS = re.compile(r"^\D+")


def is_label(clause: list[Token], place: int) -> bool:
    """Say whether the number at a place belongs to the noun before it.

    >>> from howsure.text.contradictions.tokens import tokens
    >>> [is_label(tokens(text), 2) for text in ("Find node 3", "The first 3 tests", "It takes 3 s")]
    [True, False, False]
    """
    measure = clause[place].measure
    if measure is None or measure.dimension not in _NUMBERED or measure.unit or measure.bound or measure.about:
        return False
    if not place or not measure.text[0].isdigit():
        return False
    before = clause[place - 1]
    return before.tag == "word" and before.word.isalpha() and before.word not in _NOT_NAMED


def label(clause: list[Token], place: int, verb: int) -> str:
    """Return what stands for a numbered thing; nothing where the number at a place counts, measures or is a value.

    Before the verb, a number after a noun says which thing it is. After it, it may as well be the value of a property,
    as in "on port 80", or the version of what is named, as in "Debian 12".

    >>> from howsure.text.contradictions.tokens import tokens
    >>> label(tokens("The disk of node 3 is full."), 4, 5)
    'nod#3'
    """
    measure = clause[place].measure
    if measure is None or verb >= len(clause):
        return ""
    if place < verb and measure.dimension == "version" and measure.text.startswith(_VERSION):
        return "" if measure.bound else f"version#{_BEFORE_DIGITS.sub('', measure.text)}"
    if place < verb and measure.dimension == "ordinal":
        return f"#{measure.text}"
    if not is_label(clause, place) or _counts(clause, place, verb):
        return ""
    before = clause[place - 1]
    if place > verb and (before.name or before.word in _PROPERTIES or place - 1 == verb or _may_be_verb(before)):
        return ""
    return f"{before.stem}#{measure.text}"


def _counts(clause: list[Token], place: int, verb: int) -> bool:
    """Say whether a number counts the noun after it, as in "the top 10 results"."""
    after = clause[place + 1] if place + 1 < len(clause) else None
    if after is None or after.tag != "word" or place + 1 == verb:
        return False
    return after.word.endswith("s") or place > verb


def _may_be_verb(token: Token) -> bool:
    return token.word.endswith(("ed", "ing"))
