"""Traces: which there are, and which have come to an end, on every kind of store."""

import pytest

from howsure.errors import InputError
from howsure.serve.operations.table import operation
from howsure.store.tool_calls import list_traces
from howsure.sure import Sure
from tests.conftest import Clock


def _record(sure: Sure, trace: str, **more: object) -> None:
    one = operation("investigations.record")
    one.call(sure, one.read({"trace_id": trace, "tool": "grep", "target": "x", "results": 1, **more}))


def test_traces_are_told_the_latest_first_and_apart_by_whether_they_have_ended(sure: Sure, clock: Clock) -> None:
    for trace in ("a", "b/c", "a", "d", "b/c"):
        _record(sure, trace)
        clock.now += 10.0
    close = operation("investigations.close")
    ids = [close.call(sure, close.read({"trace_id": "a", "question": "?"}))["id"] for _ in range(2)]
    sure.responses.check("An answer is no end.", agent="x", trace_id="d", knowledge=0.9)
    with sure.session.database.read() as transaction:
        every = list_traces(transaction, 10)
        open_ = list_traces(transaction, 10, closed=False)
        ended = list_traces(transaction, 10, closed=True)
        first = list_traces(transaction, 2)
        rest = list_traces(transaction, 2, first[-1].last)
    assert [(one.trace_id, one.calls) for one in every] == [("b/c", 2), ("d", 1), ("a", 2)]
    assert [one.last_at - one.first_at for one in every] == [30.0, 0.0, 20.0]
    assert [one.trace_id for one in open_] == ["b/c", "d"]
    assert [(one.trace_id, one.id) for one in ended] == [("a", ids[1])]
    assert [one.id for one in open_] == [None, None]
    assert [*first, *rest] == every


def test_pages_follow_each_other_and_what_is_no_cursor_is_refused(sure: Sure) -> None:
    for number in range(5):
        _record(sure, f"t{number}")
    find = operation("investigations.traces")
    seen: list[str] = []
    cursor = None
    while True:
        page = find.call(sure, find.read({"limit": 2, "cursor": cursor}))
        seen += [one["trace_id"] for one in page["traces"]]
        cursor = page["cursor"]
        if cursor is None:
            break
    assert seen == ["t4", "t3", "t2", "t1", "t0"]
    for wrong in ("x", "-1", "", "1" * 30, "²"):
        with pytest.raises(InputError, match="no cursor of ours"):
            find.call(sure, find.read({"cursor": wrong}))


def test_steps_tell_each_call_and_what_agrees(sure: Sure) -> None:
    _record(sure, "s", target="Parser")
    _record(sure, "s", tool="read", target="Parser", error="gone")
    _record(sure, "s", tool="read", target="Parser", recovery=True)
    _record(sure, "s", tool="ctest", passed=False)
    steps = operation("investigations.steps")
    found = steps.call(sure, steps.read({"trace_id": "s"}))
    assert [(one["number"], one["tool"], one["category"]) for one in found["steps"]] == [
        (1, "grep", "search"), (2, "read", "read"), (3, "read", "read"), (4, "ctest", "verification"),
    ]  # fmt: skip
    assert [one["error"] for one in found["steps"]] == [None, "gone", None, None]
    assert [one["recovery"] for one in found["steps"]] == [False, False, True, False]
    assert found["steps"][3]["passed"] is False
    assert found["agreements"] == [{"target": "parser", "categories": ["read", "search"], "calls": [1, 3]}]
    get = operation("investigations.get")
    assert found["steps"][-1]["score"] == get.call(sure, get.read({"trace_id": "s"}))["score"]
    assert steps.call(sure, steps.read({"trace_id": "nothing"})) == {"steps": [], "agreements": []}
