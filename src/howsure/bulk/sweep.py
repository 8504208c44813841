"""Sweeps: the same table under many formulas and parameters, and what would change."""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from itertools import product
from typing import Any, Literal, NamedTuple

from howsure.bulk.engines.base import Counts, Reading, Unknown
from howsure.bulk.reading import read_by, take
from howsure.errors import InputError, nearest
from howsure.formulas import catalog
from howsure.formulas.claim import ClaimFormula
from howsure.formulas.ops import at_least
from howsure.progress import Progress, silent
from howsure.shapes import Count, Unit, decode_as

BINS = 20
"""Bars of a histogram."""


@dataclass(frozen=True)
class Variant:
    """One way to read the table, and what it would change against the first."""

    name: str
    """The formula, and the parameters that differ."""
    above: int
    """Claims whose bound reaches the threshold."""
    up: int
    """Claims that reach it now, and did not by the first reading."""
    down: int
    """Claims that no longer reach it."""
    mean: float
    """Mean of the bound over all claims."""
    moved: float
    """Mean distance by which the bound moved."""
    furthest: float
    """Largest distance by which the bound of a claim moved."""
    histogram: tuple[int, ...]
    """Claims by their bound, in twenty bins from 0 to 1."""


@dataclass(frozen=True)
class Weight:
    """How much a source matters: what would change if it counted for nothing."""

    source: str
    """Its type and id."""
    claims: int
    """Claims that it speaks for."""
    down: int
    """Claims that would no longer reach the threshold."""
    up: int
    """Claims that would, because what it supported contradicted them."""
    moved: float
    """Mean distance by which the bound of all claims would move."""


@dataclass(frozen=True)
class Sweep:
    """What would change."""

    claims: int
    threshold: float
    bound: str
    variants: tuple[Variant, ...]
    """The first is what the others are compared with."""
    sources: tuple[Weight, ...]
    """Of the sources that speak most, those that matter most first."""
    counts: Counts
    now: float
    loading: float
    """Seconds for reading the tables, once."""
    scoring: float
    """Seconds for all that followed."""

    def as_dict(self) -> dict[str, Any]:
        """Return it as JSON-ready data."""
        return asdict(self)

    def picture(self) -> str:
        """Return it as an SVG picture."""
        from howsure.charts.sweep import picture

        return picture(self)


class _Named(NamedTuple):
    name: str
    formula: ClaimFormula


def sweep(
    claims: Any,
    *,
    evidence: Any = None,
    relations: Any = None,
    formulas: Sequence[str | ClaimFormula] = (catalog.DEFAULT_FORMULA,),
    parameters: Mapping[str, Any] | None = None,
    vary: Mapping[str, Sequence[Any]] | None = None,
    threshold: float = 0.7,
    bound: Literal["lower", "upper"] = "lower",
    sources: int = 10,
    now: float | None = None,
    as_of: float | None = None,
    trust: float = 1.0,
    unknown: Unknown = "report",
    memory: str | None = None,
    temp: str | None = None,
    progress: Progress = silent,
    clock: Callable[[], float] = time.time,
) -> Sweep:
    """Score a table of claims by several formulas, and by every combination of the parameters to vary.

    The tables are read once and kept as arrays. The first formula, with nothing varied, is what the rest is compared
    with. `sources` says of how many sources, of those that speak most, it is found out how much each of them matters.
    """
    from howsure.bulk.engines.arrays import Arrays

    variants = list(_variants(formulas, dict(parameters or {}), dict(vary or {})))
    limit = decode_as(Unit, threshold, "threshold")
    of = decode_as(Literal["lower", "upper"], bound, "bound")
    first = read_by(variants[0].formula, None, now, as_of, trust, clock)
    given = take(claims, evidence, relations, as_of, unknown, progress)
    wanted = int(decode_as(Count, sources, "sources"))
    started = time.perf_counter()
    arrays = Arrays(memory, temp)
    try:
        counts = arrays.load(given)
        loaded = time.perf_counter()
        survey = _Survey(arrays.held, first, of, limit)
        found = []
        for number, variant in enumerate(variants):
            progress(f"scoring by {variant.name}", number, len(variants))
            found.append(survey.variant(variant))
        weights = survey.weights(wanted, progress)
    finally:
        arrays.close()
    return Sweep(
        claims=len(survey.held),
        threshold=limit,
        bound=of,
        variants=tuple(found),
        sources=weights,
        counts=counts,
        now=first.now,
        loading=loaded - started,
        scoring=time.perf_counter() - loaded,
    )


