"""The janitor: expires, demotes, collects and refreshes. It never touches an interval."""

from dataclasses import dataclass
from typing import Any, NamedTuple

from howsure.claims.find import StoredClaim, as_claim, read_one
from howsure.claims.tiers import TIERS, move
from howsure.formulas.decay import DAY
from howsure.graph.sql import ReadOptions
from howsure.ledger.retention import trim
from howsure.settings import RETENTION, Settings
from howsure.store import claims as table
from howsure.store import decisions as table_of_ledger
from howsure.store.database import Transaction
from howsure.store.denormalized import Kept, out_of_step, refresh
from howsure.store.selection import Selection, select
from howsure.store.session import Session

FLOOR = 0.05
"""Lower bound below which a claim that nobody reads is demoted."""
KEEP_FORGOTTEN = 30 * DAY
"""Seconds after which a forgotten claim is collected."""


class Action(NamedTuple):
    """One thing that the janitor did, or would do."""

    action: str
    id: str
    reason: str


@dataclass(frozen=True)
class _Task:
    key: int
    action: Action
    target: Any = None


def clean(session: Session, settings: Settings, *, dry_run: bool = False, now: float | None = None) -> list[Action]:
    """Do what is due, or only tell. It is looked for while others may write, and looked at again before it is done."""
    at = session.at(now)
    with session.database.read() as transaction:
        tasks = [*_expired(transaction, at), *_faded(transaction, session, at), *_forgotten(transaction, at)]
        collected = {task.key for task in tasks if task.action.action == "collect"}
        tasks += [task for task in _out_of_step(transaction) if task.key not in collected]
        tasks += _too_old(transaction, at - settings.value(RETENTION) * DAY)
    if tasks and not dry_run:
        with session.write() as transaction:
            tasks = [task for task in tasks if _still_due(transaction, session, task, at)]
            for task in tasks:
                _perform(transaction, session, task, at)
    return [task.action for task in tasks]


def _still_due(transaction: Transaction, session: Session, task: _Task, at: float) -> bool:
    """Say whether something is still to be done: another janitor may have been faster, or a reader come by."""
    match task.action.action:
        case "expire":
            return task.key in {again.key for again in _expired(transaction, at, task.key)}
        case "collect":
            return task.key in {again.key for again in _forgotten(transaction, at, task.key)}
        case "demote" | "forget":
            row = transaction.one("SELECT status FROM claims WHERE key = ?", [task.key])
            if row is None or row[0] not in ("active", "challenged"):
                return False
            claim, _ = read_one(transaction, task.action.id, ReadOptions(session.formula, at))
            return _fades(claim, task.key, session, at) == task
        case _:
            return True


def _expired(transaction: Transaction, at: float, only: int | None = None) -> list[_Task]:
    query = "SELECT key, id, expires_at FROM claims WHERE expires_at <= :at AND status <> 'forgotten'"
    rows = transaction.rows(query + (" AND key = :only" if only else " ORDER BY key"), {"at": at, "only": only})
    return [
        _Task(key, Action("expire", claim, f"its time was up {at - expires:.0f} s ago")) for key, claim, expires in rows
    ]


def _faded(transaction: Transaction, session: Session, at: float) -> list[_Task]:
    """Return claims below the floor that nobody has read for a half-life: they go down a tier, or out."""
    rows = select(transaction, ReadOptions(session.formula, at), Selection(max_lower=FLOOR, outside_validity=True))
    found = [_fades(as_claim(row), row[-1], session, at) for row in rows]
    return [task for task in found if task is not None]


def _fades(claim: StoredClaim, key: int, session: Session, at: float) -> _Task | None:
    expired = claim.expires_at is not None and claim.expires_at <= at
    lower = claim.interval.lower
    read = max(claim.accessed_at, session.last_read(key))
    if expired or lower >= FLOOR or at - read < session.formula.half_life.of(claim.tier):
        return None
    place = TIERS.index(claim.tier)
    reason = f"its lower bound {lower:.3f} is below {FLOOR}, and nobody has read it lately"
    if place:
        return _Task(key, Action("demote", claim.id, reason), TIERS[place - 1])
    return _Task(key, Action("forget", claim.id, reason))


def _forgotten(transaction: Transaction, at: float, only: int | None = None) -> list[_Task]:
    """Return what was forgotten long ago; not while something that is believed was derived from it."""
    query = (
        "SELECT c.key, c.id, MAX(e.at) FROM claims c JOIN events e ON e.claim = c.key AND e.status = 'forgotten' "
        "WHERE c.status = 'forgotten' AND NOT EXISTS (SELECT 1 FROM relations r JOIN claims d ON d.key = r.source "
        "WHERE r.target = c.key AND r.kind = 'derived_from' AND r.removed_at IS NULL AND d.status <> 'forgotten') "
        f"{'AND c.key = :only ' if only else ''}GROUP BY c.key, c.id HAVING MAX(e.at) <= :before ORDER BY c.key"
    )
    return [
        _Task(key, Action("collect", claim, f"forgotten {(at - since) / DAY:.0f} days ago"))
        for key, claim, since in transaction.rows(query, {"before": at - KEEP_FORGOTTEN, "only": only})
    ]


def _out_of_step(transaction: Transaction) -> list[_Task]:
    return [
        _Task(key, Action("refresh", claim, "its folds were out of step")) for key, claim in out_of_step(transaction)
    ]


def _too_old(transaction: Transaction, before: float) -> list[_Task]:
    """Return what the ledger has held for long enough, all at once."""
    start = table_of_ledger.start_of(before)
    count = sum(
        transaction.value(f"SELECT COUNT(*) FROM {name} WHERE at < ?", [start]) for name in ("decisions", "tool_calls")
    )
    reason = f"{count} decisions or tool calls are older than the ledger keeps them"
    return [_Task(0, Action("trim", "ledger", reason), before)] if count else []


def _perform(transaction: Transaction, session: Session, task: _Task, at: float) -> None:
    match task.action.action:
        case "expire" | "forget":
            action = "expired" if task.action.action == "expire" else "forgotten"
            table.record(transaction, task.key, at, session.actor, action, task.action.reason, "forgotten")
        case "demote":
            move(transaction, task.key, task.target, at, session.formula.half_life)
            # It has a half-life of its new tier to be read before it goes down again.
            transaction.run("UPDATE claims SET accessed_at = ? WHERE key = ?", [at, task.key])
            table.record(transaction, task.key, at, session.actor, "demoted", f"to {task.target}: {task.action.reason}")
        case "collect":
            table.remove(transaction, [task.key])
        case "trim":
            trim(transaction, at, task.target)
        case _:
            refresh(transaction, task.key)
            table.record(transaction, task.key, at, session.actor, "refreshed", ", ".join(Kept._fields))
