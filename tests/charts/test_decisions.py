"""The chart of decisions shows the counts of the ledger."""

import math
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from howsure.agents.traces import parse_traces
from howsure.charts.vega import day as howsure_day
from howsure.shapes import DAY
from howsure.sure import Sure
from tests.charts.story import layer_values, tell
from tests.conftest import NOW, Clock


def test_decisions_are_counted_as_in_the_ledger(sure: Sure, clock: Clock, tmp_path: Path) -> None:
    tell(sure, clock, tmp_path)
    everything = sure.ledger.find(limit=1000, model="response").decisions
    for agent in (None, "agent-1"):
        chart = sure.charts.decisions(agent)
        records = [one for one in everything if agent in (None, one.agent)]
        days = Counter(int(one.at // DAY) for one in records)
        assert [row["total"] for row in chart.rows] == [days[day] for day in sorted(days)]
        for name, decision in (("passed", "pass"), ("to_review", "review"), ("blocked", "block")):
            assert sum(row[name] for row in chart.rows) == sum(one.decision == decision for one in records)
        for row, day in zip(chart.rows, sorted(days), strict=True):
            own = [one.score for one in records if int(one.at // DAY) == day]
            assert row["mean_confidence"] == pytest.approx(math.fsum(own) / len(own))
        bars = layer_values(chart.spec, "stack")
        assert sum(one["count"] for one in bars) == len(records)
        assert layer_values(chart.spec, "guide")[0]["mean"] == 0.75
    assert {row["blocked"] > 0 for row in chart.rows} == {True, False}
    investigations = sure.charts.decisions(model="investigation")
    assert investigations.rows == []
    sure.investigations.start("Where?", agent="a").close()
    (row,) = sure.charts.decisions(model="investigation").rows
    assert (row["passed"], row["to_review"], row["blocked"]) == (0, 0, 1)


def test_charts_of_decisions_are_filtered_by_task_trace_and_decision(sure: Sure) -> None:
    for task, trace, knowledge in (("t1", "r1", 1.0), ("t1", "r2", 0.0), ("t2", "r2", 0.0)):
        judged = sure.responses.check(
            "It works.", agent="a", task_id=task, trace_id=trace, knowledge=knowledge, code=knowledge
        )
        sure.ledger.outcome(str(judged.id), "right")
    blocked = len(sure.ledger.find(decision="block").decisions)
    assert 0 < blocked < 3
    wanted: list[tuple[dict[str, Any], int]] = [
        ({"task_id": "t1"}, 2),
        ({"trace_id": "r1"}, 1),
        ({"decision": "block"}, blocked),
    ]
    for conditions, count in wanted:
        assert [row["total"] for row in sure.charts.decisions(**conditions).rows] == [count]
        assert sum(row["outcomes"] for row in sure.charts.reliability(**conditions).rows) == count
        assert sum(row["count"] for row in sure.charts.scores(**conditions).rows) == count
        assert sure.ledger.stats(**conditions).all.total == count


def test_descriptions_use_the_singular_for_one(sure: Sure) -> None:
    answer = sure.responses.check("It works.", agent="a")
    sure.ledger.outcome(str(answer.id), "right")
    (trace,) = parse_traces(b'{"tool": "grep", "target": "a", "results": 1}\n', "mine")
    merged = sure.syntheses.combine("Why?", [{"id": "a", "confidence": 0.9, "content": "So."}])
    abouts = [
        sure.charts.decisions().about,
        sure.charts.reliability().about,
        sure.charts.scores().about,
        sure.charts.investigation(trace).about,
        sure.charts.synthesis(merged).about,
    ]
    nouns = ("decision from", "response with", "score from", "step: ", "sub-result with")
    assert [about.startswith(f"1 {noun}") for about, noun in zip(abouts, nouns, strict=True)] == [True] * 5, abouts


def test_distant_days_are_drawn_with_a_gap(sure: Sure) -> None:
    for at in (-6e10, 0.0, DAY, NOW):
        sure.responses.check("It works.", agent="a", now=at)
    chart = sure.charts.decisions(since=-6e10)
    assert [row["day"] for row in chart.rows] == ["0068-09-03", "1970-01-01", "1970-01-02", howsure_day(NOW)]
    line = [(one["day"], one["mean"] is None) for one in layer_values(chart.spec, "trend")]
    assert [day for day, gap in line if gap] == ["0068-09-04", "1970-01-03"]
    assert line == sorted(line)
    for at in (-1e12, 1e12):  # years that no calendar has
        sure.responses.check("It works.", agent="b", now=at)
    assert [day.day for day in sure.ledger.stats(agent="b", since=-1e12, until=1e12).days] == [
        "0001-01-01",
        "9999-12-31",
    ]
