"""The table of fits: parameters that were learned from outcomes. At most one of each kind is active."""

from typing import Literal, NamedTuple

from howsure.shapes import Count, Moment
from howsure.store.backends.database import Transaction

FitKind = Literal["response", "investigation", "source"]
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
    replaces: str = ""
    """Id of the fit that was in use before it; of a candidate, of the one that it was compared with; empty if none."""
    known: Count = 0
    """How many decisions of its kind had an outcome when it was learned."""
    watch: str = ""
    """The running tests of its promises as JSON; empty before the first outcome."""
    withdrawn: float | None = None
    """The highest risk of a promise that was broken; null if none was."""


_COLUMNS = ", ".join(FitRow._fields)


LAST = "@last"
"""Stands for the id of the newest fit where one is read."""


def insert(transaction: Transaction, fit: FitRow) -> None:
    """Insert a fit."""
    transaction.run(f"INSERT INTO fits ({_COLUMNS}) VALUES ({', '.join('?' * len(fit))})", fit)


def get(transaction: Transaction, fit_id: str) -> FitRow | None:
    """Return the fit with this id, or the newest one for `@last`; None if there is none."""
    if fit_id == LAST:
        row = transaction.one(f"SELECT {_COLUMNS} FROM fits ORDER BY key DESC LIMIT 1")
    else:
        row = transaction.one(f"SELECT {_COLUMNS} FROM fits WHERE id = ?", [fit_id])
    return None if row is None else FitRow(*row)


def list_all(transaction: Transaction, kind: FitKind | None = None) -> list[FitRow]:
    """Return all fits, or those of one kind, the newest first."""
    where, values = ("", []) if kind is None else (" WHERE kind = ?", [kind])
    return [FitRow(*row) for row in transaction.rows(f"SELECT {_COLUMNS} FROM fits{where} ORDER BY key DESC", values)]


class ActiveFit(NamedTuple):
    """What each decision asks about the active fit."""

    id: str
    withdrawn: float | None
    """The highest risk of a promise that was broken; null if none was."""


def read_active(transaction: Transaction, kind: FitKind) -> ActiveFit | None:
    """Return which fit is active, or None. Decisions ask before each use whether another fit was activated.

    A connection caches it for as long as nobody changes the database but by adding decisions.
    """
    cache, key = transaction.cache, ("fits", "active", kind)
    if cache is not None and key in cache:
        known: ActiveFit | None = cache[key]
        return known
    row = transaction.one("SELECT id, withdrawn FROM fits WHERE kind = ? AND status = 'active'", [kind])
    active = None if row is None else ActiveFit(*row)
    if cache is not None:
        cache[key] = active
    return active


def active_id(transaction: Transaction, kind: FitKind) -> str | None:
    """Return the id of the active fit, or None."""
    active = read_active(transaction, kind)
    return None if active is None else active.id


def get_active(transaction: Transaction, kind: FitKind) -> FitRow | None:
    """Return the active fit, or None."""
    row = transaction.one(f"SELECT {_COLUMNS} FROM fits WHERE kind = ? AND status = 'active'", [kind])
    return None if row is None else FitRow(*row)


def latest(transaction: Transaction, kind: FitKind) -> FitRow | None:
    """Return the fit that was learned last, or None."""
    row = transaction.one(f"SELECT {_COLUMNS} FROM fits WHERE kind = ? ORDER BY key DESC LIMIT 1", [kind])
    return None if row is None else FitRow(*row)


def activate(transaction: Transaction, fit: FitRow, at: float, replaces: str | None = None) -> None:
    """Make a fit the active one of its kind, and retire the one that was.

    Args:
        transaction: A write transaction.
        fit: The fit.
        at: The present moment.
        replaces: What to roll back to; default: the fit that was active.
    """
    before = active_id(transaction, fit.kind) or "" if replaces is None else replaces
    retire(transaction, fit.kind, at)
    if replaces is None:
        # Of a fit that was in use earlier, take out its old place, or rolling back would go round in circles.
        query = "UPDATE fits SET replaces = ? WHERE kind = ? AND replaces = ? AND status = 'retired'"
        transaction.run(query, [fit.replaces, fit.kind, fit.id])
    query = (
        "UPDATE fits SET status = 'active', activated_at = ?, retired_at = NULL, replaces = ?, watch = '', "
        "withdrawn = NULL WHERE id = ?"
    )
    transaction.run(query, [at, before, fit.id])


def retire(transaction: Transaction, kind: FitKind, at: float) -> None:
    """Retire the active fit of a kind, if there is one."""
    query = "UPDATE fits SET status = 'retired', retired_at = ? WHERE kind = ? AND status = 'active'"
    transaction.run(query, [at, kind])


def set_watch(transaction: Transaction, fit_id: str, watch: str, withdrawn: float | None = None) -> None:
    """Store the running tests of a fit's promises, and the highest risk of one that was broken."""
    transaction.run("UPDATE fits SET watch = ?, withdrawn = ? WHERE id = ?", [watch, withdrawn, fit_id])
