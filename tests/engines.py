"""The databases that formulas run in, behind one interface."""

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Protocol

import duckdb
import psycopg

from howsure.sql.dialect import DUCKDB, POSTGRES, SQLITE, Dialect
from howsure.store.backends.sqlite import prepare


class Engine(Protocol):
    dialect: Dialect

    def table(self, name: str, columns: dict[str, str], rows: Sequence[Sequence[Any]]) -> None: ...

    def query(self, sql: str) -> list[tuple[Any, ...]]: ...


class _Engine:
    """A database with cursors; column types are `text` and `number`."""

    def __init__(self, connection: Any, dialect: Dialect, mark: str) -> None:
        self.connection = connection
        self.dialect = dialect
        self.mark = mark

    def table(self, name: str, columns: dict[str, str], rows: Sequence[Sequence[Any]]) -> None:
        types = {"number": self.dialect.double, "text": "TEXT"}
        definitions = ", ".join(f"{self.dialect.quoted(column)} {types[kind]}" for column, kind in columns.items())
        cursor = self.connection.cursor()
        cursor.execute(f"DROP TABLE IF EXISTS {name}")
        cursor.execute(f"CREATE TABLE {name} ({definitions})")
        if rows:
            values = ", ".join([self.mark] * len(columns))
            cursor.executemany(f"INSERT INTO {name} VALUES ({values})", rows)

    def query(self, sql: str) -> list[tuple[Any, ...]]:
        cursor = self.connection.cursor()
        cursor.execute(sql)
        return [tuple(row) for row in cursor.fetchall()]


@contextmanager
def sqlite() -> Iterator[Engine]:
    connection = sqlite3.connect(":memory:")
    prepare(connection)
    yield _Engine(connection, SQLITE, "?")
    connection.close()


@contextmanager
def duck() -> Iterator[Engine]:
    with duckdb.connect(":memory:") as connection:
        yield _Engine(connection, DUCKDB, "?")


@contextmanager
def postgres(address: str) -> Iterator[Engine]:
    with psycopg.connect(address, autocommit=True) as connection:
        yield _Engine(connection, POSTGRES, "%s")
