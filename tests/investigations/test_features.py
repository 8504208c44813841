"""The course of a run: what each feature counts, in every form of trace."""

import json
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from howsure.agents.traces import Trace, parse_traces
from howsure.formulas.chance import Case
from howsure.formulas.tool_calls import ToolCall
from howsure.investigations.api import ToolCallInput
from howsure.investigations.features import Course
from howsure.investigations.inquiry import Inquiry
from howsure.investigations.replay import replay
from howsure.sure import Sure


def _features(*calls: dict[str, Any], **record: Any) -> Case:
    """Return the features of a run that is given as a trajectory."""
    [trace] = parse_traces(json.dumps([{"steps": list(calls), **record}]).encode(), "run")
    inquiry = Inquiry("")
    replay(trace, inquiry)
    return inquiry.course.features


def _act(action: str, observation: str = "ok") -> dict[str, Any]:
    return {"action": action, "observation": observation}


def _chat(*messages: tuple[str, Any]) -> Case:
    """Return the features of a conversation; a tuple names the tool that the agent called and its output."""
    made: list[dict[str, Any]] = []
    for number, (role, content) in enumerate(messages):
        if role in ("user", "assistant"):
            made.append({"role": role, "content": content})
            continue
        call = {"id": str(number), "function": {"name": role, "arguments": "{}"}}
        made.append({"role": "assistant", "content": None, "tool_calls": [call]})
        made.append({"role": "tool", "tool_call_id": str(number), "content": content})
    [trace] = parse_traces(json.dumps([{"id": "chat", "messages": made}]).encode(), "chat")
    inquiry = Inquiry("")
    replay(trace, inquiry)
    return inquiry.course.features


def test_features_are_unknown_before_the_first_call() -> None:
    assert Course().features == Case()


def test_steps_are_calls_or_messages_whichever_are_more() -> None:
    assert _features(_act("ls"), _act("pwd"), _act("ls")).steps == 3
    assert _chat(("user", "Hi"), ("assistant", "Hello"), ("get_user", "{}"), ("assistant", "Done")).steps == 3


def test_late_errors_are_those_of_the_last_third() -> None:
    good, bad = _act("python a.py", "1"), _act("python b.py", "Traceback (most recent call last):\nKeyError: 1")
    assert _features(good, good, bad).late_errors == 1.0
    assert _features(bad, good, good).late_errors == 0.0
    assert _features(good, good, good, bad, good, good).late_errors == 0.0
    assert _features(good, good, good, good, bad, good).late_errors == 0.5
    assert _features(good, good, good, bad).late_errors == 0.5, "the last third is rounded up"


@pytest.mark.parametrize(
    ("call", "failed"),
    [
        ({"tool": "grep", "arguments": {"pattern": "x"}, "output": "No matches found"}, True),
        ({"tool": "grep", "arguments": {"pattern": "x"}, "output": "a.py:1: x"}, False),
        ({"tool": "grep", "arguments": {"pattern": "x"}, "results": 0}, True),
        ({"tool": "grep", "arguments": {"pattern": "x"}, "results": 2}, False),
        ({"tool": "search_class", "arguments": {"class_name": "A"}, "call_ok": False}, True),
        ({"tool": "read", "arguments": {"path": "a.py"}, "output": "raise ValueError\nTraceback (most recent"}, False),
        ({"tool": "book_flight", "arguments": {"id": 1}, "output": "Error: not enough seats"}, True),
        ({"tool": "book_flight", "arguments": {"id": 1}, "output": '{"reservation": "HAT"}'}, False),
        ({"tool": "book_flight", "arguments": {"id": 1}, "output": "", "error": "timeout"}, True),
        ({"tool": "bash", "arguments": {"command": "pytest"}, "output": "2 passed, 1 failed"}, True),
        ({"tool": "bash", "arguments": {"command": "pytest"}, "output": "3 passed in 1s"}, False),
        (_act("edit 1:1\nx\nend_of_edit", "Your proposed edit has introduced new syntax error(s)."), True),
        (_act("foo", "bash: foo: command not found"), True),
    ],
)
def test_a_call_failed_or_not(call: dict[str, Any], failed: bool) -> None:
    assert _features(call).late_errors == float(failed)


def test_a_call_with_the_same_arguments_is_a_repetition() -> None:
    same = {"tool": "get", "arguments": {"a": 1, "b": 2}, "output": "x"}
    swapped = {"tool": "get", "arguments": {"b": 2, "a": 1}, "output": "y"}
    other = {"tool": "get", "arguments": {"a": 1, "b": 3}, "output": "z"}
    assert _features(same, other, swapped, same).repeats == 0.5


