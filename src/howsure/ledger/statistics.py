"""Compute statistics of decisions: success rates of agents, and calibration against outcomes."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from typing import Annotated, Literal, NamedTuple, get_args

from howsure.errors import InputError, nearest
from howsure.formulas.response import Response
from howsure.ledger.recorder import Subject
from howsure.responses.threshold import Thresholds
from howsure.shapes import DAY, Doc, Moment, decode_as
from howsure.store.backends.database import Transaction
from howsure.store.ledger_tables.decision_statistics import (
    DaySums,
    ShadowCounts,
    agents_at_work,
    calibration_bins,
    count_deferrals,
    count_shadow,
    sums_by_day,
)
from howsure.store.ledger_tables.decisions import DecisionFilter
from howsure.store.ledger_tables.fits import read_active
from howsure.store.ledger_tables.outcomes import SourceOutcomes, outcomes_by_source

BINS = 10
"""Ranges of scores that are compared with outcomes."""
WINDOW = 7 * DAY
"""The default window."""
StatisticsBy = Annotated[
    Literal["agent", "agent_type", "project", "task_id", "model"], Doc("What to group statistics by.")
]
_NAMES = get_args(get_args(StatisticsBy)[0])
_NO_SHADOW = ShadowCounts(0, 0, 0, 0)
_EPOCH = date(1970, 1, 1).toordinal()


class DecisionDay(NamedTuple):
    """The decisions of one day."""

    day: str
    total: int
    met: int
    """Decisions that met their threshold."""
    mean_confidence: float
    blocked: int = 0
    reviewed: int = 0


class ReliabilityBin(NamedTuple):
    """Decisions of about the same score, and how many of them turned out right."""

    start: float
    """Lower end of the range of scores."""
    outcomes: int
    mean_confidence: float
    share_right: float


@dataclass(frozen=True)
class Calibration:
    """How well scores match outcomes, as far as outcomes are known."""

    outcomes: int
    """Decisions with a known outcome."""
    right: int
    brier: float | None
    """Mean squared difference between score and outcome: 0 is perfect, 0.25 is a coin."""
    expected_error: float | None
    """Expected calibration error: the mean distance between score and share of right decisions."""
    bins: tuple[ReliabilityBin, ...]


@dataclass(frozen=True)
class DecisionGroup:
    """The decisions of one agent, type, project, task or model; or all decisions."""

    name: str
    total: int
    met: int
    """Decisions that met their threshold."""
    blocked: int
    reviewed: int
    success_rate: float | None
    """Share that met their threshold; null without decisions."""
    mean_confidence: float | None
    threshold: float | None
    """The threshold that responses have to reach now; null if it differs within the group."""
    outcomes: int
    """Decisions with a known outcome."""
    right: int


class FitInUse(NamedTuple):
    """The fit that turns scores of responses into probabilities."""

    id: str
    withdrawn: float | None
    """The highest risk of a promise that was broken and withdrawn; null if none was."""


@dataclass(frozen=True)
class LedgerStatistics:
    """How agents did within a window of time."""

    since: float
    until: float
    all: DecisionGroup
    groups: tuple[DecisionGroup, ...]
    """One per value of what was grouped by, the largest first."""
    days: tuple[DecisionDay, ...]
    """Every day (UTC) of the window with decisions."""
    calibration: Calibration
    median_delay: float | None = None
    """Median of the seconds between a decision and its outcome; null if no outcome is known."""
    outcome_sources: tuple[SourceOutcomes, ...] = ()
    """Where outcomes came from, the most frequent first."""
    shadow: ShadowCounts = _NO_SHADOW
    """Decisions in shadow mode: how many responses would have been stopped, and how often rightly."""
    fit: FitInUse | None = None
    """The active fit of responses; null if there is none."""
    deferrals: int = 0
    """Responses that passed because they ask back or say "I don't know", not because they are sure."""


def statistics(
    transaction: Transaction,
    thresholds: Thresholds,
    wanted: DecisionFilter,
    since: float | None,
    until: float,
    by: str | None,
) -> LedgerStatistics:
    """Compute statistics of the decisions from `since` (default: seven days before) to `until`.

    Raises:
        InputError: if decisions cannot be grouped by `by`.
    """
    if by is not None and by not in _NAMES:
        raise InputError(f"cannot group by {by!r}", field="by", hint=nearest(str(by), _NAMES))
    start = until - WINDOW if since is None else decode_as(Moment, since, "since")
    wanted = wanted._replace(since=start, until=until)
    sums = sums_by_day(transaction, wanted, by)
    needed = _thresholds(transaction, thresholds, wanted, by) if wanted.model == Response.name else {}
    by_name: dict[str, list[DaySums]] = {}
    for row in sums if by else ():
        by_name.setdefault(row.group, []).append(row)
    one_threshold = by in ("agent", "agent_type", "project")
    groups = [
        _group(name, own, _only(needed.get(name, set())) if one_threshold else None) for name, own in by_name.items()
    ]
    calibration = _calibration(transaction, wanted)
    active = read_active(transaction, "response")
    everything = outcomes_by_source(transaction, wanted, together=True) if calibration.outcomes else []
    sources = outcomes_by_source(transaction, wanted, together=False) if calibration.outcomes else []
    return LedgerStatistics(
        start,
        until,
        _group("all", sums, _only(set().union(*needed.values()))),
        tuple(sorted(groups, key=lambda group: (-group.total, group.name))),
        _days(sums),
        calibration,
        everything[0].median_delay if everything else None,
        tuple(sources),
        count_shadow(transaction, wanted),
        None if active is None else FitInUse(*active),
        count_deferrals(transaction, wanted),
    )


def _thresholds(
    transaction: Transaction, thresholds: Thresholds, wanted: DecisionFilter, by: str | None
) -> dict[str, set[float]]:
    """Return the thresholds that hold now for the agents of a window, by group."""
    subjects = [Subject(*names) for names in agents_at_work(transaction, wanted)]
    if not subjects and wanted.agent is not None:  # no decision yet, but the threshold of the next one is known
        subjects = [Subject(wanted.agent, wanted.agent_type or "", wanted.project or "")]
    needed: dict[str, set[float]] = {}
    for subject in subjects:
        group = getattr(subject, by) if by in ("agent", "agent_type", "project") else ""
        needed.setdefault(group, set()).add(thresholds.resolve(subject).threshold)
    return needed


def _only(thresholds: set[float]) -> float | None:
    """Return the threshold if there is exactly one."""
    return next(iter(thresholds)) if len(thresholds) == 1 else None


def _group(name: str, rows: Iterable[DaySums], threshold: float | None) -> DecisionGroup:
    total, met, blocked, reviewed, scores, outcomes, right = _added(rows)
    return DecisionGroup(
        name,
        int(total),
        int(met),
        int(blocked),
        int(reviewed),
        met / total if total else None,
        scores / total if total else None,
        threshold,
        int(outcomes),
        int(right),
    )


def _added(rows: Iterable[DaySums]) -> list[float]:
    columns = zip(*(row[2:] for row in rows), strict=True)
    return [sum(column) for column in columns] or [0.0] * len(DaySums._fields[2:])


def _days(rows: Iterable[DaySums]) -> tuple[DecisionDay, ...]:
    by_day: dict[int, list[DaySums]] = {}
    for row in rows:
        by_day.setdefault(row.day, []).append(row)
    days = []
    for day, own in sorted(by_day.items()):
        total, met, blocked, reviewed, scores, *_ = _added(own)
        days.append(DecisionDay(day_name(day), int(total), int(met), scores / total, int(blocked), int(reviewed)))
    return tuple(days)


def _calibration(transaction: Transaction, wanted: DecisionFilter) -> Calibration:
    rows = calibration_bins(transaction, wanted, BINS)
    count = sum(row.outcomes for row in rows)
    if not count:
        return Calibration(0, 0, None, None, ())
    bins = tuple(ReliabilityBin(row.bin / BINS, row.outcomes, row.mean_score, row.share_right) for row in rows)
    brier = sum(row.outcomes * row.mean_squared_error for row in rows) / count
    expected_error = sum(one.outcomes * abs(one.mean_confidence - one.share_right) for one in bins) / count
    return Calibration(count, round(sum(one.outcomes * one.share_right for one in bins)), brier, expected_error, bins)


def day_name(day: int) -> str:
    """Return the ISO date of a day counted from 1970, or the first or last date that Python has.

    >>> day_name(20833), day_name(-694_000), day_name(-11_000_000)
    ('2027-01-15', '0069-11-22', '0001-01-01')
    """
    return date.fromordinal(min(max(_EPOCH + day, 1), date.max.toordinal())).isoformat()
