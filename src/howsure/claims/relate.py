"""Relate claims: support, challenge, supersede and derive them, and invalidate their sources."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from howsure.claims.add import AddedClaim, ClaimRecord, add_record
from howsure.claims.claim import Claim, ClaimRelation, check_held, read_claim
from howsure.errors import InputError
from howsure.formulas.claim import RelationKind, Source, Status
from howsure.graph.sql import ReadOptions
from howsure.shapes import Unit, decode_as
from howsure.store.backends.database import Transaction
from howsure.store.claim_tables import claims as table
from howsure.store.claim_tables import relations
from howsure.store.claim_tables.denormalized import refresh
from howsure.store.session import Session
from howsure.store.text_rules import check_text


@dataclass(frozen=True)
class Challenge:
    """A claim that was challenged, and the one that contradicts it."""

    claim: Claim
    challenger: Claim
    strength: float
    """How strongly it contradicts the claim."""


@dataclass(frozen=True)
class SourceChange:
    """A source that was invalidated or restored."""

    source_type: str
    source_id: str
    claims: int
    """Number of claims that rest on it."""


def relate(
    session: Session, source: str, kind: RelationKind, target: str, strength: float = 1.0, now: float | None = None
) -> ClaimRelation:
    """Record how one claim relates to another."""
    at = session.at(now)
    kind, strength = decode_as(RelationKind, kind, "kind"), decode_as(Unit, strength, "strength")
    with session.write_claims() as transaction:
        (first, source), (second, target) = (table.full_id(transaction, one) for one in (source, target))
        if first == second:
            raise InputError("a claim cannot relate to itself", field="target")
        known = relations.strength_of(transaction, kind, first, second)
        if known is None or strength > known:  # else the relation that is known counts
            record_relation(transaction, session.actor, (first, source), kind, (second, target), strength, at)
        return ClaimRelation(source, kind, target, max(strength, known or 0.0))


def record_relation(
    transaction: Transaction,
    actor: str,
    source: tuple[int, str],
    kind: RelationKind,
    target: tuple[int, str],
    strength: float,
    at: float,
) -> None:
    """Relate two claims, each given by key and id, and write that into the history of both."""
    (first, source_id), (second, target_id) = source, target
    relations.relate(transaction, kind, first, second, strength, at)
    table.record_event(transaction, first, at, actor, "related", f"{kind} {target_id} ({strength:g})")
    table.record_event(transaction, second, at, actor, "related", f"{source_id} {kind} it ({strength:g})")


def unrelate(
    session: Session, source: str, kind: RelationKind, target: str, note: str, now: float | None
) -> ClaimRelation:
    """End a relation between two claims; a contradiction whichever way it was recorded."""
    check_text("note", note)
    at = session.at(now)
    kind = decode_as(RelationKind, kind, "kind")
    with session.write_claims() as transaction:
        (first, source), (second, target) = (table.full_id(transaction, one) for one in (source, target))
        strength = relations.strength_of(transaction, kind, first, second)
        if strength is None:
            hint = "howsure claim history shows how it is related"
            raise InputError(f"{source} has no relation {kind} to {target}", field="target", hint=hint)
        if kind == "contradicts":
            _check_not_challenged(transaction, (first, source), (second, target))
        if kind == "derived_from" and relations.constituents_of(transaction, first) == {second}:
            check_not_inferred(transaction, first, source, "target")
        relations.end_relation(transaction, kind, first, second, at)
        why = f": {note}" if note else ""
        table.record_event(transaction, first, at, session.actor, "unrelated", f"{kind} {target}{why}")
        table.record_event(transaction, second, at, session.actor, "unrelated", f"{source} {kind} it{why}")
        return ClaimRelation(source, kind, target, strength)


def _check_not_challenged(transaction: Transaction, one: tuple[int, str], other: tuple[int, str]) -> None:
    """Raise InputError if one of two claims is challenged by the other: that has a status, which `resolve` changes."""
    for (key, claim), (_, by) in ((one, other), (other, one)):
        if table.status_of(transaction, key) == "challenged" and table.has_source(transaction, key, "challenge", by):
            raise InputError(f"{by} challenges {claim}", field="kind", hint="resolve ends a challenge")


def check_not_inferred(transaction: Transaction, key: int, claim: str, field: str) -> None:
    """Raise InputError if a claim was inferred: without the last constituent, nothing would bound it."""
    if any(source.source_type == "inference" for source in table.sources_of(transaction, key)):
        hint = "relate it to what it is derived from first, or forget it"
        raise InputError(f"{claim} would be inferred from nothing", field=field, hint=hint)


def challenge(
    session: Session, target: str, challenger: str | ClaimRecord, strength: float, now: float | None
) -> Challenge:
    """Contradict a claim with another one, given by id or as a claim to add, and mark it as challenged."""
    at = session.at(now)
    with session.write_claims() as transaction:
        key, target = table.full_id(transaction, target)
        if isinstance(challenger, ClaimRecord):
            row = add_record(transaction, session, challenger, at)
            by, other = row.id, row.key
        else:
            other, by = table.full_id(transaction, challenger)
        if other == key:
            raise InputError("a claim cannot challenge itself", field="by", hint="the statement is the claim's own")
        status = table.status_of(transaction, key)
        check_held(target, status)
        check_held(by, table.status_of(transaction, other), "by")
        known = relations.strength_of(transaction, "contradicts", key, other)
        if known is not None and status == "challenged" and table.has_source(transaction, key, "challenge", by):
            raise InputError(
                f"{by} already challenges {target}", field="by", hint="resolve it, or challenge with another claim"
            )
        if known is None:
            relations.relate(transaction, "contradicts", other, key, strength, at)
        else:  # a contradiction that exists becomes a challenge; it must not count twice
            strength = known
        # A note among the sources, for audit: without a contribution it counts for nothing.
        table.add_sources(transaction, key, [Source("challenge", by, None, at, "challenged")], at)
        detail = f"by {by} ({strength:g})"
        table.record_event(transaction, key, at, session.actor, "challenged", detail, "challenged")
        table.record_event(transaction, other, at, session.actor, "challenges", target)
        options = ReadOptions(session.formula, at)
        claim, contradicting_claim = (read_claim(transaction, id_, options)[0] for id_ in (target, by))
        return Challenge(claim, contradicting_claim, strength)


def namespace_of(session: Session, claim: str) -> str:
    """Return the namespace of a claim."""
    with session.database.read() as transaction:
        return table.namespace_of(transaction, table.key_of(transaction, claim))


def resolve(session: Session, claim: str, by: str | None, *, uphold: bool, note: str, now: float | None) -> Claim:
    """End a challenge: uphold the claim (the contradiction is removed) or give it up (it is deprecated)."""
    check_text("note", note)
    at = session.at(now)
    with session.write_claims() as transaction:
        key, claim = table.full_id(transaction, claim)
        if table.status_of(transaction, key) != "challenged":
            raise InputError(f"{claim} is not challenged", field="claim")
        challenger = None if by is None else table.key_of(transaction, by)
        if uphold:
            if not relations.end_contradictions(transaction, key, challenger, at) and by is not None:
                raise InputError(f"{by} does not challenge {claim}", field="by")
            status: Status = "challenged" if relations.is_contradicted(transaction, key) else "active"
            table.record_event(transaction, key, at, session.actor, "upheld", note, status)
        else:
            table.record_event(transaction, key, at, session.actor, "given up", note, "deprecated")
        return read_claim(transaction, claim, ReadOptions(session.formula, at))[0]


def supersede(session: Session, claim: str, by: str, now: float | None) -> Claim:
    """Replace a claim by another one, and mark it as deprecated."""
    at = session.at(now)
    with session.write_claims() as transaction:
        (new, by), (old, claim) = (table.full_id(transaction, one) for one in (by, claim))
        if new == old:
            raise InputError("a claim cannot supersede itself", field="by")
        check_held(claim, table.status_of(transaction, old))
        check_held(by, table.status_of(transaction, new), "by")
        relations.relate(transaction, "supersedes", new, old, 1.0, at)
        table.record_event(transaction, old, at, session.actor, "superseded", f"by {by}", "deprecated")
        table.record_event(transaction, new, at, session.actor, "supersedes", claim)
        return read_claim(transaction, claim, ReadOptions(session.formula, at))[0]


def derive(session: Session, record: ClaimRecord, constituents: Sequence[str], now: float | None) -> AddedClaim:
    """Add a claim that is inferred from others."""
    if not constituents:
        raise InputError("a derived claim needs at least one constituent", field="constituents")
    at = session.at(now)
    with session.write_claims() as transaction:
        bases = dict(table.full_id(transaction, claim) for claim in constituents)
        row = add_record(transaction, session, record, at)
        if row.key in bases:
            raise InputError("a claim cannot be derived from itself", field="constituents")
        record_derivation(transaction, session.actor, row.key, bases, at)
        claim, _ = read_claim(transaction, row.id, ReadOptions(session.formula, at))
        return AddedClaim(row.outcome, claim, list(row.notes))


def record_derivation(transaction: Transaction, actor: str, key: int, bases: Mapping[int, str], at: float) -> None:
    """Relate a claim to those that it is derived from, ids by key, and write that into its history."""
    known = relations.constituents_of(transaction, key)
    for base in bases:
        if base not in known:
            relations.relate(transaction, "derived_from", key, base, 1.0, at)
    table.record_event(transaction, key, at, actor, "derived", ", ".join(bases.values())[:1000])


def invalidate_source(
    session: Session, source_type: str, source_id: str, reason: str, now: float | None
) -> SourceChange:
    """Stop counting a source in every claim that rests on it."""
    check_text("source_type", source_type)
    check_text("source_id", source_id)
    check_text("reason", reason)
    at = session.at(now)
    with session.write_claims() as transaction:
        if relations.is_invalidated(transaction, source_type, source_id):
            raise InputError(f"{source_type}:{source_id} is invalidated already", field="source")
        relations.invalidate(transaction, source_type, source_id, at, session.actor, reason)
        return _refresh_claims(transaction, session, source_type, source_id, at, "source invalidated")


def restore_source(session: Session, source_type: str, source_id: str, now: float | None) -> SourceChange:
    """Count an invalidated source again."""
    check_text("source_type", source_type)
    check_text("source_id", source_id)
    at = session.at(now)
    with session.write_claims() as transaction:
        if not relations.is_invalidated(transaction, source_type, source_id):
            raise InputError(f"{source_type}:{source_id} is not invalidated", field="source")
        relations.end_invalidation(transaction, source_type, source_id, at)
        return _refresh_claims(transaction, session, source_type, source_id, at, "source restored")


def _refresh_claims(
    transaction: Transaction, session: Session, source_type: str, source_id: str, at: float, action: str
) -> SourceChange:
    keys = relations.claims_of_source(transaction, source_type, source_id)
    for key in keys:
        refresh(transaction, key)
        table.record_event(transaction, key, at, session.actor, action, f"{source_type}:{source_id}")
    return SourceChange(source_type, source_id, len(keys))
