"""Aggregate decisions: sums per day, calibration against outcomes, and histograms of scores."""

from typing import Any, NamedTuple

from howsure.shapes import DAY, HOUR, LAST_MOMENT
from howsure.store.backends.database import Transaction
from howsure.store.ledger_tables.decisions import COUNTED_OUTCOME, SUMS, DecisionFilter, hour_of

_IN_HOURS = {"agent", "agent_type", "project", "model"}
"""What the hourly sums can be filtered and grouped by."""


class DaySums(NamedTuple):
    """The sums of one group on one day."""

    group: str
    day: int
    """Days since 1970."""
    total: float
    met: float
    blocked: float
    reviewed: float
    scores: float
    outcomes: float
    rights: float


def sums_by_day(transaction: Transaction, wanted: DecisionFilter, by: str | None) -> list[DaySums]:
    """Return sums per day and value of the column `by`; several rows of one day and group are to be added.

    Whole hours are read from the hourly sums, and only the parts of hours at both ends of the window from the
    decisions themselves. The last hour is whole if no decision is later than the window, as when it ends now. Tasks and
    traces have no hourly sums, so their decisions are read one by one.
    """
    since, until = wanted.since or 0.0, wanted.until or 0.0
    columns = {name: value for name, value in wanted.given.items() if name not in ("since", "until")}
    first, last = hour_of(since), hour_of(until)
    first += since > first * HOUR
    last += (transaction.value("SELECT MAX(at) FROM decisions") or 0.0) <= until
    if not set(columns) <= _IN_HOURS or by == "task_id" or first >= last:
        return _sums_of_decisions(transaction, wanted, by)
    name = f"h.{by}" if by else "''"
    where = "".join(f" AND h.{column} = :{column}" for column in columns)
    query = (
        f"SELECT {name}, h.hour / 24, {', '.join(f'SUM(h.{column})' for column in SUMS)} FROM hours h "
        f"WHERE h.hour >= :first AND h.hour < :last{where} GROUP BY 1, 2"
    )
    whole = [_day_sums(row) for row in transaction.rows(query, columns | {"first": first, "last": last})]
    if since < first * HOUR:
        whole += _sums_of_decisions(transaction, wanted._replace(until=None, before=first * HOUR), by)
    if until >= last * HOUR:
        whole += _sums_of_decisions(transaction, wanted._replace(since=last * HOUR), by)
    return whole


def _sums_of_decisions(transaction: Transaction, wanted: DecisionFilter, by: str | None) -> list[DaySums]:
    where, parameters = wanted.where()
    # Not the bare column: SQLite would read all decisions in the order of the agents, to save itself sorting an hour.
    name = f"d.{by} || ''" if by else "''"
    query = (
        f"SELECT {name}, {_day()}, COUNT(*), SUM(d.met), {_count('d.decision', 'block')}, "
        f"{_count('d.decision', 'review')}, SUM(d.score), COUNT(o.key), {_count('o.outcome', 'right')} "
        f"FROM decisions d LEFT JOIN outcomes o ON o.decision = d.key AND {COUNTED_OUTCOME} {where} GROUP BY 1, 2"
    )
    return [_day_sums(row) for row in transaction.rows(query, parameters)]


def _day_sums(row: tuple[Any, ...]) -> DaySums:
    # PostgreSQL sums integers to decimals.
    return DaySums(row[0], int(row[1]), *map(float, row[2:]))


def _day() -> str:
    return f"CAST(FLOOR(d.at / {DAY!r}) AS BIGINT)"


def _count(column: str, value: str) -> str:
    return f"SUM(CASE WHEN {column} = '{value}' THEN 1 ELSE 0 END)"


def _bin(bins: int) -> str:
    return f"CASE WHEN d.score >= 1 THEN {bins - 1} ELSE CAST(FLOOR(d.score * {bins}) AS INTEGER) END"


def agents_at_work(transaction: Transaction, wanted: DecisionFilter) -> list[tuple[str, str, str]]:
    """Return each agent with its types and projects in the hours of a window."""
    columns = {name: value for name, value in wanted.given.items() if name in _IN_HOURS}
    where = "".join(f" AND {name} = :{name}" for name in columns)
    query = f"SELECT DISTINCT agent, agent_type, project FROM hours WHERE hour >= :first AND hour <= :last{where}"
    window = {"first": hour_of(wanted.since or 0.0), "last": hour_of(wanted.until or 0.0)}
    return [(agent, agent_type, project) for agent, agent_type, project in transaction.rows(query, columns | window)]


