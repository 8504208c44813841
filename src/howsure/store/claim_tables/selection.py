"""Select claims by text, namespace, status, time and interval, in any order, page by page."""

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from functools import lru_cache
from typing import Any, Literal, NamedTuple

from howsure.formulas.claim import IN_USE, ClaimFormula, Status
from howsure.formulas.decay import Tier
from howsure.formulas.interval import Interval
from howsure.formulas.ops import TOLERANCE
from howsure.graph.sql import IntervalQuery, ReadOptions, interval_query
from howsure.shapes import LAST_MOMENT, Moment, Unit
from howsure.store.backends.database import Database, Row, Transaction
from howsure.store.claim_tables.claims import DISPLAYED
from howsure.store.claim_tables.lower_bound_index import (
    WORTH_AN_INDEX,
    has_ceiling,
    index_conditions,
    window_conditions,
)
from howsure.store.claim_tables.namespace_patterns import namespace_condition
from howsure.text.stems import search_words

WIDE = 0.4
"""Width from which an interval counts as wide."""
UNVERIFIED_UPPER, UNVERIFIED_LOWER = 0.7, 0.5
"""Unverified: upper bound at least 0.7, lower bound below 0.5."""
STRONG, WEAK = 0.7, 0.5
"""Strong: lower bound at least 0.7. Weak: upper bound at most 0.5."""
ORDERS = {
    "lower": "s.lower",
    "upper": "s.upper",
    "width": "(s.upper - s.lower)",
    "midpoint": "((s.lower + s.upper) / 2.0)",
    "created_at": "c.created_at",
    "stale_at": f"COALESCE(c.stale_at, {LAST_MOMENT!r})",
    "statement": "c.statement",
}
Order = Literal["lower", "upper", "width", "midpoint", "created_at", "stale_at", "sources", "statement"]
MOST_RANKED = 512
"""Claims whose exact lower bounds are computed to find the highest ones."""
FLOORS = tuple(number / 10 for number in range(9, 0, -1))
"""Lower bounds from which claims are looked for, the highest first, to find the highest ones by an index."""
SHORTEST_STEP = 0.05
"""How far a floor is at least below the page before: reading all claims from a floor on in vain costs as much again."""
MOST_READ = 40_000
"""Claims from a floor on that are read for a later page, which takes about 0.4 s; of more only the near ones."""
DEPTHS = (0.01, 0.1)
"""How far below the page before claims are looked for, the nearest first."""
FEW_CLAIMS = 2000
"""Up to this many claims, the exact lower bounds of all are computed."""
ONE_KEY = "SELECT CAST(:key AS BIGINT)"
"""A query of one row key, given as a parameter, for interval queries."""
_WIDE = f"s.upper - s.lower >= {WIDE - TOLERANCE!r}"
_UNVERIFIED = f"s.upper >= {UNVERIFIED_UPPER - TOLERANCE!r} AND s.lower < {UNVERIFIED_LOWER - TOLERANCE!r}"
_STALE = "c.stale_at < :now"


@dataclass(frozen=True)
class Selection:
    """Which claims to find. All conditions have to hold."""

    text: str | None = None
    """Words that the statement contains, in any order."""
    subject: str | None = None
    """The exact subject."""
    predicate: str | None = None
    """The exact predicate."""
    object: str | None = None
    """The exact object."""
    namespace: str | None = None
    """`a/b`, `a/b/*` (with everything below) or `a/b/*/1` (with one level below)."""
    tiers: tuple[Tier, ...] = ()
    """Tiers; all if empty."""
    statuses: tuple[Status, ...] = IN_USE
    """Statuses; all if empty."""
    created_from: Moment | None = None
    """Created at this moment or later."""
    created_until: Moment | None = None
    """Created before this moment."""
    min_lower: Unit | None = None
    """Smallest lower bound."""
    max_lower: Unit | None = None
    """Largest lower bound."""
    min_upper: Unit | None = None
    """Smallest upper bound."""
    max_upper: Unit | None = None
    """Largest upper bound."""
    min_width: Unit | None = None
    """Smallest width of the interval."""
    max_width: Unit | None = None
    """Largest width of the interval."""
    wide: bool = False
    """Only wide intervals (at least 0.4)."""
    unverified: bool = False
    """Only claims with upper bound at least 0.7 and lower bound below 0.5: perhaps important, not verified."""
    stale: bool | None = None
    """True: only claims that lose confidence by age. False: only those that do not yet."""
    outside_validity: bool = False
    """Include claims outside their validity window."""
    order: Order = "lower"
    """The sort key."""
    ascending: bool = False
    """Smallest first."""


