"""The chart of scores shows the distribution that the ledger returns."""

from collections import Counter
from pathlib import Path
from typing import get_args

import pytest

from howsure.errors import InputError
from howsure.ledger.distribution import BINS, By, distribution
from howsure.sure import Sure
from tests.charts.story import tell
from tests.conftest import Clock


def test_scores_are_counted_as_in_the_ledger(sure: Sure, clock: Clock, tmp_path: Path) -> None:
    tell(sure, clock, tmp_path)
    records = sure.ledger.find(limit=1000, model="response").decisions
    for by in (None, *get_args(By)):
        chart = sure.charts.scores(by=by)
        assert by == "day" or sum(row["count"] for row in chart.rows) == len(records)
        for row in chart.rows:
            assert row["from"] + 1 / BINS == pytest.approx(row["to"])
    agents = Counter((one.agent, min(int(one.score * BINS), BINS - 1)) for one in records)
    counted = {(row["agent"], round(row["from"] * BINS)): row["count"] for row in sure.charts.scores().rows}
    assert counted == dict(agents)
    days = sure.charts.scores(by="day")
    assert len({row["day"] for row in days.rows}) == 8
    assert days.about.endswith("more are left out.")
    found = distribution(sure.ledger, by="day", model="response")
    assert found.total == len(records)
    assert [spread.name for spread in found.spreads] == sorted({spread.name for spread in found.spreads})
    own = [one.score for one in records if one.agent == "agent-0"]
    (alone,) = distribution(sure.ledger, agent="agent-0").spreads
    assert alone.total == len(own)
    assert alone.mean == pytest.approx(sum(own) / len(own))
    with pytest.raises(InputError, match="cannot group by 'colour'"):
        sure.charts.scores(by="colour")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="unexpected keyword argument 'colour'"):
        sure.charts.scores(colour="red")  # type: ignore[call-arg]
