"""An index of the vectors of claims inside PostgreSQL, by the extension pgvector.

The table `claim_vectors` stays complete without it: the table here is a copy of the vectors of one embedder with an
HNSW index. It is made by `howsure store embed`, from 100,000 vectors on, and can be dropped and made again at any time.
A store without it, such as one in SQLite, is searched in memory.
"""

import math
import struct
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from howsure.errors import StoreError
from howsure.files import sha256
from howsure.formulas.claim import IN_USE
from howsure.progress import Progress, silent
from howsure.store.backends.database import Database, Transaction
from howsure.store.claim_tables.namespace_patterns import namespace_condition

if TYPE_CHECKING:
    from howsure.store.backends.postgres import PostgresDatabase

MIN_VECTORS = 100_000
"""Vectors of an embedder from which they are indexed; fewer are compared one by one in memory."""
MAX_WIDTH = 4000
"""Numbers of a vector up to which pgvector can index it."""
OLDEST = (0, 8)
"""Version of pgvector from which an index goes on searching until conditions hold for enough claims."""
ASK = (
    "ask an administrator to install pgvector 0.8 or newer on the database server and to run "
    "CREATE EXTENSION vector in this database, then run: howsure store embed"
)
"""What to do if pgvector cannot be used."""
_TABLE = "claim_vector_index"
_HNSW = f"{_TABLE}_hnsw"
_FEW = 20_000
"""Claims of a namespace up to which all of them are compared instead of asking the index: 0.03 s."""
_MOST_SCANNED = 40_000
"""Claims that a search by the index looks at, if conditions reject many."""
_EFFORT, _LEAST_SEARCHED = 128, 400
"""How many vectors are weighed for each one while the index is built, and while it is searched. With pgvector's own 64
and 40, or with 200, it misses 5 % of the ten nearest of 150,000; so it misses none, and building takes 1.6 times as
long."""
_BATCH = 1000
"""Vectors that are copied in one transaction."""
_MEMORY_KB = 1024 * 1024
"""Kilobytes that building an index may use, a vector of 384 numbers taking about 1.2: if it has less than it needs,
building takes several times as long."""


class VectorIndex(NamedTuple):
    """The index of a store as it is."""

    extension: str
    """Schema of the extension, quoted."""
    mark: str
    """What stands for the embedder."""
    width: int
    """Numbers of a vector."""
    is_complete: bool
    """False while it is being made."""


def find_index(transaction: Transaction) -> VectorIndex | None:
    """Return the index of a store, or None if there is none."""
    if transaction.dialect.name != "postgres":
        return None
    query = (
        "SELECT QUOTE_IDENT(n.nspname), OBJ_DESCRIPTION(c.oid, 'pg_class'), a.atttypmod, COALESCE(i.indisvalid, FALSE) "
        f"FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'vector' "
        "JOIN pg_type t ON t.oid = a.atttypid JOIN pg_namespace n ON n.oid = t.typnamespace "
        f"LEFT JOIN pg_index i ON i.indexrelid = TO_REGCLASS('{_HNSW}') WHERE c.oid = TO_REGCLASS('{_TABLE}')"
    )
    row = transaction.one(query)
    return None if row is None else VectorIndex(str(row[0]), str(row[1] or ""), int(row[2]), bool(row[3]))


def is_indexed(transaction: Transaction, embedder: str) -> bool:
    """Return True if the vectors of this embedder can be searched by an index."""
    index = find_index(transaction)
    return index is not None and index.is_complete and index.mark == _mark(embedder)


def search_index(
    transaction: Transaction, embedder: str, vector: Sequence[float], limit: int, namespace: str | None = None
) -> list[int] | None:
    """Return the row keys of about the nearest claims in use, the nearest first; None if there is no index.

    Args:
        transaction: A read transaction.
        embedder: Name and version of the embedder.
        vector: A vector.
        limit: How many at most.
        namespace: Pattern of namespaces; default: all.
    """
    index = find_index(transaction)
    if index is None or not index.is_complete or index.mark != _mark(embedder):
        return None
    parameters: dict[str, Any] = {}
    condition = f"c.status IN {IN_USE}"
    if namespace is not None:
        condition += f" AND {namespace_condition(namespace, parameters)}"
    distance = f"vector OPERATOR({index.extension}.<=>) CAST(:vector AS {index.extension}.halfvec({index.width}))"
    some = f"FROM claims c JOIN {_TABLE} v ON v.claim = c.key WHERE {condition}"
    wanted = parameters | {"vector": _written(vector)}
    # MATERIALIZED keeps the planner from using the index, which would look for a rare namespace in vain.
    every = f"WITH inside AS MATERIALIZED (SELECT v.claim, v.vector {some}) SELECT claim FROM inside "
    every += f"ORDER BY {distance} LIMIT {int(limit)}"
    if namespace is not None:
        inside = f"SELECT COUNT(*) FROM (SELECT 1 FROM claims c WHERE {condition} LIMIT {_FEW + 1}) AS inside"
        if int(transaction.value(inside, parameters)) <= _FEW:
            return [int(row[0]) for row in transaction.rows(every, wanted)]
    settings = {
        "hnsw.iterative_scan": "relaxed_order",
        "hnsw.ef_search": str(min(max(2 * limit, _LEAST_SEARCHED), 1000)),
        "hnsw.max_scan_tuples": str(_MOST_SCANNED),
        # A plan that reads all vectors costs more than the planner believes.
        "enable_seqscan": "off",
        "enable_sort": "off",
        "enable_hashjoin": "off",
        "enable_mergejoin": "off",
    }
    transaction.rows(
        "SELECT " + ", ".join(f"SET_CONFIG('{name}', '{value}', TRUE)" for name, value in settings.items())
    )
    rows = transaction.rows(f"SELECT v.claim {some} ORDER BY v.{distance} LIMIT {int(limit)}", wanted)
    transaction.run("; ".join(f"SET LOCAL {name} = DEFAULT" for name in settings if name.startswith("enable")))
    if namespace is not None and len(rows) < limit:
        rows = transaction.rows(every, wanted)
    return [int(row[0]) for row in rows]


