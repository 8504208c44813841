"""Compare a claim with known ones about the same: which contradict it, and which say nearly the same."""

from collections.abc import Sequence
from dataclasses import dataclass

from howsure.claims.add import MAX_REPORTED, ConflictingClaim, KnownClaims, SimilarClaim, known_claims
from howsure.claims.claim import Claim, read_claim
from howsure.store.claims import AlikeClaim, NewClaim
from howsure.store.session import Session
from howsure.text.contradictions import find_conflicts
from howsure.text.stems import content_words, search_words

SAME_PROPERTY = 0.8
"""Severity of another object for the same subject and predicate. The property may have several values."""


@dataclass(frozen=True)
class ClaimComparison:
    """The known claims that contradict a claim or say nearly the same."""

    conflicts: list[ConflictingClaim]
    """Claims that contradict it, as far as they were noticed, the most severe first."""
    similar: list[SimilarClaim]
    """Claims that say nearly the same."""


def compare(session: Session, claim: str) -> ClaimComparison:
    """Compare a stored claim with those that are in use in its namespace."""
    with session.database.read() as transaction:
        stored, key = read_claim(transaction, claim, session.read_options())
        known = known_claims(transaction, key, stored)
    return compare_claims(stored, known)


def compare_claims(claim: NewClaim | Claim, known: KnownClaims) -> ClaimComparison:
    """Compare a claim with known ones."""
    conflicts = conflicts_of(claim, known)
    return ClaimComparison(conflicts, similar_to(claim, known, conflicts))


def conflicts_of(new: NewClaim | Claim, known: KnownClaims) -> list[ConflictingClaim]:
    """Return the known claims that contradict a new one, the most severe first."""
    found: dict[str, ConflictingClaim] = {}
    for id_, statement in known.others:
        reason = f'another object for "{new.subject}" and "{new.predicate}"'
        found[id_] = ConflictingClaim(id_, statement, SAME_PROPERTY, reason)
    compared = closest(new.statement, known.alike)
    # Comparing takes about 0.7 ms for each claim, which is why only the closest are.
    for conflict in find_conflicts([new.statement, *(claim.statement for claim in compared)]) if compared else ():
        if conflict.first == 0:
            other = compared[conflict.second - 1]
            severity = round(conflict.severity, 4)
            found[other.id] = ConflictingClaim(other.id, other.statement, severity, conflict.reason)
    return sorted(found.values(), key=lambda one: -one.severity)[:MAX_REPORTED]


def closest(statement: str, alike: Sequence[AlikeClaim]) -> list[AlikeClaim]:
    """Return the claims that differ from a statement in one content word at most, the closest first."""
    ranked = []
    for place, claim in enumerate(alike):
        missing, more = _difference(statement, claim)
        if missing <= 1 and more <= 1:
            ranked.append((missing + more, place))
    return [alike[place] for _, place in sorted(ranked)[:MAX_REPORTED]]


def similar_to(new: NewClaim | Claim, known: KnownClaims, conflicts: Sequence[ConflictingClaim]) -> list[SimilarClaim]:
    """Return the known claims that have the same content words as a new one and do not contradict it."""
    contradicting = {conflict.id for conflict in conflicts}
    same = [claim for claim in closest(new.statement, known.alike) if _difference(new.statement, claim) == (0, 0)]
    return [SimilarClaim(claim.id, claim.statement) for claim in same if claim.id not in contradicting]


def _difference(statement: str, claim: AlikeClaim) -> tuple[int, int]:
    """Return how many content words of a statement a claim lacks, and how many it has besides."""
    ours, theirs = set(content_words(search_words(statement))), set(content_words(claim.words.split()))
    return len(ours - theirs), len(theirs - ours)
