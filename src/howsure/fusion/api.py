"""Implement `howsure.fuse`: estimate the reliability of sources and the probability of values from a table of votes."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from howsure.arrays import np
from howsure.errors import InputError, nearest, shown
from howsure.fusion.answers import collect_answers
from howsure.fusion.kinds import ValueKind, choose_kind
from howsure.fusion.output import arrow_table
from howsure.fusion.source_fit import add_verified, describe_closed, describe_open, mark_known
from howsure.fusion.votes import Column, read_verified, read_votes
from howsure.progress import Progress, silent
from howsure.wording import pluralize

if TYPE_CHECKING:
    from howsure.arrays import Floats, Ints
    from howsure.fusion.source_fit import SourceFit


KINDS = ("auto", "open", "closed")


class FusedValue(NamedTuple):
    """A value that was given for an item, with its probability."""

    item: Any
    value: Any
    probability: float
    lower: float
    upper: float


class FusedSource(NamedTuple):
    """A source with the chance that its answers are right."""

    source: Any
    reliability: float
    lower: float
    upper: float
    group: int | None
    """Number of the group of sources that copy each other, from 1; None if it copies nobody."""


@dataclass(frozen=True, eq=False)
class Fusion:
    """How likely each value of each item is, and how reliable each source."""

    kind: ValueKind
    """Whether values were taken as open or closed."""
    reason: str
    """Why, in words, and what was left out."""
    fit: "SourceFit" = field(repr=False)
    """The learned numbers, as arrays."""
    _ranks: "Ints | None" = field(repr=False)
    """Place of each item in the table; None if items are numbered by it."""
    _items: list[Any] = field(repr=False)
    _values: list[Any] = field(repr=False)
    _sources: list[Any] = field(repr=False)

    @cached_property
    def values(self) -> list[FusedValue]:
        """One row for each candidate: items in the order of the table, the likeliest value first."""
        return [FusedValue(*row) for row in zip(*self.value_columns().values(), strict=True)]

    @cached_property
    def sources(self) -> list[FusedSource]:
        """One row for each source, in the order of the table."""
        return [FusedSource(*row) for row in zip(*self.source_columns().values(), strict=True)]

    @cached_property
    def best(self) -> dict[Any, FusedValue]:
        """The likeliest value of each item."""
        best: dict[Any, FusedValue] = {}
        for row in self.values:
            best.setdefault(row.item, row)
        return best

    def to_arrow(self) -> Any:
        """Return the rows of `values` as an Arrow table."""
        return arrow_table(self.value_columns())

    def sources_to_arrow(self) -> Any:
        """Return the rows of `sources` as an Arrow table."""
        return arrow_table(self.source_columns())

    def to_pandas(self) -> Any:
        """Return the rows of `values` as a pandas frame."""
        return self.to_arrow().to_pandas()

    def sources_to_pandas(self) -> Any:
        """Return the rows of `sources` as a pandas frame."""
        return self.sources_to_arrow().to_pandas()

    def value_columns(self) -> dict[str, list[Any]]:
        """Return the rows of `values` as columns."""
        fit = self.fit
        ranks = fit.items if self._ranks is None else self._ranks[fit.items]
        order = np.lexsort((fit.values, *self._tie_breaks(ranks), ranks))
        return {
            "item": [self._items[item] for item in fit.items[order].tolist()],
            "value": [self._values[value] for value in fit.values[order].tolist()],
            "probability": fit.probability[order].tolist(),
            "lower": fit.lower[order].tolist(),
            "upper": fit.upper[order].tolist(),
        }

    def _tie_breaks(self, ranks: "Ints") -> "tuple[Floats, Floats, Floats]":
        """Return what candidates of one item are sorted by, the most important last.

        Of equally likely values, the one with the higher lower bound comes first: more is known about its sources.
        Then, if all values of the item are numbers, the one nearest to their median, since a slip is usually far off.
        """
        fit = self.fit
        chances, bounds = -fit.probability.round(9), -fit.lower.round(9)
        distances = np.zeros(len(chances))
        order = np.lexsort((bounds, chances, ranks))
        here, there = order[:-1], order[1:]
        tied = (ranks[here] == ranks[there]) & (chances[here] == chances[there]) & (bounds[here] == bounds[there])
        if not tied.any():
            return distances, bounds, chances
        wanted = np.zeros(int(fit.items.max()) + 1, dtype=np.bool_)
        wanted[fit.items[here[tied]]] = True
        places = np.flatnonzero(wanted[fit.items])
        starts = np.flatnonzero(np.diff(fit.items[places], prepend=-1))
        numbers = np.array([_number(self._values[value]) for value in fit.values[places].tolist()])
        for run, cells in zip(np.split(places, starts[1:]), np.split(numbers, starts[1:]), strict=True):
            if np.isfinite(cells).all():
                distances[run] = np.abs(cells - np.median(cells))
        return distances, bounds, chances

    def source_columns(self) -> dict[str, list[Any]]:
        """Return the rows of `sources` as columns."""
        fit = self.fit
        sizes = np.bincount(fit.group, minlength=len(fit.group))
        numbers = np.cumsum(sizes > 1)
        return {
            "source": self._sources,
            "reliability": fit.reliability.tolist(),
            "lower": fit.reliability_lower.tolist(),
            "upper": fit.reliability_upper.tolist(),
            "group": [int(numbers[group]) if sizes[group] > 1 else None for group in fit.group.tolist()],
        }


def fuse(
    votes: Any,
    *,
    kind: Literal["auto", "open", "closed"] = "auto",
    verified: Mapping[Any, Any] | Any | None = None,
    copies: bool = True,
    progress: Progress = silent,
) -> Fusion:
    """Learn which sources to believe, and how likely each value is, from who says what. No labels are needed.

    Values are *open* if items have their own candidates (names, numbers, dates), *closed* if all items share a few
    (labels, votes).

    Args:
        votes: A path (Parquet, CSV, JSON Lines), a list of tuples or dicts, a dict of columns, a pandas or polars
            frame, an Arrow table, a relation of DuckDB or an array of numpy,
            with the columns item, source and value (or task, worker and label), and optionally weight (of the row)
            and kind (of the item, for open values: sources then have a reliability for each kind).
        kind: Whether values are open or closed; `auto` decides by how many items share a value.
        verified: Items whose value is known: a dict, or a table with the columns item and value.
        copies: Whether to look for sources that copy each other.
        progress: Called with how far it has come.

    Raises:
        InputError: if the votes are not such a table, or `kind` is unknown.

    >>> votes = [("capital", "ann", "Bern"), ("capital", "bob", "Bern"), ("capital", "eve", "Zurich")]
    >>> round(fuse(votes).best["capital"].probability, 2)
    0.79
    """
    if kind not in KINDS:
        raise InputError(
            f"unknown kind {shown(kind)}", field="kind", hint=nearest(str(kind), KINDS) or "auto, open or closed"
        )
    progress("reading votes", 0, 0)
    table = read_votes(votes)
    if not len(table.items.codes):
        raise InputError("no row has an item, a source and a value", field="votes", hint="at least one row")
    chosen, reason = choose_kind(table, kind)
    if table.left_out:
        reason += f"; left out {pluralize(table.left_out, 'row')} with missing cells"
    known = {} if verified is None else read_verified(verified)
    sources, values = _sorted_column(table.sources), _sorted_column(table.values)
    items = table.items if chosen == "open" else _sorted_column(table.items)
    if known:
        values, marks = _place(known, items, values)
        reason += f"; {pluralize(len(marks), 'item')} verified"
        if len(marks) < len(known):
            reason += f", {len(known) - len(marks):,} without votes left out"
    else:
        marks = {}
    counts = (len(items.labels), len(sources.labels), len(values.labels))
    answers = collect_answers(items.codes, sources.codes, values.codes, table.weights, counts=counts)
    if chosen == "open":
        from howsure.fusion.open_copies import fit_with_copies
        from howsure.fusion.open_values import fit_open

        fixed = mark_known(answers, dict.fromkeys(marks.items(), True)) if marks else None
        if copies:
            learned, groups = fit_with_copies(answers, known=fixed, kinds=table.kinds, progress=progress)
        else:
            learned = fit_open(answers, known=fixed, kinds=table.kinds, progress=progress)
            groups = np.arange(answers.source_count)
        fit = add_verified(describe_open(answers, learned, groups), marks)
    else:
        from howsure.fusion.closed_copies import fit_closed_with_copies
        from howsure.fusion.closed_values import fit_closed

        truths = np.full(answers.item_count, -1, dtype=np.int64)
        truths[list(marks)] = list(marks.values())
        fixed_truths = truths if marks else None
        if copies:
            closed, groups = fit_closed_with_copies(answers, known=fixed_truths, progress=progress)
        else:
            closed = fit_closed(answers, known=fixed_truths, progress=progress)
            groups = np.arange(answers.source_count)
        fit = describe_closed(answers, closed, groups)
    return Fusion(
        kind=chosen,
        reason=reason,
        fit=fit,
        _ranks=None if items is table.items else _rank(items, table.items),
        _items=items.labels,
        _values=values.labels,
        _sources=sources.labels,
    )


def _number(label: Any) -> float:
    """Return a label as a number; NaN if it is none."""
    try:
        return float(label)
    except (TypeError, ValueError, OverflowError):
        return float("nan")


def _rank(items: Column, given: Column) -> "Ints":
    """Return the place of each item in the order of the table."""
    places = {label: rank for rank, label in enumerate(given.labels)}
    return np.array([places[label] for label in items.labels], dtype=np.int64)


def _sorted_column(one: Column) -> Column:
    """Number the labels of a column in their order, so that numbers do not depend on the order of rows."""
    try:
        order = sorted(range(len(one.labels)), key=one.labels.__getitem__)
    except TypeError:  # labels of several types
        order = sorted(
            range(len(one.labels)), key=lambda place: (type(one.labels[place]).__name__, str(one.labels[place]))
        )
    places = np.empty(len(order), dtype=np.int64)
    places[order] = np.arange(len(order))
    return Column(places[one.codes], [one.labels[place] for place in order])


def _place(known: dict[Any, Any], items: Column, values: Column) -> tuple[Column, dict[int, int]]:
    """Return the values with those that only verified items have, and the number of each verified item's value.

    Labels that differ only in type, such as 1 in one file and "1" in the other, are the same.
    """
    item_places, value_places = _places(items.labels), _places(values.labels)
    labels = list(values.labels)
    marks: dict[int, int] = {}
    for item, value in known.items():
        place = item_places.get(item, item_places.get(str(item)))
        if place is None:
            continue
        number = value_places.get(value, value_places.get(str(value)))
        if number is None:
            number = value_places[value] = len(labels)
            labels.append(value)
        marks[place] = number
    return Column(values.codes, labels), marks


def _places(labels: list[Any]) -> dict[Any, int]:
    return {str(label): place for place, label in enumerate(labels)} | {
        label: place for place, label in enumerate(labels)
    }