def add_to_index(transaction: Transaction, embedder: str, vectors: Sequence[tuple[int, bytes]]) -> None:
    """Copy vectors of claims, given by row key, that were just stored, if the embedder has an index."""
    index = find_index(transaction)
    if index is None or index.mark != _mark(embedder):
        return
    query = (
        f"INSERT INTO {_TABLE} (claim, vector) SELECT v.claim, CAST(? AS {index.extension}.halfvec) "
        "FROM claim_vectors v WHERE v.claim = ? AND v.embedder = ? AND v.vector = CAST(? AS BYTEA) "
        "ON CONFLICT (claim) DO NOTHING"
    )
    rows = []
    for claim, vector in vectors:
        if len(vector) == 2 * index.width:  # a damaged one is left out: `howsure store check` reports it
            numbers = struct.unpack(f"<{index.width}e", vector)
            rows.append((_written(numbers), claim, embedder, vector))
    transaction.many(query, rows)


def build_index(database: Database, embedder: str, progress: Progress = silent) -> None:
    """Index the vectors of an embedder, if there are many and pgvector can be used; complete an index that is not.

    Other processes read and write meanwhile. What was done before an interruption stays; another call goes on there.

    Raises:
        StoreError: if pgvector may not be used, or the index cannot be built. The store is searched in memory then.
    """
    if database.dialect.name != "postgres":
        return
    with database.read() as transaction:
        width, count = _most_common_width(transaction, embedder)
        index = find_index(transaction)
        is_own = index is not None and (index.mark, index.width) == (_mark(embedder), width)
        missing = _find_uncopied(transaction, embedder, width, -1, 1) if is_own else []
        if (is_own and index and index.is_complete and not missing) or not _is_indexable(width, count, is_own=is_own):
            return
        if (problem := find_problem(transaction)) is not None:
            raise StoreError(problem)
    with database.write() as transaction:
        extension = _require_extension(transaction)
        if not is_own:
            transaction.run(f"DROP TABLE IF EXISTS {_TABLE}")
            transaction.run(
                f"CREATE TABLE {_TABLE} (claim BIGINT PRIMARY KEY REFERENCES claims (key) ON DELETE CASCADE, "
                f"vector {extension}.halfvec({width}) NOT NULL)"
            )
            transaction.run(f"COMMENT ON TABLE {_TABLE} IS '{_mark(embedder)}'")
    last, done = -1, 0
    while True:
        with database.write() as transaction:
            rows = _find_uncopied(transaction, embedder, width, last, _BATCH)
            add_to_index(transaction, embedder, rows)
        if not rows:
            break
        last, done = rows[-1][0], done + len(rows)
        progress("indexing vectors", done, max(count, done))
    if not (is_own and index and index.is_complete):
        progress("indexing vectors", count, count)
        _create_hnsw(database, extension)  # type: ignore[arg-type]


def drop_other_index(transaction: Transaction, embedder: str) -> None:
    """Drop the index of another embedder."""
    index = find_index(transaction)
    if index is not None and index.mark != _mark(embedder):
        transaction.run(f"DROP TABLE {_TABLE}")


def count_uncopied(transaction: Transaction) -> int:
    """Count the vectors of a complete index that it lacks, so that a search does not find their claims."""
    index = find_index(transaction)
    if index is None or not index.is_complete:
        return 0
    labels = [str(row[0]) for row in transaction.rows("SELECT DISTINCT embedder FROM claim_vectors")]
    query = f"SELECT COUNT(*) {_UNCOPIED.format(size=2 * index.width)}"
    return sum(int(transaction.value(query, [label])) for label in labels if _mark(label) == index.mark)


def find_problem(transaction: Transaction) -> str | None:
    """Return why pgvector cannot be used in this database, and what to do; None if it can be tried."""
    installed = transaction.value("SELECT extversion FROM pg_extension WHERE extname = 'vector'")
    offered = transaction.value("SELECT default_version FROM pg_available_extensions WHERE name = 'vector'")
    if installed is None and offered is None:
        return f"pgvector is not installed on the database server: {ASK}"
    number = str(installed or offered)
    if tuple(int(part) for part in number.split(".")[:2]) < OLDEST:
        return f"pgvector {number} is too old: {ASK}"
    return None


