"""Store what a synthesis found as claims: its statements, its conflicts as contradictions, and its conclusion."""

from collections.abc import Mapping, Sequence

from howsure.claims.add import ClaimRecord, add_record
from howsure.claims.api import Claims
from howsure.claims.relate import record_derivation, record_relation
from howsure.errors import InputError
from howsure.formulas.claim import Source
from howsure.shapes import decode
from howsure.store.backends.database import Transaction
from howsure.store.claim_tables.claims import key_of
from howsure.store.claim_tables.relations import strength_of
from howsure.store.session import Session
from howsure.syntheses.synthesis import Synthesis, SynthesisConflict, SynthesisFindings, SynthesisStatement, one_line

MOST_CONCLUDED = 3
"""Claims that a conclusion consists of at most."""
LONGEST = 5000
"""Characters of a statement or a conclusion that are stored."""


def save_findings(
    claims: Claims, synthesis: Synthesis, namespace: str = "default", now: float | None = None
) -> SynthesisFindings:
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
    with session.write_claims() as transaction:
        added = {id_: add_record(transaction, session, claim, at) for id_, claim in inputs.items()}
        ids = {id_: one.id for id_, one in added.items()}
        outcomes = [one.outcome for one in added.values()]
        related = sum(_contradict(transaction, session, ids, conflict, at) for conflict in synthesis.conflicts)
        conclusion, warning = _conclude(transaction, session, synthesis, ids, namespace, at)
    return SynthesisFindings(
        ids, outcomes.count("created"), outcomes.count("corroborated"), related, conclusion, warning
    )


def _make_claim(statement: SynthesisStatement, sources: Sequence[str], namespace: str) -> ClaimRecord:
    """Return a statement as a claim; its sources are those of its sub-result, or the sub-result itself."""
    entries = tuple(
        Source("extraction", name, statement.confidence, context=statement.evidence[:500])
        for name in [name for name in sources if name.strip()] or [statement.source]
    )
    try:
        return decode(
            ClaimRecord, {"statement": statement.statement[:LONGEST], "namespace": namespace, "sources": entries}
        )
    except InputError as error:
        raise error.under(one_line(statement.id)) from None


def _contradict(
    transaction: Transaction, session: Session, ids: Mapping[str, str], conflict: SynthesisConflict, at: float
) -> bool:
    """Relate two claims as contradicting unless they already are; return whether that is new."""
    one, other = ids[conflict.first.id], ids[conflict.second.id]
    first, second = key_of(transaction, one), key_of(transaction, other)
    if first == second or strength_of(transaction, "contradicts", first, second) is not None:
        return False
    record_relation(transaction, session.actor, (first, one), "contradicts", (second, other), conflict.severity, at)
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
    claim = {"statement": text[:LONGEST], "namespace": namespace, "sources": [inference]}
    try:
        with transaction.savepoint():
            return _derive(transaction, session, decode(ClaimRecord, claim), list(best), at), ""
    except InputError as error:
        return None, f"no conclusion was kept: {error}"


def _derive(transaction: Transaction, session: Session, claim: ClaimRecord, grounds: Sequence[str], at: float) -> str:
    """Add a claim that is derived from others, and return its id."""
    bases = {key_of(transaction, ground): ground for ground in grounds}
    added = add_record(transaction, session, claim, at)
    if added.key in bases:
        raise InputError("it says no more than one of the claims it would rest on", field="conclusion")
    record_derivation(transaction, session.actor, added.key, bases, at)
    return added.id
