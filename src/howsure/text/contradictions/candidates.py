"""Candidates: which of many clauses are worth comparing, without comparing all with all."""

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from typing import Any

LEAST_COMPARED, MOST_COMPARED = 20, 200
"""Other clauses with which one is compared at most: the second number where there are few clauses, the first where
there are many."""
ENOUGH = 100_000
"""Comparisons, counted from both sides, up to which more than the least number are made for each clause."""
SHARED = 1 / 3
"""Share of the shorter clause's words that the other has to have."""
_TINY = 1e-9
_TRIES = 6
"""How many others are looked at for each that is compared."""
_LEVELS = 3
_MOST_KEYS = 12
"""Words of a clause, the rarest first, by which it is looked for."""

Key = tuple[Any, ...]


def candidates(clauses: Sequence[Iterable[str]]) -> list[tuple[int, int]]:
    """Return the pairs of clauses that share enough rare words to be worth comparing, each pair once.

    Clauses are looked for by all their words, by all but one of them, and by each rare word; rare words count for more
    than common ones, and where very many share a key, each is paired with its neighbours alone. So the number of pairs
    grows as the number of clauses does.

    >>> candidates([["cache", "enabled"], ["cache", "disabled"], ["moon", "rises"]])
    [(0, 1)]
    """
    sets = [frozenset(words) for words in clauses]
    frequency = Counter(word for words in sets for word in words)
    keys = [list(_keys(words, frequency)) for words in sets]
    weights = {word: 1.0 + math.log2(len(sets) / count) if count > 1 else 1.0 for word, count in frequency.items()}
    needed = [SHARED * sum(weights[word] for word in words) for words in sets]
    most = compared_at_most(len(sets))
    found: set[tuple[int, int]] = set()
    left, tries = [most] * len(sets), [most * _TRIES] * len(sets)
    for level in range(_LEVELS):
        for one, other in (pair for together in _together(keys, level) for pair in _neighbours(together, left, most)):
            if left[other] and tries[one] and tries[other]:
                tries[one] -= 1
                tries[other] -= 1
                if (one, other) in found or not alike(sets[one], sets[other]):
                    continue
                if sum(weights[word] for word in sets[one] & sets[other]) >= min(needed[one], needed[other]) - _TINY:
                    found.add((one, other))
                    left[one] -= 1
                    left[other] -= 1
    return sorted(found)


def compared_at_most(clauses: int) -> int:
    """Return with how many others each of so many clauses is compared at most.

    >>> compared_at_most(50), compared_at_most(4000), compared_at_most(10**6)
    (200, 25, 20)
    """
    return max(LEAST_COMPARED, min(MOST_COMPARED, ENOUGH // max(clauses, 1)))


def alike(one: AbstractSet[str], other: AbstractSet[str]) -> bool:
    """Say whether two clauses share enough words to be about the same.

    >>> alike({"cache", "enabled"}, {"cache", "disabled"}), alike({"cache", "fast"}, {"disk", "slow"})
    (True, False)
    """
    return len(one & other) >= SHARED * min(len(one), len(other)) > 0


def _keys(words: Iterable[str], frequency: Counter[str]) -> Iterator[tuple[int, Key]]:
    """Give the keys of a clause, each with its level: all words, all but one, one."""
    rare = sorted(set(words), key=lambda word: (frequency[word], word))
    if not rare:
        return
    shared = [word for word in rare if frequency[word] > 1][:_MOST_KEYS]
    yield 0, tuple(shared)
    for place in range(len(shared)):
        yield 1, (*shared[:place], *shared[place + 1 :])
    for word in shared:
        yield 2, (word,)


def _together(keys: list[list[tuple[int, Key]]], level: int) -> Iterator[list[int]]:
    """Give the clauses under each key of one level, the rarest keys first."""
    lists: dict[Key, list[int]] = {}
    for index, given in enumerate(keys):
        for at, key in given:
            if at == level and key:
                lists.setdefault(key, []).append(index)
    for key in sorted(lists, key=lambda key: (len(lists[key]), key)):
        if len(lists[key]) > 1:
            yield lists[key]


def _neighbours(together: list[int], left: list[int], most: int) -> Iterator[tuple[int, int]]:
    """Give the pairs among clauses; in a crowd, those that stand near each other."""
    reach = len(together) if len(together) <= 2 * most else most // 2
    for place, one in enumerate(together):
        for other in together[place + 1 : place + 1 + reach]:
            if not left[one]:
                break
            yield one, other
