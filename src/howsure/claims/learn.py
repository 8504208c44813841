"""Learning: many claims at once, from JSON Lines, CSV or Parquet."""

import gc
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from typing import Any, Literal

from howsure.claims.add import ClaimInput, add_one, triple_key
from howsure.claims.prepare import Numbered, Preparation, preparing
from howsure.progress import Progress, silent
from howsure.shapes import Unit, decode_as
from howsure.store import claims as table
from howsure.store.claims import Ready
from howsure.store.database import Transaction
from howsure.store.session import Session

PART = 40_000
"""Claims that are written in one transaction: each page of an index that they touch is written once for all of them."""
MOST_RELATED = 20
"""Claims that one is related to as contradicting, at most; more would say nothing more."""
Conflicts = Literal["flag", "quiet", "reject"]
"""What to do with a claim that gives a known subject and predicate another object: relate the two as contradicting,
say nothing, or leave it out."""


@dataclass
class Learned:
    """What became of the claims that were read."""

    read: int = 0
    created: int = 0
    corroborated: int = 0
    conflicting: int = 0
    """Claims that contradict what was known."""
    rejected: int = 0
    """Of those, claims that were left out."""
    failed: int = 0
    errors: list[str] = None  # type: ignore[assignment]
    """What was wrong with the first of those that failed."""

    def __post_init__(self) -> None:
        """Start without errors."""
        self.errors = []

    def fail(self, error: str) -> None:
        """Count a claim that could not be read."""
        self.failed += 1
        if len(self.errors) < 20:  # noqa: PLR2004 - enough to see what is wrong
            self.errors.append(error)


def learn(
    session: Session,
    records: Iterable[Numbered],
    trust: float = 1.0,
    conflicts: Conflicts = "flag",
    progress: Progress = silent,
) -> Learned:
    """Add claims in bulk. `trust` scales every contribution; what cannot be read is counted and told.

    While one part is written, the next is read and prepared.
    """
    preparation = Preparation(session.formula, decode_as(Unit, trust, "trust"))
    conflicts = decode_as(Conflicts, conflicts, "conflicts")
    learned = Learned()
    stream = iter(records)
    part, failure = _some(stream)
    with preparing(preparation, large=len(part) == PART) as desk:
        desk.hand_in(part, session.clock())
        while part:
            ready, written, failed = desk.fetch(), part, failure
            if failed is None:
                part, failure = _some(stream)  # before the transaction begins: the input may be slow
                desk.hand_in(part, session.clock())
            with session.write(large=True) as transaction, _without_collecting():
                _write(transaction, session, _Part(preparation, written, ready, conflicts), learned)
            learned.read += len(written)
            progress("learning claims", learned.read, 0)
            if failed is not None:
                raise failed
        if failure is not None:
            raise failure
    return learned


def _some(stream: Iterator[Numbered]) -> tuple[list[Numbered], Exception | None]:
    """Return the next records, and what kept more from being read: what came before that is learned nevertheless."""
    found: list[Numbered] = []
    try:
        found.extend(islice(stream, PART))
    except Exception as error:  # noqa: BLE001 - whatever the caller's records raise
        return found, error
    return found, None


@contextmanager
def _without_collecting() -> Iterator[None]:
    """Keep Python from looking through every claim of a part again and again for cycles, of which there are none."""
    collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collecting:
            gc.enable()


@dataclass(frozen=True)
class _Part:
    preparation: Preparation
    records: list[Numbered]
    ready: list[Ready | str]
    conflicts: Conflicts


def _write(transaction: Transaction, session: Session, part: _Part, learned: Learned) -> None:
    """Write one part: what is new in bulk, what is known one by one."""
    at = session.clock()
    taken = _known(transaction, [ready[0] for ready in part.ready if not isinstance(ready, str)])
    new: list[Ready] = []
    later: list[Any] = []
    for (_, record), ready in zip(part.records, part.ready, strict=True):
        if isinstance(ready, str):
            learned.fail(ready)
            continue
        _, _, subject, predicate, _, namespace, statement, triple, *_ = ready[0]
        places = {(namespace, statement), (namespace, triple or statement)}
        if places & taken or (subject is not None and predicate is not None and part.conflicts != "quiet"):
            later.append(record)
        else:
            new.append(ready)
        taken |= places  # what says the same comes later, too: the first to say it is the one that is created
    keys = table.insert(transaction, new)
    events = [(key, at, session.actor, "created", "active", "learned") for key in keys]
    transaction.load("events", table.EVENTS, events)
    learned.created += len(new)
    for record in later:
        _write_one(transaction, session, part.preparation.read(record), part.conflicts, learned, at)


def _write_one(
    transaction: Transaction, session: Session, one: ClaimInput, conflicts: Conflicts, learned: Learned, at: float
) -> None:
    others: list[int] = []
    if one.subject is not None and one.predicate is not None and conflicts != "quiet":
        query = (
            "SELECT key FROM claims WHERE namespace = ? AND subject = ? AND predicate = ? AND triple_key <> ? "
            f"AND status IN ('active', 'challenged') ORDER BY key LIMIT {MOST_RELATED}"
        )
        same = triple_key(one.subject, one.predicate, one.object) or ""
        others = [row[0] for row in transaction.rows(query, [one.namespace, one.subject, one.predicate, same])]
    learned.conflicting += bool(others)
    if others and conflicts == "reject":
        learned.rejected += 1
        return
    added = add_one(transaction, session, one, at)
    if added.outcome == "created":
        learned.created += 1
    else:
        learned.corroborated += 1
    key = transaction.value("SELECT key FROM claims WHERE id = ?", [added.id])
    for other in others if added.outcome == "created" else []:
        table.relate(transaction, "contradicts", key, other, 1.0, at)
        table.record(transaction, other, at, session.actor, "contradicted", f"by {added.id}, which was learned")


def _known(transaction: Transaction, claims: Iterable[tuple[Any, ...]]) -> set[tuple[str, str]]:
    """Return (namespace, key) of statements and triples that the store holds already."""
    found: set[tuple[str, str]] = set()
    by_namespace: dict[str, set[str]] = {}
    for _, _, _, _, _, namespace, statement, triple, *_ in claims:
        by_namespace.setdefault(namespace, set()).update((statement, triple or statement))
    for namespace, keys in by_namespace.items():
        waiting = sorted(keys)
        for start in range(0, len(waiting), 400):
            some = waiting[start : start + 400]
            marks = ", ".join("?" * len(some))
            for column in ("statement_key", "triple_key"):
                query = (
                    f"SELECT {column} FROM claims WHERE namespace = ? AND {column} IN ({marks}) "
                    "AND status <> 'forgotten'"
                )
                found |= {(namespace, row[0]) for row in transaction.rows(query, [namespace, *some])}
    return found
