"""Sentences: where each begins and ends in a text."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from howsure.text.blocks import blocks
from howsure.text.words import abbreviations

_END = re.compile(
    r"(?<![.!?\u2026])[.!?\u2026]++[\"'\u2019\u201d\u00bb\u203a)\]}*_`]*+"
    r"|[\u3002\uff01\uff1f\uff61\u061f\u06d4\u0964\u0965\u0589\u1362\u104b\u17d4]++[\"'\u2019\u201d\u00bb\u300d\u300f)\]}\uff09]*+"
)
_CODE = re.compile(r"`[^`\n]+`")
_AFTER = re.compile(r"\s*([\"'\u2018\u201c\u00ab(\[*_`]*)(\w{0,24})")
_NEVER = frozenset(abbreviations.NEVER_LAST.split())
_TITLES = frozenset(abbreviations.TITLES.split())
_BEFORE_NUMBER = frozenset(abbreviations.BEFORE_NUMBER.split())
_SOMETIMES = frozenset(abbreviations.SOMETIMES_LAST.split())
_STARTERS = frozenset(abbreviations.STARTERS.split())
_LONGEST = 24
"""Characters before a full stop that are looked at, so that no text takes more than linear time."""


class Sentence(NamedTuple):
    """A sentence, and where it stands."""

    text: str
    """The sentence exactly as it stands in the text, line ends included."""
    start: int
    end: int


def sentences(text: str) -> list[Sentence]:
    """Return the sentences of a text, headings and list items included, code and tables left out.

    >>> [found.text for found in sentences("Dr. Ito runs v1.2 of parse.py, e.g. daily. It works!")]
    ['Dr. Ito runs v1.2 of parse.py, e.g. daily.', 'It works!']
    """
    return [found for block in blocks(text) if block.kind != "table" for found in split(text, block.start, block.end)]


def split(text: str, start: int, end: int) -> Iterator[Sentence]:
    """Give the sentences between two places of a text, as if no line ended there.

    >>> [found.text for found in split("One. Two. Three.", 5, 16)]
    ['Two.', 'Three.']
    """
    code = iter([(found.start(), found.end()) for found in _CODE.finditer(text, start, end)])
    inside = next(code, (end, end))
    for found in _END.finditer(text, start, end):
        while inside[1] <= found.start():
            inside = next(code, (end, end))
        if inside[0] < found.start() or not _ends(text, start, found, end):
            continue
        if sentence := _trimmed(text, start, found.end()):
            yield sentence
        start = found.end()
    if sentence := _trimmed(text, start, end):
        yield sentence


def _trimmed(text: str, start: int, end: int) -> Sentence | None:
    part = text[start:end]
    words = part.strip()
    if not words:
        return None
    start += part.index(words[0])
    return Sentence(words, start, start + len(words))


def _ends(text: str, start: int, found: re.Match[str], end: int) -> bool:
    """Say whether a sentence that began at `start` ends with the marks that were found."""
    marks = found[0]
    if marks[0] not in ".!?\u2026":
        return True
    if found.end() >= end:
        return True
    if not text[found.end()].isspace():
        return False
    after = _AFTER.match(text, found.end(), end)
    opening, word = (after[1], after[2]) if after else ("", "")
    lower = word[:1].islower() and not opening
    if marks[0] != "." or len(marks) > 1:  # "Stop!" she said; and so ... on
        return not (lower and (marks[-1] not in ".!?" or marks.startswith(("..", "\u2026"))))
    return _full_stop_ends(_word_before(text, start, found.start()), word, lower, at_start=_numeral(text, start, found))


def _numeral(text: str, start: int, found: re.Match[str]) -> bool:
    """Say whether nothing but a number stands before a full stop, as in an enumeration."""
    before = text[max(start, found.start() - _LONGEST) : found.start()].strip()
    return before.isdigit() and len(before) < _LONGEST - 2


def _full_stop_ends(before: str, after: str, lower: bool, *, at_start: bool) -> bool:
    known = before.lower().lstrip("([\"'\u201c\u2018*_")
    if at_start or known in _NEVER or (known in _TITLES and before[-len(known)].isupper()):
        return False
    if known in _BEFORE_NUMBER and after[:1].isdigit():
        return False
    initial = (len(known) == 1 and known.isalpha() and before[-1:].isupper()) or _initials(known)
    if initial:
        return after.lower() in _STARTERS and not lower
    return not (known in _SOMETIMES and lower)


def _initials(word: str) -> bool:
    """Say whether a word is letters with full stops between them, like "u.s"."""
    letters = word.split(".")
    return len(letters) > 1 and all(len(letter) == 1 for letter in letters) and word not in _SOMETIMES


def _word_before(text: str, start: int, place: int) -> str:
    words = text[max(start, place - _LONGEST) : place].split()
    return words[-1] if words and not text[place - 1].isspace() else ""
