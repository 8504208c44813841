"""Scoring many cases in the same way, by one model or several formulas."""

from typing import Any

import pytest

from howsure.errors import InputError, UnknownNameError
from howsure.formulas.noisy_or import NoisyOr
from howsure.formulas.scoring import Scorer, with_parameters

CASE: dict[str, Any] = {"sources": [{"source_type": "user", "source_id": "ann", "contribution": 0.6}]}


def test_several_formulas_are_scored_at_once() -> None:
    result = Scorer("claims", formulas=["all"], now=0.0)(CASE)
    assert {"noisy_or", "beta", "subjective_logic", "dempster_shafer"} <= set(result["scores"])
    assert Scorer("claims", formulas=["beta", "beta"], now=0.0)(CASE)["sources"] == 1


def test_a_case_keeps_its_own_moment() -> None:
    assert Scorer("noisy_or", now=9e9)(CASE | {"now": 0.0})["upper"] == 0.6


@pytest.mark.parametrize(
    ("model", "options", "error", "message"),
    [
        ("overall", {"formulas": ["beta"]}, InputError, "overall takes no formula"),
        ("claims", {"formulas": ["betta"]}, UnknownNameError, "did you mean beta"),
        ("claims", {"parameters": {"boost": 1}}, InputError, "unknown parameter 'boost'"),
    ],
)
def test_wrong_options_are_named(model: str, options: dict[str, Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        Scorer(model, **options)


def test_a_table_of_parameters_is_merged_into_its_default() -> None:
    scorer = Scorer("investigation", parameters={"tools": {"mygrep": "search.grep"}})
    tools = scorer.models[0].spec.parameters["tools"]
    assert tools["mygrep"] == "search.grep"
    assert len(tools) > 1


def test_parameters_of_a_model_are_changed_one_by_one() -> None:
    model = NoisyOr()
    assert with_parameters(model, {}) is model
    assert with_parameters(model, {"boost_factor": 0.5}).boost_factor == 0.5
    assert with_parameters(model, {"half_life": {"task": 60.0}}).half_life.task == 60.0
    with pytest.raises(InputError, match="boost_factor"):
        with_parameters(model, {"boost_factor": -1.0})
