"""The past: how an agent has done within a window of time.

Whole hours are counted by their sums, and the edges exactly. A window that was counted is kept for as long as nobody
else writes: then it is moved on by what falls out of it and by what is added.
"""

from collections import deque
from math import inf
from operator import sub
from typing import Any, NamedTuple

from howsure.store.database import Transaction
from howsure.store.decisions import HOUR, LATEST, hour_of


class Past(NamedTuple):
    """How an agent has done within a window."""

    met: int = 0
    total: int = 0
    rights: int = 0
    outcomes: int = 0


class Window:
    """What was recorded from a moment on, of one agent by one model."""

    __slots__ = ("ahead", "end", "met", "newest", "outcomes", "rights", "since", "total")

    def __init__(self, since: float, newest: float, counted: Past) -> None:
        """Take what was counted, and when the newest record was made."""
        self.since = since
        self.newest = newest
        self.met, self.total, self.rights, self.outcomes = counted
        self.ahead: deque[tuple[float, int, int, int]] = deque()
        """The oldest records: moment, and what each counts for."""
        self.end = since
        """The window can be moved up to here: all that would fall out is at hand."""

    def move(self, since: float) -> None:
        """Let what is older than a moment fall out."""
        ahead = self.ahead
        while ahead and ahead[0][0] < since:
            _, met, right, known = ahead.popleft()
            self.met -= met
            self.total -= 1
            self.rights -= right
            self.outcomes -= known
        self.since = since

    def add(self, at: float, met: bool) -> bool:
        """Count a new record; say whether the window still holds."""
        if at < self.since:
            return True
        self.met += met
        self.total += 1
        self.newest = max(self.newest, at)
        if at < self.end:
            if self.ahead and at < self.ahead[-1][0]:
                return False
            self.ahead.append((at, int(met), 0, 0))
            if len(self.ahead) >= _AT_HAND:  # enough: what comes later is looked up when it is its turn
                self.end = at
        return True

    def counted(self) -> Past:
        """Return what is in it."""
        return Past(self.met, self.total, self.rights, self.outcomes)


_OURS = "WHERE agent = :agent AND model = :model"
_EDGE = f"FROM decisions {_OURS} AND at >= :low AND at < :high"
_COUNT = (
    f"SELECT (SELECT MAX(at) FROM decisions {_OURS}), (SELECT SUM(met) {_EDGE}), (SELECT COUNT(*) {_EDGE}), "
    + ", ".join(f"SUM({name}) FILTER (WHERE hour = :first), SUM({name})" for name in Past._fields)
    + f" FROM hours {_OURS} AND hour >= :first"
)
"""The newest record; what stands on one side of the edge; the sums of the first hour, and of all hours.

Subqueries that give one number each need no tables of their own, which SQLite would have to make and drop.
"""
_AHEAD = (
    "SELECT a.at, a.met, (SELECT o.outcome FROM outcomes o WHERE o.decision = a.key ORDER BY o.key DESC LIMIT 1) "
    "FROM decisions a WHERE a.agent = :agent AND a.model = :model AND a.at >= :since ORDER BY a.at LIMIT :most"
)
_AT_HAND = 256
"""Records that are put at hand for a window to be moved on."""
_MOST_KNOWN = 1000
"""Windows that a connection keeps."""


def past(transaction: Transaction, agent: str, model: str, since: float, until: float) -> Past:
    """Count what was recorded from one moment to another, both included."""
    about = {"agent": agent, "model": model, "since": since, "until": until}
    known = transaction.cache
    window: Window | None = known.get((agent, model)) if known else None
    if window is None or not window.since <= since <= window.end:
        again = window is not None
        window = Window(since, *_count(transaction, about))
        if known is not None:
            if again:  # and nobody else has written in between, so it is worth being ready for the next
                _look_ahead(transaction, about | {"most": _AT_HAND}, window)
            if len(known) >= _MOST_KNOWN:
                known.clear()
            known[agent, model] = window
    window.move(since)
    found = window.counted()
    if window.newest > until:  # what others have written while this waited for its turn, or before a clock went back
        found = Past(*map(sub, found, _exactly(transaction, about, "a.at > :until")))
    return found


def _count(transaction: Transaction, about: dict[str, Any]) -> tuple[float, Past]:
    """Return when the newest record was made, and what was recorded from a moment on.

    The first hour is counted from whichever side of the moment has less to count.
    """
    since = about["since"]
    first = hour_of(since)
    start = first * HOUR
    early = since - start < HOUR / 2
    low, high = (start, since) if early else (since, start + HOUR)
    side = about | {"first": first, "low": low, "high": high}
    newest, *counts = transaction.rows(_COUNT, side)[0]
    if newest is None:
        return -inf, Past()
    met, total, *sums = [int(number or 0) for number in counts]
    of_first, of_all = Past(*sums[::2]), sums[1::2]
    edge = Past(met, total)
    if of_first.outcomes:  # some of the first hour's outcomes are known
        edge = _exactly(transaction, side, "a.at >= :low AND a.at < :high")
    before = edge if early else map(sub, of_first, edge)
    return newest, Past(*map(sub, of_all, before))


def _look_ahead(transaction: Transaction, about: dict[str, Any], window: Window) -> None:
    """Put the oldest records of a window at hand."""
    for at, met, outcome in transaction.rows(_AHEAD, about):
        window.ahead.append((at, met, int(outcome == "right"), int(outcome is not None)))
    window.end = window.ahead[-1][0] if len(window.ahead) == about["most"] else inf


def _exactly(transaction: Transaction, about: dict[str, Any], when: str) -> Past:
    """Count decisions one by one, and their outcomes."""
    ours = f"FROM decisions a {{}} WHERE a.agent = :agent AND a.model = :model AND {when}"
    met, total = transaction.rows(f"SELECT COALESCE(SUM(a.met), 0), COUNT(*) {ours.format('')}", about)[0]
    joined = ours.format(f"JOIN outcomes o ON o.decision = a.key AND {LATEST}")
    rights = "COALESCE(SUM(CASE WHEN o.outcome = 'right' THEN 1 ELSE 0 END), 0)"
    right, outcomes = transaction.rows(f"SELECT {rights}, COUNT(*) {joined}", about)[0]
    return Past(int(met), int(total), int(right), int(outcomes))
