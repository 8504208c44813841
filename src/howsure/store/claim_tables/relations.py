"""The tables of relations between claims and of invalidated sources."""

from collections.abc import Sequence
from typing import Any

from howsure.chunks import in_chunks
from howsure.errors import InputError
from howsure.formulas.claim import IN_USE, RelationKind
from howsure.formulas.derived import DEEPEST
from howsure.graph.sql import ReadOptions
from howsure.store.backends.database import Transaction
from howsure.store.claim_tables.denormalized import refresh
from howsure.store.claim_tables.selection import ONE_KEY, query_for


def relate(
    transaction: Transaction, kind: RelationKind, source: int, target: int, strength: float, recorded_at: float
) -> None:
    """Insert a relation between two claims; for `derived_from`, update the depth of the derived claims."""
    transaction.run(
        "INSERT INTO relations (kind, source, target, strength, recorded_at) VALUES (?, ?, ?, ?, ?)",
        [kind, source, target, strength, recorded_at],
    )
    if kind == "derived_from":
        update_depth(transaction, source)


def update_depth(transaction: Transaction, key: int) -> None:
    """Update the depth of a derived claim and of all claims derived from it.

    Raises:
        InputError: if a claim would be derived from itself, or by too many inferences in a row.
    """
    waiting, rounds = {key}, 0
    while waiting:
        rounds += 1
        following: set[int] = set()
        for claim in waiting:
            deepest = transaction.value(
                "SELECT MAX(c.depth) FROM relations r JOIN claims c ON c.key = r.target "
                "WHERE r.source = ? AND r.kind = 'derived_from' AND r.removed_at IS NULL",
                [claim],
            )
            depth = int(deepest) + 1
            if depth > DEEPEST or rounds > DEEPEST + 1:
                hint = f"at most {DEEPEST} inferences may rest on each other, and never in a circle"
                raise InputError("the chain of inferences is too long, or a circle", field="derived_from", hint=hint)
            if transaction.run("UPDATE claims SET depth = ? WHERE key = ? AND depth < ?", [depth, claim, depth]):
                refresh(transaction, claim)
                rows = transaction.rows(
                    "SELECT source FROM relations WHERE target = ? AND kind = 'derived_from' AND removed_at IS NULL",
                    [claim],
                )
                following |= {row[0] for row in rows}
        waiting = following


# A contradiction acts on both ends, so it is the same whichever way it was recorded. The plus keeps SQLite from the
# index by target: a claim is the target of thousands more often than their source (12,600 steps for 2,500 relations).
_PAIR = (
    "kind = :kind AND removed_at IS NULL AND ((source = :source AND +target = :target) "
    "OR (kind = 'contradicts' AND source = :target AND +target = :source))"
)


def strength_of(transaction: Transaction, kind: RelationKind, source: int, target: int) -> float | None:
    """Return the strength at which a relation between two claims counts; None if there is none."""
    parameters = {"kind": kind, "source": source, "target": target}
    strength: float | None = transaction.value(f"SELECT MAX(strength) FROM relations WHERE {_PAIR}", parameters)
    return strength


def end_relation(transaction: Transaction, kind: RelationKind, source: int, target: int, at: float) -> None:
    """End a relation between two claims.

    The depth of a derived claim stays, since reading the past needs it: it is the greatest that the claim may have had.
    """
    parameters = {"kind": kind, "source": source, "target": target, "at": at}
    transaction.run(f"UPDATE relations SET removed_at = :at WHERE {_PAIR}", parameters)


# A claim may be challenged with one that it was recorded to contradict: the relation then goes the other way.
_AGAINST = (
    "kind = 'contradicts' AND removed_at IS NULL AND (target = :key OR (source = :key AND target IN ("
    "SELECT c.key FROM sources s JOIN claims c ON c.id = s.source_id "
    "WHERE s.claim = :key AND s.source_type = 'challenge')))"
)
"""The contradictions by which a claim is contradicted or challenged."""


def end_contradictions(transaction: Transaction, key: int, other: int | None, at: float) -> int:
    """End the contradictions of a claim, or only that by one other claim; return how many were ended."""
    query = f"UPDATE relations SET removed_at = :at WHERE {_AGAINST}"
    if other is None:
        return transaction.run(query, {"at": at, "key": key})
    return transaction.run(f"{query} AND :other IN (source, target)", {"at": at, "key": key, "other": other})


def is_contradicted(transaction: Transaction, key: int) -> bool:
    """Say whether a claim is contradicted or challenged by another."""
    return bool(transaction.value(f"SELECT 1 FROM relations WHERE {_AGAINST} LIMIT 1", {"key": key}))


def end_supersession(transaction: Transaction, key: int, at: float) -> None:
    """End the relations by which other claims supersede a claim."""
    query = "UPDATE relations SET removed_at = ? WHERE kind = 'supersedes' AND target = ? AND removed_at IS NULL"
    transaction.run(query, [at, key])


def constituents_of(transaction: Transaction, key: int) -> set[int]:
    """Return the keys of the claims that a claim is derived from."""
    query = "SELECT target FROM relations WHERE source = ? AND kind = 'derived_from' AND removed_at IS NULL"
    return {row[0] for row in transaction.rows(query, [key])}


def lacks_constituents(transaction: Transaction, key: int) -> bool:
    """Return whether a claim was derived from others of which none is left."""
    depth = transaction.value("SELECT depth FROM claims WHERE key = ?", [key])
    return bool(depth) and not constituents_of(transaction, key)


