"""Merge claims that several stores share into one claim with several origins."""

from collections.abc import Callable, Iterable
from typing import Any

from howsure.claims.federation.matching import within
from howsure.claims.federation.page import ClaimOrigin, FederatedClaim, federated_claim
from howsure.shapes import LAST_MOMENT
from howsure.store.claim_tables.claims import statement_key, triple_key
from howsure.store.claim_tables.selection import Selection

_BY: dict[str, Callable[[FederatedClaim], Any]] = {
    "lower": lambda claim: round(claim.interval.lower, 9),
    "upper": lambda claim: round(claim.interval.upper, 9),
    "width": lambda claim: round(claim.interval.width, 9),
    "midpoint": lambda claim: round(claim.interval.midpoint, 9),
    "created_at": lambda claim: claim.named.created_at,
    "stale_at": lambda claim: LAST_MOMENT if claim.named.stale_at is None else claim.named.stale_at,
    "sources": lambda claim: claim.sources,
    "statement": lambda claim: claim.statement,
}


def merge(own: Iterable[ClaimOrigin], theirs: Iterable[ClaimOrigin]) -> list[FederatedClaim]:
    """Group claims with the same statement in the same namespace, as when a claim is added.

    A claim with only the same triple is merged into one of this store, whose statement and triple belong together, but
    not into one of another peer: a peer that puts a wrong triple to its words would gain the sources of the others.
    """
    groups: dict[tuple[str, str], list[ClaimOrigin]] = {}
    triples: dict[tuple[str, str | None], tuple[str, str]] = {}
    for origin in own:
        words = (origin.namespace, statement_key(origin.statement))
        groups.setdefault(words, []).append(origin)
        triples.setdefault(_triple(origin), words)
    for origin in theirs:
        words = (origin.namespace, statement_key(origin.statement))
        triple = _triple(origin)
        if words not in groups and triple[1] is not None:
            words = triples.get(triple, words)
        groups.setdefault(words, []).append(origin)
    return [federated_claim(origins) for origins in groups.values()]


def _triple(origin: ClaimOrigin) -> tuple[str, str | None]:
    return origin.namespace, triple_key(origin.subject, origin.predicate, origin.object)


def sort_matching(claims: Iterable[FederatedClaim], wanted: Selection) -> list[FederatedClaim]:
    """Return the claims whose interval matches the selection, in its order. The sort is stable."""
    fitting = (claim for claim in claims if within(wanted, claim.interval))
    return sorted(fitting, key=_BY[wanted.order], reverse=not wanted.ascending)
