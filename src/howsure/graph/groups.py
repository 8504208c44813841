"""Rows grouped by claim in flat arrays (compressed sparse rows)."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

import numpy as np

from howsure.formulas.claim import UNKNOWN_VARIANCE, UNKNOWN_WEIGHT
from howsure.graph.compiler import THREADS, compile_module, has_compiler, run_in_threads

_SHIFT = 16
"""Rows are first partitioned by ranges of 2**16 owners, so that the counters of a range fit into a core's cache."""


class Groups(NamedTuple):
    """Rows by claim: those of claim i are from starts[i] to starts[i + 1]."""

    starts: Any
    others: Any
    """Number of the source or neighbour of each row; ascending within a claim."""
    numbers: Any
    """Contribution or strength of each row."""

    def sizes(self) -> Any:
        """Return how many rows each claim has."""
        return np.diff(self.starts)

    def filter(self, mask: Any) -> "Groups":
        """Return only the rows where the mask is true."""
        before = np.concatenate(([0], np.cumsum(mask)))
        return Groups(before[self.starts], self.others[mask], self.numbers[mask])

    def select(self, claims: Any) -> "Groups":
        """Return the rows of some claims, in the order of these claims."""
        sizes = self.sizes()[claims]
        starts = np.concatenate(([0], np.cumsum(sizes)))
        rows = np.repeat(self.starts[:-1][claims] - starts[:-1], sizes) + np.arange(starts[-1])
        return Groups(starts, self.others[rows], self.numbers[rows])


LEARNED = ("weight", "variance", "copies")
"""Learned numbers of each source that a kernel reads, in the order of `SourceGroups.learned`."""


class SourceGroups(NamedTuple):
    """Independent sources by claim, with what was learned about them."""

    rows: Groups
    weights: Any
    """Learned weight of each row; None if nothing was learned about any source."""
    variances: Any
    copy_groups: Any
    """Number of the copy group of each row; below 0 if its source copies from none."""

    def filter(self, mask: Any) -> "SourceGroups":
        """Return only the rows where the mask is true."""
        return SourceGroups(self.rows.filter(mask), *(None if one is None else one[mask] for one in self[1:]))

    def select(self, claims: Any) -> "SourceGroups":
        """Return the rows of some claims, in the order of these claims."""
        if self.weights is None:
            return self._replace(rows=self.rows.select(claims))
        places = self.rows._replace(others=np.arange(len(self.rows.others)))
        chosen = places.select(claims).others
        return SourceGroups(self.rows.select(claims), *(one[chosen] for one in self[1:]))

    def learned(self) -> tuple[Any, Any, Any]:
        """Return the weight and variance of each row, and how many rows of its claim are in its copy group."""
        size = len(self.rows.others)
        if self.weights is None:
            return np.full(size, UNKNOWN_WEIGHT), np.full(size, UNKNOWN_VARIANCE), np.ones(size)
        copies = np.ones(size)
        members = np.flatnonzero(self.copy_groups >= 0)
        if len(members):
            owners = np.repeat(np.arange(len(self.rows.starts) - 1), self.rows.sizes())[members]
            pairs = np.stack((owners, self.copy_groups[members].astype(np.int64)))
            _, inverse, counts = np.unique(pairs, axis=1, return_inverse=True, return_counts=True)
            copies[members] = counts[inverse.reshape(-1)]
        return self.weights, self.variances, copies


def group_rows(
    owners: Any, others: Any, numbers: Any, size: int, *, mask: Any = None, both: bool = False, above: float = -1.0
) -> Groups:
    """Group rows by their owner; rows of the same owner and other become one, with the highest number.

    Rows with a negative owner or other (an unknown claim), or whose number is not above `above`, are left out. With
    `mask`, only rows where it is true are used. With `both`, each row also belongs to its other.

    >>> rows = group_rows(np.array([1, 0, 1, 1]), np.array([7, 7, 7, 2]), np.array([0.2, 0.3, 0.9, 0.1]), 3)
    >>> rows.starts.tolist(), rows.others.tolist(), rows.numbers.tolist()
    ([0, 1, 3, 3], [7, 2, 7], [0.3, 0.1, 0.9])
    """
    if has_compiler():
        return _group_by_counting(owners, others, numbers, size, mask, both=both, above=above)
    used = (owners >= 0) & (others >= 0) & (numbers > above)
    if mask is not None:
        used &= mask
    owners, others, numbers = owners[used], others[used], numbers[used]
    if both:
        owners, others = np.concatenate((owners, others)), np.concatenate((others, owners))
        numbers = np.concatenate((numbers, numbers))
    return _group_by_sorting(owners, others, numbers, size)


def _group_by_sorting(owners: Any, others: Any, numbers: Any, size: int) -> Groups:
    """Group with numpy alone, for machines without numba."""
    if not len(owners):
        return Groups(np.zeros(size + 1, np.int64), others.astype(np.int32), numbers)
    order = np.lexsort((others, owners))
    owners, others, numbers = owners[order], others[order], numbers[order]
    new = np.concatenate(([True], (owners[1:] != owners[:-1]) | (others[1:] != others[:-1])))
    firsts = np.flatnonzero(new)
    starts = np.concatenate(([0], np.cumsum(np.bincount(owners[firsts], minlength=size))))
    return Groups(starts, others[firsts].astype(np.int32), np.maximum.reduceat(numbers, firsts))


