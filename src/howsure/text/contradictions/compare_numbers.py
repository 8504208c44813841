"""Compare the numbers and dates of two clauses."""

import math
from typing import NamedTuple

from howsure.text.contradictions.clause import Clause, Figure
from howsure.text.contradictions.quantifiers import one_is_negated
from howsure.text.quantities.dates import MONTH, YEAR
from howsure.text.quantities.measures import Measure, are_comparable, measure_gap
from howsure.text.stems import meanings_of
from howsure.text.words import values

_TIMES = frozenset({"date", "weekday", "month", "clock"})
_TIME_LINKS = frozenset({"in", "since", "until", "before", "after", "by", "from", "on", "at", "as"})
"""Prepositions after which a version says when: "since 3.0"."""
_CONDITION_LINKS = frozenset({"with", "for", "if", "when", "unless", "while", "during", "after", "before", "under"})
"""Words after which a number is a condition: "with 3 nodes"."""
_EACH = frozenset({"every", "each"})
_EACH_TIME = frozenset({"on", "for", "at", "with", "before", "after"})
"""Prepositions of a repeated occasion: "on every call"."""
_EVENTS = meanings_of(values.EVENTS)
_VERSION_EVENTS = meanings_of(values.VERSION_EVENTS)
_FIRST = meanings_of(values.FIRST)
_MANY_VERSIONS = meanings_of(values.MANY_VERSIONS)
_TOUCHING = {"date": YEAR, "month": MONTH, "weekday": 1, "clock": 60, "version": 1e8}
"""How far a period may overlap with the one that follows it: "until 1990" and "since 1990" do not clash."""


class NumberComparison(NamedTuple):
    """How the numbers and dates of two clauses differ."""

    clashes: tuple[tuple[Figure, Figure, float], ...]
    """Numbers that exclude each other, and how far apart they are (0 to 1)."""
    times_differ: tuple[tuple[Figure, Figure], ...]
    """Dates without overlap."""
    dated: tuple[bool, bool]
    """Whether the first clause has a date, and whether the second has one."""
    event: bool
    """True if the dates are of something that happens once."""
    conditions: bool
    """True if a number that differs is a condition and not a value."""


_NO_NUMBERS = NumberComparison((), (), (False, False), event=False, conditions=False)


def compare_numbers(one: Clause, other: Clause) -> NumberComparison:
    """Pair the numbers and dates of two clauses and compare them.

    >>> from howsure.text.contradictions.parser import parse_statement
    >>> (one,), (other,) = (
    ...     parse_statement("It has 3 rows and 5 columns."),
    ...     parse_statement("It has 5 columns and 4 rows."),
    ... )
    >>> [(a.measure.text, b.measure.text) for a, b, gap in compare_numbers(one, other).clashes]
    [('3', '4')]
    """
    if not one.figures and not other.figures:
        return _NO_NUMBERS
    gaps = [(mine, theirs, measure_gap(mine.measure, theirs.measure)) for mine, theirs in _pair_figures(one, other)]
    denied = one_is_negated(one, other)
    times = tuple(
        (mine, theirs)
        for mine, theirs, gap in gaps
        if _is_time(mine) and (gap or _touch(mine.measure, theirs.measure, denied=denied))
    )
    clashes = tuple((mine, theirs, gap) for mine, theirs, gap in gaps if gap and not _is_time(mine))
    dated = any(map(_is_time, one.figures)), any(map(_is_time, other.figures))
    conditions = any(_is_condition(figure) for mine, theirs, _ in clashes for figure in (mine, theirs))
    event = bool(times) and _is_event(one, times) and not _happens_again(other)
    return NumberComparison(clashes, times, dated, event, conditions)


def once_and_again(one: Clause, other: Clause) -> bool:
    """Return True if one clause says that something is done once, and the other that it is done each time.

    >>> from howsure.text.contradictions.parser import parse_statement
    >>> once_and_again(*parse_statement("It is read once at startup. It is read on every call."))
    True
    """
    if not one.verb or one.verb != other.verb or one.subject != other.subject or one.negations or other.negations:
        return False
    return any(_is_once(mine) and _is_repeated(theirs) for mine, theirs in ((one, other), (other, one)))


def _is_once(clause: Clause) -> bool:
    return any(figure.measure.text == "once" for figure in clause.figures)


