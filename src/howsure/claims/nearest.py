"""Find the claims whose vectors are nearest to another.

Up to 100,000 vectors are kept in memory and compared exactly. Beyond that candidates are found first, and these are
read from the store and compared exactly: by an index in PostgreSQL if the store has one
(`store/claim_tables/vector_index.py`), else by the signs of the numbers, which take 48 bytes in memory for a claim
instead of 768.
"""

import threading
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from howsure.store.backends.database import Transaction
from howsure.store.claim_tables import vectors as table
from howsure.store.claim_tables.namespace_patterns import namespace_test
from howsure.store.claim_tables.vector_index import is_indexed, search_index

if TYPE_CHECKING:
    from howsure.reader.embedder import Vectors

EXACT = 100_000
"""Vectors that are kept in memory and compared one by one: 77 MB, 0.08 s of processor time for a search."""
RERANKED, _RERANKED_FACTOR = 2000, 4
"""Claims that are compared exactly after a search by signs: at least so many, and so many times as are asked for. Among
150,000 all of the 10 nearest are found then, and 90 % of the 2,048 nearest in 0.10 s; with a factor of 1 it is 60 % in
0.04 s, with 8 97 % in 0.17 s."""
_MORE, _FACTOR = 64, 2
"""Claims that are compared exactly after a search by an index: this many more than are asked for, or as many times."""
_BLOCK = 8192
"""Vectors in one block: converted to float32, it fits into the cache of a processor."""


class Nearest(NamedTuple):
    """A claim near a vector."""

    claim: int
    """Row key of the claim."""
    cosine: float


