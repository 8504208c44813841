"""Moving a store: everything out as JSON Lines, and in again, with nothing lost."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, fields
from typing import Annotated, Any

from howsure.claims.add import check_namespace, check_text, statement_key, triple_key
from howsure.claims.relate import deepen
from howsure.datafiles import parsed
from howsure.errors import InputError, shown
from howsure.formulas.claim import RelationKind, Source, Status
from howsure.formulas.decay import Tier
from howsure.formulas.interval import Interval
from howsure.graph.python import DEEPEST
from howsure.ledger import transfer as carrying
from howsure.progress import Progress
from howsure.shapes import Count, Moment, Unit, Within, decode
from howsure.store import claims as table
from howsure.store.claims import NewClaim
from howsure.store.database import Transaction
from howsure.store.denormalized import refresh
from howsure.store.session import Session

FORMAT = 1


@dataclass(frozen=True)
class _Head:
    howsure: Annotated[int, Within(FORMAT, FORMAT)]
    claims: Count
    relations: Count
    invalidations: Count
    specs: Count = 0
    decisions: Count = 0
    outcomes: Count = 0
    tool_calls: Count = 0
    document_events: Count = 0


@dataclass(frozen=True)
class _Source:
    source_type: str
    source_id: str
    contribution: Unit | None
    at: Moment | None
    recorded_at: Moment
    context: str


@dataclass(frozen=True)
class _Event:
    at: Moment
    actor: str
    action: str
    status: Status | None
    detail: str


@dataclass(frozen=True)
class _Claim:
    id: str
    statement: str
    subject: str | None
    predicate: str | None
    object: str | None
    namespace: str
    tier: Tier
    status: Status
    created_at: Moment
    stale_at: Moment | None
    expires_at: Moment | None
    valid_from: Moment | None
    valid_until: Moment | None
    accessed_at: Moment
    depth: Annotated[int, Within(0, DEEPEST)]
    base_lower: Unit
    base_upper: Unit
    sources: tuple[_Source, ...]
    events: tuple[_Event, ...]

    def __post_init__(self) -> None:
        texts = {
            name: getattr(self, name) for name in ("id", "statement", "subject", "predicate", "object", "namespace")
        }
        for name, text in texts.items():
            check_text(name, text)
        for source in self.sources:
            for name in ("source_type", "source_id", "context"):
                check_text(name, getattr(source, name))
        for event in self.events:
            for name in ("actor", "action", "detail"):
                check_text(name, getattr(event, name))
        check_namespace(self.namespace)
        if not self.statement.strip():
            raise InputError("a claim needs a statement", field="statement")
        if not self.id.isascii() or not self.id.isalnum():
            raise InputError(f"{shown(self.id)} is no id", field="id")
        if not self.events:
            raise InputError("a claim has a history", field="events")


@dataclass(frozen=True)
class _Relation:
    kind: RelationKind
    source: str
    target: str
    strength: Unit
    recorded_at: Moment
    removed_at: Moment | None


@dataclass(frozen=True)
class _Invalidation:
    source_type: str
    source_id: str
    since: Moment
    until: Moment | None
    actor: str
    reason: str


def _names(shape: Any, *without: str) -> tuple[str, ...]:
    return tuple(field.name for field in fields(shape) if field.name not in without)


_CLAIM = ", ".join(_names(_Claim, "sources", "events"))
_SOURCE, _EVENT, _RELATION, _INVALIDATION = (_names(shape) for shape in (_Source, _Event, _Relation, _Invalidation))


def export(session: Session) -> Iterator[dict[str, Any]]:
    """Give everything in the store: a head, the claims with sources and history, relations, invalidations."""
    names = _CLAIM.split(", ")
    with session.database.read(separate=True) as transaction:  # the caller may write between two records
        yield (
            {"howsure": FORMAT}
            | {
                name: transaction.value(f"SELECT COUNT(*) FROM {name}")
                for name in ("claims", "relations", "invalidations")
            }
            | carrying.counts(transaction)
        )
        last = -1
        while True:
            page = f"SELECT key, {_CLAIM} FROM claims WHERE key > ? ORDER BY key LIMIT 500"
            rows = transaction.rows(page, [last])
            if not rows:
                break
            last = rows[-1][0]
            sources = _grouped(transaction, "sources", _SOURCE, "entry", rows[0][0], last)
            events = _grouped(transaction, "events", _EVENT, "key", rows[0][0], last)
            for key, *values in rows:
                about = dict(zip(names, values, strict=True))
                yield {"claim": about | {"sources": sources.get(key, []), "events": events.get(key, [])}}
        relations = (
            "SELECT r.kind, a.id, b.id, r.strength, r.recorded_at, r.removed_at FROM relations r "
            "JOIN claims a ON a.key = r.source JOIN claims b ON b.key = r.target ORDER BY r.key"
        )
        for row in transaction.stream(relations):
            yield {"relation": dict(zip(_RELATION, row, strict=True))}
        columns = ", ".join(_INVALIDATION)
        for row in transaction.stream(f"SELECT {columns} FROM invalidations ORDER BY key"):
            yield {"invalidation": dict(zip(_INVALIDATION, row, strict=True))}
        yield from carrying.carried(transaction)


def _grouped(
    transaction: Transaction, name: str, columns: tuple[str, ...], order: str, first: int, last: int
) -> dict[int, list[dict[str, Any]]]:
    query = f"SELECT claim, {', '.join(columns)} FROM {name} WHERE claim BETWEEN ? AND ? ORDER BY claim, {order}"
    found: dict[int, list[dict[str, Any]]] = {}
    for key, *values in transaction.rows(query, [first, last]):
        found.setdefault(key, []).append(dict(zip(columns, values, strict=True)))
    return found


def import_(session: Session, records: Iterable[tuple[int, Any]], progress: Progress) -> dict[str, int]:
    """Read what `export` gave, all or nothing. Claims that are there already (by id) are left as they are."""
    with session.write() as transaction:
        taking = _Taking(transaction)
        for number, record in records:
            try:
                taking.take(parsed(record))
            except InputError as error:
                problem = f"{error.field}: {error.problem}" if error.field else error.problem
                raise InputError(problem, line=number, hint="nothing was imported") from error
            progress("importing records", number, 0)
        taking.finish()
    return taking.counts


class _Taking:
    """An import under way."""

    def __init__(self, transaction: Transaction) -> None:
        self.transaction = transaction
        self.head: _Head | None = None
        self.counts = {"claims": 0, "skipped": 0, "relations": 0, "invalidations": 0}
        self.read = dict.fromkeys(
            ("claims", "relations", "invalidations", *(f"{kind}s" for kind in carrying.SHAPES)), 0
        )
        self.ledger = carrying.Taking(transaction)
        self.fresh: dict[str, int] = {}
        self.touched: set[int] = set()

    def take(self, record: Any) -> None:
        """Take one record in."""
        if self.head is None:
            if not isinstance(record, dict) or "howsure" not in record:
                raise InputError(f"{shown(record)} is not the head of an export")
            self.head = decode(_Head, record)
            return
        if not isinstance(record, dict) or len(record) != 1:
            raise InputError(f"{shown(record)} is no record of an export")
        ((kind, content),) = record.items()
        if kind == "claim":
            self._claim(decode(_Claim, content))
        elif kind == "relation":
            self._relation(decode(_Relation, content))
        elif kind == "invalidation":
            self._invalidation(decode(_Invalidation, content))
        elif kind in carrying.SHAPES:
            self.ledger.take(kind, content)
        else:
            raise InputError(f"{shown(kind)} is no kind of record")
        self.read[f"{kind}s"] += 1

    def _claim(self, given: _Claim) -> None:
        if self.transaction.value("SELECT 1 FROM claims WHERE id = ?", [given.id]):
            self.counts["skipped"] += 1
            return
        about = {name: getattr(given, name) for name in _names(_Claim, "sources", "events", "base_lower", "base_upper")}
        claim = NewClaim(
            **about,
            base=Interval(given.base_lower, given.base_upper),
            statement_key=statement_key(given.statement),
            triple_key=triple_key(given.subject, given.predicate, given.object),
            provenance=tuple(
                Source(s.source_type, s.source_id, s.contribution, s.at, s.context) for s in given.sources
            ),
            recorded=tuple(s.recorded_at for s in given.sources),
        )
        if given.status != "forgotten":
            same = table.same_claim(self.transaction, claim.namespace, claim.statement_key, claim.triple_key)
            if same is not None:
                raise InputError(f"the store holds the claim {shown(given.statement)} already, under another id")
        (key,) = table.insert(self.transaction, [claim.ready()])
        events = [(key, *(getattr(event, name) for name in _EVENT)) for event in given.events]
        self.transaction.load("events", table.EVENTS, events)
        self.fresh[given.id] = key
        self.counts["claims"] += 1

    def _key(self, claim: str) -> int:
        key = self.fresh.get(claim) or self.transaction.value("SELECT key FROM claims WHERE id = ?", [claim])
        if key is None:
            raise InputError(f"the relation speaks of a claim that is not there, {shown(claim)}")
        return int(key)

    def _relation(self, given: _Relation) -> None:
        source, target = self._key(given.source), self._key(given.target)
        if source == target:
            raise InputError("a claim cannot relate to itself", field="target")
        row = [given.kind, source, target, given.strength, given.recorded_at, given.removed_at]
        known = "SELECT 1 FROM relations WHERE source = ? AND kind = ? AND target = ? AND recorded_at = ?"
        both_known = given.source not in self.fresh and given.target not in self.fresh
        if both_known and self.transaction.value(known, [source, given.kind, target, given.recorded_at]):
            return
        columns = "kind, source, target, strength, recorded_at, removed_at"
        self.transaction.load("relations", columns, [row])
        self.counts["relations"] += 1
        if given.kind == "derived_from" and given.removed_at is None:
            deepen(self.transaction, source)

    def _invalidation(self, given: _Invalidation) -> None:
        known = "SELECT 1 FROM invalidations WHERE source_type = ? AND source_id = ? AND since = ?"
        if self.transaction.value(known, [given.source_type, given.source_id, given.since]):
            return
        self.transaction.load("invalidations", ", ".join(_INVALIDATION), [[getattr(given, n) for n in _INVALIDATION]])
        rests = "SELECT DISTINCT claim FROM sources WHERE source_type = ? AND source_id = ?"
        self.touched |= {row[0] for row in self.transaction.rows(rests, [given.source_type, given.source_id])}
        self.counts["invalidations"] += 1

    def finish(self) -> None:
        """Make sure that nothing is missing, and fold anew what has changed."""
        if self.head is None:
            raise InputError("there is nothing to import")
        for name, count in self.read.items():
            if count != getattr(self.head, name):
                problem = f"the export is cut short: {count} of {getattr(self.head, name)} {name}"
                raise InputError(problem, hint="nothing was imported")
        for key in {*self.fresh.values(), *self.touched}:
            refresh(self.transaction, key)
        self.ledger.finish()
        self.counts["decisions"] = self.ledger.taken
