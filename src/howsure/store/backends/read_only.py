"""Open a SQLite file without changing it."""

import os
from pathlib import Path
from typing import TYPE_CHECKING

from howsure.store.backends.sqlite import Connection, is_immutable, open_file, prepare, retry_while_locked

if TYPE_CHECKING:
    import sqlite3
else:
    try:  # as in `howsure.store.backends.sqlite`
        import _sqlite3 as sqlite3
    except ImportError:  # pragma: no cover - another Python than CPython
        import sqlite3


def connect_to_read(address: str) -> Connection:
    """Open the file without changing it.

    SQLite needs files beside the store to follow other writers. Where it cannot make them, nobody writes.
    """
    if is_immutable(address):
        return _open_prepared(immutable(address))
    try:
        return _open_prepared(f"{Path(address).absolute().as_uri()}?mode=ro")
    except sqlite3.OperationalError:
        log = Path(f"{os.path.realpath(address)}-wal")
        if log.exists() and log.stat().st_size:
            raise  # what was written last is in the log, which cannot be read
        return _open_prepared(immutable(address))


def immutable(address: str) -> str:
    """Return the URI by which SQLite reads a file as immutable."""
    return f"{Path(address).absolute().as_uri()}?immutable=1"


def _open_prepared(uri: str) -> Connection:
    """Return a connection for reading, once reading works."""
    connection = open_file(uri, uri=True)
    try:
        retry_while_locked(connection, "SELECT 1 FROM sqlite_master LIMIT 1")
        prepare(connection)
    except BaseException:
        connection.close()
        raise
    return connection