class _Block:
    """Some vectors in the order in which they were added."""

    def __init__(self, width: int) -> None:
        import numpy as np

        self.size = 0
        self.claims = np.empty(_BLOCK, dtype=np.int64)
        self.namespaces = np.empty(_BLOCK, dtype=np.int32)
        self.signs = np.zeros((_BLOCK, -(-width // 64)), dtype=np.uint64)
        self.vectors: Any = np.empty((_BLOCK, width), dtype=np.float16)


class NearestClaims:
    """The vectors of the claims of one store by one embedder. Threads may share it."""

    def __init__(self, embedder: str, exact: int = EXACT) -> None:
        """Start without vectors; each search reads those that were added since.

        Args:
            embedder: Name and version of the embedder.
            exact: Vectors up to which all are compared exactly.
        """
        self._embedder, self._exact = embedder, exact
        self._lock = threading.Lock()
        self._clear()

    def _clear(self) -> None:
        self._blocks: list[_Block] = []
        self._namespaces: dict[str, int] = {}
        self._last = self._size = 0
        self._bytes = 0  # of one vector; 0 before the first
        self._is_counted = False  # True if vectors were counted and not read, since there is an index

    def count(self, transaction: Transaction) -> int:
        """Return how many vectors a search has looked at."""
        with self._lock:
            if is_indexed(transaction, self._embedder):
                if not self._is_counted:
                    self._clear()
                    self._is_counted = True
                more, self._last = table.count_since(transaction, self._embedder, self._last)
                self._size += more
            else:
                self._read(transaction)
            return self._size

    def search(
        self, transaction: Transaction, vector: "Vectors", limit: int, namespace: str | None = None
    ) -> list[Nearest]:
        """Return the claims nearest to a vector, the nearest first. Some may have been forgotten since they were read.

        Args:
            transaction: A read transaction.
            vector: A vector of length 1.
            limit: How many at most.
            namespace: Pattern of the namespaces whose claims are wanted; default: all.
        """
        most = max(limit + _MORE, min(_FACTOR * limit, RERANKED))
        candidates = search_index(transaction, self._embedder, vector.tolist(), most, namespace)
        if candidates is not None:
            return _compare(transaction, self._embedder, candidates, vector)[:limit]
        with self._lock:
            self._read(transaction)
            if not self._size:
                return []
            wanted = None if namespace is None else namespace_test(namespace)
            codes = None if wanted is None else [code for name, code in self._namespaces.items() if wanted(name)]
            if self._blocks[0].vectors is not None:
                return self._best(limit, codes, lambda block: _cosines(block, vector))
            signs = _signs(vector[None])[0]
            near = self._best(max(_RERANKED_FACTOR * limit, RERANKED), codes, lambda block: _agreement(block, signs))
        return _compare(transaction, self._embedder, [one.claim for one in near], vector)[:limit]

    def search_each(
        self, transaction: Transaction, vectors: "Vectors", namespaces: Sequence[str], limit: int
    ) -> list[list[Nearest]]:
        """Return for each vector the nearest claims of its namespace, the nearest first.

        It takes far less time than as many searches, as long as all vectors are in memory.
        """
        import numpy as np

        if is_indexed(transaction, self._embedder):
            return self._search_singly(transaction, vectors, namespaces, limit)
        with self._lock:
            self._read(transaction)
            if not self._blocks:
                return [[] for _ in namespaces]
            if self._blocks[0].vectors is not None:
                codes = np.array([self._namespaces.get(name, -1) for name in namespaces])
                found: list[list[Nearest]] = [[] for _ in namespaces]
                for block in self._blocks:
                    scores = block.vectors[: block.size].astype(np.float32) @ vectors.T
                    scores[block.namespaces[: block.size, None] != codes[None]] = -2.0
                    top = np.argpartition(-scores, min(limit, block.size) - 1, axis=0)[:limit]
                    for place, rows in enumerate(top.T):
                        some = [Nearest(int(block.claims[row]), float(scores[row, place])) for row in rows]
                        best = [*found[place], *(one for one in some if one.cosine >= -1.0)]
                        found[place] = sorted(best, key=lambda one: (-one.cosine, one.claim))[:limit]
                return found
        return self._search_singly(transaction, vectors, namespaces, limit)

    def _search_singly(
        self, transaction: Transaction, vectors: "Vectors", namespaces: Sequence[str], limit: int
    ) -> list[list[Nearest]]:
        pairs = zip(vectors, namespaces, strict=True)
        return [self.search(transaction, vector, limit, name) for vector, name in pairs]

    def _best(self, limit: int, codes: list[int] | None, score: Callable[[_Block], Any]) -> list[Nearest]:
        """Return the claims with the highest scores, among some namespaces."""
        import numpy as np

        scores = np.concatenate([score(block) for block in self._blocks])
        claims = np.concatenate([block.claims[: block.size] for block in self._blocks])
        if codes is not None:
            spaces = np.concatenate([block.namespaces[: block.size] for block in self._blocks])
            inside = np.isin(spaces, codes)
            scores, claims = scores[inside], claims[inside]
        if len(scores) > limit:
            places = np.argpartition(-scores, limit - 1)[:limit]
            scores, claims = scores[places], claims[places]
        order = np.lexsort((claims, -scores))
        return [Nearest(int(claims[place]), float(scores[place])) for place in order]

    def _read(self, transaction: Transaction) -> None:
        """Read the vectors that were inserted since the last search."""
        import numpy as np

        if self._is_counted:  # the index was dropped
            self._clear()
        rows: list[table.VectorRow] = []
        for row in table.read_since(transaction, self._embedder, self._last):
            self._bytes = self._bytes or len(row.vector)
            if len(row.vector) == self._bytes:  # a damaged one is left out; `howsure store check` reports it
                rows.append(row)
            self._last = row.key
            if len(rows) == _BLOCK:
                self._append(rows, np)
                rows = []
        if rows:
            self._append(rows, np)
        if self._size > self._exact:
            for block in self._blocks:
                block.vectors = None

    def _append(self, rows: list[table.VectorRow], np: Any) -> None:
        vectors = np.frombuffer(b"".join(row.vector for row in rows), dtype="<f2").reshape(len(rows), -1)
        start = 0
        while start < len(rows):
            if not self._blocks or self._blocks[-1].size == _BLOCK:
                self._blocks.append(_Block(vectors.shape[1]))
            block = self._blocks[-1]
            some = rows[start : start + _BLOCK - block.size]
            place = slice(block.size, block.size + len(some))
            block.claims[place] = [row.claim for row in some]
            block.namespaces[place] = [self._namespaces.setdefault(r.namespace, len(self._namespaces)) for r in some]
            block.signs[place] = _signs(vectors[start : start + len(some)])
            if block.vectors is not None:
                block.vectors[place] = vectors[start : start + len(some)]
            block.size += len(some)
            start += len(some)
        self._size += len(rows)


def _cosines(block: _Block, vector: Any) -> Any:
    import numpy as np

    return block.vectors[: block.size].astype(np.float32) @ vector


def _signs(vectors: Any) -> Any:
    """Return one bit for each number, 64 in a word."""
    import numpy as np

    bits = np.packbits(vectors > 0, axis=1)
    padded = np.zeros((len(bits), -(-bits.shape[1] // 8) * 8), dtype=np.uint8)
    padded[:, : bits.shape[1]] = bits
    return padded.view(np.uint64)


def _agreement(block: _Block, signs: Any) -> Any:
    """Return minus the number of signs that differ."""
    import numpy as np

    different = block.signs[: block.size] ^ signs
    if hasattr(np, "bitwise_count"):  # since numpy 2
        return -np.bitwise_count(different).sum(axis=1, dtype=np.int32)
    return -np.unpackbits(different.view(np.uint8), axis=1).sum(axis=1, dtype=np.int32)


def _compare(transaction: Transaction, embedder: str, claims: Iterable[int], vector: Any) -> list[Nearest]:
    """Return claims with the cosine of their stored vectors, the nearest first."""
    import numpy as np

    stored = table.get(transaction, embedder, list(claims))
    if not stored:
        return []
    rows = np.frombuffer(b"".join(stored.values()), dtype="<f2").reshape(len(stored), -1).astype(np.float32)
    near = [Nearest(claim, float(cosine)) for claim, cosine in zip(stored, rows @ vector, strict=True)]
    return sorted(near, key=lambda one: (-one.cosine, one.claim))
