"""Comparison: whether two clauses can both hold, and if not, why."""

from howsure.text.contradictions.clause import Clause, Figure, Reading, Word
from howsure.text.contradictions.compare_numbers import once_and_again
from howsure.text.contradictions.compare_words import Difference, difference
from howsure.text.contradictions.exclusive_values import exclusion, same_slot
from howsure.text.contradictions.judgement import DENIED, IN_PART, NUMBER, NUMBER_APART, VAGUE_WORDS, Clash, Judgement
from howsure.text.contradictions.measures import clash as measures_clash
from howsure.text.contradictions.roles import exchanged
from howsure.text.contradictions.stems import root

HEDGED = 0.6
"""What is left of a conflict's severity where one side hedges."""


def compare(one: Clause, other: Clause) -> Clash | None:
    """Return why two clauses clash; nothing where both may hold.

    >>> from howsure.text.contradictions.parser import statement
    >>> (one,), (other,) = statement("The cache is enabled."), statement("The cache is disabled.")
    >>> compare(one, other)
    Clash(kind='contradiction', severity=0.9, reason='"enabled" against "disabled"')
    """
    for mine in one.readings if other.readings else ():
        for theirs in other.readings:
            if mine.kind == theirs.kind and (said := _by_reading(mine, theirs)) is not None:
                return _hedged(one, other, said) if said.severity else None
    found = difference(one, other)
    if found is None or found.blocked or _cannot_clash(one, other, found):
        return None
    clash = Judgement(one, other, found).clash()
    if clash is None:
        return None
    cover = len(found.shared | found.turned) / max(len(one.words), len(other.words), 1)
    return _hedged(one, other, clash._replace(severity=clash.severity * (0.8 + 0.2 * min(cover, 1.0))))


def _hedged(one: Clause, other: Clause, clash: Clash) -> Clash:
    """Return a clash as it is left where one side hedges."""
    kind, severity, reason = clash
    if (one.hedges or other.hedges) and kind != "ambiguity":
        hedge = (one.hedges or other.hedges)[0]
        kind, severity, reason = "ambiguity", severity * HEDGED, f'{reason}, hedged by "{hedge}"'
    return Clash(kind, round(severity, 4), reason)


def _cannot_clash(one: Clause, other: Clause, found: Difference) -> bool:
    """Say whether a short look is enough: most clauses that are compared are about different things."""
    plain = one.only == other.only and not (one.hedges or other.hedges)
    if (one.figures or other.figures) and once_and_again(one, other):
        return False
    if found.rest and found.other_rest:
        return bool(found.turns) or (plain and not (_is_vague(found) or _exclude(one, other, found)))
    same = not found.turns and one.share == other.share and not (one.figures or other.figures)
    return same and plain and not exchanged(one, other) and one.quantifier == other.quantifier


def _is_vague(found: Difference) -> bool:
    return any(word.stem in VAGUE_WORDS for words in (found.rest, found.other_rest) for word in words)


def _exclude(one: Clause, other: Clause, found: Difference) -> bool:
    mine, theirs = same_slot(found.rest, found.other_rest)
    return bool(mine and theirs) and exclusion(one, other, mine, theirs) is not None


def _by_reading(one: Reading, other: Reading) -> Clash | None:
    """Compare two readings of one kind; a clash of no severity says that they agree, nothing that they do not meet."""
    if one.kind == "need":
        return _by_need(one, other)
    if one.about.keys() != other.about.keys() or one.figure is None or other.figure is None:
        return None
    if one.kind == "life":
        mine, theirs, other_way = one.figure, other.figure, one.things != other.things
    else:
        mine, theirs, other_way = _as_value(one.figure, one.kind), _as_value(other.figure, one.kind), True
    if not other_way or mine.of != theirs.of or mine.measure.dimension != theirs.measure.dimension:
        return None
    gap = measures_clash(mine.measure, theirs.measure)
    reason = f'"{mine.measure.text}" against "{theirs.measure.text}"'
    return Clash("contradiction", NUMBER + NUMBER_APART * gap if gap else 0.0, reason)


def _as_value(figure: Figure, kind: str) -> Figure:
    """Return a limit as the number that it names."""
    end = figure.measure.high if kind == "most" else figure.measure.low
    return figure._replace(measure=figure.measure._replace(low=end, high=end, bound=False))


def _by_need(one: Reading, other: Reading) -> Clash | None:
    """Compare what is needed with what can be done without."""
    if one.holds == other.holds:
        return None
    needed, free = (one, other) if one.holds else (other, one)
    if not _roots(free.things) <= _roots(needed.things):
        return None
    rest, other_rest = _extra(one, other), _extra(other, one)
    if len(rest) == len(one.about) or (rest and other_rest) or not all(word.link for word in (*rest, *other_rest)):
        return None
    thing = " ".join(sorted(free.things))
    if rest or other_rest:
        cases = " ".join(word.text for word in (*rest, *other_rest))
        return Clash("inconsistency", IN_PART, f'"{thing}" is both needed and not, one only for "{cases}"')
    return Clash("contradiction", DENIED, f'"{thing}" is both needed and not')


def _roots(stems: frozenset[str]) -> set[str]:
    return {root(stem) for stem in stems}


def _extra(one: Reading, other: Reading) -> list[Word]:
    """Return the words that only the first is about, its verb left out."""
    roots = _roots(frozenset(other.about))
    return [word for stem, word in one.about.items() if root(stem) not in roots and stem != one.verb]
