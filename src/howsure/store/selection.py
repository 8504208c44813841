"""A selection of claims: what to look for, in which order, and from where on."""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any, Literal, NamedTuple

from howsure.errors import InputError
from howsure.formulas.claim import Status
from howsure.formulas.decay import Tier
from howsure.formulas.noisy_or import NoisyOr
from howsure.formulas.ops import TOLERANCE
from howsure.graph.sql import IntervalQuery, ReadOptions, interval_query
from howsure.shapes import Moment, Unit
from howsure.store.claims import DISPLAYED
from howsure.store.database import Transaction
from howsure.store.denormalized import BUCKETS, places_from

WIDE = 0.4
"""Width from which an interval is wide."""
UNVERIFIED_UPPER, UNVERIFIED_LOWER = 0.7, 0.5
"""Unverified: the upper bound at least the one, the lower below the other."""
STRONG, WEAK = 0.7, 0.5
"""Strong: the lower bound at least the one. Weak: the upper bound at most the other."""
NEVER = 1e12
"""What claims that never become stale are ordered by."""
ORDERS = {
    "lower": "s.lower",
    "upper": "s.upper",
    "width": "(s.upper - s.lower)",
    "midpoint": "((s.lower + s.upper) / 2.0)",
    "created_at": "c.created_at",
    "stale_at": f"COALESCE(c.stale_at, {NEVER!r})",
    "statement": "c.statement",
}
Order = Literal["lower", "upper", "width", "midpoint", "created_at", "stale_at", "sources", "statement"]
_WIDE = f"s.upper - s.lower >= {WIDE - TOLERANCE!r}"
_UNVERIFIED = f"s.upper >= {UNVERIFIED_UPPER - TOLERANCE!r} AND s.lower < {UNVERIFIED_LOWER - TOLERANCE!r}"
_STALE = "c.stale_at < :now"
WORTH_AN_INDEX = 0.02
"""Lower bound from which the index by ceiling leaves out enough."""


@dataclass(frozen=True)
class Selection:
    """Which claims are looked for. Everything given has to hold."""

    text: str | None = None
    """Words that the statement contains."""
    subject: str | None = None
    """Subject, exactly."""
    predicate: str | None = None
    """Predicate, exactly."""
    object: str | None = None
    """Object, exactly."""
    namespace: str | None = None
    """`a/b` exactly; `a/b/*` with all below; `a/b/*/1` with one level below."""
    tiers: tuple[Tier, ...] = ()
    """Tiers; any, if none is given."""
    statuses: tuple[Status, ...] = ("active", "challenged")
    """Statuses; any, if none is given."""
    created_from: Moment | None = None
    """Created at this moment or later."""
    created_until: Moment | None = None
    """Created before this moment."""
    min_lower: Unit | None = None
    """Lower bound at least."""
    max_lower: Unit | None = None
    """Lower bound at most."""
    min_upper: Unit | None = None
    """Upper bound at least."""
    max_upper: Unit | None = None
    """Upper bound at most."""
    min_width: Unit | None = None
    """Width at least."""
    max_width: Unit | None = None
    """Width at most."""
    wide: bool = False
    """Only wide intervals: areas of uncertainty worth a look."""
    unverified: bool = False
    """Only high upper bounds with low lower ones: perhaps important, not verified."""
    stale: bool | None = None
    """Only claims that have begun to lose confidence by age; or only those that have not."""
    outside_validity: bool = False
    """Claims outside their validity window too."""
    order: Order = "lower"
    """What to order by."""
    ascending: bool = False
    """The smallest first."""


class Place(NamedTuple):
    """Where a page ends: the value ordered by, and the key."""

    value: Any
    key: int


