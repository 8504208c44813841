"""Choose the pairs of clauses that are worth comparing (blocking), so that not all are compared with all."""

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from typing import Any

MIN_COMPARED, MAX_COMPARED = 20, 200
"""Limits of how many others one clause is compared with: the lower for many clauses, the higher for few."""
COMPARISON_BUDGET = 100_000
"""Comparisons, counted from both sides, up to which a clause may be compared with more than the lower limit."""
MIN_SHARED = 1 / 3
"""Share of the shorter clause's words that the other clause must have."""
_TOLERANCE = 1e-9
_TRIES_PER_COMPARISON = 6
"""How many others are looked at for each one that is compared, which keeps the time linear."""
_LEVELS = 3
_MAX_KEY_WORDS = 12
"""Words of a clause, rarest first, that are used as keys."""

Key = tuple[Any, ...]


def find_candidates(clauses: Sequence[Iterable[str]]) -> list[tuple[int, int]]:
    """Return the pairs of clauses, given as words, that share enough rare words to be worth comparing.

    Pairs are found by three levels of keys: all words of a clause, all but one, and single words. Rare words count more
    than common ones, and if many clauses have the same key, each is paired only with its neighbours. So the number of
    pairs grows linearly with the number of clauses.

    >>> find_candidates([["cache", "enabled"], ["cache", "disabled"], ["moon", "rises"]])
    [(0, 1)]
    """
    sets = [frozenset(words) for words in clauses]
    frequency = Counter(word for words in sets for word in words)
    keys = [list(_keys(words, frequency)) for words in sets]
    weights = {word: 1.0 + math.log2(len(sets) / count) if count > 1 else 1.0 for word, count in frequency.items()}
    needed = [MIN_SHARED * sum(weights[word] for word in words) for words in sets]
    most = max_comparisons(len(sets))
    pairs: set[tuple[int, int]] = set()
    left, tries = [most] * len(sets), [most * _TRIES_PER_COMPARISON] * len(sets)
    for level in range(_LEVELS):
        for one, other in (pair for group in _groups(keys, level) for pair in _neighbours(group, left, most)):
            if left[other] and tries[one] and tries[other]:
                tries[one] -= 1
                tries[other] -= 1
                if (one, other) in pairs or not share_enough_words(sets[one], sets[other]):
                    continue
                shared = sum(weights[word] for word in sets[one] & sets[other])
                if shared >= min(needed[one], needed[other]) - _TOLERANCE:
                    pairs.add((one, other))
                    left[one] -= 1
                    left[other] -= 1
    return sorted(pairs)


def max_comparisons(clauses: int) -> int:
    """Return with how many others each clause is compared at most.

    >>> max_comparisons(50), max_comparisons(4000), max_comparisons(10**6)
    (200, 25, 20)
    """
    return max(MIN_COMPARED, min(MAX_COMPARED, COMPARISON_BUDGET // max(clauses, 1)))


def share_enough_words(one: AbstractSet[str], other: AbstractSet[str]) -> bool:
    """Return True if two clauses share enough words to be about the same subject.

    >>> share_enough_words({"cache", "enabled"}, {"cache", "disabled"})
    True
    >>> share_enough_words({"cache", "fast"}, {"disk", "slow"})
    False
    """
    return len(one & other) >= MIN_SHARED * min(len(one), len(other)) > 0


def _keys(words: Iterable[str], frequency: Counter[str]) -> Iterator[tuple[int, Key]]:
    """Yield the keys of a clause with their level: 0 for all words, 1 for all but one, 2 for a single word."""
    by_rarity = sorted(set(words), key=lambda word: (frequency[word], word))
    if not by_rarity:
        return
    shared = [word for word in by_rarity if frequency[word] > 1][:_MAX_KEY_WORDS]
    yield 0, tuple(shared)
    for place in range(len(shared)):
        yield 1, (*shared[:place], *shared[place + 1 :])
    for word in shared:
        yield 2, (word,)


def _groups(keys: list[list[tuple[int, Key]]], level: int) -> Iterator[list[int]]:
    """Yield the clauses that have the same key of a level, the rarest keys first."""
    groups: dict[Key, list[int]] = {}
    for index, clause_keys in enumerate(keys):
        for key_level, key in clause_keys:
            if key_level == level and key:
                groups.setdefault(key, []).append(index)
    for key in sorted(groups, key=lambda key: (len(groups[key]), key)):
        if len(groups[key]) > 1:
            yield groups[key]


def _neighbours(group: list[int], left: list[int], most: int) -> Iterator[tuple[int, int]]:
    """Yield the pairs of a group; in a large group, only those near each other."""
    reach = len(group) if len(group) <= 2 * most else most // 2
    for place, one in enumerate(group):
        for other in group[place + 1 : place + 1 + reach]:
            if not left[one]:
                break
            yield one, other
