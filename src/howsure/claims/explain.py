"""Explain the interval of a claim, and reflect on what is known about a topic."""

import math
from dataclasses import dataclass, field, replace
from typing import Annotated, Any

from howsure.claims.claim import Claim, claim_from_row, read_claim, read_with_neighbours
from howsure.formulas.claim import (
    IN_USE,
    UNKNOWN_WEIGHT,
    ClaimCase,
    ClaimFormula,
    Neighbour,
    RelationKind,
    Source,
    SourceWeight,
    counts,
    reads_weights,
)
from howsure.formulas.derived import Case as DerivedCase
from howsure.formulas.derived import Derived
from howsure.formulas.interval import Interval
from howsure.formulas.score import Score
from howsure.graph.sql import ReadOptions
from howsure.shapes import Inline, Wire
from howsure.store.backends.database import Row, Transaction
from howsure.store.backends.deadline import parts_with_breaks, take_break, yield_with_breaks
from howsure.store.claim_tables.claims import id_of, invalid_sources, names_of, sources_of
from howsure.store.claim_tables.relations import constituents_as_of
from howsure.store.claim_tables.selection import Selection, select
from howsure.store.claim_tables.source_weights import weights_of
from howsure.store.session import Session
from howsure.wording import pluralize

_REFLECTED = 5
"""Most claims of each kind in a reflection."""
VERIFY_TODAY = "verifying it today"
"""The change that `claims.verify` makes to a stale claim."""


@dataclass(frozen=True)
class SourceOfClaim:
    """A source of a claim."""

    source: Annotated[Source, Inline()]
    invalid: bool
    """Whether the source is invalidated, so that it does not count."""


@dataclass(frozen=True)
class NeighbourClaim:
    """A claim that supports or contradicts another."""

    kind: RelationKind
    id: str
    statement: str
    strength: float
    """How strong the relation is."""
    influence: float
    """What the neighbour contributes, by its own sources and age."""


@dataclass(frozen=True)
class PossibleChange:
    """An event that could happen, and the interval after it."""

    what: str
    """What would have to happen."""
    lower: float
    upper: float
    change: float
    """How far the midpoint would move."""


@dataclass(frozen=True)
class ClaimExplanation:
    """Why a claim has its interval."""

    claim: Claim
    words: str
    """The reasons, as a paragraph."""
    now: float
    """The moment to which the evidence was aged."""
    score: Annotated[Score, Wire(dict[str, Any])]
    """Every step of the formula over the claim's own evidence."""
    derived: Annotated[Score | None, Wire(dict[str, Any] | None)]
    """How the constituents bound a derived claim; None for other claims."""
    sources: list[SourceOfClaim]
    """All sources, including notes that count for nothing."""
    neighbours: list[NeighbourClaim]
    """Claims that support or contradict it."""
    constituents: list[Claim]
    """Claims that it is derived from."""
    changes: list[PossibleChange]
    """What would change the interval most, the largest change first."""
    weights: list[SourceWeight] = field(default_factory=list)
    """What was learned about its sources, if the formula reads it."""
    _evidence: ClaimCase = field(kw_only=True, repr=False)

    @property
    def evidence(self) -> ClaimCase:
        """What the formula looks at: valid sources, age and neighbours; of a derived claim only the inference."""
        return self._evidence


def _evidence(
    claim: Claim,
    options: ReadOptions,
    sources: list[SourceOfClaim],
    neighbours: list[Row],
    weights: list[SourceWeight],
    *,
    derived: bool,
) -> ClaimCase:
    acting: dict[str, list[Neighbour]] = {"supports": [], "contradicts": []}
    for part in parts_with_breaks(neighbours):
        for kind, _, strength, influence in part:
            acting[kind].append(Neighbour(influence, strength))
    inferences = [one for one in sources if one.source.source_type == "inference"]
    counted = inferences if derived and inferences else sources
    valid = tuple(one.source for one in counted if not one.invalid)
    return ClaimCase(
        options.now,
        valid,
        claim.tier,
        claim.stale_at,
        tuple(acting["supports"]),
        tuple(acting["contradicts"]),
        options.trust,
        tuple(weights),
    )


