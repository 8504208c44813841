"""Read what a text says about things that are either so or not: does it keep or delete, wait or return at once?"""

import itertools
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from howsure.text.stems import stem
from howsure.text.words import grammar, polarities, values

_LONGEST = 6
_REACH = 6
"""Words before a phrase in which a negation reverses it."""
_DROPPED = frozenset(["the", "a", "an", "its", "their", "his", "her", "this", "that", "these", "those", "very"])
_NEGATIONS = frozenset(
    ["not", "never", "no", "cannot", "without", "nobody", "nothing", "none", "neither", "nor", "hardly", "n't", "nt"]
)


class Pole(NamedTuple):
    """What a text says about one thing."""

    thing: str
    so: bool
    start: int
    """Number of the first word of the phrase."""
    end: int


def _read_entries() -> dict[tuple[str, ...], list[tuple[str, bool]]]:
    """Return the things that each phrase speaks of, and on which side."""
    phrases: dict[tuple[str, ...], list[tuple[str, bool]]] = {}
    for line in polarities.POLARITIES.replace("\n    ", " ").strip().splitlines():
        thing, _, listed = line.partition(": ")
        for side, text in zip((True, False), listed.split(" | "), strict=True):
            for phrase in text.split(","):
                phrases.setdefault(normalize(phrase.replace("-", " ").split()), []).append((thing, side))
    return phrases


def normalize(words: Sequence[str]) -> tuple[str, ...]:
    """Return the stems of words, without articles.

    >>> normalize(["in", "the", "caches"])
    ('in', 'cach')
    """
    return tuple(_stem(word) for word in without_articles(words))


def without_articles(words: Sequence[str]) -> list[str]:
    """Return words without articles and the like.

    >>> without_articles(["in", "the", "cache"])
    ['in', 'cache']
    """
    return [word for word in words if word not in _DROPPED]


@lru_cache(maxsize=1 << 15)
def _stem(word: str) -> str:
    return stem(word)


_PHRASES = _read_entries()
_BE = frozenset(normalize(grammar.BE.split()))
_DROPPING = frozenset(normalize(values.DROPPING.split()))
_LENGTHS: dict[str, int] = {}
for _phrase in _PHRASES:
    _LENGTHS[_phrase[0]] = max(_LENGTHS.get(_phrase[0], 0), len(_phrase))


def read_poles(words: Sequence[str]) -> Iterator[Pole]:
    """Yield what a text, given as words in lower case, says about each thing; a negation before a phrase reverses it.

    >>> [(pole.thing, pole.so) for pole in read_poles("invoices can not be edited".split())]
    [('change', False)]
    """
    stems = normalize(words)
    place = 0
    while place < len(stems):
        for size in range(min(_LENGTHS.get(stems[place], 0), len(stems) - place), 0, -1):
            found = _PHRASES.get(stems[place : place + size])
            if found is not None:
                flips = sum(word in _NEGATIONS for word in stems[max(0, place - _REACH) : place]) % 2 == 1
                flips ^= stems[place] == "support" and _is_dropped(stems[place + size : place + size + _REACH])
                for thing, side in found:
                    yield Pole(thing, side != flips, place, place + size)
                break
        place += 1


def _is_dropped(stems: Sequence[str]) -> bool:
    """Return True if what was named is said to have ended: "support for it was dropped"."""
    return any(one in _BE and other in _DROPPING for one, other in itertools.pairwise(stems))


class PoleComparison(NamedTuple):
    """How two texts differ in what they say about things."""

    agree: float
    """Things of which both say the same."""
    oppose: float
    """Things of which they say opposite things."""
    mixed: float
    """Things of which one text says one thing, and the other both."""
    shared: frozenset[str]
    """The things of which both speak."""


def compare_poles(ones: Sequence[Pole], others: Sequence[Pole]) -> PoleComparison:
    """Compare what two texts say about the things of which both speak.

    >>> one, other = (list(read_poles(text.split())) for text in ("it is read only", "it accepts writes"))
    >>> compare_poles(one, other).oppose
    1.0
    """
    sides: list[dict[str, set[bool]]] = [{}, {}]
    for known, poles in zip(sides, (ones, others), strict=True):
        for pole in poles:
            known.setdefault(pole.thing, set()).add(pole.so)
    shared = frozenset(sides[0].keys() & sides[1].keys())
    agree = [thing for thing in shared if sides[0][thing] & sides[1][thing]]
    mixed = sum(sides[0][thing] != sides[1][thing] for thing in agree)
    return PoleComparison(float(len(agree)), float(len(shared) - len(agree)), float(mixed), shared)


def find_opposed_poles(ones: Sequence[Pole], others: Sequence[Pole]) -> tuple[Pole, Pole] | None:
    """Return what two texts say of the first thing of which each says one thing, and they disagree, or None."""
    known, theirs = _by_thing(ones), _by_thing(others)
    for thing, mine in known.items():
        other = theirs.get(thing, {})
        if len(mine) == len(other) == 1 and not mine.keys() & other.keys():
            return next(iter(mine.values())), next(iter(other.values()))
    return None


def _by_thing(poles: Sequence[Pole]) -> dict[str, dict[bool, Pole]]:
    things: dict[str, dict[bool, Pole]] = {}
    for pole in poles:
        things.setdefault(pole.thing, {}).setdefault(pole.so, pole)
    return things
