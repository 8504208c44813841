"""Index the texts that a response was made from, to find the passages that a sentence comes from."""

import math
import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property, lru_cache
from typing import NamedTuple

from howsure.text.passages import Passage, Word, read_passage, split_name, split_passages
from howsure.text.quantities.measures import Measure, Rate, are_comparable, is_rate, is_same_rate, measure_gap
from howsure.text.quantities.recurrences import names_period
from howsure.text.words import roles

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
_OF_A_PLACE = frozenset({"an", "ean", "ian", "es", "ish"})
"""Stems of the endings by which a place becomes an adjective: "European", "Brazilian", "Japanese"."""
_MOST_ALIKE = 300
"""Stems that begin with the same letters: more of them are names that count ("itema", "itemb"), and no forms."""
_SIGNS = re.compile(r"[^a-z]+")
_JOINING = re.compile(r"(?<=[a-z])[-_]|[-_](?=[a-z])")
_ALWAYS_COMPARED_BY_PREFIX = 6
"""Letters from which plain words are compared like that too."""
_DIGITS = re.compile(r"\d+(?:\.\d+)*")
_MONTH_NAME = re.compile(r"\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)")
_SEPARATORS = re.compile(r",|(?<=\d)[ \u00a0\u2009\u202f](?=\d{3}(?!\d))")
_CALENDAR = frozenset({"date", "month", "weekday", "clock", "version", "recurrence"})
_DATES = frozenset({"date", "month"})
_UNTIL = ("until", "till", "by", "up to", "through")
_LOOSE = frozenset({"number", "version", "date"})
"""Dimensions of digits that depend on the words around them: "the 1997 film", "in 1997"."""
_ORDINALS = roles.ORDINALS.split()
_EXACT, _ABOUT = 1e-6, 0.15
"""How far apart two amounts may be, as a share, and be the same: in general, and if one is "about"."""
_MAX_COMPARED = 500
"""Dates and versions of a window with which one is compared."""
_NUMBER_BONUS, _WIDTH_COST = 0.3, 0.06
"""What the numbers of a sentence add to the worth of a window, and what each further passage costs."""


class WordKeys(NamedTuple):
    """What the words of some passages are found by."""

    stems: frozenset[str]
    roots: frozenset[str]
    parts: frozenset[str]
    """Stems of the parts of names with hyphens: "Swedish-British" names both."""

    @classmethod
    def of(cls, words: Sequence[Word]) -> "WordKeys":
        """Return the keys of some words."""
        hyphenated = [word for word in words if word.is_name and "-" in word.text]
        return cls(
            frozenset([word.stem for word in words]),
            frozenset([word.root for word in words]),
            frozenset([part.stem for word in hyphenated for part in split_name(word)]),
        )

    @classmethod
    def join(cls, keys: Sequence["WordKeys"]) -> "WordKeys":
        """Return the keys of several passages together."""
        return keys[0] if len(keys) == 1 else cls(*(frozenset().union(*sets) for sets in zip(*keys, strict=True)))


_NO_KEYS = WordKeys(frozenset(), frozenset(), frozenset())


class WordForms:
    """The stems of a context, to find those that are forms of a word."""

    def __init__(self, stems: Iterable[str]) -> None:
        """Index the stems."""
        self._by_shape: dict[tuple[str, ...], list[str]] = {}
        for one in stems:
            self._by_shape.setdefault(_shape_of(one), []).append(one)
        self._known: dict[str, frozenset[str]] = {}

    def find(self, stem: str) -> frozenset[str]:
        """Return the stems that are forms of one."""
        forms = self._known.get(stem)
        if forms is None:
            near = self._by_shape.get(_shape_of(stem), ())
            forms = frozenset([other for other in near if _are_forms(stem, other)] if len(near) <= _MOST_ALIKE else ())
            self._known[stem] = forms
        return forms


_NO_FORMS = WordForms(())


