"""The schema: what has been released is never changed, only followed by something newer."""

import hashlib

import pytest

from howsure.store import schema
from howsure.store.schema import MIGRATIONS, NEWEST, TEXT_SEARCH, migrate, version
from howsure.sure import Sure, connect
from howsure.sure import open as open_store

RELEASED = ["f2f562411022e69a", "014a6cb939b0738c", "1bcf1b0b976c1b47", "df72e9750e187571", "43219c8a01d20ef2"]
"""Fingerprint of each migration. A new schema adds a line; a line that is there stays as it is."""


def test_released_migrations_are_as_they_were() -> None:
    first = MIGRATIONS[0] + TEXT_SEARCH["sqlite"] + TEXT_SEARCH["postgres"]
    found = [hashlib.sha256(text.encode()).hexdigest()[:16] for text in (first, *MIGRATIONS[1:])]
    assert found == RELEASED


@pytest.mark.parametrize("start", range(NEWEST))
def test_every_older_schema_becomes_the_newest(address: str, start: int) -> None:
    database = connect(address)
    migrate(database, start)
    assert migrate(database) == (start, NEWEST)
    with database.read() as transaction:
        assert version(transaction) == NEWEST
    database.close()
    with open_store(address) as sure:
        assert sure.claims.add("works", source="user_input:ann").outcome == "created"


def test_opening_again_changes_nothing(sure: Sure, address: str) -> None:
    sure.claims.add("kept", source="user_input:ann")
    with open_store(address) as again:
        assert [claim.statement for claim in again.claims.find().claims] == ["kept"]
        assert migrate(again.session.database) == (NEWEST, NEWEST)


def test_a_migration_that_fails_leaves_nothing_behind(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(schema, "MIGRATIONS", (MIGRATIONS[0] + "CREATE TABLE broken (;\n",))
    database = connect(address)
    with pytest.raises(Exception, match="syntax error|incomplete input"):
        migrate(database)
    with database.read() as transaction:
        assert version(transaction) == 0
    monkeypatch.undo()
    assert migrate(database) == (0, NEWEST)
    database.close()
