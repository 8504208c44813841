"""Find many phrases in a text in one pass, ignoring case and matching whole words only."""

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import NamedTuple

from ahocorasick_rs import BytesAhoCorasick, Implementation, MatchKind

APOSTROPHES = ("'", "\u2019", "\u2018")
# Letters that `re.IGNORECASE` treats as equal to an ASCII letter although `str.lower` does not map them to one
# character of the same length: dotted and dotless i, long s, Kelvin sign.
_CASE_VARIANTS = {"\u0130": "i", "\u0131": "i", "\u017f": "s", "\u212a": "k"}


_SHORTEST_ANCHOR = 4
"""Letters of a word that is rare enough to look for."""
_PIECE = 16_384
"""Characters that are encoded at once."""


class PhraseMatch(NamedTuple):
    """A phrase found in a text."""

    phrase: str
    """The phrase as it is written in the list."""
    start: int
    """Offset of its first character in the text."""
    end: int
    """Offset after its last character."""
    negated: bool = False
    """True if a negation before it reverses its meaning. Set by `Markers`; `Phrases` does not look for negations."""


# Building the tuple directly is twice as fast as calling PhraseMatch with four arguments.
_new_match: Callable[[tuple[str, int, int, bool]], PhraseMatch] = partial(tuple.__new__, PhraseMatch)


class _Anchor(NamedTuple):
    """A phrase, indexed by one of its words: the words that must stand before (nearest first) and after that word."""

    phrase: str
    before: tuple[str, ...]
    after: tuple[str, ...]
    ends: str
    """Last letter of the word before; empty without one."""
    begins: str
    """First letter of the word after; empty without one."""


def fold_case(text: str) -> str:
    """Return a text in lower case, with every character at the same offset.

    >>> fold_case("\u0130 THIN\u212a")
    'i think'
    """
    if not text.isascii():
        for letter, plain in _CASE_VARIANTS.items():
            if letter in text:
                text = text.replace(letter, plain)
    return text.lower()


