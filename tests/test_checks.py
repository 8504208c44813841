"""Every model keeps the contract, and the contract catches models that do not."""

from dataclasses import dataclass
from typing import Any

import pytest

from howsure import checks
from howsure.formulas import MODELS
from howsure.formulas.noisy_or import NoisyOr, Row, Steps
from howsure.formulas.ops import FLOATS, Ops


@pytest.mark.parametrize("name", list(MODELS))
def test_a_model_keeps_the_contract(name: str) -> None:
    checks.check(MODELS.find(name))


class _Undocumented(NoisyOr):
    __doc__ = None


@dataclass(frozen=True)
class _Unbounded(NoisyOr):
    """Doubles the upper bound. >>> no."""

    def formula(self, row: Row[Any], ops: Ops[Any]) -> Steps[Any]:
        steps = super().formula(row, ops)
        return steps._replace(upper=steps.upper * 2.0)


@dataclass(frozen=True)
class _Crossed(NoisyOr):
    """Lets the lower bound be above the upper. >>> no."""

    def formula(self, row: Row[Any], ops: Ops[Any]) -> Steps[Any]:
        steps = super().formula(row, ops)
        return steps._replace(lower=steps.upper, upper=steps.lower)


@dataclass(frozen=True)
class _Ordered(NoisyOr):
    """Lets the first source count most. >>> no."""

    def features(self, case: Any) -> Any:
        row = super().features(case)
        return row._replace(strongest=(case.sources[0].contribution or 0.0) if case.sources else 0.0)


@dataclass(frozen=True)
class _Backwards(NoisyOr):
    """Lets contradictions help. >>> no."""

    def formula(self, row: Row[Any], ops: Ops[Any]) -> Steps[Any]:
        return super().formula(row._replace(contradiction=0.0, support=row.contradiction), ops)


@dataclass(frozen=True)
class _Rounded(NoisyOr):
    """Differs between readings. >>> no."""

    def formula(self, row: Row[Any], ops: Ops[Any]) -> Steps[Any]:
        steps = super().formula(row, ops)
        return steps._replace(lower=steps.lower if ops is FLOATS else steps.lower * 0.999)


@dataclass(frozen=True)
class _Branching(NoisyOr):
    """Has an if in its formula. >>> no."""

    def formula(self, row: Row[Any], ops: Ops[Any]) -> Steps[Any]:
        if row.support > 0:
            return super().formula(row, ops)
        return super().formula(row._replace(support=0.0), ops)


def test_a_missing_docstring_is_found() -> None:
    with pytest.raises(AssertionError, match="no docstring"):
        checks.check_documented(_Undocumented)


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (_Unbounded, "upper is"),
        (_Crossed, "lower is above upper"),
        (_Ordered, "the order of"),
        (_Backwards, "as contradiction goes"),
        (_Rounded, "SQLite gives"),
    ],
)
def test_a_broken_model_is_found(model: type[NoisyOr], message: str) -> None:
    with pytest.raises(AssertionError, match=message):
        checks.check(model)


def test_a_formula_with_an_if_fails_at_once() -> None:
    with pytest.raises(TypeError, match="ops.where"):
        checks.check(_Branching)


def test_samples_reach_the_ends_of_ranges() -> None:
    contributions = [
        source.contribution for case in checks.samples(NoisyOr, 300) for source in case.sources if source.contribution
    ]
    assert 1.0 in contributions
    assert len(set(contributions)) > 50
