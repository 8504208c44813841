"""Embed texts with a BERT of sentence-transformers, such as all-MiniLM-L6-v2, by numpy alone.

The weights are read from `model.safetensors`, so neither torch nor an ONNX file is needed.
"""

import json
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from howsure.errors import MissingExtraError
from howsure.files import sha256
from howsure.reader.guarded_call import ReaderError

if TYPE_CHECKING:
    from howsure.reader.embedder import Vectors

MAX_TOKENS = 256
"""Tokens of a text that are read; the model was trained on 128."""
BATCH = 128
"""Texts in one run. They have the same number of tokens, so that nothing is padded."""
_TYPES = {"F32": "<f4", "F16": "<f2", "I64": "<i8"}
"""Types of tensors that are read."""


class _Layer(NamedTuple):
    """The weights of one layer; matrices are transposed, and those of query, key and value side by side."""

    attention: Any
    attention_bias: Any
    attended: Any
    attended_bias: Any
    attended_norm: tuple[Any, Any]
    inner: Any
    inner_bias: Any
    output: Any
    output_bias: Any
    output_norm: tuple[Any, Any]


class _LoadedModel(NamedTuple):
    """A model in memory."""

    words: Any
    positions: Any
    """Vectors of the positions, with that of the first kind of token added."""
    norm: tuple[Any, Any]
    layers: list[_Layer]
    heads: int
    tokenizer: Any
    version: str


class SentenceEncoder:
    """Embeds texts with a BERT: the mean of the last layer over all tokens, with a length of 1."""

    def __init__(self, folder: Path, *, name: str = "") -> None:
        """Use a folder with `model.safetensors`, `config.json` and `tokenizer.json`; it is read at the first use.

        Args:
            folder: The folder.
            name: Name of the embedder; default: the name of the folder.
        """
        self._folder = folder
        self._name = name or folder.name
        self._lock = threading.Lock()
        self._loaded: _LoadedModel | None = None

    @property
    def name(self) -> str:
        """The name of the embedder."""
        return self._name

    @property
    def version(self) -> str:
        """The digest of the weights."""
        return self._load().version

    def embed(self, texts: Sequence[str]) -> "Vectors":
        """Return one vector for each text.

        Raises:
            ReaderError: if the model cannot be loaded.
        """
        import numpy as np

        model = self._load()
        tokens = [one.ids for one in model.tokenizer.encode_batch(list(texts))]
        vectors: Vectors = np.empty((len(texts), model.words.shape[1]), dtype=np.float32)
        for places in _batches(tokens):
            vectors[places] = _run(model, np.array([tokens[place] for place in places]))
        return vectors

    def _load(self) -> _LoadedModel:
        with self._lock:
            if self._loaded is None:
                self._loaded = _read_model(self._folder)
            return self._loaded


def _batches(tokens: Sequence[Sequence[int]]) -> Iterator[list[int]]:
    """Yield the places of texts with the same number of tokens, a batch at a time."""
    by_length: dict[int, list[int]] = {}
    for place, ids in enumerate(tokens):
        by_length.setdefault(len(ids), []).append(place)
    for places in by_length.values():
        for start in range(0, len(places), BATCH):
            yield places[start : start + BATCH]


def _read_model(folder: Path) -> _LoadedModel:
    try:
        import numpy as np
        import tokenizers
    except ImportError:
        raise MissingExtraError("meaning", "embedding texts") from None
    path = folder / "model.safetensors"
    try:
        tensors, version = _read_tensors(path)
        config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
        tokenizer = tokenizers.Tokenizer.from_file(str(folder / "tokenizer.json"))
        tokenizer.no_padding()
        tokenizer.enable_truncation(MAX_TOKENS)
        layers = [_layer(tensors, f"encoder.layer.{number}.") for number in range(config["num_hidden_layers"])]
        start = "embeddings."
        kinds = tensors[f"{start}token_type_embeddings.weight"]
        return _LoadedModel(
            words=tensors[f"{start}word_embeddings.weight"],
            positions=(tensors[f"{start}position_embeddings.weight"] + kinds[0]).astype(np.float32),
            norm=(tensors[f"{start}LayerNorm.weight"], tensors[f"{start}LayerNorm.bias"]),
            layers=layers,
            heads=int(config["num_attention_heads"]),
            tokenizer=tokenizer,
            version=version,
        )
    except FileNotFoundError as error:
        raise ReaderError(f"there is no {error.filename}", hint="install the model again") from None
    except Exception as error:  # noqa: BLE001 - the packages raise many kinds
        size = path.stat().st_size if path.exists() else 0
        raise ReaderError(
            f"cannot load the model in {folder} ({size:,} bytes of weights): {type(error).__name__}: {error!s:.200}",
            hint="a file is damaged or incomplete: install the model again",
        ) from None


