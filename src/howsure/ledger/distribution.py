"""Histograms of scores, per agent, model, day, week or month."""

from dataclasses import dataclass
from typing import Literal, NamedTuple, get_args

from howsure.errors import InputError, nearest
from howsure.ledger.recorder import Recorder
from howsure.ledger.statistics import day_name
from howsure.shapes import DAY
from howsure.store.ledger_tables.decision_statistics import score_histogram
from howsure.store.ledger_tables.decisions import DecisionFilter

BINS = 20
"""Ranges of scores that are counted."""
WINDOW = 30 * DAY
"""The default window."""
By = Literal["agent", "agent_type", "project", "task_id", "model", "decision", "day", "week", "month"]
"""What a distribution can be grouped by."""
_PERIODS = ("day", "week", "month")
_FIRST_MONDAY = 4
"""Days from 1970-01-01 to the first Monday."""


class Spread(NamedTuple):
    """The histogram of one group."""

    name: str
    total: int
    mean: float
    counts: tuple[int, ...]
    """How many scores lie in each range, from the lowest on."""


@dataclass(frozen=True)
class Distribution:
    """The histograms of scores within a window of time."""

    since: float
    until: float
    spreads: tuple[Spread, ...]
    """The largest group first; days, weeks and months in their order."""

    @property
    def total(self) -> int:
        """How many scores there are."""
        return sum(spread.total for spread in self.spreads)


def distribution(
    recorder: Recorder,
    *,
    since: float | None = None,
    until: float | None = None,
    by: By | None = "agent",
    agent: str | None = None,
    agent_type: str | None = None,
    project: str | None = None,
    task_id: str | None = None,
    trace_id: str | None = None,
    model: str | None = None,
    decision: str | None = None,
) -> Distribution:
    """Return histograms of scores, by default of the last 30 days.

    Raises:
        InputError: if scores cannot be grouped by `by`.
    """
    if by is not None and by not in get_args(By):
        raise InputError(f"cannot group by {by!r}", field="by", hint=nearest(str(by), get_args(By)))
    session = recorder.session
    end = session.at(until)
    start = end - WINDOW if since is None else session.at(since)
    wanted = DecisionFilter(
        agent=agent,
        agent_type=agent_type,
        project=project,
        task_id=task_id,
        trace_id=trace_id,
        model=model,
        decision=decision,
        since=start,
        until=end,
    )
    timed = by in _PERIODS
    with session.database.read() as transaction:
        rows = score_histogram(transaction, wanted.checked(), "day" if timed else by, BINS)
    counts: dict[str, list[int]] = {}
    sums: dict[str, float] = {}
    for group, place, count, total in rows:
        name = _period(int(group), str(by)) if timed else str(group) if by else "all"
        counts.setdefault(name, [0] * BINS)[place] += count
        sums[name] = sums.get(name, 0.0) + total
    spreads = [Spread(name, sum(own), sums[name] / sum(own), tuple(own)) for name, own in counts.items()]
    spreads.sort(key=lambda spread: (0 if timed else -spread.total, spread.name))
    return Distribution(start, end, tuple(spreads))


def _period(day: int, by: str) -> str:
    """Return the name of the day, week or month of a day; a week is named by its Monday.

    >>> _period(20833, "day"), _period(20833, "week"), _period(20833, "month")
    ('2027-01-15', '2027-01-11', '2027-01')
    """
    if by == "week":
        day -= (day - _FIRST_MONDAY) % 7
    return day_name(day)[:7] if by == "month" else day_name(day)
