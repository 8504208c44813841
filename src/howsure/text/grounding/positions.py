"""Notice what stands beside another word than in the context: names, numbers, periods and opposites."""

import math
import re
from collections.abc import Iterator, Sequence
from itertools import islice, pairwise
from typing import NamedTuple

from howsure.text.passages import Passage, Word, read_passage
from howsure.text.quantities.measures import Measure, are_comparable, measure_gap
from howsure.text.stems import root_of, stem
from howsure.text.words import antonyms, roles
from howsure.text.words.stop_words import ENGLISH

_STOP_WORDS = frozenset(ENGLISH.split())
_BY = re.compile(r"\bby\b")
_TOKEN = re.compile(r"\w(?:[\w'.\-/@:]*\w)?|[,;:()]")
_WORD = re.compile(r"[a-z]{3,}")
_NEXT = re.compile(r"[ -]([a-z]{3,})")
_REACH = 40
"""Characters beside a number in which the word that it belongs to is looked for."""
_MOST = 100
"""Periods and opposites of one sentence that are compared: each is compared with all of a passage."""

# Between words of one clause of which the second does not act upon the first.
_TOGETHER = re.compile(r"(?:(?!\b(?:and|or|but|by|which|that|who|than|while|when|if|unless)\b)[^,;:()\u2013\u2014])*")
_AND = re.compile(r" ?(?:and|or|/|and/or) ?(?:(?:the|an?) ?)?")
# After a word that stands for something named before: "enable the cache or disable it", "old tokens and new ones".
_WITHOUT_NOUN = re.compile(r"(?:\(\))? *(?:(?:it|them|ones?|this|that|these|those|is|are|was|were)\b|[$\d]|[.,;:)`]|$)")
_CONVERSES = frozenset(map(stem, roles.CONVERSES.split()))
_SMALL = 13
"""Plain numbers below this are counts."""
_NEAR = 0.02
"""How far apart two amounts may be, as a share, and be the same: 24 months are two years."""
_YEARS = (1000, 3000)
"""Plain numbers between these may be years."""
# Where one value ends and the next one begins.
_PART_END = re.compile(r"[;:] |, |\b(?:and|while|but|against|than|compared with|afterwards)\b")
_ORDINALS = {word: str(number) for number, word in enumerate(roles.ORDINALS.split(), start=1)}
_ORDINAL = rf"(?:{'|'.join(_ORDINALS)}|\d+(?:st|nd|rd|th))"
# "The third attempt", "the seventh and final season", "the 4th or 5th century".
_ORDINAL_NOUN = re.compile(rf"\b({_ORDINAL})(?: (?:and|or|to) ({_ORDINAL}|[a-z]+))?[ -]([a-z]{{3,}})")
# "Fell by 10 %", "fell to 10 %", "rose from 10 %".
_CHANGE = re.compile(r"\b(by|to|from) (?:about |around |nearly |almost )?([$€£]?\d[\d.,]*\d|[$€£]?\d)( ?%| percent)?")
# Between an amount and its period.
_NOUN = re.compile(r" ?[a-z-]{0,20} ?")


def _opposites() -> dict[str, frozenset[str]]:
    """Return the stems of opposites by stem."""
    pairs: dict[str, set[str]] = {}
    for line in antonyms.PAIRS.replace("\n", " ").split(";"):
        word, _, others = line.partition(":")
        for other in others.split():
            pairs.setdefault(stem(word.strip()), set()).add(stem(other))
            pairs.setdefault(stem(other), set()).add(stem(word.strip()))
    return {word: frozenset(others) for word, others in pairs.items()}


OPPOSITES = _opposites()
"""The stems of opposites by stem."""


class _Name(NamedTuple):
    """A name with the plain words beside it."""

    roots: frozenset[str]
    before: str
    """Root of the content word before it, or ""."""
    after: str


def count_misplaced_names_and_numbers(sentence: Passage, passages: Sequence[Passage]) -> int:
    """Return how many names and numbers of a sentence have in some passages another one in their place.

    >>> from howsure.text.passages import read_passage
    >>> context = "In 2019 Acme bought Initech for 30 million, and Hooli paid 12 million for shares."
    >>> texts = "Acme bought Initech.", "Initech bought Acme.", "Acme bought Initech for 12 million."
    >>> passage = read_passage(context, 0, len(context))
    >>> [count_misplaced_names_and_numbers(read_passage(text, 0, len(text)), [passage]) for text in texts]
    [0, 2, 1]
    """
    # In the passive, names have each other's place.
    passive = bool(_BY.search(sentence.text))
    others = [one for passage in passages if bool(_BY.search(passage.text)) == passive for one in _names(passage)]
    found = sum(_has_other_place(one, others) for one in _names(sentence)) if others else 0
    values = [measure for measure in sentence.measures if measure.dimension != "recurrence"]
    return found + sum(_is_beside_other(measure, sentence, passages) for measure in values)


