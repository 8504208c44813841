"""Held: three tables as arrays in memory, from which claims are scored again and again."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from howsure.bulk.compiled import available, shared
from howsure.bulk.csr import Grouped, loops
from howsure.bulk.engines.base import Reading
from howsure.graph.python import DEEPEST

INFERENCE = "inference"
"""The type of source that an inference itself is."""


@dataclass(frozen=True)
class Held:
    """All that is known about the claims, by their number."""

    ids: Any
    """Their ids, an Arrow array."""
    tiers: Any
    """Number of each claim's tier."""
    stale_at: Any
    """When each becomes stale; NaN for never."""
    standing: Any
    """Whether each is active or challenged."""
    valid_from: Any
    """When each starts to hold; minus infinity for always did. Nothing where that is not known of any."""
    valid_until: Any
    """When each stops to hold; infinity for never. Nothing where that is not known of any."""
    sources: Grouped
    """Independent sources that count, by claim."""
    names: Any
    """Type and id of each source, an Arrow table."""
    type_of: Any
    """Number of each source's type."""
    inference: int
    """Number of the type `inference`; -1 where there is no such source."""
    types: Any
    """How many types of source speak for each claim."""
    supports: Grouped
    contradictions: Grouped
    derivations: Grouped | None = None
    """What each claim was derived from; nothing where none was."""
    depths: Any = None
    """How many inferences each rests on."""
    inferred: Any = None
    """Whether an inference entry speaks for each, be it that it counts for nothing."""

    def __len__(self) -> int:
        """Return how many claims there are."""
        return len(self.tiers)

    def counts(self, now: float) -> Any:
        """Say which claims lend anything to others at a moment."""
        found = self.standing
        if self.valid_from is not None:
            found = found & (self.valid_from <= now)
        return found if self.valid_until is None else found & (self.valid_until > now)

    def lives(self, reading: Reading) -> Any:
        """Return the half-life of each tier."""
        from howsure.bulk.tables import TIERS

        return np.array([getattr(reading.formula.half_life, tier) for tier in TIERS])

    def without(self, source: int) -> "Held":
        """Return the same, with one source counting for nothing."""
        sources = self.sources.only(self.sources.others != source)
        return replace(self, sources=sources, types=count_types(sources, self.type_of))

    def assessed(self) -> "tuple[Any, Grouped, Any]":
        """Return the derived claims, the sources by which each is assessed, and how many types these are of."""
        derived = np.flatnonzero(self.depths > 0)
        own = self.sources.of(derived)
        by_inference = np.repeat(self.inferred[derived], own.sizes())
        rows = own.only(~by_inference | (self.type_of[own.others] == self.inference))
        return derived, rows, count_types(rows, self.type_of)


def count_types(sources: Grouped, type_of: Any) -> Any:
    """Return how many types of source each claim has. Sources are numbered by type: those of one stand together."""
    if available():
        found = np.empty(len(sources.starts) - 1)
        shared(loops().kinds, len(found), sources.starts, sources.others, type_of, found)
        return found
    kinds = type_of[sources.others]
    new = np.ones(len(kinds), np.int64)
    if len(kinds):
        new[1:] = kinds[1:] != kinds[:-1]
        firsts = sources.starts[:-1][sources.sizes() > 0]
        new[firsts] = 1
    before = np.concatenate(([0], np.cumsum(new)))
    return (before[sources.starts[1:]] - before[sources.starts[:-1]]).astype(np.float64)


def depths(derivations: Grouped) -> Any:
    """Return how many inferences each claim rests on; one more than the deepest for those that are too deep."""
    size = len(derivations.starts) - 1
    owners = np.repeat(np.arange(size), derivations.sizes())
    found = np.zeros(size, np.int64)
    level = np.ones(size, bool)
    for depth in range(1, DEEPEST + 2):
        deeper = np.zeros(size, bool)
        deeper[owners[level[derivations.others]]] = True
        found[deeper] = depth
        level = deeper
    return found
