"""The learned model: the probability that outcomes teach, from factors and signals or from one score."""

import math
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import field
from itertools import pairwise
from typing import Annotated, Any, ClassVar, Generic, Literal, NamedTuple

from howsure.errors import InputError
from howsure.formulas.model import Model
from howsure.formulas.ops import FLOATS, N, Ops
from howsure.shapes import Amount, Unit, Within
from howsure.shapes.types import Record, record

LIMIT = 30.0
"""Largest logit. Beyond it the logistic function is 0 or 1 within 1e-13, and databases raise errors on underflow."""

Real = Annotated[float, Within(-1e15, 1e15)]
"""Any number that still has room to be added and multiplied."""
Logit = Annotated[float, Within(-LIMIT, LIMIT)]
"""A difference of log-odds."""


@record(frozen=True, eq=False, repr=False)
class LearnedTerm(Record):
    """One factor or signal."""

    name: str
    """Its name among the values of a case."""
    weight: Real
    """How much one unit of it changes the evidence."""
    centre: Real = 0.0
    """The value that changes nothing; it also stands for a value that is missing."""
    points: tuple[tuple[Real, Real], ...] = ()
    """If given, the value is first replaced by the height of the line through these points, and there is no centre."""


@record(frozen=True, eq=False, repr=False)
class CalibrationKnot(Record):
    """One point of the calibration map. Between two of them the map is a straight line."""

    score: Real
    """The score before calibration."""
    probability: Unit
    """The probability that it stands for."""
    error: Amount = 0.3
    """Standard error of the probability, in log-odds."""


@record(frozen=True, eq=False, repr=False)
class GroupOffset(Record):
    """How much better or worse one group does than all, such as an agent or a type of agents."""

    path: tuple[str, ...]
    """Names of the group, from the broad one to the narrow one: agent type, agent."""
    offset: Logit
    """What is added to the log-odds, including what the broader groups add."""
    error: Amount
    """Standard error of the offset."""


@record(frozen=True, eq=False, repr=False)
class Case(Record):
    """Named numbers of one thing to judge."""

    values: dict[str, Real] = field(default_factory=dict)
    """Factors and signals by name. Names that were not learned are ignored; missing ones count as their centre."""
    group: tuple[str, ...] = ()
    """Who it comes from, from the broad group to the narrow one: agent type, agent."""


class Row(NamedTuple, Generic[N]):
    """The numbers that the formula reads."""

    evidence: N
    """The weighted sum of factors and signals."""
    offset: N
    """What the group adds to the log-odds."""
    offset_error: N
    """Standard error of that offset."""


class Steps(NamedTuple, Generic[N]):
    """Every step from the row to the probability and its interval."""

    score: N
    """The evidence, or its logistic function."""
    calibrated: N
    """The probability that the score stands for, for all groups together."""
    probability: N
    """The same for the case's group."""
    error: N
    """Standard error of the probability, in log-odds."""
    lower: N
    """Lower bound of the probability."""
    upper: N
    """Upper bound of the probability."""


def logistic(logit: N, ops: Ops[N]) -> N:
    """Return 1 / (1 + e^-logit), limited to logits that every database can compute.

    >>> logistic(0.0, FLOATS)
    0.5
    """
    limited = ops.minimum(ops.maximum(logit, -LIMIT), LIMIT)
    result: N = 1.0 / (1.0 + ops.power(math.e, 0.0 - limited))
    return result


def shift(probability: N, logit: Any, ops: Ops[N]) -> N:
    """Return the probability whose log-odds are those of another one plus a number. 0 and 1 stay as they are.

    >>> round(shift(0.5, math.log(3.0), FLOATS), 12)
    0.75
    """
    factor = ops.power(math.e, ops.minimum(ops.maximum(logit, -LIMIT), LIMIT))
    raised = probability * factor
    result: N = raised / (1.0 - probability + raised)
    return result


