"""Phrases: find whole phrases in a text, without case, in one pass whatever their number."""

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import NamedTuple

from ahocorasick_rs import BytesAhoCorasick, Implementation

APOSTROPHES = ("'", "\u2019", "\u2018")
# Letters whose lower case is another letter's, or longer than themselves; a search without case takes them as alike.
_ALIKE = {"\u0130": "i", "\u0131": "i", "\u017f": "s", "\u212a": "k"}


class Mark(NamedTuple):
    """A phrase found in a text."""

    phrase: str
    """The phrase, as the list has it."""
    start: int
    """Where it starts in the text, in characters."""
    end: int
    """Where it ends."""
    negated: bool = False
    """Whether a negation before it turns it into its opposite; known to those who look for negations."""


_mark: Callable[[tuple[str, int, int, bool]], Mark] = partial(tuple.__new__, Mark)  # twice as fast as naming fields


class _Anchor(NamedTuple):
    """A phrase by one of its words, with the words that have to stand before and after it."""

    phrase: str
    before: tuple[str, ...]
    after: tuple[str, ...]


def folded(text: str) -> str:
    """Return a text in lower case, every character at its place.

    >>> folded("\u0130 THIN\u212a")
    'i think'
    """
    if not text.isascii():
        for letter, alike in _ALIKE.items():
            if letter in text:
                text = text.replace(letter, alike)
    return text.lower()


class Phrases:
    """A set of phrases to look for.

    A phrase is found where its words stand in a row, whatever white space is between them, and no letter, digit or
    underscore touches it. Only one word of each phrase goes into the automaton; its companions are checked when
    it is met, so the text never has to be rewritten.

    >>> Phrases(["I think", "think"]).find("I  THINK, rethink")
    [Mark(phrase='I think', start=0, end=8, negated=False), Mark(phrase='think', start=3, end=8, negated=False)]
    """

    def __init__(self, phrases: Iterable[str]) -> None:
        """Build the automaton; searching is then linear in the text alone."""
        anchors: dict[str, list[_Anchor]] = {}
        for phrase in phrases:
            words = [_straight(word) for word in folded(phrase).split()]
            if not words:
                raise ValueError("an empty phrase would be found everywhere")
            longest = max(range(len(words)), key=lambda index: len(words[index]))
            anchor = _Anchor(phrase, tuple(reversed(words[:longest])), tuple(words[longest + 1 :]))
            for spelling in _spellings(words[longest]):
                anchors.setdefault(spelling, []).append(anchor)
        self._anchors = list(anchors.values())
        self._ascii = all(word.isascii() for word in anchors if not set(word) & set(APOSTROPHES))
        self._sizes = [len(word) for word in anchors]
        # Over bytes the automaton is three times as fast as over str.
        self._automaton = BytesAhoCorasick([word.encode() for word in anchors], implementation=Implementation.DFA)

    def find(self, text: str) -> list[Mark]:
        """Return every phrase in a text, overlapping ones included, by where they end."""
        if not self._ascii or (not text.isascii() and any(letter in text for letter in _ALIKE)):
            text = folded(text)
        # Where all phrases are ASCII, only ASCII letters have to be lowered, which bytes do twenty times as fast.
        data = text.encode("utf-8", "surrogatepass").lower()
        matches = self._automaton.find_matches_as_indexes(data, overlapping=True)
        anchors, size, marks = self._anchors, len(text), []
        for index, start, end in matches if len(data) == size else self._in_characters(data, matches):
            # As `in_word` says, without a call for each: a letter, digit or underscore touches it.
            if (start and ((side := text[start - 1]).isalnum() or side == "_")) or (
                end < size and ((side := text[end]).isalnum() or side == "_")
            ):
                continue
            for phrase, before, after in anchors[index]:
                first, last = start, end
                for word in before:
                    first = _word_before(text, first, word)
                for word in after:
                    last = _word_after(text, last, word)
                if first >= 0 and last >= 0:
                    marks.append(_mark((phrase, first, last, False)))
        return marks

    def _in_characters(self, data: bytes, matches: Iterable[tuple[int, int, int]]) -> Iterator[tuple[int, int, int]]:
        """Give matches with their places in characters, not in bytes."""
        end = read = 0
        for index, _, byte_end in matches:
            end += len(data[read:byte_end].decode("utf-8", "surrogatepass"))
            read = byte_end
            yield index, end - self._sizes[index], end


def in_word(text: str, place: int) -> bool:
    """Say whether a letter, digit or underscore stands at a place; beyond the ends nothing does."""
    if not 0 <= place < len(text):
        return False
    character = text[place]
    return character.isalnum() or character == "_"


def _straight(word: str) -> str:
    for apostrophe in APOSTROPHES[1:]:
        word = word.replace(apostrophe, "'")
    return word


def _same(text: str, word: str) -> bool:
    """Say whether a text is a word, whatever its case and its apostrophes."""
    small = text.lower()
    return small == word or ("'" in word and _straight(small) == word)


def _spellings(word: str) -> list[str]:
    return [word.replace("'", apostrophe) for apostrophe in APOSTROPHES] if "'" in word else [word]


def _word_before(text: str, place: int, word: str) -> int:
    """Return where a word starts that stands before a place, with white space between; -1 if it does not."""
    end = place
    while end > 0 and text[end - 1].isspace():
        end -= 1
    start = end - len(word)
    if not 0 <= start < end < place or not _same(text[start:end], word):
        return -1
    return -1 if in_word(text, start - 1) else start


def _word_after(text: str, place: int, word: str) -> int:
    """Return where a word ends that stands after a place, with white space between; -1 if it does not."""
    if place < 0:
        return -1
    start = place
    while start < len(text) and text[start].isspace():
        start += 1
    end = start + len(word)
    if start == place or not _same(text[start:end], word):
        return -1
    return -1 if in_word(text, end) else end
