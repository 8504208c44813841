"""Split texts into passages of about a sentence, and read the words, names, numbers and negations of each."""

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import NamedTuple

from howsure.text.blocks import split_blocks
from howsure.text.phrases import fold_case
from howsure.text.quantities.measures import Measure, is_rate, read_measures
from howsure.text.sentences import split_span
from howsure.text.stems import root_of, stem
from howsure.text.words import denials, grammar

_LONGEST = 600
"""Characters of a passage; longer sentences are cut, which keeps the time linear."""
# A word may contain signs between its letters ("parse.py", "X-Request-Id", "a/b") and begin with dashes ("--fix").
_WORD = re.compile(r"(?:(?<!\w)--?(?=[a-zA-Z]))?[^\W_](?:\w|['.\-/@:](?=\w))*(?:\+\+|#)?|[,;:()]")
_FUNCTION_WORDS = frozenset(
    word
    for words in (
        *(grammar.BE, grammar.HAVE, grammar.DO, grammar.MODALS, grammar.DETERMINERS, grammar.PRONOUNS),
        *(grammar.PREPOSITIONS, grammar.SUBORDINATORS, grammar.CONJUNCTIONS, grammar.LIGHT, grammar.NEGATIONS),
    )
    for word in words.split()
) | {"each", "every", "all", "any", "other", "others", "those", "them", "then", "only", "will", "get", "gets"}
_NEGATIONS = frozenset(grammar.NEGATIONS.split()) | {"lack", "lacks", "lacked", "unable"}
_CLAUSE_ENDS = frozenset([*",;:()", "but", "and", "or", "because", "since", "which", "while", "although", "though"])
_CLAUSE_ENDS |= {"where", "when", "if", "until", "unless"}
_CLAUSE_END, _NEGATION, _FUNCTION, _NEGATIVE_FUNCTION = range(4)
_KINDS = {
    **dict.fromkeys(_FUNCTION_WORDS, _FUNCTION),
    **{word: _NEGATIVE_FUNCTION if word in _FUNCTION_WORDS else _NEGATION for word in _NEGATIONS},
    **dict.fromkeys(_CLAUSE_ENDS, _CLAUSE_END),
}
"""Which words are not plain content words: ends of clauses, negations, function words, and those that are both."""
_NEGATIVE, _FUNCTIONAL = (_NEGATION, _NEGATIVE_FUNCTION), (_FUNCTION, _NEGATIVE_FUNCTION)
# After a negation: "not only", "never fails to" and the like deny nothing.
_AFFIRMING = re.compile(r" (?:only|just|merely|(?:fail|forget|hesitate)s? to|(?:failed|forgot|hesitated) to)\b")
_PLAIN = str.maketrans({"\u2019": "'", "\u2018": "'", "\n": " ", "\u00a0": " ", "\u202f": " ", "\u2011": "-"})
_DENYING = {
    word: next_word.strip()
    for words, _, next_word in (entry.partition(":") for entry in denials.DENYING.split(";"))
    for word in words.split()
}
_DENIED = {
    stem(word): frozenset(map(root_of, others.split()))
    for word, _, others in (line.partition(":") for line in denials.DENIED.strip().splitlines())
}
_SHORT_FORM = re.compile(r"'(?:s|ve|re|ll|d|m)\Z")
# The name of the time zone is read as a word, too: it stands in "UTC+1".
_UTC = re.compile(r"\b(?:UTC|GMT)\b", re.IGNORECASE)
# "Plan A costs more" names a plan, "A Tale of A Tub" and "THIS IS A TEST" name nothing.
_AFTER_LABEL = re.compile(r"(?! [A-Z])")
_SCOPE = 3
"""Content words after a negation that it negates."""


class Word(NamedTuple):
    """A content word of a passage."""

    text: str
    """As written."""
    stem: str
    root: str
    is_name: bool
    """True for a name, an identifier or a word in capitals."""
    begins: bool
    """True if it is the first word of the sentence and written with a capital letter, so that it may be a name."""
    negated: bool
    """True if a negation stands shortly before it."""
    denied: bool = False
    """True if it is the first content word after a negation, which is what the negation denies."""


class Passage(NamedTuple):
    """A sentence, heading, table row, line of code, or part of a long one."""

    text: str
    start: int
    """Offset in the text it comes from."""
    end: int
    words: tuple[Word, ...]
    measures: tuple[Measure, ...]
    negations: int
    """How many negations it has."""
    denials: frozenset[str] = frozenset()
    """Roots of what it denies by another word than a negation: "excluded", "instead of"."""


def words_of(passages: Iterable[Passage]) -> list[Word]:
    """Return the content words of all passages."""
    return [word for passage in passages for word in passage.words]


def is_denying(word: Word) -> bool:
    """Return True for a word that denies something itself: "excluded".

    >>> [is_denying(word) for word in read_passage("closed cars", 0, 11).words]
    [True, False]
    """
    return word.text.lower() in _DENYING or word.stem in _DENIED


def split_passages(text: str, *, with_code: bool = False) -> Iterator[tuple[int, int]]:
    """Yield the offsets of the passages of a text; fenced code by line if `with_code`, else not at all.

    >>> text = "One is 1. Two is 2."
    >>> [text[start:end] for start, end in split_passages(text)]
    ['One is 1.', 'Two is 2.']
    """
    place = 0
    for block in split_blocks(text):
        if with_code:
            yield from _lines(text, place, block.start)
        for sentence in split_span(text, block.start, block.end):
            yield from _cut(text, sentence.start, sentence.end)
        place = block.end
    if with_code:
        yield from _lines(text, place, len(text))


