"""Rows grouped by claim, without gaps: where each claim's rows start, and one array per column."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

import numpy as np

from howsure.bulk.compiled import THREADS, available, compiled

_SHIFT = 16
"""Ranges of owners are 2 to this power wide: counting their rows then stays within the cache of a core."""


class Grouped(NamedTuple):
    """Rows by claim: those of claim i are from starts[i] to starts[i + 1]."""

    starts: Any
    others: Any
    """The source or the neighbour of each row, by its number; ascending within a claim."""
    numbers: Any
    """Its contribution or strength."""

    def sizes(self) -> Any:
        """Return how many rows each claim has."""
        return np.diff(self.starts)

    def only(self, kept: Any) -> "Grouped":
        """Return the rows that are to be kept, by a mask."""
        before = np.concatenate(([0], np.cumsum(kept)))
        return Grouped(before[self.starts], self.others[kept], self.numbers[kept])

    def of(self, claims: Any) -> "Grouped":
        """Return the rows of some claims, in that order."""
        sizes = self.sizes()[claims]
        starts = np.concatenate(([0], np.cumsum(sizes)))
        rows = np.repeat(self.starts[:-1][claims] - starts[:-1], sizes) + np.arange(starts[-1])
        return Grouped(starts, self.others[rows], self.numbers[rows])


def grouped(
    owners: Any, others: Any, numbers: Any, size: int, *, chosen: Any = None, both: bool = False, above: float = -1.0
) -> Grouped:
    """Group rows by their owner; those of the same owner and other become one, at its highest number.

    Rows with an owner or other below 0 count for nothing, nor do those whose number is not above a limit. `chosen` says
    which others count, if not all; `both`, that each row belongs to its other as well.

    >>> rows = grouped(np.array([1, 0, 1, 1]), np.array([7, 7, 7, 2]), np.array([0.2, 0.3, 0.9, 0.1]), 3)
    >>> rows.starts.tolist(), rows.others.tolist(), rows.numbers.tolist()
    ([0, 1, 3, 3], [7, 2, 7], [0.3, 0.1, 0.9])
    """
    if available():
        return _counted(owners, others, numbers, size, chosen, both=both, above=above)
    some = (owners >= 0) & (others >= 0) & (numbers > above)
    if chosen is not None:
        some &= chosen
    owners, others, numbers = owners[some], others[some], numbers[some]
    if both:
        owners, others = np.concatenate((owners, others)), np.concatenate((others, owners))
        numbers = np.concatenate((numbers, numbers))
    return _sorted(owners, others, numbers, size)


def _sorted(owners: Any, others: Any, numbers: Any, size: int) -> Grouped:
    """Group by sorting, where there is no compiler."""
    if not len(owners):
        return Grouped(np.zeros(size + 1, np.int64), others.astype(np.int32), numbers)
    order = np.lexsort((others, owners))
    owners, others, numbers = owners[order], others[order], numbers[order]
    new = np.concatenate(([True], (owners[1:] != owners[:-1]) | (others[1:] != others[:-1])))
    firsts = np.flatnonzero(new)
    starts = np.concatenate(([0], np.cumsum(np.bincount(owners[firsts], minlength=size))))
    return Grouped(starts, others[firsts].astype(np.int32), np.maximum.reduceat(numbers, firsts))


def _counted(owners: Any, others: Any, numbers: Any, size: int, chosen: Any, *, both: bool, above: float) -> Grouped:
    """Group by counting. Rows are dealt out by ranges of owners first, so that counting stays within near memory."""
    every = np.ones(0, bool) if chosen is None else chosen
    module = compiled(_SOURCE)
    ranges = (max(size, 1) - 1 >> _SHIFT) + 1
    ends, *rows = module.deal(owners, others, numbers, every, both, above, _SHIFT, ranges)

    def group(number: int) -> Any:
        some = slice(ends[number], ends[number + 1])
        first = number << _SHIFT
        return module.group(first, min(first + (1 << _SHIFT), size), *(column[some] for column in rows))

    with ThreadPoolExecutor(THREADS) as threads:
        parts = list(threads.map(group, range(ranges)))
    before = np.cumsum([0, *(len(part[1]) for part in parts)])
    starts = [part[0][:-1] + ahead for part, ahead in zip(parts, before[:-1], strict=True)]
    return Grouped(
        np.concatenate([*starts, before[-1:]]),
        np.concatenate([part[1] for part in parts]),
        np.concatenate([part[2] for part in parts]),
    )


_SOURCE = '''"""Groups rows by counting, and counts kinds."""

import numpy as np
from numba import njit


@njit(nogil=True, cache=True)
def deal(owners, others, numbers, chosen, both, above, shift, ranges):
    every = len(chosen) == 0
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


def loops() -> Any:
    """Return the compiled loops: `kinds` counts kinds of rows."""
    return compiled(_SOURCE)
