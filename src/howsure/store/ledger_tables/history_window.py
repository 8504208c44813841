"""Count how an agent did within a window of time: the gate's history factor.

Whole hours are counted by their sums, and the first one exactly. A connection caches the windows that it counted for as
long as nobody else writes: then a window is moved on by the decisions that become too old and those that are added.
"""

from collections import deque
from math import inf
from operator import sub
from typing import Any, NamedTuple

from howsure.shapes import HOUR
from howsure.store.backends.database import Transaction
from howsure.store.ledger_tables.decisions import COUNTED_OUTCOME, NEWEST_COUNTED, hour_of


class WindowCounts(NamedTuple):
    """The counts of an agent's decisions within a window."""

    met: int = 0
    total: int = 0
    rights: int = 0
    outcomes: int = 0


class Window:
    """The decisions of one agent by one model since a moment."""

    __slots__ = ("ahead", "end", "met", "newest", "outcomes", "rights", "since", "total")

    def __init__(self, since: float, newest: float, counts: WindowCounts) -> None:
        """Start with what was counted since a moment, and when the newest decision was made."""
        self.since: float = since
        self.newest: float = newest
        self.met: int = counts[0]
        self.total: int = counts[1]
        self.rights: int = counts[2]
        self.outcomes: int = counts[3]
        self.ahead: deque[tuple[float, int, int, int]] = deque()
        """The oldest decisions: moment, and whether each met its threshold, was right and has an outcome."""
        self.end: float = since
        """The window can be moved up to here: all decisions that would drop out are in `ahead`."""

    def move(self, since: float) -> None:
        """Drop the decisions older than a moment."""
        ahead = self.ahead
        while ahead and ahead[0][0] < since:
            _, met, right, known = ahead.popleft()
            self.met -= met
            self.total -= 1
            self.rights -= right
            self.outcomes -= known
        self.since = since

    def add(self, at: float, met: bool) -> bool:
        """Count a new decision; return False if the window can no longer be used."""
        if at < self.since:
            return True
        self.met += met
        self.total += 1
        self.newest = max(self.newest, at)
        if at < self.end:
            if self.ahead and at < self.ahead[-1][0]:  # not in order: `ahead` would have to be sorted
                return False
            self.ahead.append((at, int(met), 0, 0))
            if len(self.ahead) >= _MOST_AHEAD:  # later decisions are read when it is their turn
                self.end = at
        return True

    @property
    def counts(self) -> WindowCounts:
        """What is in the window."""
        return WindowCounts(self.met, self.total, self.rights, self.outcomes)


# One statement for the newest decision, the part of the first hour on one side of the window's start, and the sums of
# the first and of all hours. Scalar subqueries need no temporary tables, which SQLite would have to make and drop.
# With it a decision over 1,000,000 decisions of a week takes 1.02 times as long as over 1,000 (docs/speed.md).
# The newest and the oldest decisions are asked for in an order that only `decisions_by_agent` has: otherwise PostgreSQL
# may walk through all decisions by time, if those that it has statistics of share one agent.
_OURS = "WHERE agent = :agent AND model = :model"
_NEWEST = (
    "SELECT at FROM decisions WHERE (agent, model) >= (:agent, :model) AND (agent, model) <= (:agent, :model) "
    "ORDER BY agent DESC, model DESC, at DESC LIMIT 1"
)
_EDGE = f"FROM decisions {_OURS} AND at >= :low AND at < :high"
_COUNT = (
    f"SELECT ({_NEWEST}), "
    f"(SELECT SUM(met) {_EDGE}), (SELECT COUNT(*) {_EDGE}), "
    + ", ".join(f"SUM({name}) FILTER (WHERE hour = :first), SUM({name})" for name in WindowCounts._fields)
    + f" FROM hours {_OURS} AND hour >= :first"
)
_OLDEST = (
    "SELECT d.at, d.met, "
    f"(SELECT l.outcome FROM outcomes l WHERE l.decision = d.key {NEWEST_COUNTED}) "
    "FROM decisions d WHERE (d.agent, d.model, d.at) >= (:agent, :model, :since) "
    "AND (d.agent, d.model) <= (:agent, :model) ORDER BY d.agent, d.model, d.at LIMIT :most"
)
_MOST_AHEAD = 256
"""How many of its oldest decisions a window holds, to be moved on without reading them again."""
_MOST_WINDOWS = 1000
"""How many windows a connection caches."""