class Window:
    """Passages in a row, with their words and numbers."""

    def __init__(self, passages: Sequence[Passage], keys: WordKeys = _NO_KEYS, forms: WordForms = _NO_FORMS) -> None:
        """Take the passages, the keys of their words, and the forms that the context has."""
        self.passages = passages
        self.stems, self.roots, self._parts = keys
        self._forms = forms

    @cached_property
    def words(self) -> list[Word]:
        """The words in order."""
        return [word for passage in self.passages for word in passage.words]

    @cached_property
    def measures(self) -> list[Measure]:
        """The numbers in order."""
        return [measure for passage in self.passages for measure in passage.measures]

    @cached_property
    def lower(self) -> str:
        """The text in lower case."""
        return " ".join(passage.text.lower() for passage in self.passages)

    @cached_property
    def _digits(self) -> dict[tuple[str, ...], set[tuple[str, float, str]]]:
        """Dimension, value and month by the digits of a number."""
        index: dict[tuple[str, ...], set[tuple[str, float, str]]] = {}
        for measure in self.measures:
            key = measure.dimension, _value_of(measure), _month_of(measure)
            index.setdefault(_digits_of(measure), set()).add(key)
        return index

    @cached_property
    def _calendar(self) -> dict[str, list[Measure]]:
        """Closed dates, versions and the like with which one of a dimension is compared: a month with dates too.

        The last day of "until 30 September" is one of them.
        """
        index: dict[str, list[Measure]] = {}
        # Each once, wherever it stands: a list of prices says "per month" again and again.
        alike = {measure._replace(text="", start=0, end=0): measure for measure in self.measures}
        for measure in map(_last_day_of, alike.values()):
            if measure.dimension in _CALENDAR and _is_closed(measure):
                for dimension in {measure.dimension, "month"} if measure.dimension == "date" else {measure.dimension}:
                    index.setdefault(dimension, []).append(measure)
        return {dimension: measures[:_MAX_COMPARED] for dimension, measures in index.items()}

    @cached_property
    def _open_ranges(self) -> set[tuple[str, float, float]]:
        """Dimension and ends of dates and the like that are open on one side: "from June"."""
        return {(one.dimension, one.low, one.high) for one in self.measures if not _is_closed(one)}

    @cached_property
    def _amounts(self) -> dict[str, list[float]]:
        """Sorted values by dimension."""
        values: dict[str, set[float]] = {}
        for measure in self.measures:
            values.setdefault(measure.dimension, set()).update(_ends(measure))
        return {dimension: sorted(ends) for dimension, ends in values.items()}

    @cached_property
    def _times(self) -> list[Measure]:
        """Times of day, each once."""
        alike = {(*one[:2], one.zone): one for one in self.measures if one.dimension == "clock"}
        return list(alike.values())[:_MAX_COMPARED]

    @cached_property
    def _rates(self) -> list[Rate]:
        """The amounts for a period, each once."""
        return list(dict.fromkeys(one.rate for one in self.measures if one.rate is not None))[:_MAX_COMPARED]

    @cached_property
    def _joined(self) -> frozenset[str]:
        """The stems without hyphens beside letters: "utf8" is "utf-8"."""
        return frozenset([_JOINING.sub("", one) for one in self.stems])

    def has_word(self, word: Word) -> bool:
        """Return True if the window has a form of a word."""
        if word.stem in self.stems or word.root in self.roots or word.stem in self._parts:
            return True
        if word.is_name and "-" in word.text and (parts := split_name(word)):
            return all(self.has_word(part) for part in parts)
        if word.is_name and _JOINING.sub("", word.stem) in self._joined:
            return True
        if not (word.is_name or word.begins or len(word.stem) >= _ALWAYS_COMPARED_BY_PREFIX):
            return False
        return not self._forms.find(word.stem).isdisjoint(self.stems)

    def has_number(self, measure: Measure) -> bool:
        """Return True if the window has the same number, amount or date."""
        digits = _digits_of(measure)
        if measure.dimension == "ordinal" and measure.low <= len(_ORDINALS):
            return digits in self._digits or _ORDINALS[int(measure.low) - 1] in self.lower.split()
        if measure.zone is not None:
            return any(self._is_same_time(measure, other) for other in self._times)
        if digits and any(_may_be_same(measure, *other) for other in self._digits.get(digits, ())):
            return True
        if measure.text == "one" or (measure.text.startswith(("one ", "1 ")) and self._names_unit(measure)):
            return True
        if is_rate(measure) and names_period(self.lower, measure.low):
            return True
        if measure.rate is not None and any(is_same_rate(measure.rate, rate) for rate in self._rates):
            return True
        if measure.dimension in _CALENDAR:
            others = self._calendar.get(measure.dimension, ())
            if _is_closed(measure):
                return any(measure_gap(measure, other) == 0.0 for other in others)
            # An open range such as "after 2009" would agree with every later date. It is the same as another one with
            # its ends, and its end is known if the context has it as a day or time; a date has been compared by digits.
            if (measure.dimension, measure.low, measure.high) in self._open_ranges:
                return True
            has_end = measure.dimension == "clock" or not digits
            return has_end and any(other.low <= _value_of(measure) <= other.high for other in others)
        values = self._amounts.get(measure.dimension, [])
        share = _ABOUT if measure.about else _EXACT
        return any(_holds(values, end, share) for end in _ends(measure))

    def _is_same_time(self, measure: Measure, other: Measure) -> bool:
        """Return True if times are the same; the zone of the second may stand elsewhere: "all times are in UTC"."""
        if other.zone is None and measure.text.rpartition(" ")[2].strip("()") not in self.lower:
            return False
        if _is_closed(measure) and _is_closed(other):
            return not measure_gap(measure, other)
        return measure.zone == other.zone and _digits_of(measure) == _digits_of(other)

    def _names_unit(self, measure: Measure) -> bool:
        """Return True if the window names the unit of "one minute", as in "per minute"."""
        return measure.unit != "" and measure.unit.rstrip("s") in self.lower

    def other_number(self, measure: Measure) -> Measure | None:
        """Return a number of the same kind, if the window has one: rather one that differs than one that does not."""
        others = [other for other in self.measures if are_comparable(measure, other)]
        return next((other for other in others if measure_gap(measure, other)), next(iter(others), None))


