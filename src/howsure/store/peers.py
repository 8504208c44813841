"""The table of peers: other stores that federated queries ask. Tokens are not stored, only where to read them."""

from dataclasses import astuple, dataclass, fields

from howsure.store.backends.database import Transaction


@dataclass(frozen=True)
class Peer:
    """Another store, and how far it is trusted."""

    name: str
    url: str
    """Address of its server; no other address is called for it."""
    trust: float
    """Trust in its claims, from 0 to 1."""
    token: str
    """Where to read its token: `env:NAME` or `file:PATH`; empty if it needs none."""
    time_limit: float
    """Seconds that a call may take."""
    created_at: float
    seen_at: float | None
    """When it last answered, give or take a minute."""
    failed_at: float | None
    """When it last did not answer."""
    failure: str
    """Why it did not answer then."""


_NAMES = [field.name for field in fields(Peer)]
_COLUMNS = ", ".join(_NAMES)


def insert(transaction: Transaction, peer: Peer) -> None:
    """Insert a peer."""
    transaction.run(f"INSERT INTO peers ({_COLUMNS}) VALUES ({', '.join('?' * len(_NAMES))})", astuple(peer))


def all_peers(transaction: Transaction) -> list[Peer]:
    """Return all peers, sorted by name."""
    return [Peer(*row) for row in transaction.rows(f"SELECT {_COLUMNS} FROM peers ORDER BY name")]


def delete(transaction: Transaction, name: str) -> None:
    """Delete a peer."""
    transaction.run("DELETE FROM peers WHERE name = ?", [name])


def note_result(transaction: Transaction, name: str, at: float, failure: str) -> None:
    """Store when a peer answered, or when and why it did not."""
    if failure:
        transaction.run("UPDATE peers SET failed_at = ?, failure = ? WHERE name = ?", [at, failure, name])
    else:
        transaction.run("UPDATE peers SET seen_at = ? WHERE name = ?", [at, name])
