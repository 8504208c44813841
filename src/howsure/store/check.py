"""Check a store for damage, and measure it."""

from collections.abc import Iterator
from dataclasses import dataclass

from howsure.errors import StoreError
from howsure.store.backends.database import Transaction
from howsure.store.backends.schema import version
from howsure.store.claim_tables import vector_index, vectors
from howsure.store.claim_tables.claim_sums import rebuild, sums_out_of_step
from howsure.store.claim_tables.denormalized import has_weights, outdated_claims, refresh
from howsure.store.ledger_tables.decision_detail import BROKEN, read_detail
from howsure.store.ledger_tables.decisions import hours_out_of_step, rebuild_hours
from howsure.store.ledger_tables.fits import active_id
from howsure.store.session import Session


@dataclass(frozen=True)
class StoreStats:
    """How much a store holds."""

    address: str
    schema: int
    """Version of the tables."""
    claims: int
    sources: int
    relations: int
    events: int
    decisions: int
    outcomes: int
    vectors: int
    """Vectors of claims, for searches by meaning."""
    by_tier: dict[str, int]
    """Number of claims of each tier."""
    by_status: dict[str, int]
    """Number of claims of each status."""
    bytes: int
    """Size on disk; of a PostgreSQL store, of claims and sources."""


def check(session: Session) -> list[str]:
    """Return the problems of a store; empty if it is sound."""
    problems: list[str] = []
    for part in (_damage, _orphans, _folds, _depths, _statuses, _sums, _hours, _details, _weights, _vectors):
        try:
            with session.database.read() as transaction:
                problems.extend(part(transaction))
        except StoreError as error:  # parts of a damaged file fail; the other checks still run
            problems.append(str(error))
    return list(dict.fromkeys(problems))


def find_damage(transaction: Transaction) -> str:
    """Return what SQLite finds first if pages of the file are damaged, or "". Reads the whole file."""
    if transaction.dialect.name != "sqlite":
        return ""
    found = str(transaction.value("PRAGMA quick_check(1)"))
    return "" if found == "ok" else " ".join(found.split())


def _damage(transaction: Transaction) -> Iterator[str]:
    if transaction.dialect.name == "sqlite":
        for (problem,) in transaction.stream("PRAGMA integrity_check"):
            if problem != "ok":
                yield f"SQLite: {problem}"


def _orphans(transaction: Transaction) -> Iterator[str]:
    if transaction.dialect.name == "sqlite":
        for table, row, parent, _ in transaction.rows("PRAGMA foreign_key_check"):
            which = "a row" if row is None else f"row {row}"  # some tables have no numbers of rows
            yield f"{table}: {which} belongs to a {parent.removesuffix('s')} that does not exist"
        missing = "SELECT COUNT(*) FROM claims c WHERE c.key NOT IN (SELECT id FROM claims_text_docsize)"
        if count := transaction.value(missing):
            yield f"{count} claims are missing from the text index"
    for (name,) in transaction.rows(
        "SELECT c.id FROM claims c LEFT JOIN events e ON e.claim = c.key WHERE e.key IS NULL"
    ):
        yield f"{name} has no history"


def _folds(transaction: Transaction) -> Iterator[str]:
    for _, name in outdated_claims(transaction):
        yield f"{name}: its folds do not match its sources (howsure janitor refreshes them)"


def _depths(transaction: Transaction) -> Iterator[str]:
    """Yield derived claims whose depth is not above that of their constituents."""
    below = (
        "SELECT MAX(t.depth) + 1 FROM relations r JOIN claims t ON t.key = r.target "
        "WHERE r.source = c.key AND r.kind = 'derived_from' AND r.removed_at IS NULL"
    )
    for name, depth in transaction.rows(f"SELECT c.id, c.depth FROM claims c WHERE c.depth < ({below})"):
        yield f"{name} has depth {depth}, but was derived from claims as deep"


def _statuses(transaction: Transaction) -> Iterator[str]:
    query = (
        "SELECT c.id, c.status, e.status FROM claims c JOIN events e ON e.key = "
        "(SELECT MAX(l.key) FROM events l WHERE l.claim = c.key AND l.status IS NOT NULL) WHERE c.status <> e.status"
    )
    for name, status, logged in transaction.rows(query):
        yield f"{name} is {status}, but its history says {logged}"