def _shape_of(stem: str) -> tuple[str, ...]:
    """Return the first letters and all digits and signs, which the forms of a word have in common."""
    return (stem[:_PREFIX], *_SIGNS.findall(stem))


def _are_forms(one: str, other: str) -> bool:
    """Return True if two stems of one shape are forms of one word, or of each part of a name with digits or signs.

    >>> _are_forms("german", "germany"), _are_forms("europe", "european"), _are_forms("load_setting", "load_settings")
    (True, True, True)
    >>> _are_forms("cluster-a", "cluster-b")
    False
    """
    parts = zip(_SIGNS.split(one), _SIGNS.split(other), strict=True)
    return all(first == second or _begin_alike(first, second) for first, second in parts)


def _begin_alike(one: str, other: str) -> bool:
    """Return True if two words begin alike, or one is of the place that the other names."""
    size = max(_PREFIX, math.ceil(_SAME_SHARE * max(len(one), len(other))))
    if min(len(one), len(other)) >= size and one[:size] == other[:size]:
        return True
    short, long = sorted((one, other), key=len)
    place = short.rstrip("aeiouy")
    return len(place) >= _PREFIX and long.startswith(place) and long[len(place) :] in _OF_A_PLACE


def _digits_of(measure: Measure) -> tuple[str, ...]:
    return _digits_in(measure.text)


@lru_cache(maxsize=1 << 13)
def _digits_in(text: str) -> tuple[str, ...]:
    return tuple(_DIGITS.findall(_SEPARATORS.sub("", text)))


def _value_of(measure: Measure) -> float:
    return measure.low if math.isfinite(measure.low) else measure.high


def _month_of(measure: Measure) -> str:
    """Return the first letters of the month that a date names, or ""."""
    name = _MONTH_NAME.search(measure.text) if measure.dimension in _DATES else None
    return name[0] if name else ""


def _last_day_of(measure: Measure) -> Measure:
    """Return the last day of a period without a beginning, "until 30 September", or else the measure itself."""
    is_day = measure.dimension in _DATES and measure.low == -math.inf and measure.text.startswith(_UNTIL)
    return measure._replace(low=measure.high) if is_day and _month_of(measure) else measure


