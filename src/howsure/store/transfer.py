"""Export a store as records, import them again, and back up and restore whole stores."""

import sqlite3
import tempfile
import time
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Annotated, Any

import orjson

from howsure.datafiles import parse_record, read_records
from howsure.errors import InputError, StoreError, shown
from howsure.files import atomic_write
from howsure.formulas.claim import RelationKind, Source, Status
from howsure.formulas.decay import Tier
from howsure.formulas.derived import DEEPEST
from howsure.formulas.interval import Interval
from howsure.formulas.spec import ModelSpec
from howsure.progress import Progress, silent
from howsure.shapes import Count, Moment, Unit, Within, decode
from howsure.store.backends.address import read_address
from howsure.store.backends.database import POSTGRES_PREFIXES, Database, Transaction
from howsure.store.backends.read_only import immutable
from howsure.store.backends.schema import migrate
from howsure.store.backends.sqlite import OWNER_ONLY, SqliteDatabase, is_immutable
from howsure.store.claim_tables import claims as table
from howsure.store.claim_tables import source_weights
from howsure.store.claim_tables.claim_formulas import last_used, note
from howsure.store.claim_tables.claims import NewClaim, former_key, statement_key, triple_key
from howsure.store.claim_tables.denormalized import has_weights, refresh, refresh_all
from howsure.store.claim_tables.relations import update_depth
from howsure.store.claim_tables.source_weights import WeightRow
from howsure.store.ledger_tables.ledger_transfer import RECORDS, LedgerImport, count_records, export_ledger
from howsure.store.secrets import SECRET_TABLES, count_secrets, remove_secrets
from howsure.store.session import Session
from howsure.store.text_rules import check_namespace, check_text

FORMAT = 1
"""Version of the format. It goes up when an older program would misread an export."""


@dataclass(frozen=True)
class _Head:
    howsure: Annotated[int, Within(FORMAT, FORMAT)]
    claims: Count
    relations: Count
    invalidations: Count
    source_weights: Count = 0
    specs: Count = 0
    decisions: Count = 0
    outcomes: Count = 0
    fits: Count = 0
    tool_calls: Count = 0
    document_events: Count = 0
    left_out: dict[str, Count] = field(default_factory=dict)
    """What is in the store but not in the export, since it holds secrets: tokens and peers."""
    claim_formula: ModelSpec | None = None
    """The formula that claims were last added under."""


@dataclass(frozen=True)
class _Source:
    source_type: str
    source_id: str
    contribution: Unit | None
    at: Moment | None
    recorded_at: Moment
    context: str
    rights: Unit | None = None
    wrongs: Unit | None = None


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
            raise InputError("the statement is empty", field="statement")
        if not self.id.isascii() or not self.id.isalnum():
            raise InputError(f"invalid id {shown(self.id)}", field="id")
        if not self.events:
            raise InputError("the claim has no events", field="events")


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


@dataclass(frozen=True)
class ImportReport:
    """How many records an import added."""

    claims: int
    skipped: int
    """Claims that were there already, by their id."""
    relations: int
    invalidations: int
    decisions: int
    left_out: dict[str, int] = field(default_factory=dict)
    """What the exported store had and an export leaves out, since it holds secrets: tokens and peers."""


def export(database: Database) -> Iterator[dict[str, Any]]:
    """Yield everything in the store: a head with counts, claims with sources and events, relations, the ledger."""
    names = _CLAIM.split(", ")
    with database.read(separate=True) as transaction:  # the caller may write between two records
        yield (
            {"howsure": FORMAT}
            | {
                name: transaction.value(f"SELECT COUNT(*) FROM {name}")
                for name in ("claims", "relations", "invalidations", "source_weights")
            }
            | count_records(transaction)
            | {"left_out": count_secrets(transaction)}
            | _claim_formula(transaction)
        )
        last = -1
        while True:
            page = f"SELECT key, {_CLAIM} FROM claims WHERE key > ? ORDER BY key LIMIT 500"
            rows = transaction.rows(page, [last])
            if not rows:
                break
            last = rows[-1][0]
            sources = _grouped(transaction, "sources", _SOURCE, "position", rows[0][0], last)
            events = _grouped(transaction, "events", _EVENT, "key", rows[0][0], last)
            for key, *values in rows:
                columns = dict(zip(names, values, strict=True))
                yield {"claim": columns | {"sources": sources.get(key, []), "events": events.get(key, [])}}
        relations = (
            "SELECT r.kind, a.id, b.id, r.strength, r.recorded_at, r.removed_at FROM relations r "
            "JOIN claims a ON a.key = r.source JOIN claims b ON b.key = r.target ORDER BY r.key"
        )
        for row in transaction.stream(relations):
            yield {"relation": dict(zip(_RELATION, row, strict=True))}
        names_of_columns = ", ".join(_INVALIDATION)
        for row in transaction.stream(f"SELECT {names_of_columns} FROM invalidations ORDER BY key"):
            yield {"invalidation": dict(zip(_INVALIDATION, row, strict=True))}
        for weight in source_weights.list_all(transaction):
            yield {"source_weight": weight._asdict()}
        yield from export_ledger(transaction)


