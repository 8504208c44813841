"""Meanings come from the source, and are missing without it."""

import sys
from types import ModuleType

from howsure.formulas.claim import ClaimCase
from howsure.formulas.meaning import meanings, tables
from howsure.formulas.noisy_or import NoisyOr, Row, Steps


def test_parents_are_read_too() -> None:
    assert meanings(NoisyOr)["oldest"] == "Half-lives after which age makes no further difference."
    assert meanings(ClaimCase)["now"] == "The moment at which the claim is read."


def test_a_formula_goes_from_its_row_to_its_steps() -> None:
    assert tables(NoisyOr) == (Row, Steps)


def test_without_source_nothing_is_known() -> None:
    module = ModuleType("made_up")
    sys.modules["made_up"] = module
    try:
        shape = type("Shape", (), {"__annotations__": {"x": int}, "__module__": "made_up"})
        assert meanings(shape) == {}
    finally:
        del sys.modules["made_up"]
