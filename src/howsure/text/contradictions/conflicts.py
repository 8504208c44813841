"""Conflicts: which statements cannot, or hardly, both hold."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from howsure.progress import Progress, silent
from howsure.text.contradictions.candidates import candidates
from howsure.text.contradictions.compare import compare
from howsure.text.contradictions.judgement import Clash, Kind
from howsure.text.contradictions.parser import statement

"""Is told what is being done, how much of it was done, and how much there is."""
_OFTEN = 500
_FEW = 64
"""Pairs of equal statements up to which each is reported."""


class Conflict(NamedTuple):
    """Two statements that do not go together."""

    first: int
    """The place of one statement, the earlier one."""
    second: int
    """The place of the other."""
    kind: Kind
    """A contradiction (both cannot hold), an inconsistency (not in all cases), or an ambiguity (one side is vague)."""
    severity: float
    """How grave it is, from 0 to 1: a plain denial 0.9, a hedged one or a vague value around 0.5."""
    reason: str
    """What clashes, in words."""


def conflicts(statements: Sequence[str], progress: Progress = silent) -> list[Conflict]:
    """Return the conflicts among statements, in order of the statements.

    `progress` is told now and then what is being done, how much of it was done, and how much there is.

    >>> found = conflicts(["The function returns nil on error", "The function never returns nil", "It is fast"])
    >>> [(one.first, one.second, one.kind, one.reason) for one in found]
    [(0, 1, 'contradiction', '"returns" is both stated and denied ("never")')]
    """
    places: dict[str, list[int]] = {}
    for place, text in enumerate(statements):
        places.setdefault(" ".join(text.split()), []).append(place)
    texts = sorted(places)
    found = {}
    for (one, other), clash in _clashes(texts, progress):
        for first, second in _pairs(places[texts[one]], places[texts[other]]):
            found[first, second] = Conflict(first, second, clash.kind, clash.severity, clash.reason)
    return [found[pair] for pair in sorted(found)]


def _clashes(texts: list[str], progress: Progress) -> Iterator[tuple[tuple[int, int], Clash]]:
    """Give the gravest clash between each two texts; which are compared does not depend on the order they came in."""
    read = []
    for number, text in enumerate(texts):
        if number % _OFTEN == 0:
            progress("reading statements", number, len(texts))
        read.append(statement(text))
    said = [frozenset(clause.text for clause in clauses) for clauses in read]
    clauses = [(place, clause) for place, found in enumerate(read) for clause in found]
    gravest: dict[tuple[int, int], Clash] = {}
    pairs = candidates([clause.words for _, clause in clauses])
    for number, (left, right) in enumerate(pairs):
        if number % _OFTEN == 0:
            progress("comparing pairs", number, len(pairs))
        (one, mine), (other, theirs) = clauses[left], clauses[right]
        if one == other or mine.text in said[other] or theirs.text in said[one]:  # nobody contradicts what he says
            continue
        clash = compare(mine, theirs)
        if clash is not None and ((one, other) not in gravest or clash.severity > gravest[one, other].severity):
            gravest[one, other] = clash
    yield from gravest.items()


def _pairs(ones: list[int], others: list[int]) -> Iterator[tuple[int, int]]:
    """Give each two places of two texts; where both come often, each place with one of the other text."""
    if len(ones) * len(others) <= _FEW:
        pairs = [(one, other) for one in ones for other in others]
    else:
        pairs = [(one, others[0]) for one in ones] + [(ones[0], other) for other in others]
    for one, other in pairs:
        yield min(one, other), max(one, other)