def find_other_period_or_opposite(sentence: Passage, passages: Sequence[Passage]) -> str:
    """Return a period or an opposite of a sentence that some passages have beside another word, or "".

    >>> from howsure.text.passages import read_passage
    >>> context = "It costs $10 per month or $100 per year. It increases latency but reduces memory use."
    >>> passages = [read_passage(context, 0, len(context))]
    >>> for text in "It costs $100 per year.", "It costs $10 per year.", "It reduces latency.":
    ...     print(repr(find_other_period_or_opposite(read_passage(text, 0, len(text)), passages)))
    ''
    '"$10 per year" against "$10 per month"'
    '"reduces latency" against "increases latency"'
    """
    return next(_other_periods(sentence, passages), "") or next(_other_opposites(sentence, passages), "")


def _other_periods(sentence: Passage, passages: Sequence[Passage]) -> Iterator[str]:
    """Yield amounts to which no passage gives the same period, and one gives another."""
    rates = [rate for passage in passages for rate in islice(_rates(passage), _MOST)]
    for amount, period in islice(_rates(sentence), _MOST):
        others = [rate for rate in rates if are_comparable(rate[0], amount) and not measure_gap(rate[0], amount)]
        if others and all(measure_gap(other, period) for _, other in others):
            yield f'"{amount.text} {period.text}" against "{others[0][0].text} {others[0][1].text}"'


def find_other_ordinal_or_change(sentence: Passage, passages: Sequence[Passage]) -> str:
    """Return an ordinal or a change of a sentence for which some passages have only another one, or "".

    >>> from howsure.text.passages import read_passage
    >>> context = "The third attempt failed, and latency fell by 10%."
    >>> passages = [read_passage(context, 0, len(context))]
    >>> for text in "The 3rd attempt failed.", "The second attempt failed.", "Latency fell to 10%.":
    ...     print(repr(find_other_ordinal_or_change(read_passage(text, 0, len(text)), passages)))
    ''
    '"second attempt" against "third attempt"'
    '"to 10%" against "by 10%"'
    """
    for read in (_read_ordinals, _read_changes):
        known = [one for passage in passages for one in read(passage.text.lower())] if passages else []
        owns = list(islice(read(sentence.text.lower()), _MOST))
        for own in owns:
            others = [one for one in known if one.beside == own.beside]
            values = {one.value for one in owns if one.beside == own.beside}
            if others and values.isdisjoint(one.value for one in others):
                return f'"{own.text}" against "{others[0].text}"'
    return ""


class _Valued(NamedTuple):
    """A word or number with what it depends on."""

    value: str
    beside: str
    text: str


def _read_ordinals(lower: str) -> Iterator[_Valued]:
    """Yield ordinals with the noun that they count."""
    for match in _ORDINAL_NOUN.finditer(lower):
        *ordinals, noun = match.groups()
        for ordinal in ordinals if noun not in _STOP_WORDS else ():
            value = _ORDINALS.get(ordinal) or (ordinal or "")[:-2]
            if value.isdigit():
                yield _Valued(value, root_of(noun), match[0])


def _read_changes(lower: str) -> Iterator[_Valued]:
    """Yield amounts with whether something changed by, to or from them."""
    for match in _CHANGE.finditer(lower):
        preposition, amount, percent = match.groups()
        yield _Valued(preposition, f"{amount.replace(',', '')}{'%' * bool(percent)}", match[0])


def _rates(passage: Passage) -> Iterator[tuple[Measure, Measure]]:
    """Yield the amounts that hold for a period, each with it."""
    lower = passage.text.lower()
    for amount, period in pairwise(passage.measures):
        is_rate = period.dimension == "recurrence" != amount.dimension
        if is_rate and _NOUN.fullmatch(lower, amount.end, period.start):
            yield amount, period


