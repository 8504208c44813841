"""Sweeps: many formulas and parameters over the same arrays."""

from dataclasses import replace
from typing import Any

import pytest

from howsure.bulk import api as bulk
from howsure.charts.sweep import sweep_chart
from howsure.errors import InputError
from howsure.formulas.beta import Beta
from howsure.formulas.noisy_or import NoisyOr
from tests.bulk.worlds import NOW, World, world

MADE = world(6, claims=120, derived=True)
GIVEN: dict[str, Any] = {"claims": MADE.claims, "sources": MADE.sources, "relations": MADE.relations, "now": NOW}


def lowers(made: World, formula: Any) -> dict[str, float]:
    return {name: steps["lower"] for name, steps in made.expected(formula).items()}


def test_each_variant_is_what_the_model_makes_of_it() -> None:
    found = bulk.sweep(
        **GIVEN,
        formulas=["noisy_or", "beta"],
        vary={"boost_factor": [0.1, 0.5], "half_life.task": [1e6]},
        threshold=0.3,
        leave_out=0,
    )
    assert [variant.name for variant in found.variants] == [
        "noisy_or",
        "noisy_or, boost_factor 0.1, half_life.task 1e+06",
        "noisy_or, boost_factor 0.5, half_life.task 1e+06",
        "beta",
        "beta, half_life.task 1e+06",
    ]
    base = lowers(MADE, NoisyOr())
    life = replace(NoisyOr().half_life, task=1e6)
    for variant, formula in zip(
        found.variants,
        [NoisyOr(), NoisyOr(half_life=life), NoisyOr(half_life=life, boost_factor=0.5), Beta(), Beta(half_life=life)],
        strict=True,
    ):
        other = lowers(MADE, formula)
        assert variant.above == sum(lower >= 0.3 for lower in other.values())
        assert variant.up == sum(other[name] >= 0.3 > base[name] for name in base)
        assert variant.down == sum(base[name] >= 0.3 > other[name] for name in base)
        assert variant.moved == pytest.approx(sum(abs(other[n] - base[n]) for n in base) / len(base), abs=1e-9)
        assert sum(variant.histogram) == len(MADE.claims)


def test_how_much_a_source_matters_is_what_would_change_without_it() -> None:
    found = bulk.sweep(**GIVEN, threshold=0.3, leave_out=100)
    base = lowers(MADE, NoisyOr())
    assert {weight.source for weight in found.sources} == {
        f"{row['source_type']}:{row['source_id']}" for row in MADE.sources if row["contribution"]
    }
    moved = [weight.moved for weight in found.sources]
    assert moved == sorted(moved, reverse=True)
    for weight in (found.sources[0], found.sources[7], found.sources[-1]):
        kept = [row for row in MADE.sources if f"{row['source_type']}:{row['source_id']}" != weight.source]
        inferences = [row | {"contribution": None} for row in MADE.sources if row not in kept]
        without = lowers(World(MADE.claims, kept + inferences, MADE.relations), NoisyOr())
        assert weight.down == sum(base[name] >= 0.3 > without[name] for name in base)
        assert weight.up == sum(without[name] >= 0.3 > base[name] for name in base)
        assert weight.moved == pytest.approx(sum(abs(without[n] - base[n]) for n in base) / len(base), abs=1e-9)


def test_a_sweep_of_nothing() -> None:
    found = bulk.sweep([{"id": 1}], now=NOW)
    assert (found.claims, found.variants[0].above, found.sources) == (1, 0, ())
    assert "<svg" in sweep_chart(found).svg()


def test_invalid_sweeps_are_refused() -> None:
    for options, message in (
        ({"formulas": ["psychic"]}, "there is no model 'psychic'"),
        ({"formulas": []}, "no formulas given"),
        ({"vary": {"boost": [1.0]}}, "unknown parameter 'boost'"),
        ({"vary": {"boost_factor": [-1.0]}}, "boost_factor: -1.0 is not between"),
        ({"threshold": 3.0}, "threshold: 3.0 is not between 0 and 1"),
        ({"bound": "middle"}, "bound: 'middle' is not one of lower, upper"),
    ):
        with pytest.raises(InputError, match=message):
            bulk.sweep(**(GIVEN | options))
