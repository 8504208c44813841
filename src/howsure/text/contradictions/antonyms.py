"""Opposites: whether two words exclude each other."""

from functools import lru_cache
from typing import Literal

from howsure.text.contradictions.clause import Word
from howsure.text.contradictions.stems import stem
from howsure.text.contradictions.tokens import meaning
from howsure.text.words import antonyms, irregular

Opposition = Literal["", "opposite", "order"]
"""How two words exclude each other: not at all, as values, or as directions of one order."""


def _listed(lists: str) -> dict[str, frozenset[str]]:
    """Return the opposites of each word, by stems and by meanings."""
    found: dict[str, set[str]] = {}
    for entry in lists.replace("\n", " ").split(";"):
        word, _, rest = entry.partition(":")
        for other in rest.split():
            for form in (stem, meaning):
                found.setdefault(form(word.strip()), set()).add(form(other))
                found.setdefault(form(other), set()).add(form(word.strip()))
    return {word: frozenset(others - {word}) for word, others in found.items()}


_ORDER = _listed(antonyms.ORDER)
_PAIRS = _listed(antonyms.PAIRS)
_BY_CHANCE = frozenset(antonyms.NOT_PREFIXED.split())
_NONE: frozenset[str] = frozenset()
_ABLE = ("able", "ible")
_IRREGULAR = frozenset(form for line in irregular.FORMS.strip().splitlines() for form in line.split()[1:])
_SHORTEST = 3
_LONG_ENOUGH = 6
"""Letters after a prefix of one letter, which begins many words by chance."""


def opposition(one: Word, other: Word) -> Opposition:
    """Say how two words exclude each other.

    >>> from howsure.text.contradictions.parser import statement
    >>> words = statement("Stable, unstable, hot, cold, faster, slower.")[0].words
    >>> [opposition(words[a], words[b]) for a, b in [("stabl", "unstabl"), ("hot", "cold"), ("faster", "slower")]]
    ['opposite', 'opposite', 'order']
    """
    return _opposition(one.stem, one.text, other.stem, other.text)


@lru_cache(maxsize=1 << 16)
def _opposition(one: str, one_text: str, other: str, other_text: str) -> Opposition:
    mine, theirs = (one, stem(one_text)), (other, stem(other_text))
    if not all(_ORDER.get(form, _NONE).isdisjoint(theirs) for form in mine):
        return "order"
    if not all(_PAIRS.get(form, _NONE).isdisjoint(theirs) for form in mine):
        return "opposite"
    by_form = not (_denied(one_text).isdisjoint(theirs) and _denied(other_text).isdisjoint(mine))
    by_form = by_form or cannot_be(one_text, other_text) or cannot_be(other_text, one_text)
    return "opposite" if by_form else ""


def can_be(word: str, done: str) -> bool:
    """Say whether a word says that something can be done: "reusable" and "reused".

    >>> can_be("reusable", "reused"), can_be("reversible", "undone"), can_be("portable", "port")
    (True, True, False)
    """
    return word.endswith(_ABLE) and _is_participle(done) and meaning(done) in _able(word)


def cannot_be(word: str, done: str) -> bool:
    """Say whether a word says that something cannot be done: "irreversible" and "undone".

    >>> cannot_be("irreversible", "undone"), cannot_be("immutable", "changed"), cannot_be("mutable", "changed")
    (True, True, False)
    """
    if not (word.endswith(_ABLE) and _is_participle(done)):
        return False
    return any(meaning(done) in _able(word[len(prefix) :]) for prefix in antonyms.PREFIXES if word.startswith(prefix))


@lru_cache(maxsize=1 << 12)
def _able(word: str) -> frozenset[str]:
    """Return the meanings of the verbs from which a word with "-able" may come."""
    return frozenset(meaning((word[:-4] + ending).replace("iy", "y")) for ending in ("", "e", "ate", "y"))


def _is_participle(word: str) -> bool:
    return word.endswith("ed") or word in _IRREGULAR


@lru_cache(maxsize=1 << 16)
def _denied(word: str) -> frozenset[str]:
    """Return the stems of what a word denies by its prefix, or turns round by its ending."""
    found = set()
    if word not in _BY_CHANCE:
        for prefix in antonyms.PREFIXES:
            rest = word[len(prefix) :]
            if word.startswith(prefix) and len(rest) >= (_SHORTEST if len(prefix) > 1 else _LONG_ENOUGH):
                found |= {stem(rest), meaning(rest)}
    found |= {stem(word[: -len(without)] + with_) for without, with_ in antonyms.ENDINGS if word.endswith(without)}
    return frozenset(found)
