"""The chart of a claim's life shows its intervals in the past and in the future."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from howsure.charts.life import BETWEEN, EVENTS, Span, moments
from howsure.charts.vega import milliseconds
from howsure.errors import InputError
from howsure.shapes import DAY
from howsure.sure import Sure
from tests.charts.story import Opened, layer_values
from tests.conftest import NOW, Clock


def test_a_life_is_read_as_it_was_known_and_as_it_will_age(opened: Opened) -> None:
    sure, told = opened
    chart = sure.charts.life(told.claim, future=30 * DAY)
    past = [row for row in chart.rows if row["when"] == "past"]
    ahead = [row for row in chart.rows if row["when"] == "future"]
    claim = sure.claims.get(told.claim)
    assert (past[0]["at"], past[-1]["at"], ahead[0]["at"], ahead[-1]["at"]) == (
        claim.created_at,
        NOW,
        NOW,
        NOW + 30 * DAY,
    )
    for row in past[::7]:
        found = sure.claims.get(told.claim, now=row["at"], as_of=row["at"]).interval
        assert (row["lower"], row["upper"]) == tuple(found)
    for row in ahead[::7]:
        assert (row["lower"], row["upper"]) == tuple(sure.claims.get(told.claim, now=row["at"]).interval)
    assert {event.at for event in sure.claims.history(told.claim)} <= {row["at"] for row in past}
    assert claim.stale_at in {row["at"] for row in chart.rows}, "where it turns"
    marks = {one["what"]: one["at"] for one in layer_values(chart.spec, "event")}
    assert marks["created"] == milliseconds(claim.created_at)
    short = sure.charts.life(told.claim, past=5 * DAY).rows
    assert min(row["at"] for row in short) == NOW - 5 * DAY
    with pytest.raises(InputError, match="did not exist yet") as caught:
        sure.charts.life(told.claim, now=claim.created_at - 1)
    assert caught.value.field == "now"
    wrong: list[dict[str, Any]] = [{"past": -1.0}, {"future": 0.0}]
    for stretch in wrong:
        with pytest.raises(InputError) as caught:
            sure.charts.life(told.claim, **stretch)
        assert caught.value.field in stretch


@given(st.lists(st.floats(0, 1e9), max_size=100), st.floats(0, 1e9), st.floats(1e-3, 1e9))
def test_moments_of_a_life_are_in_order_and_not_too_many(events: list[float], past: float, future: float) -> None:
    span = Span(5e8 - past / 2, 5e8, 5e8 + future)
    back, ahead = moments(span, events)
    assert back == sorted(set(back))
    assert (back[0], back[-1], ahead[0], ahead[-1]) == (span.start, span.now, span.now, span.end)
    assert len(back) <= 2 * EVENTS + BETWEEN + 1
    inside = [at for at in events if span.start < at <= span.now]
    assert not inside or max(inside) in back


def test_a_claim_with_many_changes_still_has_a_life(sure: Sure, clock: Clock) -> None:
    for number in range(80):
        clock.now = NOW + 60 * number
        added = sure.claims.add("It rains", source=f"agent:{number}", contribution=0.01)
    chart = sure.charts.life(str(added.id))
    assert chart.rows[-1]["when"] == "future"
    assert len(chart.rows) < 250
