"""Choose which pairs of answers to compare when there are too many to compare all.

Copies betray themselves by sharing values that few others give and that are likely wrong. So for large tables only
sources that share such values often enough are compared with each other, on all items that both answer.
"""

from typing import TYPE_CHECKING, NamedTuple

from howsure.arrays import np
from howsure.fusion.answers import Answers
from howsure.fusion.pairs import count_pairs, enumerate_pairs

if TYPE_CHECKING:
    from howsure.arrays import Bools, Floats, Ints


MOST_PAIRS = 1_500_000
"""Pairs of answers that are compared at once."""
MOST_SOURCES = 400
"""Sources that are compared with each other in a large table."""
FEWEST_SHARED = 3
"""Likely wrong values that two sources of a large table must share to be compared."""
UNLIKELY = 0.5
"""Values below this probability are likely wrong."""


class SharedAnswers(NamedTuple):
    """Pairs of answers of two sources about the same item."""

    one: "Ints"
    """Place of the one answer."""
    two: "Ints"
    """Place of the other answer."""
    same: "Bools"
    """Whether both give the same value."""
    blocked: bool
    """Whether some pairs were left out."""


def share_answers(
    answers: Answers, probability: "Floats", *, most: int = MOST_PAIRS, always: "Bools | None" = None
) -> SharedAnswers:
    """Return the pairs of answers to compare.

    Args:
        answers: The answers.
        probability: Probability of each candidate by what is known so far.
        most: How many pairs may be returned.
        always: Sources that are compared in any case.
    """
    rows = np.arange(len(answers.sources))
    blocked = count_pairs(answers.answers_of_items) > most
    if blocked:
        rows = rows[_suspicious_sources(answers, probability, most, always)[answers.sources]]
    items = answers.items[rows]
    starts = np.flatnonzero(np.append(True, items[1:] != items[:-1])) if len(rows) else rows
    sizes = np.diff(np.append(starts, len(rows)))
    if (pairs := count_pairs(sizes)) > most:
        # Every n-th item: items come in no order that copying depends on.
        kept = np.zeros(len(sizes), dtype=np.bool_)
        kept[:: -(-pairs // most)] = True
        kept &= np.cumsum(np.where(kept, sizes * (sizes - 1) // 2, 0)) <= most
        rows = rows[np.repeat(kept, sizes)]
        starts = np.append(0, np.cumsum(sizes[kept]))[:-1]
    one, two = enumerate_pairs(starts, len(rows))
    one, two = rows[one], rows[two]
    other = answers.sources[one] != answers.sources[two]
    one, two = one[other], two[other]
    return SharedAnswers(one, two, answers.candidates[one] == answers.candidates[two], blocked)


def _suspicious_sources(answers: Answers, probability: "Floats", most: int, always: "Bools | None") -> "Bools":
    """Return which sources share at least a few likely wrong values with another one; at most `MOST_SOURCES`."""
    chosen = np.zeros(answers.source_count, dtype=np.bool_) if always is None else always.copy()
    supporters = np.diff(np.append(answers.candidate_starts, len(answers.sources)))
    rare = (probability < UNLIKELY) & (supporters > 1)
    order = np.argsort(supporters[rare], kind="stable")
    sizes = supporters[rare][order]
    enough = np.flatnonzero(rare)[order[np.cumsum(sizes * (sizes - 1) // 2) <= most]]
    keep = np.zeros(len(supporters), dtype=np.bool_)
    keep[enough] = True
    rows = np.flatnonzero(np.repeat(keep, supporters))
    one, two = enumerate_pairs(np.append(0, np.cumsum(supporters[keep]))[:-1], len(rows))
    first, second = answers.sources[rows[one]], answers.sources[rows[two]]
    keys, shared = np.unique(first * answers.source_count + second, return_counts=True)
    often = np.argsort(-shared, kind="stable")[: 20 * MOST_SOURCES]
    for key, count in zip(keys[often].tolist(), shared[often].tolist(), strict=True):
        if count < FEWEST_SHARED or chosen.sum() >= MOST_SOURCES:
            break
        chosen[[key // answers.source_count, key % answers.source_count]] = True
    return chosen
