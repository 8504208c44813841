"""Relating claims: support, contradiction, inference, and what follows from a source that proves wrong."""

from collections.abc import Sequence
from typing import Any, NamedTuple, cast, get_args

from howsure.claims.add import Added, ClaimInput, add_one, check_text
from howsure.errors import InputError, nearest, shown
from howsure.formulas.claim import RelationKind, Source
from howsure.graph.python import DEEPEST
from howsure.shapes import Unit, decode, decoder
from howsure.store import claims as table
from howsure.store.database import Transaction
from howsure.store.denormalized import refresh
from howsure.store.session import Session, key_of


class Challenge(NamedTuple):
    """A claim that was challenged, and the one that contradicts it."""

    target: str
    by: str


def relate(
    session: Session, source: str, kind: str, target: str, strength: float = 1.0, now: float | None = None
) -> None:
    """Say how one claim relates to another."""
    at = session.at(now)
    with session.write() as transaction:
        first, second = key_of(transaction, source), key_of(transaction, target)
        _relate(transaction, first, kind, second, strength, at)
        table.record(transaction, first, at, session.actor, "related", f"{kind} {target} ({strength:g})")
        table.record(transaction, second, at, session.actor, "related", f"{source} {kind} it ({strength:g})")


def _relate(transaction: Transaction, source: int, kind: str, target: int, strength: float, at: float) -> None:
    kinds = get_args(RelationKind)
    if kind not in kinds:
        raise InputError(f"{shown(kind)} is no relation", field="kind", hint=nearest(kind, kinds))
    if source == target:
        raise InputError("a claim cannot relate to itself", field="target")
    try:
        strength = decoder(Unit)(strength)
    except InputError as error:
        raise error.under("strength") from None
    table.relate(transaction, cast("RelationKind", kind), source, target, strength, at)
    if kind == "derived_from":
        deepen(transaction, source)


def deepen(transaction: Transaction, key: int) -> None:
    """Work out how deep the inferences are that a new one is part of; refuse cycles and chains that are too long."""
    waiting, rounds = {key}, 0
    while waiting:
        rounds += 1
        if rounds > DEEPEST + 1:
            hint = f"at most {DEEPEST} inferences may rest on each other, and never in a circle"
            raise InputError("the chain of inferences is too long, or a circle", field="derived_from", hint=hint)
        following: set[int] = set()
        for claim in waiting:
            deepest = transaction.value(
                "SELECT MAX(c.depth) FROM relations r JOIN claims c ON c.key = r.target "
                "WHERE r.source = ? AND r.kind = 'derived_from' AND r.removed_at IS NULL",
                [claim],
            )
            depth = int(deepest) + 1
            if depth > DEEPEST:
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


def challenge(
    session: Session,
    target: str,
    by: str | None,
    statement: dict[str, Any] | None,
    strength: float,
    now: float | None,
) -> Challenge:
    """Contradict a claim by another one, given by id or as a new claim. The target is marked as challenged."""
    at = session.at(now)
    with session.write() as transaction:
        key = key_of(transaction, target)
        if by is None:
            if statement is None:
                raise InputError("a challenge needs a claim", field="by", hint="an id, or a statement with its source")
            namespace = transaction.value("SELECT namespace FROM claims WHERE key = ?", [key])
            added = add_one(transaction, session, decode(ClaimInput, {"namespace": namespace} | statement), at)
            by = str(added.id)
        other = key_of(transaction, by)
        if other == key:
            raise InputError("a claim cannot challenge itself", field="by", hint="the statement is the claim's own")
        pair = {"a": key, "b": other}
        query = (
            "SELECT 1 FROM relations WHERE kind = 'contradicts' AND removed_at IS NULL "
            "AND ((source = :a AND target = :b) OR (source = :b AND target = :a))"
        )
        status = _refuse_gone(transaction, key, target)
        related = bool(transaction.value(query, pair))
        noted = "SELECT 1 FROM sources WHERE claim = ? AND source_type = 'challenge' AND source_id = ?"
        if related and status == "challenged" and transaction.value(noted, [key, by]):
            raise InputError(
                f"{by} challenges {target} already", field="by", hint="resolve it, or challenge by another"
            )
        if not related:  # a contradiction that is known becomes a challenge; it does not count twice
            _relate(transaction, other, "contradicts", key, strength, at)
        # A note among the sources, for audit: without a contribution it counts for nothing.
        table.add_sources(transaction, key, [Source("challenge", by, None, at, "challenged")], at)
        table.record(transaction, key, at, session.actor, "challenged", f"by {by} ({strength:g})", "challenged")
        table.record(transaction, other, at, session.actor, "challenges", target)
        return Challenge(target, by)


def _refuse_gone(transaction: Transaction, key: int, claim: str) -> str:
    """Return the status of a claim; refuse one that nobody holds any more."""
    status = str(transaction.value("SELECT status FROM claims WHERE key = ?", [key]))
    if status in ("deprecated", "forgotten"):
        raise InputError(f"{claim} is {status}", field="id", hint="add it again, if it holds after all")
    return status


