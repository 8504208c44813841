"""Add claims in bulk, from JSON Lines, CSV or Parquet."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any, Literal, NamedTuple

from howsure.claims.add import ClaimRecord, add_record
from howsure.claims.prepare import NumberedRecord, Preparation, Worker, start_worker
from howsure.errors import InputError
from howsure.garbage import garbage_collection_paused
from howsure.progress import Progress, silent
from howsure.shapes import Unit, decode_as
from howsure.store.backends.database import Transaction
from howsure.store.claim_tables import claims as table
from howsure.store.claim_tables.claims import ClaimRows, NewClaim, triple_key
from howsure.store.claim_tables.corroboration import known_keys
from howsure.store.claim_tables.relations import relate, strength_of
from howsure.store.session import Session

BATCH = 20_000
"""Claims per transaction: each index page that they touch is written once for all of them. Other writers wait for it:
in a store of a million claims 10,000 take 0.33 s of CPU time and 40,000 take 1.3 s, which is 12 % less in all."""
FIRST_BATCH = 5_000
"""Claims of the first transaction. The next ones grow to `BATCH` as fast as the second process can prepare them while
this one writes. With 20,000 at first, nothing was written for 0.9 s, of 16 s for 300,000 claims."""
MAX_RELATED = 20
"""Claims that a new one is related to as contradicting; more would say nothing more."""
MAX_ERRORS = 20
"""Errors that are returned."""
Conflicts = Literal["flag", "quiet", "reject"]
"""What to do with a claim that gives a known subject and predicate another object: relate the two as contradicting,
ignore the conflict, or leave the claim out."""


@dataclass(frozen=True)
class LearnReport:
    """The result of a bulk load."""

    read: int
    """Records that were read."""
    created: int
    corroborated: int
    deprecated: int
    """Of those that corroborate, claims that are deprecated and stay so; `verify` lets one count again."""
    conflicting: int
    """Claims that contradict what was known."""
    rejected: int
    """Of those, claims that were left out."""
    failed: int
    errors: list[str]
    """What was wrong with the first records that failed."""


class _Tally:
    """Counts results while a bulk load runs."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        self.errors: list[str] = []

    def fail(self, error: str) -> None:
        self.counts["failed"] += 1
        if len(self.errors) < MAX_ERRORS:
            self.errors.append(error)

    def result(self) -> LearnReport:
        names = ("read", "created", "corroborated", "deprecated", "conflicting", "rejected", "failed")
        return LearnReport(**{name: self.counts[name] for name in names}, errors=self.errors)


def learn(
    session: Session,
    records: Iterable[NumberedRecord],
    trust: float = 1.0,
    conflicts: Conflicts = "flag",
    progress: Progress = silent,
) -> LearnReport:
    """Add claims in bulk; records that cannot be read are counted and reported.

    While one batch is written, the next is read and prepared.

    Args:
        trust: Scales every contribution.
    """
    preparation = Preparation(session.formula, decode_as(Unit, trust, "trust"))
    conflicts = decode_as(Conflicts, conflicts, "conflicts")
    tally = _Tally()
    stream, sizes = iter(records), batch_sizes()
    size = next(sizes)
    batch = _next_batch(stream, size)
    with start_worker(preparation, large=len(batch.records) == size) as worker:
        coming = _submit_next(worker, session, stream, sizes, batch)
        # Here, while the second process starts and prepares the second batch.
        prepared = preparation.rows(batch.records, session.clock())
        while batch.records:
            with garbage_collection_paused():
                with session.write_claims(large=True) as transaction:
                    _write(transaction, session, _PreparedBatch(preparation, batch.records, prepared, conflicts), tally)
                tally.counts["read"] += len(batch.records)
                progress("learning claims", tally.counts["read"], 0)
                if batch.failure is not None:
                    raise batch.failure
                batch, prepared = coming, worker.results()
                coming = _submit_next(worker, session, stream, sizes, batch)
        if batch.failure is not None:
            raise batch.failure
    return tally.result()


