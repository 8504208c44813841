"""Figures: the numbers and dates of two clauses, set side by side."""

from typing import NamedTuple

from howsure.text.clause import Clause, Figure
from howsure.text.lists.words import values
from howsure.text.measures import clash
from howsure.text.tokens import meanings

_TIMES = frozenset({"date", "weekday", "month", "clock"})
_TIME_LINKS = frozenset({"in", "since", "until", "before", "after", "by", "from", "on", "at", "as"})
_CONDITION_LINKS = frozenset({"with", "for", "if", "when", "unless", "while", "during", "after", "before", "under"})
_EVENTS = meanings(values.EVENTS)
_ADDITIVE = meanings(values.ADDITIVE)


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

    >>> from howsure.text.statement import statement
    >>> (one,), (other,) = statement("It has 3 rows and 5 columns."), statement("It has 5 columns and 4 rows.")
    >>> [(a.measure.text, b.measure.text) for a, b, gap in figures(one, other).clashes]
    [('3', '4')]
    """
    if not one.figures and not other.figures:
        return _NO_FIGURES
    gaps = [(mine, theirs, clash(mine.measure, theirs.measure)) for mine, theirs in _aligned(one, other)]
    times = tuple((mine, theirs) for mine, theirs, gap in gaps if gap and _is_time(mine))
    clashes = tuple((mine, theirs, gap) for mine, theirs, gap in gaps if gap and not _is_time(mine))
    dated = any(map(_is_time, one.figures)), any(map(_is_time, other.figures))
    conditions = any(_is_condition(figure) for mine, theirs, _ in clashes for figure in (mine, theirs))
    return Figures(clashes, times, dated, _is_event(one, times), conditions)


def _aligned(one: Clause, other: Clause) -> list[tuple[Figure, Figure]]:
    """Pair figures of one dimension: those of the same word first, then those that agree, then the others in order.

    Where one clause has more of them than the other, it is not known which belong together, so that those left over
    are paired only if they hang on the same verb.
    """
    left, right = list(one.figures), list(other.figures)
    found = []
    for fits in (_of_same_word, _agree, _left_over):
        for mine in list(left):
            for theirs in right:
                if mine.measure.dimension == theirs.measure.dimension and fits(mine, theirs, left, right):
                    found.append((mine, theirs))
                    left.remove(mine)
                    right.remove(theirs)
                    break
    return found


def _of_same_word(mine: Figure, theirs: Figure, _left: list[Figure], _right: list[Figure]) -> bool:
    return mine.of == theirs.of and mine.measure.dimension == "number"


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
    return (figure.link in _CONDITION_LINKS and not lasting) or (figure.label and figure.head in _ADDITIVE)


def _is_event(clause: Clause, times: tuple[tuple[Figure, Figure], ...]) -> bool:
    """Say whether a date belongs to what happens once, or is itself what the clause says of its subject."""
    said = any(word.head == "be" and not word.link for word in clause.words.values())
    dated = any(mine.head == "be" and mine.measure.dimension != "version" for mine, _ in times)
    return (dated and not said) or bool(_EVENTS & clause.words.keys())
