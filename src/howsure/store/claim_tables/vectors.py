"""The table of vectors of claims: one for each claim and embedder, as float16."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from howsure.chunks import in_chunks
from howsure.formulas.claim import IN_USE
from howsure.store.backends.database import Transaction
from howsure.store.claim_tables.vector_index import add_to_index, drop_other_index


class VectorRow(NamedTuple):
    """A vector with what is needed to search by it."""

    key: int
    """Key of the vector: later ones are higher."""
    claim: int
    """Row key of the claim."""
    namespace: str
    """Namespace of the claim."""
    vector: bytes
    """Numbers of two bytes each."""


def insert(transaction: Transaction, embedder: str, vectors: Sequence[tuple[int, bytes]]) -> None:
    """Insert the vectors of claims, given by row key, unless they have one or are gone."""
    query = (
        "INSERT INTO claim_vectors (claim, embedder, vector) SELECT c.key, ?, ? FROM claims c WHERE c.key = ? "
        "ON CONFLICT (claim, embedder) DO NOTHING"
    )
    if transaction.dialect.name == "postgres":
        query = query.replace("SELECT c.key, ?, ?", "SELECT c.key, CAST(? AS TEXT), CAST(? AS BYTEA)")
    transaction.many(query, [(embedder, vector, claim) for claim, vector in vectors])
    if transaction.dialect.name == "postgres":
        add_to_index(transaction, embedder, vectors)


def read_since(transaction: Transaction, embedder: str, after: int) -> Iterator[VectorRow]:
    """Yield the vectors of claims in use that were inserted after the one of a key, in that order."""
    query = (
        "SELECT v.key, v.claim, c.namespace, v.vector FROM claim_vectors v JOIN claims c ON c.key = v.claim "
        f"WHERE v.key > ? AND v.embedder = ? AND c.status IN {IN_USE} ORDER BY v.key"
    )
    for key, claim, namespace, vector in transaction.stream(query, [after, embedder]):
        yield VectorRow(key, claim, namespace, bytes(vector))


def count_since(transaction: Transaction, embedder: str, after: int) -> tuple[int, int]:
    """Count the vectors of claims in use that were inserted after the one of a key; return also the last key."""
    query = (
        "SELECT COUNT(*), COALESCE(MAX(v.key), ?) FROM claim_vectors v JOIN claims c ON c.key = v.claim "
        f"WHERE v.key > ? AND v.embedder = ? AND c.status IN {IN_USE}"
    )
    (count, last) = transaction.rows(query, [after, after, embedder])[0]
    return int(count), int(last)


def get(transaction: Transaction, embedder: str, claims: Sequence[int]) -> dict[int, bytes]:
    """Return the vectors of some claims by row key, as far as they have one."""
    vectors: dict[int, bytes] = {}
    for some in in_chunks(claims):
        marks = ", ".join("?" * len(some))
        query = f"SELECT claim, vector FROM claim_vectors WHERE embedder = ? AND claim IN ({marks})"
        vectors |= {claim: bytes(vector) for claim, vector in transaction.rows(query, [embedder, *some])}
    return vectors


_MISSING = (
    f"FROM claims c WHERE c.status IN {IN_USE} AND NOT EXISTS "
    "(SELECT 1 FROM claim_vectors v WHERE v.claim = c.key AND v.embedder = ?)"
)


def count_missing(transaction: Transaction, embedder: str) -> int:
    """Count the claims in use without a vector of this embedder."""
    return int(transaction.value(f"SELECT COUNT(*) {_MISSING}", [embedder]))


def find_missing(transaction: Transaction, embedder: str, after: int, limit: int) -> list[tuple[int, str]]:
    """Return row key and statement of claims in use without a vector, in the order of keys, after a key."""
    query = f"SELECT c.key, c.statement {_MISSING} AND c.key > ? ORDER BY c.key LIMIT {int(limit)}"
    return [(row[0], row[1]) for row in transaction.rows(query, [embedder, after])]


def delete_others(transaction: Transaction, embedder: str) -> int:
    """Delete the vectors of all other embedders, and their index; return how many there were."""
    drop_other_index(transaction, embedder)
    return transaction.run("DELETE FROM claim_vectors WHERE embedder <> ?", [embedder])


def _sizes(transaction: Transaction) -> tuple[str, list[tuple[str, int, int]]]:
    """Return the expression of a vector's size; and embedder, size and number of vectors of every wrong size."""
    size = "LENGTH(vector)" if transaction.dialect.name == "sqlite" else "OCTET_LENGTH(vector)"
    query = f"SELECT embedder, {size}, COUNT(*) FROM claim_vectors GROUP BY embedder, {size} ORDER BY 1, 3 DESC, 2"
    seen: set[str] = set()
    wrong = []
    for embedder, length, count in transaction.rows(query):
        if embedder in seen or length % 2 or not length:
            wrong.append((str(embedder), int(length), int(count)))
        else:  # the first possible one is the size of most
            seen.add(embedder)
    return size, wrong


def damaged(transaction: Transaction) -> list[tuple[str, int]]:
    """Return embedder and number of vectors that have another size than most of the same embedder."""
    return [(embedder, count) for embedder, _, count in _sizes(transaction)[1]]


def delete_damaged(transaction: Transaction) -> int:
    """Delete the vectors that have another size than most of the same embedder; return how many there were."""
    size, wrong = _sizes(transaction)
    query = f"DELETE FROM claim_vectors WHERE embedder = ? AND {size} = ?"
    return sum(transaction.run(query, [embedder, length]) for embedder, length, _ in wrong)


def read_newest(transaction: Transaction, embedder: str, limit: int) -> list[VectorRow]:
    """Return the vectors of the newest claims in use that have one, all of the same size."""
    query = (
        "SELECT v.key, c.key, c.namespace, v.vector FROM claims c JOIN claim_vectors v ON v.claim = c.key "
        f"AND v.embedder = ? WHERE c.status IN {IN_USE} ORDER BY c.key DESC LIMIT {int(limit)}"
    )
    rows = [VectorRow(row[0], row[1], row[2], bytes(row[3])) for row in transaction.rows(query, [embedder])]
    return [row for row in rows if len(row.vector) == len(rows[0].vector)]


def read_statements(transaction: Transaction, claims: Sequence[int]) -> list[tuple[int, str, str]]:
    """Return row key, id and statement of those claims that are in use, in any order; at most 1,000."""
    if not claims:
        return []
    marks = ", ".join("?" * len(claims))
    query = f"SELECT c.key, c.id, c.statement FROM claims c WHERE c.key IN ({marks}) AND c.status IN {IN_USE}"
    return [(row[0], row[1], row[2]) for row in transaction.rows(query, list(claims))]
