"""Read the claims of a store as votes, in arrays.

Claims of one namespace with the same subject and predicate, and claims that contradict each other, are one item.
"""

from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from howsure.arrays import np
from howsure.formulas.claim import COPY_SHARE, PRIOR_RIGHTS, PRIOR_WRONGS
from howsure.progress import Progress, silent
from howsure.sources import counts
from howsure.store.backends.database import Transaction
from howsure.store.claim_tables import source_weights as table
from howsure.store.claim_tables.source_weights import WeightRow

if TYPE_CHECKING:
    from howsure.arrays import Bools, Floats, Ints
    from howsure.fusion.source_fit import SourceFit

_PART = 10_000
"""Votes that become Python numbers at once."""


@dataclass(frozen=True, eq=False)
class Ballot:
    """Votes of sources for claims. The votes of one claim stand together."""

    names: list[tuple[str, str]]
    """Type and id of each source, in order."""
    claims: "Ints"
    """Key of each claim that has a vote, ascending."""
    items: "Ints"
    """Number of the item of each claim, from 0."""
    places: "Ints"
    """Which of the claims each vote is for."""
    sources: "Ints"
    """Which of the sources each vote is of."""
    positions: "Ints"
    """Position of the vote among the sources of its claim."""
    outcomes: dict[int, bool]
    """Claims, by place, that were found right or wrong."""
    last_event: int
    """Key of the last event of any claim that was seen."""

    @property
    def vote_items(self) -> "Ints":
        """The item of each vote."""
        return self.items[self.places]

    def fit(self, outcomes: Mapping[int, bool], progress: Progress = silent) -> "SourceFit":
        """Fit sources on all votes, given some outcomes."""
        from howsure.fusion.source_fit import fit_sources

        known = {(int(self.items[place]), place): right for place, right in outcomes.items()}
        size = (int(self.items.max(initial=-1)) + 1, len(self.names), len(self.claims))
        return fit_sources(self.vote_items, self.sources, self.places, known=known, counts=size, progress=progress)


def read_ballot(transaction: Transaction) -> Ballot:
    """Read all claims that say something about their sources."""
    last_event = table.last_event(transaction)
    keys, properties, found = _read_candidates(transaction)
    names, claims, sources, positions, checks = _read_sources(transaction)
    held = keys[np.minimum(np.searchsorted(keys, claims), len(keys) - 1)] == claims if len(keys) else claims < 0
    checked = set(claims[held & checks].tolist())
    voted = held & ~checks
    claims, sources, positions = claims[voted], sources[voted], positions[voted]
    voters, places = np.unique(claims, return_inverse=True)
    items = _number_items(voters, properties[np.searchsorted(keys, voters)], table.read_contradictions(transaction))
    used, sources = np.unique(sources, return_inverse=True)
    outcomes: dict[int, bool] = {}
    for key, (right, upheld) in found.items():
        place = int(np.searchsorted(voters, key))
        # Nobody proves himself right: a verification counts if it was made by somebody who does not claim the same.
        if place < len(voters) and voters[place] == key and (not right or upheld or key in checked):
            outcomes[place] = right
    return Ballot(
        [names[number] for number in used.tolist()],
        voters,
        items,
        places.reshape(-1),
        sources.reshape(-1),
        positions,
        outcomes,
        last_event,
    )


def _read_candidates(transaction: Transaction) -> "tuple[Ints, Ints, dict[int, tuple[bool, bool]]]":
    """Return the keys of claims, the number of what each is about (-1 if nothing), and what was found out about some.

    That is whether a claim is right, and whether that was found when a challenge was resolved.
    """
    keys, properties = array("q"), array("q")
    numbers: dict[tuple[str, str, str], int] = {}
    found: dict[int, tuple[bool, bool]] = {}
    for one in table.read_candidates(transaction):
        keys.append(one.claim)
        about = one.subject is not None and one.predicate is not None
        properties.append(
            numbers.setdefault((one.namespace, one.subject or "", one.predicate or ""), len(numbers)) if about else -1
        )
        if one.outcome is not None:
            found[one.claim] = (one.outcome, one.upheld)
    return _ints(keys), _ints(properties), found


def _read_sources(transaction: Transaction) -> "tuple[list[tuple[str, str]], Ints, Ints, Ints, Bools]":
    """Return the names of sources in order, and of each source of a claim: claim, source, first position, checks."""
    claims, sources, positions, checks = array("q"), array("q"), array("q"), array("b")
    numbers: dict[tuple[str, str], int] = {}
    for claim, source_type, source_id, position, verified in table.stream_sources(transaction):
        claims.append(claim)
        sources.append(numbers.setdefault((source_type, source_id), len(numbers)))
        positions.append(position)
        checks.append(verified)
    names = sorted(numbers)
    ranks = np.empty(len(names), dtype=np.int64)
    ranks[[numbers[name] for name in names]] = np.arange(len(names))
    by_claim, by_source, by_position = _ints(claims), ranks[_ints(sources)], _ints(positions)
    only_checks = np.frombuffer(checks, dtype=np.int8).astype(np.bool_)
    # A source that is there several times counts once, at its first position; it only checks if it does so each time.
    order = np.lexsort((by_position, by_source, by_claim))
    by_claim, by_source, by_position = by_claim[order], by_source[order], by_position[order]
    first = np.ones(len(order), dtype=np.bool_)
    first[1:] = (by_claim[1:] != by_claim[:-1]) | (by_source[1:] != by_source[:-1])
    starts = np.flatnonzero(first)
    checks_each = np.logical_and.reduceat(only_checks[order], starts) if len(starts) else only_checks
    return names, by_claim[starts], by_source[starts], by_position[starts], checks_each