def interpolate(score: N, points: list[tuple[float, float]], ops: Ops[N]) -> N:
    """Return the value of a line through points sorted by score; constant before the first and after the last.

    It is written as a sum of ramps, each of which rises between two points, so that it runs on every kind of number.

    >>> interpolate(0.25, [(0.0, 0.0), (0.5, 0.8), (1.0, 1.0)], FLOATS)
    0.4
    """
    total: Any = points[0][1] + 0.0 * score
    for (start, before), (end, after) in pairwise(points):
        if after != before:
            ramp = ops.minimum(ops.maximum(score - start, 0.0), end - start)
            total = total + (after - before) / (end - start) * ramp
    result: N = total
    return result


class Line:
    """A line through points, constant beyond them, as `interpolate` draws it.

    On a float it computes only the ramp that the score is on. The sum is the same to the last digit, since ramps before
    it are added in the same order and those after it are 0; with 70 points it takes 1 instead of 20 microseconds.

    >>> line = Line([(0.0, 0.0), (0.5, 0.8), (1.0, 1.0)])
    >>> line(0.25, FLOATS), line(-1.0, FLOATS), line(2.0, FLOATS)
    (0.4, 0.0, 1.0)
    """

    __slots__ = ("_points", "_ramps", "_starts")

    def __init__(self, points: Sequence[tuple[float, float]]) -> None:
        """Take points sorted by score."""
        self._points = list(points)
        self._starts = [start for start, _ in self._points[:-1]]
        self._ramps: list[tuple[float, float, float]] = []
        total = self._points[0][1]
        for (start, before), (end, after) in pairwise(self._points):
            slope = (after - before) / (end - start)
            self._ramps.append((total, slope, end - start))
            total = total + slope * (end - start) if after != before else total

    def __call__(self, score: N, ops: Ops[N]) -> N:
        """Return the height of the line."""
        if ops is not FLOATS:
            return interpolate(score, self._points, ops)
        own: Any = score
        place = bisect_left(self._starts, own) - 1
        if place < 0:
            low: Any = self._points[0][1] + 0.0 * own
            return low  # type: ignore[no-any-return]
        total, slope, width = self._ramps[place]
        height: Any = total + slope * min(own - self._starts[place], width)
        return height  # type: ignore[no-any-return]


