"""Tiers: how claims move up by a gatekeeper, down, and out."""

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Literal, NamedTuple, get_args

from howsure.claims.add import TTL, check_text
from howsure.claims.find import StoredClaim, read_one
from howsure.errors import InputError, shown
from howsure.formulas.decay import HalfLives, Tier
from howsure.formulas.ops import TOLERANCE, at_least
from howsure.shapes import decode_as
from howsure.store import claims as table
from howsure.store.database import Transaction
from howsure.store.denormalized import refresh
from howsure.store.session import Session, key_of

TIERS: tuple[Tier, ...] = ("ephemeral", "task", "project", "persistent")
MINIMUM: dict[Tier, float] = {"ephemeral": 0.0, "task": 0.4, "project": 0.6, "persistent": 0.8}
"""Lower bound that a claim needs to be promoted to each tier."""
PERSISTENT_SOURCES = 2
"""Independent sources that a persistent claim needs."""


Answer = Literal["promoted", "rejected", "deferred"]
ATTEMPTS = 3
"""Times that a gatekeeper is asked about a claim that others keep changing meanwhile."""


class Verdict(NamedTuple):
    """What the gatekeeper says about a promotion."""

    answer: Answer
    reasons: list[str]
    tier: Tier
    """The tier the claim has afterwards."""


Gatekeeper = Callable[[StoredClaim, Tier], Verdict]
"""Decides whether a claim may move to a tier."""


def by_bounds(claim: StoredClaim, tier: Tier) -> Verdict:
    """Promote what is sure enough by its lower bound; defer what is contested, or could still get there."""
    reasons = []
    if claim.status == "challenged":
        reasons.append("it is challenged: resolve that first")
    if not at_least(claim.interval.lower, MINIMUM[tier]):
        reasons.append(f"its lower bound {claim.interval.lower:.2f} is below {MINIMUM[tier]:.2f}, which {tier} needs")
    if tier == "persistent" and claim.sources < PERSISTENT_SOURCES:
        reasons.append(f"{claim.sources} independent sources are fewer than {PERSISTENT_SOURCES}")
    if not reasons:
        sure = f"its lower bound {claim.interval.lower:.2f} reaches {MINIMUM[tier]:.2f}"
        return Verdict("promoted", [sure], tier)
    reachable = claim.status == "challenged" or at_least(claim.interval.upper, MINIMUM[tier])
    return Verdict("deferred" if reachable else "rejected", reasons, claim.tier)


def promote(session: Session, claim: str, to: Tier | None, gatekeeper: Gatekeeper, now: float | None) -> Verdict:
    """Move a claim up if the gatekeeper lets it; whatever it says is written into the claim's history.

    While the gatekeeper thinks, others may write. Where that changes the claim, it is asked again.
    """
    target = to
    for left in reversed(range(ATTEMPTS)):
        reading = session.read_options(now)
        with session.database.read() as transaction:
            found, _ = read_one(transaction, claim, reading)
        target = _target(claim, found, target)
        verdict = _checked(gatekeeper(found, target))
        with session.write() as transaction:
            after, key = read_one(transaction, claim, reading)
            changed = not _same(found, after)
            if changed and gatekeeper is by_bounds:  # which decides at once
                target, changed = _target(claim, after, target), False
                verdict = by_bounds(after, target)
            if changed and left:
                continue
            if changed:
                verdict = Verdict("deferred", ["it was changed while it was being judged: try again"], after.tier)
            at = session.at(now)
            if verdict.answer == "promoted":
                move(transaction, key, target, at, session.formula.half_life)
            detail = _keepable(f"to {target}: {'; '.join(verdict.reasons)}")
            action = verdict.answer if verdict.answer == "promoted" else f"promotion {verdict.answer}"
            table.record(transaction, key, at, session.actor, action, detail[:1000])
            break
    return verdict


def _target(claim: str, found: StoredClaim, to: Tier | None) -> Tier:
    """Return the tier that a claim is to move to; refuse what is no promotion, or of a claim that nobody holds."""
    place = TIERS.index(found.tier)
    if to is None and place == len(TIERS) - 1:
        raise InputError(f"{claim} is persistent already", field="tier")
    target: Tier = TIERS[place + 1] if to is None else decode_as(Tier, to, "tier")
    if TIERS.index(target) <= place:
        raise InputError(f"{claim} is {found.tier}: {target} is no promotion", field="tier", hint="demote it instead")
    if found.status in ("deprecated", "forgotten"):
        raise InputError(f"{claim} is {found.status}", field="id")
    return target


