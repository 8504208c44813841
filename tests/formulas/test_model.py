"""The base class of models."""

from howsure.formulas.model import row_and_steps
from howsure.formulas.noisy_or import NoisyOr, Row, Steps


def test_a_formula_goes_from_its_row_to_its_steps() -> None:
    assert row_and_steps(NoisyOr) == (Row, Steps)
