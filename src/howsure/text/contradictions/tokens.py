"""Split a sentence into words and measures, each with its stem and its role."""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from howsure.text.phrases import fold_case
from howsure.text.quantities.measures import Measure, read_measures
from howsure.text.stems import MEANINGS, meaning_of
from howsure.text.words import grammar, synonyms

# A word may contain signs between its letters ("parse.py", "read-only", "a/b", "host:80") and end in "++" or "#".
_WORD = re.compile(r"[^\W_](?:\w|['.\-/@:](?=\w))*(?:\+\+|#)?|[,;:()]")
# A word of several lists gets the role of the last one.
_TAGS = {
    word: tag
    for tag, words in (
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
    for word in words.split()
}
_TAGS |= dict.fromkeys(",;:()", "mark")
_PREPOSITION_OR_ADJECTIVE = frozenset({"on", "off", "up", "down"})
_SHORTENED = {"ca": "can", "wo": "will", "sha": "shall", "ai": "is"}
"""What remains of "can't", "won't", "shan't" and "ain't" without "n't"."""
_ENDINGS = {"'re": "are", "'ve": "have", "'ll": "will", "'d": "would", "'m": "am"}
_BEFORE_IS = frozenset(["it", "that", "there", "he", "she", "what", "who", "here"])
"""Words after which "'s" means "is"; after others it is a possessive."""
# "multithreaded" and "single-threaded" say how many.
_COUNTING_COMPOUND = re.compile(r"(multi|single)-?(\w{3,}ed)")
_PREFIXES = frozenset(grammar.COMPOUND_PREFIXES.split())
_LONGEST_PHRASE = 3
_PHRASES = {tuple(phrase.split()): word for phrase, word in synonyms.PHRASES.items()}
_FIRST_OF_PHRASE = frozenset(phrase[0] for phrase in _PHRASES)
PLAIN_SIGNS = str.maketrans({"\u2019": "'", "\u2018": "'", "\u2010": "-", "\u2011": "-"})
"""Apostrophes and hyphens of print, which language models write too, as those of a keyboard."""
_MAX_WORDS = 120
"""Words that are read of one sentence, which bounds the time."""


class Token(NamedTuple):
    """A word, punctuation mark or measure of a sentence."""

    word: str
    """The word in lower case."""
    stem: str
    """What stands for all its forms and synonyms; "#" for a measure."""
    tag: str
    """Its role: "word" (content word), "mark", "measure", or a list of function words like "preposition"."""
    name: bool = False
    """True if it looks like a name: with a capital letter, a digit or a sign."""
    measure: Measure | None = None


def tokenize(sentence: str) -> list[Token]:
    """Return the tokens of a sentence; contractions are split and set phrases replaced by one word.

    >>> [token.word for token in tokenize("It isn't turned on; the limit's 5 MB.")]
    ['it', 'is', 'not', 'enabled', ';', 'the', 'limit', '5 mb']
    """
    tokens = _split(sentence)
    words = {token.word for token in tokens}
    if not words.isdisjoint(_FIRST_OF_PHRASE):
        tokens = list(_join_phrases(tokens))
        words = {token.word for token in tokens}
    if words.isdisjoint(_PREPOSITION_OR_ADJECTIVE):
        return tokens
    return [_resolve_adjective(tokens, place) for place in range(len(tokens))]


def _split(sentence: str) -> list[Token]:
    """Return the words and measures of a sentence."""
    plain = sentence.translate(PLAIN_SIGNS)
    lower = fold_case(plain)
    place, count = 0, 0
    tokens: list[Token] = []
    for measure in [*read_measures(lower), None]:
        limit = lower.rfind(measure.limit, place, measure.start) if measure and measure.limit else len(lower)
        for match in _WORD.finditer(lower, place, measure.start if measure else len(lower)):
            if measure and limit <= match.start() < limit + len(measure.limit):
                continue
            count += 1
            if count > _MAX_WORDS:
                return tokens
            tokens += _read_word(match[0], _spelling(plain, match))
        if measure:
            tokens.append(Token(measure.text, "#", "measure", name=False, measure=measure))
            place = measure.end
    return tokens


@lru_cache(maxsize=1 << 16)
def _read_word(word: str, spelling: str) -> tuple[Token, ...]:
    """Return the tokens of a word with how it is written (see `_spelling`)."""
    return tuple(_word(part, spelling) for part in _split_word(word))


def _spelling(plain: str, match: re.Match[str]) -> str:
    """Return "acronym", "name" or "" for a plain word.

    The first word of a sentence is a name only if the next word has a capital too.
    """
    start, end = match.span()
    written = plain[start:end]
    is_call = plain[end : end + 1] == "("
    if (written.islower() and written.isalpha() and not is_call) or not written[0].isalnum():
        return ""
    if is_call:
        return "name"
    if written.isupper() and written.isalpha() and len(written) > 1:
        return "acronym"
    if any(sign.isdigit() or sign in "._/@:" for sign in written) or not (written[1:].islower() or len(written) == 1):
        return "name"
    begins = start == 0 and not plain[end : end + 2].strip()[:1].isupper()
    return "" if written.islower() or begins else "name"


def _split_word(word: str) -> Iterator[str]:
    """Split a contraction, a possessive or a compound."""
    if match := _COUNTING_COMPOUND.fullmatch(word):
        yield from match.groups()
    elif word.isalpha() and word != "cannot":
        yield word
    elif word == "cannot":
        yield from ("can", "not")
    elif word.endswith("n't"):
        yield _SHORTENED.get(word[:-3], word[:-3])
        yield "not"
    elif word.endswith("'s"):
        yield word[:-2]
        if word[:-2] in _BEFORE_IS:
            yield "is"
    elif "'" in word and word[word.rindex("'") :] in _ENDINGS:
        cut = word.rindex("'")
        yield word[:cut]
        yield _ENDINGS[word[cut:]]
    else:
        yield from _split_compound(word)


def _split_compound(word: str) -> list[str]:
    """Split a word at its hyphens, unless it begins with a prefix, ends in "only", or a part is not a word."""
    parts = word.split("-")
    if parts[0] in _PREFIXES:
        return ["".join(parts)]
    if parts[-1] == "only":  # "append-only" names a kind of thing and excludes no other value
        return ["".join(parts)]
    return parts if all(part.isalpha() and len(part) > 1 for part in parts) else [word]


def _word(word: str, spelling: str) -> Token:
    tag = "word" if spelling and len(word) == 1 and word != "i" else _TAGS.get(word, "word")
    # Acronyms are not inflected: "HTTPS" is not the plural of "HTTP".
    own = MEANINGS.get(word, word) if spelling == "acronym" else meaning_of(word)
    return Token(word, own if tag == "word" else word, tag, bool(spelling))


def _join_phrases(tokens: list[Token]) -> Iterator[Token]:
    """Replace set phrases by the word that means the same ("turned on" by "enabled")."""
    place = 0
    while place < len(tokens):
        for size in range(_LONGEST_PHRASE, 0, -1) if tokens[place].word in _FIRST_OF_PHRASE else ():
            phrase = tuple(token.word for token in tokens[place : place + size])
            if phrase in _PHRASES:
                if _PHRASES[phrase]:
                    yield _word(_PHRASES[phrase], "")
                place += size
                break
        else:
            yield tokens[place]
            place += 1


def _resolve_adjective(tokens: list[Token], place: int) -> Token:
    """Return the token at a place; "on", "off", "up" and "down" are adjectives in "it is on", else prepositions."""
    token = tokens[place]
    if token.word not in _PREPOSITION_OR_ADJECTIVE or place == 0:
        return token
    after = tokens[place + 1] if place + 1 < len(tokens) else None
    ends = (
        after is None or after.tag in {"mark", "preposition", "subordinator", "conjunction"} or after.word == "default"
    )
    return token._replace(tag="word") if tokens[place - 1].tag in {"be", "light", "negation"} and ends else token
