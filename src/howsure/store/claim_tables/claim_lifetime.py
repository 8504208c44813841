"""How long claims live: their tier and dates, expiry, and deletion."""

from collections.abc import Mapping
from typing import NamedTuple

from howsure.formulas.claim import Status
from howsure.formulas.decay import Tier
from howsure.store.backends.database import Transaction
from howsure.store.claim_tables import mentions
from howsure.store.claim_tables.denormalized import refresh


def set_tier(
    transaction: Transaction, key: int, tier: Tier, *, expires_at: float | None, stale_at: float, now: float
) -> None:
    """Move a claim to a tier. A claim that is stale already, or never becomes so, keeps its stale date."""
    transaction.run(
        "UPDATE claims SET tier = ?, expires_at = ?, "
        "stale_at = CASE WHEN stale_at IS NULL OR stale_at <= ? THEN stale_at ELSE ? END WHERE key = ?",
        [tier, expires_at, now, stale_at, key],
    )
    refresh(transaction, key)


class ClaimDates(NamedTuple):
    """The columns of a claim that say how long it lives."""

    tier: Tier
    status: Status
    stale_at: float | None
    expires_at: float | None
    valid_from: float | None
    valid_until: float | None


def dates_of(transaction: Transaction, key: int) -> ClaimDates:
    """Return how long a claim lives."""
    query = "SELECT tier, status, stale_at, expires_at, valid_from, valid_until FROM claims WHERE key = ?"
    return ClaimDates(*transaction.rows(query, [key])[0])


def set_dates(transaction: Transaction, key: int, dates: Mapping[str, float | None]) -> None:
    """Set columns of `ClaimDates`, given by name."""
    columns = ", ".join(f"{name} = ?" for name in dates)
    transaction.run(f"UPDATE claims SET {columns} WHERE key = ?", [*dates.values(), key])
    refresh(transaction, key)


def set_accessed(transaction: Transaction, moments: Mapping[int, float]) -> None:
    """Store when claims were last read, by key."""
    changes = [(at, key) for key, at in moments.items()]
    transaction.many("UPDATE claims SET accessed_at = ? WHERE key = ?", changes)


def find_expired(transaction: Transaction, at: float, only: int | None = None) -> list[tuple[int, str, float]]:
    """Return key, id and expiry of claims whose time to live is over; with `only`, of that claim alone."""
    query = "SELECT key, id, expires_at FROM claims WHERE expires_at <= :at AND status <> 'forgotten'"
    query += " AND key = :only" if only else " ORDER BY key"
    return [(row[0], row[1], row[2]) for row in transaction.rows(query, {"at": at, "only": only})]


def find_forgotten(transaction: Transaction, before: float, only: int | None = None) -> list[tuple[int, str, float]]:
    """Return key, id and moment of claims forgotten by `before` from which no remembered claim is derived."""
    query = (
        "SELECT c.key, c.id, MAX(e.at) FROM claims c JOIN events e ON e.claim = c.key AND e.status = 'forgotten' "
        "WHERE c.status = 'forgotten' AND NOT EXISTS (SELECT 1 FROM relations r JOIN claims d ON d.key = r.source "
        "WHERE r.target = c.key AND r.kind = 'derived_from' AND r.removed_at IS NULL AND d.status <> 'forgotten') "
        f"{'AND c.key = :only ' if only else ''}GROUP BY c.key, c.id HAVING MAX(e.at) <= :before ORDER BY c.key"
    )
    rows = transaction.rows(query, {"before": before, "only": only})
    return [(row[0], row[1], row[2]) for row in rows]


def delete(transaction: Transaction, key: int) -> None:
    """Delete a claim with its sources, relations and events."""
    if transaction.dialect.name == "sqlite":
        transaction.run(
            "INSERT INTO claims_text (claims_text, rowid, words) SELECT 'delete', key, words FROM claims WHERE key = ?",
            [key],
        )
    transaction.run("DELETE FROM claims WHERE key = ?", [key])


def purge(transaction: Transaction, key: int, claim: str) -> None:
    """Delete a claim, its id from the events and sources of others, and stored answers that may show it."""
    neighbours = mentions.neighbours_of(transaction, key)
    delete(transaction, key)
    mentions.hide(transaction, claim, neighbours)
    transaction.run("DELETE FROM sources WHERE source_type = 'challenge' AND source_id = ?", [claim])
    transaction.run("DELETE FROM requests WHERE answer IS NOT NULL")