def _claim_formula(transaction: Transaction) -> dict[str, Any]:
    formula = last_used(transaction)
    return {} if formula is None else {"claim_formula": formula._asdict()}


def count_left_out(session: Session) -> dict[str, int]:
    """Count what is in the store and not in a backup of it: tokens and peers."""
    with session.database.read() as transaction:
        return count_secrets(transaction)


def _count(transaction: Transaction, table_name: str) -> int:
    return int(transaction.value(f"SELECT COUNT(*) FROM {table_name}"))


def _grouped(
    transaction: Transaction, name: str, columns: tuple[str, ...], order: str, first: int, last: int
) -> dict[int, list[dict[str, Any]]]:
    query = f"SELECT claim, {', '.join(columns)} FROM {name} WHERE claim BETWEEN ? AND ? ORDER BY claim, {order}"
    groups: dict[int, list[dict[str, Any]]] = {}
    for key, *values in transaction.rows(query, [first, last]):
        groups.setdefault(key, []).append(dict(zip(columns, values, strict=True)))
    return groups


def import_records(
    transaction: Transaction, records: Iterable[tuple[int, Any]], progress: Progress = silent
) -> ImportReport:
    """Import the numbered records of an export. Claims whose id exists are left as they are.

    Raises:
        InputError: if a record is invalid or some are missing. The transaction must then be rolled back.
    """
    importing = _Import(transaction)
    for number, record in records:
        try:
            importing.add(parse_record(record))
        except InputError as error:
            problem = f"{error.field}: {error.problem}" if error.field else error.problem
            raise InputError(problem, line=number, hint="nothing was imported") from error
        progress("importing records", number, 0)
    return importing.finish()


