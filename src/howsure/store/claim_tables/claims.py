"""The tables of claims, their sources and their events: insert, look up and add to; `claim_lifetime` ends them.

The same statement, or the same triple, is found again by a key.
"""

import math
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any, NamedTuple

from howsure.chunks import in_chunks
from howsure.errors import InputError, NotFoundError, shown
from howsure.files import sha256
from howsure.formulas.claim import IN_USE, Source, Status, best_by_source
from howsure.formulas.decay import Tier
from howsure.formulas.interval import Interval
from howsure.graph.sql import invalid_now
from howsure.shapes import decode_as
from howsure.store.backends.database import Row, Transaction, insert_sql
from howsure.store.claim_tables.denormalized import (
    DenormalizedColumns,
    SourceState,
    denormalized_columns,
    fold_in,
    has_weights,
    refresh,
    refresh_new,
    tally,
)
from howsure.store.claim_tables.mentions import note_event, note_events
from howsure.text.stems import content_words, search_words, topics

DISPLAYED = (
    "id",
    "statement",
    "subject",
    "predicate",
    "object",
    "namespace",
    "tier",
    "status",
    "created_at",
    "stale_at",
    "expires_at",
    "valid_from",
    "valid_until",
    "accessed_at",
    "base_lower",
    "base_upper",
    "sources",
)
"""Columns of a claim that are shown."""
ClaimRows = tuple[Row, list[Row]]
"""A claim as it is inserted: its row and the rows of its sources, without the key that all of them get."""


@dataclass
class NewClaim:
    """A claim to insert. Not frozen: freezing costs a tenth of the time of a bulk load."""

    id: str
    statement: str
    statement_key: str
    namespace: str
    tier: Tier
    created_at: float
    base: Interval
    sources: tuple[Source, ...] = ()
    subject: str | None = None
    predicate: str | None = None
    object: str | None = None
    triple_key: str | None = None
    status: Status = "active"
    stale_at: float | None = None
    expires_at: float | None = None
    valid_from: float | None = None
    valid_until: float | None = None
    accessed_at: float | None = None
    depth: int = 0
    recorded: tuple[float, ...] = field(default=())
    """When each source was recorded; at creation if empty."""

    def rows(self) -> ClaimRows:
        """Return the values in the order of the columns."""
        recorded = self.recorded or [self.created_at] * len(self.sources)
        words = search_words(self.statement)
        about = topics(content_words(words))
        row = (
            self.id,
            self.statement,
            " ".join(words),
            self.subject,
            self.predicate,
            self.object,
            self.namespace,
            self.statement_key,
            self.triple_key,
            _topic_key(self.namespace, about[0]) if about else None,
            self.tier,
            self.status,
            self.created_at,
            self.stale_at,
            self.expires_at,
            self.valid_from,
            self.valid_until,
            self.created_at if self.accessed_at is None else self.accessed_at,
            self.depth,
            self.base.lower,
            self.base.upper,
            *denormalized_columns(self.sources, self.tier, self.stale_at),
        )
        return row, [
            (position, *_source(*pair)) for position, pair in enumerate(zip(self.sources, recorded, strict=True))
        ]


_COLUMNS = (
    "id, statement, words, subject, predicate, object, namespace, statement_key, triple_key, topic_key, tier, status, "
    "created_at, stale_at, expires_at, valid_from, valid_until, accessed_at, depth, base_lower, base_upper, "
) + ", ".join(DenormalizedColumns._fields)
_INSERT_CLAIM = insert_sql("claims", _COLUMNS)
_INSERT_WORDS = insert_sql("claims_text", "rowid, words")
_SOURCES = "claim, position, source_type, source_id, contribution, at, recorded_at, context"
_EVENTS = "claim, at, actor, action, status, detail"
_INSERT_EVENT = insert_sql("events", _EVENTS)


