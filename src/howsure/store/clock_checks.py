"""Check the clock against its last check, so that nothing is deleted when it has jumped ahead."""

from typing import NamedTuple

from howsure.shapes import DAY
from howsure.store import tasks
from howsure.store.backends.database import Transaction

_CLOCK = "clock"
"""The name of the check in the table `done`."""
PLAUSIBLE = 7 * DAY
"""A clock that is at most this far ahead of the last check is believed."""
CATCH_UP = 1 / 8
"""Share of a larger gap that is believed at the next check, a day later at the earliest.

A store that was not used for 200 days is in step again after 25 checks; if the clock is wrong for one day, nothing is
deleted too early, and for two days, at most what is 25 days too young."""


class ClockCheck(NamedTuple):
    """What is believed of a clock."""

    reached: float
    """The time that may be used to delete old rows: at most what the clock says."""
    ahead: float
    """Seconds by which the clock jumped ahead; 0 if it is believed."""
    next: float
    """What is believed at the next check."""


def compare_clock(transaction: Transaction, now: float, plausible: float = PLAUSIBLE) -> ClockCheck:
    """Compare the clock with the last check, or with the newest row if there was none."""
    known = last_check(transaction)
    if known is None:
        moments = [
            transaction.value(f"SELECT at FROM {table} WHERE at <= ? ORDER BY {order} DESC LIMIT 1", [now])
            for table, order in (("decisions", "at"), ("tool_calls", "at"), ("events", "key"))
        ]
        known = max((at for at in moments if at is not None), default=now)
    gap = now - known
    if gap <= plausible:
        return ClockCheck(now, 0.0, max(now, known))
    return ClockCheck(known, gap, known + max(plausible, gap * CATCH_UP))


def last_check(transaction: Transaction) -> float | None:
    """Return what was believed at the last check, or None if there was none."""
    return tasks.read_last(transaction, _CLOCK)


def note_clock(transaction: Transaction, check: ClockCheck) -> None:
    """Write down what is believed from now on."""
    tasks.note(transaction, _CLOCK, check.next)
