"""SQL of access tokens. Only a digest of each token is stored."""

from collections.abc import Mapping
from typing import NamedTuple

from howsure.store.backends.database import Transaction


class Token(NamedTuple):
    """An access token without its secret."""

    id: str
    name: str
    """Who or what it was created for; shown in the history."""
    scope: str
    """What it allows: `read`, `write` or `admin`."""
    created_at: float
    expires_at: float | None
    revoked_at: float | None
    used_at: float | None
    """When it was last used, to about a minute."""


_COLUMNS = ", ".join(Token._fields)


def insert(transaction: Transaction, token: Token, digest: str) -> None:
    """Insert a new token."""
    marks = ", ".join("?" * (len(token) + 1))
    transaction.run(f"INSERT INTO tokens ({_COLUMNS}, digest) VALUES ({marks})", [*token, digest])


def find_by_digest(transaction: Transaction, digest: str) -> Token | None:
    """Return the token with this digest, valid or not, or None."""
    row = transaction.one(f"SELECT {_COLUMNS} FROM tokens WHERE digest = ?", [digest])
    return None if row is None else Token(*row)


def list_all(transaction: Transaction) -> list[Token]:
    """Return all tokens, oldest first."""
    return [Token(*row) for row in transaction.rows(f"SELECT {_COLUMNS} FROM tokens ORDER BY created_at, id")]


def revoke(transaction: Transaction, token_id: str, at: float) -> None:
    """Mark a token as revoked, unless it already is."""
    transaction.run("UPDATE tokens SET revoked_at = ? WHERE id = ? AND revoked_at IS NULL", [at, token_id])


def set_used_at(transaction: Transaction, used: Mapping[str, float]) -> None:
    """Store when tokens were last used, by id."""
    transaction.many("UPDATE tokens SET used_at = ? WHERE id = ?", [(at, token_id) for token_id, at in used.items()])
