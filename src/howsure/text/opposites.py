"""Opposites: whether two words exclude each other."""

from typing import Literal

from howsure.text.lists.words import antonyms
from howsure.text.statement import Word
from howsure.text.stems import stem
from howsure.text.tokens import meaning

Opposition = Literal["", "opposite", "order"]
"""How two words exclude each other: not at all, as values, or as directions of one order."""


def _listed(lists: str) -> set[frozenset[str]]:
    entries = (entry.partition(":") for entry in lists.replace("\n", " ").split(";"))
    return {frozenset((form(one), form(two))) for one, _, rest in entries for two in rest.split() for form in _FORMS}


def _plain(word: str) -> str:
    return stem(word.strip())


def _meant(word: str) -> str:
    return meaning(word.strip())


_FORMS = (_plain, _meant)
_ORDER = {pair for pair in _listed(antonyms.ORDER) if len(pair) > 1}
_PAIRS = {pair for pair in _listed(antonyms.PAIRS) if len(pair) > 1}
_BY_CHANCE = frozenset(antonyms.NOT_PREFIXED.split())
_SHORTEST = 3
_LONG_ENOUGH = 6
"""Letters after a prefix of one letter, which begins many words by chance."""


def opposition(one: Word, other: Word) -> Opposition:
    """Say how two words exclude each other.

    >>> from howsure.text.statement import statement
    >>> words = statement("Stable, unstable, hot, cold, faster, slower.")[0].words
    >>> [opposition(words[a], words[b]) for a, b in [("stabl", "unstabl"), ("hot", "cold"), ("faster", "slower")]]
    ['opposite', 'opposite', 'order']
    """
    pairs = (frozenset((one.stem, other.stem)), frozenset((stem(one.text), stem(other.text))))
    if any(pair in _ORDER for pair in pairs):
        return "order"
    if any(pair in _PAIRS for pair in pairs):
        return "opposite"
    return "opposite" if _by_form(one, other) or _by_form(other, one) else ""


def _by_form(one: Word, other: Word) -> bool:
    """Say whether the first word is the second with a prefix that denies it, or with an opposite ending."""
    for prefix in antonyms.PREFIXES:
        if one.text.startswith(prefix) and one.text not in _BY_CHANCE:
            rest = one.text[len(prefix) :]
            long_enough = len(rest) >= (_SHORTEST if len(prefix) > 1 else _LONG_ENOUGH)
            if long_enough and (stem(rest) == stem(other.text) or meaning(rest) == other.stem):
                return True
    return any(
        one.text.endswith(without)
        and other.text.endswith(with_)
        and one.text[: -len(without)] == other.text[: -len(with_)]
        for without, with_ in antonyms.ENDINGS
    )
