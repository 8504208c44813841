"""Columns that are stored beside each claim to make reading fast: folds over its sources, and its index entry.

None of them changes with time; intervals do, and are never stored.
"""

import math
from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from typing import Any, Literal, NamedTuple

from howsure.errors import StoreError
from howsure.formulas.claim import Source, SourceNumbers, best_by_source
from howsure.formulas.decay import TIERS, HalfLives, Tier
from howsure.formulas.folds import CONTRIBUTION, Fold
from howsure.formulas.noisy_or import NoisyOr, Row
from howsure.formulas.ops import FLOATS
from howsure.formulas.reliability import Reliability
from howsure.formulas.reliability import Row as ReliabilityRow
from howsure.graph.sql import CACHED, TINIEST
from howsure.graph.sql import independent as independent_sql
from howsure.shapes import DAY
from howsure.sql.dialect import Dialect
from howsure.sql.statement import fold
from howsure.store.backends.claim_sum_triggers import NEVER_STALE
from howsure.store.backends.database import Transaction

_BATCH = 20_000
"""Claims that are folded again at once."""
BUCKETS = 32
"""Ranges of the ceiling that the index tells apart."""
ENDLESS = 1e300
"""Decay key of a claim that never becomes stale."""
DEFAULT_FORMULA = NoisyOr()
"""The formula whose lower bound the index is about: see `lower_bound_index`."""
RELIABILITY = Reliability()
"""The formula whose lower bound the second index is about; it has entries while sources have learned weights."""
HALF_LIVES = HalfLives()
_UNKNOWN = SourceNumbers(1.0)
_UNKNOWN_TERMS: dict[tuple[str, ...], float] = {
    by.of: by([tuple(getattr(_UNKNOWN, name) for name in by.of)]) for by in CACHED.values() if by.of != CONTRIBUTION
}
"""What one unknown source adds to each fold over learned numbers."""


_COUNT = (
    "INSERT INTO claim_sums (status, tier, stale_day, known, claims) VALUES (?, ?, ?, ?, ?) "
    "ON CONFLICT (status, tier, stale_day, known) DO UPDATE SET claims = claims + excluded.claims"
)


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
    evidence: float
    evidence_variance: float
    voices: float
    bucket: int
    """Range of the ceiling: the default formula's lower bound before age and neighbours."""
    decay_key: float
    """log2 of the ceiling plus the stale date in half-lives."""
    reliability_bucket: int | None
    """The same for the formula `reliability`; None as long as no source has a learned weight."""
    reliability_key: float | None


_ASSIGNMENTS = ", ".join(f"{column} = ?" for column in DenormalizedColumns._fields)


def denormalized_columns(sources: tuple[Source, ...], tier: Tier, stale_at: float | None) -> DenormalizedColumns:
    """Compute the denormalized columns of a new claim."""
    best = best_by_source(sources)
    folds = _fold_unknown(tuple(best.values()))
    types = float(len({kind for kind, _ in best}))
    bucket, key = index_key(types, folds[1], tier, stale_at, derived=False)
    return DenormalizedColumns._make((len(best), types, *folds, bucket, key, None, None))


@lru_cache(maxsize=4096)
def _fold_unknown(contributions: tuple[float, ...]) -> tuple[float, ...]:
    """Return the cached folds over sources of which nothing was learned. Few sets of contributions are in use."""
    numbers = [max(contribution, TINIEST) for contribution in contributions]
    return tuple(by(numbers) if by.of == CONTRIBUTION else _unknown_fold(by, len(numbers)) for by in CACHED.values())


def _unknown_fold(by: Fold, count: int) -> float:
    """Return a fold over learned numbers of so many unknown sources, which are all the same."""
    return count * _UNKNOWN_TERMS[by.of]


def index_key(
    source_types: float, strongest: float, tier: Tier, stale_at: float | None, *, derived: bool
) -> tuple[int, float]:
    """Return the bucket and decay key of a claim: log2 of its ceiling plus its stale date in half-lives.

    A derived claim may have a higher lower bound than its own sources give, so its entry always matches.
    """
    if derived:
        return BUCKETS, ENDLESS
    return _entry(_ceiling(source_types, strongest), tier, stale_at)


@lru_cache(maxsize=4096)
def _ceiling(source_types: float, strongest: float) -> float:
    row = Row(0.0, strongest, source_types, half_lives=0.0, support=0.0, contradiction=0.0, trust=1.0)
    return DEFAULT_FORMULA.formula(row, FLOATS).lower