def _group_by_counting(
    owners: Any, others: Any, numbers: Any, size: int, mask: Any, *, both: bool, above: float
) -> Groups:
    """Group by counting sort: partition the rows by ranges of owners, then sort each range in its own thread."""
    every = np.ones(0, bool) if mask is None else mask
    module = compile_module(_SOURCE)
    ranges = (max(size, 1) - 1 >> _SHIFT) + 1
    ends, *rows = module.deal(owners, others, numbers, every, both, above, _SHIFT, ranges)

    def group(number: int) -> Any:
        part = slice(ends[number], ends[number + 1])
        first = number << _SHIFT
        return module.group(first, min(first + (1 << _SHIFT), size), *(column[part] for column in rows))

    with ThreadPoolExecutor(THREADS) as threads:
        parts = list(threads.map(group, range(ranges)))
    before = np.cumsum([0, *(len(part[1]) for part in parts)])
    starts = [part[0][:-1] + ahead for part, ahead in zip(parts, before[:-1], strict=True)]
    return Groups(
        np.concatenate([*starts, before[-1:]]),
        np.concatenate([part[1] for part in parts]),
        np.concatenate([part[2] for part in parts]),
    )


def count_types(sources: Groups, type_of: Any) -> Any:
    """Return how many types of source each claim has.

    Sources are numbered by type, so within a claim the sources of one type are next to each other.
    """
    if has_compiler():
        counts = np.empty(len(sources.starts) - 1)
        run_in_threads(compile_module(_SOURCE).kinds, len(counts), sources.starts, sources.others, type_of, counts)
        return counts
    types = type_of[sources.others]
    new = np.ones(len(types), np.int64)
    if len(types):
        new[1:] = types[1:] != types[:-1]
        firsts = sources.starts[:-1][sources.sizes() > 0]
        new[firsts] = 1
    before = np.concatenate(([0], np.cumsum(new)))
    return (before[sources.starts[1:]] - before[sources.starts[:-1]]).astype(np.float64)


_SOURCE = '''"""Group rows by counting, and count kinds of rows."""

import numpy as np
from numba import njit


@njit(nogil=True, cache=True)
def deal(owners, others, numbers, chosen, both, above, shift, ranges):
    every = len(chosen) == 0  # an empty mask means all rows
    ends = np.zeros(ranges + 1, np.int64)
    for i in range(len(owners)):
        if (every or chosen[i]) and numbers[i] > above and owners[i] >= 0 and others[i] >= 0:
            ends[(owners[i] >> shift) + 1] += 1
            if both:
                ends[(others[i] >> shift) + 1] += 1
    for i in range(ranges):
        ends[i + 1] += ends[i]
    places = ends[:-1].copy()
    owner = np.empty(ends[ranges], np.int32)
    other = np.empty(ends[ranges], np.int32)
    number = np.empty(ends[ranges], np.float64)
    for i in range(len(owners)):
        if (every or chosen[i]) and numbers[i] > above and owners[i] >= 0 and others[i] >= 0:
            o, p, x = owners[i], others[i], numbers[i]
            place = places[o >> shift]
            places[o >> shift] = place + 1
            owner[place], other[place], number[place] = o, p, x
            if both:
                place = places[p >> shift]
                places[p >> shift] = place + 1
                owner[place], other[place], number[place] = p, o, x
    return ends, owner, other, number


@njit(nogil=True, cache=True)
def group(first_owner, last_owner, owners, others, numbers):
    size = last_owner - first_owner
    starts = np.zeros(size + 1, np.int64)
    for i in range(len(owners)):
        starts[owners[i] - first_owner + 1] += 1
    for i in range(size):
        starts[i + 1] += starts[i]
    places = starts[:-1].copy()
    other = np.empty(len(owners), np.int32)
    number = np.empty(len(owners), np.float64)
    for i in range(len(owners)):
        place = places[owners[i] - first_owner]
        places[owners[i] - first_owner] = place + 1
        other[place] = others[i]
        number[place] = numbers[i]
    written = 0
    for i in range(size):
        first, last = starts[i], starts[i + 1]
        # Shell sort of the claim's rows: most claims have few rows, and one may have a million.
        gap = 1
        while gap < (last - first) // 3:
            gap = 3 * gap + 1
        while gap > 0:
            for j in range(first + gap, last):
                o, x = other[j], number[j]
                k = j - gap
                while k >= first and other[k] > o:
                    other[k + gap] = other[k]
                    number[k + gap] = number[k]
                    k -= gap
                other[k + gap] = o
                number[k + gap] = x
            gap //= 3
        # Collapse rows of the same other to the highest number.
        starts[i] = written
        for j in range(first, last):
            if written > starts[i] and other[written - 1] == other[j]:
                number[written - 1] = max(number[written - 1], number[j])
            else:
                other[written] = other[j]
                number[written] = number[j]
                written += 1
    starts[size] = written
    return starts, other[:written], number[:written]


@njit(nogil=True, cache=True)
def kinds(first, last, starts, others, kind_of, found):
    for i in range(first, last):
        count = 0.0
        before = -1
        for j in range(starts[i], starts[i + 1]):
            kind = kind_of[others[j]]
            if kind != before:
                count += 1.0
            before = kind
        found[i] = count
'''