class Position(NamedTuple):
    """The end of a page: the sort key and row key of its last claim."""

    value: Any
    key: int


def query_for(transaction: Transaction, options: ReadOptions) -> IntervalQuery:
    """Return the interval query for these options; it is simpler if the store holds no derived claims."""
    derived = bool(transaction.value("SELECT 1 FROM claims WHERE depth > 0 LIMIT 1"))
    return interval_query(options.formula, transaction.dialect, derived=derived, past=options.as_of is not None)


def select_one(transaction: Transaction, options: ReadOptions, key: int) -> Row | None:
    """Return the displayed columns, lower and upper of one claim, or None if it is not there."""
    return transaction.one(_one(query_for(transaction, options)), options.parameters() | {"key": key})


def select_with_neighbours(transaction: Transaction, options: ReadOptions, key: int) -> tuple[Row, list[Row]]:
    """Return what `select_one` does of a claim that is there, and the claims that support or contradict it.

    These have kind, row key, strength and influence, and are sorted by the first two.
    """
    query = query_for(transaction, options)
    parameters = options.parameters() | {"key": key}
    rows = transaction.rows(query.interval_and_neighbours(ONE_KEY), parameters)
    rows.sort()  # the claim comes first, by its empty kind
    displayed = f"SELECT {query.displayed(DISPLAYED, 'c')} FROM claims c WHERE c.key = :key"
    (columns,) = transaction.rows(displayed, parameters)
    return (*columns, *rows[0][2:]), rows[1:]


def select_alone(database: Database, options: ReadOptions, claim: str) -> Row | None:
    """Return the displayed columns, lower, upper and the row key of a claim by its whole id, by a single query.

    None if it has to be read in a transaction: the database is not faster without one, there is no such claim, or the
    store holds derived claims.
    """
    if options.as_of is not None or not claim.isascii() or "\x00" in claim:
        return None
    query = interval_query(options.formula, database.dialect, derived=False, past=False)
    rows = database.read_alone(_alone(query), options.parameters() | {"id": claim})
    return rows[0] if rows else None


@lru_cache(maxsize=128)
def _alone(query: IntervalQuery) -> str:
    return (
        f"SELECT {query.displayed(DISPLAYED, 'c')}, s.lower, s.upper, c.key "
        f"FROM ({query.intervals('SELECT key FROM claims WHERE id = :id')}) AS s JOIN claims c ON c.key = s.claim_key "
        "WHERE NOT EXISTS (SELECT 1 FROM claims d WHERE d.depth > 0)"
    )


def intervals_over_time(
    transaction: Transaction, formula: ClaimFormula, key: int, past: Sequence[float], ahead: Sequence[float]
) -> tuple[list[Interval], list[Interval]]:
    """Return the intervals of a claim at past moments, as it was known then, and at later ones by what is known now."""

    def read(options: Sequence[ReadOptions]) -> list[Interval]:
        if not options:
            return []
        query = _one(query_for(transaction, options[0]))
        found = transaction.batch(query, [one.parameters() | {"key": key} for one in options])
        return [Interval(*rows[0][-2:]) for rows in found]

    return (
        read([ReadOptions(formula, moment, 1.0, moment) for moment in past]),
        read([ReadOptions(formula, moment) for moment in ahead]),
    )


@lru_cache(maxsize=128)
def _one(query: IntervalQuery) -> str:
    """Write the query for a single claim. Writing takes longer than running, so the text is cached."""
    return (
        f"SELECT {query.displayed(DISPLAYED, 'c')}, s.lower, s.upper FROM ({query.intervals(ONE_KEY)}) AS s "
        "JOIN claims c ON c.key = s.claim_key"
    )