class _Import:
    """Imports record by record."""

    def __init__(self, transaction: Transaction) -> None:
        self.transaction = transaction
        self.head: _Head | None = None
        self.added = {"claims": 0, "skipped": 0, "relations": 0, "invalidations": 0}
        self.weighed = has_weights(transaction)
        """Whether the store knows weights of sources already; they stay."""
        self.weights = 0
        self.read = dict.fromkeys(
            ("claims", "relations", "invalidations", "source_weights", *(f"{kind}s" for kind in RECORDS)), 0
        )
        self.ledger = LedgerImport(transaction)
        self.new: dict[str, int] = {}
        """Keys of the imported claims, by id."""
        self.touched: set[int] = set()
        """Keys of claims whose sources were invalidated."""

    def add(self, record: Any) -> None:
        """Check and import one record."""
        if self.head is None:
            if not isinstance(record, dict) or "howsure" not in record:
                raise InputError(f"{shown(record)} is not the head of an export")
            self.head = decode(_Head, record)
            if self.head.claim_formula is not None and last_used(self.transaction) is None:
                note(self.transaction, self.head.claim_formula, time.time())
            return
        if not isinstance(record, dict) or len(record) != 1:
            raise InputError(f"{shown(record)} is not a record of an export")
        ((kind, content),) = record.items()
        if kind == "claim":
            self._claim(decode(_Claim, content))
        elif kind == "relation":
            self._relation(decode(_Relation, content))
        elif kind == "invalidation":
            self._invalidation(decode(_Invalidation, content))
        elif kind == "source_weight":
            self._weight(decode(WeightRow, content))
        elif kind in RECORDS:
            self.ledger.add(kind, content)
        else:
            raise InputError(f"unknown kind of record {shown(kind)}")
        self.read[f"{kind}s"] += 1

    def _claim(self, record: _Claim) -> None:
        if self.transaction.value("SELECT 1 FROM claims WHERE id = ?", [record.id]):
            self.added["skipped"] += 1
            return
        about = {
            name: getattr(record, name) for name in _names(_Claim, "sources", "events", "base_lower", "base_upper")
        }
        claim = NewClaim(
            **about,
            base=Interval(record.base_lower, record.base_upper),
            statement_key=statement_key(record.statement),
            triple_key=triple_key(record.subject, record.predicate, record.object),
            sources=tuple(Source(s.source_type, s.source_id, s.contribution, s.at, s.context) for s in record.sources),
            recorded=tuple(s.recorded_at for s in record.sources),
        )
        if record.status != "forgotten":
            self._separate_twin(claim)
            keys = (claim.statement_key, claim.triple_key, former_key(claim.statement))
            if table.find_same(self.transaction, claim.namespace, *keys) is not None:
                raise InputError(f"the store has the claim {shown(record.statement)} under another id")
        key, _ = table.insert_one(self.transaction, claim.rows())
        events = [(key, *(getattr(event, name) for name in _EVENT)) for event in record.events]
        table.insert_events(self.transaction, events)
        counted = [(s.rights, s.wrongs, key, n) for n, s in enumerate(record.sources) if s.rights is not None]
        if counted and not self.weighed:
            source_weights.set_counted(self.transaction, counted)
        self.new[record.id] = key
        self.added["claims"] += 1

    def _separate_twin(self, claim: NewClaim) -> None:
        """Give one of two claims its former key: older stores hold a statement twice, with typed and printed marks."""
        twin = table.find_same(self.transaction, claim.namespace, claim.statement_key, None)
        if twin is None:
            return
        ((_, statement),) = table.statements_of(self.transaction, twin[:1])
        own, other = former_key(claim.statement), former_key(statement)
        if own is not None and own != other:
            claim.statement_key = own
        elif other is not None and own != other:
            self.transaction.run("UPDATE claims SET statement_key = ? WHERE key = ?", [other, twin[0]])

    def _key(self, claim: str) -> int:
        key = self.new.get(claim)
        if key is None and claim.isascii() and claim.isalnum():  # no database is asked for what is no id
            key = self.transaction.value("SELECT key FROM claims WHERE id = ?", [claim])
        if key is None:
            raise InputError(f"the relation names the unknown claim {shown(claim)}")
        return int(key)

    def _relation(self, record: _Relation) -> None:
        source, target = self._key(record.source), self._key(record.target)
        if source == target:
            raise InputError("a claim cannot relate to itself", field="target")
        row = [record.kind, source, target, record.strength, record.recorded_at, record.removed_at]
        known = "SELECT 1 FROM relations WHERE source = ? AND kind = ? AND target = ? AND recorded_at = ?"
        both_known = record.source not in self.new and record.target not in self.new
        if both_known and self.transaction.value(known, [source, record.kind, target, record.recorded_at]):
            return
        columns = "kind, source, target, strength, recorded_at, removed_at"
        self.transaction.load("relations", columns, [row])
        self.added["relations"] += 1
        if record.kind == "derived_from" and record.removed_at is None:
            update_depth(self.transaction, source)

    def _invalidation(self, record: _Invalidation) -> None:
        known = "SELECT 1 FROM invalidations WHERE source_type = ? AND source_id = ? AND since = ?"
        if self.transaction.value(known, [record.source_type, record.source_id, record.since]):
            return
        self.transaction.load("invalidations", ", ".join(_INVALIDATION), [[getattr(record, n) for n in _INVALIDATION]])
        rests = "SELECT DISTINCT claim FROM sources WHERE source_type = ? AND source_id = ?"
        self.touched |= {row[0] for row in self.transaction.rows(rests, [record.source_type, record.source_id])}
        self.added["invalidations"] += 1

    def _weight(self, row: WeightRow) -> None:
        check_text("source_type", row.source_type)
        check_text("source_id", row.source_id)
        check_text("source_id", row.copy_group, "copy_group")
        if not self.weighed:
            source_weights.put(self.transaction, [row])
            self.weights += 1

    def finish(self) -> ImportReport:
        """Check that no record is missing, and update the denormalized columns of claims."""
        if self.head is None:
            raise InputError("the export is empty")
        for name, count in self.read.items():
            if count != getattr(self.head, name):
                problem = f"the export is cut short: {count} of {getattr(self.head, name)} {name}"
                raise InputError(problem, hint="nothing was imported")
        for key in {*self.new.values(), *self.touched}:
            refresh(self.transaction, key)
        if self.weights:
            refresh_all(self.transaction)
        self.ledger.finish()
        return ImportReport(**self.added, decisions=self.ledger.imported, left_out=self.head.left_out)


