"""Check that claims of a peer match the selection. Our own claims are selected by SQL."""

from typing import Any

from howsure.claims.federation.wire import SharedClaim
from howsure.formulas.interval import Interval
from howsure.formulas.ops import TOLERANCE
from howsure.store.claim_tables.namespace_patterns import namespace_test
from howsure.store.claim_tables.selection import UNVERIFIED_LOWER, UNVERIFIED_UPPER, WIDE, Selection
from howsure.text.stems import search_words

BOUNDS = ("min_lower", "max_lower", "min_upper", "max_upper", "min_width", "max_width", "wide", "unverified")
"""The fields of a selection about the interval, which are decided by the store that scores."""


def unbounded() -> dict[str, Any]:
    """Return field values with which a selection accepts every interval."""
    return {name: False if name in ("wide", "unverified") else None for name in BOUNDS}


def mismatch(wanted: Selection, claim: SharedClaim, now: float) -> str:
    """Return the field in which a claim does not match the selection; empty if it matches."""
    said = set(search_words(claim.statement))
    begun = claim.valid_from is None or claim.valid_from <= now
    over = claim.valid_until is not None and claim.valid_until <= now
    stale = claim.stale_at is not None and claim.stale_at < now
    holds = {
        "statement": said.issuperset(search_words(wanted.text or "", query=True)),
        "subject": wanted.subject in (None, claim.subject),
        "predicate": wanted.predicate in (None, claim.predicate),
        "object": wanted.object in (None, claim.object),
        "namespace": wanted.namespace is None or namespace_test(wanted.namespace)(claim.namespace),
        "tier": not wanted.tiers or claim.tier in wanted.tiers,
        "status": not wanted.statuses or claim.status in wanted.statuses,
        "created_at": (wanted.created_from is None or wanted.created_from <= claim.created_at)
        and (wanted.created_until is None or claim.created_at < wanted.created_until),
        "stale_at": wanted.stale in (None, stale),
        "valid_from": wanted.outside_validity or begun,
        "valid_until": wanted.outside_validity or not over,
    }
    return next((name for name, held in holds.items() if not held), "")


def within(wanted: Selection, interval: Interval) -> bool:
    """Say whether an interval matches the selection."""
    for name in BOUNDS[:6]:
        side, _, bound = name.partition("_")
        limit, value = getattr(wanted, name), getattr(interval, bound)
        if limit is not None and (value < limit - TOLERANCE if side == "min" else value > limit + TOLERANCE):
            return False
    if wanted.wide and interval.width < WIDE - TOLERANCE:
        return False
    lower, upper = UNVERIFIED_LOWER - TOLERANCE, UNVERIFIED_UPPER - TOLERANCE
    return not wanted.unverified or (interval.upper >= upper and interval.lower < lower)
