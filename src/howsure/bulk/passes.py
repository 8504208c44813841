"""Passes over arrays: sources, what is lent, steps. By a compiled kernel, or by numpy where there is no compiler."""

from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Any

import numpy as np

from howsure.bulk.claim_arrays import Held
from howsure.bulk.compiled import available, compiled, shared
from howsure.bulk.csr import Grouped
from howsure.bulk.engines.base import Reading
from howsure.bulk.kernel import Fused
from howsure.bulk.numpy_ops import COLUMNS, score_rows
from howsure.formulas.claim import ClaimFormula
from howsure.formulas.decay import half_lives
from howsure.formulas.derived import Derived
from howsure.formulas.derived import Row as DerivedRow
from howsure.formulas.folds import SMALLEST_PRODUCT, Fold
from howsure.graph.python import DEEPEST

_PIECE = 1 << 20
"""Claims that are handed on at once."""


class Room:
    """Arrays for what is needed on the way, used again by the next pass: fresh memory costs more than arithmetic."""

    def __init__(self) -> None:
        """Start with none."""
        self._kept: dict[str, Any] = {}

    def array(self, name: str, size: int) -> Any:
        """Return an array of that name and size, with anything in it."""
        if len(self._kept.get(name, ())) < size or name not in self._kept:
            self._kept[name] = np.empty(size)
        return self._kept[name][:size]


def passes(held: Held, reading: Reading, wanted: list[str], room: Room | None = None) -> dict[str, Any]:
    """Return the wanted numbers of the row and steps of every claim, each as an array."""
    bounds = [] if held.derivations is None else ["lower", "upper"]
    names = list(dict.fromkeys([*wanted, *bounds]))
    found = _compiled(held, reading, names, room or Room()) if available() else _by_columns(held, reading, names)
    if held.derivations is not None:
        _bound(held, reading, found)
    return {name: found[name] for name in wanted}


@lru_cache(maxsize=64)
def _fused(formula: ClaimFormula, wanted: tuple[str, ...]) -> Fused:
    return Fused(formula, wanted)


def pieces(held: Held, reading: Reading, wanted: list[str], room: Room, first: int, last: int) -> Iterator[Any]:
    """Give the wanted numbers of a range of claims in pieces; nothing of it is ever in memory as a whole."""
    if not available() or held.derivations is not None:  # which are known only when all are
        found = passes(held, reading, wanted, room)
        yield {name: array[first:last] for name, array in found.items()}
        return
    step = _stepping(held, reading, wanted, room)
    for start in range(first, last, _PIECE):
        end = min(start + _PIECE, last)
        out = {name: np.empty(end - start) for name in wanted}
        step(start, end, start, out)
        yield out


def _compiled(held: Held, reading: Reading, wanted: list[str], room: Room) -> dict[str, Any]:
    step = _stepping(held, reading, wanted, room)
    out = {name: np.empty(len(held)) for name in wanted}
    shared(step, len(held), 0, out)
    return out


def _stepping(held: Held, reading: Reading, wanted: list[str], room: Room) -> Callable[[int, int, int, Any], None]:
    """Fold sources; return what folds what is lent and takes every step, for a range of claims, from some place on."""
    size = len(held)
    fused = _fused(reading.formula, tuple(wanted))
    module = compiled(fused.text())
    constants = np.array(fused.lending.constants)
    handed = (*fused.handed, *fused.kept)
    numbers: dict[str, Any] = {name: room.array(name, size) for name in ("lends", *handed)}

    def lend(sources: Grouped, types: Any, some: Any, out: dict[str, Any]) -> None:
        about = (held.stale_at[some], held.tiers[some], held.lives(reading), held.counts(reading.now)[some])
        rows = (sources.starts, sources.numbers, types, *out.values())
        shared(module.lend, len(types), constants, reading.now, *about, *rows)

    lend(held.sources, held.types, slice(None), numbers)
    types = held.types
    if held.derivations is not None:
        derived, rows, kinds = held.assessed()
        some = {name: np.empty(len(derived)) for name in numbers}
        lend(rows, kinds, derived, some)
        for name in fused.kept:
            numbers[name][derived] = some[name]
        types = held.types.copy()
        types[derived] = kinds
    last_constants = np.array(fused.stepping.constants)
    given = (reading.trust, *held.supports, *held.contradictions, numbers["lends"], types)
    own = [numbers[name] for name in handed]

    def step(first: int, last: int, at: int, out: dict[str, Any]) -> None:
        module.step(first, last, last_constants, at, *given, *own, *out.values())

    return step