def insert_one(transaction: Transaction, claim: ClaimRows) -> tuple[int, SourceState]:
    """Insert a claim with its sources; return its key, and what is known about any sources."""
    row, entries = claim
    key = transaction.insert(_INSERT_CLAIM, row)
    if transaction.dialect.name == "sqlite":
        transaction.run(_INSERT_WORDS, (key, row[2]))
        tally(transaction, _COLUMNS, [row])
    sources = [(key, *source) for source in entries]
    transaction.load("sources", _SOURCES, sources, verified=True)
    return key, refresh_new(transaction, [key], sources)


def insert(transaction: Transaction, claims: Sequence[ClaimRows]) -> list[int]:
    """Insert claims with their sources; return their keys."""
    if transaction.dialect.name == "sqlite":
        # SQLite has one writer at a time, so the next keys are known: no query for them, and one executemany.
        last = transaction.value("SELECT seq FROM sqlite_sequence WHERE name = 'claims'") or 0
        keys = list(range(last + 1, last + 1 + len(claims)))
        rows = [(key, *row) for key, (row, _) in zip(keys, claims, strict=True)]
        transaction.load("claims", f"key, {_COLUMNS}", rows)
        transaction.load("claims_text", "rowid, words", [row[:4:3] for row in rows])
        tally(transaction, _COLUMNS, [row for row, _ in claims])
    else:
        # The keys first, so that no query has to look them up by the ids. The sequence is looked up once: doing so for
        # each key takes 2.7 us instead of 0.3.
        sequence = "CAST(pg_get_serial_sequence('claims', 'key') AS regclass) AS keys"
        reserve = f"SELECT nextval(keys) FROM {sequence}, generate_series(1, ?)"
        keys = sorted(row[0] for row in transaction.rows(reserve, [len(claims)]))
        rows = [(key, *row) for key, (row, _) in zip(keys, claims, strict=True)]
        transaction.load("claims", f"key, {_COLUMNS}", rows)
    sources = [(key, *source) for key, (_, entries) in zip(keys, claims, strict=True) for source in entries]
    transaction.load("sources", _SOURCES, sources, verified=True)
    refresh_new(transaction, keys, sources)
    return keys


def _source(source: Source, recorded: float) -> tuple[Any, ...]:
    return source.source_type, source.source_id, source.contribution, source.at, recorded, source.context


def add_sources(transaction: Transaction, key: int, sources: Iterable[Source], recorded_at: float) -> None:
    """Add sources to a claim and update its denormalized columns."""
    last = transaction.value("SELECT MAX(position) FROM sources WHERE claim = ?", [key])
    start = 0 if last is None else last + 1
    added = list(sources)
    rows = [(key, start + number, *_source(source, recorded_at)) for number, source in enumerate(added)]
    new = None if has_weights(transaction) else _new_sources(transaction, key, added)
    if new is not None:
        fold_in(transaction, key, new)
        transaction.load("sources", _SOURCES, rows)
    else:
        transaction.load("sources", _SOURCES, rows)
        refresh(transaction, key)


def _new_sources(transaction: Transaction, key: int, sources: list[Source]) -> list[Source] | None:
    """Return the sources that the claim does not have yet, to fold them in; None if it must be folded from scratch.

    A source that repeats itself adds nothing; one with a higher contribution than before changes a fold.
    """
    known = (  # a range of one key: with `claim = ?` SQLite reads all sources of the claim by its primary key
        "SELECT MAX(contribution), COUNT(*) FROM sources WHERE source_type = ? AND source_id = ? "
        "AND claim >= ? AND claim <= ?"
    )
    invalid = "SELECT 1 FROM invalidations WHERE source_type = ? AND source_id = ? AND until IS NULL"
    new = []
    for (kind, name), contribution in best_by_source(tuple(sources)).items():
        before, count = transaction.rows(known, [kind, name, key, key])[0]
        if count and contribution > (before or 0.0):
            return None
        if not count:
            if transaction.value(invalid, [kind, name]):
                return None
            new.append(Source(kind, name, contribution))
    return new