def select(
    transaction: Transaction,
    options: ReadOptions,
    wanted: Selection,
    limit: int | None = None,
    after: Position | None = None,
    among: Sequence[int] | None = None,
    chosen: tuple[str, dict[str, Any]] | None = None,
) -> list[Row]:
    """Return the displayed columns, lower, upper, the sort key and the row key of each claim of a selection.

    Args:
        after: Continue after this position.
        among: Search only these row keys, at most 512.
        chosen: Search only the row keys that this query with its parameters returns; the intervals decide.
    """
    if limit is not None and among is None and chosen is None:
        highest = _highest_by_ceiling(transaction, options, wanted, limit, after)
        if highest is not None:
            return highest
    if chosen is None:
        query, claims, parameters = _claims(transaction, options, wanted, among)
    else:
        query, parameters = query_for(transaction, options), dict(chosen[1])
        claims = _with_intervals(query, chosen[0])
        transaction.narrow()
    bounds = _bounds(wanted, parameters)
    by = query.sources("c") if wanted.order == "sources" else ORDERS[wanted.order]
    if after is not None:
        parameters |= {"after": after.value, "after_key": after.key}
        beyond = ">" if wanted.ascending else "<"
        bounds.append(f"({by} {beyond} :after OR ({by} = :after AND c.key > :after_key))")
    sql = (
        f"SELECT {query.displayed(DISPLAYED, 'c')}, s.lower, s.upper, {by}, c.key "
        f"FROM {claims}"
        + (f" WHERE {' AND '.join(bounds)}" if bounds else "")
        + f" ORDER BY {by} {'ASC' if wanted.ascending else 'DESC'}, c.key"
        + (f" LIMIT {int(limit)}" if limit is not None else "")
    )
    return transaction.rows(sql, options.parameters() | parameters)


def _highest_by_ceiling(
    transaction: Transaction, options: ReadOptions, wanted: Selection, limit: int, after: Position | None = None
) -> list[Row] | None:
    """Return the claims with the highest lower bounds by computing those of few; None if all must be read.

    An index finds the claims with a ceiling from a floor on, so floors are tried from above until one has enough
    claims: 6 ms instead of 244 at 300,000 claims.
    """
    by_lower = wanted.order == "lower" and not wanted.ascending and not _bounds(replace(wanted, min_lower=None), {})
    start = 1.0 if after is None else after.value
    if not by_lower or limit > MOST_RANKED // 2 or isinstance(start, str):
        return None
    query = query_for(transaction, options)
    if query.ceiling("c") is None or int(transaction.value("SELECT MAX(key) FROM claims") or 0) <= FEW_CLAIMS:
        return None
    _, parameters = _conditions(wanted, transaction.dialect.name, query.status("c"), past=False)
    if parameters and wanted.min_lower is not None:
        return None
    least = wanted.min_lower or 0.0
    # Without a text or namespace: each floor would look them up again.
    by_index = has_ceiling(options.formula) and not parameters
    floors = [floor for floor in FLOORS if by_index and least < floor <= start - SHORTEST_STEP]
    if after is None:  # else reading all is faster than ranking all first
        floors.append(least)
    for floor in floors:
        if after is not None and _are_many(transaction, options, wanted, floor):
            break
        rows, complete = _rank(transaction, options, wanted, limit, after, floor)
        if complete and (floor == least or _reach(rows, limit, floor)):
            return rows
        if not complete:  # more claims than can be ranked, as on later pages: read all from this floor on
            rows = select(transaction, options, replace(wanted, min_lower=floor), limit, after) if floor > least else []
            return rows if _reach(rows, limit, floor) else None
    by_window = after is not None and by_index and options.trust == 1.0
    if after is None or not by_window or not _are_many(transaction, options, wanted, least):
        return None
    return _next_by_ceiling(transaction, options, wanted, limit, after)


def _rank(
    transaction: Transaction,
    options: ReadOptions,
    wanted: Selection,
    limit: int,
    after: Position | None,
    floor: float,
) -> tuple[list[Row], bool]:
    """Return the claims with the highest lower bounds of those with the highest ceilings from a floor on.

    Also return whether no other claim from the floor on can be among them. Ceilings need no neighbours.
    """
    query = query_for(transaction, options)
    conditions, parameters = _conditions(wanted, transaction.dialect.name, query.status("c"), past=False)
    chosen = " UNION ALL ".join(
        f"SELECT c.key, {query.ceiling('c')} AS ceiling FROM claims c "
        f"WHERE {' AND '.join((*place, *conditions)) or '1 = 1'}"
        for place in index_conditions(transaction, floor, wanted.tiers, options, parameters)
    )
    order = f"ORDER BY 2 DESC, 1 LIMIT {MOST_RANKED}"
    ranked = transaction.rows(f"{chosen} {order}", options.parameters() | parameters)
    rows: list[Row] = []
    if ranked and (len(ranked) >= limit or floor == (wanted.min_lower or 0.0)):
        rows = select(transaction, options, wanted, limit, after, [key for key, _ in ranked])
    if len(ranked) < MOST_RANKED:
        return rows, True
    key, bound = ranked[-1]
    return rows, _reach(rows, limit, floor) and (-rows[-1][-2], rows[-1][-1]) <= (-bound, key)