def _ints(numbers: "array[int]") -> "Ints":
    return np.frombuffer(numbers, dtype=np.int64) if len(numbers) else np.zeros(0, dtype=np.int64)


def _number_items(claims: "Ints", properties: "Ints", contradictions: Iterable[tuple[int, int]]) -> "Ints":
    """Return the number of the item of each claim, given its key and what it is about (-1 if nothing)."""
    own = np.where(properties >= 0, properties, -1 - np.arange(len(claims)))
    groups = np.unique(own, return_inverse=True)[1].reshape(-1)
    above: dict[int, int] = {}

    def find(group: int) -> int:
        while (root := above.get(group, group)) != group:
            above[group] = above.get(root, root)
            group = root
        return group

    known = {key: place for place, key in enumerate(claims.tolist())} if len(claims) else {}
    for one, other in contradictions:
        if one in known and other in known:
            low, high = sorted((find(int(groups[known[one]])), find(int(groups[known[other]]))))
            above[high] = low
    if above:
        roots = np.arange(int(groups.max(initial=-1)) + 1)
        for group in above:
            roots[group] = find(group)
        groups = roots[groups]
    # Items are numbered in the order of their first claims.
    _, first, numbers = np.unique(groups, return_index=True, return_inverse=True)
    ranks = np.empty(len(first), dtype=np.int64)
    ranks[np.argsort(first)] = np.arange(len(first))
    result: Ints = ranks[numbers.reshape(-1)]
    return result


def believe_all(
    ballot: Ballot, known: Mapping[tuple[str, str], WeightRow], outcomes: Mapping[int, bool], log_choices: float
) -> "Floats":
    """Return the probability of each claim, by the weights of its sources: `follow.believe` for all items at once."""
    answers = _share_votes(ballot)
    own, groups = np.empty(len(ballot.names)), np.full(len(ballot.names), -1, dtype=np.int64)
    numbers: dict[str, int] = {}
    for place, name in enumerate(ballot.names):
        row = known.get(name)
        rights, wrongs = (row.rights, row.wrongs) if row else (PRIOR_RIGHTS, PRIOR_WRONGS)
        own[place] = counts.weight(rights, wrongs, log_choices)
        if row and row.copy_group:
            groups[place] = numbers.setdefault(row.copy_group, len(numbers))
    shares = answers.copy()
    copying = np.flatnonzero(groups[ballot.sources] >= 0)
    if len(copying):
        cells = ballot.places[copying] * len(numbers) + groups[ballot.sources[copying]]
        _, inverse, sizes = np.unique(cells, return_inverse=True, return_counts=True)
        copies = sizes[inverse.reshape(-1)]
        shares[copying] *= (1.0 + COPY_SHARE * (copies - 1)) / copies
    evidence = np.bincount(ballot.places, shares * own[ballot.sources], len(ballot.claims))
    votes = np.bincount(ballot.places, shares, len(ballot.claims))
    count = int(ballot.items.max(initial=-1)) + 1
    settled = np.zeros(count, dtype=np.bool_)
    for place, right in outcomes.items():
        if right:
            settled[ballot.items[place]] = True
        else:
            evidence[place] = -np.inf
    top = np.zeros(count)
    np.maximum.at(top, ballot.items, evidence)
    powers = np.exp(evidence - top[ballot.items]) * np.minimum(votes, 1.0)  # as in `softmax_with_none`
    chances = powers / (np.exp(-top) + np.bincount(ballot.items, powers, count))[ballot.items]
    chances[settled[ballot.items]] = 0.0
    for place, right in outcomes.items():
        if right:
            chances[place] = 1.0
    result: Floats = chances
    return result


def _share_votes(ballot: Ballot) -> "Floats":
    """Return how much each vote counts: a source that says several claims of an item divides its vote."""
    cells = ballot.vote_items * max(len(ballot.names), 1) + ballot.sources
    _, inverse, sizes = np.unique(cells, return_inverse=True, return_counts=True)
    result: Floats = 1.0 / sizes[inverse.reshape(-1)]
    return result


@dataclass(frozen=True, eq=False)
class CountedVotes:
    """What votes add to the counts of their sources."""

    rights: "Floats"
    wrongs: "Floats"
    claims: "Ints"
    positions: "Ints"
    last_event: int
    """Key of the last event of any claim before the votes were read."""

    def rows(self) -> Iterator[tuple[float, float, int, int]]:
        """Yield rights, wrongs, claim and position of each vote."""
        columns: Sequence[Floats | Ints] = (self.rights, self.wrongs, self.claims, self.positions)
        for start in range(0, len(self.rights), _PART):
            yield from zip(*(column[start : start + _PART].tolist() for column in columns), strict=True)


def count_votes(ballot: Ballot, known: Mapping[tuple[str, str], WeightRow], log_choices: float) -> CountedVotes:
    """Return what each vote adds to the counts of its source; votes that say nothing about it are left out.

    Those are the votes for items that one source alone has answered, unless somebody has found out more.
    """
    chances = believe_all(ballot, known, ballot.outcomes, log_choices)[ballot.places]
    answers, of_items = _share_votes(ballot), ballot.vote_items
    telling = np.zeros(int(ballot.items.max(initial=-1)) + 1, dtype=np.bool_)
    first = np.full(len(telling), -1, dtype=np.int64)
    first[of_items[::-1]] = ballot.sources[::-1]
    telling[of_items[ballot.sources != first[of_items]]] = True
    telling[[int(ballot.items[place]) for place in ballot.outcomes]] = True
    kept = telling[of_items]
    return CountedVotes(
        (answers * chances)[kept],
        (answers * (1.0 - chances))[kept],
        ballot.claims[ballot.places[kept]],
        ballot.positions[kept],
        ballot.last_event,
    )
