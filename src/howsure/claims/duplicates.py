"""Find pairs of claims in one namespace that say the same in other words."""

from collections import Counter
from typing import NamedTuple

from howsure.claims.meaning import Meaning
from howsure.reader.choose import default_reader
from howsure.reader.same_claim import SURE, judge_same
from howsure.store.claim_tables import vectors as table
from howsure.store.claim_tables.relations import related_pairs

NEWEST = 1000
"""Claims that are compared with all others, the newest first: older ones were new once."""
MIN_COSINE = 0.5
"""Cosine of pairs that are read. Of 175 technical paraphrases 3 are below it."""
MAX_READ = 200
"""Pairs that are read, the nearest first: they take about four seconds of processor time."""
_NEAR = 4
"""Neighbours of each claim that are looked at."""


class ClaimText(NamedTuple):
    """A claim as far as it is listed."""

    id: str
    statement: str


class Duplicate(NamedTuple):
    """Two claims that look like one."""

    newer: ClaimText
    older: ClaimText
    probability: float


def find_duplicates(meaning: Meaning) -> list[Duplicate]:
    """Return pairs of claims in use that are one with a probability of at least 0.82, the surest first.

    Pairs that are related already are left out: somebody has looked at them.

    Raises:
        ReaderError: if the embedder or the reader fails.
    """
    import numpy as np

    near: dict[tuple[int, int], float] = {}
    with meaning.session.database.read() as transaction:
        newest = table.read_newest(transaction, meaning.label, NEWEST)
        if not newest:
            return []
        vectors = np.frombuffer(b"".join(row.vector for row in newest), dtype="<f2").reshape(len(newest), -1)
        found = meaning.nearest.search_each(
            transaction, vectors.astype(np.float32), [row.namespace for row in newest], _NEAR
        )
        for row, others in zip(newest, found, strict=True):
            for other in others:
                if other.claim != row.claim and other.cosine >= MIN_COSINE:
                    near[max(row.claim, other.claim), min(row.claim, other.claim)] = other.cosine
        known = related_pairs(transaction, [key for keys in near for key in keys])
        chosen = [keys for keys in near if keys not in known and keys[::-1] not in known]
        chosen = sorted(chosen, key=lambda keys: (-near[keys], keys))[:MAX_READ]
        keys = sorted({key for pair in chosen for key in pair})
        claims = {row[0]: ClaimText(row[1], row[2]) for row in table.read_statements(transaction, keys)}
    pairs = [(newer, older) for newer, older in chosen if newer in claims and older in claims]
    texts = [(claims[newer].statement, claims[older].statement) for newer, older in pairs]
    counts = Counter(key for keys in near for key in keys)
    many = [max(counts[newer], counts[older]) for newer, older in pairs]
    judged = judge_same(default_reader(), texts, [near[pair] for pair in pairs], many)
    same = [
        Duplicate(claims[newer], claims[older], one.same)
        for (newer, older), one in zip(pairs, judged, strict=True)
        if one.same >= SURE
    ]
    return sorted(same, key=lambda one: -one.probability)
