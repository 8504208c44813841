"""Score the same table by many formulas and parameters, and see what would change."""

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from itertools import product
from typing import TYPE_CHECKING, Any, NamedTuple

from howsure.bulk.engines.base import Counts, Tables
from howsure.errors import InputError, nearest
from howsure.formulas import catalog
from howsure.formulas.claim import ClaimFormula
from howsure.formulas.ops import at_least
from howsure.formulas.scoring import with_parameters
from howsure.graph.sql import ReadOptions
from howsure.progress import Progress
from howsure.settings import Settings
from howsure.store.session import claim_formula

if TYPE_CHECKING:
    from howsure.graph.arrays import ClaimArrays

BINS = 20
"""Bins of a histogram."""


@dataclass(frozen=True)
class Variant:
    """One formula with its parameters, compared with the first."""

    name: str
    """The formula, and the parameters that were varied."""
    above: int
    """Claims whose bound reaches the threshold."""
    up: int
    """Claims that reach it, but do not by the first variant."""
    down: int
    """Claims that do not reach it, but do by the first variant."""
    mean: float
    """Mean bound of all claims."""
    moved: float
    """Mean distance between the bounds by this and by the first variant."""
    furthest: float
    """Largest such distance of a single claim."""
    histogram: tuple[int, ...]
    """Number of claims by their bound, in twenty bins from 0 to 1."""


@dataclass(frozen=True)
class SourceImpact:
    """What would change if a source were left out."""

    source: str
    """Its type and id."""
    claims: int
    """Claims that it is a source of."""
    down: int
    """Claims that would no longer reach the threshold."""
    up: int
    """Claims that would reach it, because a claim that contradicts them would be weaker."""
    moved: float
    """Mean distance by which the bounds of all claims would move."""


@dataclass(frozen=True)
class Sweep:
    """The result of a sweep."""

    claims: int
    """How many claims were scored."""
    threshold: float
    """The bound that a claim must reach."""
    bound: str
    """Which bound must reach it: lower or upper."""
    variants: tuple[Variant, ...]
    """The first is the one that the others are compared with."""
    sources: tuple[SourceImpact, ...]
    """Of the sources that contribute most, the impact of each, largest first."""
    counts: Counts
    """How many rows the tables have, and how many refer to unknown claims."""
    now: float
    """The moment to which the claims were aged."""
    loading: float
    """Seconds for reading the tables."""
    scoring: float
    """Seconds for scoring them by all variants."""


class NamedFormula(NamedTuple):
    """A formula with the name of its variant."""

    name: str
    formula: ClaimFormula


def sweep_variants(
    formulas: Sequence[str | ClaimFormula],
    parameters: dict[str, Any],
    vary: dict[str, Sequence[Any]],
    settings: Settings | None = None,
) -> list[NamedFormula]:
    """Return each formula with those parameters that it has, and with every combination of the varied ones.

    Raises:
        InputError: if there is no formula, or no formula has one of the parameters.
    """
    chosen = [name for formula in formulas for name in (catalog.formulas() if formula == "all" else [formula])]
    if not chosen:
        raise InputError("no formulas given", field="formulas")
    classes = {name: catalog.find(name) if isinstance(name, str) else type(name) for name in dict.fromkeys(chosen)}
    known = {field.name for kind in classes.values() for field in fields(kind)}  # type: ignore[arg-type]
    for name in (*parameters, *vary):
        if name.partition(".")[0] not in known:
            raise InputError(f"unknown parameter {name!r}", field="vary", hint=nearest(name, known))
    named = {name: claim_formula(name, settings) if isinstance(name, str) else name for name in classes}
    return [variant for formula in named.values() for variant in _variants(formula, parameters, vary)]


def _variants(
    formula: ClaimFormula, parameters: dict[str, Any], vary: dict[str, Sequence[Any]]
) -> Iterator[NamedFormula]:
    own = {field.name for field in fields(formula)}
    fixed = {key: value for key, value in parameters.items() if key.partition(".")[0] in own}
    base = with_parameters(formula, fixed)
    yield NamedFormula(base.name, base)
    varied = {key: values for key, values in vary.items() if key.partition(".")[0] in own}
    for combination in product(*varied.values()) if varied else ():
        changes = dict(zip(varied, combination, strict=True))
        yield NamedFormula(f"{base.name}, {_label(changes)}", with_parameters(base, changes))


