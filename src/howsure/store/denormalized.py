"""What is kept beside each claim: folds over its sources, and where to look for it by its lower bound.

Folds do not change with time; intervals do, and are never kept.
"""

import math
from collections.abc import Iterator
from typing import NamedTuple

from howsure.formulas.claim import Source, best_by_source
from howsure.formulas.decay import HalfLives, Tier
from howsure.formulas.noisy_or import NoisyOr, Row
from howsure.formulas.ops import FLOATS
from howsure.graph.sql import CACHED, TINIEST
from howsure.graph.sql import independent as independent_sql
from howsure.sql.statement import fold
from howsure.store.database import Transaction

BUCKETS = 32
"""How many ranges of the ceiling the index tells apart."""
ENDLESS = 1e300
"""Decay key of a claim that never gets stale."""
_DEFAULT = NoisyOr()
_LIVES = HalfLives()


class Kept(NamedTuple):
    """The kept columns of a claim."""

    sources: int
    """How many independent sources there are."""
    source_types: float
    """How many different types of source."""
    doubt: float
    strongest: float
    contributions: float
    source_odds: float
    bucket: int
    """Range of the ceiling: the default formula's lower bound before age and neighbours."""
    decay_key: float
    """log2 of the ceiling plus the stale date in half-lives: no passing of time changes it."""


def kept(provenance: tuple[Source, ...], tier: Tier, stale_at: float | None) -> Kept:
    """Return what to keep of a new claim."""
    best = best_by_source(provenance)
    numbers = [max(contribution, TINIEST) for contribution in best.values()]
    types = float(len({kind for kind, _ in best}))
    doubt, strongest, contributions, odds = (by(numbers) for by in CACHED.values())
    bucket, key = _place(types, strongest, tier, stale_at, derived=False)
    return Kept(len(best), types, doubt, strongest, contributions, odds, bucket, key)


def _place(types: float, strongest: float, tier: Tier, stale_at: float | None, *, derived: bool) -> tuple[int, float]:
    """Return where the index finds a claim. A derived one can be surer than its own sources, so it is always found."""
    if derived:
        return BUCKETS, ENDLESS
    row = Row(0.0, strongest, types, half_lives=0.0, support=0.0, contradiction=0.0, trust=1.0)
    ceiling = _DEFAULT.formula(row, FLOATS).lower
    if ceiling <= 0.0:
        return 0, -ENDLESS
    age = ENDLESS if stale_at is None else stale_at / _LIVES.of(tier)
    return int(ceiling * BUCKETS), math.log2(ceiling) + age


def places_from(lower: float, now: float) -> dict[Tier, tuple[int, float]]:
    """Return, for each tier, the lowest bucket and decay key that a claim with such a lower bound can have now."""
    start = lower - 1e-9
    tiers: tuple[Tier, ...] = ("ephemeral", "task", "project", "persistent")
    # Of two large numbers that differ by little, the last digits are lost: stay on the safe side of them.
    return {
        tier: (int(start * BUCKETS), (math.log2(start) + now / _LIVES.of(tier)) - 1e-9 * abs(now / _LIVES.of(tier)))
        for tier in tiers
    }


def refresh(transaction: Transaction, key: int) -> None:
    """Fold the sources of a claim anew, after they have changed."""
    dialect = transaction.dialect
    folds = ", ".join(fold(by, "i.c", dialect) for by in CACHED.values())
    all_valid = transaction.value("SELECT 1 FROM invalidations WHERE until IS NULL LIMIT 1") is None
    rows = independent_sql("s.claim = :key", dialect, all_valid=all_valid)
    query = f"SELECT COUNT(*), COUNT(DISTINCT i.source_type), {folds} FROM ({rows}) AS i"
    found = transaction.one(query, {"key": key})
    about = transaction.one("SELECT tier, stale_at, depth FROM claims WHERE key = ?", [key])
    if found is None or about is None:
        return
    count, types, *numbers = found
    tier, stale_at, depth = about
    bucket, decay_key = _place(float(types), numbers[1], tier, stale_at, derived=depth > 0)
    columns = ", ".join(f"{column} = ?" for column in Kept._fields)
    values = [count, float(types), *numbers, bucket, decay_key, key]
    transaction.run(f"UPDATE claims SET {columns} WHERE key = ?", values)


def fold_in(transaction: Transaction, key: int, sources: list[Source]) -> None:
    """Add new sources of a claim to its folds, however many there are already. Call it before they are written."""
    columns = ", ".join(CACHED)
    found = transaction.one(
        f"SELECT tier, stale_at, depth, sources, source_types, {columns} FROM claims WHERE key = ?", [key]
    )
    counted = [source for source in sources if source.contribution]
    if found is None or not counted:
        return
    tier, stale_at, depth, count, types, *folds = found
    there = "SELECT 1 FROM sources s WHERE s.claim = ? AND s.source_type = ? AND s.contribution > 0"
    if transaction.value("SELECT 1 FROM invalidations WHERE until IS NULL LIMIT 1"):
        there += (
            " AND NOT EXISTS (SELECT 1 FROM invalidations v WHERE v.source_type = s.source_type "
            "AND v.source_id = s.source_id AND v.until IS NULL)"
        )
    there += " LIMIT 1"
    types += sum(not transaction.value(there, [key, kind]) for kind in {source.source_type for source in counted})
    numbers = [max(source.contribution or 0.0, TINIEST) for source in counted]
    folds = [by.together(before, by(numbers)) for by, before in zip(CACHED.values(), folds, strict=True)]
    bucket, decay_key = _place(types, folds[1], tier, stale_at, derived=depth > 0)
    changes = ", ".join(f"{column} = ?" for column in Kept._fields)
    values = [count + len(counted), types, *folds, bucket, decay_key, key]
    transaction.run(f"UPDATE claims SET {changes} WHERE key = ?", values)


def out_of_step(transaction: Transaction) -> Iterator[tuple[int, str]]:
    """Give key and id of claims whose kept columns are not what their sources say. There should be none."""
    folds = ", ".join(f"{fold(by, 'i.c', transaction.dialect)} AS {column}" for column, by in CACHED.items())
    rows = independent_sql("1 = 1", transaction.dialect)
    counts = "COUNT(*) AS n, COUNT(DISTINCT i.source_type) AS t"
    counted = f"SELECT i.claim, {counts}, {folds} FROM ({rows}) AS i GROUP BY i.claim"
    columns = ", ".join(f"COALESCE(f.{column}, {by([])!r})" for column, by in CACHED.items())
    kept_columns = ", ".join(f"c.{column}" for column in Kept._fields)
    query = (
        f"SELECT c.key, c.id, c.tier, c.stale_at, c.depth, {kept_columns}, COALESCE(f.n, 0), COALESCE(f.t, 0), "
        f"{columns} FROM claims c LEFT JOIN ({counted}) AS f ON f.claim = c.key"
    )
    size = len(Kept._fields)
    for key, name, tier, stale_at, depth, *numbers in transaction.stream(query):
        there, (count, types, *found) = numbers[:size], numbers[size:]
        place = _place(float(types), found[1], tier, stale_at, derived=depth > 0)
        right = (count, types, *found, *place)
        if not all(map(_same, there, right)):
            yield key, name


def _same(there: float | None, right: float | None) -> bool:
    return there is not None and right is not None and math.isclose(there, right, rel_tol=1e-9, abs_tol=1e-12)
