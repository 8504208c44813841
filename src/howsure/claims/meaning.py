"""Compare and find claims by meaning: keep their vectors, and search by them."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from howsure.chunks import in_chunks
from howsure.claims.claim import claim_from_row
from howsure.claims.find import ClaimPage
from howsure.claims.nearest import NearestClaims
from howsure.errors import HowsureError, InputError, StoreError
from howsure.graph.sql import ReadOptions
from howsure.progress import Progress, silent
from howsure.store.backends.database import Transaction
from howsure.store.claim_tables import vectors as table
from howsure.store.claim_tables.claim_sums import count_in_use
from howsure.store.claim_tables.selection import Selection, select
from howsure.store.claim_tables.vector_index import build_index, describe_search
from howsure.store.session import Session

if TYPE_CHECKING:
    from howsure.reader.embedder import Embedder, Vectors

MIN_COSINE = 0.3
"""Cosine from which a claim is read as a possible paraphrase. Of 175 technical paraphrases none is below it."""
MAX_NEIGHBOURS = 8
"""Claims that are read with a new one: 16 pairs take about 0.15 s of processor time."""
MAX_FOUND = 2048
"""Claims nearest to a text that the other conditions of a search choose from."""
_SPARE = 8
"""Claims that are looked up besides, since some may be forgotten."""
_AMONG = 512
"""Row keys in one selection, and claims that are searched first: mostly they are enough."""
BATCH = 512
"""Claims in one transaction of `embed_missing`, so that other writers wait for a moment only."""


@dataclass(frozen=True)
class EmbedReport:
    """How many vectors of claims were made."""

    embedder: str
    """Name and version of the embedder."""
    embedded: int
    """Claims that got a vector."""
    deleted: int = 0
    """Vectors of other embedders that were deleted."""
    search: str = ""
    """How claims are found by meaning now."""


class Neighbour(NamedTuple):
    """A claim that is near another one in meaning."""

    key: int
    id: str
    statement: str
    cosine: float


class Meaning:
    """The vectors of the claims of one store. Nothing is loaded before it is used."""

    def __init__(self, session: Session, embedder: "Embedder | None" = None) -> None:
        """Use an open store.

        Args:
            session: The open store.
            embedder: The embedder; default: the one that is installed.
        """
        self.session = session
        self._given = embedder

    @cached_property
    def embedder(self) -> "Embedder":
        """The embedder; raises MissingExtraError if none is installed."""
        from howsure.reader.embedder import require_embedder

        return self._given or require_embedder()

    @cached_property
    def label(self) -> str:
        """Name and version of the embedder."""
        from howsure.reader.embedder import label_of

        return label_of(self.embedder)

    @cached_property
    def nearest(self) -> NearestClaims:
        """The search among the vectors."""
        return NearestClaims(self.label)

    def embed(self, texts: Sequence[str]) -> "Vectors":
        """Return the vectors of texts."""
        from howsure.reader.embedder import embed_texts

        return embed_texts(self.embedder, texts)

    def keep(self, transaction: Transaction, keys: Sequence[int], vectors: "Vectors") -> None:
        """Store the vectors of claims, given by row key."""
        rows = [(key, vector.astype("<f2").tobytes()) for key, vector in zip(keys, vectors, strict=True)]
        table.insert(transaction, self.label, rows)

    def neighbours(self, transaction: Transaction, vector: "Vectors", namespace: str, but: int) -> list[Neighbour]:
        """Return the claims of a namespace that are near a vector, but one, the nearest first."""
        found = self.nearest.search(transaction, vector, MAX_NEIGHBOURS + _SPARE, namespace)
        near = {one.claim: one.cosine for one in found if one.claim != but and one.cosine >= MIN_COSINE}
        rows = table.read_statements(transaction, list(near))
        known = [Neighbour(key, id_, statement, near[key]) for key, id_, statement in rows]
        return sorted(known, key=lambda one: -one.cosine)[:MAX_NEIGHBOURS]

    def find(self, selection: Selection, options: ReadOptions, limit: int | None) -> ClaimPage:
        """Return the claims nearest in meaning to the text of a selection, of those that its other conditions choose.

        Raises:
            InputError: if there is no text.
            MissingExtraError: if no embedder is installed.
            ReaderError: if it fails.
        """
        if not (selection.text or "").strip():
            raise InputError("a search by meaning needs a text", field="text")
        vector = self.embed([selection.text or ""])[0]
        rest = replace(selection, text=None)
        limit = MAX_FOUND if limit is None else limit
        with self.session.database.read() as transaction:
            rows: list[Any] = []
            cosines: dict[int, float] = {}
            for most in (_AMONG, MAX_FOUND) if limit <= _AMONG else (max(limit, MAX_FOUND),):
                found = self.nearest.search(transaction, vector, most, selection.namespace)
                keys = [one.claim for one in found if one.claim not in cosines]
                cosines |= {one.claim: one.cosine for one in found}
                for some in in_chunks(keys, _AMONG):
                    rows += select(transaction, options, rest, among=some)
                    if len(rows) >= limit:
                        break
                if len(rows) >= limit or len(found) < most:
                    break
            missing = max(count_in_use(transaction) - self.nearest.count(transaction), 0)
        rows = sorted(rows, key=lambda row: (-cosines[row[-1]], row[-1]))[:limit]
        self.session.accessed([row[-1] for row in rows])
        near = [round(cosines[row[-1]], 4) for row in rows]
        return ClaimPage([claim_from_row(row) for row in rows], None, self.label, near, missing)

    def embed_missing(self, progress: Progress = silent, *, prune: bool = False) -> EmbedReport:
        """Make the vectors of all claims in use that have none.

        Each batch is stored by itself, so what was made before an interruption stays, and another call goes on there.

        Args:
            progress: Told how many are done.
            prune: Delete the vectors of other embedders afterwards.
        """
        with self.session.database.read() as transaction:
            total = table.count_missing(transaction, self.label)
        done, last = 0, -1
        while True:
            with self.session.database.read() as transaction:
                some = table.find_missing(transaction, self.label, last, BATCH)
            if not some:
                break
            last = some[-1][0]
            vectors = self.embed([statement for _, statement in some])
            with self.session.write() as transaction:
                self.keep(transaction, [key for key, _ in some], vectors)
            done += len(some)
            progress("embedding claims", done, max(total, done))
        deleted = 0
        if prune:
            with self.session.write() as transaction:
                deleted = table.delete_others(transaction, self.label)
        problem = ""
        try:
            build_index(self.session.database, self.label, progress)
        except StoreError as error:  # the vectors are there, and searched in memory
            problem = str(error)
        with self.session.database.read() as transaction:
            return EmbedReport(self.label, done, deleted, describe_search(transaction, problem))

    def try_to_embed(self, texts: Sequence[str]) -> "tuple[Vectors | None, str]":
        """Return vectors, or None and why there are none: a claim is added even if the embedder fails."""
        try:
            return self.embed(texts), ""
        except HowsureError as error:
            return None, f"not compared by meaning: {error}"
