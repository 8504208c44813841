"""Add claims, or corroborate the ones that already exist."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from operator import attrgetter
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple, TypeVar

from howsure.claims.claim import Claim, claim_at
from howsure.errors import HowsureError, InputError, shown
from howsure.files import new_id
from howsure.formulas.claim import ClaimCase, ClaimFormula, Source, best_by_source
from howsure.formulas.decay import Tier
from howsure.graph.sql import ReadOptions
from howsure.shapes import DAY, HOUR, LAST_MOMENT, Amount, Inline, Moment, Unit, decode
from howsure.store.backends.database import Transaction
from howsure.store.claim_tables import claims as table
from howsure.store.claim_tables.claims import AlikeClaim, ClaimWords, NewClaim, former_key, statement_key, triple_key
from howsure.store.claim_tables.denormalized import SourceState
from howsure.store.session import Session
from howsure.store.text_rules import check_namespace, check_text, is_short_ascii
from howsure.text.stems import search_words

if TYPE_CHECKING:
    from howsure.claims.meaning import Meaning
    from howsure.reader.embedder import Vectors

DEFAULT_CONTRIBUTION = 0.5
TTL: dict[Tier, float | None] = {"ephemeral": 12 * HOUR, "task": 7 * DAY, "project": 90 * DAY, "persistent": None}
"""Seconds after which a claim expires, by tier."""
MAX_REPORTED = 5
"""Claims with which a new one is compared, and that are reported at most."""
MAX_COMPARED = 100
"""Claims in a batch that are compared with known ones. Each takes up to 5 ms, so more would take seconds."""
_SOURCE_HINT = "like user_input:ann"


@dataclass(frozen=True)
class ClaimRecord:
    """A claim to add, as `claims.add` takes it; also one record of a bulk load."""

    statement: str
    """What is claimed, in words."""
    subject: str | None = None
    """What it is about."""
    predicate: str | None = None
    """Which property of the subject."""
    object: str | None = None
    """The value of that property."""
    namespace: str = "default"
    """Where it belongs: a path of at most five parts, like `team/project`."""
    tier: Tier | None = None
    """How long it is meant to live; `task` by default. Persistent only by promotion."""
    source: str | None = None
    """Who says so, as TYPE:ID."""
    contribution: Unit | None = None
    """How much that counts; 0.5 by default."""
    sources: tuple[Source, ...] = ()
    """Several sources."""
    stale_at: Moment | Literal["never"] | None = None
    """When it starts to lose confidence, or `never`; by default one half-life after it is created."""
    ttl: Amount | None = None
    """Seconds until it expires; by default those of its tier."""
    valid_from: Moment | None = None
    """When it starts being true."""
    valid_until: Moment | None = None
    """When it stops being true."""

    def __post_init__(self) -> None:
        """Raise InputError if the claim cannot be stored."""
        named = [source.source_type + source.source_id + source.context for source in self.sources]
        if not is_short_ascii("".join((self.statement, self.namespace, self.source or "", *named))):
            self._check_each_text()
        check_text("subject", self.subject)
        check_text("predicate", self.predicate)
        check_text("object", self.object)
        if not self.statement.strip():
            raise InputError("the statement is empty", field="statement")
        check_namespace(self.namespace)
        if self.tier == "persistent":
            raise InputError(
                "a claim becomes persistent by promotion only", field="tier", hint="add it, then promote it"
            )
        if self.source is not None:
            source_type, source_id = split_source(self.source)
            check_text("source_type", source_type, "source")
            check_text("source_id", source_id, "source")
        if self.valid_from is not None and self.valid_until is not None and self.valid_from >= self.valid_until:
            raise InputError("the claim would never be valid", field="valid_until", hint="must be after valid_from")

    def _check_each_text(self) -> None:
        for name in ("statement", "namespace"):
            check_text(name, getattr(self, name))
        for index, source in enumerate(self.sources):
            for name in ("source_type", "source_id", "context"):
                check_text(name, getattr(source, name), f"sources[{index}].{name}")


def split_source(source: str) -> tuple[str, str]:
    """Return type and id of a source that is written as TYPE:ID."""
    source_type, _, source_id = source.partition(":")
    if not source_type or not source_id:
        raise InputError(f"{shown(source)} is not TYPE:ID", field="source", hint=_SOURCE_HINT)
    return source_type, source_id


@dataclass(frozen=True)
class ConflictingClaim:
    """A known claim that contradicts the one that was added."""

    id: str
    statement: str
    severity: float
    """From 0 to 1: a plain negation has 0.9."""
    reason: str
    """Which words clash."""


@dataclass(frozen=True)
class SimilarClaim:
    """A known claim that says nearly the same as the one that was added."""

    id: str
    statement: str
    probability: float | None = None
    """Probability that both are one claim; null if they were compared by words only."""


@dataclass(frozen=True)
class AddedClaim:
    """The result of adding a claim."""

    outcome: Literal["created", "corroborated"]
    """`corroborated` if a claim with the same statement or triple existed."""
    claim: Annotated[Claim, Inline()]
    """The claim that was created or corroborated."""
    notes: list[str] = field(default_factory=list)
    """What had no effect, and why; also that the claim stays deprecated."""
    conflicts: list[ConflictingClaim] = field(default_factory=list)
    """Known claims that contradict it, as far as they were noticed. Nothing is related: `challenge` does that."""
    similar: list[SimilarClaim] = field(default_factory=list)
    """Known claims that say nearly the same."""

    @property
    def id(self) -> str:
        """The id of the claim."""
        return self.claim.id


@dataclass(frozen=True)
class ClaimAddition:
    """The result of adding one of several claims."""

    outcome: Literal["created", "corroborated", "failed"]
    id: str | None = None
    """Id of the claim that was created or corroborated."""
    reason: str = ""
    """Why it failed."""
    notes: list[str] = field(default_factory=list)
    """What had no effect, and why; also that the claim stays deprecated."""
    conflicts: list[ConflictingClaim] = field(default_factory=list)
    """Known claims that contradict it, earlier ones of the same batch included."""
    similar: list[SimilarClaim] = field(default_factory=list)
    """Known claims that say nearly the same."""


R = TypeVar("R", AddedClaim, ClaimAddition)


class AddedRow(NamedTuple):
    """A claim that was written within a transaction."""

    outcome: Literal["created", "corroborated"]
    key: int
    id: str
    new: NewClaim
    """The claim as it was added; with the whole triple if a known claim got parts of it."""
    notes: tuple[str, ...] = ()
    """What of the request had no effect, and why."""
    state: SourceState = SourceState()
    """What the store knows about any sources, if the claim was created."""
    adopted: bool = False
    """Whether a known claim got its triple by this."""
    deprecated: bool = False
    """Whether a known claim is deprecated, and stays so."""


def dated_sources(record: ClaimRecord, at: float) -> tuple[Source, ...]:
    """Return the sources of a record, with default contribution and moment."""
    sources = record.sources
    if record.source is not None:
        sources = (*sources, Source(*split_source(record.source), record.contribution))
    elif record.contribution is not None and not sources:
        raise InputError("a contribution needs a source", field="source", hint=_SOURCE_HINT)
    return tuple([_dated(source, at) for source in sources])


def _dated(source: Source, at: float) -> Source:
    if source.contribution is not None and source.at is not None:
        return source
    dated = object.__new__(Source)  # calling Source takes three times as long, which counts in a bulk load
    values = source.__dict__
    dated.__dict__.update(
        values,
        contribution=DEFAULT_CONTRIBUTION if source.contribution is None else source.contribution,
        at=at if source.at is None else source.at,
    )
    return dated


_date = attrgetter("at")


def new_claim(record: ClaimRecord, now: float, formula: ClaimFormula, id_: str = "") -> NewClaim:
    """Return the claim to insert, with all defaults filled in; without an id, it gets a new one."""
    sources = dated_sources(record, now)
    tier: Tier = record.tier or "task"
    ttl = TTL[tier] if record.ttl is None else record.ttl
    return NewClaim(
        id=id_ or new_id("c", now),
        statement=record.statement,
        statement_key=statement_key(record.statement),
        namespace=record.namespace,
        tier=tier,
        created_at=now,
        base=formula.alone(min(sources, key=_date).contribution if sources else None),
        sources=sources,
        subject=record.subject,
        predicate=record.predicate,
        object=record.object,
        triple_key=triple_key(record.subject, record.predicate, record.object),
        stale_at=_stale_at(record, now, formula.half_life.of(tier)),
        expires_at=None if ttl is None else min(now + ttl, LAST_MOMENT),
        valid_from=record.valid_from,
        valid_until=record.valid_until,
    )


def _stale_at(record: ClaimRecord, now: float, half_life: float) -> float | None:
    if isinstance(record.stale_at, str):
        return None
    return min(now + half_life, LAST_MOMENT) if record.stale_at is None else record.stale_at


def add(
    session: Session,
    record: ClaimRecord,
    now: float | None = None,
    *,
    compare: bool = True,
    meaning: "Meaning | None" = None,
) -> AddedClaim:
    """Add a claim, or corroborate the one with the same statement or triple; return it.

    With `compare`, also return known claims that contradict it or say nearly the same: in other words too, if `meaning`
    is given. If that fails, the claim is added nevertheless, and the notes say why.
    """
    at = session.at(now)
    vectors, problem = (None, "") if meaning is None else meaning.try_to_embed([record.statement])  # before the lock
    with session.write_claims() as transaction:
        row = add_record(transaction, session, record, at)
        result = added(transaction, session, row, at)
        if meaning is not None and vectors is not None and row.outcome == "created":
            meaning.keep(transaction, [row.key], vectors)
        # Within this transaction: another one would take longer than the two lookups, most of all in PostgreSQL.
        known = known_claims(transaction, row.key, row.new) if compare else KnownClaims()
    result = _with_comparison(result, row.new, known)
    if meaning is not None and compare:
        if vectors is not None:
            (result,), problem = compare_by_meaning(meaning, [(result, row)], vectors)
        if problem:
            result = replace(result, notes=[*result.notes, problem])
    return result


def compare_by_meaning(
    meaning: "Meaning", results: "Sequence[tuple[R, AddedRow]]", vectors: "Vectors"
) -> tuple[list[R], str]:
    """Add to each result the known claims that say the same, or the contrary, in other words; and what went wrong."""
    from howsure.claims.compare import ClaimComparison, read_neighbours

    compared = [ClaimComparison(result.conflicts, result.similar) for result, _ in results]
    try:
        further = read_neighbours(meaning, [row for _, row in results], vectors, compared)
    except HowsureError as error:
        return [result for result, _ in results], f"not compared by meaning: {error}"
    pairs = zip(results, further, strict=True)
    return [replace(result, conflicts=one.conflicts, similar=one.similar) for (result, _), one in pairs], ""


def _with_comparison(result: R, new: NewClaim, known: "KnownClaims") -> R:
    """Return the result of adding a claim with the known claims that contradict it or say nearly the same."""
    if not known.alike and not known.others:
        return result
    from howsure.claims.compare import compare_claims

    compared = compare_claims(new, known)
    return replace(result, conflicts=compared.conflicts, similar=compared.similar)


class KnownClaims(NamedTuple):
    """Claims with which another one is compared."""

    alike: Sequence[AlikeClaim] = ()
    """Claims about the same."""
    others: Sequence[tuple[str, str]] = ()
    """Id and statement of claims that give the same subject and predicate another object."""


def known_claims(transaction: Transaction, key: int, claim: NewClaim | ClaimWords) -> KnownClaims:
    """Return the claims with which the claim of this key is compared."""
    alike = table.find_alike(transaction, claim.namespace, search_words(claim.statement), key)
    triple = triple_key(claim.subject, claim.predicate, claim.object)
    if claim.subject is None or claim.predicate is None or triple is None:
        return KnownClaims(alike)
    same_property = (claim.namespace, claim.subject, claim.predicate, triple)
    others = table.find_conflicting(transaction, *same_property, MAX_REPORTED)
    return KnownClaims(alike, table.statements_of(transaction, others) if others else ())


def added(transaction: Transaction, session: Session, row: AddedRow, at: float) -> AddedClaim:
    """Return the result of adding a claim, which was written in this transaction."""
    # A new claim has no neighbours yet, so its interval needs no query, which would take longer than the insert.
    invalidated, weighed = row.state
    if row.outcome == "corroborated" or invalidated or (weighed and session.formula.reads_weights):
        claim = claim_at(transaction, row.key, ReadOptions(session.formula, at))
        assert claim is not None  # noqa: S101 - written in this transaction
        return AddedClaim(row.outcome, claim, list(row.notes))
    return AddedClaim("created", _as_claim(row.new, session.formula))


def _as_claim(new: NewClaim, formula: ClaimFormula) -> Claim:
    """Return a new claim as reading it would, if its sources are all the formula knows."""
    best = best_by_source(new.sources)
    if new.stale_at is None or new.stale_at >= new.created_at:
        interval = formula.fresh(tuple(best.values()), len({kind for kind, _ in best}))
    else:
        interval = formula.interval(ClaimCase(new.created_at, new.sources, new.tier, new.stale_at))
    return Claim(
        id=new.id,
        statement=new.statement,
        subject=new.subject,
        predicate=new.predicate,
        object=new.object,
        namespace=new.namespace,
        tier=new.tier,
        status=new.status,
        created_at=new.created_at,
        stale_at=new.stale_at,
        expires_at=new.expires_at,
        valid_from=new.valid_from,
        valid_until=new.valid_until,
        accessed_at=new.created_at,
        base_lower=new.base.lower,
        base_upper=new.base.upper,
        sources=len(best),
        interval=interval,
    )


def add_many(
    session: Session,
    records: Sequence[Any],
    now: float | None = None,
    *,
    compare: bool = True,
    meaning: "Meaning | None" = None,
) -> list[ClaimAddition]:
    """Add claims. Each is added completely or not at all; one that fails does not affect the others.

    With `compare`, each of at most `MAX_COMPARED` claims is compared with known claims, as `add` does.
    """
    at = session.at(now)
    decoded = [_decoded(record) for record in records]  # before the lock
    compare = compare and len(records) <= MAX_COMPARED
    results: list[tuple[ClaimAddition, AddedRow | None, KnownClaims]] = []
    with session.write_claims() as transaction:
        for record in decoded:
            try:
                if isinstance(record, InputError):
                    raise record
                with transaction.savepoint():
                    row = add_record(transaction, session, record, at)
            except InputError as error:
                results.append((ClaimAddition("failed", reason=str(error)), None, KnownClaims()))
            else:
                known = known_claims(transaction, row.key, row.new) if compare else KnownClaims()
                results.append((ClaimAddition(row.outcome, row.id, notes=list(row.notes)), row, known))
    # After the transaction, so that other writers do not wait for it.
    compared = [_with_comparison(result, row.new, known) if row else result for result, row, known in results]
    written = [(place, row) for place, (_, row, _) in enumerate(results) if row is not None]
    if meaning is None or not written:
        return compared
    vectors, problem = meaning.try_to_embed([row.new.statement for _, row in written])
    read = [compared[place] for place, _ in written]
    if vectors is not None:
        # A corroborated claim may have another statement, with the same triple.
        new = [number for number, (_, row) in enumerate(written) if row.outcome == "created"]
        with session.write() as transaction:
            meaning.keep(transaction, [written[number][1].key for number in new], vectors[new])
        if compare:
            rows = [row for _, row in written]
            read, problem = compare_by_meaning(meaning, list(zip(read, rows, strict=True)), vectors)
    if compare:
        for (place, _), result in zip(written, read, strict=True):
            compared[place] = replace(result, notes=[*result.notes, problem]) if problem else result
    return compared


def _decoded(record: Any) -> ClaimRecord | InputError:
    try:
        return decode(ClaimRecord, record)
    except InputError as error:
        return error


def add_record(transaction: Transaction, session: Session, record: ClaimRecord, at: float) -> AddedRow:
    """Insert a claim, or add its sources to the claim with the same statement or triple."""
    new = new_claim(record, at, session.formula)
    keys = (new.statement_key, new.triple_key, former_key(new.statement))
    known = table.find_same(transaction, new.namespace, *keys)
    if known is None:
        session.note_formula(transaction, at)
        key, state = table.insert_one(transaction, new.rows())
        table.insert_event(transaction, key, at, session.actor, "created", "active", "")
        return AddedRow("created", key, new.id, new, state=state)
    key, id_, status = known
    notes: tuple[str, ...] = ()
    adopted = False
    detail = ", ".join(f"{source.source_type}:{source.source_id}" for source in new.sources)[:500]
    if status == "deprecated" or _says_more(record):
        from howsure.claims.corroborate import corroborate

        changed, notes, adopted = corroborate(transaction, session, known, record, at)
        detail += f"; changed {', '.join(changed)}" if changed else ""
        if adopted:  # the record may have said a part, and the claim the rest
            about = table.words_of(transaction, key)
            new = replace(new, subject=about.subject, predicate=about.predicate, object=about.object)
            new.triple_key = triple_key(about.subject, about.predicate, about.object)
    table.add_sources(transaction, key, new.sources, at)
    table.record_event(transaction, key, at, session.actor, "corroborated", detail)
    return AddedRow("corroborated", key, id_, new, notes, adopted=adopted, deprecated=status == "deprecated")


def _says_more(record: ClaimRecord) -> bool:
    """Return whether a record says more about a claim that exists than its sources."""
    triple = (record.subject, record.predicate, record.object)
    options = (*triple, record.tier, record.stale_at, record.ttl, record.valid_from, record.valid_until)
    return options != (None,) * len(options)
