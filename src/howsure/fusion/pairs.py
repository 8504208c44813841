"""Pairs of sources: enumerate those that answer the same item, and join pairs that pass a test into groups."""

from typing import TYPE_CHECKING, NamedTuple

from howsure.arrays import np
from howsure.formulas.claim import COPY_SHARE

if TYPE_CHECKING:
    from howsure.arrays import Bools, Floats, Ints


RATES = (0.25, 0.5, 0.75, 0.95)
"""Copy rates that are tried."""
ROUNDS = 6
"""How often copies are looked for again after those found have been discounted."""
STRONGEST = 0.5
"""Pairs are accepted in one round from this share of the largest log-likelihood ratio on."""
_DENSE = 4_000_000
"""Pairs of sources up to which sums are kept in a full table."""


class PairTest(NamedTuple):
    """Pairs of sources with the logarithm of how much likelier copying makes their answers."""

    first: "Ints"
    second: "Ints"
    """The other source; always the larger number."""
    ratio: "Floats"
    bar: float
    """What the ratio must exceed."""


def enumerate_pairs(starts: "Ints", size: int) -> tuple["Ints", "Ints"]:
    """Return the positions of all pairs within runs of rows, given where the runs start."""
    if not size:
        return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
    ends = np.repeat(np.append(starts[1:], size), np.diff(np.append(starts, size)))
    positions = np.arange(size)
    counts = ends - positions - 1
    first = np.repeat(positions, counts)
    second = np.arange(len(first)) - np.repeat(np.cumsum(counts) - counts, counts) + first + 1
    return first, second


def count_pairs(sizes: "Ints") -> int:
    """Return how many pairs runs of these sizes have."""
    return int((sizes * (sizes - 1) // 2).sum())


def sum_ratios(
    first: "Ints", second: "Ints", likelier: "Floats", same: "Bools", source_count: int
) -> tuple["Ints", "Ints", "Floats"]:
    """Return each pair of sources with the logarithm of its likelihood ratio, the mean over copy rates.

    Args:
        first: One source of each shared answer.
        second: The other source.
        likelier: How much likelier the shared value is if one copied the other (A / B); where they differ, anything.
        same: Whether the two sources gave the same value.
        source_count: How many sources there are.
    """
    low, high = np.minimum(first, second), np.maximum(first, second)
    keys = low * source_count + high
    if source_count * source_count <= _DENSE:
        places, size = keys, source_count * source_count
        pairs = np.flatnonzero(np.bincount(keys, minlength=size))
    else:
        pairs, places = np.unique(keys, return_inverse=True)
        size = len(pairs)
    different = np.bincount(places, ~same, size)
    agreeing, gains = places[same], likelier[same]
    logs = [np.bincount(agreeing, np.log1p(rate * (gains - 1.0)), size) + different * np.log1p(-rate) for rate in RATES]
    ratios = np.logaddexp.reduce(logs, axis=0) - np.log(len(RATES))
    if source_count * source_count <= _DENSE:
        ratios = ratios[pairs]
    return pairs // source_count, pairs % source_count, ratios


def join_groups(groups: "Ints", test: PairTest, strongest: float = STRONGEST) -> "Ints":
    """Join sources that copy each other; return the group of each source, named by its smallest member.

    Only the strongest pairs are accepted at once, since a ring makes honest sources look like copies until it is
    discounted. Two groups are joined if at least half of the pairs across them pass.
    """
    passing = np.flatnonzero((test.ratio > test.bar) & (groups[test.first] != groups[test.second]))
    if not len(passing):
        return groups
    top = -np.inf
    order = passing[np.lexsort((test.second[passing], test.first[passing], -test.ratio[passing]))]
    passed = {(int(test.first[pair]), int(test.second[pair])) for pair in np.flatnonzero(test.ratio > test.bar)}
    members: dict[int, list[int]] = {}
    for source in np.unique(np.append(test.first[passing], test.second[passing])).tolist():
        group = int(groups[source])
        members.setdefault(group, np.flatnonzero(groups == group).tolist())
    joined = groups.copy()
    for pair in order.tolist():
        if test.ratio[pair] < strongest * top:
            break
        here, there = int(joined[test.first[pair]]), int(joined[test.second[pair]])
        if here == there:
            continue
        crossing = [(min(a, b), max(a, b)) for a in members[here] for b in members[there]]
        if 2 * sum(one in passed for one in crossing) < len(crossing):
            continue
        # Pairs that may not be joined do not count as the strongest, or the weaker ones would never get their turn.
        top = max(top, float(test.ratio[pair]))
        kept, gone = min(here, there), max(here, there)
        members[kept] += members.pop(gone)
        joined[members[kept]] = kept
    return joined


def share_weights(candidates: "Ints", sources: "Ints", groups: "Ints") -> "Floats":
    """Return how much of its weight each answer keeps: s agreeing members of a group count as 1 + .1 (s - 1)."""
    sizes = np.bincount(groups)
    shares = np.ones(len(sources))
    grouped = np.flatnonzero(sizes[groups[sources]] > 1)
    if len(grouped):
        keys = candidates[grouped] * len(sizes) + groups[sources[grouped]]
        _, places, counts = np.unique(keys, return_inverse=True, return_counts=True)
        shares[grouped] = ((1.0 + COPY_SHARE * (counts - 1.0)) / counts)[places]
    return shares