def explain(session: Session, claim: str, options: ReadOptions, listed: slice = slice(None)) -> ClaimExplanation:
    """Explain one claim.

    Args:
        listed: Which of its neighbours are listed; all of them count. A claim may have 10,000, and a page shows a few.
    """
    with session.database.read() as transaction:
        found, key, acting = read_with_neighbours(transaction, claim, options)
        sources = _sources(transaction, key, options)
        neighbours = _named(transaction, acting[listed])
        ids = [id_of(transaction, constituent) for constituent in constituents_as_of(transaction, key, options)]
        constituents = [read_claim(transaction, id_, options)[0] for id_ in ids]
        weights = weights_of(transaction, key) if reads_weights(options.formula.folds()) else []
    derives = bool(constituents)
    evidence = _evidence(found, options, sources, acting, weights, derived=derives)
    score = options.formula.judge(evidence)  # not `score`, which checks the shape: 50 ms for 10,000 neighbours
    bases = tuple(one.interval if _holds(one, options.now) else (0.0, 0.0) for one in constituents)
    derived = Derived().score(DerivedCase(bases, score["upper"])) if constituents else None
    changes = what_would_change(options.formula, evidence, bases)
    base = _base(options.formula, sources)
    words = _words(found, score, derived, [_constituent(one, options.now) for one in constituents], base, changes)
    return ClaimExplanation(
        found,
        words,
        options.now,
        score,
        derived,
        sources,
        neighbours,
        constituents,
        changes,
        weights,
        _evidence=evidence,
    )


def _named(transaction: Transaction, acting: list[Row]) -> list[NeighbourClaim]:
    names = names_of(transaction, [key for _, key, _, _ in acting])
    return [
        NeighbourClaim(kind, *names[key], strength, influence)
        for kind, key, strength, influence in yield_with_breaks(acting)
    ]


def _sources(transaction: Transaction, key: int, options: ReadOptions) -> list[SourceOfClaim]:
    invalid = invalid_sources(transaction, key, options.as_of)
    return [
        SourceOfClaim(source, (source.source_type, source.source_id) in invalid)
        for source in sources_of(transaction, key, options.as_of)
    ]


def _holds(claim: Claim, now: float) -> bool:
    """Say whether a constituent counts: it is active or challenged, and valid now."""
    return counts(claim.status, claim.valid_from, claim.valid_until, now)


def what_would_change(
    formula: ClaimFormula, evidence: ClaimCase, bases: tuple[tuple[float, float], ...] = ()
) -> list[PossibleChange]:
    """Return what typical events would do to the interval, the largest change first.

    Args:
        bases: The intervals of the constituents, which bound a derived claim.
    """

    def interval(case: ClaimCase) -> Interval:
        take_break()  # folding 10,000 neighbours takes more than a millisecond
        own = formula.interval(case)
        if not bases:
            return own
        bound = Derived().score(DerivedCase(bases, own.upper))
        return Interval(bound["lower"], bound["upper"])

    before = interval(evidence)
    by_weight = reads_weights(formula.folds())
    events: dict[str, ClaimCase] = {}
    if not bases:  # for a derived claim no source counts but the inference
        more = (*evidence.sources, Source("another_type", "another_source", 0.8))
        events["another independent source of 0.8, of a new type"] = replace(evidence, sources=more)
    if evidence.stale_at is not None and evidence.stale_at < evidence.now:
        events[VERIFY_TODAY] = replace(evidence, stale_at=evidence.now)
    if evidence.contradicted_by:
        events["resolving all contradictions"] = replace(evidence, contradicted_by=())
    if evidence.supported_by:
        events["losing all supporting claims"] = replace(evidence, supported_by=())
    counted = [source for source in evidence.sources if source.contribution]
    if counted:
        learned = {(one.source_type, one.source_id): one.weight for one in evidence.weights}
        best = max(counted, key=lambda source: _strength(source, learned) if by_weight else source.contribution or 0.0)
        name = (best.source_type, best.source_id)
        rest = tuple(one for one in evidence.sources if (one.source_type, one.source_id) != name)
        events[f"losing its strongest source, {name[0]}:{name[1]}"] = replace(evidence, sources=rest)
    changes = []
    for what, case in events.items():
        after = interval(case)
        changes.append(PossibleChange(what, after.lower, after.upper, after.midpoint - before.midpoint))
    return sorted(changes, key=lambda change: -abs(change.change))


