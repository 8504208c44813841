"""The graph rules over arrays: claims in memory, scored by a compiled kernel or by numpy where numba is missing."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from howsure.errors import MissingExtraError
from howsure.formulas.claim import ClaimFormula, reads_weights
from howsure.formulas.decay import TIERS, half_lives
from howsure.formulas.derived import DEEPEST, Derived
from howsure.formulas.derived import Row as DerivedRow
from howsure.formulas.folds import CONTRIBUTION, SMALLEST_PRODUCT, Fold
from howsure.formulas.model import Model
from howsure.graph.sql import ReadOptions

try:
    import numpy as np

    from howsure.graph.compiler import compile_module, has_compiler, run_in_threads
    from howsure.graph.groups import LEARNED, Groups, SourceGroups, count_types, group_rows
    from howsure.graph.kernel import FormulaKernel
except ImportError as error:  # pragma: no cover - the development environment has numpy
    raise MissingExtraError("arrays", "scoring arrays") from error

RELATION_NUMBERS = {"supports": 1, "contradicts": 2, "derived_from": 3}
"""Number of each kind of relation that matters to intervals; others are 0."""
_PIECE = 1 << 20
"""Claims that are scored at once when the result is streamed."""


class Columns:
    """The operations of `Ops` on numpy columns."""

    @staticmethod
    def minimum(a: Any, b: Any, /) -> Any:
        """Return the smaller of two numbers, row by row."""
        return np.minimum(a, b)

    @staticmethod
    def maximum(a: Any, b: Any, /) -> Any:
        """Return the larger of two numbers, row by row."""
        return np.maximum(a, b)

    @staticmethod
    def power(base: Any, exponent: Any, /) -> Any:
        """Return the base raised to the exponent, row by row."""
        return np.power(base, exponent)

    @staticmethod
    def log(number: Any, /) -> Any:
        """Return the natural logarithm, row by row."""
        return np.log(number)

    @staticmethod
    def where(condition: Any, yes: Any, no: Any, /) -> Any:
        """Return `yes` where the condition holds, else `no`, row by row."""
        return np.where(condition, yes, no)


COLUMNS = Columns()
"""Operations that evaluate a formula on whole columns."""


def score_rows(model: Model[Any], row: Any) -> Any:
    """Return every step of a model's formula for columns of rows, each step a column of the same length.

    >>> from howsure.formulas.derived import Derived, Row
    >>> score_rows(Derived(), Row([0.75, 0.5], [0.9, 0.9], [0.6, 0.2], [0.2, 0.1])).upper.tolist()
    [0.75, 0.5]
    """
    columns = row._make(np.asarray(column, dtype=np.float64) for column in row)
    shape = np.broadcast_shapes(*(column.shape for column in columns))
    steps = model.formula(columns, COLUMNS)
    return steps._make(np.broadcast_to(step, shape) for step in steps)


@dataclass(frozen=True)
class RelationGroups:
    """Relations grouped by the claim that they act on."""

    supports: Groups
    contradictions: Groups
    derivations: Groups | None
    """Constituents of each claim; None if no claim is derived."""
    depths: Any
    """Depth of each claim: the longest chain of derivations below it. None if no claim is derived."""


def group_relations(source: Any, target: Any, kind: Any, strength: Any, size: int) -> RelationGroups:
    """Group relations between numbered claims; a claim number below 0 is unknown, and its relations are left out.

    A support acts on its target, a contradiction on both ends; a pair counts once, at its highest strength.
    """
    supports, contradicts, derived = (kind == number for number in RELATION_NUMBERS.values())
    derivations = group_rows(source, target, strength, size, mask=derived) if derived.any() else None
    if derivations is not None and not len(derivations.others):
        derivations = None
    return RelationGroups(
        supports=group_rows(target, source, strength, size, mask=supports),
        contradictions=group_rows(target, source, strength, size, mask=contradicts, both=True),
        derivations=derivations,
        depths=None if derivations is None else derivation_depths(derivations),
    )


def derivation_depths(derivations: Groups) -> Any:
    """Return the depth of each claim; DEEPEST + 1 for chains that are too long, or closed."""
    size = len(derivations.starts) - 1
    owners = np.repeat(np.arange(size), derivations.sizes())
    depths = np.zeros(size, np.int64)
    level = np.ones(size, bool)
    for depth in range(1, DEEPEST + 2):
        deeper = np.zeros(size, bool)
        deeper[owners[level[derivations.others]]] = True
        depths[deeper] = depth
        level = deeper
    return depths


@dataclass(frozen=True)
class ClaimArrays:
    """Claims with their sources and relations, as arrays by the number of the claim."""

    ids: Any
    """Id of each claim, an Arrow array."""
    tiers: Any
    """Number of each claim's tier."""
    stale_at: Any
    """When each claim becomes stale; NaN for never."""
    active: Any
    """Whether each claim is active or challenged."""
    valid_from: Any
    """When each claim becomes valid; minus infinity if always. None if the table has no such column."""
    valid_until: Any
    """When each claim stops being valid; infinity if never. None if the table has no such column."""
    source_names: Any
    """Type and id of each source, an Arrow table."""
    type_of: Any
    """Number of each source's type."""
    inference: int
    """Number of the type `inference`; -1 if there is no such source."""
    sources: SourceGroups
    """Independent sources that count, by claim."""
    types: Any
    """How many types of source each claim has."""
    relations: RelationGroups
    inferred: Any = None
    """Whether each claim has a source of type `inference`, even one that contributes 0. None if no claim is derived."""

    def __len__(self) -> int:
        """Return the number of claims."""
        return len(self.tiers)

    @property
    def has_derived(self) -> bool:
        """Whether any claim is derived from others."""
        return self.relations.derivations is not None

    def counts(self, now: float) -> Any:
        """Return a mask of the claims that influence others: active or challenged, and valid."""
        mask = self.active
        if self.valid_from is not None:
            mask = mask & (self.valid_from <= now)
        return mask if self.valid_until is None else mask & (self.valid_until > now)

    def without_source(self, source: int) -> "ClaimArrays":
        """Return the same claims with one source left out."""
        sources = self.sources.filter(self.sources.rows.others != source)
        return replace(self, sources=sources, types=count_types(sources.rows, self.type_of))

    def derived_sources(self) -> tuple[Any, SourceGroups, Any]:
        """Return the derived claims, the sources by which each is assessed, and how many types these are of.

        A derived claim is assessed by its sources of type `inference` if it has any, else by all of its sources.
        """
        derived = np.flatnonzero(self.relations.depths > 0)
        own = self.sources.select(derived)
        by_inference = np.repeat(self.inferred[derived], own.rows.sizes())
        rows = own.filter(~by_inference | (self.type_of[own.rows.others] == self.inference))
        return derived, rows, count_types(rows.rows, self.type_of)