def backup(session: Session, path: Path) -> None:
    """Write a copy of the store: a SQLite file for .db (SQLite stores only), else an export as JSON Lines.

    The file appears under its name when it is complete. It contains nothing that was purged or deleted, and no
    token or peer by which one gets access.
    """
    if path.exists():
        raise InputError(f"{path} exists already", field="file", hint="choose another name")
    try:
        with atomic_write(path) as part:
            part.chmod(OWNER_ONLY)
            if path.suffix == ".db":
                _copy(session.database, part.resolve())
            else:
                with part.open("wb") as file:
                    for record in export(session.database):
                        file.write(orjson.dumps(record, option=orjson.OPT_APPEND_NEWLINE))
    except OSError as error:
        raise StoreError(f"the backup could not be written: {error.strerror}") from error


def _copy(database: Database, part: Path) -> None:
    if not isinstance(database, SqliteDatabase):
        raise InputError("only a SQLite store can be backed up as .db", field="file", hint="name it .jsonl")
    try:
        database.copy(str(part))
        remove_secrets(part)
    except StoreError as error:
        raise StoreError(f"the backup could not be written: {error.problem}", hint=error.hint) from error
    except sqlite3.Error as error:
        raise StoreError(f"the backup could not be written: {error}") from error


def restore(session: Session, path: Path) -> ImportReport:
    """Fill an empty store from a backup, all or nothing."""
    with session.database.read() as transaction:
        for name in ("claims", "decisions"):
            if count := transaction.value(f"SELECT COUNT(*) FROM {name}"):
                hint = "open a new store for it: HOWSURE_STORE=another.db"
                raise InputError(f"the store already has {count} {name}", field="store", hint=hint)
    if path.suffix != ".db":
        with session.write() as transaction:
            return import_records(transaction, read_records(path))
    if not path.is_file():
        raise InputError(f"no such file: {path}", field="file")
    with _temporary_folder() as folder:  # migrating a copy leaves the backup as it is
        _read_whole(path, Path(folder) / "copy.db")
        database = SqliteDatabase(str(Path(folder) / "copy.db"))
        try:
            migrate(database)
            with session.write() as transaction:
                return import_records(transaction, enumerate(export(database), start=1))
        finally:
            database.close()


@contextmanager
def remove_if_failed(address: str) -> Iterator[None]:
    """Remove the SQLite file of a store if the block fails, unless it existed before or somebody has filled it."""
    path = None if address.startswith(POSTGRES_PREFIXES) else Path(read_address(address)).resolve()
    if path is None or path.exists():
        yield
        return
    try:
        yield
    except BaseException:
        if path.is_file() and _is_empty(path):
            for name in (path.name, f"{path.name}-wal", f"{path.name}-shm"):
                with suppress(OSError):  # the error that is on its way says more
                    path.with_name(name).unlink()
        raise


def _is_empty(path: Path) -> bool:
    """Return whether the store in a SQLite file has no claims, decisions, tokens or peers; False if it is unknown."""
    try:
        with closing(sqlite3.connect(f"{path.as_uri()}?mode=rw", uri=True)) as connection:
            tables = {row[0] for row in connection.execute("SELECT name FROM sqlite_master")}
            wanted = [name for name in ("claims", "decisions", *SECRET_TABLES) if name in tables]
            return not any(connection.execute(f"SELECT 1 FROM {name} LIMIT 1").fetchone() for name in wanted)
    except sqlite3.Error:
        return False


def _temporary_folder() -> "tempfile.TemporaryDirectory[str]":
    try:
        return tempfile.TemporaryDirectory()
    except OSError as error:  # the disk is full or fails, so that Python finds no folder that it can write to
        hint = "free some space on the disk, or set TMPDIR to a folder on another one"
        raise StoreError("no folder for temporary files can be written to", hint=hint) from error


def _read_whole(path: Path, copy: Path) -> None:
    """Copy a SQLite file together with its write-ahead log, without changing either."""
    address = immutable(str(path)) if is_immutable(str(path)) else f"{path.absolute().as_uri()}?mode=ro"
    try:
        with closing(sqlite3.connect(address, uri=True)) as source, closing(sqlite3.connect(copy)) as target:
            source.backup(target)
    except sqlite3.Error as error:
        full = any(words in str(error) for words in ("disk is full", "disk I/O"))
        hint = f"a copy of it is made in {copy.parent}" if full else "is it a backup made by howsure store backup?"
        raise StoreError(f"{path} cannot be read: {error}", hint=hint) from error
