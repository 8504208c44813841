"""Stems: one form for all the forms of a word, so that "retries" and "retried" are alike."""

from functools import lru_cache

from howsure.text.words import irregular

_IRREGULAR = {
    form: line.split()[0] for line in irregular.FORMS.strip().splitlines() for form in line.split()[1:]
}  # a form that two words share, like "lay", goes with the last
_UNCHANGED = frozenset(irregular.UNCHANGED.split())
_VOWELS = frozenset("aeiouy")
_NOUN_ENDINGS = (
    "ification",
    "ization",
    "ation",
    "ition",
    "ion",
    "ment",
    "ency",
    "enc",
    "ancy",
    "anc",
    "ify",
    "iz",
    "at",
)
"""Endings of stems, by which verbs and the nouns made of them differ."""
_SHORTEST = 3
"""Letters that have to be left of a word when an ending is taken off."""


@lru_cache(maxsize=1 << 16)
def stem(word: str) -> str:
    """Return the stem of an English word in lower case; it need not be a word itself.

    >>> [stem(word) for word in ("caches", "cached", "caching", "retries", "retried", "written", "writes")]
    ['cach', 'cach', 'cach', 'retry', 'retry', 'writ', 'writ']
    """
    word = _IRREGULAR.get(word, word)
    if len(word) <= _SHORTEST or not word.isalpha():
        return word
    if word not in _UNCHANGED:
        word = _without_ending(word)
    return _without_tail(word)


@lru_cache(maxsize=1 << 16)
def root(word: str) -> str:
    """Return what a verb and the noun made of it have in common.

    >>> [root(word) for word in ("encrypted", "encryption", "validates", "validation", "depends", "dependencies")]
    ['encrypt', 'encrypt', 'valid', 'valid', 'depend', 'depend']
    """
    found = stem(word)
    for ending in _NOUN_ENDINGS if found.isalpha() else ():
        if found.endswith(ending) and len(found) - len(ending) > _SHORTEST:
            found = _without_tail(found[: -len(ending)])
            break
    return found


def _without_ending(word: str) -> str:
    if word.endswith(("ies", "ied")) and len(word) > _SHORTEST + 1:
        return word[:-3] + "y"
    if word.endswith("es") and word[:-2].endswith(("s", "x", "z", "ch", "sh")):
        return word[:-2]
    if word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return word[:-1]
    for ending in ("ing", "ed"):
        if word.endswith(ending) and not word.endswith("eed") and _is_word(word[: -len(ending)]):
            return word[: -len(ending)]
    if word.endswith("ly") and len(word) > _SHORTEST + 2:
        return (
            word[:-3] + "y"
            if word.endswith("ily")
            else word.removesuffix("ly").removesuffix("al" * word.endswith("ically"))
        )
    return word


def _is_word(rest: str) -> bool:
    """Say whether what is left of a word may be one."""
    return len(rest) >= _SHORTEST and any(letter in _VOWELS for letter in rest)


def _without_tail(word: str) -> str:
    """Take off a last "e" and one of two like consonants, which come and go with endings."""
    if word.endswith("e") and len(word) > _SHORTEST:
        word = word[:-1]
    if len(word) > _SHORTEST and word[-1] == word[-2] and word[-1] not in _VOWELS:
        word = word[:-1]
    return word
