"""Read pairs with a cross-encoder: an ONNX model with its tokenizer, or a model of Hugging Face."""

import json
import os
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

from howsure.errors import HowsureError, MissingExtraError
from howsure.files import sha256
from howsure.reader.guarded_call import SECONDS, ReaderError
from howsure.reader.labels import LabelOrder, labels_in, order_of
from howsure.reader.pair import PairProbabilities, TextPair

MAX_TOKENS = 256
"""Tokens of both texts together that a model reads; the longer text is cut."""
GROUP = 32
"""Pairs that are read before the time is looked at."""

Logits = Callable[[Sequence[TextPair]], Sequence[Sequence[float]]]


class _LoadedModel(NamedTuple):
    """A model in memory."""

    logits: Logits
    order: LabelOrder
    version: str


class CrossEncoderReader:
    """Reads pairs with a cross-encoder: natural language inference, or support by a context.

    The model is loaded when it is first used. The order of its labels is read from its configuration; a model with one
    output (HHEM) or two (MiniCheck) gives the probability of entailment, and everything else counts as neutral.
    """

    seconds: float
    """Seconds after which a call is given up; if it is not set, that of every reader."""

    def __init__(
        self,
        model: str | Path,
        *,
        name: str = "",
        labels: Sequence[str] = (),
        max_tokens: int = MAX_TOKENS,
        threads: int = 0,
        both_orders: bool = False,
        seconds: float | None = None,
    ) -> None:
        """Set the model and how to run it.

        Args:
            model: A folder with `model.onnx`, `tokenizer.json` and `config.json`, an `.onnx` file beside these, a
                folder with a Hugging Face model, or the name of one (these two need sentence-transformers).
            name: Name of the reader in results; default: the name of the model.
            labels: Meaning of the outputs, if the configuration does not say it.
            max_tokens: Tokens of both texts together; the longer text is cut.
            threads: Pairs that are read at the same time; 0: as many as there are cores.
            both_orders: Read each pair in both orders and average the contradiction. This takes twice the time.
            seconds: Raise ReaderError if a call takes longer; checked after each 32 pairs.
        """
        self._model = str(model)
        self._name, self._labels = name, list(labels)
        self._max_tokens, self._threads = max_tokens, threads or os.cpu_count() or 1
        self._both_orders, self._seconds = both_orders, seconds
        if seconds is not None:  # it stops between groups; loading and a pair that hangs have another minute
            self.seconds = max(seconds, 0.0) + SECONDS
        self._lock = threading.Lock()
        self._loaded: _LoadedModel | None = None

    @property
    def name(self) -> str:
        """The name of the reader."""
        return self._name or Path(self._model).name

    @property
    def version(self) -> str:
        """The digest of the model's file, or the revision of a Hugging Face model."""
        return self._load().version

    def read(self, pairs: Sequence[TextPair]) -> list[PairProbabilities]:
        """Return one result for each pair.

        Raises:
            ReaderError: if the model cannot be loaded or run, or takes too long.
        """
        turned = [TextPair(second, first) for first, second in pairs] if self._both_orders else []
        shares = self._probabilities([*pairs, *turned])
        results = []
        for place in range(len(pairs)):
            entailment, neutral, contradiction = shares[place]
            if turned:
                mean = (contradiction + shares[place + len(pairs)][2]) / 2
                rest = entailment + neutral
                entailment = entailment / rest * (1 - mean) if rest else 0.0
                contradiction, neutral = mean, 1 - mean - entailment
            version = self.version
            results.append(PairProbabilities(contradiction, entailment, max(neutral, 0.0), self.name, version))
        return results

    def _probabilities(self, pairs: Sequence[TextPair]) -> list[tuple[float, float, float]]:
        loaded, start = self._load(), time.monotonic()
        shares: list[tuple[float, float, float]] = []
        for begin in range(0, len(pairs), GROUP):
            if self._seconds is not None and time.monotonic() - start > self._seconds:
                raise ReaderError(
                    f"the reader {self.name} read {begin} of {len(pairs)} pairs in {self._seconds:g} seconds"
                )
            group = pairs[begin : begin + GROUP]
            rows = loaded.logits(group)
            if len(rows) != len(group):
                raise ReaderError(f"the model of {self.name} returned {len(rows)} rows for {len(group)} pairs")
            shares += map(loaded.order.probabilities, rows)
        return shares

    def _load(self) -> _LoadedModel:
        with self._lock:
            if self._loaded is None:
                path = find_onnx(Path(self._model))
                self._loaded = self._load_onnx(path) if path else self._load_hugging_face()
            return self._loaded

    def _load_onnx(self, path: Path) -> _LoadedModel:
        np, ort, tokenizers = _onnx_packages()
        folder = path.parent.parent if path.parent.name == "onnx" else path.parent
        config = _read_config(folder / "config.json") if not self._labels else {}
        options = ort.SessionOptions()
        options.intra_op_num_threads = 1
        options.log_severity_level = 4
        try:
            session = ort.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
        except Exception as error:  # noqa: BLE001 - the packages raise many kinds
            raise _damaged(path, error) from None
        place = folder / "tokenizer.json"
        if not place.exists():
            raise ReaderError(f"there is no {place}", hint="it belongs to the model and is downloaded with it")
        try:
            tokenizer = tokenizers.Tokenizer.from_file(str(place))
        except Exception as error:  # noqa: BLE001 - the packages raise many kinds
            raise _damaged(place, error) from None
        tokenizer.enable_truncation(self._max_tokens)
        tokenizer.no_padding()
        inputs = {one.name for one in session.get_inputs()}

        def read_one(pair: TextPair) -> Sequence[float]:
            encoded = tokenizer.encode(*pair)
            row = {
                "input_ids": encoded.ids,
                "attention_mask": encoded.attention_mask,
                "token_type_ids": encoded.type_ids,
            }
            feed = {name: np.array([column], dtype=np.int64) for name, column in row.items() if name in inputs}
            outputs: Sequence[float] = np.asarray(session.run(None, feed)[0], dtype=np.float64).reshape(-1).tolist()
            return outputs

        # Each pair has a run of its own: a quantised model scales its numbers by the largest one of the run, so that in
        # a batch the probability of a pair moved by up to .36 with its neighbours. One run on each core reads as many
        # pairs a second as batches of 32 do.
        def logits(pairs: Sequence[TextPair]) -> Sequence[Sequence[float]]:
            with ThreadPoolExecutor(min(self._threads, len(pairs))) as pool:
                return list(pool.map(read_one, pairs))

        labels = self._labels or labels_in(config)
        return _LoadedModel(logits, order_of(labels), sha256(path.read_bytes()).hexdigest()[:12])

    def _load_hugging_face(self) -> _LoadedModel:
        place = Path(self._model)
        if (place.is_absolute() or self._model.startswith(".")) and not (place / "config.json").exists():
            raise ReaderError(
                f"there is no model in {place}",
                hint="a folder with model.onnx and tokenizer.json, or a Hugging Face model",
            )
        try:
            from sentence_transformers import CrossEncoder
        except ImportError:
            raise ReaderError(
                f"the model {self._model} is not in ONNX form, so it needs the package sentence-transformers",
                hint="pip install sentence-transformers, or pass a folder with model.onnx and tokenizer.json",
            ) from None
        try:
            encoder: Any = CrossEncoder(self._model, max_length=self._max_tokens)
        except Exception as error:  # noqa: BLE001 - the packages raise many kinds
            raise ReaderError(
                f"cannot load the model {self._model}: {type(error).__name__}: {str(error)[:200]}",
                hint="check its name, the network and the disk",
            ) from None
        config = encoder.config.to_dict()

        def logits(pairs: Sequence[TextPair]) -> Sequence[Sequence[float]]:
            raw = encoder.predict([tuple(pair) for pair in pairs], activation_fn=lambda one: one, convert_to_numpy=True)
            rows: Sequence[Sequence[float]] = raw.reshape(len(pairs), -1).astype(float).tolist()
            return rows

        labels = self._labels or labels_in(config)
        return _LoadedModel(logits, order_of(labels), str(config.get("_commit_hash") or encoder.config.name_or_path))


