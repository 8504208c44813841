"""Index the texts that a response was made from, to find the passages that a sentence comes from."""

import math
import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from functools import cached_property, lru_cache
from typing import NamedTuple

from howsure.text.measures import Measure, are_comparable, measure_gap
from howsure.text.passages import Passage, Word, read_passage, split_name, split_passages

_CANDIDATES = 4
"""Passages, by the rarity of the words they share with a sentence, around which windows are compared."""
_WIDEST = 3
"""Passages of a window at most."""
_LIKELY = 5
"""Windows of those that are compared exactly."""
_MAX_POSTINGS, _MIN_POSTINGS = 300, 20
"""Passages that are looked at for the words of a sentence, the rarest word first, and for each word at least: a word
that is in many passages says little, and this bounds the time."""
_PREFIX, _SAME_SHARE = 4, 0.7
"""Two words are forms of one name if they begin with so many equal letters, and with this share of the longer word."""
_ALWAYS_COMPARED_BY_PREFIX = 6
"""Letters from which plain words are compared like that too."""
_DIGITS = re.compile(r"\d+(?:\.\d+)*")
_CALENDAR = frozenset({"date", "month", "weekday", "clock", "version", "recurrence"})
_LOOSE = frozenset({"number", "version", "date"})
"""Dimensions of digits that depend on the words around them: "the 1997 film", "in 1997"."""
_EXACT, _ABOUT = 1e-6, 0.15
"""How far apart two amounts may be, as a share, and be the same: in general, and if one is "about"."""
_MAX_COMPARED = 500
"""Dates and versions of a window with which one is compared."""
_NUMBER_BONUS, _WIDTH_COST = 0.3, 0.06
"""What the numbers of a sentence add to the worth of a window, and what each further passage costs."""


class Window:
    """Passages in a row, with their words and numbers."""

    def __init__(self, passages: Sequence[Passage]) -> None:
        """Collect the words and numbers of the passages."""
        self.passages = passages
        self.words: list[Word] = [word for passage in passages for word in passage.words]
        self.measures: list[Measure] = [measure for passage in passages for measure in passage.measures]
        self.stems: set[str] = {word.stem for word in self.words}
        self.roots: set[str] = {word.root for word in self.words}
        # "Swedish-British" names both.
        self._parts: set[str] = {
            part.stem for word in self.words if word.is_name and "-" in word.text for part in split_name(word)
        }
        self._forms: dict[str, bool] = {}

    @cached_property
    def lower(self) -> str:
        """The text in lower case."""
        return " ".join(passage.text.lower() for passage in self.passages)

    @cached_property
    def _by_prefix(self) -> dict[str, set[str]]:
        index: dict[str, set[str]] = {}
        for one in self.stems:
            index.setdefault(one[:_PREFIX], set()).add(one)
        return index

    @cached_property
    def _digits(self) -> dict[tuple[str, ...], set[tuple[str, float]]]:
        """Dimension and value by the digits of a number."""
        index: dict[tuple[str, ...], set[tuple[str, float]]] = {}
        for measure in self.measures:
            index.setdefault(_digits_of(measure), set()).add((measure.dimension, _value_of(measure)))
        return index

    @cached_property
    def _amounts(self) -> dict[str, list[float]]:
        """Sorted values by dimension."""
        values: dict[str, set[float]] = {}
        for measure in self.measures:
            values.setdefault(measure.dimension, set()).update(_ends(measure))
        return {dimension: sorted(ends) for dimension, ends in values.items()}

    def has_word(self, word: Word) -> bool:
        """Return True if the window has a form of a word."""
        if word.stem in self.stems or word.root in self.roots or word.stem in self._parts:
            return True
        if word.is_name and "-" in word.text and (parts := split_name(word)):
            return all(self.has_word(part) for part in parts)
        if not (word.is_name or word.begins or len(word.stem) >= _ALWAYS_COMPARED_BY_PREFIX):
            return False
        known = self._forms.get(word.stem)
        if known is None:
            known = any(_are_forms(word.stem, other) for other in self._by_prefix.get(word.stem[:_PREFIX], ()))
            self._forms[word.stem] = known
        return known

    def has_number(self, measure: Measure) -> bool:
        """Return True if the window has the same number, amount or date."""
        digits = _digits_of(measure)
        if digits and any(_may_be_same(measure, *other) for other in self._digits.get(digits, ())):
            return True
        if measure.text == "one" or (measure.text.startswith(("one ", "1 ")) and self._names_unit(measure)):
            return True
        if measure.dimension in _CALENDAR:
            # An open range such as "after 2009" would agree with every later date; only its digits are compared.
            if not _is_closed(measure) and digits:
                return False
            others = [other for other in self.measures if are_comparable(measure, other) and _is_closed(other)]
            others = [other for other in others if measure.dimension in {other.dimension, "month"}]
            return any(measure_gap(measure, other) == 0.0 for other in others[:_MAX_COMPARED])
        values = self._amounts.get(measure.dimension, [])
        share = _ABOUT if measure.about else _EXACT
        return any(_holds(values, end, share) for end in _ends(measure))

    def _names_unit(self, measure: Measure) -> bool:
        """Return True if the window names the unit of "one minute", as in "per minute"."""
        return measure.unit != "" and measure.unit.rstrip("s") in self.lower

    def other_number(self, measure: Measure) -> Measure | None:
        """Return a number of the same kind, if the window has one."""
        return next((other for other in self.measures if are_comparable(measure, other)), None)