def reliability_key(
    evidence: float, variance: float, voices: float, tier: Tier, stale_at: float | None, *, derived: bool
) -> tuple[int, float]:
    """Return the bucket and decay key of a claim in the index of the formula `reliability`."""
    if derived:
        return BUCKETS, ENDLESS
    row = ReliabilityRow(evidence, variance, voices, half_lives=0.0, support=0.0, rivals=0.0, trust=1.0)
    return _entry(RELIABILITY.formula(row, FLOATS).lower, tier, stale_at)


def _entry(ceiling: float, tier: Tier, stale_at: float | None) -> tuple[int, float]:
    if ceiling <= 0.0:
        return 0, -ENDLESS
    age = ENDLESS if stale_at is None else stale_at / HALF_LIVES.of(tier)
    return int(ceiling * BUCKETS), math.log2(ceiling) + age


def tally(transaction: Transaction, columns: str, rows: Sequence[Sequence[Any]]) -> None:
    """Add new claims of a SQLite store to its sums, given their columns and values."""
    status, tier, stale_at, sources = _places(columns)
    counts: dict[tuple[Any, ...], int] = {}
    for row in rows:
        day = NEVER_STALE if row[stale_at] is None else int(row[stale_at] / DAY)
        key = (row[status], row[tier], day, int(row[sources] > 0))
        counts[key] = counts.get(key, 0) + 1
    for key, count in counts.items():
        transaction.run(_COUNT, [*key, count])


@cache
def _places(columns: str) -> list[int]:
    return [columns.split(", ").index(name) for name in ("status", "tier", "stale_at", "sources")]


def has_invalidations(transaction: Transaction) -> bool:
    """Say whether any source is invalidated."""
    return bool(transaction.value("SELECT 1 FROM invalidations WHERE until IS NULL LIMIT 1"))


def has_weights(transaction: Transaction) -> bool:
    """Say whether anything was learned about a source."""
    return bool(transaction.value("SELECT 1 FROM source_weights LIMIT 1"))


@lru_cache(maxsize=32)
def _refresh_query(dialect: Dialect, *, all_valid: bool, weighed: bool) -> str:
    """Write the query of `refresh`. Writing takes longer than running: a fifth of the time of an import."""
    folds = ", ".join(fold(by, "i.c", dialect) for by in CACHED.values())
    learned: Literal["weights", "unknown"] = "weights" if weighed else "unknown"
    rows = independent_sql("s.claim = :key", dialect, all_valid=all_valid, learned=learned)
    return f"SELECT COUNT(*), COUNT(DISTINCT i.source_type), {folds} FROM ({rows}) AS i"


def refresh(transaction: Transaction, key: int) -> None:
    """Compute the denormalized columns of a claim again, after its sources, tier or depth have changed."""
    weighed = has_weights(transaction)
    query = _refresh_query(transaction.dialect, all_valid=not has_invalidations(transaction), weighed=weighed)
    folded = transaction.one(query, {"key": key})
    claim = transaction.one("SELECT tier, stale_at, depth FROM claims WHERE key = ?", [key])
    if folded is None or claim is None:
        return
    count, types, *numbers = folded
    tier, stale_at, depth = claim
    entries = _entries(float(types), numbers, tier, stale_at, derived=depth > 0, weighed=weighed)
    values = [count, float(types), *numbers, *entries, key]
    transaction.run(f"UPDATE claims SET {_ASSIGNMENTS} WHERE key = ?", values)


def _entries(
    types: float, folds: Sequence[float], tier: Tier, stale_at: float | None, *, derived: bool, weighed: bool
) -> tuple[int, float, int | None, float | None]:
    """Return the index entries of a claim, given its cached folds."""
    entry = index_key(types, folds[1], tier, stale_at, derived=derived)
    evidence, variance, voices = folds[4:7]
    learned = reliability_key(evidence, variance, voices, tier, stale_at, derived=derived) if weighed else (None, None)
    return *entry, *learned


class SourceState(NamedTuple):
    """What a store knows about sources beyond what they say."""

    invalidated: bool = False
    """Whether any source is invalidated."""
    weighed: bool = False
    """Whether anything was learned about a source."""


