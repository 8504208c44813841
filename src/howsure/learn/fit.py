"""A fit: everything that was learned from outcomes, ready to be applied, compared, stored and read back.

Nothing here needs numpy, so that a fit can be applied with the core alone.
"""

import math
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple

from howsure.errors import InputError, MissingExtraError, shown
from howsure.formulas.claim import ClaimCount, LogOdds
from howsure.formulas.learned import LearnedModel, Row
from howsure.formulas.ops import FLOATS
from howsure.formulas.spec import ModelSpec
from howsure.learn.frames import read_score
from howsure.learn.promise import CONFIDENCE, Promise, ScoreLevel, make_promise
from howsure.shapes import Count, Moment, decode
from howsure.shapes.encode import encode
from howsure.shapes.types import Within, json_property

FORMAT = "howsure fit"
VERSION = 1
"""Incremented when a file of an older version would be read wrongly."""
FEWEST = 20
"""Outcomes below which measures have no intervals and a fit is never called better: that would be chance."""
CHUNK = 4000
"""Rows that are scored at once if numpy is there; the formula costs about 1 ms for so many."""


@dataclass(frozen=True)
class MeasureBounds:
    """The 95 % bootstrap interval of a measure."""

    lower: float
    upper: float


@dataclass(frozen=True)
class MeasureDifference:
    """One column's measure minus that of the first column, on the same outcomes and bootstrap draws."""

    score: str
    """Name of the other column."""
    measure: str
    difference: float
    lower: float
    upper: float


@dataclass(frozen=True)
class FitQuality:
    """Measures of probabilities against outcomes that they were not learned from."""

    n: Count
    """Outcomes."""
    brier: float | None
    ece: float | None
    log_loss: float | None
    auroc: float | None
    aurc: float
    """Area under the risk-coverage curve."""
    intervals: dict[str, MeasureBounds]
    """Bootstrap interval of each measure that exists."""


@dataclass(frozen=True)
class Scale:
    """How a score becomes log-odds, or a number like log-odds, before it is calibrated."""

    kind: Literal["unit", "standard"] = "unit"
    """`unit`: log-odds of a score between 0 and 1. `standard`: distance from the centre in spreads."""
    centre: float = 0.0
    spread: float = 1.0


class Estimate(NamedTuple):
    """The probability that something is right, with an interval that is meant to hold it in nine of ten cases."""

    probability: float
    lower: float
    upper: float


@dataclass(frozen=True)
class FittedSource:
    """What was learned about one source: a Beta distribution of its reliability."""

    source_type: str
    source_id: str
    rights: ClaimCount
    """Expected number of right claims, prior included."""
    wrongs: ClaimCount
    """Expected number of wrong claims, prior included."""
    copy_group: str = ""
    """Sources with the same name here copy from each other; empty if it copies from none."""