def batch_sizes() -> Iterator[int]:
    """Yield how many claims each transaction of a bulk load writes."""
    size = min(FIRST_BATCH, BATCH)
    while True:
        yield size
        size = min(size + size // 2, BATCH)


class _Batch(NamedTuple):
    """Records of one transaction, and the error that ended the input, if any: records before an error are added."""

    records: list[NumberedRecord]
    failure: Exception | None = None


def _next_batch(stream: Iterator[NumberedRecord], size: int) -> _Batch:
    records: list[NumberedRecord] = []
    try:
        records.extend(islice(stream, size))
    except Exception as error:  # noqa: BLE001 - whatever the caller's iterator raises
        return _Batch(records, error)
    return _Batch(records)


def _submit_next(
    worker: Worker, session: Session, stream: Iterator[NumberedRecord], sizes: Iterator[int], batch: _Batch
) -> _Batch:
    """Read the batch after this one, before a transaction begins, since the input may be slow; let it be prepared."""
    coming = _Batch([]) if batch.failure is not None else _next_batch(stream, next(sizes))
    worker.submit(coming.records, session.clock())
    return coming


@dataclass(frozen=True)
class _PreparedBatch:
    preparation: Preparation
    records: list[NumberedRecord]
    prepared: list[ClaimRows | str]
    """For each record the rows to insert, or what is wrong with it."""
    conflicts: Conflicts


def _write(transaction: Transaction, session: Session, batch: _PreparedBatch, tally: _Tally) -> None:
    """Write one batch: new claims in bulk, and those that may corroborate or conflict one by one."""
    at = session.clock()
    taken = _known(transaction, [rows[0] for rows in batch.prepared if not isinstance(rows, str)])
    new: list[ClaimRows] = []
    later: list[NumberedRecord] = []
    for (number, record), rows in zip(batch.records, batch.prepared, strict=True):
        if isinstance(rows, str):
            tally.fail(rows)
            continue
        subject, predicate, _, namespace, statement, triple = rows[0][3:9]
        same = (statement, triple, table.former_key(rows[0][1]))
        keys = {(namespace, key) for key in same if key is not None}
        if keys & taken or (subject is not None and predicate is not None and batch.conflicts != "quiet"):
            later.append((number, record))
        else:
            new.append(rows)
        taken |= keys  # a later record of this batch with the same statement corroborates the first one
    if new:
        session.note_formula(transaction, at)
    inserted = table.insert(transaction, new)
    table.insert_events(transaction, [(key, at, session.actor, "created", "active", "learned") for key in inserted])
    tally.counts["created"] += len(new)
    for number, record in later:
        try:
            _write_one(transaction, session, batch.preparation.read(record), batch.conflicts, tally, at)
        except InputError as error:  # the claim that exists has other dates or another triple; nothing was written
            error.line = number
            tally.fail(str(error))


def _write_one(
    transaction: Transaction, session: Session, record: ClaimRecord, conflicts: Conflicts, tally: _Tally, at: float
) -> None:
    others = [] if conflicts == "quiet" else _find_conflicting(transaction, record)
    if others and conflicts == "reject":
        tally.counts["conflicting"] += 1
        tally.counts["rejected"] += 1
        return
    row = add_record(transaction, session, record, at)
    if row.adopted and conflicts != "quiet":  # now that the claim has its whole triple
        others = _find_conflicting(transaction, row.new)
    tally.counts["conflicting"] += bool(others)
    tally.counts[row.outcome] += 1
    tally.counts["deprecated"] += row.deprecated
    for other in others if row.outcome == "created" or row.adopted else []:
        if row.adopted and strength_of(transaction, "contradicts", row.key, other) is not None:
            continue
        relate(transaction, "contradicts", row.key, other, 1.0, at)
        detail = f"by {row.id}, which was learned"
        table.record_event(transaction, other, at, session.actor, "contradicted", detail)


def _find_conflicting(transaction: Transaction, claim: ClaimRecord | NewClaim) -> list[int]:
    """Return the keys of known claims that give the same subject and predicate another object."""
    if claim.subject is None or claim.predicate is None:
        return []
    triple = triple_key(claim.subject, claim.predicate, claim.object)
    return table.find_conflicting(transaction, claim.namespace, claim.subject, claim.predicate, triple, MAX_RELATED)


def _known(transaction: Transaction, claims: Iterable[tuple[Any, ...]]) -> set[tuple[str, str]]:
    """Return (namespace, key) of statements and triples of new claims that the store has already."""
    statements: dict[str, set[str]] = defaultdict(set)
    triples: dict[str, set[str]] = defaultdict(set)
    for row in claims:
        namespace, statement, triple = row[6:9]
        statements[namespace].add(statement)
        if former := table.former_key(row[1]):
            statements[namespace].add(former)
        if triple is not None:
            triples[namespace].add(triple)
    known = known_keys(transaction, "statement_key", statements)
    return known | known_keys(transaction, "triple_key", triples)
