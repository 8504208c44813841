"""Store what a synthesis found as claims: its statements, its conflicts as contradictions, and its conclusion."""

from collections.abc import Mapping, Sequence

from howsure.claims.add import ClaimInput, add_one
from howsure.claims.api import Claims
from howsure.claims.relate import deepen
from howsure.errors import InputError
from howsure.formulas.claim import Source
from howsure.shapes import decode
from howsure.store import claims as table
from howsure.store.database import Transaction
from howsure.store.session import Session, key_of
from howsure.syntheses.synthesis import Conflict, Findings, Statement, Synthesis, one_line

MOST_CONCLUDED = 3
"""Claims that a conclusion consists of at most."""
LONGEST = 5000
"""Characters of a statement or a conclusion that are stored."""


def save_findings(
    claims: Claims, synthesis: Synthesis, namespace: str = "default", now: float | None = None
) -> Findings:
    """Store the claims of a synthesis, relate those in conflict as contradicting, and derive its conclusion.

    All of it is stored or nothing. Doing it again corroborates the claims instead of duplicating them.

    Raises:
        InputError: if the synthesis abstained.
    """
    if synthesis.decision != "answer":
        raise InputError("the synthesis abstained: there is nothing to keep", field="synthesis")
    session = claims.session
    at = session.at(now)
    sources = {result.id: result.sources for result in synthesis.results}
    inputs = {one.id: _make_claim(one, sources.get(one.source, ()), namespace) for one in synthesis.claims}
    with session.write() as transaction:
        added = {id_: add_one(transaction, session, claim, at) for id_, claim in inputs.items()}
        ids = {id_: str(one.id) for id_, one in added.items()}
        outcomes = [one.outcome for one in added.values()]
        related = sum(_contradict(transaction, session, ids, conflict, at) for conflict in synthesis.conflicts)
        conclusion, warning = _conclude(transaction, session, synthesis, ids, namespace, at)
    return Findings(ids, outcomes.count("created"), outcomes.count("corroborated"), related, conclusion, warning)


def _make_claim(statement: Statement, sources: Sequence[str], namespace: str) -> ClaimInput:
    """Return a statement as a claim; its sources are those of its sub-result, or the sub-result itself."""
    entries = tuple(
        Source("extraction", name, statement.confidence, context=statement.evidence[:500])
        for name in [name for name in sources if name.strip()] or [statement.source]
    )
    try:
        return decode(
            ClaimInput, {"statement": statement.statement[:LONGEST], "namespace": namespace, "provenance": entries}
        )
    except InputError as error:
        raise error.under(one_line(statement.id)) from None


def _contradict(
    transaction: Transaction, session: Session, ids: Mapping[str, str], conflict: Conflict, at: float
) -> bool:
    """Relate two claims as contradicting unless they already are; return whether that is new."""
    one, other = ids[conflict.first.id], ids[conflict.second.id]
    first, second = key_of(transaction, one), key_of(transaction, other)
    if first == second or any(
        table.has_relation(transaction, source, "contradicts", target)
        for source, target in ((first, second), (second, first))
    ):
        return False
    table.relate(transaction, "contradicts", first, second, conflict.severity, at)
    severity = f"({conflict.severity:g})"
    table.record(transaction, first, at, session.actor, "related", f"contradicts {other} {severity}")
    table.record(transaction, second, at, session.actor, "related", f"{one} contradicts it {severity}")
    return True


def _conclude(
    transaction: Transaction, session: Session, synthesis: Synthesis, ids: Mapping[str, str], namespace: str, at: float
) -> tuple[str | None, str]:
    """Derive a conclusion from the most confident undisputed claims; return its id or None, and a warning or ""."""
    disputed = {ids[side.id] for conflict in synthesis.conflicts for side in (conflict.first, conflict.second)}
    best: dict[str, str] = {}
    for one in synthesis.claims:
        if ids[one.id] not in disputed and len(best) < MOST_CONCLUDED:
            best.setdefault(ids[one.id], one_line(one.statement))
    query = one_line(synthesis.query)
    text = f"{query}: {' '.join(best.values())}" if query else " ".join(best.values())
    if not best or text in best.values():  # a claim does not follow from itself
        return None, ""
    inference = {"source_type": "inference", "source_id": "synthesis", "contribution": synthesis.overall}
    claim = {"statement": text[:LONGEST], "namespace": namespace, "provenance": [inference]}
    try:
        with transaction.savepoint():
            return _derive(transaction, session, decode(ClaimInput, claim), list(best), at), ""
    except InputError as error:
        return None, f"no conclusion was kept: {error}"


def _derive(transaction: Transaction, session: Session, claim: ClaimInput, grounds: Sequence[str], at: float) -> str:
    """Add a claim that is derived from others, and return its id."""
    keys = {ground: key_of(transaction, ground) for ground in grounds}
    added = add_one(transaction, session, claim, at)
    key = key_of(transaction, str(added.id))
    if key in keys.values():
        raise InputError("it says no more than one of the claims it would rest on", field="conclusion")
    for target in keys.values():
        if not table.has_relation(transaction, key, "derived_from", target):
            table.relate(transaction, "derived_from", key, target, 1.0, at)
            deepen(transaction, key)
    table.record(transaction, key, at, session.actor, "derived", ", ".join(grounds)[:1000])
    return str(added.id)
