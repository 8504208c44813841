"""Find the conflicts among many statements."""

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from howsure.progress import Progress, silent
from howsure.text.contradictions.candidates import find_candidates
from howsure.text.contradictions.clause import Clash, ConflictKind
from howsure.text.contradictions.compare import compare_clauses
from howsure.text.contradictions.pair_features import compare_sides, find_opposed, is_about_same, read_side
from howsure.text.contradictions.pairs import predict
from howsure.text.contradictions.parser import parse_statement
from howsure.text.language import is_english

_PROGRESS_INTERVAL = 500
_MAX_PAIRS_OF_EQUALS = 64
"""If two texts occur several times each, up to so many pairs of their places are all reported."""


_REPORTED = 0.5
"""Severity from which a clash of the rules is reported by default."""
_LIKELY = 0.7
"""Probability from which two statements are reported that only say opposite things in other words. On 525 technical
pairs that finds 25 more of 175 contradictions, with 2 false alarms."""
_MAX_READ = 20_000
"""Pairs of texts whose probability is computed, at about 0.2 ms each; the others get the precision of the rules."""
MAX_UNREPORTED = 400
"""Pairs at most that the rules do not report and another reader reads: a model reads 100 to 150 a second."""
_LOOKS_PER_PAIR = 4
_PRECISION: dict[ConflictKind, float] = {"contradiction": 0.95, "inconsistency": 0.9, "ambiguity": 0.5}
"""Share of clashes of each kind that is right, on 1,950 technical pairs."""


class Conflict(NamedTuple):
    """Two statements that do not agree."""

    first: int
    """Index of the earlier statement."""
    second: int
    """Index of the later statement."""
    kind: ConflictKind
    severity: float
    """Probability that both cannot be true. What is uncertain, vague or holds only in part has less than 0.5 if that
    alone is why they differ."""
    reason: str
    """Which words clash."""


ReadUnreported = Callable[[Sequence[tuple[str, str]]], Sequence[Clash | None]]
"""Reads pairs of texts that the rules do not report, and returns a clash or None for each."""


def find_conflicts(
    statements: Sequence[str], progress: Progress = silent, read: ReadUnreported | None = None
) -> list[Conflict]:
    """Return the conflicts among statements, ordered by the statements' indexes.

    With `read`, pairs about the same that the rules do not report are passed to it, up to 400 of those that have most
    words in common.

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
    for (one, other), clash in _find_clashes(texts, progress, read).items():
        for first, second in _pair_places(places[texts[one]], places[texts[other]]):
            conflicts[first, second] = Conflict(first, second, clash.kind, clash.severity, clash.reason)
    return [conflicts[pair] for pair in sorted(conflicts)]


def _find_clashes(texts: list[str], progress: Progress, read: ReadUnreported | None) -> dict[tuple[int, int], Clash]:
    """Return the most severe clash between each two texts."""
    parsed = []
    for number, text in enumerate(texts):
        if number % _PROGRESS_INTERVAL == 0:
            progress("reading statements", number, len(texts))
        parsed.append(parse_statement(text))
    clause_texts = [frozenset(clause.text for clause in clauses) for clauses in parsed]
    clauses = [(owner, clause) for owner, own_clauses in enumerate(parsed) for clause in own_clauses]
    worst: dict[tuple[int, int], Clash] = {}
    near: dict[tuple[int, int], None] = {}
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
        if clash is None and len(near) < _MAX_READ:
            near[one, other] = None
    unreported = [pair for pair in near if pair not in worst]
    found = _with_probabilities(texts, worst, unreported, progress)
    if read is not None:
        words = [frozenset(word for clause in own for word in clause.words) for own in parsed]
        chosen = _choose_unreported(texts, words, [pair for pair in unreported if pair not in found])
        progress("reading pairs", 0, len(chosen))
        clashes = read([(texts[one], texts[other]) for one, other in chosen]) if chosen else ()
        found |= {pair: clash for pair, clash in zip(chosen, clashes, strict=True) if clash is not None}
    return found


def _choose_unreported(
    texts: list[str], words: list[frozenset[str]], pairs: list[tuple[int, int]]
) -> list[tuple[int, int]]:
    """Return the pairs about the same that have most words in common."""

    def shared(pair: tuple[int, int]) -> float:
        one, other = words[pair[0]], words[pair[1]]
        return len(one & other) / (len(one | other) or 1)

    chosen: list[tuple[int, int]] = []
    # Looking closer takes 0.2 ms for each pair, so only at the best of them.
    for one, other in sorted(pairs, key=lambda pair: (-shared(pair), pair))[: _LOOKS_PER_PAIR * MAX_UNREPORTED]:
        mine, theirs = read_side(texts[one]), read_side(texts[other])
        english = is_english(texts[one]) and is_english(texts[other])
        if english and is_about_same(mine, theirs, compare_sides(mine, theirs, None)):
            chosen.append((one, other))
    return chosen[:MAX_UNREPORTED]


def _with_probabilities(
    texts: list[str], clashes: dict[tuple[int, int], Clash], near: list[tuple[int, int]], progress: Progress
) -> dict[tuple[int, int], Clash]:
    """Return the clashes with calibrated probabilities, and those of pairs that say opposite things in other words.

    What the rules report is reported, and what they do not report by itself is not.
    """
    found: dict[tuple[int, int], Clash] = {}
    for number, ((one, other), clash) in enumerate(clashes.items()):
        if number % _PROGRESS_INTERVAL == 0:
            progress("weighing conflicts", number, len(clashes))
        if number < _MAX_READ:
            chance = predict(compare_sides(read_side(texts[one]), read_side(texts[other]), clash))[2]
        else:
            chance = _PRECISION[clash.kind]
        chance = max(chance, _REPORTED) if clash.severity >= _REPORTED else min(chance, clash.severity)
        found[one, other] = clash._replace(severity=round(chance, 4))
    for one, other in near:
        mine, theirs = read_side(texts[one]), read_side(texts[other])
        words = find_opposed(mine, theirs)
        if words is None or not (is_english(texts[one]) and is_english(texts[other])):
            continue
        features = compare_sides(mine, theirs, None)
        chance = predict(features)[2] if is_about_same(mine, theirs, features) else 0.0
        if chance >= _LIKELY:
            found[one, other] = Clash("inconsistency", round(chance, 4), f'"{words[0]}" against "{words[1]}"')
    return found


def _pair_places(ones: list[int], others: list[int]) -> Iterator[tuple[int, int]]:
    """Yield the pairs of places of two texts; if both occur often, each place with the first of the other text."""
    if len(ones) * len(others) <= _MAX_PAIRS_OF_EQUALS:
        pairs = [(one, other) for one in ones for other in others]
    else:
        pairs = [(one, others[0]) for one in ones] + [(ones[0], other) for other in others]
    for one, other in pairs:
        yield min(one, other), max(one, other)
