"""Embedding by numpy: compared with a plain float64 reading of the same weights, and with the real model."""

import json
import math
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from tokenizers import Tokenizer, models, pre_tokenizers, processors

from howsure.reader import ReaderError, SentenceEncoder, default_embedder, embed_texts
from howsure.reader.embedder import PACKAGE
from tests.conftest import require_package
from tests.reader.tiny import WORDS

LAYERS, HEADS, WIDTH, INNER = 2, 3, 12, 20
Array = NDArray[np.float64]


def make_encoder(folder: Path) -> dict[str, Array]:
    """Write a tiny BERT with random weights; return them."""
    dice = np.random.default_rng(5)
    shapes: dict[str, tuple[int, ...]] = {
        "embeddings.word_embeddings.weight": (len(WORDS), WIDTH),
        "embeddings.position_embeddings.weight": (16, WIDTH),
        "embeddings.token_type_embeddings.weight": (2, WIDTH),
        **_norm("embeddings."),
    }
    for number in range(LAYERS):
        start = f"encoder.layer.{number}."
        for name in ("query", "key", "value"):
            shapes |= _dense(f"{start}attention.self.{name}.", WIDTH, WIDTH)
        shapes |= _dense(f"{start}attention.output.dense.", WIDTH, WIDTH) | _norm(f"{start}attention.output.")
        shapes |= _dense(f"{start}intermediate.dense.", INNER, WIDTH)
        shapes |= _dense(f"{start}output.dense.", WIDTH, INNER) | _norm(f"{start}output.")
    weights = {name: dice.normal(size=shape).astype(np.float32) for name, shape in shapes.items()}
    head, content = {"__metadata__": {"format": "pt"}}, b""
    for name, values in weights.items():
        about: Any = {"dtype": "F32", "shape": list(values.shape)}
        head[name] = about | {"data_offsets": [len(content), len(content) + values.nbytes]}
        content += values.tobytes()
    text = json.dumps(head).encode()
    text += b" " * (-len(text) % 8)
    (folder / "model.safetensors").write_bytes(struct.pack("<Q", len(text)) + text + content)
    config = {"num_hidden_layers": LAYERS, "num_attention_heads": HEADS}
    (folder / "config.json").write_text(json.dumps(config))
    tokenizer = Tokenizer(models.WordLevel(WORDS, unk_token="[UNK]"))  # noqa: S106 - a token of text
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    tokenizer.save(str(folder / "tokenizer.json"))
    return {name: values.astype(np.float64) for name, values in weights.items()}


def _dense(name: str, out: int, inside: int) -> dict[str, tuple[int, ...]]:
    return {f"{name}weight": (out, inside), f"{name}bias": (out,)}


def _norm(name: str) -> dict[str, tuple[int, ...]]:
    return {f"{name}LayerNorm.weight": (WIDTH,), f"{name}LayerNorm.bias": (WIDTH,)}


def plain_vector(weights: dict[str, Array], tokens: list[int]) -> Array:
    """Read one text as the paper says, in float64 and one head at a time."""

    def norm(rows: Array, name: str) -> Array:
        scaled = (rows - rows.mean(axis=1, keepdims=True)) / rows.std(axis=1, keepdims=True)
        result: Array = scaled * weights[f"{name}LayerNorm.weight"] + weights[f"{name}LayerNorm.bias"]
        return result

    def dense(rows: Array, name: str) -> Array:
        result: Array = rows @ weights[f"{name}weight"].T + weights[f"{name}bias"]
        return result

    start = "embeddings."
    rows = weights[f"{start}word_embeddings.weight"][tokens] + weights[f"{start}token_type_embeddings.weight"][0]
    rows = norm(rows + weights[f"{start}position_embeddings.weight"][: len(tokens)], start)
    size = WIDTH // HEADS
    for number in range(LAYERS):
        name = f"encoder.layer.{number}."
        query, key, value = (dense(rows, f"{name}attention.self.{part}.") for part in ("query", "key", "value"))
        seen = np.empty_like(rows)
        for head in range(HEADS):
            part = slice(head * size, head * size + size)
            weight = np.exp(query[:, part] @ key[:, part].T / math.sqrt(size))
            seen[:, part] = weight / weight.sum(axis=1, keepdims=True) @ value[:, part]
        rows = norm(rows + dense(seen, f"{name}attention.output.dense."), f"{name}attention.output.")
        inner = dense(rows, f"{name}intermediate.dense.")
        inner *= np.vectorize(lambda x: 0.5 * (1 + math.erf(x / math.sqrt(2))))(inner)
        rows = norm(rows + dense(inner, f"{name}output.dense."), f"{name}output.")
    mean: Array = rows.mean(axis=0)
    return mean / np.linalg.norm(mean)


def test_vectors_are_those_of_a_plain_reading(tmp_path: Path) -> None:
    weights = make_encoder(tmp_path)
    encoder = SentenceEncoder(tmp_path, name="tiny")
    texts = ["the cat sleeps", "not the cat", "cat", "", "the cat sleeps", "sleeps the cat not cat"]
    vectors = encoder.embed(texts)
    for text, vector in zip(texts, vectors, strict=True):
        tokens = [2, *(WORDS[word] for word in text.split()), 3]
        assert np.allclose(vector, plain_vector(weights, tokens), atol=2e-6), text
    assert (encoder.name, len(encoder.version)) == ("tiny", 12)


def test_missing_and_damaged_files_are_clear_errors(tmp_path: Path) -> None:
    with pytest.raises(ReaderError, match=r"there is no .*model\.safetensors"):
        SentenceEncoder(tmp_path).embed(["a"])
    make_encoder(tmp_path)
    path = tmp_path / "model.safetensors"
    whole = path.read_bytes()
    for damaged in (whole[:4000], whole[:5], b"", b"\xff" * 64, whole[:8] + b"{" * 200 + whole[208:]):
        path.write_bytes(damaged)
        with pytest.raises(ReaderError, match=r"cannot load the model in .* bytes of weights") as refused:
            SentenceEncoder(tmp_path).embed(["a"])
        assert "install" in (refused.value.hint or "")
    path.write_bytes(whole)
    (tmp_path / "config.json").unlink()
    with pytest.raises(ReaderError, match=r"there is no .*config\.json"):
        SentenceEncoder(tmp_path).embed(["a"])


def test_the_real_model_knows_what_means_the_same() -> None:
    require_package(PACKAGE)
    embedder = default_embedder()
    assert embedder is not None
    texts = [
        "Logs are rotated every day",
        "Daily log rotation",
        "The cache is shared by threads",
        "\U0001f600" * 900,
    ]
    vectors = embed_texts(embedder, texts)
    assert vectors.shape == (4, 384)
    assert vectors[0] @ vectors[1] > 0.7
    assert max(vectors[0] @ vectors[2], vectors[1] @ vectors[2]) < 0.3
    assert f"{embedder.name} {embedder.version}" == "all-MiniLM-L6-v2 53aa51172d14"
