"""Findings: what a synthesis found out, kept among the claims."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from howsure.claims.add import ClaimInput, add_one
from howsure.claims.api import Claims
from howsure.claims.relate import deepen
from howsure.errors import InputError
from howsure.formulas.claim import Source
from howsure.shapes import decode
from howsure.store import claims as table
from howsure.store.database import Transaction
from howsure.store.session import Session, key_of
from howsure.syntheses.synthesis import Clash, Statement, Synthesis, one_line

MOST_CONCLUDED = 3
"""Statements that a conclusion is put together from."""
LONGEST = 5000
"""Characters of a statement, or of a conclusion, that are kept."""


class Findings(NamedTuple):
    """What became of a synthesis among the claims."""

    claims: dict[str, str]
    """Id of the claim for each statement's id."""
    created: int
    corroborated: int
    related: int
    """Contradictions that were not known yet."""
    conclusion: str | None
    """Id of the derived claim that says what follows."""
    warning: str = ""
    """Why nothing was concluded, if that could not be kept."""


def keep(claims: Claims, found: Synthesis, namespace: str = "default", now: float | None = None) -> Findings:
    """Keep the statements of a synthesis as claims, its conflicts as contradictions, and its conclusion as derived.

    All of it is kept, or nothing. Doing it again corroborates instead of duplicating.
    """
    if found.decision != "answer":
        raise InputError("the synthesis abstained: there is nothing to keep", field="synthesis")
    session = claims.session
    at = session.at(now)
    sources = {one.result.id: one.result.sources for one in found.results}
    given = {one.id: _given(one, sources.get(one.source, ()), namespace) for one in found.statements}
    with session.write() as transaction:
        added = {id_: add_one(transaction, session, one, at) for id_, one in given.items()}
        ids = {id_: str(one.id) for id_, one in added.items()}
        outcomes = [one.outcome for one in added.values()]
        related = sum(_relate(transaction, session, ids, clash, at) for clash in found.clashes)
        conclusion, warning = _conclude(transaction, session, found, ids, namespace, at)
    return Findings(ids, outcomes.count("created"), outcomes.count("corroborated"), related, conclusion, warning)


def _given(statement: Statement, sources: Sequence[str], namespace: str) -> ClaimInput:
    """Return a statement as a claim; it rests on the sources of its sub-result, or on that itself."""
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


def _relate(transaction: Transaction, session: Session, ids: Mapping[str, str], clash: Clash, at: float) -> bool:
    """Relate two claims as contradicting, unless they are; say whether that was new."""
    one, other = ids[clash.first.id], ids[clash.second.id]
    first, second = key_of(transaction, one), key_of(transaction, other)
    known = (
        "SELECT 1 FROM relations WHERE kind = 'contradicts' AND removed_at IS NULL "
        "AND ((source = :a AND target = :b) OR (source = :b AND target = :a))"
    )
    if first == second or transaction.value(known, {"a": first, "b": second}):
        return False
    table.relate(transaction, "contradicts", first, second, clash.severity, at)
    said = f"({clash.severity:g})"
    table.record(transaction, first, at, session.actor, "related", f"contradicts {other} {said}")
    table.record(transaction, second, at, session.actor, "related", f"{one} contradicts it {said}")
    return True


def _conclude(
    transaction: Transaction, session: Session, found: Synthesis, ids: Mapping[str, str], namespace: str, at: float
) -> tuple[str | None, str]:
    """Derive what follows from the surest statements that nobody disputes, each said once; or say why it cannot be."""
    disputed = {ids[side.id] for clash in found.clashes for side in (clash.first, clash.second)}
    best: dict[str, str] = {}
    for one in found.statements:
        if ids[one.id] not in disputed and len(best) < MOST_CONCLUDED:
            best.setdefault(ids[one.id], one_line(one.statement))
    asked = one_line(found.query)
    text = f"{asked}: {' '.join(best.values())}" if asked else " ".join(best.values())
    if not best or text in best.values():  # a statement does not follow from itself
        return None, ""
    inference = {"source_type": "inference", "source_id": "synthesis", "contribution": found.overall}
    given: dict[str, Any] = {"statement": text[:LONGEST], "namespace": namespace, "provenance": [inference]}
    try:
        with transaction.savepoint():
            return _derive(transaction, session, decode(ClaimInput, given), list(best), at), ""
    except InputError as error:
        return None, f"no conclusion was kept: {error}"


def _derive(transaction: Transaction, session: Session, given: ClaimInput, grounds: Sequence[str], at: float) -> str:
    """Add a claim that rests on others, and return its id."""
    keys = {claim: key_of(transaction, claim) for claim in grounds}
    added = add_one(transaction, session, given, at)
    key = key_of(transaction, str(added.id))
    if key in keys.values():
        raise InputError("it says no more than one of the claims it would rest on", field="conclusion")
    known = "SELECT target FROM relations WHERE source = ? AND kind = 'derived_from' AND removed_at IS NULL"
    there = {row[0] for row in transaction.rows(known, [key])}
    for target in keys.values():
        if target not in there:
            table.relate(transaction, "derived_from", key, target, 1.0, at)
            deepen(transaction, key)
    table.record(transaction, key, at, session.actor, "derived", ", ".join(grounds)[:1000])
    return str(added.id)
