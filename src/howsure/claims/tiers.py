"""Verify, promote, demote, forget and purge claims."""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal, get_args

from howsure.claims.add import DEFAULT_CONTRIBUTION, TTL, ClaimRecord, split_source
from howsure.claims.claim import Claim, check_held, read_claim
from howsure.claims.relate import check_not_inferred
from howsure.errors import InputError, shown
from howsure.formulas.claim import Source, Status
from howsure.formulas.decay import TIERS, HalfLives, Tier
from howsure.formulas.ops import TOLERANCE, at_least
from howsure.graph.sql import ReadOptions
from howsure.shapes import LAST_MOMENT, Unit, decode_as
from howsure.store.backends.database import Transaction
from howsure.store.claim_tables import claim_lifetime as lifetime
from howsure.store.claim_tables import claims as table
from howsure.store.claim_tables import relations
from howsure.store.session import Session
from howsure.store.text_rules import check_text
from howsure.wording import pluralize

MINIMUM: dict[Tier, float] = {"ephemeral": 0.0, "task": 0.4, "project": 0.6, "persistent": 0.8}
"""Lower bound that a promotion to each tier needs."""
PERSISTENT_SOURCES = 2
"""Independent sources that a persistent claim needs."""
PromotionOutcome = Literal["promoted", "rejected", "deferred"]
ATTEMPTS = 3
"""How often a gatekeeper is asked about a claim that changes while it decides."""


@dataclass(frozen=True)
class ClaimPromotion:
    """The decision of a gatekeeper about a promotion."""

    outcome: PromotionOutcome
    reasons: list[str]
    tier: Tier
    """The tier of the claim afterwards."""


Gatekeeper = Callable[[Claim, Tier], ClaimPromotion]
"""Decides whether a claim may move to a tier."""


def by_bounds(claim: Claim, tier: Tier) -> ClaimPromotion:
    """Promote a claim by its lower bound; defer it if it is challenged or its upper bound is high enough."""
    reasons = []
    if claim.status == "challenged":
        reasons.append("it is challenged: resolve that first")
    if not at_least(claim.interval.lower, MINIMUM[tier]):
        reasons.append(f"its lower bound {claim.interval.lower:.2f} is below {MINIMUM[tier]:.2f}, which {tier} needs")
    if tier == "persistent" and claim.sources < PERSISTENT_SOURCES:
        few = pluralize(claim.sources, "independent source")
        reasons.append(f"it has {few}, and {tier} needs {PERSISTENT_SOURCES}")
    if not reasons:
        sure = f"its lower bound {claim.interval.lower:.2f} reaches {MINIMUM[tier]:.2f}"
        return ClaimPromotion("promoted", [sure], tier)
    reachable = claim.status == "challenged" or at_least(claim.interval.upper, MINIMUM[tier])
    return ClaimPromotion("deferred" if reachable else "rejected", reasons, claim.tier)


def promote(session: Session, claim: str, to: Tier | None, gatekeeper: Gatekeeper, now: float | None) -> ClaimPromotion:
    """Move a claim up if the gatekeeper agrees; its decision is recorded in the history of the claim.

    No transaction is open while the gatekeeper decides. If the claim changes meanwhile, it is asked again.
    """
    target = to
    for left in reversed(range(ATTEMPTS)):
        options = session.read_options(now)
        with session.database.read() as transaction:
            found, _ = read_claim(transaction, claim, options)
        claim = found.id
        target = _target(claim, found, target)
        promotion = _checked(gatekeeper(found, target), found.tier, target)
        with session.write_claims() as transaction:
            after, key = read_claim(transaction, claim, options)
            changed = not _same(found, after)
            if changed and gatekeeper is by_bounds:  # it decides at once, so it is asked again within the transaction
                target, changed = _target(claim, after, target), False
                promotion = by_bounds(after, target)
            if changed and left:
                continue
            if changed:
                promotion = ClaimPromotion(
                    "deferred", ["it was changed while it was being judged: try again"], after.tier
                )
            at = session.at(now)
            if promotion.outcome == "promoted":
                move(transaction, key, target, at, session.formula.half_life)
            detail = _storable(f"to {target}: {'; '.join(promotion.reasons)}")
            action = promotion.outcome if promotion.outcome == "promoted" else f"promotion {promotion.outcome}"
            table.record_event(transaction, key, at, session.actor, action, detail[:1000])
            break
    return promotion


def _target(claim: str, found: Claim, to: Tier | None) -> Tier:
    """Return the tier to promote a claim to; raise InputError if it is not higher, or the claim is not held."""
    place = TIERS.index(found.tier)
    if to is None and place == len(TIERS) - 1:
        raise InputError(f"{claim} is persistent already", field="to")
    target: Tier = TIERS[place + 1] if to is None else decode_as(Tier, to, "to")
    if TIERS.index(target) <= place:
        raise InputError(f"{claim} is {found.tier}, so {target} is not a promotion", field="to", hint="demote it")
    check_held(claim, found.status)
    return target


