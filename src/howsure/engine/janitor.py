"""The janitor: expires, demotes, collects and refreshes. It never touches an interval."""

from dataclasses import dataclass
from typing import Any, NamedTuple

from howsure.core.claim import ClaimFormula
from howsure.core.decay import DAY
from howsure.engine.finding import as_claim
from howsure.engine.notebook import Notebook
from howsure.engine.retention import trim
from howsure.engine.tiers import TIERS, move
from howsure.settings import RETENTION, Settings
from howsure.store import claims as table
from howsure.store import ledger as table_of_ledger
from howsure.store.database import Transaction
from howsure.store.intervals import Reading
from howsure.store.kept import Kept, refresh
from howsure.store.selection import Selection, select

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


def clean(notebook: Notebook, settings: Settings, *, dry_run: bool = False, now: float | None = None) -> list[Action]:
    """Do what is due, or only tell. Each thing is decided and done in the same transaction, so two at once are safe."""
    at = notebook.at(now)
    opening = notebook.database.reading() if dry_run else notebook.writing()
    with opening as transaction:
        tasks = [*_expired(transaction, at), *_faded(transaction, notebook.formula, at), *_forgotten(transaction, at)]
        tasks += _out_of_step(transaction)
        tasks += _too_old(transaction, at - settings.value(RETENTION) * DAY)
        if not dry_run:
            for task in tasks:
                _perform(transaction, notebook, task, at)
    return [task.action for task in tasks]


def _expired(transaction: Transaction, at: float) -> list[_Task]:
    query = "SELECT key, id, expires_at FROM claims WHERE expires_at <= ? AND status <> 'forgotten' ORDER BY key"
    return [
        _Task(key, Action("expire", claim, f"its time was up {at - expires:.0f} s ago"))
        for key, claim, expires in transaction.rows(query, [at])
    ]


def _faded(transaction: Transaction, formula: ClaimFormula, at: float) -> list[_Task]:
    """Return claims below the floor that nobody has read for a half-life: they go down a tier, or out."""
    wanted = Selection(max_lower=FLOOR, outside_validity=True)
    found = []
    for row in select(transaction, Reading(formula, at), wanted):
        claim, key = as_claim(row), row[-1]
        expired = claim.expires_at is not None and claim.expires_at <= at
        lower = claim.interval.lower
        if expired or lower >= FLOOR or at - claim.accessed_at < formula.half_life.of(claim.tier):
            continue
        place = TIERS.index(claim.tier)
        reason = f"its lower bound {lower:.3f} is below {FLOOR}, and nobody has read it lately"
        if place:
            found.append(_Task(key, Action("demote", claim.id, reason), TIERS[place - 1]))
        else:
            found.append(_Task(key, Action("forget", claim.id, reason)))
    return found


def _forgotten(transaction: Transaction, at: float) -> list[_Task]:
    query = (
        "SELECT c.key, c.id, MAX(e.at) FROM claims c JOIN events e ON e.claim = c.key AND e.status = 'forgotten' "
        "WHERE c.status = 'forgotten' GROUP BY c.key, c.id HAVING MAX(e.at) <= ? ORDER BY c.key"
    )
    return [
        _Task(key, Action("collect", claim, f"forgotten {(at - since) / DAY:.0f} days ago"))
        for key, claim, since in transaction.rows(query, [at - KEEP_FORGOTTEN])
    ]


def _out_of_step(transaction: Transaction) -> list[_Task]:
    """Return claims whose kept number of sources is not what their sources say. There should be none."""
    valid = (
        "NOT EXISTS (SELECT 1 FROM invalidations v WHERE v.source_type = s.source_type "
        "AND v.source_id = s.source_id AND v.until IS NULL)"
    )
    counted = (
        "SELECT claim, COUNT(DISTINCT source_type || ':' || source_id) AS n "
        f"FROM sources s WHERE contribution > 0 AND {valid} GROUP BY claim"
    )
    query = (
        f"SELECT c.key, c.id FROM claims c LEFT JOIN ({counted}) AS s ON s.claim = c.key "
        "WHERE c.sources <> COALESCE(s.n, 0) ORDER BY c.key"
    )
    return [
        _Task(key, Action("refresh", claim, "its folds were out of step")) for key, claim in transaction.rows(query)
    ]


def _too_old(transaction: Transaction, before: float) -> list[_Task]:
    """Return what the ledger has held for long enough, all at once."""
    count = transaction.value("SELECT COUNT(*) FROM assessments WHERE at < ?", [table_of_ledger.start_of(before)])
    reason = f"{count} decisions are older than the ledger keeps them"
    return [_Task(0, Action("trim", "ledger", reason), before)] if count else []


def _perform(transaction: Transaction, notebook: Notebook, task: _Task, at: float) -> None:
    match task.action.action:
        case "expire" | "forget":
            action = "expired" if task.action.action == "expire" else "forgotten"
            table.record(transaction, task.key, at, notebook.actor, action, task.action.reason, "forgotten")
        case "demote":
            move(transaction, task.key, task.target, at, notebook.formula.half_life)
            # It has a half-life of its new tier to be read before it goes down again.
            transaction.run("UPDATE claims SET accessed_at = ? WHERE key = ?", [at, task.key])
            table.record(
                transaction, task.key, at, notebook.actor, "demoted", f"to {task.target}: {task.action.reason}"
            )
        case "collect":
            table.remove(transaction, [task.key])
        case "trim":
            trim(transaction, at, task.target)
        case _:
            refresh(transaction, task.key)
            table.record(transaction, task.key, at, notebook.actor, "refreshed", ", ".join(Kept._fields))
