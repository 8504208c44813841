"""The table of tokens: who may come in by a door. Of a token itself only a digest is kept."""

from collections.abc import Mapping
from typing import NamedTuple

from howsure.store.database import Transaction


class Token(NamedTuple):
    """What is known about a token."""

    id: str
    name: str
    """Who or what it was made for; the history shows it."""
    scope: str
    """What it allows: `read`, `write` or `admin`."""
    created_at: float
    expires_at: float | None
    revoked_at: float | None
    used_at: float | None
    """When it was used last, give or take a minute."""


_COLUMNS = ", ".join(Token._fields)


def add(transaction: Transaction, token: Token, digest: str) -> None:
    """Write a new token down."""
    marks = ", ".join("?" * (len(token) + 1))
    transaction.run(f"INSERT INTO tokens ({_COLUMNS}, digest) VALUES ({marks})", [*token, digest])


def by_digest(transaction: Transaction, digest: str) -> Token | None:
    """Return the token of a digest, whether or not it still allows anything."""
    row = transaction.one(f"SELECT {_COLUMNS} FROM tokens WHERE digest = ?", [digest])
    return None if row is None else Token(*row)


def every(transaction: Transaction) -> list[Token]:
    """Return all tokens, from the oldest on."""
    return [Token(*row) for row in transaction.rows(f"SELECT {_COLUMNS} FROM tokens ORDER BY created_at, id")]


def revoke(transaction: Transaction, id_: str, at: float) -> None:
    """Let a token allow nothing any more."""
    transaction.run("UPDATE tokens SET revoked_at = ? WHERE id = ? AND revoked_at IS NULL", [at, id_])


def note_uses(transaction: Transaction, used: Mapping[str, float]) -> None:
    """Write down when tokens were used last."""
    transaction.many("UPDATE tokens SET used_at = ? WHERE id = ?", [(at, id_) for id_, at in used.items()])
