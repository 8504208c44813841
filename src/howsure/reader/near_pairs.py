"""Choose pairs of statements that are near each other in meaning, for a reader to read."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from howsure.reader.embedder import Embedder, embed_texts

if TYPE_CHECKING:
    from howsure.reader.embedder import Vectors

MAX_EMBEDDED = 5000
"""Statements that are embedded, in 20 to 40 seconds of processor time. Of a longer list the first are."""
MIN_COSINE = 0.5
"""Cosine of pairs that are worth reading."""
NEIGHBOURS = 5
"""Neighbours of each statement that are looked at."""
_ROWS = 1024


def find_near_pairs(embedder: Embedder, statements: Sequence[str]) -> list[tuple[int, int]]:
    """Return the places of statements that are near each other, the nearest first, each pair once.

    Raises:
        ReaderError: if the embedder fails.
    """
    some = statements[:MAX_EMBEDDED]
    if len(some) < 2:  # noqa: PLR2004 - a pair
        return []
    vectors = embed_texts(embedder, some)
    near: dict[tuple[int, int], float] = {}
    for start in range(0, len(some), _ROWS):
        near |= _nearest(vectors, start)
    return sorted(near, key=lambda pair: (-near[pair], pair))


def _nearest(vectors: "Vectors", start: int) -> dict[tuple[int, int], float]:
    """Return the pairs of some statements and their nearest neighbours, with their cosines."""
    import numpy as np

    cosines = vectors[start : start + _ROWS] @ vectors.T
    places = np.arange(len(cosines))
    cosines[places, start + places] = -1.0
    count = min(NEIGHBOURS, cosines.shape[1] - 1)
    near: dict[tuple[int, int], float] = {}
    for place, others in enumerate(np.argpartition(-cosines, count - 1, axis=1)[:, :count]):
        for other in others.tolist():
            if (cosine := float(cosines[place, other])) >= MIN_COSINE:
                near[min(start + place, other), max(start + place, other)] = cosine
    return near
