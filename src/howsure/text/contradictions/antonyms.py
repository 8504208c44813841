"""Decide whether two words exclude each other: listed antonyms, prefixes ("un-"), endings and "-able"."""

from functools import lru_cache
from typing import Literal

from howsure.text.contradictions.clause import Word
from howsure.text.stems import meaning_of, stem
from howsure.text.words import antonyms, inflection

Opposition = Literal["", "opposite", "order"]
"""How two words exclude each other: not at all, as values, or as directions of a comparison ("faster", "slower")."""


def _read_pairs(entries: str) -> dict[str, frozenset[str]]:
    """Return the opposites of each word, by stem and by the stem that stands for its synonyms."""
    opposites: dict[str, set[str]] = {}
    for entry in entries.replace("\n", " ").split(";"):
        word, _, rest = entry.partition(":")
        for other in rest.split():
            for form in (stem, meaning_of):
                opposites.setdefault(form(word.strip()), set()).add(form(other))
                opposites.setdefault(form(other), set()).add(form(word.strip()))
    return {word: frozenset(others - {word}) for word, others in opposites.items()}


_ORDER = _read_pairs(antonyms.ORDER)
_PAIRS = _read_pairs(antonyms.PAIRS)
_NOT_PREFIXED = frozenset(antonyms.NOT_PREFIXED.split())
_NONE: frozenset[str] = frozenset()
_ABLE = ("able", "ible")
_IRREGULAR_FORMS = frozenset(form for line in inflection.FORMS.strip().splitlines() for form in line.split()[1:])
_MIN_REST = 3
"""Letters that must follow a prefix."""
_MIN_REST_AFTER_LETTER = 6
"""Letters that must follow a prefix of one letter ("a-"), which begins many words by chance."""


def find_opposition(one: Word, other: Word) -> Opposition:
    """Return how two words exclude each other, or "".

    >>> from howsure.text.contradictions.parser import parse_statement
    >>> words = parse_statement("Stable, unstable, hot, cold, faster, slower.")[0].words
    >>> [find_opposition(words[a], words[b]) for a, b in [("stabl", "unstabl"), ("hot", "cold"), ("faster", "slower")]]
    ['opposite', 'opposite', 'order']
    """
    return _find_opposition(one.stem, one.text, other.stem, other.text)


@lru_cache(maxsize=1 << 16)
def _find_opposition(one: str, one_text: str, other: str, other_text: str) -> Opposition:
    mine, theirs = (one, stem(one_text)), (other, stem(other_text))
    if not all(_ORDER.get(form, _NONE).isdisjoint(theirs) for form in mine):
        return "order"
    if not all(_PAIRS.get(form, _NONE).isdisjoint(theirs) for form in mine):
        return "opposite"
    by_form = not (negated_stems(one_text).isdisjoint(theirs) and negated_stems(other_text).isdisjoint(mine))
    by_form = by_form or says_cannot_be(one_text, other_text) or says_cannot_be(other_text, one_text)
    return "opposite" if by_form else ""


def says_can_be(word: str, participle: str) -> bool:
    """Return True if a word says that something can be done: "reusable" and "reused".

    >>> says_can_be("reusable", "reused"), says_can_be("reversible", "undone"), says_can_be("portable", "port")
    (True, True, False)
    """
    return word.endswith(_ABLE) and _is_participle(participle) and meaning_of(participle) in _verbs_of(word)


def says_cannot_be(word: str, participle: str) -> bool:
    """Return True if a word says that something cannot be done: "irreversible" and "undone".

    >>> says_cannot_be("irreversible", "undone"), says_cannot_be("mutable", "changed")
    (True, False)
    """
    if not (word.endswith(_ABLE) and _is_participle(participle)):
        return False
    prefixes = (prefix for prefix in antonyms.PREFIXES if word.startswith(prefix))
    return any(meaning_of(participle) in _verbs_of(word[len(prefix) :]) for prefix in prefixes)


@lru_cache(maxsize=1 << 12)
def _verbs_of(word: str) -> frozenset[str]:
    """Return the meanings of the verbs that a word with "-able" may come from: "use", "validate", "modify"."""
    return frozenset(meaning_of((word[:-4] + ending).replace("iy", "y")) for ending in ("", "e", "ate", "y"))


def _is_participle(word: str) -> bool:
    return word.endswith("ed") or word in _IRREGULAR_FORMS


@lru_cache(maxsize=1 << 16)
def negated_stems(word: str) -> frozenset[str]:
    """Return the stems that a word negates by its prefix or reverses by its ending.

    >>> sorted(negated_stems("unlimited")), sorted(negated_stems("limit"))
    (['limit'], [])
    """
    stems = set()
    if word not in _NOT_PREFIXED:
        for prefix in antonyms.PREFIXES:
            rest = word[len(prefix) :]
            if word.startswith(prefix) and len(rest) >= (_MIN_REST if len(prefix) > 1 else _MIN_REST_AFTER_LETTER):
                stems |= {stem(rest), meaning_of(rest)}
    stems |= {stem(word[: -len(without)] + with_) for without, with_ in antonyms.ENDINGS if word.endswith(without)}
    return frozenset(stems)
