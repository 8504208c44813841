"""Expire, demote, delete and repair claims, and trim the ledger. No interval changes by it."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from howsure.claims.claim import Claim, claim_from_row, read_claim
from howsure.claims.tiers import move
from howsure.errors import HowsureError, shown
from howsure.formulas.claim import IN_USE
from howsure.formulas.decay import TIERS
from howsure.graph.sql import ReadOptions
from howsure.ledger.retention import describe_jump
from howsure.settings import RETENTION, Settings
from howsure.shapes import DAY
from howsure.store.backends.database import Transaction
from howsure.store.claim_tables import claim_lifetime as lifetime
from howsure.store.claim_tables import claims as table
from howsure.store.claim_tables.denormalized import DenormalizedColumns, outdated_claims, refresh
from howsure.store.claim_tables.selection import Selection, select
from howsure.store.clock_checks import ClockCheck, compare_clock
from howsure.store.ledger_tables import decisions
from howsure.store.session import Session
from howsure.wording import format_duration

if TYPE_CHECKING:
    from howsure.claims.meaning import Meaning

FLOOR = 0.05
"""A claim with a lower bound below this that nobody reads is demoted."""
KEEP_FORGOTTEN = 30 * DAY
"""Seconds after which a forgotten claim is deleted."""


PLAUSIBLE = 60 * DAY
"""How long a store may have been unused before the janitor doubts the clock."""


@dataclass(frozen=True)
class JanitorAction:
    """Something that the janitor did or would do."""

    action: str
    """expire, demote, forget, collect, refresh or trim; wait: nothing is deleted, since the clock jumped; or review:
    nothing is done, but two claims look like one."""
    id: str
    """Id of the claim, or `ledger`."""
    reason: str


@dataclass(frozen=True)
class _Task:
    key: int
    action: JanitorAction
    target: Any = None


def clean(
    session: Session,
    settings: Settings,
    *,
    dry_run: bool = False,
    now: float | None = None,
    meaning: "Meaning | None" = None,
) -> list[JanitorAction]:
    """Do what is due, or with `dry_run` only return it. With `meaning`, also list claims that look like one.

    Tasks are found without blocking writers, so each is checked again within the write transaction. If the clock has
    jumped ahead, nothing is deleted that was not too old before; a moment that is passed as `now` is believed.
    """
    at = session.at(now)
    with session.database.read() as transaction:
        check = compare_clock(transaction, at, PLAUSIBLE) if now is None else ClockCheck(at, 0.0, at)
        kept = check.reached
        tasks = [*_expired(transaction, at), *_faded(transaction, session, at), *_forgotten(transaction, kept)]
        collected = {task.key for task in tasks if task.action.action == "collect"}
        tasks += [task for task in _outdated(transaction) if task.key not in collected]
        tasks += _old_decisions(transaction, kept - settings.value(RETENTION) * DAY)
    if tasks and not dry_run:
        with session.write_claims() as transaction:
            tasks = [task for task in tasks if _still_due(transaction, session, task, at)]
            for task in tasks:
                _perform(transaction, session, task, at)
    waiting = [JanitorAction("wait", "ledger", describe_jump(check))] if check.ahead else []
    return [task.action for task in tasks] + waiting + ([] if meaning is None else _review(meaning))


def _review(meaning: "Meaning") -> list[JanitorAction]:
    """List pairs of claims that say the same in other words, the surest first. If that fails, say why."""
    from howsure.claims.duplicates import find_duplicates

    try:
        pairs = find_duplicates(meaning)
    except HowsureError as error:
        return [JanitorAction("wait", "meaning", f"claims were not compared by meaning: {error}")]
    return [
        JanitorAction(
            "review",
            pair.newer.id,
            f"with a probability of {pair.probability:.2f} it is the same claim as {pair.older.id}, "
            f"{shown(pair.older.statement)}: howsure claim supersede {pair.newer.id} {pair.older.id} merges them",
        )
        for pair in pairs
    ]


def _still_due(transaction: Transaction, session: Session, task: _Task, at: float) -> bool:
    """Say whether a task is still due: another janitor may have done it, or somebody has read the claim."""
    match task.action.action:
        case "expire":
            return task.key in {again.key for again in _expired(transaction, at, task.key)}
        case "collect":
            return task.key in {again.key for again in _forgotten(transaction, at, task.key)}
        case "demote" | "forget":
            if table.status_of(transaction, task.key) not in IN_USE:
                return False
            claim, _ = read_claim(transaction, task.action.id, ReadOptions(session.formula, at))
            return _fades(claim, task.key, session, at) == task
        case "refresh":
            return table.status_of(transaction, task.key) is not None
        case _:
            return True


def _expired(transaction: Transaction, at: float, only: int | None = None) -> list[_Task]:
    return [
        _Task(key, JanitorAction("expire", claim, f"its time was up {format_duration(at - expires)} ago"))
        for key, claim, expires in lifetime.find_expired(transaction, at, only)
    ]


def _faded(transaction: Transaction, session: Session, at: float) -> list[_Task]:
    """Return tasks for claims below the floor that nobody has read for a half-life: demote or forget them."""
    rows = select(transaction, ReadOptions(session.formula, at), Selection(max_lower=FLOOR, outside_validity=True))
    tasks = [_fades(claim_from_row(row), row[-1], session, at) for row in rows]
    return [task for task in tasks if task is not None]


def _fades(claim: Claim, key: int, session: Session, at: float) -> _Task | None:
    expired = claim.expires_at is not None and claim.expires_at <= at
    lower = claim.interval.lower
    read = max(claim.accessed_at, session.last_read(key))
    if expired or lower >= FLOOR or at - read < session.formula.half_life.of(claim.tier):
        return None
    place = TIERS.index(claim.tier)
    reason = f"its lower bound {lower:.3f} is below {FLOOR}, and nobody has read it lately"
    if place:
        return _Task(key, JanitorAction("demote", claim.id, reason), TIERS[place - 1])
    return _Task(key, JanitorAction("forget", claim.id, reason))


def _forgotten(transaction: Transaction, at: float, only: int | None = None) -> list[_Task]:
    """Return tasks for claims that were forgotten long ago and that no other claim is derived from."""
    return [
        _Task(key, JanitorAction("collect", claim, f"forgotten {(at - since) / DAY:.0f} days ago"))
        for key, claim, since in lifetime.find_forgotten(transaction, at - KEEP_FORGOTTEN, only)
    ]


def _outdated(transaction: Transaction) -> list[_Task]:
    return [
        _Task(key, JanitorAction("refresh", claim, "its folds were out of step"))
        for key, claim in outdated_claims(transaction)
    ]


def _old_decisions(transaction: Transaction, before: float) -> list[_Task]:
    """Return a task to delete decisions and tool calls that are older than the ledger keeps them."""
    count = decisions.count_before(transaction, before)
    reason = f"{count} decisions or tool calls are older than the ledger keeps them"
    return [_Task(0, JanitorAction("trim", "ledger", reason), before)] if count else []


def _perform(transaction: Transaction, session: Session, task: _Task, at: float) -> None:
    match task.action.action:
        case "expire" | "forget":
            action = "expired" if task.action.action == "expire" else "forgotten"
            table.record_event(transaction, task.key, at, session.actor, action, task.action.reason, "forgotten")
        case "demote":
            move(transaction, task.key, task.target, at, session.formula.half_life)
            # It counts as read now, so it stays at least a half-life of its new tier before it goes down again.
            lifetime.set_accessed(transaction, {task.key: at})
            table.record_event(
                transaction, task.key, at, session.actor, "demoted", f"to {task.target}: {task.action.reason}"
            )
        case "collect":
            lifetime.delete(transaction, task.key)
        case "trim":
            decisions.trim(transaction, task.target, at)
        case _:
            refresh(transaction, task.key)
            table.record_event(
                transaction, task.key, at, session.actor, "refreshed", ", ".join(DenormalizedColumns._fields)
            )