def _sums(transaction: Transaction) -> Iterator[str]:
    """Yield sums of claims that do not match the claims."""
    for status, tier, day, known, stored, right in sums_out_of_step(transaction):
        which = f"{status} {tier} claims {'with' if known else 'without'} sources that become stale on day {day}"
        yield f"the sum of {which} is {stored}, but there are {right} (howsure store check --repair counts again)"


def repair(session: Session) -> list[str]:
    """Repair what can be computed from the rest of the store: sums, folds, vectors. Return what was repaired."""
    repaired: list[str] = []
    with session.write(large=True) as transaction:
        if wrong := sums_out_of_step(transaction):
            rebuild(transaction)
            repaired.append(f"counted all claims again: {len(wrong)} sums were wrong")
        if hours := hours_out_of_step(transaction):
            rebuild_hours(transaction)
            repaired.append(f"counted the decisions of all hours again: {len(hours)} sums were wrong")
        for key, name in list(outdated_claims(transaction)):
            refresh(transaction, key)
            repaired.append(f"{name}: computed its folds again")
        if count := vectors.delete_damaged(transaction):
            repaired.append(f"deleted {count} damaged vectors (howsure store embed makes them again)")
    return repaired


def _hours(transaction: Transaction) -> Iterator[str]:
    """Yield hours whose sums do not match the decisions in them."""
    for agent, hour in hours_out_of_step(transaction):
        problem = f"the sums of {agent!r} in hour {hour} do not match its decisions"
        yield f"{problem} (howsure store check --repair counts again)"


def _details(transaction: Transaction) -> Iterator[str]:
    """Yield decisions and tool calls that lists cannot show."""
    query = "SELECT d.id, d.model, d.detail, s.content FROM decisions d LEFT JOIN specs s ON s.fingerprint = d.spec"
    for name, model, detail, spec in transaction.stream(query):
        problem = read_detail(model, detail).get(BROKEN)
        if problem or spec is None or BROKEN in read_detail("", spec):
            yield f"decision {name} is broken: {problem or 'its spec is missing or damaged'}"
    for key, content in transaction.stream("SELECT key, content FROM tool_calls"):
        if BROKEN in read_detail("", content):
            yield f"tool call {key} is broken: its content is not a JSON object"


def _weights(transaction: Transaction) -> Iterator[str]:
    """Yield what is wrong with the weights of sources: they belong to the active fit, with positive counts."""
    if has_weights(transaction) and active_id(transaction, "source") is None:
        yield "sources have learned weights, but no fit of sources is active (howsure sources fit learns again)"
    wrong = "SELECT source_type, source_id FROM source_weights WHERE NOT (rights > 0 AND wrongs > 0 AND variance >= 0)"
    for kind, name in transaction.rows(wrong):
        yield f"the counts of the source {kind}:{name} are not positive (howsure sources fit learns again)"


def _vectors(transaction: Transaction) -> Iterator[str]:
    """Yield vectors of claims that cannot be compared with the others."""
    for embedder, count in vectors.damaged(transaction):
        yield f"{count} vectors of {embedder} have another size than the rest (--repair deletes them)"
    if count := vector_index.count_uncopied(transaction):
        yield f"{count} vectors are not in the index of pgvector (howsure store embed adds them)"


def stats(session: Session) -> StoreStats:
    """Return how much a store holds."""
    with session.database.read() as transaction:
        tables = ("claims", "sources", "relations", "events", "decisions", "outcomes")
        counts = {name: int(transaction.value(f"SELECT COUNT(*) FROM {name}")) for name in tables}
        groups: dict[str, dict[str, int]] = {
            column: dict(transaction.rows(f"SELECT {column}, COUNT(*) FROM claims GROUP BY {column} ORDER BY {column}"))
            for column in ("tier", "status")
        }
        if transaction.dialect.name == "sqlite":
            query = "SELECT page_count * page_size FROM pragma_page_count, pragma_page_size"
        else:
            query = "SELECT pg_total_relation_size('claims') + pg_total_relation_size('sources')"
        size = int(transaction.value(query))
        counts["vectors"] = int(transaction.value("SELECT COUNT(*) FROM claim_vectors"))
        schema = version(transaction)
    return StoreStats(
        address=session.database.address,
        schema=schema,
        **counts,
        by_tier=groups["tier"],
        by_status=groups["status"],
        bytes=size,
    )
