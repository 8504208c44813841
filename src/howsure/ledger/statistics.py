"""Statistics: how agents have done, and how far their confidence can be believed."""

from dataclasses import asdict, dataclass
from typing import Any, Literal, NamedTuple, get_args

from howsure.errors import InputError, nearest
from howsure.formulas.decay import DAY
from howsure.formulas.response import ResponseCase
from howsure.ledger.api import About, Ledger
from howsure.ledger.decision import conditions
from howsure.ledger.distribution import day_name
from howsure.responses.api import Responses
from howsure.store.database import Transaction
from howsure.store.decisions import HOUR, LATEST, SUMS, hour_of

BINS = 10
"""Ranges of confidence that are compared with what turned out."""
WINDOW = 7 * DAY
By = Literal["agent", "agent_type", "project", "task_id", "model"]
"""What statistics can be told apart by."""


class Day(NamedTuple):
    """How one day went."""

    day: str
    total: int
    met: int
    mean_confidence: float
    blocked: int = 0
    reviewed: int = 0


class Bin(NamedTuple):
    """Answers of about the same confidence, and how many of them were right."""

    start: float
    outcomes: int
    mean_confidence: float
    share_right: float


@dataclass(frozen=True)
class Calibration:
    """How far confidence can be believed, as far as outcomes are known."""

    outcomes: int
    """How many answers are known to be right or wrong."""
    right: int
    brier: float | None
    """Mean squared difference between confidence and what turned out: 0 is perfect, 0.25 is a coin."""
    expected_error: float | None
    """Expected calibration error: how far confidence and share of right answers lie apart, on average."""
    bins: tuple[Bin, ...]


@dataclass(frozen=True)
class Group:
    """How one agent, type, project or task has done; or all of them."""

    name: str
    total: int
    met: int
    blocked: int
    reviewed: int
    success_rate: float | None
    """Share that met their threshold."""
    mean_confidence: float | None
    threshold: float | None
    """The threshold that an agent has to reach now."""
    outcomes: int
    right: int


@dataclass(frozen=True)
class Statistics:
    """How agents have done within a window."""

    since: float
    until: float
    all: Group
    groups: tuple[Group, ...]
    """By what was asked for, the busiest first."""
    days: tuple[Day, ...]
    """The trend: every day of the window on which something was decided, in UTC."""
    calibration: Calibration

    def as_dict(self) -> dict[str, Any]:
        """Return everything as JSON-ready data."""
        return asdict(self) | {
            "days": [day._asdict() for day in self.days],
            "calibration": asdict(self.calibration) | {"bins": [b._asdict() for b in self.calibration.bins]},
        }


def statistics(
    ledger: Ledger,
    responses: Responses,
    *,
    since: float | None = None,
    until: float | None = None,
    by: By | None = None,
    model: str | None = "response",
    **wanted: Any,
) -> Statistics:
    """Return how agents have done, the last seven days if nothing else is asked for."""
    if by is not None and by not in get_args(By):
        raise InputError(f"{by!r} is nothing to tell apart by", field="by", hint=nearest(str(by), get_args(By)))
    end = ledger.session.at(until)
    start = end - WINDOW if since is None else ledger.session.at(since)
    wanted |= {"model": model}
    asked: dict[str, Any] = {"since": start, "until": end} | {k: v for k, v in wanted.items() if v is not None}
    conditions(asked)  # names that nobody can have are refused, wherever they are looked for
    with ledger.session.database.read() as transaction:
        rows = _sums(transaction, asked, by)
        calibration = _calibration(transaction, asked)
        kinds = _kinds(transaction, asked) if model == responses.model.name else []
    if not kinds and model == responses.model.name and "agent" in asked:
        # nothing was decided, but it is known what would be needed
        kinds = [{name: str(asked.get(name) or "") for name in ("agent", "agent_type", "project")}]
    needed: dict[str, set[float]] = {}
    for kind in kinds:
        needed.setdefault(kind.get(str(by), ""), set()).add(_threshold(responses, kind))
    by_name: dict[str, list[tuple[Any, ...]]] = {}
    for row in rows if by else ():
        by_name.setdefault(row[0], []).append(row)
    groups = [
        _group(name, own, _only(needed.get(name, set())) if by in ("agent", "agent_type", "project") else None)
        for name, own in by_name.items()
    ]
    everything = _group("all", rows, _only(set().union(*needed.values())))
    return Statistics(
        start,
        end,
        everything,
        tuple(sorted(groups, key=lambda group: (-group.total, group.name))),
        _days(rows),
        calibration,
    )


def _kinds(transaction: Transaction, asked: dict[str, Any]) -> list[dict[str, str]]:
    """Return every agent with its types and projects, as far as they were at work in the window."""
    names = ("agent", "agent_type", "project")
    where = "".join(f" AND {name} = :{name}" for name in (*names, "model") if name in asked)
    query = f"SELECT DISTINCT {', '.join(names)} FROM hours WHERE hour >= :first AND hour <= :last{where}"
    window = {"first": hour_of(asked["since"]), "last": hour_of(asked["until"])}
    given = {name: asked[name] for name in (*names, "model") if name in asked}
    return [dict(zip(names, row, strict=True)) for row in transaction.rows(query, given | window)]


