"""The table of fits: parameters that were learned from outcomes. At most one of each kind is active."""

from typing import Literal, NamedTuple

from howsure.shapes import Moment
from howsure.store.database import Transaction

FitKind = Literal["response", "investigation"]
"""What a fit judges."""
FitStatus = Literal["candidate", "active", "retired"]


class FitRow(NamedTuple):
    """One fit as the table holds it."""

    id: str
    kind: FitKind
    status: FitStatus
    created_at: Moment
    activated_at: Moment | None
    """When it was last made active."""
    retired_at: Moment | None
    """When another fit took its place, or it was rolled back."""
    actor: str
    """Who learned it."""
    content: str
    """The fit as JSON."""
    watch: str = ""
    """The running test of its promise as JSON; empty before the first outcome."""


_COLUMNS = ", ".join(FitRow._fields)


def insert(transaction: Transaction, fit: FitRow) -> None:
    """Insert a fit."""
    transaction.run(f"INSERT INTO fits ({_COLUMNS}) VALUES ({', '.join('?' * len(fit))})", fit)


def get(transaction: Transaction, fit_id: str) -> FitRow | None:
    """Return the fit with this id, or None."""
    row = transaction.one(f"SELECT {_COLUMNS} FROM fits WHERE id = ?", [fit_id])
    return None if row is None else FitRow(*row)


def list_all(transaction: Transaction, kind: FitKind | None = None) -> list[FitRow]:
    """Return all fits, or those of one kind, the newest first."""
    where, values = ("", []) if kind is None else (" WHERE kind = ?", [kind])
    return [FitRow(*row) for row in transaction.rows(f"SELECT {_COLUMNS} FROM fits{where} ORDER BY key DESC", values)]


def active_id(transaction: Transaction, kind: FitKind) -> str | None:
    """Return the id of the active fit, or None. Decisions ask before each use whether another fit was activated."""
    value = transaction.value("SELECT id FROM fits WHERE kind = ? AND status = 'active'", [kind])
    return None if value is None else str(value)


def get_active(transaction: Transaction, kind: FitKind) -> FitRow | None:
    """Return the active fit, or None."""
    row = transaction.one(f"SELECT {_COLUMNS} FROM fits WHERE kind = ? AND status = 'active'", [kind])
    return None if row is None else FitRow(*row)


def activate(transaction: Transaction, fit: FitRow, at: float) -> None:
    """Make a fit the active one of its kind, and retire the one that was."""
    retire(transaction, fit.kind, at)
    query = "UPDATE fits SET status = 'active', activated_at = ?, retired_at = NULL, watch = '' WHERE id = ?"
    transaction.run(query, [at, fit.id])


def retire(transaction: Transaction, kind: FitKind, at: float) -> None:
    """Retire the active fit of a kind, if there is one."""
    query = "UPDATE fits SET status = 'retired', retired_at = ? WHERE kind = ? AND status = 'active'"
    transaction.run(query, [at, kind])


def set_watch(transaction: Transaction, fit_id: str, watch: str) -> None:
    """Store the running test of a fit's promise."""
    transaction.run("UPDATE fits SET watch = ? WHERE id = ?", [watch, fit_id])