def _are_forms(one: str, other: str) -> bool:
    """Return True if two stems begin alike: "german" and "germany"."""
    size = max(_PREFIX, math.ceil(_SAME_SHARE * max(len(one), len(other))))
    return min(len(one), len(other)) >= size and one[:size] == other[:size]


def _digits_of(measure: Measure) -> tuple[str, ...]:
    return _digits_in(measure.text)


@lru_cache(maxsize=1 << 13)
def _digits_in(text: str) -> tuple[str, ...]:
    return tuple(_DIGITS.findall(text.replace(",", "")))


def _value_of(measure: Measure) -> float:
    return measure.low if math.isfinite(measure.low) else measure.high


def _may_be_same(measure: Measure, dimension: str, value: float) -> bool:
    """Return True if a measure may be another one with the same digits: "5 hours" is not "5 days"."""
    if dimension == measure.dimension and dimension not in _CALENDAR:
        plain = float(_digits_of(measure)[0]) if _digits_of(measure)[0].count(".") < 2 else value  # noqa: PLR2004
        same = math.isclose(_value_of(measure), value, rel_tol=_EXACT, abs_tol=_EXACT)
        # A number without a multiplier may stand for one with it: "5" in "from 5 to 6 million".
        return same or (dimension == "number" and plain in {value, _value_of(measure)})
    return dimension == measure.dimension or bool({dimension, measure.dimension} & _LOOSE)


def _ends(measure: Measure) -> list[float]:
    return [end for end in (measure.low, measure.high) if math.isfinite(end)]


def _is_closed(measure: Measure) -> bool:
    return math.isfinite(measure.low) and math.isfinite(measure.high)


def _holds(values: list[float], value: float, share: float) -> bool:
    """Return True if sorted values have one that is equal to a value, but for a share of it."""
    place = bisect_left(values, value - share * abs(value))
    return place < len(values) and values[place] <= value + share * abs(value)


class Place(NamedTuple):
    """A window and where it is."""

    window: Window
    text: int
    """Number of the text."""
    start: int
    end: int