def _variants(formulas: Sequence[Any], parameters: dict[str, Any], vary: dict[str, Sequence[Any]]) -> Iterator[_Named]:
    """Give each formula with its own of the parameters, then with every combination of those to vary."""
    names = [name for given in formulas for name in (catalog.formulas() if given == "all" else [given])]
    if not names:
        raise InputError("there is no formula to score by", field="formulas")
    classes = {name: catalog.find(name) if isinstance(name, str) else type(name) for name in dict.fromkeys(names)}
    known = {field.name for kind in classes.values() for field in fields(kind)}  # type: ignore[arg-type]
    for name in (*parameters, *vary):
        if name.partition(".")[0] not in known:
            raise InputError(f"there is no parameter {name!r}", field="vary", hint=nearest(name, known))
    for name, kind in classes.items():
        own = {field.name for field in fields(kind)}  # type: ignore[arg-type]
        fixed = {key: value for key, value in parameters.items() if key.partition(".")[0] in own}
        base = _built(name, fixed)
        yield _Named(base.name, base)
        varied = {key: values for key, values in vary.items() if key.partition(".")[0] in own}
        for combination in product(*varied.values()) if varied else ():
            changed = dict(zip(varied, combination, strict=True))
            label = ", ".join(
                f"{key} {value:g}" if isinstance(value, float) else f"{key} {value}" for key, value in changed.items()
            )
            yield _Named(f"{base.name}, {label}", _built(base, changed))


def _built(formula: str | ClaimFormula, changes: Mapping[str, Any]) -> ClaimFormula:
    return read_by(formula, changes, 0.0, None, 1.0).formula


class _Survey:
    """Readings of the same arrays, compared with the first of them."""

    def __init__(self, held: Any, first: Reading, bound: str, threshold: float) -> None:
        self.held = held
        self.first = first
        self.bound = bound
        self.threshold = threshold
        self.base: Any = None
        self.room: Any = None

    def _score(self, held: Any, formula: ClaimFormula) -> Any:
        from howsure.bulk.passes import Room, passes

        self.room = self.room or Room()
        return passes(held, replace(self.first, formula=formula), [self.bound], self.room)[self.bound]

    def variant(self, named: _Named) -> Variant:
        """Return what one reading makes of the table."""
        import numpy as np

        found = self._score(self.held, named.formula)
        if self.base is None:
            self.base = found
        up, down, moved, furthest = self._compared(found)
        return Variant(
            name=named.name,
            above=int(np.count_nonzero(at_least(found, self.threshold))),
            up=up,
            down=down,
            mean=float(found.mean()) if len(found) else 0.0,
            moved=moved,
            furthest=furthest,
            histogram=tuple(int(n) for n in np.histogram(found, BINS, (0.0, 1.0))[0]),
        )

    def _compared(self, found: Any) -> tuple[int, int, float, float]:
        import numpy as np

        before, after = at_least(self.base, self.threshold), at_least(found, self.threshold)
        distances = np.abs(found - self.base)
        mean, furthest = (float(distances.mean()), float(distances.max())) if len(found) else (0.0, 0.0)
        return int(np.count_nonzero(after & ~before)), int(np.count_nonzero(before & ~after)), mean, furthest

    def weights(self, most: int, progress: Progress) -> tuple[Weight, ...]:
        """Return how much the sources matter that speak most, by what would change without each."""
        import numpy as np

        said = np.bincount(self.held.sources.others, self.held.sources.numbers, len(self.held.type_of))
        counted = np.bincount(self.held.sources.others, minlength=len(self.held.type_of))
        loudest = [int(n) for n in np.argsort(-said, kind="stable")[:most] if counted[n]]
        found = []
        for number, source in enumerate(loudest):
            names = self.held.names.slice(source, 1).to_pylist()[0]
            name = f"{names['source_type']}:{names['source_id']}"
            progress(f"without {name}", number, len(loudest))
            up, down, moved, _ = self._compared(self._score(self.held.without(source), self.first.formula))
            found.append(Weight(name, int(counted[source]), down, up, moved))
        return tuple(sorted(found, key=lambda weight: -weight.moved))