def select(
    transaction: Transaction,
    reading: ReadOptions,
    wanted: Selection,
    limit: int | None = None,
    after: Place | None = None,
    among: Sequence[int] | None = None,
) -> list[tuple[Any, ...]]:
    """Return the displayed columns, lower, upper, the value ordered by, and the key of each claim that fits.

    `among` at most 512 keys, if they are given: of these alone.
    """
    query, found, parameters = _found(transaction, reading, wanted, among)
    bounds = _bounds(wanted, parameters)
    by = query.sources("c") if wanted.order == "sources" else ORDERS[wanted.order]
    if after is not None:
        parameters |= {"after": after.value, "after_key": after.key}
        beyond = ">" if wanted.ascending else "<"
        bounds.append(f"({by} {beyond} :after OR ({by} = :after AND c.key > :after_key))")
    sql = (
        f"SELECT {query.displayed(DISPLAYED, 'c')}, s.lower, s.upper, {by}, c.key "
        f"FROM {found}"
        + (f" WHERE {' AND '.join(bounds)}" if bounds else "")
        + f" ORDER BY {by} {'ASC' if wanted.ascending else 'DESC'}, c.key"
        + (f" LIMIT {int(limit)}" if limit is not None else "")
    )
    return transaction.rows(sql, reading.parameters() | parameters)


def count(transaction: Transaction, reading: ReadOptions, wanted: Selection) -> dict[str, int]:
    """Return how many claims fit, and how many of these are strong, weak, wide, unverified, challenged and stale."""
    query, found, parameters = _found(transaction, reading, wanted)
    bounds = _bounds(wanted, parameters)
    kinds = {
        "strong": f"s.lower >= {STRONG - TOLERANCE!r}",
        "weak": f"s.upper <= {WEAK + TOLERANCE!r}",
        "wide": _WIDE,
        "unverified": _UNVERIFIED,
        "challenged": f"{query.status('c')} = 'challenged'",
        "stale": _STALE,
    }
    columns = "".join(f", SUM(CASE WHEN {test} THEN 1 ELSE 0 END)" for test in kinds.values())
    where = f" WHERE {' AND '.join(bounds)}" if bounds else ""
    row = transaction.one(f"SELECT COUNT(*){columns} FROM {found}{where}", reading.parameters() | parameters)
    return dict(zip(("total", *kinds), (int(number or 0) for number in row or ()), strict=True))


def _found(
    transaction: Transaction, reading: ReadOptions, wanted: Selection, among: Sequence[int] | None = None
) -> tuple[IntervalQuery, str, dict[str, Any]]:
    """Return the query's writer, the claims with their intervals to choose from, and the parameters."""
    derived = bool(transaction.value("SELECT 1 FROM claims WHERE depth > 0 LIMIT 1"))
    query = interval_query(reading.formula, transaction.dialect, derived=derived, past=reading.as_of is not None)
    conditions, parameters = _conditions(wanted, transaction.dialect.name, query.status("c"), past=query.past)
    if among is not None:
        conditions.append(_among(among, parameters))
    chosen = " UNION ALL ".join(
        f"SELECT c.key FROM claims c WHERE {' AND '.join((*place, *conditions)) or '1 = 1'}"
        for place in _places(wanted, reading, parameters)
    )
    if "c.bucket" in chosen or among is not None:
        transaction.narrow()
    return query, f"({query.intervals(chosen)}) AS s JOIN claims c ON c.key = s.claim_key", parameters


def _places(wanted: Selection, reading: ReadOptions, parameters: dict[str, Any]) -> list[list[str]]:
    """Return conditions, one set per tier, that the index answers; a single empty set where it cannot help."""
    fast = reading.formula == NoisyOr() and reading.as_of is None
    if not fast or wanted.min_lower is None or wanted.min_lower < WORTH_AN_INDEX:
        return [[]]
    found = []
    for tier, (bucket, key) in places_from(wanted.min_lower, reading.now).items():
        if not wanted.tiers or tier in wanted.tiers:
            parameters[f"key_{tier}"] = key
            buckets = ", ".join(map(str, range(bucket, BUCKETS + 1)))
            found.append([f"c.tier = '{tier}'", f"c.bucket IN ({buckets})", f"c.decay_key >= :key_{tier}"])
    return found