def refresh_new(transaction: Transaction, keys: Sequence[int], sources: Sequence[Sequence[Any]]) -> SourceState:
    """Compute the columns of new claims again where they were inserted as if nothing was known about their sources.

    `sources` are the rows of their sources: claim, position, type, id, ... Return what is known about any sources.
    """
    # One query for both, since each takes a round trip to PostgreSQL: invalidated sources, and whether any is weighed.
    query = (
        "SELECT source_type, source_id, 0 FROM invalidations WHERE until IS NULL "
        "UNION ALL SELECT '', '', 1 WHERE EXISTS (SELECT 1 FROM source_weights)"
    )
    special = set(transaction.rows(query))
    if not special:
        return SourceState()
    weighed = ("", "", 1) in special
    for key in keys if weighed else {source[0] for source in sources if (*source[2:4], 0) in special}:
        refresh(transaction, key)
    return SourceState(len(special) > weighed, weighed)


def fold_in(transaction: Transaction, key: int, sources: list[Source]) -> None:
    """Add new sources to the folds of a claim, without reading those it has. Call it before they are inserted.

    Only as long as no source has a learned weight: a source that copies from another changes what the other counts.
    """
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
    new = _fold_unknown(tuple(source.contribution or 0.0 for source in counted))
    folds = [by.together(*pair) for by, *pair in zip(CACHED.values(), folds, new, strict=True)]
    entries = _entries(types, folds, tier, stale_at, derived=depth > 0, weighed=False)
    values = [count + len(counted), types, *folds, *entries, key]
    transaction.run(f"UPDATE claims SET {_ASSIGNMENTS} WHERE key = ?", values)


def outdated_claims(transaction: Transaction) -> Iterator[tuple[int, str]]:
    """Yield key and id of claims whose columns do not match their sources. There should be none."""
    for key, name, stored, right in _folded_again(transaction):
        if not all(map(_same, stored, right)):
            yield key, name


def refresh_all(transaction: Transaction) -> None:
    """Compute the denormalized columns of all claims again, after what was learned about sources has changed."""
    last = int(transaction.value("SELECT MAX(key) FROM claims") or 0)
    for first in range(0, last + 1, _BATCH):
        changes = [
            (*right, key)
            for key, _, stored, right in _folded_again(transaction, (first, first + _BATCH - 1))
            if not all(map(_same, stored, right))
        ]
        transaction.many(f"UPDATE claims SET {_ASSIGNMENTS} WHERE key = ?", changes)


def _folded_again(
    transaction: Transaction, keys: tuple[int, int] | None = None
) -> Iterator[tuple[int, str, Sequence[Any], Sequence[Any]]]:
    """Yield key, id, stored columns and right columns of all claims, or of those with a key from first to last."""
    folds = ", ".join(f"{fold(by, 'i.c', transaction.dialect)} AS {column}" for column, by in CACHED.items())
    weighed = has_weights(transaction)
    some = "1 = 1" if keys is None else f"{{}} BETWEEN {keys[0]} AND {keys[1]}"
    rows = independent_sql(some.format("s.claim"), transaction.dialect, learned="weights" if weighed else "unknown")
    counts = "COUNT(*) AS n, COUNT(DISTINCT i.source_type) AS t"
    counted = f"SELECT i.claim, {counts}, {folds} FROM ({rows}) AS i GROUP BY i.claim"
    columns = ", ".join(f"COALESCE(f.{column}, {by([])!r})" for column, by in CACHED.items())
    stored_columns = ", ".join(f"c.{column}" for column in DenormalizedColumns._fields)
    query = (
        f"SELECT c.key, c.id, c.tier, c.stale_at, c.depth, {stored_columns}, COALESCE(f.n, 0), COALESCE(f.t, 0), "
        f"{columns} FROM claims c LEFT JOIN ({counted}) AS f ON f.claim = c.key WHERE {some.format('c.key')}"
    )
    size = len(DenormalizedColumns._fields)
    for key, name, tier, stale_at, depth, *numbers in transaction.stream(query):
        stored, (count, types, *right) = numbers[:size], numbers[size:]
        if tier not in TIERS:  # in a damaged file a column may hold anything
            raise StoreError(f"{name} has the unknown tier {tier!r}", hint="restore a backup: howsure store restore")
        entries = _entries(float(types), right, tier, stale_at, derived=depth > 0, weighed=weighed)
        yield key, name, stored, (count, float(types), *right, *entries)


def _same(stored: float | None, right: float | None) -> bool:
    if stored is None or right is None:
        return stored is right
    return math.isclose(stored, right, rel_tol=1e-9, abs_tol=1e-12)