def _label(changes: Mapping[str, Any]) -> str:
    return ", ".join(
        f"{key} {value:g}" if isinstance(value, float) else f"{key} {value}" for key, value in changes.items()
    )


def run_sweep(
    tables: Tables,
    options: ReadOptions,
    variants: Sequence[NamedFormula],
    *,
    threshold: float,
    bound: str,
    leave_out: int,
    memory: str | None = None,
    temp: str | None = None,
) -> Sweep:
    """Score tables by every variant, and by the first of them without each of the `leave_out` largest sources."""
    from howsure.bulk.engines.arrays import Arrays

    started = time.perf_counter()
    engine = Arrays(memory, temp)
    try:
        counts = engine.load(tables, options.as_of)
        loaded = time.perf_counter()
        comparison = _Comparison(engine.arrays, options, bound, threshold, engine.shown)
        results = []
        for number, variant in enumerate(variants):
            tables.progress(f"scoring by {variant.name}", number, len(variants))
            results.append(comparison.variant(variant))
        impacts = comparison.impacts(leave_out, tables.progress)
    finally:
        engine.close()
    return Sweep(
        claims=len(engine.arrays) if engine.shown is None else int(engine.shown.sum()),
        threshold=threshold,
        bound=bound,
        variants=tuple(results),
        sources=impacts,
        counts=counts,
        now=options.now,
        loading=loaded - started,
        scoring=time.perf_counter() - loaded,
    )


class _Comparison:
    """Compares the bounds of claims by several variants with those by the first."""

    def __init__(
        self, claims: "ClaimArrays", options: ReadOptions, bound: str, threshold: float, shown: Any = None
    ) -> None:
        from howsure.graph.arrays import Buffers

        self.claims = claims
        self.options = options
        self.bound = bound
        self.threshold = threshold
        self.shown = shown
        self.first: Any = None
        self.buffers = Buffers()

    def _bounds(self, claims: "ClaimArrays", formula: ClaimFormula) -> Any:
        from howsure.graph.arrays import score_claims

        options = replace(self.options, formula=formula)
        bounds = score_claims(claims, options, [self.bound], self.buffers)[self.bound]
        return bounds if self.shown is None else bounds[self.shown]

    def variant(self, named: NamedFormula) -> Variant:
        """Return the result by one variant."""
        import numpy as np

        bounds = self._bounds(self.claims, named.formula)
        if self.first is None:
            self.first = bounds
        up, down, moved, furthest = self._compare(bounds)
        return Variant(
            name=named.name,
            above=int(np.count_nonzero(at_least(bounds, self.threshold))),
            up=up,
            down=down,
            mean=float(bounds.mean()) if len(bounds) else 0.0,
            moved=moved,
            furthest=furthest,
            histogram=tuple(int(n) for n in np.histogram(bounds, BINS, (0.0, 1.0))[0]),
        )

    def _compare(self, bounds: Any) -> tuple[int, int, float, float]:
        """Return how many claims move above and below the threshold, and the mean and largest distance."""
        import numpy as np

        before, after = at_least(self.first, self.threshold), at_least(bounds, self.threshold)
        distances = np.abs(bounds - self.first)
        mean, furthest = (float(distances.mean()), float(distances.max())) if len(bounds) else (0.0, 0.0)
        return int(np.count_nonzero(after & ~before)), int(np.count_nonzero(before & ~after)), mean, furthest

    def impacts(self, most: int, progress: Progress) -> tuple[SourceImpact, ...]:
        """Return the impact of the sources with the largest sum of contributions, largest impact first."""
        import numpy as np

        sources, size = self.claims.sources, len(self.claims.type_of)
        contributed = np.bincount(sources.rows.others, sources.rows.numbers, size)
        counted = np.bincount(sources.rows.others, minlength=size)
        largest = [int(n) for n in np.argsort(-contributed, kind="stable")[:most] if counted[n]]
        impacts = []
        for number, source in enumerate(largest):
            row = self.claims.source_names.slice(source, 1).to_pylist()[0]
            name = f"{row['source_type']}:{row['source_id']}"
            progress(f"without {name}", number, len(largest))
            bounds = self._bounds(self.claims.without_source(source), self.options.formula)
            up, down, moved, _ = self._compare(bounds)
            impacts.append(SourceImpact(name, int(counted[source]), down, up, moved))
        return tuple(sorted(impacts, key=lambda impact: -impact.moved))