def _are_many(transaction: Transaction, options: ReadOptions, wanted: Selection, floor: float) -> bool:
    """Say whether more claims have a ceiling from a floor on than are read at once. Counting them takes 3 ms."""
    parameters: dict[str, Any] = {}
    places = index_conditions(transaction, floor, wanted.tiers, options, parameters)
    chosen = " UNION ALL ".join(
        f"SELECT 1 AS one FROM claims c WHERE {' AND '.join(place) or '1 = 1'}" for place in places
    )
    counted = f"SELECT COUNT(*) FROM (SELECT one FROM ({chosen}) AS f LIMIT {MOST_READ + 1}) AS g"
    return int(transaction.value(counted, options.parameters() | parameters)) > MOST_READ


def _next_by_ceiling(
    transaction: Transaction, options: ReadOptions, wanted: Selection, limit: int, after: Position
) -> list[Row] | None:
    """Return the claims after a position without reading those that are surely before it; None if too few are near.

    A claim is after it if its ceiling is, or if contradictions may have brought it from above the position to below.
    """
    query = query_for(transaction, options)
    conditions, parameters = _conditions(wanted, transaction.dialect.name, query.status("c"), past=False)
    parameters["top"] = after.value + TOLERANCE
    ceiling, bottom = query.ceiling("c"), query.bottom("c", "x.against")
    ends = " UNION ALL ".join(
        f"SELECT r.{end} AS claim, r.strength AS strength FROM relations r "
        "WHERE r.kind = 'contradicts' AND r.removed_at IS NULL"
        for end in ("source", "target")
    )
    contradicted = (
        f"SELECT c.key FROM (SELECT claim, SUM(strength) AS against FROM ({ends}) AS e GROUP BY claim) AS x "
        f"JOIN claims c ON c.key = x.claim "
        f"WHERE {' AND '.join((*conditions, f'{ceiling} > :top', f'{bottom} <= :top'))}"
    )
    for depth in DEPTHS:
        floor = max(after.value - depth, wanted.min_lower or 0.0)
        if floor < WORTH_AN_INDEX:
            return None
        near = [
            f"SELECT c.key FROM claims c WHERE {' AND '.join((*place, *conditions, f'{ceiling} <= :top'))}"
            for place in window_conditions(floor, after.value, wanted.tiers, options, parameters)
        ]
        chosen = " UNION ALL ".join((*near, contradicted))
        rows = select(transaction, options, wanted, limit, after, chosen=(chosen, parameters))
        if floor == wanted.min_lower or _reach(rows, limit, floor):
            return rows
    return None


def _reach(rows: list[Row], limit: int, floor: float) -> bool:
    """Say whether there are as many claims as wanted, all with a lower bound of at least `floor`."""
    return len(rows) == limit and rows[-1][-2] >= floor


def count(transaction: Transaction, options: ReadOptions, wanted: Selection) -> dict[str, int]:
    """Count the claims of a selection: all, strong, weak, unknown, wide, unverified, challenged and stale ones."""
    query, claims, parameters = _claims(transaction, options, wanted)
    bounds = _bounds(wanted, parameters)
    kinds = {
        "strong": f"s.lower >= {STRONG - TOLERANCE!r}",
        "weak": f"s.upper <= {WEAK + TOLERANCE!r} AND c.sources > 0",
        "unknown": "c.sources = 0",
        "wide": _WIDE,
        "unverified": _UNVERIFIED,
        "challenged": f"{query.status('c')} = 'challenged'",
        "stale": _STALE,
    }
    columns = "".join(f", SUM(CASE WHEN {test} THEN 1 ELSE 0 END)" for test in kinds.values())
    where = f" WHERE {' AND '.join(bounds)}" if bounds else ""
    row = transaction.one(f"SELECT COUNT(*){columns} FROM {claims}{where}", options.parameters() | parameters)
    return dict(zip(("total", *kinds), (int(number or 0) for number in row or ()), strict=True))


