"""Columns that are stored beside each claim to make reading fast: folds over its sources, and its index entry.

None of them changes with time; intervals do, and are never stored.
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
"""Ranges of the ceiling that the index tells apart."""
ENDLESS = 1e300
"""Decay key of a claim that never becomes stale."""
DEFAULT_FORMULA = NoisyOr()
"""The formula whose lower bound the index is about: see `lower_bound_index`."""
HALF_LIVES = HalfLives()


class DenormalizedColumns(NamedTuple):
    """The denormalized columns of a claim."""

    sources: int
    """Number of independent sources."""
    source_types: float
    """Number of different types of source."""
    doubt: float
    strongest: float
    contributions: float
    source_odds: float
    bucket: int
    """Range of the ceiling: the default formula's lower bound before age and neighbours."""
    decay_key: float
    """log2 of the ceiling plus the stale date in half-lives."""


def denormalized_columns(sources: tuple[Source, ...], tier: Tier, stale_at: float | None) -> DenormalizedColumns:
    """Compute the denormalized columns of a new claim."""
    best = best_by_source(sources)
    numbers = [max(contribution, TINIEST) for contribution in best.values()]
    types = float(len({kind for kind, _ in best}))
    doubt, strongest, contributions, odds = (by(numbers) for by in CACHED.values())
    bucket, key = index_key(types, strongest, tier, stale_at, derived=False)
    return DenormalizedColumns(len(best), types, doubt, strongest, contributions, odds, bucket, key)


def index_key(
    source_types: float, strongest: float, tier: Tier, stale_at: float | None, *, derived: bool
) -> tuple[int, float]:
    """Return the bucket and decay key of a claim: log2 of its ceiling plus its stale date in half-lives.

    A derived claim may have a higher lower bound than its own sources give, so its entry always matches.
    """
    if derived:
        return BUCKETS, ENDLESS
    row = Row(0.0, strongest, source_types, half_lives=0.0, support=0.0, contradiction=0.0, trust=1.0)
    ceiling = DEFAULT_FORMULA.formula(row, FLOATS).lower
    if ceiling <= 0.0:
        return 0, -ENDLESS
    age = ENDLESS if stale_at is None else stale_at / HALF_LIVES.of(tier)
    return int(ceiling * BUCKETS), math.log2(ceiling) + age


def has_invalidations(transaction: Transaction) -> bool:
    """Say whether any source is invalidated."""
    return bool(transaction.value("SELECT 1 FROM invalidations WHERE until IS NULL LIMIT 1"))


def refresh(transaction: Transaction, key: int) -> None:
    """Compute the denormalized columns of a claim again, after its sources, tier or depth have changed."""
    dialect = transaction.dialect
    folds = ", ".join(fold(by, "i.c", dialect) for by in CACHED.values())
    rows = independent_sql("s.claim = :key", dialect, all_valid=not has_invalidations(transaction))
    query = f"SELECT COUNT(*), COUNT(DISTINCT i.source_type), {folds} FROM ({rows}) AS i"
    folded = transaction.one(query, {"key": key})
    claim = transaction.one("SELECT tier, stale_at, depth FROM claims WHERE key = ?", [key])
    if folded is None or claim is None:
        return
    count, types, *numbers = folded
    tier, stale_at, depth = claim
    bucket, decay_key = index_key(float(types), numbers[1], tier, stale_at, derived=depth > 0)
    columns = ", ".join(f"{column} = ?" for column in DenormalizedColumns._fields)
    values = [count, float(types), *numbers, bucket, decay_key, key]
    transaction.run(f"UPDATE claims SET {columns} WHERE key = ?", values)


def fold_in(transaction: Transaction, key: int, sources: list[Source]) -> None:
    """Add new sources to the folds of a claim, without reading those it has. Call it before they are inserted."""
    names = ", ".join(CACHED)
    claim = transaction.one(
        f"SELECT tier, stale_at, depth, sources, source_types, {names} FROM claims WHERE key = ?", [key]
    )
    counted = [source for source in sources if source.contribution]
    if claim is None or not counted:
        return
    tier, stale_at, depth, count, types, *folds = claim
    there = "SELECT 1 FROM sources s WHERE s.claim = ? AND s.source_type = ? AND s.contribution > 0"
    if has_invalidations(transaction):
        there += (
            " AND NOT EXISTS (SELECT 1 FROM invalidations v WHERE v.source_type = s.source_type "
            "AND v.source_id = s.source_id AND v.until IS NULL)"
        )
    there += " LIMIT 1"
    types += sum(not transaction.value(there, [key, kind]) for kind in {source.source_type for source in counted})
    numbers = [max(source.contribution or 0.0, TINIEST) for source in counted]
    folds = [by.together(before, by(numbers)) for by, before in zip(CACHED.values(), folds, strict=True)]
    bucket, decay_key = index_key(types, folds[1], tier, stale_at, derived=depth > 0)
    changes = ", ".join(f"{column} = ?" for column in DenormalizedColumns._fields)
    values = [count + len(counted), types, *folds, bucket, decay_key, key]
    transaction.run(f"UPDATE claims SET {changes} WHERE key = ?", values)


def outdated_claims(transaction: Transaction) -> Iterator[tuple[int, str]]:
    """Yield key and id of claims whose columns do not match their sources. There should be none."""
    folds = ", ".join(f"{fold(by, 'i.c', transaction.dialect)} AS {column}" for column, by in CACHED.items())
    rows = independent_sql("1 = 1", transaction.dialect)
    counts = "COUNT(*) AS n, COUNT(DISTINCT i.source_type) AS t"
    counted = f"SELECT i.claim, {counts}, {folds} FROM ({rows}) AS i GROUP BY i.claim"
    columns = ", ".join(f"COALESCE(f.{column}, {by([])!r})" for column, by in CACHED.items())
    stored_columns = ", ".join(f"c.{column}" for column in DenormalizedColumns._fields)
    query = (
        f"SELECT c.key, c.id, c.tier, c.stale_at, c.depth, {stored_columns}, COALESCE(f.n, 0), COALESCE(f.t, 0), "
        f"{columns} FROM claims c LEFT JOIN ({counted}) AS f ON f.claim = c.key"
    )
    size = len(DenormalizedColumns._fields)
    for key, name, tier, stale_at, depth, *numbers in transaction.stream(query):
        stored, (count, types, *right) = numbers[:size], numbers[size:]
        entry = index_key(float(types), right[1], tier, stale_at, derived=depth > 0)
        if not all(map(_same, stored, (count, types, *right, *entry))):
            yield key, name


def _same(stored: float | None, right: float | None) -> bool:
    return stored is not None and right is not None and math.isclose(stored, right, rel_tol=1e-9, abs_tol=1e-12)