def _by_columns(held: Held, reading: Reading, wanted: list[str]) -> dict[str, Any]:
    formula, folds = reading.formula, reading.formula.folds()
    stale = np.where(np.isnan(held.stale_at), np.inf, held.stale_at)
    ages: Any = half_lives(reading.now, stale, held.lives(reading)[held.tiers], formula.oldest, COLUMNS)

    def row(sources: Grouped, types: Any, some: Any, lent: dict[str, tuple[Any, Any]]) -> Any:
        given = {"source_types": types, "half_lives": ages[some], "trust": reading.trust if lent else 1.0}
        rows = {"sources": (sources.starts, sources.numbers)} | lent
        return folds._make(
            (folded(by, *rows[by.over]) if by.over in rows else by([])) if isinstance(by, Fold) else given[by.name]
            for by in folds
        )

    everything = slice(None)
    lends = score_rows(formula, row(held.sources, held.types, everything, {})).influence
    counts = held.counts(reading.now)
    lent = {}
    for name, rows in (("supports", held.supports), ("contradictions", held.contradictions)):
        kept = rows.only(counts[rows.others])
        lent[name] = (kept.starts, lends[kept.others] * kept.numbers)
    last = row(held.sources, held.types, everything, lent)
    if held.derivations is not None:
        derived, sources, kinds = held.assessed()
        of_them = row(sources, kinds, derived, {})
        changed = {}
        for name, by in folds._asdict().items():
            if getattr(by, "over", "") == "sources" or getattr(by, "name", "") == "source_types":
                changed[name] = getattr(last, name).copy()
                changed[name][derived] = getattr(of_them, name)
        last = last._replace(**changed)
    found = last._asdict() | score_rows(formula, last)._asdict()
    return {name: np.array(np.broadcast_to(found[name], len(held)), np.float64) for name in wanted}


def folded(by: Fold, starts: Any, numbers: Any) -> Any:
    """Fold the rows of every claim into one number each."""
    neutral = by([])
    found = np.full(len(starts) - 1, neutral)
    some = np.diff(starts) > 0
    if not some.any():
        return found
    terms = np.broadcast_to(np.asarray(by.term(numbers, COLUMNS), np.float64), numbers.shape)
    firsts = starts[:-1][some]
    if by.how == "sum":
        found[some] = np.add.reduceat(terms, firsts)
    elif by.how == "largest":
        found[some] = np.maximum.reduceat(terms, firsts)
    else:
        with np.errstate(under="ignore"):
            products = np.maximum(np.multiply.reduceat(terms, firsts), SMALLEST_PRODUCT)
        found[some] = np.where(np.minimum.reduceat(terms, firsts) <= 0.0, 0.0, products)
    return found


def _bound(held: Held, reading: Reading, found: dict[str, Any]) -> None:
    """Hold derived claims to what they rest on, from the first inferences on."""
    if held.derivations is None:
        return
    counts = held.counts(reading.now)
    for depth in range(1, DEEPEST + 1):
        claims = np.flatnonzero(held.depths == depth)
        if not len(claims):
            return
        rows = held.derivations.of(claims)
        upper, lower = (np.where(counts[rows.others], found[bound][rows.others], 0.0) for bound in ("upper", "lower"))
        firsts = rows.starts[:-1]
        row = DerivedRow(
            assessed_upper=found["upper"][claims],
            highest_upper=np.maximum.reduceat(upper, firsts),
            lowest_lower=np.minimum.reduceat(lower, firsts),
            widest=np.maximum.reduceat(upper - lower, firsts),
        )
        steps = score_rows(Derived(), row)
        found["lower"][claims], found["upper"][claims] = steps.lower, steps.upper