def sources_of(transaction: Transaction, key: int, as_of: float | None = None) -> list[Source]:
    """Return the sources of a claim, in their order; with `as_of`, those recorded by then."""
    query = (
        "SELECT source_type, source_id, contribution, at, context FROM sources "
        "WHERE claim = ? AND recorded_at <= ? ORDER BY position"
    )
    return [Source(*row) for row in transaction.rows(query, [key, math.inf if as_of is None else as_of])]


def normalise(text: str) -> str:
    """Return a statement without case, repeated white space and final punctuation, to compare it with others.

    >>> normalise("  The Sky  is blue. ")
    'the sky is blue'
    """
    plain = text.lower() if text.isascii() else unicodedata.normalize("NFKC", text).casefold()
    return " ".join(plain.split()).rstrip(".! ")


def _digest(*parts: str) -> str:
    return sha256("\x1f".join(map(normalise, parts)).encode()).hexdigest()[:32]


_PLAIN = str.maketrans(
    dict.fromkeys("\u2018\u2019\u201a\u201b\u02bc\u2032", "'")
    | dict.fromkeys("\u201c\u201d\u201e\u201f\u2033", '"')
    | dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2015\u2212", "-")
    | dict.fromkeys("\u00ad\u200b\u2060\ufeff", "")
)
"""Printed apostrophes, quotation marks and dashes as they are typed; characters that are not seen at all."""


def statement_key(statement: str) -> str:
    """Return a key that is equal for statements that say the same, typed or printed."""
    return _digest(statement if statement.isascii() else statement.translate(_PLAIN))


def former_key(statement: str) -> str | None:
    """Return the key that older stores have for a statement with printed marks; None if it is the same as now."""
    if statement.isascii() or statement.translate(_PLAIN) == statement:
        return None
    return _digest(statement)


def triple_key(subject: str | None, predicate: str | None, object_: str | None) -> str | None:
    """Return a key that is equal for triples that say the same; None if a part is missing."""
    if subject is None or predicate is None or object_ is None:
        return None
    return _digest(subject, predicate, object_)


class SameClaim(NamedTuple):
    """A claim that says the same as another one."""

    key: int
    id: str
    status: Status


def find_same(
    transaction: Transaction, namespace: str, statement_key: str, triple_key: str | None, former: str | None = None
) -> SameClaim | None:
    """Return the claim with the same statement or triple in a namespace, or None.

    A claim that an older store has under the `former` key of the statement comes first. One with the same statement
    but another triple comes last: words like "it" may stand for different things.
    """
    if former is not None and (same := find_same(transaction, namespace, former, None)) is not None:
        return same
    # A UNION of two lookups instead of one OR, so that each uses its own partial index.
    place = "0" if triple_key is None else "CASE WHEN triple_key <> :triple THEN 1 ELSE 0 END"
    query = (
        f"SELECT key, id, status, {place} AS place FROM claims WHERE namespace = :namespace "
        "AND statement_key = :statement AND status <> 'forgotten'"
    )
    if triple_key is not None:
        query += (
            " UNION ALL SELECT key, id, status, 0 AS place FROM claims WHERE namespace = :namespace "
            "AND triple_key = :triple AND status <> 'forgotten'"
        )
    parameters = {"namespace": namespace, "statement": statement_key, "triple": triple_key}
    row = transaction.one(query + " ORDER BY place, key LIMIT 1", parameters)
    return None if row is None else SameClaim(*row[:3])


def find_conflicting(
    transaction: Transaction, namespace: str, subject: str, predicate: str, triple_key: str | None, limit: int
) -> list[int]:
    """Return keys of claims that give the same subject and predicate another object."""
    query = (  # a range of one predicate and its order: see find_alike
        "SELECT key FROM claims WHERE namespace = ? AND subject = ? AND predicate >= ? AND predicate <= ? AND "
        f"triple_key <> ? AND status IN {IN_USE} ORDER BY predicate, key LIMIT {int(limit)}"
    )
    return [row[0] for row in transaction.rows(query, [namespace, subject, predicate, predicate, triple_key or ""])]