def _same(before: StoredClaim, after: StoredClaim) -> bool:
    """Say whether a claim stands as it did; that it was read meanwhile changes nothing."""
    near = all(math.isclose(*bounds, abs_tol=TOLERANCE) for bounds in zip(before.interval, after.interval, strict=True))
    return near and replace(after, accessed_at=before.accessed_at, interval=before.interval) == before


def _checked(verdict: object) -> Verdict:
    """Return what a gatekeeper said, if it is a verdict."""
    if not isinstance(verdict, Verdict) or verdict.answer not in get_args(Answer):
        hint = f"howsure.claims.tiers.Verdict, with one of {', '.join(get_args(Answer))}"
        raise InputError(f"{shown(verdict)} is no verdict", field="gatekeeper", hint=hint)
    return verdict._replace(reasons=[str(reason) for reason in verdict.reasons])


def _keepable(text: str) -> str:
    """Return a text without what a store cannot keep: reasons may be a language model's."""
    return text.replace("\x00", "").encode("utf-8", "replace").decode()


def _literal(text: str) -> str:
    """Return a text in which nothing stands for anything else in an SQL pattern."""
    return text.replace("!", "!!").replace("%", "!%").replace("_", "!_")


def demote(session: Session, claim: str, to: Tier | None, reason: str, now: float | None) -> Tier:
    """Move a claim down, one tier unless another is named."""
    check_text("reason", reason)
    at = session.at(now)
    with session.write() as transaction:
        key = key_of(transaction, claim)
        tier = transaction.value("SELECT tier FROM claims WHERE key = ?", [key])
        place = TIERS.index(tier)
        target = TIERS[max(place - 1, 0)] if to is None else decode_as(Tier, to, "tier")
        if TIERS.index(target) >= place:
            raise InputError(f"{claim} is {tier}: {target} is no demotion", field="tier")
        move(transaction, key, target, at, session.formula.half_life)
        table.record(
            transaction, key, at, session.actor, "demoted", f"to {target}: {reason}" if reason else f"to {target}"
        )
        return target


def move(transaction: Transaction, key: int, tier: Tier, at: float, half_life: HalfLives) -> None:
    """Set the tier, and with it when the claim gets stale and when it expires, counted from now."""
    ttl = TTL[tier]
    transaction.run(
        "UPDATE claims SET tier = ?, expires_at = ?, "
        "stale_at = CASE WHEN stale_at IS NULL OR stale_at <= ? THEN stale_at ELSE ? END WHERE key = ?",
        [tier, None if ttl is None else at + ttl, at, at + half_life.of(tier), key],
    )
    refresh(transaction, key)


def forget(session: Session, claim: str, reason: str, now: float | None) -> bool:
    """Stop believing a claim; it is collected later. Forgetting twice is forgetting once: then nothing is changed."""
    check_text("reason", reason)
    at = session.at(now)
    with session.write() as transaction:
        key = key_of(transaction, claim)
        if transaction.value("SELECT status FROM claims WHERE key = ?", [key]) == "forgotten":
            return False
        table.record(transaction, key, at, session.actor, "forgotten", reason, "forgotten")
        return True


def purge(session: Session, claim: str) -> None:
    """Take a claim away for good: its text, sources, relations and history. Nothing of it is left to back up."""
    at = session.at(None)
    with session.write() as transaction:
        key = key_of(transaction, claim)
        for dependent in table.derived_from(transaction, key):
            reason = "what it was derived from is gone"
            table.record(transaction, dependent, at, session.actor, "deprecated", reason, "deprecated")
        table.remove(transaction, [key])
        others = transaction.rows("SELECT key FROM events WHERE detail LIKE ? ESCAPE '!'", [f"%{_literal(claim)}%"])
        transaction.many("UPDATE events SET detail = '(purged)' WHERE key = ?", others)
        transaction.run("DELETE FROM sources WHERE source_type = 'challenge' AND source_id = ?", [claim])
        transaction.run("DELETE FROM requests WHERE answer IS NOT NULL")  # kept answers may tell of it
    session.database.settle()
