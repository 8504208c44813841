"""Figures: the numbers and dates of two clauses, set side by side."""

import math
from typing import NamedTuple

from howsure.text.contradictions.clause import Clause, Figure
from howsure.text.contradictions.dates import MONTH, YEAR
from howsure.text.contradictions.measures import Measure, alike, clash
from howsure.text.contradictions.tokens import meanings
from howsure.text.words import values

_TIMES = frozenset({"date", "weekday", "month", "clock"})
_TIME_LINKS = frozenset({"in", "since", "until", "before", "after", "by", "from", "on", "at", "as"})
_CONDITION_LINKS = frozenset({"with", "for", "if", "when", "unless", "while", "during", "after", "before", "under"})
_EACH = frozenset({"every", "each"})
_EACH_TIME = frozenset({"on", "for", "at", "with", "before", "after"})
_EVENTS = meanings(values.EVENTS)
_VERSION_EVENTS = meanings(values.VERSION_EVENTS)
_FIRST = meanings(values.FIRST)
_MANY_VERSIONS = meanings(values.MANY_VERSIONS)
_TOUCHING = {"date": YEAR, "month": MONTH, "weekday": 1, "clock": 60, "version": 1e8}
"""How far a time may reach into the one that follows it: "until 1990" and "since 1990" are two times."""


class Figures(NamedTuple):
    """What the numbers and dates of two clauses say of each other."""

    clashes: tuple[tuple[Figure, Figure, float], ...]
    """Numbers that cannot be the same, and how far apart they are."""
    times_differ: tuple[tuple[Figure, Figure], ...]
    """Dates that have nothing in common."""
    dated: tuple[bool, bool]
    """Whether each clause says when."""
    event: bool
    """Whether the dates are of something that happens once."""
    conditions: bool
    """Whether a number that differs is a condition rather than a value."""


_NO_FIGURES = Figures((), (), (False, False), event=False, conditions=False)


def figures(one: Clause, other: Clause) -> Figures:
    """Set the figures of two clauses side by side.

    >>> from howsure.text.contradictions.parser import statement
    >>> (one,), (other,) = statement("It has 3 rows and 5 columns."), statement("It has 5 columns and 4 rows.")
    >>> [(a.measure.text, b.measure.text) for a, b, gap in figures(one, other).clashes]
    [('3', '4')]
    """
    if not one.figures and not other.figures:
        return _NO_FIGURES
    gaps = [(mine, theirs, clash(mine.measure, theirs.measure)) for mine, theirs in _aligned(one, other)]
    denied = (len(one.negations) - len(other.negations)) % 2 == 1
    times = tuple(
        (mine, theirs)
        for mine, theirs, gap in gaps
        if _is_time(mine) and (gap or _follow(mine.measure, theirs.measure, denied=denied))
    )
    clashes = tuple((mine, theirs, gap) for mine, theirs, gap in gaps if gap and not _is_time(mine))
    dated = any(map(_is_time, one.figures)), any(map(_is_time, other.figures))
    conditions = any(_is_condition(figure) for mine, theirs, _ in clashes for figure in (mine, theirs))
    event = bool(times) and _is_event(one, times) and not _happens_again(other)
    return Figures(clashes, times, dated, event, conditions)


def once_and_again(one: Clause, other: Clause) -> bool:
    """Say whether one says that something is done once, and the other that it is done each time.

    >>> from howsure.text.contradictions.parser import statement
    >>> once_and_again(*statement("It is read once at startup. It is read on every call."))
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


def _follow(one: Measure, other: Measure, *, denied: bool) -> bool:
    """Say whether one time ends where the other begins; or begins with it, if then is the last time it was so."""
    first, last = sorted((one, other), key=lambda measure: (measure.low, measure.high))
    touching = last.high == math.inf and first.high - last.low < _TOUCHING.get(first.dimension, 0)
    return touching and first.dimension == last.dimension and (first.low < last.low or denied)


def _aligned(one: Clause, other: Clause) -> list[tuple[Figure, Figure]]:
    """Pair figures of one dimension: those of the same word first, then those that agree, then the others in order.

    Where one clause has more of them than the other, it is not known which belong together, so that those left over
    are paired only if they hang on the same verb.
    """
    left, right = list(one.figures), list(other.figures)
    if len(left) == len(right) == 1:
        return [(left[0], right[0])] if alike(left[0].measure, right[0].measure) else []
    found = []
    for fits in (_agree_on_word, _of_same_word, _agree, _left_over):
        for mine in list(left):
            for theirs in right:
                if alike(mine.measure, theirs.measure) and fits(mine, theirs, left, right):
                    found.append((mine, theirs))
                    left.remove(mine)
                    right.remove(theirs)
                    break
    return found


def _agree_on_word(mine: Figure, theirs: Figure, _left: list[Figure], _right: list[Figure]) -> bool:
    return mine.of == theirs.of and not clash(mine.measure, theirs.measure)


def _of_same_word(mine: Figure, theirs: Figure, _left: list[Figure], _right: list[Figure]) -> bool:
    return bool(mine.of) and mine.of == theirs.of and mine.measure.dimension == "number"


def _agree(mine: Figure, theirs: Figure, _left: list[Figure], _right: list[Figure]) -> bool:
    return not clash(mine.measure, theirs.measure)


def _left_over(mine: Figure, theirs: Figure, left: list[Figure], right: list[Figure]) -> bool:
    counts = [sum(figure.measure.dimension == mine.measure.dimension for figure in side) for side in (left, right)]
    return counts[0] == counts[1] or (mine.head == theirs.head and mine.link == theirs.link)


def _is_time(figure: Figure) -> bool:
    """Say whether a figure tells when, rather than how much."""
    dimension = figure.measure.dimension
    return dimension in _TIMES or (dimension == "version" and figure.link in _TIME_LINKS)


def _is_condition(figure: Figure) -> bool:
    """Say whether a number tells for which case something holds; "for" and "after" may as well tell how long."""
    lasting = figure.link in {"for", "after"} and figure.measure.dimension == "time"
    counted = figure.link == "after" and bool(figure.of)
    if figure.link in _CONDITION_LINKS and not lasting and not counted:
        return True
    return figure.label and (figure.head in _MANY_VERSIONS or figure.link == "in")


def _is_event(clause: Clause, times: tuple[tuple[Figure, Figure], ...]) -> bool:
    """Say whether a date belongs to what happens once, or is itself what the clause says of its subject."""
    said = any(word.head == "be" and not word.link for word in clause.words.values())
    dated = any(mine.head == "be" and mine.measure.dimension != "version" for mine, _ in times)
    if (dated and not said) or (clause.verb and _FIRST & clause.words.keys()):
        return True
    released = any(mine.measure.dimension == "version" for mine, _ in times)
    events = _EVENTS | _VERSION_EVENTS if released else _EVENTS
    return bool(events & clause.words.keys()) and not _happens_again(clause)


def _happens_again(clause: Clause) -> bool:
    """Say whether what is done may be done to another thing of the kind, as in "released an album"."""
    if clause.passive or not clause.verb:
        return False
    counted = {figure.of for figure in clause.figures if figure.measure.dimension == "number"}
    objects = (word for word in clause.words.values() if word.head == clause.verb and not word.link)
    return any(word.indefinite or word.stem in counted for word in objects)
