"""Pairs of statements that are near in meaning, against a comparison of all with all."""

import numpy as np
import pytest

from howsure.reader import embed_texts, near_pairs
from howsure.reader.near_pairs import MIN_COSINE, NEIGHBOURS, find_near_pairs
from tests.reader.word_embedder import WordEmbedder


def test_the_nearest_of_each_are_paired_once_the_nearest_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(near_pairs, "_ROWS", 7)
    words = ["cache", "cold", "warm", "blue", "sky", "lock", "held", "port"]
    dice = np.random.default_rng(2)
    texts = [" ".join(dice.choice(words, 4)) for _ in range(40)]
    vectors = embed_texts(WordEmbedder(), texts)
    cosines = vectors @ vectors.T
    np.fill_diagonal(cosines, -1)
    expected = set()
    for place, row in enumerate(cosines):
        for other in np.argsort(-row)[:NEIGHBOURS]:
            if row[other] >= MIN_COSINE:
                expected.add((min(place, int(other)), max(place, int(other))))
    found = find_near_pairs(WordEmbedder(), texts)
    assert len(found) == len(set(found))
    assert len(set(found) ^ expected) <= 8  # statements of the same words are equally near
    order = [float(cosines[pair]) for pair in found]
    assert np.allclose(order, sorted(order, reverse=True), atol=1e-5)


def test_fewer_than_two_statements_have_no_pairs_and_long_lists_are_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    embedder = WordEmbedder()
    assert find_near_pairs(embedder, []) == find_near_pairs(embedder, ["one"]) == []
    monkeypatch.setattr(near_pairs, "MAX_EMBEDDED", 2)
    assert find_near_pairs(embedder, ["a b", "a b", "a b"]) == [(0, 1)]
    assert embedder.texts == 2