class Buffers:
    """Scratch arrays, reused by later passes: allocating fresh memory costs more than the arithmetic."""

    def __init__(self) -> None:
        """Start without arrays."""
        self._arrays: dict[str, Any] = {}

    def array(self, name: str, size: int) -> Any:
        """Return the array of that name and size; its content is arbitrary."""
        if len(self._arrays.get(name, ())) < size or name not in self._arrays:
            self._arrays[name] = np.empty(size)
        return self._arrays[name][:size]


def score_claims(
    claims: ClaimArrays, options: ReadOptions, wanted: list[str], buffers: Buffers | None = None
) -> dict[str, Any]:
    """Return the wanted row fields and steps of every claim, each as an array."""
    bounds = ["lower", "upper"] if claims.has_derived else []
    names = list(dict.fromkeys([*wanted, *bounds]))
    if has_compiler():
        columns = _score_compiled(claims, options, names, buffers or Buffers())
    else:
        columns = _score_by_columns(claims, options, names)
    if claims.has_derived:
        _bound_derived(claims, options, columns)
    return {name: columns[name] for name in wanted}


def score_in_pieces(
    claims: ClaimArrays, options: ReadOptions, wanted: list[str], buffers: Buffers, first: int, last: int
) -> Iterator[dict[str, Any]]:
    """Yield the wanted numbers of a range of claims piece by piece, so that the whole result is never in memory."""
    if not has_compiler() or claims.has_derived:  # derived claims need the intervals of all others first
        columns = score_claims(claims, options, wanted, buffers)
        yield {name: column[first:last] for name, column in columns.items()}
        return
    step = _prepare(claims, options, wanted, buffers)
    for start in range(first, last, _PIECE):
        end = min(start + _PIECE, last)
        out = {name: np.empty(end - start) for name in wanted}
        step(start, end, start, out)
        yield out