class Context:
    """The texts that a response was made from."""

    def __init__(self, texts: Sequence[str]) -> None:
        """Read the passages of the texts and index their words."""
        self.texts = texts
        self._passages = [
            (number, read_passage(text, start, end))
            for number, text in enumerate(texts)
            for start, end in split_passages(text, with_code=True)
        ]
        self._roots = [frozenset(word.root for word in passage.words) for _, passage in self._passages]
        self._digits = [frozenset(map(_digits_of, passage.measures)) for _, passage in self._passages]
        self._postings: dict[str, list[int]] = {}
        for place, roots in enumerate(self._roots):
            for root in roots:
                self._postings.setdefault(root, []).append(place)
        # Of a passage that occurs several times, the first place.
        self._exact = {passage.text.strip(): n for n, (_, passage) in reversed(list(enumerate(self._passages)))}
        self._windows: dict[tuple[int, int], Window] = {}
        self.whole: Window = Window([passage for _, passage in self._passages])

    def rarity(self, word: Word) -> float:
        """Return the weight of a word: the rarer it is among the passages, the higher."""
        return math.log(1.0 + (len(self._passages) + 1) / (len(self._postings.get(word.root, ())) + 0.5))

    def find_best(self, sentence: Passage) -> Place | None:
        """Return the window that has most of a sentence, or None if no passage has any of its words."""
        if (exact := self._exact.get(sentence.text.strip())) is not None:
            return self._place(exact, 1)
        best: tuple[float, Place] | None = None
        weights = {word.root: (self.rarity(word), word) for word in sentence.words}
        total = sum(weight for weight, _ in weights.values()) or 1.0
        numbers = max(1, len(sentence.measures))
        for place in self._candidates(weights, sentence.measures):
            window = place.window
            worth = sum(weight for weight, word in weights.values() if window.has_word(word)) / total
            worth += _NUMBER_BONUS * sum(map(window.has_number, sentence.measures)) / numbers
            worth -= _WIDTH_COST * (len(window.passages) - 1)
            if best is None or worth > best[0]:
                best = worth, place
        return best[1] if best else None

    def _candidates(self, weights: dict[str, tuple[float, Word]], measures: Sequence[Measure]) -> Iterator[Place]:
        """Yield the windows that share most with these words and numbers, by equal words alone."""
        shared: dict[int, float] = {}
        budget = _MAX_POSTINGS
        for root in sorted(weights, key=lambda root: len(self._postings.get(root, ()))):
            for place in self._postings.get(root, ())[: max(budget, _MIN_POSTINGS)]:
                shared[place] = shared.get(place, 0.0) + weights[root][0]
            budget -= len(self._postings.get(root, ()))
        best = [place for _, place in sorted((-worth, place) for place, worth in shared.items())[:_CANDIDATES]]
        spans = {
            (first, size): None
            for place in best
            for size in range(1, _WIDEST + 1)
            for first in range(max(0, place - size + 1), min(place, len(self._passages) - size) + 1)
        }
        digits = {_digits_of(measure) for measure in measures}
        total = sum(weight for weight, _ in weights.values()) or 1.0

        hits = {
            place: weights.keys() & self._roots[place] for first, size in spans for place in range(first, first + size)
        }

        def worth(span: tuple[int, int]) -> float:
            first, size = span
            roots = hits[first] if size == 1 else hits[first].union(*(hits[first + place] for place in range(1, size)))
            # Sorted, so that the sum does not depend on the order of a set.
            found = sum(sorted(weights[root][0] for root in roots)) / total
            known = digits & frozenset().union(*self._digits[first : first + size]) if digits else ()
            return found + _NUMBER_BONUS * len(known) / max(1, len(digits)) - _WIDTH_COST * (size - 1)

        # The exact comparison takes ten times as long, so only the likeliest windows get it. The single passages that
        # share most are always among them: another form of a word is not seen here.
        likely = dict.fromkeys([*((place, 1) for place in best[:2]), *sorted(spans, key=worth, reverse=True)[:_LIKELY]])
        for first, size in likely:
            # No window reaches from one text into another.
            if self._passages[first][0] == self._passages[first + size - 1][0]:
                yield self._place(first, size)

    def _place(self, first: int, size: int) -> Place:
        part = self._passages[first : first + size]
        if (first, size) not in self._windows:
            self._windows[first, size] = Window([passage for _, passage in part])
        return Place(self._windows[first, size], part[0][0], part[0][1].start, part[-1][1].end)
