"""The waterfall shows one step per source, from the first one to the claim's interval."""

from typing import Any

import pytest

import howsure
from howsure.charts.waterfall import MAX_SOURCES, steps_of
from howsure.formulas import catalog
from howsure.formulas.claim import independent
from howsure.sure import Sure
from tests.charts.story import Opened
from tests.conftest import NOW


@pytest.mark.parametrize("formula", catalog.formulas())
def test_steps_lead_from_the_first_source_to_how_the_claim_stands(opened: Opened, formula: str) -> None:
    sure, told = opened
    for claim in (told.claim, told.derived, told.supporter, told.challenger):
        chart = sure.charts.waterfall(claim, formula)
        end = sure.claims.get(claim, formula=formula)
        last = chart.rows[-1]
        assert (last["lower"], last["upper"]) == pytest.approx(end.interval, abs=1e-9)
        for before, after in zip(chart.rows, chart.rows[1:], strict=False):
            assert after["lower"] == pytest.approx(before["lower"] + after["lower_change"])
            assert after["upper"] == pytest.approx(before["upper"] + after["upper_change"])
    explained = sure.claims.explain(told.claim, formula=formula)
    entries = [
        {"source_type": source.source_type, "source_id": source.source_id, "contribution": source.contribution}
        for source in (one.source for one in explained.sources)
        if source.contribution
    ]
    cases: list[dict[str, Any]] = [{"now": 0.0, "provenance": entries[:1]}, {"now": 0.0, "provenance": entries}]
    cases.append({"now": NOW, "provenance": entries, "tier": "project", "stale_at": explained.claim.stale_at})
    rows = sure.charts.waterfall(told.claim, formula).rows
    assert len(rows) == 5
    for row, case in zip(rows, cases, strict=False):
        found = howsure.score(formula, case)
        assert (row["lower"], row["upper"]) == pytest.approx((found["lower"], found["upper"]))


def test_many_sources_are_drawn_together(sure: Sure) -> None:
    for number in range(MAX_SOURCES + 3):
        added = sure.claims.add("It rains", source=f"agent:{number:02}", contribution=0.1 + number / 100)
    claim = str(added.id)
    found = steps_of(sure.claims.explain(claim), sure.session.formula)
    assert [stage.what for stage in found[-2:]] == [f"agent:{MAX_SOURCES - 1:02} says 0.17", "3 more sources"]
    assert found[-1].interval == pytest.approx(sure.claims.get(claim).interval)
    assert len(independent(sure.claims.explain(claim).evidence.sources)) == MAX_SOURCES + 3


def test_a_claim_without_sources_has_one_step(sure: Sure) -> None:
    claim = str(sure.claims.add("Nobody says this").id)
    assert [row["what"] for row in sure.charts.waterfall(claim).rows] == ["no source counts"]