def count_window(transaction: Transaction, agent: str, model: str, since: float, until: float) -> WindowCounts:
    """Count an agent's decisions from one moment to another, both included."""
    about = {"agent": agent, "model": model, "since": since, "until": until}
    windows = transaction.cache
    window: Window | None = windows.get((agent, model)) if windows else None
    if window is None or not window.since <= since <= window.end:
        used_before = window is not None
        window = Window(since, *_count(transaction, about))
        if windows is not None:
            # Looking ahead pays only if nobody else wrote between this agent's last two decisions: among several
            # writers every window is forgotten before it is used again.
            if used_before:
                _look_ahead(transaction, about | {"most": _MOST_AHEAD}, window)
            if len(windows) >= _MOST_WINDOWS:
                windows.clear()
            windows[agent, model] = window
    window.move(since)
    counts = window.counts
    if window.newest > until:  # written by others while this one waited for its turn, or before a clock went back
        counts = WindowCounts(*map(sub, counts, _count_exactly(transaction, about, "d.at > :until")))
    return counts


def count_outcomes_by_type(transaction: Transaction, model: str, since: float) -> list[tuple[str, int, int]]:
    """Return each type of agent with its right decisions and known outcomes since the hour of a moment."""
    query = (
        "SELECT agent_type, SUM(rights), SUM(outcomes) FROM hours "
        "WHERE hour >= :first AND model = :model AND outcomes > 0 GROUP BY agent_type"
    )
    rows = transaction.rows(query, {"first": hour_of(since), "model": model})
    return [(agent_type, int(rights), int(outcomes)) for agent_type, rights, outcomes in rows]


def _count(transaction: Transaction, about: dict[str, Any]) -> tuple[float, WindowCounts]:
    """Return when the newest decision was made, and the counts since a moment.

    The first hour is counted on whichever side of the moment is shorter.
    """
    since = about["since"]
    first = hour_of(since)
    start = first * HOUR
    early = since - start < HOUR / 2
    low, high = (start, since) if early else (since, start + HOUR)
    side = about | {"first": first, "low": low, "high": high}
    newest, *numbers = transaction.rows(_COUNT, side)[0]
    if newest is None:
        return -inf, WindowCounts()
    met, total, *sums = [int(number or 0) for number in numbers]
    of_first, of_all = WindowCounts(*sums[::2]), sums[1::2]
    edge = WindowCounts(met, total)
    if of_first.outcomes:  # rare enough to be counted by a second query
        edge = _count_exactly(transaction, side, "d.at >= :low AND d.at < :high")
    before = edge if early else map(sub, of_first, edge)
    return newest, WindowCounts(*map(sub, of_all, before))


def _look_ahead(transaction: Transaction, about: dict[str, Any], window: Window) -> None:
    """Read the oldest decisions of a window into `ahead`."""
    for at, met, outcome in transaction.rows(_OLDEST, about):
        window.ahead.append((at, met, int(outcome == "right"), int(outcome is not None)))
    window.end = window.ahead[-1][0] if len(window.ahead) == about["most"] else inf


def _count_exactly(transaction: Transaction, about: dict[str, Any], when: str) -> WindowCounts:
    """Count decisions and their outcomes one by one."""
    ours = f"FROM decisions d {{}} WHERE d.agent = :agent AND d.model = :model AND {when}"
    met, total = transaction.rows(f"SELECT COALESCE(SUM(d.met), 0), COUNT(*) {ours.format('')}", about)[0]
    joined = ours.format(f"JOIN outcomes o ON o.decision = d.key AND {COUNTED_OUTCOME}")
    rights = "COALESCE(SUM(CASE WHEN o.outcome = 'right' THEN 1 ELSE 0 END), 0)"
    right, outcomes = transaction.rows(f"SELECT {rights}, COUNT(*) {joined}", about)[0]
    return WindowCounts(int(met), int(total), int(right), int(outcomes))