def describe_search(transaction: Transaction, problem: str = "") -> str:
    """Return how claims are found by meaning in this store, and what would make it faster; "" without vectors.

    Args:
        transaction: A read transaction.
        problem: Why an index could not be made, if somebody has tried; default: why it could not be.
    """
    query = "SELECT embedder, COUNT(*) FROM claim_vectors GROUP BY embedder ORDER BY 2 DESC, 1"
    parts = []
    for label, count in transaction.rows(query):
        how = "compared one by one in memory"
        if is_indexed(transaction, str(label)):
            number = transaction.value("SELECT extversion FROM pg_extension WHERE extname = 'vector'")
            how = f"searched by pgvector {number} in the database"
        elif count > MIN_VECTORS:
            how = "searched in memory, by their signs first"
            if transaction.dialect.name == "postgres":
                problem = problem or find_problem(transaction) or ""
                how += f"; {problem}" if problem else "; howsure store embed makes an index by pgvector"
        parts.append(f"{count:,} vectors by {label} are {how}")
    return "; ".join(parts)


_UNCOPIED = (
    "FROM claim_vectors v WHERE v.embedder = ? AND OCTET_LENGTH(v.vector) = {size} AND NOT EXISTS "
    f"(SELECT 1 FROM {_TABLE} i WHERE i.claim = v.claim)"
)


def _find_uncopied(
    transaction: Transaction, embedder: str, width: int, after: int, limit: int
) -> list[tuple[int, bytes]]:
    """Return row key and vector of claims that the index lacks, in the order of keys, after a key."""
    query = (
        f"SELECT v.claim, v.vector {_UNCOPIED.format(size=2 * width)} AND v.claim > ? ORDER BY v.claim LIMIT {limit}"
    )
    return [(int(row[0]), bytes(row[1])) for row in transaction.rows(query, [embedder, after])]


def _most_common_width(transaction: Transaction, embedder: str) -> tuple[int, int]:
    """Return how many numbers most vectors of an embedder have, and how many vectors these are."""
    query = (
        "SELECT OCTET_LENGTH(vector) / 2, COUNT(*) FROM claim_vectors WHERE embedder = ? GROUP BY 1 ORDER BY 2 DESC, 1"
    )
    width, count = transaction.one(query, [embedder]) or (0, 0)
    return int(width), int(count)


def _is_indexable(width: int, count: int, *, is_own: bool) -> bool:
    return 0 < width <= MAX_WIDTH and (is_own or count > MIN_VECTORS)


def _require_extension(transaction: Transaction) -> str:
    """Return the schema of the extension, quoted; create it if it is not there.

    Raises:
        StoreError: if the user of the store may not create it.
    """
    from howsure.store.backends.postgres import translate_errors

    query = (
        "SELECT QUOTE_IDENT(n.nspname) FROM pg_extension e JOIN pg_namespace n ON n.oid = e.extnamespace "
        "WHERE e.extname = 'vector'"
    )
    if not transaction.value(query):
        # In "public", since dropping the schema of a store must not drop the extension of the others.
        with (
            translate_errors("the user of the store may not create the extension pgvector", ASK),
            transaction.savepoint(),
        ):
            transaction.run("CREATE EXTENSION IF NOT EXISTS vector SCHEMA public")
    return str(transaction.value(query))


def _create_hnsw(database: "PostgresDatabase", extension: str) -> None:
    """Create the index while others read and write; drop what an interrupted try has left."""
    database.run_alone(
        "SET statement_timeout = 0",
        # In one process: several share memory of which a container often has 64 MB.
        "SET max_parallel_maintenance_workers = 0",
        f"SELECT SET_CONFIG('maintenance_work_mem', '{_MEMORY_KB}kB', FALSE) FROM pg_settings "
        f"WHERE name = 'maintenance_work_mem' AND CAST(setting AS BIGINT) < {_MEMORY_KB}",
        f"DROP INDEX IF EXISTS {_HNSW}",
        f"CREATE INDEX CONCURRENTLY {_HNSW} ON {_TABLE} USING hnsw (vector {extension}.halfvec_cosine_ops) "
        f"WITH (ef_construction = {_EFFORT})",
        f"ANALYZE {_TABLE}",
    )


def _mark(embedder: str) -> str:
    """Return what stands for an embedder in the comment of the table: its name may have any characters."""
    return sha256(embedder.encode()).hexdigest()[:16]


def _written(numbers: Sequence[float]) -> str:
    """Return a vector as pgvector reads it; five digits give back each float16. One that is not finite is near none.

    >>> _written([0.5, -0.099976]), _written([0.5, math.nan])
    ('[0.5,-0.099976]', '[0,0]')
    """
    if not all(map(math.isfinite, numbers)):
        numbers = [0.0] * len(numbers)
    return f"[{','.join(f'{number:.5g}' for number in numbers)}]"
