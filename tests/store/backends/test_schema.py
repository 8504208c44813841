"""The tables: released migrations never change, and every store is brought up to date or refused."""

import hashlib

import pytest

from howsure.errors import StoreError
from howsure.store.backends import schema
from howsure.store.backends.claim_sum_triggers import TRIGGERS
from howsure.store.backends.database import connect
from howsure.store.backends.schema import MIGRATIONS, TEXT_SEARCH, migrate, newest, version
from howsure.sure import Sure
from howsure.sure import open as open_store

RELEASED: list[str] = []
"""Fingerprint of each migration, added when it is released; a line that is there stays as it is."""
_NEXT = "CREATE TABLE notes (key {serial}, at {double} NOT NULL);\nCREATE INDEX notes_by_time ON notes (at);\n"


def test_released_migrations_are_as_they_were() -> None:
    first = MIGRATIONS[0] + "".join(TEXT_SEARCH[name] + "".join(TRIGGERS[name]) for name in ("sqlite", "postgres"))
    fingerprints = [hashlib.sha256(text.encode()).hexdigest()[:16] for text in (first, *MIGRATIONS[1:])]
    assert fingerprints[: len(RELEASED)] == RELEASED


def test_an_older_store_becomes_the_newest(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with open_store(address) as sure:
        sure.claims.add("kept", source="user_input:ann")
    monkeypatch.setattr(schema, "MIGRATIONS", (*MIGRATIONS, _NEXT))
    with open_store(address) as sure:
        assert [claim.statement for claim in sure.claims.find().claims] == ["kept"]
        assert migrate(sure.session.database) == (2, 2)
        with sure.session.database.read() as transaction:
            assert transaction.value("SELECT COUNT(*) FROM notes") == 0
    monkeypatch.undo()
    with pytest.raises(StoreError, match="has schema 2, but this program knows only up to 1"):
        open_store(address)


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE howsure_schema SET fingerprint = 'other'",
        "ALTER TABLE howsure_schema DROP COLUMN fingerprint",  # as development versions made it
    ],
)
def test_a_store_with_other_tables_is_refused_with_a_hint(address: str, change: str) -> None:
    with open_store(address) as sure, sure.session.write() as transaction:
        transaction.run("DROP TABLE tokens")
        transaction.run(change)
    with pytest.raises(StoreError, match="made by a development version of howsure with other tables") as refused:
        open_store(address)
    assert "howsure claim export" in (refused.value.hint or "")
    with pytest.raises(StoreError, match="development version"):
        open_store(address, read_only=True)


def test_a_store_without_a_version_is_refused(address: str) -> None:
    with open_store(address) as sure, sure.session.write() as transaction:
        transaction.run("DELETE FROM howsure_schema")
    with pytest.raises(StoreError, match="howsure_schema is empty: the store is damaged"):
        open_store(address)


def test_the_fingerprint_is_of_all_scripts(monkeypatch: pytest.MonkeyPatch) -> None:
    known = schema.fingerprint(1)
    monkeypatch.setattr(schema, "MIGRATIONS", (*MIGRATIONS, _NEXT))
    assert schema.fingerprint(1) == known, "a later script does not change what an older store has"
    assert schema.fingerprint(2) != known
    monkeypatch.setattr(schema, "MIGRATIONS", (MIGRATIONS[0] + "\n",))
    assert schema.fingerprint(1) != known


def test_an_empty_store_becomes_the_newest(address: str) -> None:
    database = connect(address)
    assert migrate(database) == (0, newest())
    with database.read() as transaction:
        assert version(transaction) == newest()
    database.close()
    with open_store(address) as sure:
        assert sure.claims.add("works", source="user_input:ann").outcome == "created"


def test_opening_again_changes_nothing(sure: Sure, address: str) -> None:
    sure.claims.add("kept", source="user_input:ann")
    with open_store(address) as again:
        assert [claim.statement for claim in again.claims.find().claims] == ["kept"]
        assert migrate(again.session.database) == (newest(), newest())


def test_a_migration_that_fails_leaves_nothing_behind(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(schema, "MIGRATIONS", (MIGRATIONS[0] + "CREATE TABLE broken (;\n",))
    database = connect(address)
    with pytest.raises(Exception, match="syntax error|incomplete input"):
        migrate(database)
    with database.read() as transaction:
        assert version(transaction) == 0
    monkeypatch.undo()
    assert migrate(database) == (0, newest())
    database.close()
