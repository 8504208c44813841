"""The charts of claims and of formulas show the intervals that the library returns."""

from typing import Any

import pytest

from howsure.formulas import catalog
from howsure.shapes import DAY
from tests.charts.story import Opened, layer_values
from tests.conftest import NOW


def test_claims_are_those_that_are_found(opened: Opened) -> None:
    sure, _ = opened
    chart = sure.charts.claims("lock", namespace="team/*", order="upper")
    found = sure.claims.find("lock", namespace="team/*", order="upper").claims
    assert len(found) == 2
    assert [(row["id"], row["statement"], row["lower"], row["upper"], row["sources"]) for row in chart.rows] == [
        (one.id, one.statement, one.interval.lower, one.interval.upper, one.sources) for one in found
    ]
    drawn = layer_values(chart.spec, "bar")
    assert [(one["lower"], one["midpoint"], one["upper"]) for one in drawn] == [
        (one.interval.lower, one.interval.midpoint, one.interval.upper) for one in found
    ]
    everything = sure.charts.claims(limit=3)
    assert len(everything.rows) == 3
    assert everything.about.endswith("More claims match.")
    unknown = next(one for one in layer_values(sure.charts.claims().spec, "bar") if one["label"] == "Nobody says this")
    assert (unknown["band"], unknown["note"]) == ("unknown", "no sources [0.00, 0.00]")


def test_a_chart_of_claims_asks_neither_a_judge_nor_others(opened: Opened) -> None:
    asked: list[dict[str, Any]] = [{"deliberate": True}, {"federated": True}]
    for wanted in asked:
        with pytest.raises(TypeError, match="unexpected keyword argument"):
            opened[0].charts.claims(**wanted)


def test_every_formula_reads_the_claim_as_the_library_does(opened: Opened) -> None:
    sure, told = opened
    moment = NOW - 20 * DAY
    readings: list[dict[str, float]] = [{}, {"now": NOW + DAY}, {"as_of": moment}, {"as_of": moment, "now": NOW}]
    for reading in readings:
        chart = sure.charts.formulas(told.claim, **reading)
        assert {row["formula"]: (row["lower"], row["upper"]) for row in chart.rows} == {
            name: tuple(sure.claims.get(told.claim, formula=name, **reading).interval) for name in catalog.formulas()
        }
