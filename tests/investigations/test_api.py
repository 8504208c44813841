"""Investigations by trace: tool calls are recorded, listed, closed and looked at again, on every kind of store."""

import asyncio

import pytest

from howsure.errors import InputError, NotFoundError
from howsure.formulas.tool_calls import ToolCall
from howsure.investigations.api import ToolCallInput
from howsure.investigations.inquiry import EvidenceAgreement, make_stored_call, read_stored_call
from howsure.shapes.encode import encode
from howsure.sure import Sure
from tests.conftest import Clock


def test_steps_tell_each_call_and_what_agrees(sure: Sure) -> None:
    record = sure.investigations.record
    record("s", "grep", results=1, target="Parser")
    record("s", "read", results=1, target="Parser", error="gone")
    record("s", "read", results=1, target="Parser", recovery=True)
    record("s", "ctest", results=1, target="x", passed=False)
    went = sure.investigations.steps("s")
    assert [(step.number, step.tool, step.category) for step in went.steps] == [
        (1, "grep", "search"), (2, "read", "read"), (3, "read", "read"), (4, "ctest", "verification"),
    ]  # fmt: skip
    assert [step.error for step in went.steps] == [None, "gone", None, None]
    assert [step.recovery for step in went.steps] == [False, False, True, False]
    assert went.steps[3].passed is False
    assert went.agreements == (EvidenceAgreement("parser", ("read", "search"), (1, 3)),)
    assert went.steps[-1].score == sure.investigations.get("s").score
    assert encode(sure.investigations.steps("nothing")) == {"steps": [], "agreements": []}


def test_pages_continue_and_invalid_cursors_are_refused(sure: Sure) -> None:
    for number in range(5):
        sure.investigations.record(f"t{number}", "grep", results=1, target="x")
    seen: list[str] = []
    cursor = None
    while True:
        page = sure.investigations.traces(limit=2, cursor=cursor)
        seen += [trace.trace_id for trace in page.traces]
        cursor = page.cursor
        if cursor is None:
            break
    assert seen == ["t4", "t3", "t2", "t1", "t0"]
    for wrong in ("x", "-1", "", "1" * 30, "²"):
        with pytest.raises(InputError, match="invalid cursor"):
            sure.investigations.traces(cursor=wrong)


def test_closing_records_the_result_under_its_names(sure: Sure, clock: Clock) -> None:
    sure.investigations.record("t", "grep", {"pattern": "Parser"}, 3)
    closed = sure.investigations.close("t", question="Where?", agent="finder", task_id="7", now=clock.now + 5)
    record = sure.ledger.get(closed.id or "")
    assert (record.agent, record.task_id, record.trace_id, record.content) == ("finder", "7", "t", "Where?")
    assert (record.at, closed.score) == (clock.now + 5, 0.65)
    assert sure.investigations.get("t").id is None


def test_a_whole_investigation_is_assessed_and_recorded_if_asked(sure: Sure) -> None:
    calls = [ToolCallInput("grep", {"pattern": "Parser"}, 3), ToolCallInput("read", {"path": "parser.py"}, 1)]
    state = sure.investigations.assess("Where?", calls, agent="finder")
    assert (state.id, state.converging_target, state.through) == (None, "parser", (1, 2))
    recorded = sure.investigations.assess("Where?", calls, record=True, agent="finder")
    assert sure.ledger.get(recorded.id or "").agent == "finder"
    with pytest.raises(InputError, match=r"calls\[1\]\.complete: 2.0 is not between"):
        sure.investigations.assess("q", [calls[0], ToolCallInput("gh", results=1, complete=2.0)])
    with pytest.raises(InputError, match="10,001 calls are too many"):
        sure.investigations.assess("q", calls[:1] * 10_001)


@pytest.mark.parametrize("name", ["x" * 601, "\x00", "\ud800"])
def test_every_way_in_checks_the_name_of_a_tool(sure: Sure, name: str) -> None:
    for call in (
        lambda: sure.investigations.assess("q", [ToolCallInput(name, results=1)]),
        lambda: sure.investigations.record("trace", name, results=1),
        lambda: sure.investigations.start("q").record(name, results=1),
    ):
        with pytest.raises(InputError, match=r"tool: invalid name .* \(at most 600 bytes of Unicode text\)"):
            call()


def test_a_trace_needs_a_name(sure: Sure) -> None:
    for name in ("", "  ", "a\x00b"):
        with pytest.raises(InputError, match="trace_id"):
            sure.investigations.record(name, "grep", results=1)
        with pytest.raises(InputError, match="trace_id"):
            sure.investigations.get(name)


def test_methods_have_async_versions(sure: Sure) -> None:
    assert asyncio.run(sure.investigations.arecord("t", "grep", {"pattern": "x"}, 1)).calls == 1


def test_a_stored_call_is_read_as_it_was(sure: Sure) -> None:
    tools = sure.investigations.model.tools
    for call in (ToolCall("grep", "x", 2), ToolCall("pytest", passed=False), ToolCall("gh", results=1, complete=0.5)):
        assert read_stored_call(make_stored_call(call, tools), tools) == call
    assert read_stored_call({"tool": "Edit", "category": "edit", "kind": "edit", "ok": True}, tools) is None


def test_a_page_of_traces_holds_at_least_one(sure: Sure) -> None:
    sure.investigations.record("s", "grep", results=1)
    for limit in (0, -1, 1001):
        with pytest.raises(InputError, match="limit"):
            sure.investigations.traces(limit=limit)


def test_nothing_is_said_of_a_trace_without_tool_calls(sure: Sure) -> None:
    for ask in (sure.investigations.get, sure.investigations.close):
        with pytest.raises(NotFoundError, match="there are no tool calls of the trace 'brand-new'") as caught:
            ask("brand-new")
        assert caught.value.field == "trace_id"
    assert not sure.ledger.find().decisions
    assert sure.investigations.record("new", "no-such-tool").calls == 0


def test_closing_again_records_only_what_is_new(sure: Sure) -> None:
    sure.investigations.record("t", "grep", {"pattern": "Parser"}, 3)
    first = sure.investigations.close("t", question="Where?", agent="a")
    assert sure.investigations.close("t", question="Where?", agent="a") == first
    assert sure.investigations.close("t", question="Where?", agent="b").id != first.id, "another agent says so"
    sure.investigations.record("t", "read", {"path": "parser.py"}, 1)
    assert sure.investigations.close("t", question="Where?", agent="a").id != first.id
    assert len(sure.ledger.find(trace_id="t").decisions) == 3


def test_closing_with_another_question_is_another_decision(sure: Sure) -> None:
    sure.investigations.record("t", "grep", {"pattern": "Parser"}, 3)
    questions = ["Where?" * 100, "Where?" * 101, "Where?" * 101]
    first, second, third = (sure.investigations.close("t", question=question).id for question in questions)
    assert first != second == third
