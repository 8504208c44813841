"""Explaining a claim: every step in numbers, a paragraph in words, and what would change it most."""

from dataclasses import asdict, dataclass, replace
from typing import Any

from howsure.claims.find import Page, StoredClaim, Surroundings, find, read_one, surroundings
from howsure.formulas.claim import ClaimCase, ClaimFormula, Source
from howsure.formulas.derived import Case as DerivedCase
from howsure.formulas.derived import Derived
from howsure.formulas.interval import Interval
from howsure.formulas.score import Score
from howsure.graph.sql import ReadOptions
from howsure.store.selection import Selection
from howsure.store.session import Session


@dataclass(frozen=True)
class Explanation:
    """Why a claim is believed as far as it is."""

    claim: StoredClaim
    score: Score
    """Every step of the formula over the claim's own evidence."""
    derived: Score | None
    """For a derived claim: how its constituents bound it."""
    around: Surroundings
    changes: list[dict[str, Any]]
    """What would change the interval most, the largest change first."""
    words: str

    def as_dict(self) -> dict[str, Any]:
        """Return everything as JSON-ready data."""
        return self.claim.as_dict() | {
            "words": self.words,
            "score": self.score.as_dict(),
            "derived": None if self.derived is None else self.derived.as_dict(),
            "provenance": [
                asdict(entry) | {"invalid": entry not in self.around.evidence.sources} for entry in self.around.entries
            ],
            "neighbours": self.around.neighbours,
            "constituents": [claim.as_dict() for claim in self.around.constituents],
            "changes": self.changes,
        }


def explain(session: Session, claim: str, reading: ReadOptions) -> Explanation:
    """Explain one claim."""
    with session.database.read() as transaction:
        found, key = read_one(transaction, claim, reading)
        around = surroundings(transaction, key, found, reading)
    evidence = around.evidence
    derived = None
    bases = _bases(around, reading.now)
    if around.constituents and any(entry.source_type == "inference" for entry in around.entries):
        inferred = tuple(entry for entry in evidence.sources if entry.source_type == "inference")
        evidence = replace(evidence, sources=inferred)
    score = reading.formula.score(evidence)
    if around.constituents:
        derived = Derived().score(DerivedCase(bases, score["upper"]))
    changes = what_would_change(reading.formula, evidence, bases)
    return Explanation(found, score, derived, around, changes, _words(found, score, derived, around, changes))


def _bases(around: Surroundings, now: float) -> tuple[tuple[float, float], ...]:
    def holds(claim: StoredClaim) -> bool:
        begun = claim.valid_from is None or claim.valid_from <= now
        return (
            begun
            and (claim.valid_until is None or claim.valid_until > now)
            and claim.status in ("active", "challenged")
        )

    return tuple(claim.interval if holds(claim) else (0.0, 0.0) for claim in around.constituents)


def what_would_change(
    formula: ClaimFormula, evidence: ClaimCase, bases: tuple[tuple[float, float], ...] = ()
) -> list[dict[str, Any]]:
    """Try what could happen to a claim, and return what each would do to its interval; its constituents bound it."""

    def interval(case: ClaimCase) -> Interval:
        found = formula.interval(case)
        if not bases:
            return found
        bound = Derived().score(DerivedCase(bases, found.upper))
        return Interval(bound["lower"], bound["upper"])

    before = interval(evidence)
    fresh = Source("another_type", "another_source", 0.8)
    tries: dict[str, ClaimCase] = {}
    if not bases:  # other sources than the inference itself do not count for a derived claim
        more = (*evidence.sources, fresh)
        tries["another independent source of 0.8, of a new type"] = replace(evidence, sources=more)
    if evidence.stale_at is not None and evidence.stale_at < evidence.now:
        tries["verifying it today"] = replace(evidence, stale_at=evidence.now)
    if evidence.contradicted_by:
        tries["resolving all contradictions"] = replace(evidence, contradicted_by=())
    if evidence.supported_by:
        tries["losing all supporting claims"] = replace(evidence, supported_by=())
    counted = [entry for entry in evidence.sources if entry.contribution]
    if counted:
        best = max(counted, key=lambda entry: entry.contribution or 0.0)
        rest = tuple(e for e in evidence.sources if (e.source_type, e.source_id) != (best.source_type, best.source_id))
        tries[f"losing its strongest source, {best.source_type}:{best.source_id}"] = replace(evidence, sources=rest)
    found = []
    for what, then in tries.items():
        after = interval(then)
        found.append(
            {"what": what, "lower": after.lower, "upper": after.upper, "change": after.midpoint - before.midpoint}
        )
    return sorted(found, key=lambda change: -abs(change["change"]))


def _words(
    claim: StoredClaim, score: Score, derived: Score | None, around: Surroundings, changes: list[dict[str, Any]]
) -> str:
    parts = [f'"{claim.statement}" stands at {claim.interval} by {score.spec.name}: {score["reason"]}.']
    if claim.sources == 0:
        parts.append("No source counts for it, so this says that nothing is known, not that it is false.")
    if derived is not None:
        parts.append(f"It was derived from {len(around.constituents)} claims, which bound it: {derived['reason']}.")
    if claim.status != "active":
        parts.append(f"It is {claim.status}.")
    parts.append(f"By its first source alone it started at {claim.base}.")
    if changes:
        best = changes[0]
        now = Interval(best["lower"], best["upper"])
        parts.append(f"What would change it most is {best['what']}: {now}.")
    return " ".join(parts)


@dataclass(frozen=True)
class Reflection:
    """What is known about a topic."""

    topic: str
    total: int
    """How many claims were found."""
    strongest: list[StoredClaim]
    weakest: list[StoredClaim]
    widest: list[StoredClaim]
    contradicted: list[StoredClaim]
    prose: str = ""
    """The same in a short text, if that was asked for."""
    failure: str = ""
    """Why there is no such text, if the judge failed."""

    def as_dict(self) -> dict[str, Any]:
        """Return everything as JSON-ready data."""
        groups = ("strongest", "weakest", "widest", "contradicted")
        said = {"prose": self.prose, "failure": self.failure} if self.prose or self.failure else {}
        return (
            {"topic": self.topic, "total": self.total}
            | said
            | {group: [claim.as_dict() for claim in getattr(self, group)] for group in groups}
        )


def reflect(session: Session, topic: str, namespace: str | None, reading: ReadOptions, count: int = 5) -> Reflection:
    """Return what is known about a topic: the strongest, weakest, widest and contradicted claims."""
    page: Page = find(session, Selection(text=topic or None, namespace=namespace), reading, None)
    claims = page.claims
    return Reflection(
        topic,
        len(claims),
        strongest=claims[:count],
        weakest=sorted(claims, key=lambda claim: claim.interval.lower)[:count],
        widest=sorted(claims, key=lambda claim: -claim.interval.width)[:count],
        contradicted=[claim for claim in claims if claim.status == "challenged"][:count],
    )
