"""Find claims in this store and in those of all peers."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import fields, replace
from itertools import islice
from typing import Annotated

from howsure.claims.claim import claim_from_row
from howsure.claims.federation import MAX_CLAIMS
from howsure.claims.federation.matching import unbounded
from howsure.claims.federation.merge import merge, sort_matching
from howsure.claims.federation.page import ClaimOrigin, FederatedClaimPage, PeerCoverage
from howsure.claims.federation.peers import Peers
from howsure.claims.federation.survey import Question, Survey
from howsure.graph.sql import ReadOptions
from howsure.shapes import Within, decode_as
from howsure.store.backends.database import Row, Transaction
from howsure.store.claim_tables.claims import find_same, former_key, statement_key, triple_key
from howsure.store.claim_tables.selection import Selection, select
from howsure.store.session import Session

_BATCH = 500


def find_federated(
    session: Session, get_peers: Callable[[], Peers] | None, selection: Selection, options: ReadOptions, limit: int
) -> FederatedClaimPage:
    """Return the matching claims of this store and its peers in one order, and which peers answered."""
    decode_as(Annotated[int, Within(1, MAX_CLAIMS)], limit, "limit")
    peers = Peers(session, {}) if get_peers is None else get_peers()
    survey = Survey(Question(selection, options, limit, session.clock()), peers.with_tokens())
    with session.database.read() as transaction:  # while the peers answer
        rows = select(transaction, options, selection, limit + 1)
    answers = sorted(survey, key=lambda answer: answer.result.name)
    theirs = [origin for answer in answers for origin in answer.origins]
    with session.database.read() as transaction:
        rows_alike = list(_select_same(transaction, options, selection, theirs, {row[-1] for row in rows}))
    claims = sort_matching(merge([_own_origin(row) for row in (*rows, *rows_alike)], theirs), selection)
    own = {claim.id for claim in claims[:limit] if claim.peer is None}
    session.accessed([row[-1] for row in (*rows, *rows_alike) if row[0] in own])
    coverage = PeerCoverage(tuple(answer.result for answer in answers))
    peers.note(coverage.peers)
    return FederatedClaimPage(
        claims[:limit], coverage, len(claims) > limit or any(peer.more for peer in coverage.peers)
    )


def _select_same(
    transaction: Transaction, options: ReadOptions, selection: Selection, theirs: Iterable[ClaimOrigin], known: set[int]
) -> Iterator[Row]:
    """Yield own claims that say the same as a peer's claim but did not match by their bounds or words."""
    same: set[int] = set()
    for origin in theirs:
        keys = (statement_key(origin.statement), None, former_key(origin.statement))
        own = find_same(transaction, origin.namespace, *keys)
        if own is None:  # by its triple alone
            triple = triple_key(origin.subject, origin.predicate, origin.object)
            own = find_same(transaction, origin.namespace, "", triple)
        same |= set() if own is None else {own[0]}
    rest = iter(sorted(same - known))
    without_bounds = replace(selection, text=None, **unbounded())
    while batch := list(islice(rest, _BATCH)):
        yield from select(transaction, options, without_bounds, among=batch)


def _own_origin(row: Row) -> ClaimOrigin:
    """Return a claim of this store as an origin."""
    claim = claim_from_row(row)
    same = {
        field.name: getattr(claim, field.name) for field in fields(ClaimOrigin) if field.name not in ("peer", "trust")
    }
    return ClaimOrigin(peer=None, trust=1.0, **same)