def _lines(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield the lines between two offsets that hold a letter or digit."""
    while start < end:
        stop = text.find("\n", start, end)
        stop = end if stop < 0 else stop
        if any(sign.isalnum() for sign in text[start:stop]):
            yield from _cut(text, start, stop)
        start = stop + 1


def _cut(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield the offsets of a sentence, or of its parts if it is very long."""
    while end - start > _LONGEST:
        cut = text.rfind(" ", start + 1, start + _LONGEST)
        cut = start + _LONGEST if cut < 0 else cut
        yield start, cut
        start = cut
    if text[start:end].strip():
        yield start, end


def read_passage(text: str, start: int, end: int) -> Passage:
    """Read the passage between two offsets of a text.

    >>> passage = read_passage("Redis does not store 5 MB.", 0, 26)
    >>> [(word.text, word.negated) for word in passage.words], [measure.text for measure in passage.measures]
    ([('Redis', False), ('store', True)], ['5 mb'])
    """
    written = text[start:end]
    plain = written.translate(_PLAIN)
    lower = fold_case(plain)
    measures = tuple(read_measures(lower))
    words: list[Word] = []
    denied: set[str] = set()
    scope = soft_scope = negations = place = 0
    is_first, is_open, last = True, False, ""
    # The name of a period is read as a word, too: "per month" is about the same as "monthly".
    for measure in [*(one for one in measures if not is_rate(one) or one.text.startswith("/")), None]:
        for match in _WORD.finditer(plain, place, max(place, measure.start) if measure else len(plain)):
            begin, stop = match.span()
            token = lower[begin:stop]
            is_label = match[0] == "A" and not is_first and _AFTER_LABEL.match(plain, stop)
            kind = None if is_label else _KINDS.get(token)
            if kind == _CLAUSE_END:
                # "Not licensed or copied" denies both.
                is_open &= match[0] == "or"
                scope, soft_scope = _SCOPE if is_open else 0, _SCOPE if token in _DENYING else 0
                is_first &= not token.isalpha()
                continue
            is_shortened = kind is None and token.endswith("n't")
            if (kind in _NEGATIVE or is_shortened) and not _AFFIRMING.match(lower, stop):
                negations, scope, is_open, last = negations + 1, _SCOPE, True, token
            is_pronoun = kind is None and "'" in token and _SHORT_FORM.sub("", token) in _FUNCTION_WORDS
            denies = token in _DENYING and lower.startswith(_DENYING[token], stop + 1)
            if kind in _FUNCTIONAL or is_shortened or is_pronoun:
                soft_scope = _SCOPE if denies else soft_scope
                is_first = False
                continue
            new = _content_words(match[0], token, is_first, scope > 0, scope == _SCOPE)
            words += new
            denied |= _DENIED.get(new[0].stem, set()) if new else set()
            if soft_scope:
                denied.update(word.root for word in new)
            if scope == _SCOPE and last == "without" and not token.endswith("ing"):
                scope = 1  # "without a key the value is kept" negates the key
            scope, soft_scope = max(0, scope - 1), _SCOPE if denies else max(0, soft_scope - 1)
            is_first = False
        if measure:
            if measure.zone is not None and (zone := _UTC.search(plain, measure.start, measure.end)):
                words += _content_words(zone[0], zone[0].lower(), False, False, False)
            place, is_first = measure.end, False
    return Passage(written, start, end, tuple(words), measures, negations, frozenset(denied))


@lru_cache(maxsize=1 << 15)
def _content_words(written: str, token: str, is_first: bool, negated: bool, denied: bool) -> tuple[Word, ...]:
    """Return a word, or the parts of a compound of plain words; `denied` if it is the first one after a negation."""
    if short := _SHORT_FORM.search(token):
        token, written = token[: short.start()], written[: short.start()]
    if written.islower() and written.isalpha():
        return (Word(written, *_forms(token), False, False, negated, denied),)
    is_label = token[-2:-1] == "-"  # "zone-b" is another one than "zone-a"
    is_compound = "-" in token and not token.startswith("-") and token.replace("-", "").isalpha() and not is_label
    if is_compound and written[1:].islower():
        first, *others = token.split("-")
        return (
            Word(first, *_forms(first), False, False, negated, denied),
            *(Word(part, *_forms(part), False, False, negated) for part in others),
        )
    is_plain = written.isalpha() and (written.islower() or written[1:].islower())
    has_capital = written[:1].isupper()
    is_name = not is_plain or (has_capital and not is_first)
    return (Word(written, *_forms(token), is_name, is_first and has_capital, negated, denied),)


def split_name(name: Word) -> list[Word]:
    """Return the parts of a name with hyphens, each a name; none if a part is not made of letters.

    >>> passage = read_passage("He is Swedish-British.", 0, 22)
    >>> [part.text for part in split_name(passage.words[0])]
    ['Swedish', 'British']
    """
    parts = name.text.split("-")
    if len(parts) == 1 or not all(part.isalpha() for part in parts):
        return []
    return [name._replace(text=part, stem=stem_, root=root) for part in parts for stem_, root in [_forms(part.lower())]]


@lru_cache(maxsize=1 << 16)
def _forms(token: str) -> tuple[str, str]:
    return stem(token), root_of(token)
