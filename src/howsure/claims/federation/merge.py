"""Merging: what several stores tell alike is one claim, with everybody who tells it."""

from collections.abc import Callable, Iterable
from typing import Any

from howsure.claims.add import statement_key, triple_key
from howsure.claims.federation.fitting import within
from howsure.claims.federation.page import FederatedClaim, Origin, surest_first
from howsure.store.selection import NEVER, Selection

_BY: dict[str, Callable[[FederatedClaim], Any]] = {
    "lower": lambda claim: round(claim.interval.lower, 9),
    "upper": lambda claim: round(claim.interval.upper, 9),
    "width": lambda claim: round(claim.interval.width, 9),
    "midpoint": lambda claim: round(claim.interval.midpoint, 9),
    "created_at": lambda claim: claim.named.created_at,
    "stale_at": lambda claim: NEVER if claim.named.stale_at is None else claim.named.stale_at,
    "sources": lambda claim: claim.sources,
    "statement": lambda claim: claim.statement,
}


def merged(own: Iterable[Origin], theirs: Iterable[Origin]) -> list[FederatedClaim]:
    """Put together what says the same in the same namespace: by its words, however written, as when a claim is added.

    A triple alone merges a claim into one of this store's own, whose words and triple belong together. Between peers
    it does not: whoever puts a wrong triple to its words would have the others speak for them.
    """
    groups: dict[tuple[str, str], list[Origin]] = {}
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
    return [FederatedClaim(tuple(sorted(origins, key=surest_first))) for origins in groups.values()]


def _triple(origin: Origin) -> tuple[str, str | None]:
    return origin.namespace, triple_key(origin.subject, origin.predicate, origin.object)


def ranked(claims: Iterable[FederatedClaim], wanted: Selection) -> list[FederatedClaim]:
    """Return the claims whose interval is as it is wanted, in the order that is. Equals stay as they come."""
    fitting = (claim for claim in claims if within(wanted, claim.interval))
    return sorted(fitting, key=_BY[wanted.order], reverse=not wanted.ascending)
