"""Find the conflicts among many statements."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from howsure.progress import Progress, silent
from howsure.text.contradictions.candidates import find_candidates
from howsure.text.contradictions.clause import Clash, ConflictKind
from howsure.text.contradictions.compare import compare_clauses
from howsure.text.contradictions.parser import parse_statement

_PROGRESS_INTERVAL = 500
_MAX_PAIRS_OF_EQUALS = 64
"""If two texts occur several times each, up to so many pairs of their places are all reported."""


class Conflict(NamedTuple):
    """Two statements that do not agree."""

    first: int
    """Index of the earlier statement."""
    second: int
    """Index of the later statement."""
    kind: ConflictKind
    severity: float
    """From 0 to 1: a plain negation has 0.9, an uncertain or vague statement about 0.5."""
    reason: str
    """Which words clash."""


def find_conflicts(statements: Sequence[str], progress: Progress = silent) -> list[Conflict]:
    """Return the conflicts among statements, ordered by the statements' indexes.

    >>> statements = ["The function returns nil on error", "The function never returns nil", "It is fast"]
    >>> [(conflict.first, conflict.second, conflict.kind) for conflict in find_conflicts(statements)]
    [(0, 1, 'contradiction')]
    """
    places: dict[str, list[int]] = {}
    for place, text in enumerate(statements):
        places.setdefault(" ".join(text.split()), []).append(place)
    # Sorted, so that the result does not depend on the order of the statements.
    texts = sorted(places)
    conflicts = {}
    for (one, other), clash in _find_clashes(texts, progress).items():
        for first, second in _pair_places(places[texts[one]], places[texts[other]]):
            conflicts[first, second] = Conflict(first, second, clash.kind, clash.severity, clash.reason)
    return [conflicts[pair] for pair in sorted(conflicts)]


def _find_clashes(texts: list[str], progress: Progress) -> dict[tuple[int, int], Clash]:
    """Return the most severe clash between each two texts."""
    parsed = []
    for number, text in enumerate(texts):
        if number % _PROGRESS_INTERVAL == 0:
            progress("reading statements", number, len(texts))
        parsed.append(parse_statement(text))
    clause_texts = [frozenset(clause.text for clause in clauses) for clauses in parsed]
    clauses = [(owner, clause) for owner, own_clauses in enumerate(parsed) for clause in own_clauses]
    worst: dict[tuple[int, int], Clash] = {}
    pairs = find_candidates([clause.words for _, clause in clauses])
    for number, (left, right) in enumerate(pairs):
        if number % _PROGRESS_INTERVAL == 0:
            progress("comparing pairs", number, len(pairs))
        (one, mine), (other, theirs) = clauses[left], clauses[right]
        # A statement does not contradict another one that says the same clause.
        if one == other or mine.text in clause_texts[other] or theirs.text in clause_texts[one]:
            continue
        clash = compare_clauses(mine, theirs)
        if clash is not None and ((one, other) not in worst or clash.severity > worst[one, other].severity):
            worst[one, other] = clash
    return worst


def _pair_places(ones: list[int], others: list[int]) -> Iterator[tuple[int, int]]:
    """Yield the pairs of places of two texts; if both occur often, each place with the first of the other text."""
    if len(ones) * len(others) <= _MAX_PAIRS_OF_EQUALS:
        pairs = [(one, other) for one in ones for other in others]
    else:
        pairs = [(one, others[0]) for one in ones] + [(ones[0], other) for other in others]
    for one, other in pairs:
        yield min(one, other), max(one, other)