def _conditions(  # noqa: C901 - one line for each thing that can be asked for
    wanted: Selection, dialect: str, status: str, *, past: bool
) -> tuple[list[str], dict[str, Any]]:
    """Return what has to hold of a claim whatever its interval."""
    conditions: list[str] = []
    parameters: dict[str, Any] = {}
    for name in ("subject", "predicate", "object"):
        if getattr(wanted, name) is not None:
            conditions.append(f"c.{name} = :{name}")
            parameters[name] = getattr(wanted, name)
    if wanted.text is not None and wanted.text.strip():
        conditions.append(_text_condition(dialect))
        parameters["text"] = _text_query(wanted.text) if dialect == "sqlite" else wanted.text
    if wanted.namespace is not None:
        conditions.append(_namespace(wanted.namespace, parameters))
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
    """Return the condition for some keys. It has few lengths: a query that is new takes longer to plan than to run."""
    size = next(size for size in (1, 8, 64, 512) if len(keys) <= size)
    parameters |= {f"among_{number}": keys[min(number, len(keys) - 1)] for number in range(size)}
    return f"c.key IN ({', '.join(f':among_{number}' for number in range(size))})"


def _listed(words: tuple[str, ...]) -> str:
    """Write words of ours as an SQL list. They come from a closed set, never from outside."""
    return ", ".join(f"'{word}'" for word in words)


def _text_condition(dialect: str) -> str:
    if dialect == "sqlite":
        return "c.key IN (SELECT rowid FROM claims_text WHERE claims_text MATCH :text)"
    return "to_tsvector('simple', c.statement) @@ plainto_tsquery('simple', :text)"


def _text_query(text: str) -> str:
    """Return a search for all words of a text, whatever signs of the query language are in it."""
    return " ".join('"' + word.replace('"', '""') + '"' for word in text.split())


def _namespace(pattern: str, parameters: dict[str, Any]) -> str:
    """Return the condition for `a/b`, `a/b/*` or `a/b/*/1`."""
    base, star, depth = pattern.partition("/*")
    if pattern == "*" or pattern.startswith("*/"):
        base, star, depth = "", "*", pattern[1:]
    if not star:
        parameters["namespace"] = pattern
        return "c.namespace = :namespace"
    if depth and not (depth.startswith("/") and depth[1:].isdecimal() and len(depth) <= 4):  # noqa: PLR2004
        raise InputError(f"{pattern!r} is no namespace pattern", field="namespace", hint="a/b, a/b/* or a/b/*/1")
    below = "1 = 1"
    if base:
        parameters |= {"namespace": base, "below": base + "/", "beyond": base + "0"}  # 0 comes right after /
        below = "(c.namespace = :namespace OR (c.namespace >= :below AND c.namespace < :beyond))"
    if not depth:
        return below
    levels = "LENGTH(c.namespace) - LENGTH(REPLACE(c.namespace, '/', ''))"
    parameters["levels"] = int(depth[1:]) + (base.count("/") if base else -1)
    return f"({below} AND {levels} <= :levels)"


def _bounds(wanted: Selection, parameters: dict[str, Any]) -> list[str]:
    """Return what has to hold of an interval."""
    columns = {"lower": "s.lower", "upper": "s.upper", "width": "(s.upper - s.lower)"}
    found = []
    for field in fields(wanted):
        side, _, name = field.name.partition("_")
        value = getattr(wanted, field.name)
        if side in ("min", "max") and value is not None:
            found.append(f"{columns[name]} {'>=' if side == 'min' else '<='} :{field.name}")
            parameters[field.name] = value - TOLERANCE if side == "min" else value + TOLERANCE
    if wanted.wide:
        found.append(_WIDE)
    if wanted.unverified:
        found.append(_UNVERIFIED)
    return found