class AlikeClaim(NamedTuple):
    """A claim that says something about the same subject."""

    key: int
    id: str
    statement: str
    words: str


MAX_ALIKE = 40
"""Claims on each topic that are looked at, the newest first."""


def topic_keys(namespace: str, words: Iterable[str]) -> list[str]:
    """Return the keys under which claims about the same are found, given search words; the claim's own comes first."""
    return [_topic_key(namespace, topic) for topic in topics(content_words(words))]


def _topic_key(namespace: str, topic: Sequence[str]) -> str:
    return sha256(f"{namespace}\x1f{' '.join(topic)}".encode()).hexdigest()[:16]


def find_alike(transaction: Transaction, namespace: str, words: Iterable[str], but: int) -> list[AlikeClaim]:
    """Return claims of a namespace on the topic of these search words, the newest of each topic first."""
    keys = topic_keys(namespace, words)
    parameters = [value for key in keys for value in (key, key, but)]
    rows = transaction.rows(_alike_query(len(keys)), parameters) if keys else []
    return [AlikeClaim(*row) for row in rows]


@cache
def _alike_query(topics: int) -> str:
    # By an index instead of the words: at 100,000 claims, searching for all words but one takes 3 ms in SQLite. With
    # `topic_key = ?`, PostgreSQL may walk through all claims by key, which is the same order: 545 ms at a million.
    query = (
        "SELECT key, id, statement, words FROM claims WHERE topic_key >= ? AND topic_key <= ? AND key <> ? "
        f"AND status IN {IN_USE} ORDER BY topic_key DESC, key DESC LIMIT {MAX_ALIKE}"
    )
    return " UNION ALL ".join(f"SELECT * FROM ({query}) AS topic_{number}" for number in range(topics))


def statements_of(transaction: Transaction, keys: Sequence[int]) -> list[tuple[str, str]]:
    """Return id and statement of claims, in the order of their keys."""
    marks = ", ".join("?" * len(keys))
    rows = transaction.rows(f"SELECT id, statement FROM claims WHERE key IN ({marks}) ORDER BY key", list(keys))
    return [(row[0], row[1]) for row in rows]


def names_of(transaction: Transaction, keys: Sequence[int]) -> dict[int, tuple[str, str]]:
    """Return id and statement of any number of claims, by key."""
    names: dict[int, tuple[str, str]] = {}
    for some in in_chunks(keys):
        query = f"SELECT key, id, statement FROM claims WHERE key IN ({', '.join('?' * len(some))})"
        names |= {key: (id_, statement) for key, id_, statement in transaction.rows(query, some)}
    return names


LAST = "@last"
"""Stands for the id of the claim that was added or changed last."""
MIN_PREFIX = 6
"""Characters of an id that name a claim at least, so that a typo does not."""


def key_of(transaction: Transaction, claim: str) -> int:
    """Return the key of a claim by its id, a unique prefix of it, or `@last`.

    Raises:
        NotFoundError: if there is no such claim.
        InputError: if it is not a text, or several ids start with it.
    """
    claim = decode_as(str, claim, "claim")
    keys: list[Row] = []
    if claim == LAST:
        keys = transaction.rows("SELECT claim FROM events ORDER BY key DESC LIMIT 1")
    elif claim.isascii() and "\x00" not in claim:  # as all ids are
        keys = transaction.rows("SELECT key FROM claims WHERE id = ?", [claim])
        if not keys and len(claim) >= MIN_PREFIX and claim.isalnum():
            # "{" follows "z" in ASCII, so this is the range of all ids that start with it.
            keys = transaction.rows("SELECT key FROM claims WHERE id >= ? AND id < ? LIMIT 2", [claim, claim + "{"])
    if len(keys) > 1:
        raise InputError(f"several claims start with {shown(claim)}", field="claim", hint="give more of the id")
    if not keys:
        raise NotFoundError(f"unknown claim {shown(claim)}", field="claim", hint="howsure claim find lists claims")
    return int(keys[0][0])


