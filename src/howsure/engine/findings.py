"""Findings: what a synthesis found out, kept among the claims."""

from typing import NamedTuple

from howsure.core.claim import Source
from howsure.engine.claims import Claims
from howsure.engine.synthesis import Statement, Synthesis
from howsure.errors import InputError

MOST_CONCLUDED = 3
"""Statements that a conclusion is put together from."""


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


def keep(claims: Claims, found: Synthesis, namespace: str = "default", now: float | None = None) -> Findings:
    """Keep the statements of a synthesis as claims, its conflicts as contradictions, and its conclusion as derived.

    Doing it again corroborates instead of duplicating.
    """
    if found.decision != "answer":
        raise InputError("the synthesis abstained: there is nothing to keep", field="synthesis")
    sources = {one.result.id: one.result.sources for one in found.results}
    ids: dict[str, str] = {}
    outcomes = []
    for statement in found.statements:
        entries = tuple(
            Source("extraction", name, statement.confidence, context=statement.evidence[:500])
            for name in sources.get(statement.source) or (statement.source,)
        )
        added = claims.add(statement.statement[:5000], namespace=namespace, provenance=entries, now=now)
        ids[statement.id] = str(added.id)
        outcomes.append(added.outcome)
    related = sum(_relate(claims, ids, clash.first, clash.second, clash.severity, now) for clash in found.clashes)
    conclusion = _conclude(claims, found, ids, namespace, now)
    return Findings(ids, outcomes.count("created"), outcomes.count("corroborated"), related, conclusion)


def _relate(
    claims: Claims, ids: dict[str, str], first: Statement, second: Statement, severity: float, now: float | None
) -> bool:
    """Relate two claims as contradicting, unless they are; say whether that was new."""
    one, other = ids[first.id], ids[second.id]
    known = {
        neighbour["id"]
        for neighbour in claims.explain(one, now=now).around.neighbours
        if neighbour["kind"] == "contradicts"
    }
    if one == other or other in known:
        return False
    claims.relate(one, "contradicts", other, strength=severity, now=now)
    return True


def _conclude(claims: Claims, found: Synthesis, ids: dict[str, str], namespace: str, now: float | None) -> str | None:
    """Derive what follows from the surest statements that nobody disputes."""
    disputed = {side.id for clash in found.clashes for side in (clash.first, clash.second)}
    best = [one for one in found.statements if one.id not in disputed][:MOST_CONCLUDED]
    if not best:
        return None
    text = f"{' '.join(found.query.split())}: {' '.join(one.statement for one in best)}"[:5000]
    grounds = list(dict.fromkeys(ids[one.id] for one in best))
    added = claims.derive(text, grounds, assessed=found.overall, by="synthesis", namespace=namespace, now=now)
    return str(added.id)
