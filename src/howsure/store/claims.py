"""The tables of claims: how a claim is written, found by its content, and taken away."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from howsure.formulas.claim import RelationKind, Source, Status, best_by_source
from howsure.formulas.decay import Tier
from howsure.formulas.interval import Interval
from howsure.store.database import Transaction
from howsure.store.denormalized import Kept, fold_in, kept, refresh

DISPLAYED = (
    "id",
    "statement",
    "subject",
    "predicate",
    "object",
    "namespace",
    "tier",
    "status",
    "created_at",
    "stale_at",
    "expires_at",
    "valid_from",
    "valid_until",
    "accessed_at",
    "base_lower",
    "base_upper",
    "sources",
)
"""Columns of a claim that people see."""


Ready = tuple[tuple[Any, ...], list[tuple[Any, ...]]]
"""A claim as it is written: its row, and the rows of its sources, without the key that both get."""


@dataclass
class NewClaim:
    """A claim that is ready to be written. Not frozen, since freezing would cost a tenth of a bulk load."""

    id: str
    statement: str
    statement_key: str
    namespace: str
    tier: Tier
    created_at: float
    base: Interval
    provenance: tuple[Source, ...] = ()
    subject: str | None = None
    predicate: str | None = None
    object: str | None = None
    triple_key: str | None = None
    status: Status = "active"
    stale_at: float | None = None
    expires_at: float | None = None
    valid_from: float | None = None
    valid_until: float | None = None
    accessed_at: float | None = None
    depth: int = 0
    recorded: tuple[float, ...] = field(default=())
    """When each entry was recorded; at creation, if not given."""

    def ready(self) -> "Ready":
        """Return the columns in the order of the tables."""
        folds = kept(self.provenance, self.tier, self.stale_at)
        recorded = self.recorded or [self.created_at] * len(self.provenance)
        row = (
            self.id,
            self.statement,
            self.subject,
            self.predicate,
            self.object,
            self.namespace,
            self.statement_key,
            self.triple_key,
            self.tier,
            self.status,
            self.created_at,
            self.stale_at,
            self.expires_at,
            self.valid_from,
            self.valid_until,
            self.created_at if self.accessed_at is None else self.accessed_at,
            self.depth,
            self.base.lower,
            self.base.upper,
            *folds,
        )
        return row, [(entry, *_source(*pair)) for entry, pair in enumerate(zip(self.provenance, recorded, strict=True))]


_COLUMNS = (
    "id, statement, subject, predicate, object, namespace, statement_key, triple_key, tier, status, created_at, "
    "stale_at, expires_at, valid_from, valid_until, accessed_at, depth, base_lower, base_upper, "
) + ", ".join(Kept._fields)
_SOURCES = "claim, entry, source_type, source_id, contribution, at, recorded_at, context"
EVENTS = "claim, at, actor, action, status, detail"
INSERT_EVENT = f"INSERT INTO events ({EVENTS}) VALUES (?, ?, ?, ?, ?, ?)"
INSERT_TEXT = "INSERT INTO claims_text (rowid, statement) VALUES (?, ?)"


def insert(transaction: Transaction, claims: Sequence[Ready]) -> list[int]:
    """Write new claims with their sources, and return their keys."""
    if transaction.dialect.name == "sqlite":  # whoever writes is alone, so the next keys are known
        last = transaction.value("SELECT seq FROM sqlite_sequence WHERE name = 'claims'") or 0
        keys = list(range(last + 1, last + 1 + len(claims)))
        rows = [(key, *row) for key, (row, _) in zip(keys, claims, strict=True)]
        transaction.load("claims", f"key, {_COLUMNS}", rows)
        transaction.many(INSERT_TEXT, [row[:3:2] for row in rows])
    else:
        transaction.load("claims", _COLUMNS, [row for row, _ in claims])
        found = keys_of(transaction, [row[0] for row, _ in claims])
        keys = [found[row[0]] for row, _ in claims]
    sources = [(key, *source) for key, (_, entries) in zip(keys, claims, strict=True) for source in entries]
    transaction.load("sources", _SOURCES, sources)
    invalid = set(transaction.rows("SELECT source_type, source_id FROM invalidations WHERE until IS NULL"))
    for key in {source[0] for source in sources if source[2:4] in invalid} if invalid else ():
        refresh(transaction, key)
    return keys


def _source(source: Source, recorded: float) -> tuple[Any, ...]:
    return source.source_type, source.source_id, source.contribution, source.at, recorded, source.context


def keys_of(transaction: Transaction, ids: Sequence[str]) -> dict[str, int]:
    """Return the key of each id that exists."""
    found: dict[str, int] = {}
    for start in range(0, len(ids), 500):
        some = list(ids[start : start + 500])
        marks = ", ".join("?" * len(some))
        found |= dict(transaction.rows(f"SELECT id, key FROM claims WHERE id IN ({marks})", some))
    return found


def add_sources(transaction: Transaction, key: int, sources: Iterable[Source], recorded_at: float) -> None:
    """Add provenance entries to a claim, and fold them in."""
    last = transaction.value("SELECT MAX(entry) FROM sources WHERE claim = ?", [key])
    start = 0 if last is None else last + 1
    given = list(sources)
    rows = [(key, start + number, *_source(source, recorded_at)) for number, source in enumerate(given)]
    new = _new(transaction, key, given)
    if new is not None:
        fold_in(transaction, key, new)
        transaction.load("sources", _SOURCES, rows)
    else:
        transaction.load("sources", _SOURCES, rows)
        refresh(transaction, key)


def _new(transaction: Transaction, key: int, sources: list[Source]) -> list[Source] | None:
    """Return those of the sources that add to a claim: new ones. Nothing, if it has to be folded anew.

    A source that repeats itself adds nothing; one that says more than before changes what is folded already.
    """
    said = (  # a range of one: SQLite would otherwise go through all entries of the claim
        "SELECT MAX(contribution), COUNT(*) FROM sources WHERE source_type = ? AND source_id = ? "
        "AND claim >= ? AND claim <= ?"
    )
    invalid = "SELECT 1 FROM invalidations WHERE source_type = ? AND source_id = ? AND until IS NULL"
    found = []
    for (kind, name), contribution in best_by_source(tuple(sources)).items():
        before, count = transaction.rows(said, [kind, name, key, key])[0]
        if count and contribution > (before or 0.0):
            return None
        if not count:
            if transaction.value(invalid, [kind, name]):
                return None
            found.append(Source(kind, name, contribution))
    return found


def derived_from(transaction: Transaction, key: int) -> list[int]:
    """Return the keys of claims that are believed because of one."""
    query = (
        "SELECT DISTINCT r.source FROM relations r JOIN claims c ON c.key = r.source WHERE r.target = ? "
        "AND r.kind = 'derived_from' AND r.removed_at IS NULL AND c.status IN ('active', 'challenged')"
    )
    return [row[0] for row in transaction.rows(query, [key])]


def relations_of(
    transaction: Transaction, keys: Sequence[int], as_of: float | None = None
) -> list[tuple[int, RelationKind, int, float]]:
    """Return source, kind, target and strength of every relation that has one of some claims at an end."""
    there = "r.removed_at IS NULL"
    if as_of is not None:
        there = f"r.recorded_at <= ? AND ({there} OR r.removed_at > ?)"
    moments = [] if as_of is None else [as_of, as_of]
    found: dict[int, tuple[int, RelationKind, int, float]] = {}
    for start in range(0, len(keys), 200):
        some = list(keys[start : start + 200])
        ends = " OR ".join(f"r.{end} IN ({', '.join('?' * len(some))})" for end in ("source", "target"))
        query = f"SELECT r.key, r.source, r.kind, r.target, r.strength FROM relations r WHERE ({ends}) AND {there}"
        found |= {row[0]: (row[1], row[2], row[3], row[4]) for row in transaction.rows(query, [*some, *some, *moments])}
    return [found[key] for key in sorted(found)]


def sources_of(transaction: Transaction, key: int, as_of: float | None = None) -> list[Source]:
    """Return the provenance entries of a claim that were recorded by a moment, in their order."""
    query = (
        "SELECT source_type, source_id, contribution, at, context FROM sources "
        "WHERE claim = ? AND recorded_at <= ? ORDER BY entry"
    )
    return [Source(*row) for row in transaction.rows(query, [key, math.inf if as_of is None else as_of])]


def same_claim(transaction: Transaction, namespace: str, statement_key: str, triple_key: str | None) -> int | None:
    """Return the key of the claim that says the same in a namespace, if there is one."""
    query = (
        "SELECT key FROM claims WHERE namespace = :namespace AND statement_key = :statement AND status <> 'forgotten'"
    )
    if triple_key is not None:
        query += (
            " UNION SELECT key FROM claims WHERE namespace = :namespace AND triple_key = :triple "
            "AND status <> 'forgotten'"
        )
    parameters = {"namespace": namespace, "statement": statement_key, "triple": triple_key}
    found = transaction.value(query + " ORDER BY key LIMIT 1", parameters)
    return None if found is None else int(found)


def record(
    transaction: Transaction,
    key: int,
    at: float,
    actor: str,
    action: str,
    detail: str = "",
    status: Status | None = None,
) -> None:
    """Write down that something happened to a claim; a status given is the one it has from now on."""
    if status is not None:
        transaction.run("UPDATE claims SET status = ? WHERE key = ?", [status, key])
    transaction.run(INSERT_EVENT, [key, at, actor, action, status, detail])


def relate(
    transaction: Transaction, kind: RelationKind, source: int, target: int, strength: float, recorded_at: float
) -> None:
    """Write a relation between two claims."""
    transaction.run(
        "INSERT INTO relations (kind, source, target, strength, recorded_at) VALUES (?, ?, ?, ?, ?)",
        [kind, source, target, strength, recorded_at],
    )


def remove(transaction: Transaction, keys: Sequence[int]) -> None:
    """Take claims away for good, with sources, relations and history."""
    for key in keys:
        if transaction.dialect.name == "sqlite":
            transaction.run(
                "INSERT INTO claims_text (claims_text, rowid, statement) "
                "SELECT 'delete', key, statement FROM claims WHERE key = ?",
                [key],
            )
        transaction.run("DELETE FROM claims WHERE key = ?", [key])


def has_relation(transaction: Transaction, source: int, kind: RelationKind, target: int) -> bool:
    """Return whether one claim is related to another in this way, now."""
    query = "SELECT 1 FROM relations WHERE source = ? AND kind = ? AND target = ? AND removed_at IS NULL"
    return transaction.value(query, [source, kind, target]) is not None