class Phrases:
    """A set of phrases that can be searched for.

    A phrase matches if its words follow each other, separated by any white space, and no letter, digit or underscore
    touches it. Only one word of each phrase is searched for, its anchor; the other words are compared when it is found,
    so the text never has to be rewritten to normalize white space.

    If every phrase has an anchor of letters and digits alone, no two anchors that are whole words overlap, and a longer
    one never hides a shorter one. Then the search for the longest anchor at each place finds all of them. For few
    anchors it compares 32 bytes at once, which is three times as fast as following an automaton byte by byte.

    >>> matches = Phrases(["I think", "think"]).find("I  THINK, rethink")
    >>> [(match.phrase, match.start, match.end) for match in matches]
    [('I think', 0, 8), ('think', 3, 8)]
    """

    def __init__(self, phrases: Iterable[str]) -> None:
        """Build the automaton. Raises ValueError for an empty phrase."""
        anchors: dict[str, list[_Anchor]] = {}
        # A gate builds 433 phrases at its start; the short ways for plain phrases save half of that time.
        split = [
            (
                phrase,
                phrase.lower().split() if phrase.isascii() else [_straighten(w) for w in fold_case(phrase).split()],
            )
            for phrase in phrases
        ]
        self._plain = all(any(map(_is_plain_anchor, words)) for _, words in split)
        for phrase, words in split:
            if not words:
                raise ValueError("an empty phrase would match everywhere")
            sizes = [len(word) if not self._plain or word.isalnum() else 0 for word in words]
            longest = sizes.index(max(sizes))
            before, after = tuple(reversed(words[:longest])), tuple(words[longest + 1 :])
            anchor = _Anchor(phrase, before, after, before[0][-1] if before else "", after[0][0] if after else "")
            for spelling in _spellings(words[longest]):
                anchors.setdefault(spelling, []).append(anchor)
        self._anchors = list(anchors.values())
        self._ascii = all(word.isascii() for word in anchors if not set(word) & set(APOSTROPHES))
        self._sizes = [len(word) for word in anchors]
        # An automaton over bytes is three times as fast as one over str.
        self._automaton = BytesAhoCorasick(
            [word.encode() for word in anchors],
            matchkind=MatchKind.LeftmostLongest if self._plain else MatchKind.Standard,
            implementation=Implementation.DFA,
        )

    def find(self, text: str) -> list[PhraseMatch]:
        """Return every match, overlapping ones included, ordered by the end of their anchor."""
        # In pieces, since most pieces of most texts are ASCII, and so searched and encoded in half of the time.
        pieces = [text] if text.isascii() else [text[at : at + _PIECE] for at in range(0, len(text), _PIECE)]
        if not self._ascii or any(_has_case_variant(piece) for piece in pieces if not piece.isascii()):
            text = fold_case(text)
            pieces = [text]
        # If all phrases are ASCII, lowering ASCII letters is enough; bytes.lower is 20 times as fast as str.lower.
        # Other characters are in no anchor then, so that one byte for each keeps the offsets.
        encoding = ("ascii", "replace") if self._ascii and self._plain else ("utf-8", "surrogatepass")
        data = b"".join([piece.encode(*encoding) for piece in pieces]).lower()
        hits = self._automaton.find_matches_as_indexes(data, overlapping=not self._plain)
        anchors, size, matches = self._anchors, len(text), []
        for index, start, end in hits if len(data) == size else self._to_characters(data, hits):
            # `is_word_character`, inlined because this runs for every hit.
            left, right = text[start - 1] if start else " ", text[end] if end < size else " "
            if left.isalnum() or left == "_" or right.isalnum() or right == "_":
                continue
            own = anchors[index]
            if len(own) == 1:
                left = right = ""
            else:
                # Letters beside a blank decide first: "think" is in many phrases, of which few are in the text.
                left = text[start - 2].lower() if left == " " and start > 1 else ""
                right = text[end + 1].lower() if right == " " and end + 1 < size else ""
                left, right = left if left.isalpha() else "", right if right.isalpha() else ""
            for phrase, before, after, ends, begins in own:
                if (ends != left and ends and left) or (begins != right and begins and right):
                    continue
                first, last = start, end
                for word in before:
                    first = _start_of_word_before(text, first, word)
                for word in after:
                    last = _end_of_word_after(text, last, word)
                if first >= 0 and last >= 0:
                    matches.append(_new_match((phrase, first, last, False)))
        return matches

    def _to_characters(self, data: bytes, hits: Iterable[tuple[int, int, int]]) -> Iterator[tuple[int, int, int]]:
        """Yield hits with offsets in characters instead of bytes."""
        end = read = 0
        for index, _, byte_end in hits:
            end += len(data[read:byte_end].decode("utf-8", "surrogatepass"))
            read = byte_end
            yield index, end - self._sizes[index], end


def is_word_character(text: str, place: int) -> bool:
    """Return True if a letter, digit or underscore is at this offset; False outside the text."""
    if not 0 <= place < len(text):
        return False
    character = text[place]
    return character.isalnum() or character == "_"


def _has_case_variant(text: str) -> bool:
    return any(letter in text for letter in _CASE_VARIANTS)


def _is_plain_anchor(word: str) -> bool:
    return len(word) >= _SHORTEST_ANCHOR and word.isalnum()


def _straighten(word: str) -> str:
    """Return a word with straight apostrophes."""
    for apostrophe in APOSTROPHES[1:]:
        word = word.replace(apostrophe, "'")
    return word


def _is_same_word(text: str, word: str) -> bool:
    """Compare without regard to case and to the kind of apostrophe."""
    lower = text.lower()
    return lower == word or ("'" in word and _straighten(lower) == word)


def _spellings(word: str) -> list[str]:
    return [word.replace("'", apostrophe) for apostrophe in APOSTROPHES] if "'" in word else [word]


def _start_of_word_before(text: str, place: int, word: str) -> int:
    """Return where the word before `place` starts if it is `word` and white space separates them, else -1."""
    end = place
    while end > 0 and text[end - 1].isspace():
        end -= 1
    start = end - len(word)
    if not 0 <= start < end < place or not _is_same_word(text[start:end], word):
        return -1
    return -1 if is_word_character(text, start - 1) else start


def _end_of_word_after(text: str, place: int, word: str) -> int:
    """Return where the word after `place` ends if it is `word` and white space separates them, else -1."""
    if place < 0:
        return -1
    start = place
    while start < len(text) and text[start].isspace():
        start += 1
    end = start + len(word)
    if start == place or not _is_same_word(text[start:end], word):
        return -1
    return -1 if is_word_character(text, end) else end