def _threshold(responses: Responses, kind: dict[str, str]) -> float:
    found = responses.threshold(About(**kind))[0]
    return responses.model.threshold(ResponseCase(kind["agent_type"])) if found is None else found


def _only(thresholds: set[float]) -> float | None:
    """Return the threshold, where it is the same for all types and projects in the window."""
    return next(iter(thresholds)) if len(thresholds) == 1 else None


def _sums(transaction: Transaction, asked: dict[str, Any], by: By | None) -> list[tuple[Any, ...]]:
    """Return name, day and sums: of whole hours by what is kept, of edges, tasks and traces one by one."""
    start, end = asked["since"], asked["until"]
    plain = {name: value for name, value in asked.items() if name not in ("since", "until")}
    whole = not set(plain) - {"agent", "agent_type", "project", "model"} and by != "task_id"
    first, last = hour_of(start) + 1, hour_of(end)
    if not whole or first >= last:
        return _one_by_one(transaction, asked, by)
    name = f"h.{by}" if by else "''"
    where = " AND ".join(f"h.{column} = :{column}" for column in plain) or "1 = 1"
    query = (
        f"SELECT {name}, h.hour / 24, {', '.join(f'SUM(h.{column})' for column in SUMS)} FROM hours h "
        f"WHERE h.hour >= :first AND h.hour < :last AND {where} GROUP BY 1, 2"
    )
    found = transaction.rows(query, plain | {"first": first, "last": last})
    edges = (plain | {"since": start, "before": first * HOUR}, plain | {"since": last * HOUR, "until": end})
    return [*map(_as_numbers, found), *(row for edge in edges for row in _one_by_one(transaction, edge, by))]


def _one_by_one(transaction: Transaction, asked: dict[str, Any], by: By | None) -> list[tuple[Any, ...]]:
    where, parameters = conditions(asked)
    name = f"a.{by}" if by else "''"
    query = (
        f"SELECT {name}, CAST(FLOOR(a.at / {DAY!r}) AS BIGINT), COUNT(*), SUM(a.met), {_count('a.decision', 'block')}, "
        f"{_count('a.decision', 'review')}, SUM(a.score), COUNT(o.key), {_count('o.outcome', 'right')} "
        f"FROM decisions a LEFT JOIN outcomes o ON o.decision = a.key AND {LATEST} {where} GROUP BY 1, 2"
    )
    return [_as_numbers(row) for row in transaction.rows(query, parameters)]


def _as_numbers(row: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return a row with plain numbers: PostgreSQL sums whole numbers to decimal ones."""
    return (row[0], int(row[1]), *map(float, row[2:]))


def _count(column: str, value: str) -> str:
    return f"SUM(CASE WHEN {column} = '{value}' THEN 1 ELSE 0 END)"


def _group(name: str, rows: list[tuple[Any, ...]], threshold: float | None) -> Group:
    total, met, blocked, reviewed, scores, outcomes, right = _added(rows)
    return Group(
        name,
        int(total),
        int(met),
        int(blocked),
        int(reviewed),
        float(met / total) if total else None,
        float(scores / total) if total else None,
        threshold,
        int(outcomes),
        int(right),
    )


def _added(rows: list[tuple[Any, ...]]) -> list[Any]:
    return [sum(row[place] for row in rows) for place in range(2, 2 + len(SUMS))]


def _days(rows: list[tuple[Any, ...]]) -> tuple[Day, ...]:
    by_day: dict[int, list[tuple[Any, ...]]] = {}
    for row in rows:
        by_day.setdefault(row[1], []).append(row)
    found = []
    for day, own in sorted(by_day.items()):
        total, met, blocked, reviewed, scores, *_ = _added(own)
        found.append(Day(day_name(day), int(total), int(met), float(scores / total), int(blocked), int(reviewed)))
    return tuple(found)


def _calibration(transaction: Transaction, asked: dict[str, Any]) -> Calibration:
    where, parameters = conditions(asked)
    right = "CASE WHEN o.outcome = 'right' THEN 1.0 ELSE 0.0 END"
    place = f"CASE WHEN a.score >= 1 THEN {BINS - 1} ELSE CAST(FLOOR(a.score * {BINS}) AS INTEGER) END"
    query = (
        f"SELECT {place}, COUNT(*), AVG(a.score), AVG({right}), AVG((a.score - {right}) * (a.score - {right})) "
        f"FROM decisions a JOIN outcomes o ON o.decision = a.key AND {LATEST} {where} GROUP BY 1 ORDER BY 1"
    )
    rows = transaction.rows(query, parameters)
    count = sum(row[1] for row in rows)
    bins = tuple(Bin(place / BINS, n, float(score), float(share)) for place, n, score, share, _ in rows)
    if not count:
        return Calibration(0, 0, None, None, ())
    brier = sum(n * float(squared) for _, n, _, _, squared in rows) / count
    apart = sum(b.outcomes * abs(b.mean_confidence - b.share_right) for b in bins) / count
    return Calibration(count, round(sum(b.outcomes * b.share_right for b in bins)), brier, apart, bins)
