"""The numbers that a formula needs of stored claims, folded over their sources, for another store to score."""

from collections.abc import Sequence
from itertools import islice
from typing import Any, NamedTuple

from howsure.chunks import in_chunks
from howsure.formulas.claim import ClaimFormula, Status
from howsure.formulas.decay import Tier
from howsure.formulas.folds import Fold
from howsure.graph.sql import IntervalQuery, ReadOptions
from howsure.store.backends.database import Transaction
from howsure.store.claim_tables.selection import ONE_KEY, query_for

BATCH = 500
"""Claims that one query reads."""
_COLUMNS = ("id", "tier", "status", "stale_at", "valid_from", "valid_until")


class FoldedClaim(NamedTuple):
    """A claim as numbers: what its formula needs of its sources and neighbours, and its constituents."""

    id: str
    tier: Tier
    status: Status
    stale_at: float | None
    valid_from: float | None
    valid_until: float | None
    inputs: dict[str, float]
    """The formula's row without age and trust, which the other store adds."""
    constituents: tuple[int, ...]
    """Keys of the claims that it is derived from."""


def shared_inputs(formula: ClaimFormula) -> tuple[str, ...]:
    """Return the numbers of a formula's row that one store sends to another: all but age and trust.

    >>> from howsure.formulas.beta import Beta
    >>> shared_inputs(Beta())
    ('contributions', 'support', 'contradiction')
    """
    row = formula.folds()._asdict()
    return tuple(name for name, by in row.items() if isinstance(by, Fold) or by.name == "source_types")


def fold_claims(
    transaction: Transaction, options: ReadOptions, keys: Sequence[int], limit: int
) -> dict[int, FoldedClaim]:
    """Return claims and everything they are derived from, by key, until `limit` claims are read."""
    query = query_for(transaction, options)
    claims: dict[int, FoldedClaim] = {}
    waiting = dict.fromkeys(keys)
    while waiting:
        for some in in_chunks(waiting, BATCH):
            claims |= _read(transaction, options, query, some)
        below = (key for claim in list(claims.values()) for key in claim.constituents)
        waiting = dict.fromkeys(islice((key for key in below if key not in claims), max(0, limit - len(claims))))
    return claims


def _read(
    transaction: Transaction, options: ReadOptions, query: IntervalQuery, keys: list[int]
) -> dict[int, FoldedClaim]:
    chosen = f"SELECT c.key FROM claims c WHERE c.key IN ({', '.join(map(str, keys))})"
    parameters = options.parameters()
    columns = f"SELECT c.key, {query.displayed(_COLUMNS, 'c')} FROM claims c WHERE c.key IN ({chosen})"
    past = {} if options.as_of is None else {"as_of": options.as_of}
    about = {key: rest for key, *rest in transaction.rows(columns, past)}
    names, shared = query.folds, shared_inputs(options.formula)
    claims = {}
    for key, depth, *numbers in transaction.rows(query.rows(chosen), parameters):
        row = dict(zip(names, numbers, strict=True))
        inputs = {name: float(row[name]) for name in shared}
        constituents = _constituents(transaction, query, key, past) if depth else ()
        claims[key] = FoldedClaim._make([*about[key], inputs, constituents])
    return claims


def _constituents(transaction: Transaction, query: IntervalQuery, key: int, past: dict[str, Any]) -> tuple[int, ...]:
    rows = transaction.rows(query.constituents(ONE_KEY), {"key": key} | past)
    return tuple(sorted({row[0] for row in rows}))
