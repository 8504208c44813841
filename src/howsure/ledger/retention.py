"""Delete old decisions and tool calls from the ledger."""

from contextlib import suppress

from howsure.errors import StoreError
from howsure.settings import RETENTION, Settings
from howsure.store import decisions as table
from howsure.store.session import Session

DAY = 24 * table.HOUR
STEP = 30 * DAY
"""How much is deleted at once, at most: a clock that jumps ahead for a while must not empty the ledger."""


def trim_if_due(session: Session, settings: Settings) -> int:
    """Delete what is older than the settings keep, at most once a day; return how many decisions.

    Whoever first uses the ledger of a store does this, so it does not wait for other writers: the next one will do it.
    """
    now = session.clock()
    keep_from = now - settings.value(RETENTION) * DAY
    with session.database.read() as transaction:
        oldest = table.oldest(transaction)
        if oldest is None or oldest >= keep_from:
            return 0
        last = table.last_trim(transaction)
    if last is not None and abs(now - last) < DAY:
        return 0
    with suppress(StoreError), session.write(wait=False) as transaction:
        return table.trim(transaction, min(keep_from, oldest + STEP), now)
    return 0