def test_new_is_what_was_neither_asked_nor_answered_before() -> None:
    first = {"tool": "get", "arguments": {"a": 1}, "output": "x"}
    asked = {"tool": "get", "arguments": {"a": 1}, "output": "changed"}
    answered = {"tool": "get", "arguments": {"a": 2}, "output": "x"}
    fresh = {"tool": "get", "arguments": {"a": 3}, "output": "fresh"}
    failed = {"tool": "get", "arguments": {"a": 4}, "output": "Error: gone"}
    assert _features(first, fresh).late_news == 1.0
    for stale in (asked, answered, failed):
        assert _features(first, stale).late_news == 0.0
    crashed = _act("python a.py", "started\nworking\nTraceback (most recent call last):\n  File\nKeyError: 1\nbye")
    assert _features(_act("ls", "a"), crashed).late_news == 1.0, "a crash tells something"


def test_the_last_check_is_a_test_a_build_or_a_program() -> None:
    crash = "Traceback (most recent call last):\n  File x\nKeyError: 1"
    assert _features(_act("ls")).check_passed is None
    assert _features(_act("pytest", "1 failed"), _act("pytest", "1 passed")).check_passed is True
    assert _features(_act("pytest", "1 passed"), _act("python a.py", crash)).check_passed is False
    assert _features(_act("cd src && timeout 60 python3 a.py", "fine"), _act("ls")).check_passed is True
    assert _features(_act("./run.sh", "fine")).check_passed is True
    assert _features({"tool": "ctest", "passed": False}).check_passed is False


@pytest.mark.parametrize(
    ("record", "finished"),
    [
        ({"exit_status": "submitted"}, True),
        ({"exit_status": "submitted (exit_cost)"}, False),
        ({"exit_status": None}, False),
        ({"info": {"exit_status": "early_exit"}}, False),
        ({"info": {"exit_status": "submitted"}}, True),
        ({"stop_reason": "max_turns"}, False),
        ({"extract_status": ["RAW_PATCH_BUT_UNPARSED", "APPLICABLE_PATCH"]}, True),
        ({"extract_status": ["RAW_PATCH_BUT_UNMATCHED"]}, False),
        ({}, None),
        ({"resolved": False, "reward": 0, "success": False, "status": "failed"}, None),
    ],
)
def test_a_run_says_how_it_ended(record: dict[str, Any], finished: bool | None) -> None:
    assert _features(_act("ls"), **record).finished is finished


def test_labels_of_a_run_are_never_read() -> None:
    calls = [_act("ls"), _act("python a.py", "1")]
    bare = _features(*calls)
    assert _features(*calls, resolved=True, reward=1.0, success=True, label="good", outcome="right") == bare


def test_without_a_status_the_last_call_or_message_decides_the_result() -> None:
    assert _features(_act("ls"), _act("submit")).finished is True
    assert _chat(("user", "Hi"), ("get_user", "{}"), ("assistant", "Done.")).finished is True
    assert _chat(("user", "Hi"), ("assistant", "A moment"), ("get_user", "{}")).finished is False
    assert _chat(("user", "Hi"), ("transfer_to_human_agents", "Transfer successful")).finished is True
    thanks = _chat(("user", "Hi"), ("get_user", "{}"), ("assistant", "Done."), ("user", "Thank you"))
    assert thanks.finished is True


def test_further_attempts_to_hand_in_are_failed_repeated_steps() -> None:
    calls = [{"func_name": "write_patch", "arguments": {}, "call_ok": True}]
    once = _features(*calls, extract_status=["APPLICABLE_PATCH"])
    thrice = _features(*calls, extract_status=["UNPARSED", "UNMATCHED", "APPLICABLE_PATCH"])
    assert (once.steps, once.repeats, once.late_errors) == (1, 0.0, 0.0)
    assert (thrice.steps, thrice.late_errors) == (3, 1.0)
    assert thrice.repeats == pytest.approx(2 / 3)


def test_detail_is_the_length_of_arguments_up_to_a_limit() -> None:
    assert _features({"tool": "get", "arguments": {"id": "12345678"}, "output": "x"}).detail == 3.0
    assert _features({"tool": "get", "arguments": {"text": "x" * 5000}, "output": "x"}).detail == 6.0
    assert _features({"tool": "get", "arguments": {}, "output": "x"}).detail is None


@pytest.mark.parametrize(
    ("tool", "arguments", "changes"),
    [
        ("update_reservation", {"id": 1}, True),
        ("get_order_details", {"id": 1}, False),
        ("returnItems", {"id": 1}, True),
        ("mcp__shop__cancel_order", {"id": 1}, True),
        ("str_replace_editor", {"command": "view", "path": "a"}, False),
        ("str_replace_editor", {"command": "str_replace", "path": "a"}, True),
        ("bash", {"command": "cd a && mkdir b"}, True),
        ("bash", {"command": "cat a"}, False),
        ("think", {"thought": "update it"}, False),
    ],
)
def test_a_call_changes_something_or_not(tool: str, arguments: Any, changes: bool) -> None:
    found = _features({"tool": tool, "arguments": arguments, "output": "done"})
    assert found.late_changes == float(changes)


