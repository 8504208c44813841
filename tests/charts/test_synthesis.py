"""The chart of a synthesis is the same from the ledger and from the synthesis itself."""

import pytest

from howsure.errors import InputError, NotFoundError
from howsure.sure import Sure
from tests.charts.story import RESULTS, layer_values


def test_a_synthesis_is_drawn_from_the_ledger_as_from_itself(sure: Sure) -> None:
    found = sure.syntheses.combine("What does it return?", RESULTS)
    chart, kept = sure.charts.synthesis(found), sure.charts.synthesis(str(found.id))
    assert chart == kept
    assert {row["id"]: row["confidence"] for row in chart.rows} == {one.id: one.confidence for one in found.results}
    assert sum(row["weight"] for row in chart.rows) == pytest.approx(1.0)
    assert sum(row["weight"] * row["confidence"] for row in chart.rows) == pytest.approx(found.overall)
    assert {row["id"] for row in chart.rows if not row["kept"]} == {"forum", "guess"}
    assert {row["id"]: row["conflicts"] for row in chart.rows if row["conflicts"]} == {"code": 1, "docs": 1}
    assert len(layer_values(chart.spec, "contradicts-head")) == 2
    assert {one["overall"] for one in layer_values(chart.spec, "middle")} == {found.overall}


def test_of_many_conflicts_the_gravest_are_drawn(sure: Sure) -> None:
    parts = [{"id": f"worker\n{number}", "content": f"The function returns {number}."} for number in range(9)]
    found = sure.syntheses.combine("What does it return?", parts)
    assert len(found.conflicts) > 20
    chart = sure.charts.synthesis(str(found.id))
    assert "with at least 20 conflicts" in chart.about
    assert sum(row["conflicts"] for row in chart.rows) == 40
    assert chart == sure.charts.synthesis(found)


def test_a_synthesis_without_stored_numbers_is_described_as_such(sure: Sure) -> None:
    id_, _ = sure.models.record("overall", {"results": [{"confidence": 0.5, "content": "a"}]})
    assert sure.charts.synthesis(id_).rows == []
    nothing = sure.charts.synthesis(sure.syntheses.combine("Anything?", []))
    assert (nothing.rows, "There were no sub-results" in nothing.about) == ([], True)
    silent = sure.syntheses.combine("Anything?", [{"id": "a", "confidence": 0.5}, {"id": "b", "confidence": 0.7}])
    assert [row["weight"] for row in sure.charts.synthesis(silent).rows] == [0.0, 0.0]  # left out: they say nothing
    answer = sure.responses.check("It works.", agent="a", knowledge=0.9)
    with pytest.raises(InputError, match="a decision of the model response, not a synthesis"):
        sure.charts.synthesis(str(answer.id))
    with pytest.raises(NotFoundError):
        sure.charts.synthesis("nothing")