@dataclass(frozen=True)
class Fit:
    """Learned parameters of a model, what they were learned from, and how good they are."""

    kind: Literal["calibration", "weights", "sources"]
    """What was learned: a calibration map of one score, weights of factors and signals and a map of their sum, or
    whom to believe."""
    score: str
    """Name of the score that is calibrated; of a weighted sum, the name that it has in results."""
    outcomes: Count
    """How many outcomes it was learned from."""
    right: Count
    """How many of them were right."""
    parameters: LearnedModel
    """Parameters of the model `learned`."""
    model_version: Annotated[int, Within(1, LearnedModel.version)] = LearnedModel.version
    """Version of the model that the parameters are for."""
    scale: Scale = Scale()
    """How the score was squashed before it was calibrated."""
    maps: dict[str, float] = field(default_factory=dict)
    """Weights of the calibration maps that were averaged."""
    group_columns: tuple[str, ...] = ()
    """Names of the columns that make up a group, from the broad one to the narrow one."""
    since: Moment | None = None
    """Time of the first outcome, if known."""
    until: Moment | None = None
    """Time of the last outcome, if known."""
    levels: tuple[ScoreLevel, ...] = ()
    """Outcomes by score (or by cross-fitted probability, see `promise_on`), which promises are made from."""
    promise_on: Literal["score", "probability"] = "score"
    """What a promise's threshold applies to. It is the probability if more was learned than a rising map."""
    quality: FitQuality | None = None
    """Cross-validated measures; null with fewer than two outcomes."""
    replaced: FitQuality | None = None
    """The same measures of what this fit would replace: the score as it is, or an older fit."""
    differences: tuple[MeasureDifference, ...] = ()
    """Paired differences of this fit from what it would replace."""
    better: bool = False
    """Whether it is better beyond noise than what it would replace."""
    sources: tuple[FittedSource, ...] = ()
    """Sources, if it says whom to believe."""
    log_choices: LogOdds = 0.0
    """The part of the weight that is the same for every source: many wrong values make agreeing worth more."""
    claims: Count = 0
    """How many claims it was learned from, if it says whom to believe."""

    @json_property
    def fingerprint(self) -> str:
        """Sixteen hex digits, different for every set of parameters."""
        if self.kind != "sources":
            return self.parameters.spec.fingerprint
        parameters = {"sources": encode(self.sources), "log_choices": self.log_choices}
        return ModelSpec("sources", 1, parameters).fingerprint

    def estimate(self, values: float | Mapping[str, float], group: Sequence[str] = ()) -> Estimate:
        """Return the probability of one case, given its score, or its factors and signals by name (None if missing).

        A score that is unlike those that were learned from (see `is_outside`) gets a warning.

        Raises:
            InputError: if a value is not a finite number.

        >>> from howsure.formulas.learned import CalibrationKnot
        >>> fit = Fit(
        ...     "calibration", "s", 10, 5, LearnedModel(knots=(CalibrationKnot(0.0, 0.2), CalibrationKnot(1.0, 0.8)))
        ... )
        >>> fit.estimate(0.5).probability
        0.5
        """
        case = self._read(values)
        self._warn_if_outside([case])
        return self._estimate(case, group)

    def _estimate(self, case: Mapping[str, float], group: Sequence[str]) -> Estimate:
        row = Row(float(self.parameters.evidence(case)), *self.parameters.group_offset(tuple(group)))
        steps = self.parameters.formula(row, FLOATS)
        return Estimate(steps.probability, steps.lower, steps.upper)

    def estimates(
        self, cases: Sequence[float] | Sequence[Mapping[str, float]], groups: Sequence[Sequence[str]] | None = None
    ) -> list[Estimate]:
        """Return the probability of many cases, by numpy if it is installed; the formula is the same.

        Scores that are unlike those that were learned from get a warning.

        Raises:
            InputError: if a value is not a finite number.
        """
        read = [self._read(case, place) for place, case in enumerate(cases)]
        self._warn_if_outside(read)
        every: Any = groups or [()] * len(read)
        try:
            from howsure.graph.arrays import score_rows
        except (ImportError, MissingExtraError):
            return [self._estimate(case, path) for case, path in zip(read, every, strict=True)]
        found: list[Estimate] = []
        for start in range(0, len(read), CHUNK):
            evidence = [float(self.parameters.evidence(case)) for case in read[start : start + CHUNK]]
            offsets = [self.parameters.group_offset(tuple(path)) for path in every[start : start + CHUNK]]
            steps = score_rows(self.parameters, Row(evidence, *map(list, zip(*offsets, strict=True))))
            columns = (steps.probability.tolist(), steps.lower.tolist(), steps.upper.tolist())
            found += map(Estimate, *columns)
        return found

    def _read(self, case: Any, place: int | None = None) -> dict[str, float]:
        """Return the values that the model reads, by name; None and names that it does not know are left out."""
        terms, given = self.parameters.terms, {}
        if isinstance(case, Mapping):
            given = {term.name: case[term.name] for term in terms if case.get(term.name) is not None}
        else:
            given = {terms[0].name: case}
        try:
            return {name: read_score(value, name) for name, value in given.items()}
        except InputError as error:
            raise error if place is None else error.under(f"cases[{place}]") from None

    def is_outside(self, score: float) -> bool:
        """Return whether a score is unlike those that were learned from, so that nothing is known about it.

        If those were between 0 and 1, it is not. Otherwise, it is farther from their range than that is wide. The
        weighted sum of factors is always inside.
        """
        low, high = self._span
        return not low <= score <= high

    @cached_property
    def _span(self) -> tuple[float, float]:
        """The lowest and the highest score that is not outside."""
        if self.kind != "calibration":
            return -math.inf, math.inf
        if self.scale.kind == "unit":
            return 0.0, 1.0
        low, high = self.parameters.knots[0].score, self.parameters.knots[-1].score
        return low - (high - low), high + (high - low)

    def outside_note(self, outside: int, of: int) -> str:
        """Return in words that so many scores are outside; empty if none is."""
        if not outside:
            return ""
        if self.scale.kind == "unit":
            where = "not between 0 and 1, as those were that the fit was learned from"
        else:
            where = "far from those that the fit was learned from"
        return f"{outside:,} of {of:,} scores are {where}"

    def _warn_if_outside(self, cases: Sequence[Mapping[str, float]]) -> None:
        outside = sum(self.is_outside(score) for case in cases for score in case.values())
        if note := self.outside_note(outside, len(cases)):
            warnings.warn(note, stacklevel=3)

    def promise(self, risk: float, confidence: float = CONFIDENCE) -> Promise:
        """Return what this fit's outcomes can promise: at most `risk` of what passes is wrong."""
        made = make_promise(self.levels, risk, confidence)
        is_limited = self.promise_on == "score" and math.isfinite(self._span[1])
        return replace(made, highest=self._span[1]) if is_limited else made

    @cached_property
    def factor_names(self) -> tuple[str, ...]:
        """Names of the values that it reads."""
        return tuple(term.name for term in self.parameters.terms)

    def write(self, path: str | Path) -> Path:
        """Write the fit to a JSON file, atomically.

        Raises:
            InputError: if the file cannot be written.
        """
        import orjson

        from howsure.datafiles import write_output

        place = Path(path)
        content = orjson.dumps(fit_to_json(self), option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE)
        write_output(place, content)
        return place