@lru_cache(maxsize=64)
def _kernel(formula: ClaimFormula, wanted: tuple[str, ...]) -> FormulaKernel:
    return FormulaKernel(formula, wanted)


def _half_life_by_tier(formula: ClaimFormula) -> Any:
    return np.array([getattr(formula.half_life, tier) for tier in TIERS])


def _score_compiled(claims: ClaimArrays, options: ReadOptions, wanted: list[str], buffers: Buffers) -> dict[str, Any]:
    step = _prepare(claims, options, wanted, buffers)
    out = {name: np.empty(len(claims)) for name in wanted}
    run_in_threads(step, len(claims), 0, out)
    return out


def _prepare(
    claims: ClaimArrays, options: ReadOptions, wanted: list[str], buffers: Buffers
) -> Callable[[int, int, int, Any], None]:
    """Fold the sources of all claims; return the function that scores a range of claims into output arrays."""
    size = len(claims)
    kernel = _kernel(options.formula, tuple(wanted))
    module = compile_module(kernel.text())
    constants = np.array(kernel.lending.constants)
    handed = (*kernel.age_arrays, *kernel.source_folds)
    numbers: dict[str, Any] = {name: buffers.array(name, size) for name in ("lends", *handed)}
    lives, counts = _half_life_by_tier(options.formula), claims.counts(options.now)

    def lend(sources: SourceGroups, types: Any, some: Any, out: dict[str, Any]) -> None:
        about = (claims.stale_at[some], claims.tiers[some], lives, counts[some])
        learned = sources.learned() if kernel.learned else ()
        rows = (sources.rows.starts, sources.rows.numbers, *learned, types, *out.values())
        run_in_threads(module.lend, len(types), constants, options.now, *about, *rows)

    lend(claims.sources, claims.types, slice(None), numbers)
    types = claims.types
    if claims.has_derived:
        derived, rows, derived_types = claims.derived_sources()
        some = {name: np.empty(len(derived)) for name in numbers}
        lend(rows, derived_types, derived, some)
        for name in kernel.source_folds:
            numbers[name][derived] = some[name]
        types = claims.types.copy()
        types[derived] = derived_types
    step_constants = np.array(kernel.stepping.constants)
    relations = claims.relations
    inputs = (options.trust, *relations.supports, *relations.contradictions, numbers["lends"], types)
    own = [numbers[name] for name in handed]

    def step(first: int, last: int, at: int, out: dict[str, Any]) -> None:
        module.step(first, last, step_constants, at, *inputs, *own, *out.values())

    return step