def _is_repeated(clause: Clause) -> bool:
    each = clause.quantifier in _EACH and any(
        word.link in _EACH_TIME and not word.subject for word in clause.words.values()
    )
    return each or any(figure.measure.dimension == "recurrence" for figure in clause.figures)


def _touch(one: Measure, other: Measure, *, denied: bool) -> bool:
    """Return True if one period ends where the other begins.

    If one clause is negated they may also begin together: "won in 1986" agrees with "has not won since 1986".
    """
    first, last = sorted((one, other), key=lambda measure: (measure.low, measure.high))
    touching = last.high == math.inf and first.high - last.low < _TOUCHING.get(first.dimension, 0)
    return touching and first.dimension == last.dimension and (first.low < last.low or denied)


def _pair_figures(one: Clause, other: Clause) -> list[tuple[Figure, Figure]]:
    """Pair figures of one dimension: first those of the same noun, then those that agree, then the others in order.

    If one clause has more of them than the other, it is not known which belong together; then the others are paired
    only if they depend on the same verb and preposition.
    """
    left, right = list(one.figures), list(other.figures)
    if len(left) == len(right) == 1:
        return [(left[0], right[0])] if are_comparable(left[0].measure, right[0].measure) else []
    pairs = []
    for fits in (_agree_on_noun, _count_same_noun, _agree, _may_belong_together):
        for mine in list(left):
            for theirs in right:
                if are_comparable(mine.measure, theirs.measure) and fits(mine, theirs, left, right):
                    pairs.append((mine, theirs))
                    left.remove(mine)
                    right.remove(theirs)
                    break
    return pairs


def _agree_on_noun(mine: Figure, theirs: Figure, _left: list[Figure], _right: list[Figure]) -> bool:
    return mine.of == theirs.of and not measure_gap(mine.measure, theirs.measure)


def _count_same_noun(mine: Figure, theirs: Figure, _left: list[Figure], _right: list[Figure]) -> bool:
    return bool(mine.of) and mine.of == theirs.of and mine.measure.dimension == "number"


def _agree(mine: Figure, theirs: Figure, _left: list[Figure], _right: list[Figure]) -> bool:
    return not measure_gap(mine.measure, theirs.measure)


def _may_belong_together(mine: Figure, theirs: Figure, left: list[Figure], right: list[Figure]) -> bool:
    counts = [sum(figure.measure.dimension == mine.measure.dimension for figure in side) for side in (left, right)]
    return counts[0] == counts[1] or (mine.head == theirs.head and mine.link == theirs.link)


def _is_time(figure: Figure) -> bool:
    """Return True if a figure says when and not how much."""
    dimension = figure.measure.dimension
    return dimension in _TIMES or (dimension == "version" and figure.link in _TIME_LINKS)


def _is_condition(figure: Figure) -> bool:
    """Return True if a number says in which case something holds; "for" and "after" may also say how long."""
    lasting = figure.link in {"for", "after"} and figure.measure.dimension == "time"
    counted = figure.link == "after" and bool(figure.of)
    if figure.link in _CONDITION_LINKS and not lasting and not counted:
        return True
    return figure.label and (figure.head in _MANY_VERSIONS or figure.link == "in")


def _is_event(clause: Clause, times: tuple[tuple[Figure, Figure], ...]) -> bool:
    """Return True if a date belongs to a one-time event, or is the predicate itself ("the deadline is Monday")."""
    has_predicate = any(word.head == "be" and not word.link for word in clause.words.values())
    dated = any(mine.head == "be" and mine.measure.dimension != "version" for mine, _ in times)
    if (dated and not has_predicate) or (clause.verb and _FIRST & clause.words.keys()):
        return True
    released = any(mine.measure.dimension == "version" for mine, _ in times)
    events = _EVENTS | _VERSION_EVENTS if released else _EVENTS
    return bool(events & clause.words.keys()) and not _happens_again(clause)


def _happens_again(clause: Clause) -> bool:
    """Return True if it may happen again with another object, as in "released an album"."""
    if clause.passive or not clause.verb:
        return False
    counted = {figure.of for figure in clause.figures if figure.measure.dimension == "number"}
    objects = (word for word in clause.words.values() if word.head == clause.verb and not word.link)
    return any(word.indefinite or word.stem in counted for word in objects)
