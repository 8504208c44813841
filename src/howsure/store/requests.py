"""SQL of idempotent requests: the results of requests that carried an idempotency key."""

from typing import NamedTuple

from howsure.store.backends.database import Transaction

_WHERE = "WHERE caller = ? AND name = ?"


class StoredRequest(NamedTuple):
    """A request that was made under an idempotency key."""

    digest: str
    """Digest of the operation and its arguments."""
    result: str | None
    """The result as JSON; None while it is running, or if it was interrupted."""


def find(transaction: Transaction, caller: str, key: str) -> StoredRequest | None:
    """Return the request that a caller made under a key (given as digest), or None."""
    row = transaction.one(f"SELECT digest, answer FROM requests {_WHERE}", [caller, key])
    return None if row is None else StoredRequest(*row)


def insert(transaction: Transaction, caller: str, key: str, at: float, operation: str, digest: str) -> None:
    """Insert a request that starts now."""
    transaction.run(
        "INSERT INTO requests (caller, name, at, operation, digest) VALUES (?, ?, ?, ?, ?)",
        [caller, key, at, operation, digest],
    )


def set_result(transaction: Transaction, caller: str, key: str, result: str) -> None:
    """Store the result of a request."""
    transaction.run(f"UPDATE requests SET answer = ? {_WHERE}", [result, caller, key])


def delete(transaction: Transaction, caller: str, key: str) -> None:
    """Delete a request, so that its key can be used again."""
    transaction.run(f"DELETE FROM requests {_WHERE}", [caller, key])


def delete_older(transaction: Transaction, before: float) -> None:
    """Delete requests made before a moment."""
    transaction.run("DELETE FROM requests WHERE at < ?", [before])
