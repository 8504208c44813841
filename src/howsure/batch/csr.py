"""Rows grouped by claim, without gaps: where each claim's rows start, and one array per column."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

import numpy as np

from howsure.batch.compiled import THREADS, available, compiled

_RANGES, _SMALL = 4, 1 << 18
"""Ranges of owners, and the size from which it is worth to have more than one."""


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


def grouped(owners: Any, others: Any, numbers: Any, size: int, *, chosen: Any = None, both: bool = False) -> Grouped:
    """Group rows by their owner; those of the same owner and other become one, at its highest number.

    `chosen` says which rows count, if not all; `both`, that each belongs to its other as well.

    >>> rows = grouped(np.array([1, 0, 1, 1]), np.array([7, 7, 7, 2]), np.array([0.2, 0.3, 0.9, 0.1]), 3)
    >>> rows.starts.tolist(), rows.others.tolist(), rows.numbers.tolist()
    ([0, 1, 3, 3], [7, 2, 7], [0.3, 0.1, 0.9])
    """
    if available():
        return _counted(owners, others, numbers, size, chosen, both=both)
    if chosen is not None:
        owners, others, numbers = owners[chosen], others[chosen], numbers[chosen]
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


def _counted(owners: Any, others: Any, numbers: Any, size: int, chosen: Any, *, both: bool) -> Grouped:
    """Group by counting: each thread takes a range of owners, and writes within a part of memory that stays near."""
    every = np.ones(0, bool) if chosen is None else chosen
    group = compiled(_SOURCE).group
    step = max(-(-size // _RANGES), _SMALL)
    with ThreadPoolExecutor(THREADS) as threads:
        ranges = [(first, min(first + step, size)) for first in range(0, max(size, 1), step)]
        rows = (owners, others, numbers, every, both)
        found = [threads.submit(group, first, last, *rows) for first, last in ranges]
        parts = [part.result() for part in found]
    before = np.cumsum([0, *(len(part[1]) for part in parts)])
    starts = [part[0][:-1] + ahead for part, ahead in zip(parts, before[:-1], strict=True)]
    return Grouped(
        np.concatenate([*starts, before[-1:]]),
        np.concatenate([part[1] for part in parts]),
        np.concatenate([part[2] for part in parts]),
    )


_SOURCE = '''"""Groups the rows of a range of owners by counting, and gathers what neighbours lend."""

import numpy as np
from numba import njit


@njit(nogil=True, cache=True)
def group(first_owner, last_owner, owners, others, numbers, chosen, both):
    every = len(chosen) == 0
    size = last_owner - first_owner
    starts = np.zeros(size + 1, np.int64)
    for i in range(len(owners)):
        if every or chosen[i]:
            o = owners[i] - first_owner
            if 0 <= o < size:
                starts[o + 1] += 1
            if both:
                o = others[i] - first_owner
                if 0 <= o < size:
                    starts[o + 1] += 1
    for i in range(size):
        starts[i + 1] += starts[i]
    places = starts[:-1].copy()
    other = np.empty(starts[size], np.int32)
    number = np.empty(starts[size], np.float64)
    for i in range(len(owners)):
        if every or chosen[i]:
            o = owners[i] - first_owner
            if 0 <= o < size:
                place = places[o]
                places[o] = place + 1
                other[place] = others[i]
                number[place] = numbers[i]
            if both:
                o = others[i] - first_owner
                if 0 <= o < size:
                    place = places[o]
                    places[o] = place + 1
                    other[place] = owners[i]
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
def gather(first, last, others, strengths, lends, lent):
    for j in range(first, last):
        lent[j] = lends[others[j]] * strengths[j]
'''


def gather() -> Any:
    """Return the compiled loop that fetches what each neighbour lends."""
    return compiled(_SOURCE).gather
