"""Retention: what the ledger holds is deleted after a while."""

from contextlib import suppress

from howsure.errors import StoreError
from howsure.settings import RETENTION, Settings
from howsure.store import decisions as table
from howsure.store.database import Transaction
from howsure.store.session import Session

DAY = 24 * table.HOUR
TASK = "trim"
STEP = 30 * DAY
"""How much one trimming takes away at most, so that a clock that jumps ahead for a while does not empty the ledger."""


def trim_if_due(session: Session, settings: Settings) -> int:
    """Trim, unless that was done within a day. Who opens a store waits for nobody: if others write, this can wait."""
    now = session.clock()
    with session.database.read() as transaction:
        found = [transaction.value(f"SELECT MIN(at) FROM {name}") for name in ("decisions", "tool_calls")]
        oldest = min((at for at in found if at is not None), default=None)
        if oldest is None or oldest >= now - settings.value(RETENTION) * DAY:
            return 0
        last = transaction.value("SELECT at FROM done WHERE task = ?", [TASK])
    if last is not None and abs(now - last) < DAY:
        return 0
    with suppress(StoreError), session.write(wait=False) as transaction:
        return trim(transaction, now, min(now - settings.value(RETENTION) * DAY, oldest + STEP))
    return 0


def trim(transaction: Transaction, now: float, before: float) -> int:
    """Delete what was recorded before a moment, and note that this was done."""
    count = table.trim(transaction, before)
    transaction.run("DELETE FROM done WHERE task = ?", [TASK])
    transaction.run("INSERT INTO done (task, at) VALUES (?, ?)", [TASK, now])
    return count
