"""Deduplicated votes as numpy arrays."""

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from howsure.arrays import np
from howsure.errors import InputError

if TYPE_CHECKING:
    from howsure.arrays import Bools, Floats, Ints


LARGEST_WEIGHT = 1e6
"""Squares of larger weights would lose the others."""
_LARGEST = 2**62
"""Packed keys stay below this."""


@dataclass(frozen=True, eq=False)
class Answers:
    """Distinct answers of sources, sorted by item, value and source.

    A *candidate* is an item with one of the values that were given for it. Items, sources and values are numbers from 0
    without gaps. An answer that a source repeats is one answer, with the largest of its weights. A source that gives
    several values for one item divides its weight among them, so saying everything says nothing.
    """

    item_count: int
    source_count: int
    value_count: int
    candidate_items: "Ints"
    """The item of each candidate, ascending."""
    candidate_values: "Ints"
    """The value of each candidate, ascending within an item."""
    candidates: "Ints"
    """The candidate of each answer, ascending."""
    sources: "Ints"
    """The source of each answer, ascending within a candidate."""
    weights: "Floats"
    """How much each answer counts; 1 for a source that gives one value for the item."""

    @cached_property
    def items(self) -> "Ints":
        """The item of each answer."""
        return self.candidate_items[self.candidates]

    @cached_property
    def values(self) -> "Ints":
        """The value of each answer."""
        return self.candidate_values[self.candidates]

    @cached_property
    def candidate_starts(self) -> "Ints":
        """Where the answers of each candidate begin."""
        return _starts(self.candidates)

    @cached_property
    def item_starts(self) -> "Ints":
        """Where the candidates of each item begin."""
        return _starts(self.candidate_items)

    @cached_property
    def answer_starts(self) -> "Ints":
        """Where the answers of each item begin."""
        return self.candidate_starts[self.item_starts]

    @cached_property
    def answers_of_items(self) -> "Ints":
        """How many answers each item has."""
        return np.diff(np.append(self.answer_starts, len(self.candidates)))

    def sum_by_candidate(self, numbers: "Floats") -> "Floats":
        """Add up a number of each answer by candidate."""
        return np.add.reduceat(numbers, self.candidate_starts) if len(numbers) else np.zeros(0)

    def sum_by_item(self, numbers: "Floats") -> "Floats":
        """Add up a number of each candidate by item."""
        return np.add.reduceat(numbers, self.item_starts) if len(numbers) else np.zeros(0)

    def sum_by_source(self, numbers: "Floats") -> "Floats":
        """Add up a number of each answer by source."""
        sums: Floats = np.bincount(self.sources, numbers, self.source_count).astype(np.float64, copy=False)
        return sums


def collect_answers(
    items: "Ints",
    sources: "Ints",
    values: "Ints",
    weights: "Floats | None" = None,
    *,
    counts: tuple[int, int, int] | None = None,
) -> Answers:
    """Return the distinct answers of rows of numbers.

    Args:
        items: The item of each row, a number from 0 without gaps.
        sources: The source of each row, likewise.
        values: The value of each row, likewise.
        weights: How much each row counts; default: 1.
        counts: How many items, sources and values there are; default: as many as the largest numbers say.

    Raises:
        InputError: if a weight is negative, NaN or above 1,000,000, or an item has no row.

    >>> two = collect_answers(np.array([0, 0, 0]), np.array([0, 1, 1]), np.array([0, 0, 0]))
    >>> two.sources.tolist(), two.weights.tolist()
    ([0, 1], [1.0, 1.0])
    """
    if weights is not None and len(weights) and not (weights.min() >= 0.0 and weights.max() <= LARGEST_WEIGHT):
        hint = "0 to 1,000,000; 1 is a usual answer"
        raise InputError("a weight is negative, NaN or too large", field="weight", hint=hint)
    if counts is None:
        counts = (_count(items), _count(sources), _count(values))
    item_count, source_count, value_count = counts
    if item_count * max(value_count, 1) * max(source_count, 1) < _LARGEST:
        keys = (items * value_count + values) * source_count + sources
        if weights is None:
            keys = np.sort(keys)
        else:
            order = np.lexsort((-weights, keys))
            keys, weights = keys[order], weights[order]
        fresh = _changes(keys)
        keys = keys[fresh]
        pairs, sources = np.divmod(keys, max(source_count, 1))
        new_pair = _changes(pairs)
        candidate_items, candidate_values = np.divmod(pairs[new_pair], max(value_count, 1))
    else:
        order = np.lexsort((np.zeros(len(items)) if weights is None else -weights, sources, values, items))
        items, sources, values = items[order], sources[order], values[order]
        fresh = _changes(items) | _changes(values) | _changes(sources)
        weights = None if weights is None else weights[order]
        items, sources, values = items[fresh], sources[fresh], values[fresh]
        new_pair = _changes(items) | _changes(values)
        candidate_items, candidate_values = items[new_pair], values[new_pair]
    weights = np.ones(len(sources)) if weights is None else weights[fresh]
    if len(_starts(candidate_items)) != item_count:
        raise InputError("an item has no answer", field="items", hint="number the items from 0 without gaps")
    candidates = np.cumsum(new_pair) - 1
    shares = _share_of_values(candidate_items[candidates], sources, source_count)
    return Answers(
        item_count,
        source_count,
        value_count,
        candidate_items,
        candidate_values,
        candidates,
        sources,
        weights if shares is None else weights * shares,
    )


def _share_of_values(items: "Ints", sources: "Ints", source_count: int) -> "Floats | None":
    """Return 1 / (how many values the source of an answer gives for its item), or None if always 1."""
    keys = items * source_count + sources
    ordered = np.sort(keys)
    if _changes(ordered).all():
        return None
    several, sizes = np.unique(ordered[1:][ordered[1:] == ordered[:-1]], return_counts=True)
    # Only items with such a source are searched: the search takes longer than the sort.
    repeated = np.zeros(int(items[-1]) + 1, dtype=np.bool_)
    repeated[several // source_count] = True
    rows = np.flatnonzero(repeated[items])
    places = np.minimum(np.searchsorted(several, keys[rows]), len(several) - 1)
    shares = np.ones(len(keys))
    shares[rows] = np.where(several[places] == keys[rows], 1.0 / (sizes[places] + 1.0), 1.0)
    return shares


def _count(numbers: "Ints") -> int:
    return int(numbers.max()) + 1 if len(numbers) else 0


def _changes(numbers: "Ints") -> "Bools":
    """Return which numbers differ from the one before; the first one does."""
    changed = np.ones(len(numbers), dtype=np.bool_)
    np.not_equal(numbers[1:], numbers[:-1], out=changed[1:])
    return changed


def _starts(numbers: "Ints") -> "Ints":
    return np.flatnonzero(_changes(numbers))
