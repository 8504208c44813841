"""Reduce English words to stems, so that "retries" and "retried" are equal.

The rules are lighter than Snowball's, which gives slightly worse results here: see decision 0012.
"""

import re
import unicodedata
from collections.abc import Iterable, Sequence
from functools import lru_cache

from howsure.text.words import inflection, stop_words, synonyms, units

# If two words share a form, like "lay", the last one in the list wins.
_IRREGULAR = {form: line.split()[0] for line in inflection.FORMS.strip().splitlines() for form in line.split()[1:]}
_UNCHANGED = frozenset(inflection.UNCHANGED.split())
_VOWELS = frozenset("aeiouy")
# Endings that a noun has and the verb it comes from has not, longest first. The words are stems, so "-ize" is "iz".
_NOUN_ENDINGS = (
    "ification", "ization", "ation", "ition", "ion", "ment", "ency", "enc", "ancy", "anc", "ify", "iz", "at",
)  # fmt: skip
_MIN_STEM = 3
"""Letters that must remain when an ending is removed."""
_ASCII_WORD = re.compile(r"[a-z0-9]+")
_WORD = re.compile(r"[^\W_]+")
# Scripts that put no spaces between words (Thai to Khmer, Japanese, Chinese), and Korean, whose particles are attached.
_UNSPACED = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u30ff\u3400-\u9fff\uac00-\ud7af\U00020000-\U0003ffff]+"
)


@lru_cache(maxsize=1 << 16)
def stem(word: str) -> str:
    """Return the stem of an English word in lower case; it need not be a word itself.

    >>> [stem(word) for word in ("caches", "cached", "caching", "retries", "retried", "written", "writes")]
    ['cach', 'cach', 'cach', 'retry', 'retry', 'writ', 'writ']
    """
    word = _IRREGULAR.get(word, word)
    if len(word) <= _MIN_STEM or not word.isalpha():
        return word
    if word not in _UNCHANGED:
        word = _without_ending(word)
    return _without_final_letter(word)


@lru_cache(maxsize=1 << 16)
def root_of(word: str) -> str:
    """Return what a verb and the noun made from it have in common.

    >>> [root_of(word) for word in ("encrypted", "encryption", "validates", "validation", "depends", "dependencies")]
    ['encrypt', 'encrypt', 'valid', 'valid', 'depend', 'depend']
    """
    root = stem(word)
    for ending in _NOUN_ENDINGS if root.isalpha() else ():
        if root.endswith(ending) and len(root) - len(ending) > _MIN_STEM:
            return _without_final_letter(root[: -len(ending)])
    return root


def meaning_of(word: str) -> str:
    """Return the stem that stands for a word and its synonyms.

    >>> meaning_of("throws") == meaning_of("raised")
    True
    """
    own = stem(word)
    return MEANINGS.get(own, own)


def meanings_of(words: str) -> frozenset[str]:
    """Return the stems of a list of words, and the stems that stand for their synonyms.

    >>> sorted(meanings_of("throws"))
    ['rais', 'throw']
    """
    return frozenset(form(word) for word in words.split() for form in (stem, meaning_of))


def search_words(text: str, *, query: bool = False) -> list[str]:
    """Return the words of a text as a search compares them: without case and endings, each once.

    Text in a script without spaces becomes all of its characters and pairs of characters. A query has the pairs only,
    unless there is just one character, so that the order of characters counts.

    >>> search_words("The payments are IDEMPOTENT"), search_words("Payment")
    (['the', 'payment', 'be', 'idempotent'], ['payment'])
    >>> search_words("\u652f\u6255\u3044"), search_words("\u652f\u6255\u3044", query=True)
    (['\u652f', '\u6255', '\u3044', '\u652f\u6255', '\u6255\u3044'], ['\u652f\u6255', '\u6255\u3044'])
    """
    if text.isascii():
        return list(dict.fromkeys(map(stem, _ASCII_WORD.findall(text.lower()))))
    words: dict[str, None] = {}
    for word in _WORD.findall(unicodedata.normalize("NFKC", text).casefold()):
        words |= dict.fromkeys(map(stem, _WORD.findall(_UNSPACED.sub(" ", word))))
        for run in _UNSPACED.findall(word):
            if not query or len(run) == 1:
                words |= dict.fromkeys(run)
            words |= dict.fromkeys(run[place : place + 2] for place in range(len(run) - 1))
    return list(words)


def content_words(words: Iterable[str]) -> list[str]:
    """Return search words without those that say little about the subject, such as "the", "is" and "not".

    >>> content_words(search_words("The cache is not thread-safe"))
    ['cach', 'thread', 'saf']
    """
    stop = _stop_stems()
    return [word for word in words if word not in stop]


def topics(words: Sequence[str]) -> list[list[str]]:
    """Return what a statement is about, given its content words: all words without its value, the last one.

    The value of "the timeout is 30 seconds" is 30. After the topic come two that statements have which are one word
    shorter or longer. All are sorted.

    >>> topics(["port", "8080"])[0] == topics(["port", "9090"])[0] == ["port"]
    True
    >>> topics(["timeout", "30", "second"])[0]
    ['second', 'timeout']
    """
    if not words:
        return []
    before_unit = len(words) > 1 and words[-2].isdigit() and words[-1] in _unit_stems()
    value = len(words) - (2 if before_unit else 1)
    topic = [*words[:value], *words[value + 1 :]]
    return [sorted(some) for some in (topic, words, topic[:-1]) if some]


@lru_cache(maxsize=1)
def _stop_stems() -> frozenset[str]:
    return frozenset(map(stem, f"{stop_words.ENGLISH} a an isn aren wasn doesn don didn can cannot never t s".split()))


def is_unit(stem: str) -> bool:
    """Return True if a stem is that of a unit's name.

    >>> is_unit("minut"), is_unit("timeout")
    (True, False)
    """
    return stem in _unit_stems()


@lru_cache(maxsize=1)
def _unit_stems() -> frozenset[str]:
    return frozenset(stem(entry.split()[0]) for entries in units.UNITS.values() for entry in entries.split(","))


def _without_ending(word: str) -> str:
    if word.endswith(("ies", "ied")) and len(word) > _MIN_STEM + 1:
        return word[:-3] + "y"
    if word.endswith("es") and word[:-2].endswith(("s", "x", "z", "ch", "sh")):
        return word[:-2]
    if word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return word[:-1]
    for ending in ("ing", "ed"):
        if word.endswith(ending) and not word.endswith("eed") and _may_be_word(word[: -len(ending)]):
            return word[: -len(ending)]
    if word.endswith("ly") and len(word) > _MIN_STEM + 2:
        if word.endswith("ily"):
            return word[:-3] + "y"
        return word.removesuffix("ally") if word.endswith("ically") else word.removesuffix("ly")
    return word


def _may_be_word(rest: str) -> bool:
    return len(rest) >= _MIN_STEM and any(letter in _VOWELS for letter in rest)


def _without_final_letter(word: str) -> str:
    """Remove a final "e" and one of two equal consonants, which come and go with endings ("close", "controlled")."""
    if word.endswith("e") and len(word) > _MIN_STEM:
        word = word[:-1]
    if len(word) > _MIN_STEM and word[-1] == word[-2] and word[-1] not in _VOWELS:
        word = word[:-1]
    return word


MEANINGS = {
    stem(word): stem(line.split()[0])
    for line in reversed(synonyms.GROUPS.strip().splitlines())
    for word in line.split()
}
"""The stem that stands for a word and its synonyms, by the stem of each."""