def _other_opposites(sentence: Passage, passages: Sequence[Passage]) -> Iterator[str]:
    """Yield words with what follows them, if some passages have the opposite before that, and never the word beside it.

    What comes before a word is not compared: "prices rose in May and fell in June".
    """
    own = list(islice((pair for pair in _neighbours(sentence) if OPPOSITES.get(pair[0].stem)), _MOST))
    if not own:
        return
    pairs = [pair for passage in passages for pair in _neighbours(passage)]
    known = {frozenset((first.stem, second.stem)) for first, second in pairs}
    joined = {frozenset((one.stem, two.stem)) for passage in passages for one, two in _neighbours(passage, _AND)}
    for first, second in own:
        if {first.stem, second.stem} in known or _is_without_noun(first, passages):
            continue
        for other, same in pairs:
            is_opposite = other.stem in OPPOSITES[first.stem] and {first.stem, other.stem} not in joined
            if same.stem == second.stem and is_opposite:
                yield f'"{first.text} {second.text}" against "{other.text} {same.text}"'


def _is_without_noun(word: Word, passages: Sequence[Passage]) -> bool:
    """Return True if it is unknown what a word belongs to in some passages, or if its opposite says the same there."""
    known = False
    for passage in passages:
        for text in {other.text for other in passage.words if other.stem == word.stem}:
            known = True
            places = re.finditer(rf"\b{re.escape(text)}\b", passage.text)
            if any(_WITHOUT_NOUN.match(passage.text, place.end()) for place in places):
                return True
    return not known and word.stem in _CONVERSES


def _neighbours(passage: Passage, between: re.Pattern[str] = _TOGETHER) -> Iterator[tuple[Word, Word]]:
    """Yield the content words that follow each other, with nothing between that could begin another clause."""
    start = 0
    for first, second in pairwise(passage.words):
        end = max(passage.text.find(first.text, start), start) + len(first.text)
        start = max(passage.text.find(second.text, end), end)  # a word with printed marks is not found
        if between.fullmatch(passage.text, end, start):
            yield first, second


def _names(passage: Passage) -> Iterator[_Name]:
    """Yield the names, each with what stands beside it; other words than content words end a name."""
    known = {word.text: word for word in passage.words}
    written = [known.get(match[0]) for match in _TOKEN.finditer(passage.text)]
    names: list[list[Word]] = []
    for place, word in enumerate(written):
        if word is None or not (word.is_name or word.begins):
            continue
        if place and names and written[place - 1] is names[-1][-1]:
            names[-1].append(word)
        else:
            names.append([word])
    order = {id(word): place for place, word in enumerate(passage.words)}
    for name in names:
        first, last = order[id(name[0])], order[id(name[-1])]
        before = passage.words[first - 1].root if first else ""
        after = passage.words[last + 1].root if last + 1 < len(passage.words) else ""
        yield _Name(frozenset(word.root for word in name), before, after)


def _has_other_place(name: _Name, others: Sequence[_Name]) -> bool:
    """Return True if another name, and never this one, stands beside the same word on the same side."""
    beside = [
        other
        for other in others
        if (name.before and name.before == other.before) or (name.after and name.after == other.after)
    ]
    return bool(beside) and not any(name.roots & other.roots for other in beside)


def _is_beside_other(measure: Measure, sentence: Passage, passages: Sequence[Passage]) -> bool:
    """Return True if a number of the context stands beside another word, and another number beside its word."""
    own = _beside(measure, sentence)
    places = [(other, passage) for passage in passages for other in passage.measures if are_comparable(measure, other)]
    gaps = [measure_gap(measure, other) for other, _ in places]
    if not own or all(gaps) or not any(gaps):
        return False
    words = [_beside(other, passage) for other, passage in places]
    is_here = any(not gap and word == own for gap, word in zip(gaps, words, strict=True))
    return not is_here and any(gap and word == own for gap, word in zip(gaps, words, strict=True))


def _beside(measure: Measure, passage: Passage) -> str:
    """Return the root of the noun that a number counts, or else of the content word before it; "" if there is none."""
    lower = passage.text.lower()
    after = _NEXT.match(lower, measure.end)
    if after and after[1] not in _STOP_WORDS:
        return root_of(after[1])
    before = _WORD.findall(lower[max(0, measure.start - _REACH) : measure.start])
    return next((root_of(word) for word in reversed(before) if word not in _STOP_WORDS), "")