def find_onnx(model: Path) -> Path | None:
    """Return the ONNX file of a model: itself, or in its folder; None if there is none."""
    if model.suffix == ".onnx":
        if not model.is_file():
            raise ReaderError(f"there is no file {model}", hint="check the path, or install the model again")
        return model
    return next((path for path in (model / "model.onnx", model / "onnx" / "model.onnx") if path.is_file()), None)


def _onnx_packages() -> tuple[Any, Any, Any]:
    try:
        import numpy as np
        import onnxruntime as ort
        import tokenizers
    except ImportError:
        raise MissingExtraError("reader", "reading pairs with an ONNX model") from None
    return np, ort, tokenizers


def _read_config(path: Path) -> dict[str, Any]:
    try:
        config = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise ReaderError(f"there is no {path}", hint="pass the meaning of the outputs as labels=[...]") from None
    except (OSError, ValueError) as error:
        raise _damaged(path, error) from None
    if not isinstance(config, dict):
        raise ReaderError(f"{path} is not a configuration of a model")
    return config


def _damaged(path: Path, error: Exception) -> HowsureError:
    size = path.stat().st_size if path.exists() else 0
    return ReaderError(
        f"cannot load {path} ({size:,} bytes): {type(error).__name__}",
        hint="the file is damaged or incomplete: download or install it again",
    )
