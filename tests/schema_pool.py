"""Schemas of PostgreSQL with the empty tables of a store, for one test after the other.

Creating the tables and indexes of a store and dropping them takes PostgreSQL 60 ms or more, emptying them 10 ms.
"""

from typing import Any

import psycopg

from howsure.sure import open as open_store

MOST_BYTES = 1_000_000
"""Emptied tables keep their size, which planners look at: larger ones are dropped."""
_SHAPE = """SELECT string_agg(part, ' ' ORDER BY part) FROM (
    SELECT concat_ws(':', relname, relkind, relnatts, relkind = 'r' AND reltuples >= 0) AS part
    FROM pg_class WHERE relnamespace = '{name}'::regnamespace
    UNION ALL
    SELECT concat_ws(':', relname, attname, atttypid, attnotnull, attisdropped)
    FROM pg_attribute JOIN pg_class ON pg_class.oid = attrelid
    WHERE relnamespace = '{name}'::regnamespace AND relkind = 'r' AND attnum > 0
    UNION ALL
    SELECT concat_ws(':', conname, contype) FROM pg_constraint WHERE connamespace = '{name}'::regnamespace
    UNION ALL
    SELECT concat_ws(':', tgname, tgenabled) FROM pg_trigger JOIN pg_class ON pg_class.oid = tgrelid
    WHERE relnamespace = '{name}'::regnamespace AND NOT tgisinternal
    UNION ALL
    SELECT concat_ws(':', proname, prosrc) FROM pg_proc WHERE pronamespace = '{name}'::regnamespace
    UNION ALL
    SELECT CAST(howsure_schema AS TEXT) FROM {name}.howsure_schema
) AS parts"""
"""Everything that a test may have changed besides rows; with `reltuples`, whether tables were analyzed."""
_SIZE = "SELECT SUM(pg_relation_size(oid)) FROM pg_class WHERE relnamespace = '{name}'::regnamespace AND relkind = 'r'"


class SchemaPool:
    """Hands out schemas under a new name each time, and takes them back."""

    def __init__(self, server: str) -> None:
        """Make the first schema, with which the others are compared."""
        self._free = ["s_first"]
        with psycopg.connect(server, autocommit=True) as connection:
            connection.execute("CREATE SCHEMA s_first")
            open_store(f"{server}&options=-c%20search_path%3Ds_first").close()
            self._shape = self._value(connection, _SHAPE, "s_first")
            kinds = "SELECT relname FROM pg_class WHERE relnamespace = 's_first'::regnamespace AND relkind = %s"
            tables = [row[0] for row in connection.execute(kinds, ["r"]) if row[0] != "howsure_schema"]
            sequences = [row[0] for row in connection.execute(kinds, ["S"])]
        # Without triggers, which would check references and keep sums.
        self._empty = "SET session_replication_role = replica;"
        self._empty += "".join(f"DELETE FROM {{name}}.{table};" for table in tables)
        self._empty += "".join(f"SELECT setval('{{name}}.{sequence}', 1, false);" for sequence in sequences)
        self._empty += "SET session_replication_role = DEFAULT"

    @staticmethod
    def _value(connection: "psycopg.Connection[Any]", query: str, name: str) -> Any:
        (found,) = connection.execute(query.format(name=name)).fetchone() or (None,)
        return found

    def take(self, connection: "psycopg.Connection[Any]", name: str) -> None:
        """Provide a schema of this name: with the tables of a store, or with none."""
        if self._free:
            connection.execute(f"ALTER SCHEMA {self._free.pop()} RENAME TO {name}")
        else:
            connection.execute(f"CREATE SCHEMA {name}")

    def give_back(self, connection: "psycopg.Connection[Any]", name: str) -> None:
        """Empty a schema for the next test, or drop it if it has become another one."""
        try:
            same = self._value(connection, _SHAPE, name) == self._shape
        except psycopg.errors.UndefinedTable:
            same = False
        if same and self._value(connection, _SIZE, name) <= MOST_BYTES:
            connection.execute(self._empty.format(name=name))
            self._free.append(name)
        else:
            connection.execute(f"DROP SCHEMA {name} CASCADE")