def resolve(session: Session, target: str, by: str | None, *, uphold: bool, note: str, now: float | None) -> None:
    """End a challenge: uphold the target (the contradiction is withdrawn) or give it up (it is deprecated)."""
    check_text("note", note)
    at = session.at(now)
    with session.write() as transaction:
        key = key_of(transaction, target)
        if transaction.value("SELECT status FROM claims WHERE key = ?", [key]) != "challenged":
            raise InputError(f"{target} is not challenged", field="id")
        if not uphold:
            table.record(transaction, key, at, session.actor, "given up", note, "deprecated")
            return
        end = (
            "UPDATE relations SET removed_at = :at WHERE kind = 'contradicts' AND removed_at IS NULL AND target = :key"
        )
        parameters: dict[str, Any] = {"at": at, "key": key}
        if by is not None:
            end += " AND source = :by"
            parameters["by"] = key_of(transaction, by)
        if not transaction.run(end, parameters) and by is not None:
            raise InputError(f"{by} does not challenge {target}", field="by")
        left = transaction.value(
            "SELECT 1 FROM relations WHERE kind = 'contradicts' AND removed_at IS NULL AND target = ? LIMIT 1", [key]
        )
        table.record(transaction, key, at, session.actor, "upheld", note, "challenged" if left else "active")


def supersede(session: Session, old: str, new: str, now: float | None) -> None:
    """Let a claim take the place of another, which is deprecated."""
    at = session.at(now)
    with session.write() as transaction:
        first, second = key_of(transaction, new), key_of(transaction, old)
        _refuse_gone(transaction, second, old)
        _relate(transaction, first, "supersedes", second, 1.0, at)
        table.record(transaction, second, at, session.actor, "superseded", f"by {new}", "deprecated")
        table.record(transaction, first, at, session.actor, "supersedes", old)


def derive(
    session: Session,
    statement: dict[str, Any],
    constituents: Sequence[str],
    assessed: float,
    by: str,
    now: float | None,
) -> Added:
    """Add a claim that was inferred from others. It is never surer than they are, whenever it is read."""
    if not constituents:
        raise InputError("a derived claim needs at least one constituent", field="constituents")
    at = session.at(now)
    inference = {"source_type": "inference", "source_id": by, "contribution": assessed}
    given = decode(ClaimInput, statement | {"provenance": [inference]})
    with session.write() as transaction:
        keys = [key_of(transaction, claim) for claim in dict.fromkeys(constituents)]
        added = add_one(transaction, session, given, at)
        key = key_of(transaction, str(added.id))
        known = "SELECT target FROM relations WHERE source = ? AND kind = 'derived_from' AND removed_at IS NULL"
        there = {row[0] for row in transaction.rows(known, [key])}
        for constituent in keys:
            if constituent not in there:
                _relate(transaction, key, "derived_from", constituent, 1.0, at)
        table.record(transaction, key, at, session.actor, "derived", ", ".join(constituents)[:1000])
        return added


def invalidate_source(session: Session, source_type: str, source_id: str, reason: str, now: float | None) -> int:
    """Let a source count for nothing from now on; return how many claims rested on it."""
    check_text("reason", reason)
    at = session.at(now)
    with session.write() as transaction:
        if _invalidation(transaction, source_type, source_id):
            raise InputError(f"{source_type}:{source_id} is invalid already", field="source")
        transaction.run(
            "INSERT INTO invalidations (source_type, source_id, since, actor, reason) VALUES (?, ?, ?, ?, ?)",
            [source_type, source_id, at, session.actor, reason],
        )
        return _refold(transaction, session, source_type, source_id, at, "source invalidated")


def restore_source(session: Session, source_type: str, source_id: str, now: float | None) -> int:
    """Take back that a source was invalidated; return how many claims rest on it again."""
    at = session.at(now)
    with session.write() as transaction:
        if not _invalidation(transaction, source_type, source_id):
            raise InputError(f"{source_type}:{source_id} was not invalidated", field="source")
        transaction.run(
            "UPDATE invalidations SET until = ? WHERE source_type = ? AND source_id = ? AND until IS NULL",
            [at, source_type, source_id],
        )
        return _refold(transaction, session, source_type, source_id, at, "source restored")


def _invalidation(transaction: Transaction, source_type: str, source_id: str) -> bool:
    query = "SELECT 1 FROM invalidations WHERE source_type = ? AND source_id = ? AND until IS NULL"
    return bool(transaction.value(query, [source_type, source_id]))


def _refold(
    transaction: Transaction, session: Session, source_type: str, source_id: str, at: float, action: str
) -> int:
    query = "SELECT DISTINCT claim FROM sources WHERE source_type = ? AND source_id = ?"
    keys = [row[0] for row in transaction.rows(query, [source_type, source_id])]
    for key in keys:
        refresh(transaction, key)
        table.record(transaction, key, at, session.actor, action, f"{source_type}:{source_id}")
    return len(keys)
