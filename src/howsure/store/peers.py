"""The table of peers: other stores that may be asked. Of a peer's token only the place where it lies is kept."""

from typing import NamedTuple

from howsure.store.database import Transaction


class Peer(NamedTuple):
    """Another store, and how far it is trusted."""

    name: str
    """How it is called here."""
    url: str
    """Where its server is; no other address is ever called for it."""
    trust: float
    """How far what it tells is trusted, from 0 to 1."""
    token: str
    """Where its token is: `env:NAME` or `file:PATH`; empty, if it demands none. Never the token itself."""
    time_limit: float
    """Seconds that a whole exchange with it may take."""
    created_at: float
    seen_at: float | None
    """When it last answered, give or take a minute."""
    failed_at: float | None
    """When it last did not."""
    failure: str
    """Why it did not, that last time."""


_COLUMNS = ", ".join(Peer._fields)


def add(transaction: Transaction, peer: Peer) -> None:
    """Write a new peer down."""
    transaction.run(f"INSERT INTO peers ({_COLUMNS}) VALUES ({', '.join('?' * len(peer))})", peer)


def every(transaction: Transaction) -> list[Peer]:
    """Return all peers, by name."""
    return [Peer(*row) for row in transaction.rows(f"SELECT {_COLUMNS} FROM peers ORDER BY name")]


def remove(transaction: Transaction, name: str) -> None:
    """Take a peer out."""
    transaction.run("DELETE FROM peers WHERE name = ?", [name])


def note(transaction: Transaction, name: str, at: float, failure: str) -> None:
    """Write down that a peer answered, or why it did not."""
    if failure:
        transaction.run("UPDATE peers SET failed_at = ?, failure = ? WHERE name = ?", [at, failure, name])
    else:
        transaction.run("UPDATE peers SET seen_at = ? WHERE name = ?", [at, name])
