"""Upkeep of a store: is it sound, how large is it, and a copy of it to keep."""

import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import orjson

from howsure.claims.transfer import export, import_
from howsure.errors import InputError, StoreError
from howsure.files import atomic_write
from howsure.progress import silent
from howsure.store.database import Transaction
from howsure.store.decisions import hours_out_of_step
from howsure.store.denormalized import out_of_step
from howsure.store.schema import version
from howsure.store.session import Session
from howsure.store.sqlite import SqliteDatabase, fixed, immutable


def check(session: Session) -> list[str]:
    """Return everything that is wrong with a store; nothing, if it is sound."""
    problems: list[str] = []
    for part in (_damage, _orphans, _folds, _depths, _statuses, _hours):
        try:
            with session.database.read() as transaction:
                problems.extend(part(transaction))
        except StoreError as error:  # a damaged file fails in places; what the other parts find is told nevertheless
            problems.append(str(error))
    return list(dict.fromkeys(problems))


def _damage(transaction: Transaction) -> Iterator[str]:
    if transaction.dialect.name == "sqlite":
        for (found,) in transaction.stream("PRAGMA integrity_check"):
            if found != "ok":
                yield f"SQLite: {found}"


def _orphans(transaction: Transaction) -> Iterator[str]:
    if transaction.dialect.name == "sqlite":
        for table, row, *_ in transaction.rows("PRAGMA foreign_key_check"):
            yield f"{table} row {row} belongs to a claim that is not there"
        missing = "SELECT COUNT(*) FROM claims c WHERE c.key NOT IN (SELECT id FROM claims_text_docsize)"
        if count := transaction.value(missing):
            yield f"{count} claims are missing from the text index"
    for (name,) in transaction.rows(
        "SELECT c.id FROM claims c LEFT JOIN events e ON e.claim = c.key WHERE e.key IS NULL"
    ):
        yield f"{name} has no history"


def _folds(transaction: Transaction) -> Iterator[str]:
    for _, name in out_of_step(transaction):
        yield f"{name}: its folds are out of step with its sources (howsure janitor refreshes them)"


def _depths(transaction: Transaction) -> Iterator[str]:
    """Give derived claims that are read before what they were derived from."""
    below = (
        "SELECT MAX(t.depth) + 1 FROM relations r JOIN claims t ON t.key = r.target "
        "WHERE r.source = c.key AND r.kind = 'derived_from' AND r.removed_at IS NULL"
    )
    for name, depth in transaction.rows(f"SELECT c.id, c.depth FROM claims c WHERE c.depth < ({below})"):
        yield f"{name} is kept at depth {depth}, but was derived from claims as deep"


def _statuses(transaction: Transaction) -> Iterator[str]:
    query = (
        "SELECT c.id, c.status, e.status FROM claims c JOIN events e ON e.key = "
        "(SELECT MAX(l.key) FROM events l WHERE l.claim = c.key AND l.status IS NOT NULL) WHERE c.status <> e.status"
    )
    for name, status, logged in transaction.rows(query):
        yield f"{name} is {status}, but its history says {logged}"


def _hours(transaction: Transaction) -> Iterator[str]:
    """Give hours whose sums are not what was decided in them."""
    for agent, hour in hours_out_of_step(transaction):
        yield f"the sums of {agent!r} in hour {hour} are out of step with its decisions"


def stats(session: Session) -> dict[str, Any]:
    """Return how much a store holds."""
    with session.database.read() as transaction:
        found: dict[str, Any] = {"address": session.database.address, "schema": version(transaction)}
        for table in ("claims", "sources", "relations", "events", "decisions", "outcomes"):
            found[table] = transaction.value(f"SELECT COUNT(*) FROM {table}")
        for column in ("tier", "status"):
            rows = transaction.rows(f"SELECT {column}, COUNT(*) FROM claims GROUP BY {column} ORDER BY {column}")
            found[f"by_{column}"] = dict(rows)
        if transaction.dialect.name == "sqlite":
            found["bytes"] = transaction.value("SELECT page_count * page_size FROM pragma_page_count, pragma_page_size")
        else:
            found["bytes"] = transaction.value(
                "SELECT pg_total_relation_size('claims') + pg_total_relation_size('sources')"
            )
    return found


def backup(session: Session, path: Path) -> None:
    """Write a copy of the store: a SQLite file for .db (SQLite stores only), else an export as JSON Lines.

    The copy appears under its name when it is whole. What was purged or deleted is not in it.
    """
    if path.exists():
        raise InputError(f"{path} is there already", field="file", hint="choose another name")
    try:
        with atomic_write(path) as part:
            if path.suffix == ".db":
                _copy(session, part)
            else:
                with part.open("wb") as file:
                    for record in export(session):
                        file.write(orjson.dumps(record, option=orjson.OPT_APPEND_NEWLINE))
    except OSError as error:
        raise StoreError(f"the backup could not be written: {error.strerror}") from error


def _copy(session: Session, part: Path) -> None:
    if not isinstance(session.database, SqliteDatabase):
        raise InputError("only a SQLite store is backed up as .db", field="file", hint="name it .jsonl")
    try:
        session.database.copy(str(part))
    except StoreError as error:
        raise StoreError(f"the backup could not be written: {error.problem}", hint=error.hint) from error


def restore(session: Session, path: Path) -> dict[str, int]:
    """Fill an empty store from a backup, all or nothing."""
    with session.database.read() as transaction:
        for name in ("claims", "decisions"):
            if count := transaction.value(f"SELECT COUNT(*) FROM {name}"):
                hint = "open a new store for it: HOWSURE_STORE=another.db"
                raise InputError(f"the store holds {count} {name} already", field="store", hint=hint)
    if path.suffix != ".db":
        from howsure.datafiles import read_records

        return import_(session, read_records(path), silent)
    from howsure.sure import open as open_store

    if not path.is_file():
        raise InputError(f"there is no file {path}", field="file")
    with tempfile.TemporaryDirectory() as folder:  # the backup itself stays as it is
        scratch = Path(folder) / "copy.db"
        _read_whole(path, scratch)
        with open_store(str(scratch)) as copy:
            return import_(session, enumerate(export(copy.session), start=1), silent)


def _read_whole(path: Path, copy: Path) -> None:
    """Copy a SQLite file with what stands in the log beside it, without changing either."""
    address = immutable(str(path)) if fixed(str(path)) else f"{path.absolute().as_uri()}?mode=ro"
    try:
        with closing(sqlite3.connect(address, uri=True)) as source, closing(sqlite3.connect(copy)) as target:
            source.backup(target)
    except sqlite3.Error as error:
        raise StoreError(
            f"{path} cannot be read: {error}", hint="is it a backup made by howsure store backup?"
        ) from error