def full_id(transaction: Transaction, claim: str) -> tuple[int, str]:
    """Return the key and the whole id of a claim; see `key_of`."""
    key = key_of(transaction, claim)
    return key, id_of(transaction, key)


class ClaimWords(NamedTuple):
    """What a claim says. Reading it takes the same time however many relations the claim has."""

    id: str
    statement: str
    subject: str | None
    predicate: str | None
    object: str | None
    namespace: str


def words_of(transaction: Transaction, key: int) -> ClaimWords:
    """Return what the claim with a row key says."""
    columns = ", ".join(ClaimWords._fields)
    return ClaimWords(*transaction.rows(f"SELECT {columns} FROM claims WHERE key = ?", [key])[0])


def id_of(transaction: Transaction, key: int) -> str:
    """Return the id of a claim by its key."""
    return str(transaction.value("SELECT id FROM claims WHERE key = ?", [key]))


def status_of(transaction: Transaction, key: int) -> Status | None:
    """Return the status of a claim, or None if it is gone."""
    status: Status | None = transaction.value("SELECT status FROM claims WHERE key = ?", [key])
    return status


def tier_of(transaction: Transaction, key: int) -> Tier:
    """Return the tier of a claim."""
    tier: Tier = transaction.value("SELECT tier FROM claims WHERE key = ?", [key])
    return tier


def namespace_of(transaction: Transaction, key: int) -> str:
    """Return the namespace of a claim."""
    return str(transaction.value("SELECT namespace FROM claims WHERE key = ?", [key]))


def invalid_sources(transaction: Transaction, key: int, as_of: float | None = None) -> set[tuple[str, str]]:
    """Return type and id of the sources of a claim that are (or, with `as_of`, were) invalidated."""
    query = (
        "SELECT DISTINCT s.source_type, s.source_id FROM sources s JOIN invalidations v "
        "ON v.source_type = s.source_type AND v.source_id = s.source_id "
        f"WHERE {invalid_now(past=as_of is not None)} AND s.claim = :key"
    )
    rows = transaction.rows(query, {"key": key} | ({} if as_of is None else {"as_of": as_of}))
    return {(row[0], row[1]) for row in rows}


def has_source(transaction: Transaction, key: int, source_type: str, source_id: str) -> bool:
    """Say whether a claim has a source."""
    query = "SELECT 1 FROM sources WHERE claim = ? AND source_type = ? AND source_id = ?"
    return bool(transaction.value(query, [key, source_type, source_id]))


def record_event(
    transaction: Transaction,
    key: int,
    at: float,
    actor: str,
    action: str,
    detail: str = "",
    status: Status | None = None,
) -> None:
    """Add an event to the history of a claim; with `status`, the claim gets that status."""
    if status is not None:
        transaction.run("UPDATE claims SET status = ? WHERE key = ?", [status, key])
    insert_event(transaction, key, at, actor, action, status, detail)


def insert_event(
    transaction: Transaction, key: int, at: float, actor: str, action: str, status: Status | None, detail: str
) -> None:
    """Insert an event, without changing the status of the claim."""
    transaction.run(_INSERT_EVENT, [key, at, actor, action, status, detail])
    if detail:
        note_event(transaction, key, action, detail)


def insert_events(transaction: Transaction, rows: Sequence[Sequence[Any]]) -> None:
    """Insert events of claims that were inserted in this transaction: claim, at, actor, action, status, detail."""
    transaction.load("events", _EVENTS, rows, verified=True)
    note_events(transaction, ((row[0], row[-1]) for row in rows))


def events_of(transaction: Transaction, key: int) -> list[Row]:
    """Return at, actor, action, status and detail of every event of a claim, in order."""
    query = "SELECT at, actor, action, status, detail FROM events WHERE claim = ? ORDER BY key"
    return transaction.rows(query, [key])