def _same(before: Claim, after: Claim) -> bool:
    """Say whether a claim is unchanged, apart from when it was last read."""
    near = all(math.isclose(*bounds, abs_tol=TOLERANCE) for bounds in zip(before.interval, after.interval, strict=True))
    return near and replace(after, accessed_at=before.accessed_at, interval=before.interval) == before


def _checked(promotion: object, before: Tier, target: Tier) -> ClaimPromotion:
    """Return the decision of a gatekeeper, with the tier that follows from it; raise InputError if it is none."""
    if not isinstance(promotion, ClaimPromotion) or promotion.outcome not in get_args(PromotionOutcome):
        hint = f"howsure.claims.tiers.ClaimPromotion, with one of {', '.join(get_args(PromotionOutcome))}"
        raise InputError(f"the gatekeeper returned {shown(promotion)}", field="gatekeeper", hint=hint)
    tier = target if promotion.outcome == "promoted" else before
    return replace(promotion, reasons=[str(reason) for reason in promotion.reasons], tier=tier)


def _storable(text: str) -> str:
    """Return a text without NUL bytes and lone surrogates, which the reasons of a language model may contain."""
    return text.replace("\x00", "").encode("utf-8", "replace").decode()


def verify(session: Session, claim: str, source: str, contribution: float | None, now: float | None) -> Claim:
    """Add a source that has checked a claim again; renew its stale date and expiry by the rule of its tier.

    A deprecated claim counts again.
    """
    source_type, source_id = split_source(source)
    check_text("source_type", source_type, "source")
    check_text("source_id", source_id, "source")
    contribution = decode_as(Unit | None, contribution, "contribution")
    at = session.at(now)
    with session.write_claims() as transaction:
        key, claim = table.full_id(transaction, claim)
        dates = lifetime.dates_of(transaction, key)
        if dates.status == "forgotten":
            check_held(claim, dates.status)
        if dates.status == "deprecated" and relations.lacks_constituents(transaction, key):
            check_not_inferred(transaction, key, claim, "claim")
        if relations.is_invalidated(transaction, source_type, source_id):
            hint = "restore it, or name another source"
            raise InputError(f"{source_type}:{source_id} is invalidated", field="source", hint=hint)
        counted = DEFAULT_CONTRIBUTION if contribution is None else contribution
        verification = Source(source_type, source_id, counted, at, "verified")
        table.add_sources(transaction, key, [verification], at)
        half_life, ttl = session.formula.half_life.of(dates.tier), TTL[dates.tier]
        renewed = {"stale_at": _renewed(dates.stale_at, at, half_life), "expires_at": dates.expires_at}
        if ttl is not None:
            renewed["expires_at"] = _renewed(dates.expires_at, at, ttl)
        lifetime.set_dates(transaction, key, renewed)
        status = _revive(transaction, key, at) if dates.status == "deprecated" else None
        detail = f"{source_type}:{source_id}"[:500] + (f"; {status} again" if status else "")
        table.record_event(transaction, key, at, session.actor, "verified", detail, status)
        return read_claim(transaction, claim, ReadOptions(session.formula, at))[0]


def _revive(transaction: Transaction, key: int, at: float) -> Status:
    """End what superseded a deprecated claim; return the status that it has from now on."""
    relations.end_supersession(transaction, key, at)
    return "challenged" if relations.is_contradicted(transaction, key) else "active"


def refute(session: Session, claim: str, source: str, note: str, now: float | None) -> Claim:
    """Mark a claim as wrong, by somebody who checked it: it is deprecated, and its sources are held to account."""
    source_type, source_id = split_source(source)
    check_text("source_type", source_type, "source")
    check_text("source_id", source_id, "source")
    check_text("context", note, "note")
    at = session.at(now)
    with session.write_claims() as transaction:
        key, claim = table.full_id(transaction, claim)
        status = table.status_of(transaction, key)
        if status in ("deprecated", "forgotten"):
            raise InputError(f"{claim} is {status}", field="claim", hint="only a claim that is held can be refuted")
        # A note among the sources, for audit: without a contribution it counts for nothing.
        table.add_sources(transaction, key, [Source(source_type, source_id, None, at, "refuted")], at)
        detail = f"{source_type}:{source_id}" + (f": {note}" if note else "")
        table.record_event(transaction, key, at, session.actor, "refuted", detail[:1000], "deprecated")
        return read_claim(transaction, claim, ReadOptions(session.formula, at))[0]