def _read_tensors(path: Path) -> tuple[dict[str, Any], str]:
    """Return the tensors of a safetensors file by name, and a digest of the file.

    The file has the length of its head in 8 bytes, the head as JSON, and the numbers. They stay on the disk until used.
    """
    import numpy as np

    content = np.memmap(path, dtype=np.uint8, mode="r")
    size = int.from_bytes(content[:8].tobytes(), "little")
    start = 8 + size
    if start > len(content):
        raise ValueError("the file is too short")
    head = json.loads(content[8:start].tobytes())
    tensors = {}
    for name, about in head.items():
        if name != "__metadata__" and about["dtype"] in _TYPES:
            begin, end = about["data_offsets"]
            raw = content[start + begin : start + end].view(_TYPES[about["dtype"]])
            tensors[name] = raw.reshape(about["shape"])
    return tensors, sha256(content.data).hexdigest()[:12]


def _layer(tensors: dict[str, Any], start: str) -> _Layer:
    import numpy as np

    def one(name: str) -> Any:
        return np.ascontiguousarray(tensors[f"{start}{name}"].T, dtype=np.float32)

    own = [f"attention.self.{name}" for name in ("query", "key", "value")]
    return _Layer(
        attention=np.concatenate([one(f"{name}.weight") for name in own], axis=1),
        attention_bias=np.concatenate([one(f"{name}.bias") for name in own]),
        attended=one("attention.output.dense.weight"),
        attended_bias=one("attention.output.dense.bias"),
        attended_norm=(one("attention.output.LayerNorm.weight"), one("attention.output.LayerNorm.bias")),
        inner=one("intermediate.dense.weight"),
        inner_bias=one("intermediate.dense.bias"),
        output=one("output.dense.weight"),
        output_bias=one("output.dense.bias"),
        output_norm=(one("output.LayerNorm.weight"), one("output.LayerNorm.bias")),
    )


def _run(model: _LoadedModel, tokens: Any) -> Any:
    """Return the vectors of texts with the same number of tokens."""
    import numpy as np

    texts, length = tokens.shape
    width, heads = model.words.shape[1], model.heads
    states = model.words[tokens].astype(np.float32, copy=False) + model.positions[:length]
    states = _normalise(states.reshape(texts * length, width), model.norm)
    scale = np.float32((width // heads) ** -0.5)
    for layer in model.layers:
        parts = states @ layer.attention + layer.attention_bias
        query, key, value = parts.reshape(texts, length, 3, heads, -1).transpose(2, 0, 3, 1, 4)
        weights = query @ key.transpose(0, 1, 3, 2) * scale
        weights -= weights.max(axis=-1, keepdims=True)
        np.exp(weights, out=weights)
        weights /= weights.sum(axis=-1, keepdims=True)
        seen = (weights @ value).transpose(0, 2, 1, 3).reshape(texts * length, width)
        states = _normalise(states + seen @ layer.attended + layer.attended_bias, layer.attended_norm)
        inner = _gelu(states @ layer.inner + layer.inner_bias)
        states = _normalise(states + inner @ layer.output + layer.output_bias, layer.output_norm)
    vectors = states.reshape(texts, length, width).mean(axis=1)
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def _normalise(rows: Any, norm: tuple[Any, Any]) -> Any:
    """Give each row a mean of 0 and a variance of 1, then scale and shift it."""
    import numpy as np

    rows -= rows.mean(axis=1, keepdims=True)
    rows /= np.sqrt(np.einsum("ij,ij->i", rows, rows)[:, None] / rows.shape[1] + np.float32(1e-12))
    rows *= norm[0]
    rows += norm[1]
    return rows


def _gelu(values: Any) -> Any:
    """Return x times the normal distribution function of x.

    numpy has no error function; this is formula 7.1.26 of Abramowitz and Stegun, whose error is below 1.5e-7.
    """
    import numpy as np

    size = np.abs(values)
    size *= np.float32(2**-0.5)
    inverse = 1 / (1 + np.float32(0.3275911) * size)
    series = np.full_like(inverse, 1.061405429)
    for term in (-1.453152027, 1.421413741, -0.284496736, 0.254829592):
        series *= inverse
        series += np.float32(term)
    series *= inverse
    size *= size
    np.exp(-size, out=size)
    series *= size
    values *= 0.5 + np.copysign(np.float32(0.5) - np.float32(0.5) * series, values)
    return values
