"""The chart of an investigation shows its score after each step."""

import pytest

import howsure
from howsure.agents.traces import Trace, parse_traces
from howsure.errors import InputError, NotFoundError
from howsure.store.ledger_tables import tool_calls
from howsure.sure import Sure
from tests.charts.story import CALLS, Opened, layer_values


def test_an_investigation_is_scored_after_each_step(opened: Opened) -> None:
    sure, told = opened
    chart = sure.charts.investigation(told.trace)
    assert [row["tool"] for row in chart.rows] == [call["tool"] for call in CALLS]
    assert [row["recovery"] for row in chart.rows] == [bool(call.get("recovery")) for call in CALLS]
    assert [row["category"] for row in chart.rows] == ["search", "search", "read", "verification", "verification"]
    tools = dict(sure.investigations.model.tools)
    for row in chart.rows:
        found = howsure.score("investigation", {"steps": list(CALLS[: row["number"]])}, tools=tools)
        assert (row["score"], row["band"], row["decision"]) == (found["score"], found["band"], found["decision"])
    guides = {one["text"]: one["score"] for one in layer_values(chart.spec, "base")}
    assert guides == {"strong": 0.75, "adequate": 0.55, "weak": 0.25}
    assert len(layer_values(chart.spec, "ring")) == len(chart.rows)


def test_a_run_and_a_record_of_the_ledger_are_drawn_too(sure: Sure) -> None:
    lines = b'{"tool": "grep", "target": "a", "results": 1}\n{"tool": "read", "target": "a", "results": 1}\n'
    (trace,) = parse_traces(lines, "mine")
    assert [row["tool"] for row in sure.charts.investigation(trace).rows] == ["grep", "read"]
    long = Trace("long", "How many?", [trace.calls[place % 2] for place in range(40)])
    assert len(sure.charts.investigation(long).rows) == 40
    chart = sure.charts.investigation(Trace("endless", "", [trace.calls[place % 2] for place in range(1234)]))
    drawn = [one["number"] for one in chart.spec["data"]["values"]]
    assert (len(chart.rows), len(drawn), drawn[0], drawn[-1]) == (1234, 500, 1, 1234)
    assert sorted(set(drawn)) == drawn
    inquiry = sure.investigations.start("Where?", agent="a")
    inquiry.record("grep", target="a", results=1)
    inquiry.close()
    alone = sure.charts.investigation(str(inquiry.id))
    assert (alone.rows, "No step of this investigation was recorded" in alone.about) == ([], True)
    with pytest.raises(NotFoundError, match="there is no decision 'nothing'"):
        sure.charts.investigation("nothing")
    answer = sure.responses.check("It works.", agent="a", knowledge=0.9)
    with pytest.raises(InputError, match="a decision of the model response, not an investigation"):
        sure.charts.investigation(str(answer.id))


def test_a_trace_that_has_only_edits_is_found(sure: Sure) -> None:
    edit = {"tool": "Edit", "category": "edit", "kind": "edit", "target": "a.py", "path": "a.py", "ok": True}
    with sure.session.write() as transaction:
        tool_calls.insert(transaction, "edits", 0.0, [edit])
    chart = sure.charts.investigation("edits")
    assert (chart.rows, "edits are not" in chart.about) == ([], True)