def find_other_label(sentence: Passage, passages: Sequence[Passage]) -> str:
    """Return an amount of a sentence that has the words of another amount of the passages, and none of its own, or "".

    Words that stand beside both say nothing.

    >>> from howsure.text.passages import read_passage
    >>> context = "Keys are limited to 512 bytes, values to 4 MiB."
    >>> passages = [read_passage(context, 0, len(context))]
    >>> for text in "Values are limited to 4 MiB.", "Keys are limited to 4 MiB.":
    ...     print(repr(find_other_label(read_passage(text, 0, len(text)), passages)))
    ''
    '"4 mib" belongs to "values", not to "keys limited"'
    """
    owns = list(islice(_parts(sentence), _MOST)) if sentence.measures else []
    if not owns:
        return ""
    parts = [(number, part) for number, passage in enumerate(passages) for part in islice(_parts(passage), _MOST)]
    written = {word.root for passage in passages for word in passage.words}
    for own in owns if len(parts) > 1 else ():
        same = [(number, part) for number, part in parts if _has_same_value(own, part)]
        known = {root: text for _, part in same for root, text in part.words.items()}
        for number, other in parts if same else ():
            # Of two passages, one may be reworded and be about something else.
            is_near = any(number == place for place, _ in same) or own.words.keys() <= other.words.keys()
            if not is_near or _has_same_value(own, other) or not are_comparable(own.value, other.value):
                continue
            right = [text for root, text in known.items() if root not in other.words]
            wrong = [text for root, text in own.words.items() if root in other.words and root not in known]
            strange = [root for root in own.words if root not in written]
            if len(wrong) > len(strange) and right and own.words.keys().isdisjoint(known.keys() - other.words.keys()):
                return f'"{own.value.text}" belongs to "{" ".join(right)}", not to "{" ".join(wrong)}"'
    return ""


class _Part(NamedTuple):
    """A part of a passage with one value."""

    words: dict[str, str]
    """As written, by root."""
    value: Measure


def _parts(passage: Passage) -> Iterator[_Part]:
    """Yield the parts that have one value; a part without one belongs to the next, or to the last."""
    spans, start = [], 0
    for match in _PART_END.finditer(passage.text):
        if any(start <= measure.start < match.start() for measure in passage.measures):
            spans.append((start, match.start()))
            start = match.end()
    if any(start <= measure.start for measure in passage.measures) or not spans:
        spans.append((start, len(passage.text)))
    else:
        spans[-1] = spans[-1][0], len(passage.text)
    for first, last in spans:
        values = [measure for measure in passage.measures if first <= measure.start < last]
        part = read_passage(passage.text, first, last)
        if len(values) == 1 and _is_labelled(values[0]):
            yield _Part({word.root: word.text.lower() for word in part.words}, values[0])


def _is_labelled(value: Measure) -> bool:
    """Return True for an amount, but not for a small count or a date: those stand anywhere in a sentence."""
    if value.dimension == "number":
        return value.text.isdigit() and value.low >= _SMALL and not _YEARS[0] <= value.low <= _YEARS[1]
    return value.dimension not in {"date", "month", "weekday", "clock", "recurrence", "ordinal", "version"}


def _has_same_value(one: _Part, other: _Part) -> bool:
    (low, high), (other_low, other_high) = ((part.value.low, part.value.high) for part in (one, other))
    is_same = all(math.isclose(end, same, rel_tol=_NEAR) for end, same in ((low, other_low), (high, other_high)))
    return is_same and are_comparable(one.value, other.value)


def opposite_bounds(measures: Sequence[Measure], others: Sequence[Measure]) -> Iterator[str]:
    """Yield limits at the same number, one from above and one from below, unless there is the same limit, too.

    "At least 4" and "at most 4" can both be true, but neither supports the other. "Fewer than 8 are rejected" and "at
    least 8" say the same: one of them excludes the number itself, which is off by 1e-9 of it then.
    """
    for one in measures:
        limits = [(_limit(other), other.text) for other in others if other.dimension == one.dimension]
        limit = _limit(one)
        if limit is None or any(other is not None and math.isclose(other, limit, rel_tol=1e-6) for other, _ in limits):
            continue
        for other, text in limits:
            if other is not None and math.isclose(-other, limit, rel_tol=2e-10):
                yield f'"{one.text}" against "{text}"'


def _limit(measure: Measure) -> float | None:
    """Return the number that is a lower limit, negated if it is an upper limit; None for another measure or 0."""
    if measure.high == math.inf and math.isfinite(measure.low):
        return measure.low or None
    if measure.low == -math.inf and math.isfinite(measure.high):
        return -measure.high or None
    return None
