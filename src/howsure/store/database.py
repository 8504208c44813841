"""A database: transactions over SQLite or PostgreSQL, with the same SQL and the same parameters."""

import re
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from functools import lru_cache
from typing import Any, ClassVar

from howsure.sql.dialect import Dialect

Parameters = Mapping[str, Any] | Sequence[Any]
Row = tuple[Any, ...]

_NAMED = re.compile(r"(?<![:\w]):([a-z_]\w*)")


class Transaction(ABC):
    """A piece of work that is done as a whole or not at all. SQL names its parameters `:name`, or marks them `?`."""

    dialect: Dialect

    @abstractmethod
    def rows(self, sql: str, parameters: Parameters = ()) -> list[Row]:
        """Run a statement and return what it gives."""

    @abstractmethod
    def stream(self, sql: str, parameters: Parameters = ()) -> Iterator[Row]:
        """Run a query and give its rows one by one, without holding them all."""

    @abstractmethod
    def run(self, sql: str, parameters: Parameters = ()) -> int:
        """Run a statement and return how many rows it changed."""

    @abstractmethod
    def many(self, sql: str, parameters: Sequence[Parameters]) -> None:
        """Run a statement once for each set of parameters."""

    def load(self, table: str, columns: str, rows: Sequence[Sequence[Any]]) -> None:
        """Insert many rows in the fastest way there is."""
        marks = ", ".join("?" * (columns.count(",") + 1))
        self.many(f"INSERT INTO {table} ({columns}) VALUES ({marks})", rows)

    @abstractmethod
    def savepoint(self) -> AbstractContextManager[None]:
        """Do a part of the work as a whole or not at all."""

    @abstractmethod
    def narrow(self) -> None:
        """Tell the planner that few claims are wanted, so that it goes by keys rather than through whole tables."""

    @property
    def known(self) -> dict[Any, Any] | None:
        """What was worked out from the tables on this connection and is still true: nothing, once anybody changed them.

        None where a database cannot tell. Who changes a table, and what is known of it along with it, says `still`.
        """
        return None

    def still(self) -> None:  # noqa: B027 - nothing to say where nothing is known
        """Say that what is known is true again: it was changed along with the tables, in this transaction."""

    def one(self, sql: str, parameters: Parameters = ()) -> Row | None:
        """Return the first row of a query, if there is one."""
        found = self.rows(sql, parameters)
        return found[0] if found else None

    def value(self, sql: str, parameters: Parameters = ()) -> Any:
        """Return the first column of the first row, if there is one."""
        found = self.one(sql, parameters)
        return found[0] if found else None


class Database(ABC):
    """Where the tables are. Safe to use from several threads and processes at once."""

    dialect: ClassVar[Dialect]
    address: str

    @abstractmethod
    def read(self, *, separate: bool = False) -> AbstractContextManager[Transaction]:
        """Open a transaction that sees one state of the store and changes nothing.

        With `separate=True` it has a connection of its own, so that this thread can write meanwhile.
        """

    @abstractmethod
    def write(self, *, wait: bool = True, large: bool = False) -> AbstractContextManager[Transaction]:
        """Open a transaction that is durable once it ends without an error. Writers take turns.

        With `wait=False`, raise StoreError instead of waiting for another writer. `large=True` gives
        a large write more memory.
        """

    @abstractmethod
    def settle(self) -> None:
        """Make sure that what was deleted is gone from the files too, where the database leaves that to us."""

    @abstractmethod
    def close(self) -> None:
        """Let go of every connection."""


@lru_cache(maxsize=512)
def postgres_sql(sql: str) -> str:
    """Return SQL with the placeholders that psycopg takes.

    >>> postgres_sql("SELECT a::text FROM t WHERE b LIKE 'x%' AND c = :c AND d = ?")
    "SELECT a::text FROM t WHERE b LIKE 'x%%' AND c = %(c)s AND d = %s"
    """
    return _NAMED.sub(r"%(\1)s", sql.replace("%", "%%")).replace("?", "%s")
