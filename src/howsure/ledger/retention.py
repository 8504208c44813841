"""Delete old decisions and tool calls from the ledger."""

import math
from contextlib import suppress

from howsure.errors import StoreError
from howsure.settings import RETENTION, Settings
from howsure.shapes import DAY
from howsure.store.clock_checks import ClockCheck, compare_clock, last_check, note_clock
from howsure.store.ledger_tables import decisions as table
from howsure.store.session import Session

STEP = 30 * DAY
"""How much is deleted at once, at most."""


def trim_if_due(session: Session, settings: Settings) -> int:
    """Delete what is older than the settings keep, at most once a day; return how many decisions.

    Whoever first uses the ledger of a store does this, so it does not wait for other writers: the next one will do it.
    If the clock has jumped ahead, only what is too old by the time before the jump is deleted, and a warning says so.
    """
    now = session.clock()
    keep = settings.value(RETENTION) * DAY
    with session.database.read() as transaction:
        oldest, last, known = table.oldest(transaction), table.last_trim(transaction), last_check(transaction)
    if oldest is None:
        return 0
    due = oldest < now - keep and (last is None or abs(now - last) >= DAY)
    if not due and known is not None and known + DAY > now:
        return 0
    with suppress(StoreError), session.write(wait=False) as transaction:
        check = compare_clock(transaction, now)
        # Noted daily, so that a jump shows whenever it comes. A clock that jumps to and fro is not caught up with.
        if not check.ahead or (due and (last is None or now > last)):
            note_clock(transaction, check)
        if due:
            if check.ahead:
                import logging

                logging.getLogger(__name__).warning("%s", describe_jump(check))
            return table.trim(transaction, min(check.reached - keep, oldest + STEP), now)
    return 0


def describe_jump(check: ClockCheck) -> str:
    """Return in words that the clock jumped and what follows from it."""
    days = math.floor(check.ahead / DAY)
    return (
        f"the clock is {days:,} days ahead of when the ledger was last used: deleting by it is put off, in case it is "
        "wrong (howsure ledger purge --before DATE deletes at once)"
    )
