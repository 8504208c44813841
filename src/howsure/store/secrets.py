"""Count the tokens and peers of a store, and remove the tokens from a backup."""

import sqlite3
import time
from contextlib import closing
from pathlib import Path

from howsure.store.backends.database import Transaction

SECRET_TABLES = ("tokens", "peers")
"""Whoever holds an export or a backup should not get access by it, least of all by a token that was revoked since."""


def count_secrets(transaction: Transaction) -> dict[str, int]:
    """Count the rows of the tables that have any."""
    counts = {name: int(transaction.value(f"SELECT COUNT(*) FROM {name}")) for name in SECRET_TABLES}
    return {name: count for name, count in counts.items() if count}


def remove_secrets(path: Path) -> None:
    """Revoke all tokens in a SQLite file that nobody else has open, and overwrite their digests.

    The rows stay, so that a restore can say how many there were. Those of peers name only where a token is. The file is
    of no use if it is left incomplete, so it needs no journal on disk.
    """
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        for setting in ("journal_mode = MEMORY", "secure_delete = ON"):
            connection.execute(f"PRAGMA {setting}")
        connection.execute("BEGIN")
        connection.execute("UPDATE tokens SET digest = id, revoked_at = COALESCE(revoked_at, ?)", [time.time()])
        connection.execute("COMMIT")