def _may_be_same(measure: Measure, dimension: str, value: float, month: str) -> bool:
    """Return True if a measure may be another one with the same digits: "5 hours" is not "5 days"."""
    if month and month != (_month_of(measure) or month):
        return False
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
        self._keys = [WordKeys.of(passage.words) for _, passage in self._passages]
        self._digits = [frozenset(map(_digits_of, passage.measures)) for _, passage in self._passages]
        self._postings: dict[str, list[int]] = {}
        for place, keys in enumerate(self._keys):
            for root in keys.roots:
                self._postings.setdefault(root, []).append(place)
        # Of a passage that occurs several times, the first place.
        self._exact = {passage.text.strip(): n for n, (_, passage) in reversed(list(enumerate(self._passages)))}
        self._places: dict[tuple[int, int], Place] = {}
        every = WordKeys.join(self._keys) if self._keys else _NO_KEYS
        self._forms = WordForms(every.stems)
        self.whole: Window = Window([passage for _, passage in self._passages], every, self._forms)
        self._rarities: dict[str, float] = {}

    def rarity(self, word: Word) -> float:
        """Return the weight of a word: the rarer it is among the passages, the higher."""
        rarity = self._rarities.get(word.root)
        if rarity is None:
            count = len(self._postings.get(word.root, ()))
            rarity = self._rarities[word.root] = math.log(1.0 + (len(self._passages) + 1) / (count + 0.5))
        return rarity

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
            worth = sum([weight for weight, word in weights.values() if window.has_word(word)]) / total
            if sentence.measures:
                worth += _NUMBER_BONUS * sum(map(window.has_number, sentence.measures)) / numbers
            worth -= _WIDTH_COST * (len(window.passages) - 1)
            if best is None or worth > best[0]:
                best = worth, place
        return best[1] if best else None

    def passages_with(self, words: Sequence[Word]) -> list[Passage]:
        """Return passages that have all of some words, of at most 300 that have the rarest of them."""
        roots = {word.root for word in words}
        postings = min((self._postings.get(root, []) for root in roots), key=len, default=[])
        return [self._passages[place][1] for place in postings[:_MAX_POSTINGS] if roots <= self._keys[place].roots]

    def _candidates(self, weights: dict[str, tuple[float, Word]], measures: Sequence[Measure]) -> Iterator[Place]:
        """Yield the windows that share most with these words and numbers, by equal words alone."""
        best = self._likely_passages(weights)
        spans = {
            (first, size): None
            for place in best
            for size in range(1, _WIDEST + 1)
            for first in range(max(0, place - size + 1), min(place, len(self._passages) - size) + 1)
        }
        digits = {_digits_of(measure) for measure in measures}
        total = sum(weight for weight, _ in weights.values()) or 1.0
        # The words of a passage as bits, those with the lowest weight first: sums have one order, and are known.
        order = sorted(weights, key=lambda root: weights[root][0])
        bits = {root: 1 << number for number, root in enumerate(order)}
        own, masks = frozenset(weights), dict[int, int]()
        for first, size in spans:
            for place in range(first, first + size):
                if place not in masks:
                    masks[place] = sum([bits[root] for root in own & self._keys[place].roots])
        sums: dict[int, float] = {}

        def worth(span: tuple[int, int]) -> float:
            first, size = span
            mask = masks[first]
            for place in range(first + 1, first + size):
                mask |= masks[place]
            found = sums.get(mask)
            if found is None:
                found = sums[mask] = sum([weights[root][0] for root in order if mask & bits[root]]) / total
            if not digits:
                return found - _WIDTH_COST * (size - 1)
            known = digits & frozenset().union(*self._digits[first : first + size])
            return found + _NUMBER_BONUS * len(known) / max(1, len(digits)) - _WIDTH_COST * (size - 1)

        # The exact comparison takes ten times as long, so only the likeliest windows get it. The single passages that
        # share most are always among them: another form of a word is not seen here.
        likely = dict.fromkeys([*((place, 1) for place in best[:2]), *sorted(spans, key=worth, reverse=True)[:_LIKELY]])
        for first, size in likely:
            # No window reaches from one text into another.
            if self._passages[first][0] == self._passages[first + size - 1][0]:
                yield self._place(first, size)

    def _likely_passages(self, weights: dict[str, tuple[float, Word]]) -> list[int]:
        """Return the passages that share the rarest words with these, the best first."""
        shared: defaultdict[int, float] = defaultdict(float)
        budget = _MAX_POSTINGS
        postings = [(self._postings[root], weights[root][0]) for root in weights if root in self._postings]
        for places, weight in sorted(postings, key=lambda one: len(one[0])):
            for place in places if len(places) <= budget else places[: max(budget, _MIN_POSTINGS)]:
                shared[place] += weight
            budget -= len(places)
        # The places with the highest worth, without sorting all of them as pairs.
        least = sorted(shared.values(), reverse=True)[:_CANDIDATES][-1:] or [0.0]
        best = [place for _, place in sorted([(-worth, place) for place, worth in shared.items() if worth >= least[0]])]
        return best[:_CANDIDATES]

    def _place(self, first: int, size: int) -> Place:
        known = self._places.get((first, size))
        if known is None:
            part = self._passages[first : first + size]
            keys = WordKeys.join(self._keys[first : first + size])
            window = Window([passage for _, passage in part], keys, self._forms)
            known = self._places[first, size] = Place(window, part[0][0], part[0][1].start, part[-1][1].end)
        return known