def _claims(
    transaction: Transaction, options: ReadOptions, wanted: Selection, among: Sequence[int] | None = None
) -> tuple[IntervalQuery, str, dict[str, Any]]:
    """Return the interval query, the FROM clause of the claims with their intervals, and the parameters."""
    query = query_for(transaction, options)
    conditions, parameters = _conditions(wanted, transaction.dialect.name, query.status("c"), past=query.past)
    by_index_only = not parameters and among is None  # no text or namespace, which may be rare or common
    if among is not None:
        conditions.append(_among(among, parameters))
    chosen = " UNION ALL ".join(
        f"SELECT c.key FROM claims c WHERE {' AND '.join((*place, *conditions)) or '1 = 1'}"
        for place in index_conditions(transaction, wanted.min_lower, wanted.tiers, options, parameters)
    )
    if "bucket IN (" in chosen or among is not None:
        transaction.narrow(alike=by_index_only)
    return query, _with_intervals(query, chosen), parameters


def _with_intervals(query: IntervalQuery, chosen: str) -> str:
    """Write the FROM clause of claims with their intervals."""
    return f"({query.intervals(chosen)}) AS s JOIN claims c ON c.key = s.claim_key"


def _conditions(  # noqa: C901 - one branch for each condition
    wanted: Selection, dialect: str, status: str, *, past: bool
) -> tuple[list[str], dict[str, Any]]:
    """Return the SQL conditions that do not depend on the interval, and their parameters."""
    conditions: list[str] = []
    parameters: dict[str, Any] = {}
    for name in ("subject", "predicate", "object"):
        if getattr(wanted, name) is not None:
            conditions.append(f"c.{name} = :{name}")
            parameters[name] = getattr(wanted, name)
    if wanted.text is not None and wanted.text.strip():
        conditions.append(_text_condition(dialect))
        parameters["text"] = _text_query(wanted.text, dialect)
    if wanted.namespace is not None:
        conditions.append(namespace_condition(wanted.namespace, parameters))
    if wanted.tiers:
        conditions.append(f"c.tier IN ({_listed(wanted.tiers)})")
    if wanted.statuses:
        conditions.append(f"{status} IN ({_listed(wanted.statuses)})")
    for name, beyond in (("created_from", ">="), ("created_until", "<")):
        if getattr(wanted, name) is not None:
            conditions.append(f"c.created_at {beyond} :{name}")
            parameters[name] = getattr(wanted, name)
    if wanted.stale is not None:
        conditions.append(_STALE if wanted.stale else f"(c.stale_at IS NULL OR NOT {_STALE})")
    if past:
        conditions.append("c.created_at <= :as_of")
    if not wanted.outside_validity:
        conditions.append("(c.valid_from IS NULL OR c.valid_from <= :now)")
        conditions.append("(c.valid_until IS NULL OR c.valid_until > :now)")
    return conditions, parameters


def _among(keys: Sequence[int], parameters: dict[str, Any]) -> str:
    """Return the condition for some row keys."""
    # Padded to one of four lengths: a new query takes longer to plan than to run.
    size = next(size for size in (1, 8, 64, 512) if len(keys) <= size)
    parameters |= {f"among_{number}": keys[min(number, len(keys) - 1)] for number in range(size)}
    return f"c.key IN ({', '.join(f':among_{number}' for number in range(size))})"


def _listed(words: tuple[str, ...]) -> str:
    """Write words as an SQL list. They come from a closed set, never from a caller."""
    return ", ".join(f"'{word}'" for word in words)


def _text_condition(dialect: str) -> str:
    if dialect == "sqlite":
        return "c.key IN (SELECT rowid FROM claims_text WHERE claims_text MATCH :text)"
    return "string_to_array(c.words, ' ') @> :text"


def _text_query(text: str, dialect: str) -> str | list[str]:
    """Return the parameter that asks for all words of a text.

    For SQLite each word is quoted, so that none is read as syntax. A text without words, such as "?", is found nowhere.
    """
    words = search_words(text, query=True) or ["?"]
    return " ".join(f'"{word}"' for word in words) if dialect == "sqlite" else words


def _bounds(wanted: Selection, parameters: dict[str, Any]) -> list[str]:
    """Return the SQL conditions on the interval; add their values to `parameters`."""
    columns = {"lower": "s.lower", "upper": "s.upper", "width": "(s.upper - s.lower)"}
    conditions = []
    for field in fields(wanted):
        side, _, name = field.name.partition("_")
        value = getattr(wanted, field.name)
        if side in ("min", "max") and value is not None:
            conditions.append(f"{columns[name]} {'>=' if side == 'min' else '<='} :{field.name}")
            parameters[field.name] = value - TOLERANCE if side == "min" else value + TOLERANCE
    if wanted.wide:
        conditions.append(_WIDE)
    if wanted.unverified:
        conditions.append(_UNVERIFIED)
    return conditions
