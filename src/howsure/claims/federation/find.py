"""Finding claims, here and with all peers."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import fields, replace
from itertools import islice

from howsure.claims.add import statement_key, triple_key
from howsure.claims.federation.fitting import unbounded
from howsure.claims.federation.form import MOST
from howsure.claims.federation.merge import merged, ranked
from howsure.claims.federation.page import Coverage, FederatedPage, Origin
from howsure.claims.federation.peers import Peers
from howsure.claims.federation.survey import Question, Survey
from howsure.claims.find import as_claim
from howsure.errors import InputError
from howsure.graph.sql import ReadOptions
from howsure.store.claims import same_claim
from howsure.store.database import Row, Transaction
from howsure.store.selection import Selection, select
from howsure.store.session import Session

_AT_ONCE = 500


def check(limit: int | None, cursor: str | None, deliberate: bool | str, trust: float) -> None:
    """Refuse what a query can be asked for, but a federated one cannot."""
    if limit is None or not 1 <= limit <= MOST:
        problem = f"{limit} is no number of claims for a federated query"
        raise InputError(problem, field="limit", hint=f"from 1 to {MOST:,}")
    if cursor is not None:
        raise InputError("a federated query has one page", field="cursor", hint="give a limit, or a narrower query")
    if deliberate is not False:
        raise InputError("a judge is asked about this store's claims alone", field="deliberate")
    if trust != 1.0:
        raise InputError("each peer has a trust of its own", field="trust", hint="howsure peer add URL --trust 0.8")


def find(
    session: Session, ask: Callable[[], Peers | None], wanted: Selection, reading: ReadOptions, limit: int
) -> FederatedPage:
    """Return the claims that fit, here and elsewhere, in one order; and who was asked for them."""
    peers = ask() or Peers(session, {})
    survey = Survey(Question(wanted, reading, limit, session.clock()), peers.with_tokens())
    with session.database.read() as transaction:  # while the peers think
        rows = select(transaction, reading, wanted, limit + 1)
    answers = sorted(survey, key=lambda answer: answer.asked.name)
    theirs = [origin for answer in answers for origin in answer.origins]
    with session.database.read() as transaction:
        rows_alike = list(_alike(transaction, reading, wanted, theirs, {row[-1] for row in rows}))
    claims = ranked(merged([_origin(row) for row in (*rows, *rows_alike)], theirs), wanted)
    shown = {claim.named.id for claim in claims[:limit] if claim.peer is None}
    session.accessed([row[-1] for row in (*rows, *rows_alike) if row[0] in shown])
    coverage = Coverage(tuple(answer.asked for answer in answers))
    peers.note(coverage.peers)
    return FederatedPage(claims[:limit], coverage, len(claims) > limit or any(peer.more for peer in coverage.peers))


def _alike(
    transaction: Transaction, reading: ReadOptions, wanted: Selection, theirs: Iterable[Origin], there: set[int]
) -> Iterator[Row]:
    """Give our own claims that say what a peer tells, and were not found: by their bounds, or by their words."""
    found: set[int] = set()
    for one in theirs:
        same = same_claim(transaction, one.namespace, statement_key(one.statement), None)
        if same is None:  # by its triple alone
            same = same_claim(transaction, one.namespace, "", triple_key(one.subject, one.predicate, one.object))
        found |= set() if same is None else {same}
    rest = iter(sorted(found - there))
    alike = replace(wanted, text=None, **unbounded())
    while some := list(islice(rest, _AT_ONCE)):
        yield from select(transaction, reading, alike, among=some)


def _origin(row: Row) -> Origin:
    """Return a claim of ours as an origin."""
    claim = as_claim(row)
    same = {field.name: getattr(claim, field.name) for field in fields(Origin) if field.name not in ("peer", "trust")}
    return Origin(peer=None, trust=1.0, **same)
