"""An embedder for tests: a text is the sum of the vectors of its words, and some words mean the same."""

from collections.abc import Sequence
from hashlib import sha256

import numpy as np
from numpy.typing import NDArray

MEANINGS = {"twice": "idempotent", "paying": "payments", "charges": "are", "once": "idempotent", "threads": "thread"}
WIDTH = 72
"""Not a multiple of 64, as the signs are."""


class WordEmbedder:
    """Embeds texts by their words."""

    def __init__(self, version: str = "1") -> None:
        self.name = "words-for-tests"
        self.version = version
        self.texts = 0

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        self.texts += len(texts)
        return np.array([sum((_vector(word) for word in text.lower().split()), np.zeros(WIDTH)) for text in texts])


def _vector(word: str) -> NDArray[np.float64]:
    seed = int.from_bytes(sha256(MEANINGS.get(word, word).encode()).digest()[:4], "little")
    return np.random.default_rng(seed).normal(size=WIDTH)
