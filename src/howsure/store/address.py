"""Addresses of stores: a file, or a postgresql:// address."""

from typing import TYPE_CHECKING

from howsure.errors import InputError, shown

if TYPE_CHECKING:
    from howsure.store.database import Database

POSTGRES = ("postgresql://", "postgres://")
"""What the address of a PostgreSQL database starts with."""


def connect(address: str) -> "Database":
    """Return the database at a path or a postgresql:// address.

    Raises:
        InputError: if the address is empty.
    """
    if not address.strip() or address == ":memory:":
        raise InputError(
            f"{shown(address)} is not a store", field="store", hint="pass a file, or a postgresql:// address"
        )
    if address.startswith(POSTGRES):
        from howsure.store.postgres import PostgresDatabase

        return PostgresDatabase(address)
    from howsure.store.sqlite import SqliteDatabase

    return SqliteDatabase(address)
