"""How measures are printed."""

from types import SimpleNamespace
from typing import Any

from howsure.cli.measures import format_measure


def test_a_measure_has_its_bounds_if_they_are_known() -> None:
    bounds = SimpleNamespace(lower=0.1, upper=0.25)
    quality: Any = SimpleNamespace(brier=0.2, ece=0.12345, auroc=None, intervals={"brier": bounds})
    assert format_measure(quality, "brier") == "0.2000 [0.1000, 0.2500]"
    assert format_measure(quality, "ece") == "0.1235"
    assert format_measure(quality, "auroc") == "not defined"
    assert format_measure(quality, "auroc", undefined="") == ""
