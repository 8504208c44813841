"""A distribution: how the scores of decisions are spread, for each agent, day, week or month."""

from dataclasses import dataclass
from datetime import date
from typing import Any, Literal, NamedTuple, get_args

from howsure.errors import InputError, nearest
from howsure.formulas.decay import DAY
from howsure.ledger.api import Ledger
from howsure.ledger.decision import conditions

BINS = 20
"""Ranges of scores that are counted."""
WINDOW = 30 * DAY
By = Literal["agent", "agent_type", "project", "task_id", "model", "decision", "day", "week", "month"]
"""What scores can be told apart by."""
_EPOCH = date(1970, 1, 1).toordinal()
_FIRST_MONDAY = 4
"""Days from the epoch to its first Monday."""


class Spread(NamedTuple):
    """How the scores of one agent, day, ... are spread."""

    name: str
    total: int
    mean: float
    counts: tuple[int, ...]
    """How many scores lie in each range, from the lowest on."""


@dataclass(frozen=True)
class Distribution:
    """How scores are spread within a window."""

    since: float
    until: float
    spreads: tuple[Spread, ...]
    """The busiest first; days, weeks and months in their order."""

    @property
    def total(self) -> int:
        """How many scores there are."""
        return sum(spread.total for spread in self.spreads)


def distribution(
    ledger: Ledger, *, since: float | None = None, until: float | None = None, by: By | None = "agent", **wanted: Any
) -> Distribution:
    """Return how scores are spread, the last 30 days if nothing else is asked for."""
    if by is not None and by not in get_args(By):
        raise InputError(f"{by!r} is nothing to tell apart by", field="by", hint=nearest(str(by), get_args(By)))
    end = ledger.session.at(until)
    start = end - WINDOW if since is None else ledger.session.at(since)
    where, parameters = conditions({"since": start, "until": end} | wanted)
    timed = by in ("day", "week", "month")
    name = f"CAST(FLOOR(a.at / {DAY!r}) AS BIGINT)" if timed else f"a.{by}" if by else "''"
    place = f"CASE WHEN a.score >= 1 THEN {BINS - 1} ELSE CAST(FLOOR(a.score * {BINS}) AS INTEGER) END"
    query = f"SELECT {name}, {place}, COUNT(*), SUM(a.score) FROM decisions a {where} GROUP BY 1, 2"
    with ledger.session.database.read() as transaction:
        rows = transaction.rows(query, parameters)
    counts: dict[str, list[int]] = {}
    sums: dict[str, float] = {}
    for of, bin_, count, total in rows:
        told = _period(int(of), str(by)) if timed else of if by else "all"
        counts.setdefault(told, [0] * BINS)[int(bin_)] += int(count)
        sums[told] = sums.get(told, 0.0) + float(total)
    spreads = [Spread(of, sum(own), sums[of] / sum(own), tuple(own)) for of, own in counts.items()]
    spreads.sort(key=lambda spread: (0 if timed else -spread.total, spread.name))
    return Distribution(start, end, tuple(spreads))


def _period(day: int, by: str) -> str:
    """Return the name of the day, week or month in which a day falls; a week goes by its Monday.

    >>> _period(20833, "day"), _period(20833, "week"), _period(20833, "month")
    ('2027-01-15', '2027-01-11', '2027-01')
    """
    if by == "week":
        day -= (day - _FIRST_MONDAY) % 7
    return day_name(day)[:7] if by == "month" else day_name(day)


def day_name(day: int) -> str:
    """Return the date of a day that is counted from the epoch; beyond all calendars, the first or last that they have.

    >>> day_name(20833), day_name(-694_000), day_name(-11_000_000)
    ('2027-01-15', '0069-11-22', '0001-01-01')
    """
    return date.fromordinal(min(max(_EPOCH + day, 1), date.max.toordinal())).isoformat()
