"""Inputs: the numbers that a formula needs of stored claims, folded, for somebody else to score."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Any, NamedTuple

from howsure.formulas.claim import ClaimFormula, Status
from howsure.formulas.decay import Tier
from howsure.formulas.folds import Fold
from howsure.graph.sql import IntervalQuery, ReadOptions, interval_query
from howsure.store.database import Transaction

AT_ONCE = 500
"""Claims that one query reads."""
_ABOUT = ("id", "tier", "status", "stale_at", "valid_from", "valid_until")


class Folded(NamedTuple):
    """A claim as numbers: what its formula needs of its sources and neighbours, and what it was derived from."""

    id: str
    tier: Tier
    status: Status
    stale_at: float | None
    valid_from: float | None
    valid_until: float | None
    inputs: dict[str, float]
    """The formula's row, less what the reader brings: age and trust."""
    constituents: tuple[int, ...]
    """Keys of the claims that it was derived from."""


def told(formula: ClaimFormula) -> tuple[str, ...]:
    """Return which numbers of a formula's row one store tells another; age and trust are the reader's own.

    >>> from howsure.formulas.beta import Beta
    >>> told(Beta())
    ('contributions', 'support', 'contradiction')
    """
    row = formula.folds()._asdict()
    return tuple(name for name, by in row.items() if isinstance(by, Fold) or by.name == "source_types")


def folded(transaction: Transaction, reading: ReadOptions, keys: Sequence[int], most: int) -> dict[int, Folded]:
    """Return claims, and all that they were derived from, by key. Beyond so many, what they rest on is left out."""
    derived = bool(transaction.value("SELECT 1 FROM claims WHERE depth > 0 LIMIT 1"))
    query = interval_query(reading.formula, transaction.dialect, derived=derived, past=reading.as_of is not None)
    found: dict[int, Folded] = {}
    waiting = dict.fromkeys(keys)
    while waiting:
        for some in _parts(waiting):
            found |= _read(transaction, reading, query, some)
        below = (key for read in list(found.values()) for key in read.constituents)
        waiting = dict.fromkeys(islice((key for key in below if key not in found), max(0, most - len(found))))
    return found


def _parts(keys: Iterable[int]) -> Iterator[list[int]]:
    rest = iter(keys)
    while some := list(islice(rest, AT_ONCE)):
        yield some


def _read(transaction: Transaction, reading: ReadOptions, query: IntervalQuery, keys: list[int]) -> dict[int, Folded]:
    chosen = f"SELECT c.key FROM claims c WHERE c.key IN ({', '.join(map(str, keys))})"
    parameters = reading.parameters()
    about_sql = f"SELECT c.key, {query.displayed(_ABOUT, 'c')} FROM claims c WHERE c.key IN ({chosen})"
    past = {} if reading.as_of is None else {"as_of": reading.as_of}
    about = {key: rest for key, *rest in transaction.rows(about_sql, past)}
    names, wanted = query.folds, told(reading.formula)
    found = {}
    for key, depth, *numbers in transaction.rows(query.rows(chosen), parameters):
        row = dict(zip(names, numbers, strict=True))
        inputs = {name: float(row[name]) for name in wanted}
        constituents = _constituents(transaction, query, key, past) if depth else ()
        found[key] = Folded._make([*about[key], inputs, constituents])
    return found


def _constituents(transaction: Transaction, query: IntervalQuery, key: int, past: dict[str, Any]) -> tuple[int, ...]:
    rows = transaction.rows(query.constituents("SELECT CAST(:key AS BIGINT)"), {"key": key} | past)
    return tuple(sorted({row[0] for row in rows}))