@record(frozen=True, eq=False, repr=False)
class LearnedModel(Model[Case]):
    """A probability learned from outcomes: a weighted sum, a calibration map, and the offset of a group.

    Its parameters come from a fit (`howsure learn`). Without one it returns the value called `score` as it is.

    >>> model = LearnedModel(knots=(CalibrationKnot(0.0, 0.2), CalibrationKnot(1.0, 0.8)))
    >>> model.score({"values": {"score": 0.5}})["probability"]
    0.5
    """

    name = "learned"
    version = 1
    case = Case
    directions: ClassVar[Mapping[tuple[str, str], int]] = {
        ("evidence", "probability"): +1,
        ("offset", "probability"): +1,
        ("offset_error", "lower"): -1,
        ("offset_error", "upper"): +1,
    }

    terms: tuple[LearnedTerm, ...] = (LearnedTerm.of_valid("score", 1.0, 0.5, ()),)
    """Factors and signals with their weights."""
    intercept: Real = 0.5
    """The evidence of a case whose values are all at their centre."""
    link: Literal["none", "logistic"] = "none"
    """Whether the score is the evidence itself or its logistic function."""
    knots: tuple[CalibrationKnot, ...] = (
        CalibrationKnot.of_valid(0.0, 0.0, 0.3),
        CalibrationKnot.of_valid(1.0, 1.0, 0.3),
    )
    """The calibration map, sorted by score; probabilities never fall."""
    groups: tuple[GroupOffset, ...] = ()
    """Offsets of groups."""
    group_error: Amount = 0.5
    """Standard error of the offset of a group that is not listed."""
    z: Annotated[float, Within(0.0, 10.0)] = 1.645
    """Half the width of the interval in standard errors; 1.645 covers 90 %."""

    def __post_init__(self) -> None:
        """Raise InputError if a parameter is out of range, or the calibration map is not rising."""
        super().__post_init__()
        for term in self.terms:
            if any(not one[0] < other[0] for one, other in pairwise(term.points)):
                raise InputError(
                    "points are not sorted", field=f"terms.{term.name}", hint="each value exceeds the last"
                )
        if not self.knots:
            raise InputError("there is no knot", field="knots", hint="a map needs at least one")
        for place, (one, other) in enumerate(pairwise(self.knots), start=1):
            if not one.score < other.score:
                raise InputError(f"{other.score} does not exceed {one.score}", field=f"knots[{place}].score")
            if other.probability < one.probability:
                problem = f"{other.probability} is below {one.probability}"
                raise InputError(problem, field=f"knots[{place}].probability", hint="a higher score is never worse")

    def evidence(self, values: Mapping[str, Any], ops: Ops[Any] = FLOATS) -> Any:
        """Return the weighted sum of any kind of number: floats, columns or SQL, without the missing ones.

        >>> LearnedModel(terms=(LearnedTerm("a", 2.0, 0.5),), intercept=1.0).evidence({"a": 1.0})
        2.0
        """
        total: Any = self.intercept
        lines = self._lines[2]
        for term in self.terms:
            if (value := values.get(term.name)) is not None:
                scaled = lines[term.name](value, ops) if term.points else value - term.centre
                total = total + term.weight * scaled
        return total

    def group_offset(self, path: tuple[str, ...]) -> tuple[float, float]:
        """Return the offset of the narrowest known group of a path, and its standard error."""
        offsets = self._offsets
        for length in range(len(path), 0, -1):
            if (known := offsets.get(path[:length])) is not None:
                return known.offset, max(known.error, self.group_error if length < len(path) else 0.0)
        return 0.0, self.group_error if path else 0.0

    @property
    def _lines(self) -> tuple[Line, Line, dict[str, Line]]:
        """The lines of the calibration map and of its error, and those of terms with points by name."""
        cached: tuple[Line, Line, dict[str, Line]] | None = self.__dict__.get("_drawn")
        if cached is None:
            cached = self.__dict__["_drawn"] = (
                Line([(knot.score, knot.probability) for knot in self.knots]),
                Line([(knot.score, knot.error) for knot in self.knots]),
                {term.name: Line(term.points) for term in self.terms if term.points},
            )
        return cached

    @property
    def _offsets(self) -> dict[tuple[str, ...], GroupOffset]:
        cached: dict[tuple[str, ...], GroupOffset] | None = self.__dict__.get("_by_path")
        if cached is None:
            cached = self.__dict__["_by_path"] = {group.path: group for group in self.groups}
        return cached

    def features(self, case: Case) -> Row[float]:
        """Return the evidence, and the offset of the group."""
        return Row(float(self.evidence(case.values)), *self.group_offset(case.group))

    def formula(self, row: Row[N], ops: Ops[N]) -> Steps[N]:
        """Return the probability and its interval."""
        score = logistic(row.evidence, ops) if self.link == "logistic" else row.evidence + 0.0
        line, error_line, _ = self._lines
        calibrated = line(score, ops)
        # A sum of ramps may end an ulp outside of what its points span.
        calibrated = ops.minimum(ops.maximum(calibrated, self.knots[0].probability), self.knots[-1].probability)
        own_error = error_line(score, ops)
        probability = shift(calibrated, row.offset, ops)
        error = ops.power(own_error * own_error + row.offset_error * row.offset_error, 0.5)
        lower = ops.minimum(shift(probability, 0.0 - self.z * error, ops), probability)
        upper = ops.maximum(shift(probability, self.z * error, ops), probability)
        return Steps(score, calibrated, probability, error, lower, upper)

    def conclude(self, case: Case, row: Row[float], steps: Steps[float]) -> dict[str, Any]:
        """Return the probability, its interval and the reason."""
        known = sum(1 for term in self.terms if term.name in case.values)
        return {
            "probability": steps.probability,
            "lower": steps.lower,
            "upper": steps.upper,
            "reason": f"{known} of {len(self.terms)} learned values known; evidence {row.evidence:.3g} stands for "
            f"{steps.probability:.2f}, between {steps.lower:.2f} and {steps.upper:.2f}",
        }
