"""Tokens: the words of a sentence, each with its stem and what it does there."""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from howsure.text.contradictions.measures import Measure, measures
from howsure.text.contradictions.stems import stem
from howsure.text.phrases import fold_case
from howsure.text.words import grammar, synonyms

_WORD = re.compile(r"[^\W_](?:\w|['.\-/@:](?=\w))*(?:\+\+|#)?|[,;:()]")
_TAGS = {
    word: tag
    for tag, listed in (
        ("light", grammar.LIGHT),
        ("hedge", grammar.HEDGES),
        ("conjunction", grammar.CONJUNCTIONS),
        ("preposition", grammar.PREPOSITIONS),
        ("subordinator", grammar.SUBORDINATORS),
        ("pronoun", grammar.PRONOUNS),
        ("determiner", grammar.DETERMINERS),
        ("modal", grammar.MODALS),
        ("do", grammar.DO),
        ("have", grammar.HAVE),
        ("be", grammar.BE),
        ("quantifier", " ".join(grammar.QUANTIFIERS)),
        ("negation", grammar.NEGATIONS),
    )
    for word in listed.split()
}
_TAGS |= dict.fromkeys(",;:()", "mark")
_ADJECTIVES = frozenset({"on", "off", "up", "down"})
_SHORTENED = {"ca": "can", "wo": "will", "sha": "shall", "ai": "is"}
_ENDINGS = {"'re": "are", "'ve": "have", "'ll": "will", "'d": "would", "'m": "am"}
_IS_AFTER = frozenset(["it", "that", "there", "he", "she", "what", "who", "here"])
_NUMBERED = re.compile(r"(multi|single)-?(\w{3,}ed)")
"""Compounds like "multithreaded", which tell how many."""
_PREFIXES = frozenset(grammar.COMPOUND_PREFIXES.split())
_LONGEST_PHRASE = 3
_PHRASES = {tuple(phrase.split()): word for phrase, word in synonyms.PHRASES.items()}
_FIRST_OF_PHRASE = frozenset(phrase[0] for phrase in _PHRASES)
_MEANING = {
    stem(word): stem(line.split()[0])
    for line in reversed(synonyms.GROUPS.strip().splitlines())
    for word in line.split()
}
_MOST = 120
"""Tokens that are read of one sentence, so that no sentence takes long."""


class Token(NamedTuple):
    """A word, mark or measure of a sentence."""

    word: str
    """The word in lower case."""
    stem: str
    """What stands for all its forms, and for words that mean the same."""
    tag: str
    """What it does: "word", "be", "preposition", "measure" and so on."""
    name: bool = False
    """Whether it looks like a name: a capital letter, a digit or a sign within it."""
    measure: Measure | None = None


def tokens(sentence: str) -> list[Token]:
    """Return the tokens of a sentence, contractions taken apart and set phrases put together.

    >>> [token.word for token in tokens("It isn't turned on; the limit's 5 MB.")]
    ['it', 'is', 'not', 'enabled', ';', 'the', 'limit', '5 mb']
    """
    found = list(_joined([_tagged(*part) for part in _parts(sentence)]))
    return [_settled(found, place) for place in range(len(found))]


def meaning(word: str) -> str:
    """Return the stem that stands for a word and for those that mean the same.

    >>> meaning("throws") == meaning("raised")
    True
    """
    root = stem(word)
    return _MEANING.get(root, root)


def meanings(listed: str) -> frozenset[str]:
    """Return the stems of a list of words, and of those that mean the same.

    >>> sorted(meanings("throws"))
    ['rais', 'throw']
    """
    return frozenset(form(word) for word in listed.split() for form in (stem, meaning))


def _parts(sentence: str) -> Iterator[tuple[str, str, Measure | None]]:
    """Give each word, how it is written, and each measure."""
    plain = sentence.replace("\u2019", "'").replace("\u2018", "'")
    small = fold_case(plain)
    place, count = 0, 0
    for measure in [*measures(small), None]:
        for found in _WORD.finditer(small, place, measure.start if measure else len(small)):
            count += 1
            if count > _MOST:
                return
            form = _form(plain, found)
            for word in _apart(found[0]):
                yield word, form, None
        if measure:
            yield measure.text, "", measure
            place = measure.end


def _form(plain: str, found: re.Match[str]) -> str:
    """Say whether a word is written like an acronym, or like a name; nothing where it is a plain word.

    One that begins a sentence is a name only where another capital follows.
    """
    written = plain[found.start() : found.end()]
    called = plain[found.end() : found.end() + 1] == "("
    if (written.islower() and written.isalpha() and not called) or not written[0].isalnum():
        return ""
    if called:
        return "name"
    if written.isupper() and written.isalpha() and len(written) > 1:
        return "acronym"
    if any(sign.isdigit() or sign in "._/@:" for sign in written) or not (written[1:].islower() or len(written) == 1):
        return "name"
    begins = found.start() == 0 and not plain[found.end() : found.end() + 2].strip()[:1].isupper()
    return "" if written.islower() or begins else "name"


def _apart(word: str) -> Iterator[str]:
    """Take a contraction, a possessive or a compound apart."""
    if found := _NUMBERED.fullmatch(word):
        yield from found.groups()
    elif word.isalpha() and word != "cannot":
        yield word
    elif word == "cannot":
        yield from ("can", "not")
    elif word.endswith("n't"):
        yield _SHORTENED.get(word[:-3], word[:-3])
        yield "not"
    elif word.endswith("'s"):
        yield word[:-2]
        if word[:-2] in _IS_AFTER:
            yield "is"
    elif "'" in word and word[word.rindex("'") :] in _ENDINGS:
        cut = word.rindex("'")
        yield word[:cut]
        yield _ENDINGS[word[cut:]]
    else:
        yield from _compound(word)


def _compound(word: str) -> list[str]:
    """Return the parts of a word with hyphens; one where the first is a prefix, or not all are words."""
    parts = word.split("-")
    if parts[0] in _PREFIXES:
        return ["".join(parts)]
    return parts if all(part.isalpha() and len(part) > 1 for part in parts) else [word]


def _tagged(word: str, form: str, measure: Measure | None) -> Token:
    return _word(word, form) if measure is None else Token(word, "#", "measure", name=False, measure=measure)


@lru_cache(maxsize=1 << 16)
def _word(word: str, form: str) -> Token:
    tag = "word" if form and len(word) == 1 and word != "i" else _TAGS.get(word, "word")
    root = _MEANING.get(word, word) if form == "acronym" else meaning(word)
    return Token(word, root if tag == "word" else word, tag, bool(form))


def _joined(found: list[Token]) -> Iterator[Token]:
    """Put the words of a set phrase together as the one word that says the same."""
    place = 0
    while place < len(found):
        for size in range(_LONGEST_PHRASE, 0, -1) if found[place].word in _FIRST_OF_PHRASE else ():
            phrase = tuple(token.word for token in found[place : place + size])
            if phrase in _PHRASES:
                if _PHRASES[phrase]:
                    yield _tagged(_PHRASES[phrase], "", None)
                place += size
                break
        else:
            yield found[place]
            place += 1


def _settled(found: list[Token], place: int) -> Token:
    """Decide on words that are prepositions or adjectives, by what stands around them."""
    token = found[place]
    if token.word not in _ADJECTIVES or place == 0:
        return token
    after = found[place + 1] if place + 1 < len(found) else None
    ends = (
        after is None or after.tag in {"mark", "preposition", "subordinator", "conjunction"} or after.word == "default"
    )
    return token._replace(tag="word") if found[place - 1].tag in {"be", "light", "negation"} and ends else token
