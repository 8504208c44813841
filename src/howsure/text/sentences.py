"""Split text into sentences."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from howsure.text.blocks import split_blocks
from howsure.text.words import abbreviations

# Marks that may end a sentence, with the quotation marks and brackets that close after them. The first line holds marks
# that have other uses too; the second those of other scripts (Chinese, Arabic, Hindi, ...), which always end one.
# Possessive quantifiers keep the time linear.
_END = re.compile(
    r"(?<![.!?\u2026])[.!?\u2026]++[\"'\u2019\u201d\u00bb\u203a)\]}*_`]*+"
    r"|[\u3002\uff01\uff1f\uff61\u061f\u06d4\u0964\u0965\u0589\u1362\u104b\u17d4]++[\"'\u2019\u201d\u00bb\u300d\u300f)\]}\uff09]*+"
)
_AMBIGUOUS_MARKS = ".!?\u2026"
_INLINE_CODE = re.compile(r"`[^`\n]+`")
# Opening quotation marks and the first word after the end of a sentence.
_NEXT_WORD = re.compile(r"\s*([\"'\u2018\u201c\u00ab(\[*_`]*)(\w{0,24})")
_NEVER_LAST = frozenset(abbreviations.NEVER_LAST.split())
_TITLES = frozenset(abbreviations.TITLES.split())
_BEFORE_NUMBER = frozenset(abbreviations.BEFORE_NUMBER.split())
_SOMETIMES_LAST = frozenset(abbreviations.SOMETIMES_LAST.split())
_STARTERS = frozenset(abbreviations.STARTERS.split())
_LOOK_BACK = 24
"""Characters before a full stop that are examined, which keeps the time linear."""


class Sentence(NamedTuple):
    """A sentence and its offsets in the text."""

    text: str
    """The sentence as it stands in the text, line breaks included."""
    start: int
    end: int


def split_sentences(text: str) -> list[Sentence]:
    """Return the sentences of a text, including headings and list items, without code and tables.

    >>> [sentence.text for sentence in split_sentences("Dr. Ito runs v1.2 of parse.py, e.g. daily. It works!")]
    ['Dr. Ito runs v1.2 of parse.py, e.g. daily.', 'It works!']
    """
    return [
        sentence
        for block in split_blocks(text)
        if block.kind != "table"
        for sentence in split_span(text, block.start, block.end)
    ]


def split_span(text: str, start: int, end: int) -> Iterator[Sentence]:
    """Yield the sentences between two offsets of a text; line breaks do not end a sentence.

    >>> [sentence.text for sentence in split_span("One. Two. Three.", 5, 16)]
    ['Two.', 'Three.']
    """
    code_spans = iter([match.span() for match in _INLINE_CODE.finditer(text, start, end)])
    code = next(code_spans, (end, end))
    for marks in _END.finditer(text, start, end):
        while code[1] <= marks.start():
            code = next(code_spans, (end, end))
        if code[0] < marks.start() or not _ends_sentence(text, start, marks, end):
            continue
        if sentence := _strip(text, start, marks.end()):
            yield sentence
        start = marks.end()
    if sentence := _strip(text, start, end):
        yield sentence


def _strip(text: str, start: int, end: int) -> Sentence | None:
    """Return the sentence between two offsets without surrounding white space, or None if nothing is left."""
    part = text[start:end]
    words = part.strip()
    if not words:
        return None
    start += part.index(words[0])
    return Sentence(words, start, start + len(words))


def _ends_sentence(text: str, start: int, match: re.Match[str], end: int) -> bool:
    """Return True if the sentence that began at `start` ends with these punctuation marks."""
    marks = match[0]
    if marks[0] not in _AMBIGUOUS_MARKS:
        return True
    if match.end() >= end:
        return True
    if not text[match.end()].isspace():
        return False
    after = _NEXT_WORD.match(text, match.end(), end)
    opening, word = (after[1], after[2]) if after else ("", "")
    lower = word[:1].islower() and not opening
    if marks[0] != "." or len(marks) > 1:  # '"Stop!" she said' and "and so ... on" go on
        return not (lower and (marks[-1] not in ".!?" or marks.startswith(("..", "\u2026"))))
    before = _word_before(text, start, match.start())
    return _full_stop_ends(before, word, lower, is_numeral=_follows_numeral(text, start, match))


def _follows_numeral(text: str, start: int, match: re.Match[str]) -> bool:
    """Return True if the sentence so far is just a number, as in an enumeration ("1. First do this")."""
    before = text[max(start, match.start() - _LOOK_BACK) : match.start()].strip()
    return before.isdigit() and len(before) < _LOOK_BACK - 2


def _full_stop_ends(before: str, after: str, lower: bool, *, is_numeral: bool) -> bool:
    """Return True if a full stop between two words ends a sentence; `lower`: the second is in lower case."""
    known = before.lower().lstrip("([\"'\u201c\u2018*_")
    if is_numeral or known in _NEVER_LAST or (known in _TITLES and before[-len(known)].isupper()):
        return False
    if known in _BEFORE_NUMBER and after[:1].isdigit():
        return False
    is_initial = (len(known) == 1 and known.isalpha() and before[-1:].isupper()) or _is_initials(known)
    if is_initial:
        return after.lower() in _STARTERS and not lower
    return not (known in _SOMETIMES_LAST and lower)


def _is_initials(word: str) -> bool:
    """Return True for letters separated by full stops, like "u.s", but not "5.2"."""
    letters = word.split(".")
    is_single = all(len(letter) == 1 and letter.isalpha() for letter in letters)
    return len(letters) > 1 and is_single and word not in _SOMETIMES_LAST


def _word_before(text: str, start: int, place: int) -> str:
    words = text[max(start, place - _LOOK_BACK) : place].split()
    return words[-1] if words and not text[place - 1].isspace() else ""
