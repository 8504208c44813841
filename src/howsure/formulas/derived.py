"""Derived claims: an inference is no surer than its constituents, below than the weakest, above than the best."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Generic, NamedTuple

from howsure.errors import InputError
from howsure.formulas.interval import Interval
from howsure.formulas.model import Model
from howsure.formulas.ops import N, Ops
from howsure.shapes import Unit
from howsure.shapes.encode import encode
from howsure.wording import pluralize

DEEPEST = 5
"""Longest chain of derived claims."""


@dataclass(frozen=True)
class Case:
    """A derived claim, by the intervals of its constituents."""

    constituents: tuple[tuple[Unit, Unit], ...]
    """[lower, upper] of each claim that it was derived from."""
    assessed_upper: Unit
    """How sure the inference itself is held to be, at best."""

    def __post_init__(self) -> None:
        """Raise InputError if there is no constituent, or one has its bounds swapped."""
        if not self.constituents:
            raise InputError("a derived claim needs at least one constituent", field="constituents")
        for index, (lower, upper) in enumerate(self.constituents):
            if lower > upper:
                raise InputError(
                    f"the lower bound {lower} is above the upper bound {upper}",
                    field=f"constituents[{index}]",
                    hint="write [lower, upper]",
                )


class Row(NamedTuple, Generic[N]):
    """What the formula needs of the constituents."""

    assessed_upper: N
    """How sure the inference itself is held to be, at best."""
    highest_upper: N
    """Highest upper bound of a constituent."""
    lowest_lower: N
    """Lowest lower bound of a constituent."""
    widest: N
    """Largest width of a constituent."""


class Steps(NamedTuple, Generic[N]):
    """Every step from the row to the interval."""

    upper: N
    """No surer than the assessment, and than the best constituent."""
    lower: N
    """No surer than the weakest constituent, and at least as wide as the widest."""


@dataclass(frozen=True)
class Derived(Model[Case]):
    """Uncertainty grows along a chain of inferences.

    >>> score = Derived().score({"constituents": [[0.7, 0.9], [0.6, 0.8]], "assessed_upper": 0.75})
    >>> round(score["lower"], 4), score["upper"]
    (0.55, 0.75)
    """

    name = "derived"
    version = 1
    case = Case
    unordered: ClassVar[tuple[str, ...]] = ("constituents",)
    directions: ClassVar[Mapping[tuple[str, str], int]] = {
        ("assessed_upper", "upper"): +1,
        ("highest_upper", "upper"): +1,
        ("lowest_lower", "lower"): +1,
        ("widest", "lower"): -1,
    }

    def features(self, case: Case) -> Row[float]:
        """Fold the constituents."""
        return Row(
            assessed_upper=case.assessed_upper,
            highest_upper=max(upper for _, upper in case.constituents),
            lowest_lower=min(lower for lower, _ in case.constituents),
            widest=max(upper - lower for lower, upper in case.constituents),
        )

    def formula(self, row: Row[N], ops: Ops[N]) -> Steps[N]:
        """Return the interval."""
        upper = ops.minimum(row.assessed_upper, row.highest_upper)
        lower = ops.maximum(0.0, ops.minimum(row.lowest_lower, upper - row.widest))
        return Steps(upper, lower)

    def conclude(self, case: Case, row: Row[float], steps: Steps[float]) -> dict[str, Any]:
        """Return the interval and what bounds it."""
        interval = Interval(steps.lower, steps.upper)
        by_assessment = row.assessed_upper <= row.highest_upper
        above = "the assessment of the inference" if by_assessment else "the best constituent"
        below = (
            "the weakest constituent"
            if row.lowest_lower <= steps.upper - row.widest
            else f"the widest constituent ({row.widest:.2f})"
        )
        of = pluralize(len(case.constituents), "constituent")
        reason = f"{of}; bounded above by {above}, below by {below}: {interval}"
        return {**encode(interval), "constituents": len(case.constituents), "reason": reason}