def _renewed(date: float | None, at: float, duration: float) -> float | None:
    """Return a date counted again from `at`. A later one stays as it is, and so does "never"."""
    return None if date is None else max(date, min(at + duration, LAST_MOMENT))


def apply_options(
    transaction: Transaction, session: Session, key: int, record: ClaimRecord, at: float
) -> tuple[list[str], tuple[str, ...]]:
    """Apply what a record says about a claim that exists, besides its sources.

    Dates are set as they are given. The tier is one that the claim should have at least: a lower one has no effect.

    Returns:
        The names of the fields that changed, and notes about what had no effect.

    Raises:
        InputError: if the claim would never be valid.
    """
    before = lifetime.dates_of(transaction, key)
    dates: dict[str, float | None] = {}
    changed: list[str] = []
    notes: tuple[str, ...] = ()
    if record.valid_from is not None:
        dates["valid_from"] = record.valid_from
    if record.valid_until is not None:
        dates["valid_until"] = record.valid_until
    start, end = dates.get("valid_from", before.valid_from), dates.get("valid_until", before.valid_until)
    if dates and start is not None and end is not None and start >= end:
        hint = f"the claim that exists is valid from {before.valid_from} until {before.valid_until}"
        raise InputError("the claim would never be valid", field=next(iter(dates)), hint=hint)
    if record.tier is not None and TIERS.index(record.tier) > TIERS.index(before.tier):
        move(transaction, key, record.tier, at, session.formula.half_life)
        changed.append("tier")
    elif record.tier not in (None, before.tier):
        notes = (f"it stays {before.tier}, which lives longer than {record.tier}; demote it to change that",)
    if record.stale_at is not None:
        dates["stale_at"] = None if isinstance(record.stale_at, str) else record.stale_at
    if record.ttl is not None:
        dates["expires_at"] = min(at + record.ttl, LAST_MOMENT)
    if dates:
        lifetime.set_dates(transaction, key, dates)
    return [*changed, *dates], notes


def demote(session: Session, claim: str, to: Tier | None, reason: str, now: float | None) -> Claim:
    """Move a claim down, by one tier unless another is given."""
    check_text("reason", reason)
    at = session.at(now)
    with session.write_claims() as transaction:
        key, claim = table.full_id(transaction, claim)
        tier = table.tier_of(transaction, key)
        place = TIERS.index(tier)
        target = TIERS[max(place - 1, 0)] if to is None else decode_as(Tier, to, "to")
        if TIERS.index(target) >= place:
            raise InputError(f"{claim} is {tier}, so {target} is not a demotion", field="to")
        move(transaction, key, target, at, session.formula.half_life)
        detail = f"to {target}: {reason}" if reason else f"to {target}"
        table.record_event(transaction, key, at, session.actor, "demoted", detail)
        return read_claim(transaction, claim, ReadOptions(session.formula, at))[0]


def move(transaction: Transaction, key: int, tier: Tier, at: float, half_life: HalfLives) -> None:
    """Set the tier of a claim, and with it its stale date and expiry, counted from `at`."""
    ttl = TTL[tier]
    expires_at = None if ttl is None else min(at + ttl, LAST_MOMENT)
    stale_at = min(at + half_life.of(tier), LAST_MOMENT)
    lifetime.set_tier(transaction, key, tier, expires_at=expires_at, stale_at=stale_at, now=at)


def forget(session: Session, claim: str, reason: str, now: float | None) -> bool:
    """Mark a claim as forgotten; return False if it is already."""
    check_text("reason", reason)
    at = session.at(now)
    with session.write_claims() as transaction:
        key = table.key_of(transaction, claim)
        if table.status_of(transaction, key) == "forgotten":
            return False
        table.record_event(transaction, key, at, session.actor, "forgotten", reason, "forgotten")
        return True


@dataclass(frozen=True)
class PurgedClaim:
    """A claim that was deleted for good."""

    id: str
    erased: bool
    """Whether its text is gone from the files, too. False while others read an older state of the store: a running
    server then erases it within a minute, as does the next purge."""


def purge(session: Session, claim: str) -> PurgedClaim:
    """Delete a claim with its sources, relations and history, and deprecate what was derived from it."""
    at = session.at(None)
    with session.write_claims() as transaction:
        key, claim = table.full_id(transaction, claim)
        for dependent in relations.dependents_of(transaction, key):
            reason = "what it was derived from is gone"
            table.record_event(transaction, dependent, at, session.actor, "deprecated", reason, "deprecated")
        table.record_event(transaction, key, at, session.actor, "forgotten", "purged", "forgotten")
        session.follow_removal(transaction, key)
        lifetime.purge(transaction, key, claim)
    return PurgedClaim(claim, erased=session.database.settled())
