"""Savepoints undo a part of a transaction, and errors of SQLite name the store."""

import sqlite3
from pathlib import Path

import pytest

from howsure.errors import StoreError
from howsure.store import requests
from howsure.store.database import Transaction
from howsure.store.sqlite_transaction import ErrorTranslation
from howsure.sure import open as open_store


def _add(transaction: Transaction, name: str) -> None:
    requests.insert(transaction, "ann", name, 0.0, "add", "digest")


def _add_twice(transaction: Transaction, name: str) -> None:
    with transaction.savepoint():
        _add(transaction, name)
        _add(transaction, name)


def test_a_savepoint_undoes_its_own_part_only(tmp_path: Path) -> None:
    with open_store(str(tmp_path / "store.db")) as sure, sure.session.write() as transaction:
        _add(transaction, "before")
        with transaction.savepoint():
            _add(transaction, "outer")
            with pytest.raises(sqlite3.IntegrityError):
                _add_twice(transaction, "inner")
        rows = transaction.rows("SELECT name FROM requests ORDER BY name")
    assert rows == [("before",), ("outer",)]


def test_errors_name_the_store_and_a_remedy() -> None:
    with (
        pytest.raises(StoreError, match=r"the store a\.db failed: database is locked") as failed,
        ErrorTranslation("a.db"),
    ):
        raise sqlite3.OperationalError("database is locked")
    assert failed.value.hint
    with pytest.raises(StoreError, match="malformed"), ErrorTranslation("a.db"):
        b"\xff".decode()


@pytest.mark.parametrize("error", [sqlite3.IntegrityError("unique"), sqlite3.ProgrammingError("closed"), KeyError("x")])
def test_mistakes_of_the_program_are_not_blamed_on_the_store(error: Exception) -> None:
    with pytest.raises(type(error)), ErrorTranslation("a.db"):
        raise error
