"""Notice that two parts of a sentence have exchanged some of their words.

An example is "Red blinks and green glows" for "Red glows and green blinks": the words are the same, and so may be their
order within each part.
"""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import combinations
from typing import NamedTuple

from howsure.text.passages import Passage
from howsure.text.stems import root_of
from howsure.text.words import grammar

_CUTS = tuple(
    re.compile(cut)
    for cut in (
        r"[;:,]|\b(?:and|but|or|while|whereas|against|than|then)\b",
        r"[;:]|\b(?:and|but|while|whereas)\b",
        r";|, (?:and|but|while|whereas) ",
        r";|\b(?:and|but|whereas)\b",
    )
)
"""Where parts end. What belongs together may stand on both sides of a comma or of "while", so both ways are tried."""
_WORD = re.compile(r"[^\W_](?:[\w'\-/.@]*\w)?")
_FUNCTION_WORDS = frozenset(
    word
    for words in (
        *(grammar.BE, grammar.HAVE, grammar.DO, grammar.MODALS, grammar.DETERMINERS, grammar.PRONOUNS),
        *(grammar.PREPOSITIONS, grammar.SUBORDINATORS, grammar.CONJUNCTIONS, grammar.LIGHT, grammar.NEGATIONS),
    )
    for word in words.split()
) - {"then", "first", "later"}
_MOST_PARTS = 12
"""Parts of a sentence and of a passage that are compared: each pair of one with each pair of the other."""
_MOST_SHARED = 2
"""Words that parts may share, such as a verb of both."""
_LEAST_SHARE = 2 / 3
"""Share of the words of both parts that the sentence must have: leaving out the rest looks like an exchange."""


class _Part(NamedTuple):
    """A part of a passage: roots of words and values of numbers, each with how it is written, in order."""

    written: dict[str, str]

    @property
    def keys(self) -> frozenset[str]:
        return frozenset(self.written)


class _Exchange(NamedTuple):
    """What two parts of a sentence have of two parts of a passage."""

    kept: frozenset[str]
    """What the first part of the sentence has of the first part of the passage."""
    taken: frozenset[str]
    """What it has of the second one."""
    given: frozenset[str]
    """What the second part of the sentence has of the first part of the passage."""
    left: frozenset[str]
    """What it has of the second one."""


def find_exchanged_pairing(sentence: Passage, passages: Sequence[Passage]) -> str:
    """Return what stands beside the wrong one of two things in a sentence, by some passages, or "".

    >>> from howsure.text.passages import read_passage
    >>> context = "Overflow raises an error in debug builds and wraps around in release builds."
    >>> passages = [read_passage(context, 0, len(context))]
    >>> for text in (
    ...     "Overflow wraps around in debug builds and raises an error in release builds.",
    ...     "Release builds wrap around, and in debug builds overflow raises an error.",
    ... ):
    ...     print(repr(find_exchanged_pairing(read_passage(text, 0, len(text)), passages)))
    '"wraps" and "raises error" have changed places'
    ''
    """
    for cut in _CUTS:
        own = _read_parts(sentence, cut)
        if not 1 < len(own) <= _MOST_PARTS:
            continue
        for passage in passages:
            parts = _read_parts(passage, cut)
            if not 1 < len(parts) <= _MOST_PARTS:
                continue
            for exchange in _find_exchanges(own, parts):
                if not _is_said(exchange, passages):
                    written = {key: text for part in own for key, text in part.written.items()}
                    taken, given = (
                        " ".join(text for key, text in written.items() if key in some)
                        for some in (exchange.taken, exchange.given)
                    )
                    return f'"{taken}" and "{given}" have changed places'
    return ""


