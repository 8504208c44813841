"""Candidates: which of many clauses are worth comparing, without comparing all with all."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

MOST_COMPARED = 24
"""Other clauses with which one is compared at most."""
_MOST_KEYS = 12
"""Words of a clause, the rarest first, by which it is looked for."""
_CROWD = 48
"""Clauses under one key from which each clause is compared only with its neighbours."""

Key = tuple[Any, ...]


def candidates(clauses: Sequence[Iterable[str]]) -> list[tuple[int, int]]:
    """Return the pairs of clauses that share enough rare words to be worth comparing, each pair once.

    Clauses are looked for by all their words, by all but one of them, and by each rare word; where very many share a
    key, each is paired with its neighbours alone. So the number of pairs grows as the number of clauses does.

    >>> candidates([["cache", "enabled"], ["cache", "disabled"], ["moon", "rises"]])
    [(0, 1)]
    """
    frequency = Counter(word for words in clauses for word in set(words))
    keys = [list(_keys(words, frequency)) for words in clauses]
    found: set[tuple[int, int]] = set()
    left = [MOST_COMPARED] * len(clauses)
    for level in range(3):
        for together in _together(keys, level):
            for one, other in _neighbours(together):
                if left[one] and left[other] and (one, other) not in found:
                    found.add((one, other))
                    left[one] -= 1
                    left[other] -= 1
    return sorted(found)


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


def _neighbours(together: list[int]) -> Iterator[tuple[int, int]]:
    """Give the pairs among clauses; in a crowd, those that stand near each other."""
    reach = len(together) if len(together) <= _CROWD else MOST_COMPARED // 2
    for place, one in enumerate(together):
        for other in together[place + 1 : place + 1 + reach]:
            yield one, other