def _score_by_columns(claims: ClaimArrays, options: ReadOptions, wanted: list[str]) -> dict[str, Any]:
    """Score with numpy alone."""
    formula, folds = options.formula, options.formula.folds()
    stale = np.where(np.isnan(claims.stale_at), np.inf, claims.stale_at)
    ages: Any = half_lives(options.now, stale, _half_life_by_tier(formula)[claims.tiers], formula.oldest, COLUMNS)

    def row(sources: SourceGroups, types: Any, some: Any, lent: dict[str, tuple[Any, Any]]) -> Any:
        attributes = {"source_types": types, "half_lives": ages[some], "trust": options.trust if lent else 1.0}
        learned = dict(zip(LEARNED, sources.learned(), strict=True)) if reads_weights(folds) else None
        rows = {"sources": (sources.rows.starts, sources.rows.numbers, learned)} | lent
        return folds._make(
            (fold_groups(by, *rows[by.over]) if by.over in rows else by([]))
            if isinstance(by, Fold)
            else attributes[by.name]
            for by in folds
        )

    everything = slice(None)
    influence = score_rows(formula, row(claims.sources, claims.types, everything, {})).influence
    counts = claims.counts(options.now)
    lent = {}
    for name, groups in (("supports", claims.relations.supports), ("contradictions", claims.relations.contradictions)):
        counted = groups.filter(counts[groups.others])
        lent[name] = (counted.starts, influence[counted.others] * counted.numbers)
    full = row(claims.sources, claims.types, everything, lent)
    if claims.has_derived:
        derived, sources, derived_types = claims.derived_sources()
        assessed = row(sources, derived_types, derived, {})
        changed = {}
        for name, by in folds._asdict().items():
            if getattr(by, "over", "") == "sources" or getattr(by, "name", "") == "source_types":
                changed[name] = getattr(full, name).copy()
                changed[name][derived] = getattr(assessed, name)
        full = full._replace(**changed)
    columns = full._asdict() | score_rows(formula, full)._asdict()
    return {name: np.array(np.broadcast_to(columns[name], len(claims)), np.float64) for name in wanted}


def fold_groups(by: Fold, starts: Any, numbers: Any, learned: dict[str, Any] | None = None) -> Any:
    """Fold the rows of every claim into one number each; `learned` holds the learned numbers of each row by name."""
    folded = np.full(len(starts) - 1, by([]))
    some = np.diff(starts) > 0
    if not some.any():
        return folded
    read = (numbers,) if learned is None or by.of == CONTRIBUTION else [learned[name] for name in by.of]
    terms = np.broadcast_to(np.asarray(by.term(*read, COLUMNS), np.float64), numbers.shape)
    firsts = starts[:-1][some]
    if by.how == "sum":
        folded[some] = np.add.reduceat(terms, firsts)
    elif by.how == "largest":
        folded[some] = np.maximum.reduceat(terms, firsts)
    else:
        with np.errstate(under="ignore"):
            products = np.maximum(np.multiply.reduceat(terms, firsts), SMALLEST_PRODUCT)
        folded[some] = np.where(np.minimum.reduceat(terms, firsts) <= 0.0, 0.0, products)
    return folded


def _bound_derived(claims: ClaimArrays, options: ReadOptions, columns: dict[str, Any]) -> None:
    """Bound derived claims by their constituents, depth by depth. One that does not count is [0, 0]."""
    derivations, depths = claims.relations.derivations, claims.relations.depths
    if derivations is None:
        return
    counts = claims.counts(options.now)
    for depth in range(1, DEEPEST + 1):
        derived = np.flatnonzero(depths == depth)
        if not len(derived):
            return
        rows = derivations.select(derived)
        upper, lower = (np.where(counts[rows.others], columns[bound][rows.others], 0.0) for bound in ("upper", "lower"))
        firsts = rows.starts[:-1]
        row = DerivedRow(
            assessed_upper=columns["upper"][derived],
            highest_upper=np.maximum.reduceat(upper, firsts),
            lowest_lower=np.minimum.reduceat(lower, firsts),
            widest=np.maximum.reduceat(upper - lower, firsts),
        )
        steps = score_rows(Derived(), row)
        columns["lower"][derived], columns["upper"][derived] = steps.lower, steps.upper