def is_reordered(sentence: Passage, passages: Sequence[Passage]) -> bool:
    """Return True if a sentence has the parts of a passage in another order.

    What both parts share may be said in the first one only, whichever that is.

    >>> from howsure.text.passages import read_passage
    >>> context = "Ann paid for lunch and Bob for dinner."
    >>> passages = [read_passage(context, 0, len(context))]
    >>> for text in "Bob paid for dinner and Ann for lunch.", "Bob paid for lunch and Ann for dinner.":
    ...     print(is_reordered(read_passage(text, 0, len(text)), passages))
    True
    False
    """
    return any(
        _has_other_order(_read_parts(sentence, cut), _read_parts(passage, cut)) for cut in _CUTS for passage in passages
    )


def _has_other_order(own: Sequence[_Part], parts: Sequence[_Part]) -> bool:
    if not 1 < len(own) == len(parts) <= _MOST_PARTS:
        return False
    places = [max(range(len(parts)), key=lambda place: len(part.keys & parts[place].keys)) for part in own]
    if sorted(places) != list(range(len(parts))) or places == sorted(places):
        return False
    more = {key for part, place in zip(own, places, strict=True) for key in part.keys - parts[place].keys}
    less = {key for part, place in zip(own, places, strict=True) for key in parts[place].keys - part.keys}
    return more == less and len(more) <= _MOST_SHARED


@lru_cache(maxsize=64)
def _read_parts(passage: Passage, cut: re.Pattern[str]) -> tuple[_Part, ...]:
    """Return the parts of a passage that have words."""
    tokens = sorted(_read_tokens(passage))
    ends = [
        match.start()
        for match in cut.finditer(passage.text)
        if not any(one.start <= match.start() < one.end for one in passage.measures)
    ]
    parts = []
    for start, end in zip([0, *ends], [*ends, len(passage.text)], strict=True):
        if written := {key: text for place, key, text in tokens if start <= place < end}:
            parts.append(_Part(written))
    return tuple(parts)


def _read_tokens(passage: Passage) -> Iterator[tuple[int, str, str]]:
    """Yield place, key and text of the words and numbers of a passage."""
    for measure in passage.measures:
        yield measure.start, f"{measure.dimension} {measure.low!r} {measure.high!r}", measure.text
    for match in _WORD.finditer(passage.text):
        is_number = any(one.start <= match.start() < one.end for one in passage.measures)
        word = match[0].lower()
        if not is_number and word not in _FUNCTION_WORDS:
            yield match.start(), root_of(word), match[0]


def _find_exchanges(own: Sequence[_Part], parts: Sequence[_Part]) -> Iterator[_Exchange]:
    for one, two in combinations(parts, 2):
        ones, twos = one.keys - two.keys, two.keys - one.keys
        for first, second in combinations(own, 2) if ones and twos else ():
            firsts, seconds = first.keys - second.keys, second.keys - first.keys
            exchange = _Exchange(firsts & ones, firsts & twos, seconds & ones, seconds & twos)
            if not all(exchange):
                continue
            shares = len(exchange.kept | exchange.given) / len(ones), len(exchange.taken | exchange.left) / len(twos)
            if min(shares) >= _LEAST_SHARE and not _is_list(exchange, one, two):
                yield exchange


def _is_list(exchange: _Exchange, one: _Part, two: _Part) -> bool:
    """Return True if the end of one part and the beginning of the next changed places: "milk and tea"."""
    return any(
        _ends_with(one, given) and _ends_with(two, taken, backwards=True)
        for given, taken in ((exchange.given, exchange.taken), (exchange.kept, exchange.left))
    )


def _ends_with(part: _Part, keys: frozenset[str], *, backwards: bool = False) -> bool:
    order = list(reversed(part.written)) if backwards else list(part.written)
    return keys == set(order[-len(keys) :])


def _is_said(exchange: _Exchange, passages: Sequence[Passage]) -> bool:
    """Return True if some part of the passages has what the sentence has together, and nothing of the other."""
    others = exchange.given | exchange.left
    return any(
        not part.keys.isdisjoint(exchange.kept)
        and not part.keys.isdisjoint(exchange.taken)
        and part.keys.isdisjoint(others)
        for passage in passages
        for cut in _CUTS
        for part in _read_parts(passage, cut)
    )
