"""Phrases: find whole phrases in a text, without case, in one pass whatever their number."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from ahocorasick_rs import BytesAhoCorasick, Implementation

APOSTROPHES = ("'", "\u2019", "\u2018")
# Letters whose lower case is another letter's, or longer than themselves; a search without case takes them as alike.
_ALIKE = {"\u0130": "i", "\u0131": "i", "\u017f": "s", "\u212a": "k"}


# For each ASCII character, whether it is part of a word.
_TOUCHES = [chr(code).isalnum() or chr(code) == "_" for code in range(128)]


class Hit(NamedTuple):
    """A phrase, and where it stands."""

    phrase: str
    start: int
    end: int


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
    [Hit(phrase='I think', start=0, end=8), Hit(phrase='think', start=3, end=8)]
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

    def find(self, text: str) -> list[Hit]:
        """Return every phrase in a text, overlapping ones included, by where they end."""
        if not self._ascii or any(letter in text for letter in _ALIKE):
            text = folded(text)
        anchors, hits = self._anchors, []
        for index, start, end in self._words(text):
            for phrase, before, after in anchors[index]:
                if not before and not after:
                    hits.append(Hit(phrase, start, end))
                    continue
                first, last = start, end
                for word in before:
                    first = _word_before(text, first, word)
                for word in after:
                    last = _word_after(text, last, word)
                if first >= 0 and last >= 0:
                    hits.append(Hit(phrase, first, last))
        return hits

    def _words(self, text: str) -> Iterator[tuple[int, int, int]]:
        """Give each anchor word that stands alone in a text, with its place in characters."""
        # Where all phrases are ASCII, only ASCII letters have to be lowered, which bytes do twenty times as fast.
        data = text.encode("utf-8", "surrogatepass").lower()
        matches = self._automaton.find_matches_as_indexes(data, overlapping=True)
        if len(data) == len(text):
            for match in matches:
                _, start, end = match
                if not ((start and _TOUCHES[data[start - 1]]) or (end < len(data) and _TOUCHES[data[end]])):
                    yield match
            return
        end = read = 0
        for index, _, byte_end in matches:
            end += len(data[read:byte_end].decode("utf-8", "surrogatepass"))
            read = byte_end
            start = end - self._sizes[index]
            if not in_word(text, start - 1) and not in_word(text, end):
                yield index, start, end


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


def _spellings(word: str) -> list[str]:
    return [word.replace("'", apostrophe) for apostrophe in APOSTROPHES] if "'" in word else [word]


def _word_before(text: str, place: int, word: str) -> int:
    """Return where a word starts that stands before a place, with white space between; -1 if it does not."""
    end = place
    while end > 0 and text[end - 1].isspace():
        end -= 1
    start = end - len(word)
    if not 0 <= start < end < place or _straight(text[start:end].lower()) != word:
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
    if start == place or _straight(text[start:end].lower()) != word:
        return -1
    return -1 if in_word(text, end) else end