def _strength(source: Source, learned: dict[tuple[str, str], float]) -> float:
    return learned.get((source.source_type, source.source_id), UNKNOWN_WEIGHT)


def _base(formula: ClaimFormula, sources: list[SourceOfClaim]) -> Interval:
    """Return the interval by the earliest source alone: the claim's own `base` is by the formula it was added under."""
    dated = [one.source for one in sources if one.source.contribution is not None]
    first = min(dated, key=lambda source: math.inf if source.at is None else source.at, default=None)
    return formula.alone(None if first is None else first.contribution)


def _constituent(claim: Claim, now: float) -> str:
    """Return why a constituent counts as [0, 0]; empty if it counts."""
    if _holds(claim, now):
        return ""
    why = "outside its validity window" if claim.status in IN_USE else claim.status
    return f'{claim.id}, "{claim.statement}", is {why}, so it counts as [0, 0].'


def _words(
    claim: Claim,
    score: Score,
    derived: Score | None,
    constituents: list[str],
    base: Interval,
    changes: list[PossibleChange],
) -> str:
    parts = [f'"{claim.statement}" stands at {claim.interval} by {score.spec.name}: {score["reason"]}.']
    if claim.sources == 0:
        parts.append("No source counts for it, so this says that nothing is known, not that it is false.")
    if derived is not None:
        parts.append(f"It was derived from {pluralize(len(constituents), 'claim')}: {derived['reason']}.")
        parts += [one for one in constituents if one]
    if claim.status != "active":
        parts.append(f"It is {claim.status}.")
    parts.append(f"By its first source alone it started at {base}.")
    if changes:
        best = changes[0]
        parts.append(f"What would change it most is {best.what}: {Interval(best.lower, best.upper)}.")
    return " ".join(parts)


@dataclass(frozen=True)
class TopicReflection:
    """What is known about a topic."""

    topic: str
    total: int
    """Number of claims about it."""
    strongest: list[Claim]
    weakest: list[Claim]
    widest: list[Claim]
    contradicted: list[Claim]
    prose: str = ""
    """The same as a short text by the judge, if it was asked for."""
    failure: str = ""
    """Why there is no such text, if the judge failed."""


@dataclass(frozen=True)
class DeliberatedClaim:
    """The interval of a claim according to the judge."""

    id: str
    interval: Annotated[Interval, Inline()]
    """The judge's interval; the formula's if the judge said nothing about the claim."""
    reason: str = ""


@dataclass(frozen=True)
class Deliberation:
    """What the judge says about claims."""

    claims: list[DeliberatedClaim]
    narrative: str = ""
    """How the claims fit together."""
    failure: str = ""
    """Which claims were not judged, and why; they have the formula's intervals."""
    by: str = ""
    """The model that was asked."""


def reflect(session: Session, topic: str, namespace: str | None, options: ReadOptions) -> TopicReflection:
    """Return the strongest, weakest, widest and contradicted claims about a topic, a few of each."""
    with session.database.read() as transaction:
        rows = select(transaction, options, Selection(text=topic or None, namespace=namespace))
    keys = {row[0]: row[-1] for row in rows}
    claims = [claim_from_row(row) for row in rows]
    found = TopicReflection(
        topic,
        len(claims),
        strongest=claims[:_REFLECTED],
        weakest=sorted(claims, key=lambda claim: claim.interval.lower)[:_REFLECTED],
        widest=sorted(claims, key=lambda claim: -claim.interval.width)[:_REFLECTED],
        contradicted=[claim for claim in claims if claim.status == "challenged"][:_REFLECTED],
    )
    shown = (*found.strongest, *found.weakest, *found.widest, *found.contradicted)
    session.accessed([keys[claim.id] for claim in shown])
    return found
