"""Find known claims about the same that contradict a claim, or say nearly the same."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, NamedTuple

from howsure.claims.add import MAX_REPORTED, ConflictingClaim, KnownClaims, SimilarClaim, known_claims
from howsure.claims.claim import Claim, claim_from_row
from howsure.graph.sql import ReadOptions
from howsure.store.backends.database import Transaction
from howsure.store.claim_tables.claims import AlikeClaim, ClaimWords, NewClaim, key_of, words_of
from howsure.store.claim_tables.selection import Selection, select
from howsure.store.session import Session
from howsure.text.contradictions import find_conflicts
from howsure.text.stems import content_words, search_words

if TYPE_CHECKING:
    from howsure.claims.add import AddedRow
    from howsure.claims.meaning import Meaning, Neighbour
    from howsure.reader.embedder import Vectors

SAME_PROPERTY = 0.8
"""Severity of another object for the same subject and predicate. The property may have several values."""

ComparisonReader = Literal["words", "installed"]
"""How a claim is compared: by rules and words, or also by the reader that is installed."""
_SAME = 0.6
"""Probability, in both directions, from which two statements follow from each other. On 546 technical pairs that
finds 116 of 182 paraphrases, and two other pairs."""
_MAX_WORDS, _MAX_READ = 8, 32
"""Words by which other claims are looked up, and claims that are read: 64 pairs take about half a second."""

_MAX_NEAR = 200
"""Pairs of claims that are read for one call: 400 readings take about four seconds of processor time."""


@dataclass(frozen=True)
class ClaimComparison:
    """The known claims that contradict a claim or say nearly the same."""

    conflicts: list[ConflictingClaim]
    """Claims that contradict it, as far as they were noticed, the most severe first."""
    similar: list[SimilarClaim]
    """Claims that say nearly the same."""


def compare(
    session: Session, claim: str, reader: ComparisonReader = "words", meaning: "Meaning | None" = None
) -> ClaimComparison:
    """Compare a stored claim with those that are in use in its namespace; by meaning too, if that is given."""
    options = session.read_options()
    with session.database.read() as transaction:
        key = key_of(transaction, claim)
        stored = words_of(transaction, key)  # not the whole claim: no interval is needed
        known = known_claims(transaction, key, stored)
        others = _sharing_words(transaction, stored, options) if reader == "installed" else []
    compared = compare_claims(stored, known)
    if meaning is not None:
        vectors = meaning.embed([stored.statement])
        (compared,) = read_neighbours(meaning, [_StoredClaim(key, stored)], vectors, [compared])
    return _read_further(stored, others, compared) if others else compared


class _StoredClaim(NamedTuple):
    """A claim of the store with its row key."""

    key: int
    new: ClaimWords


def read_neighbours(
    meaning: "Meaning",
    rows: "Sequence[AddedRow | _StoredClaim]",
    vectors: "Vectors",
    compared: Sequence[ClaimComparison],
) -> list[ClaimComparison]:
    """Read claims with their neighbours by meaning; add those that say the same or the contrary to the comparisons.

    Raises:
        ReaderError: if the embedder or the reader fails.
    """
    from howsure.reader.choose import default_reader
    from howsure.reader.conflicts import clash_of
    from howsure.reader.same_claim import judge_same, proposed_from

    near: list[tuple[float, int, Neighbour]] = []
    with meaning.session.database.read() as transaction:
        for place, (row, vector) in enumerate(zip(rows, vectors, strict=True)):
            found = meaning.neighbours(transaction, vector, row.new.namespace, row.key)
            near += [(one.cosine, place, one) for one in found]
    near = sorted(near, key=lambda one: -one[0])[:_MAX_NEAR]
    counts = Counter(place for _, place, _ in near)
    reader = default_reader()
    pairs = [(rows[place].new.statement, one.statement) for _, place, one in near]
    judged = judge_same(reader, pairs, [cosine for cosine, _, _ in near], [counts[place] for _, place, _ in near])
    results = list(compared)
    for (_, place, one), pair in zip(near, judged, strict=True):
        before = results[place]
        clash = clash_of(reader, pair.there, pair.back)
        against = {conflict.id for conflict in before.conflicts}
        if clash is not None and one.id not in against:
            conflict = ConflictingClaim(one.id, one.statement, clash.severity, clash.reason)
            results[place] = replace(before, conflicts=[*before.conflicts, conflict])
        elif pair.same >= proposed_from(counts[place]) and one.id not in against:
            others = [known for known in before.similar if known.id != one.id]
            results[place] = replace(before, similar=[*others, SimilarClaim(one.id, one.statement, pair.same)])
    return [
        ClaimComparison(
            sorted(one.conflicts, key=lambda conflict: -conflict.severity)[:MAX_REPORTED],
            sorted(one.similar, key=lambda same: -(1.0 if same.probability is None else same.probability))[
                :MAX_REPORTED
            ],
        )
        for one in results
    ]


def _sharing_words(transaction: Transaction, claim: ClaimWords, options: ReadOptions) -> list[Claim]:
    """Return the claims of its namespace that share most content words with a claim."""
    words = sorted(set(content_words(search_words(claim.statement))), key=lambda word: (-len(word), word))
    claims: dict[str, Claim] = {}
    shared: Counter[str] = Counter()
    for word in words[:_MAX_WORDS]:
        for row in select(transaction, options, Selection(text=word, namespace=claim.namespace), _MAX_READ):
            other = claim_from_row(row)
            if other.id != claim.id:
                claims[other.id] = other
                shared[other.id] += 1
    return [claims[id_] for id_, _ in shared.most_common(_MAX_READ)]


def _read_further(claim: ClaimWords, others: Sequence[Claim], compared: ClaimComparison) -> ClaimComparison:
    """Add what the installed reader is sure of; the rules' and the words' results stay as they are."""
    from howsure.reader import RulesReader, default_reader
    from howsure.reader.conflicts import clash_of, read_both_orders

    reader = default_reader()
    seen = {one.id for one in compared.conflicts} | {one.id for one in compared.similar}
    others = [other for other in others if other.id not in seen]
    if isinstance(reader, RulesReader) or not others:
        return compared
    conflicts, same = list(compared.conflicts), []
    results = read_both_orders(reader, [(claim.statement, other.statement) for other in others])
    for other, (there, back) in zip(others, results, strict=True):
        clash = clash_of(reader, there, back)
        if clash is not None:
            conflicts.append(ConflictingClaim(other.id, other.statement, clash.severity, clash.reason))
        elif min(there.entailment, back.entailment) >= _SAME:
            same.append((min(there.entailment, back.entailment), SimilarClaim(other.id, other.statement)))
    same.sort(key=lambda one: -one[0])
    return ClaimComparison(
        sorted(conflicts, key=lambda one: -one.severity)[:MAX_REPORTED],
        [*compared.similar, *(one for _, one in same)][:MAX_REPORTED],
    )


def compare_claims(claim: NewClaim | ClaimWords, known: KnownClaims) -> ClaimComparison:
    """Compare a claim with known ones."""
    conflicts = conflicts_of(claim, known)
    return ClaimComparison(conflicts, similar_to(claim, known, conflicts))


def conflicts_of(new: NewClaim | ClaimWords, known: KnownClaims) -> list[ConflictingClaim]:
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


def similar_to(
    new: NewClaim | ClaimWords, known: KnownClaims, conflicts: Sequence[ConflictingClaim]
) -> list[SimilarClaim]:
    """Return the known claims that have the same content words as a new one and do not contradict it."""
    contradicting = {conflict.id for conflict in conflicts}
    same = [claim for claim in closest(new.statement, known.alike) if _difference(new.statement, claim) == (0, 0)]
    return [SimilarClaim(claim.id, claim.statement) for claim in same if claim.id not in contradicting]


def _difference(statement: str, claim: AlikeClaim) -> tuple[int, int]:
    """Return how many content words of a statement a claim lacks, and how many it has besides."""
    ours, theirs = set(content_words(search_words(statement))), set(content_words(claim.words.split()))
    return len(ours - theirs), len(theirs - ours)