def fit_to_json(fit: Fit) -> dict[str, Any]:
    """Return a fit as JSON-ready data, with its format and version."""
    return {"format": FORMAT, "version": VERSION, **encode(fit)}


def fit_from_json(data: Any) -> Fit:
    """Return the fit that JSON data describes.

    Raises:
        InputError: if it is not a fit, is of a newer version, or was changed after it was written.
    """
    if not isinstance(data, Mapping) or data.get("format") != FORMAT:
        raise InputError(f"not a fit: it has no format {FORMAT!r}", field="fit", hint="howsure learn FILE --out FIT")
    version = data.get("version")
    if version != VERSION:
        problem = f"this fit has version {shown(version)}, howsure reads version {VERSION}"
        raise InputError(problem, field="fit.version", hint="learn it again, or update howsure")
    rest = {name: value for name, value in data.items() if name not in ("format", "version", "fingerprint")}
    try:
        fit = decode(Fit, rest)
    except InputError as error:
        raise error.under("fit") from None
    if data.get("fingerprint") != fit.fingerprint:
        raise InputError("the parameters do not match the fingerprint", field="fit", hint="the file was changed")
    return fit


def read_fit(path: str | Path) -> Fit:
    """Read a fit from a file.

    Raises:
        InputError: if the file cannot be read or does not hold a fit.
    """
    import orjson

    try:
        data = orjson.loads(Path(path).read_bytes())
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror}", field="fit") from None
    except orjson.JSONDecodeError as error:
        problem = f"{Path(path).name} is not a fit: not JSON at position {error.pos}"
        raise InputError(problem, field="fit", hint="howsure learn FILE --out FIT writes one") from None
    return fit_from_json(data)


def to_path(cells: Sequence[Any]) -> tuple[str, ...]:
    """Return the names of a group, the broad one (agent type) first, up to the first missing one.

    >>> to_path(["coder", 7]), to_path(["coder", None])
    (('coder', '7'), ('coder',))
    """
    names: list[str] = []
    for cell in cells:
        if cell is None or cell == "" or cell != cell:  # noqa: PLR0124 - NaN, which frames use for missing
            break
        names.append(str(cell))
    return tuple(names)