class CalibrationBin(NamedTuple):
    """Decisions with a known outcome whose scores lie in one range."""

    bin: int
    outcomes: int
    mean_score: float
    share_right: float
    mean_squared_error: float


def calibration_bins(transaction: Transaction, wanted: DecisionFilter, bins: int) -> list[CalibrationBin]:
    """Compare scores with outcomes, in ranges of equal width from 0 to 1; ranges without outcomes are left out."""
    where, parameters = wanted.where()
    # SQLite keeps the order of a cross join: from the outcomes to their decisions, if these are more.
    few = _has_few_outcomes(transaction, wanted)
    join = "outcomes o CROSS JOIN decisions d" if few else "decisions d JOIN outcomes o"
    right = "CASE WHEN o.outcome = 'right' THEN 1.0 ELSE 0.0 END"
    query = (
        f"SELECT {_bin(bins)}, COUNT(*), AVG(d.score), AVG({right}), AVG((d.score - {right}) * (d.score - {right})) "
        f"FROM {join} ON o.decision = d.key AND {COUNTED_OUTCOME} {where} GROUP BY 1 ORDER BY 1"
    )
    rows = transaction.rows(query, parameters)
    return [CalibrationBin(int(place), int(count), *map(float, means)) for place, count, *means in rows]


def _has_few_outcomes(transaction: Transaction, wanted: DecisionFilter) -> bool:
    """Return whether a SQLite store has fewer outcomes than decisions in a window. PostgreSQL counts them itself."""
    if transaction.dialect.name != "sqlite":
        return False
    window = {"first": hour_of(wanted.since or 0.0), "last": hour_of(wanted.until or LAST_MOMENT)}
    decisions = transaction.value("SELECT SUM(total) FROM hours WHERE hour >= :first AND hour <= :last", window)
    return bool((transaction.value("SELECT MAX(key) FROM outcomes") or 0) < (decisions or 0))


def score_histogram(
    transaction: Transaction, wanted: DecisionFilter, by: str | None, bins: int
) -> list[tuple[str | int, int, int, float]]:
    """Count scores in ranges of equal width: rows of group, range, count and sum of the scores.

    Args:
        by: A column to group by, `day` for days since 1970, or None for one group.
    """
    where, parameters = wanted.where()
    group = "''" if by is None else _day() if by == "day" else f"d.{by}"
    query = f"SELECT {group}, {_bin(bins)}, COUNT(*), SUM(d.score) FROM decisions d {where} GROUP BY 1, 2"
    rows = transaction.rows(query, parameters)
    return [(of, int(place), int(count), float(total)) for of, place, count, total in rows]


class ShadowCounts(NamedTuple):
    """Decisions in shadow mode, and what became of the responses that would not have been sent."""

    total: int
    """Decisions in shadow mode."""
    stopped: int
    """Those that would have been blocked or held for review."""
    outcomes: int
    """Of these, those with a known outcome."""
    rightly: int
    """Of these, those that turned out wrong or were corrected."""


def count_shadow(transaction: Transaction, wanted: DecisionFilter) -> ShadowCounts:
    """Count the decisions in shadow mode, by an index that holds nothing else."""
    where, parameters = wanted.where(by_time=True)
    stopped = "d.decision IN ('block', 'review')"
    query = (
        f"SELECT COUNT(*), SUM(CASE WHEN {stopped} THEN 1 ELSE 0 END), "
        f"SUM(CASE WHEN {stopped} AND o.key IS NOT NULL THEN 1 ELSE 0 END), "
        f"SUM(CASE WHEN {stopped} AND o.outcome <> 'right' THEN 1 ELSE 0 END) "
        f"FROM decisions d LEFT JOIN outcomes o ON o.decision = d.key AND {COUNTED_OUTCOME} "
        f"{where} {'AND' if where else 'WHERE'} d.shadow <> 0"
    )
    return ShadowCounts(*(int(number or 0) for number in transaction.rows(query, parameters)[0]))


def count_deferrals(transaction: Transaction, wanted: DecisionFilter) -> int:
    """Count the responses that passed because they ask back or say "I don't know", by an index that holds only these.

    Nothing else passes without reaching its threshold.
    """
    where, parameters = wanted.where(by_time=True)
    query = f"SELECT COUNT(*) FROM decisions d {where} {'AND' if where else 'WHERE'} d.decision = 'pass' AND d.met = 0"
    return int(transaction.value(query, parameters))