def dependents_of(transaction: Transaction, key: int) -> list[int]:
    """Return the keys of active and challenged claims that are derived from a claim."""
    query = (
        "SELECT DISTINCT r.source FROM relations r JOIN claims c ON c.key = r.source WHERE r.target = ? "
        f"AND r.kind = 'derived_from' AND r.removed_at IS NULL AND c.status IN {IN_USE}"
    )
    return [row[0] for row in transaction.rows(query, [key])]


def _recorded(as_of: float | None) -> tuple[str, list[float]]:
    """Return the condition that a relation `r` exists (at a moment), and its parameters."""
    if as_of is None:
        return "r.removed_at IS NULL", []
    return "r.recorded_at <= ? AND (r.removed_at IS NULL OR r.removed_at > ?)", [as_of, as_of]


def strongest_ends(
    transaction: Transaction, keys: Sequence[int], as_of: float | None, limit: int
) -> tuple[list[int], int]:
    """Return the claims at the other ends of all relations of some claims, the strongest first, and how many there are.

    They are chosen by the database, since one claim may have 10,000 relations.
    """
    current, moments = _recorded(as_of)
    strengths: dict[int, float] = {}
    total = 0
    for some in in_chunks(keys, 200):
        marks = ", ".join("?" * len(some))
        ends = " UNION ALL ".join(
            f"SELECT r.{other} AS claim, r.strength AS strength FROM relations r "
            f"WHERE r.{end} IN ({marks}) AND {current}"
            for end, other in (("source", "target"), ("target", "source"))
        )
        # SQLite and PostgreSQL both count the groups before LIMIT is applied.
        query = (
            f"SELECT claim, MAX(strength), COUNT(*) OVER () FROM ({ends}) AS e WHERE claim NOT IN ({marks}) "
            f"GROUP BY claim ORDER BY 2 DESC, 1 LIMIT {int(limit)}"
        )
        rows = transaction.rows(query, [*some, *moments, *some, *moments, *some])
        total += int(rows[0][2]) if rows else 0
        for claim, strength, _ in rows:
            strengths[claim] = max(strength, strengths.get(claim, 0.0))
    return sorted(strengths, key=lambda claim: (-strengths[claim], claim))[:limit], max(total, len(strengths))


def relations_among(
    transaction: Transaction, keys: Sequence[int], as_of: float | None = None
) -> list[tuple[int, RelationKind, int, float]]:
    """Return source, kind, target and strength of every relation between some claims, in the order of their keys."""
    current, moments = _recorded(as_of)
    known = set(keys)
    rows: list[Any] = []
    for some in in_chunks(keys, 200):
        marks = ", ".join("?" * len(some))
        query = f"SELECT r.key, r.source, r.kind, r.target, r.strength FROM relations r WHERE r.source IN ({marks})"
        ends = some
        if len(keys) <= len(some):  # so that the many other relations of a claim are not even fetched
            query += f" AND r.target IN ({marks})"
            ends = [*some, *some]
        rows += transaction.rows(f"{query} AND {current}", [*ends, *moments])
    return [(row[1], row[2], row[3], row[4]) for row in sorted(set(rows)) if row[3] in known]


def constituents_as_of(transaction: Transaction, key: int, options: ReadOptions) -> list[int]:
    """Return the keys of the claims that a claim is derived from, as the read options say."""
    query = query_for(transaction, options)
    return [row[0] for row in transaction.rows(query.constituents(ONE_KEY), options.parameters() | {"key": key})]


def is_invalidated(transaction: Transaction, source_type: str, source_id: str) -> bool:
    """Say whether a source is invalidated."""
    query = "SELECT 1 FROM invalidations WHERE source_type = ? AND source_id = ? AND until IS NULL"
    return bool(transaction.value(query, [source_type, source_id]))


def invalidate(transaction: Transaction, source_type: str, source_id: str, at: float, actor: str, reason: str) -> None:
    """Invalidate a source from a moment on."""
    transaction.run(
        "INSERT INTO invalidations (source_type, source_id, since, actor, reason) VALUES (?, ?, ?, ?, ?)",
        [source_type, source_id, at, actor, reason],
    )


def end_invalidation(transaction: Transaction, source_type: str, source_id: str, at: float) -> None:
    """Let an invalidated source count again."""
    transaction.run(
        "UPDATE invalidations SET until = ? WHERE source_type = ? AND source_id = ? AND until IS NULL",
        [at, source_type, source_id],
    )


def claims_of_source(transaction: Transaction, source_type: str, source_id: str) -> list[int]:
    """Return the keys of the claims that have a source."""
    query = "SELECT DISTINCT claim FROM sources WHERE source_type = ? AND source_id = ?"
    return [row[0] for row in transaction.rows(query, [source_type, source_id])]


def related_pairs(transaction: Transaction, keys: Sequence[int]) -> set[tuple[int, int]]:
    """Return source and target of all relations that hold, of which the source is one of these claims."""
    pairs: set[tuple[int, int]] = set()
    for some in in_chunks(sorted(set(keys))):
        marks = ", ".join("?" * len(some))
        query = f"SELECT source, target FROM relations WHERE removed_at IS NULL AND source IN ({marks})"
        pairs |= {(row[0], row[1]) for row in transaction.rows(query, some)}
    return pairs
