"""What a claim says, without its interval."""

from typing import NamedTuple

from howsure.store.database import Transaction


class ClaimWords(NamedTuple):
    """What a claim says. Reading it takes the same time however many relations the claim has."""

    id: str
    statement: str
    subject: str | None
    predicate: str | None
    object: str | None
    namespace: str


def words_of(transaction: Transaction, key: int) -> ClaimWords:
    """Return what the claim with a row key says."""
    columns = ", ".join(ClaimWords._fields)
    return ClaimWords(*transaction.rows(f"SELECT {columns} FROM claims WHERE key = ?", [key])[0])