def test_messages_decline_and_ask() -> None:
    chat = _chat(
        ("user", "Cancel it"),
        ("assistant", "What is your id?"),
        ("get_user", "{}"),
        ("assistant", "Unfortunately, that is not possible."),
        ("assistant", "Anything else?"),
        ("assistant", "Goodbye."),
    )
    assert (chat.refusals, chat.questions) == (0.25, 0.5)
    assert _features(_act("ls")).refusals is None


def test_stored_calls_have_a_course_too() -> None:
    course = Course()
    course.add_known(ToolCall("grep", "parser", results=2))
    course.add_known(ToolCall("edit", "parser.py"), changes=True)
    course.add_known(ToolCall("pytest", passed=False))
    course.add_known(ToolCall("grep", "parser", results=2))
    assert course.features == Case(
        steps=4, late_errors=0.5, repeats=0.25, late_news=0.0, check_passed=False, late_changes=0.0
    )


values = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)
raw_calls = st.fixed_dictionaries(
    {"tool": st.sampled_from(["grep", "bash", "submit", "get_x", "✨", "str_replace_editor"])},
    optional={"arguments": values, "output": st.text(max_size=60), "error": st.none() | st.text(max_size=9)},
)


@given(st.lists(raw_calls, max_size=12), st.lists(st.none() | st.text(max_size=12), max_size=3))
def test_any_run_has_valid_features_and_a_chance(calls: list[dict[str, Any]], statuses: list[str | None]) -> None:
    course = Inquiry("")
    trace = Trace("t", "", [], ("", "a?"), tuple("" if one is None else one for one in statuses))
    for number, call in enumerate(calls, start=1):
        score = course.record(call["tool"], call.get("arguments"), call.get("output"), error=call.get("error"))
        assert 0.0 < score["chance"] < 1.0
        assert score["course"]["steps"] == number
    course.course.end(trace)
    features = course.course.features
    for name in ("late_errors", "repeats", "late_news", "late_changes", "refusals", "questions"):
        value = getattr(features, name)
        assert value is None or 0.0 <= value <= 1.0
    assert 0.0 < course.score["chance"] < 1.0


TARGETS = ("Foo", "Bar", "Baz", "Qux")
MIXED: list[dict[str, Any]] = [
    {"tool": "bash", "arguments": {"command": "grep -rn Foo src"}, "results": "src/a.py:1:Foo"},
    {"tool": "bash", "arguments": {"command": "make && pytest -q"}, "results": "1 failed, 3 passed in 0.1s"},
    {"tool": "edit", "arguments": {"path": "a.py"}, "results": "ok"},
    {"tool": "bash", "arguments": {"command": "grep -rn Foo src"}, "results": "src/a.py:1:Foo"},
    {"tool": "bash", "arguments": {"command": "python run.py"}, "results": "hello"},
]


@pytest.mark.parametrize(
    "calls",
    [
        [{"tool": "grep", "target": target, "results": 2} for target in TARGETS],
        [{"tool": "grep", "arguments": {"pattern": target}, "results": 2} for target in TARGETS],
        MIXED,
    ],
)
def test_the_same_calls_have_the_same_features_however_they_come_in(sure: Sure, calls: list[dict[str, Any]]) -> None:
    lines = [{"output" if name == "results" else name: value for name, value in call.items()} for call in calls]
    file = next(iter(parse_traces("\n".join(map(json.dumps, lines if calls is MIXED else calls)).encode(), "run")))
    read = replay(file, sure.investigations.start("")).score
    assessed = sure.investigations.assess("", [ToolCallInput(**call) for call in calls])
    for call in calls:
        recorded = sure.investigations.record("t", **call)
    assert read["chance"] == assessed.chance == recorded.chance == sure.investigations.get("t").chance
    assert read["chance_reasons"] == [reason._asdict() for reason in recorded.chance_reasons]


def test_calls_with_other_targets_are_other_calls(sure: Sure) -> None:
    inquiry = sure.investigations.start("")
    for target in (*TARGETS, "Foo"):
        inquiry.record("grep", None, 2, target=target)
    assert inquiry.course.features.repeats == 0.2
    assert inquiry.course.features.late_news == pytest.approx(2 / 3)
    assert inquiry.course.features.detail == pytest.approx(math.log2(3))


def test_a_call_that_found_nothing_is_no_news(sure: Sure) -> None:
    inquiry = sure.investigations.start("")
    inquiry.record("grep", target="Foo")
    assert (inquiry.course.features.late_errors, inquiry.course.features.late_news) == (1.0, 0.0)
