"""Explain errors of SQLite, and what to do about them."""

import os

from howsure.errors import StoreError

HINTS = {
    "database or disk is full": "free some space; nothing was half written",
    "attempt to write a readonly database": "make the file and its folder writable",
    "unable to open database file": "is the folder there, and may it be written to?",
    "file is not a database": "the file is something else; choose another",
    "database is locked": "another process has been writing for too long; try again",
    "database disk image is malformed": "restore a backup: howsure store restore",
    "disk I/O error": "the disk or its file system fails; nothing was half written",
    "interrupted": "it took too long and was cancelled; ask for less",
    "cannot start a transaction within a transaction": "finish reading or writing before writing in the same thread",
}
"""What to do about an error, by the start of SQLite's message."""


def translate(error: Exception, address: str) -> StoreError:
    """Return an error of SQLite as an error of the store.

    >>> print(translate(Exception("database or disk is full"), "a.db"))
    the store a.db failed: database or disk is full (free some space; nothing was half written)
    """
    # Messages about damaged files may be damaged themselves, so that Python cannot decode them.
    message = "database disk image is malformed" if isinstance(error, UnicodeDecodeError) else str(error)
    hint = next((hint for start, hint in HINTS.items() if message.startswith(start)), "")
    if message.startswith("unable to open") and os.path.isdir(address):  # noqa: PTH112 - pathlib starts slowly
        hint = f"it is a folder: name a file in it, like {os.path.join(address, 'howsure.db')}"  # noqa: PTH118
    return StoreError(f"the store {address} failed: {message}", hint=hint)


def unconfirmed_commit(error: OSError, address: str) -> StoreError:
    """Return the error for a commit that was made, but that the disk may not have.

    >>> unconfirmed_commit(OSError(5, "Input/output error"), "a.db").done
    'unknown'
    """
    hint = f"{error.strerror}; it may have been done: check before you try again"
    unknown = StoreError(f"the store {address} failed: the disk did not confirm the commit", hint=hint)
    unknown.done = "unknown"
    return unknown
