"""Traces: what agents leave behind, in the forms in which they leave it."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from howsure.agents.traces import Trace, parse_traces, read_traces
from howsure.errors import InputError
from howsure.investigations.inquiry import Inquiry
from howsure.investigations.replay import replay
from howsure.sure import Sure
from tests.agents.runs import SPANS
from tests.conftest import Run

CALLS = [
    {"tool": "grep", "target": "Parser", "results": 2},
    {"tool": "read", "target": "parser.py", "results": 1},
    {"tool": "ctest", "passed": False},
]
TRANSCRIPT: list[dict[str, Any]] = [
    {"type": "user", "message": {"role": "user", "content": "Where is the parser?"}, "sessionId": "s"},
    {"type": "assistant", "message": {"role": "assistant", "content": [
        {"type": "text", "text": "Let me look."},
        {"type": "tool_use", "id": "1", "name": "Grep", "input": {"pattern": "class Parser"}},
        {"type": "tool_use", "id": "2", "name": "Read", "input": {"file_path": "src/parser.py"}},
    ]}, "sessionId": "s"},
    {"type": "user", "message": {"role": "user", "content": [
        {"type": "tool_result", "tool_use_id": "1", "content": "src/parser.py:3:class Parser"},
        {"type": "tool_result", "tool_use_id": "2", "content": [{"type": "text", "text": "class Parser: ..."}]},
    ]}, "sessionId": "s"},
    {"type": "assistant", "message": {"role": "assistant", "content": [
        {"type": "tool_use", "id": "3", "name": "Bash", "input": {"command": "pytest"}}]}, "sessionId": "s"},
    {"type": "user", "message": {"role": "user", "content": [
        {"type": "tool_result", "tool_use_id": "3", "content": "Exit code 1\n1 failed", "is_error": True}]},
     "sessionId": "s"},
]  # fmt: skip
MESSAGES: list[dict[str, Any]] = [
    {"role": "system", "content": "Be brief."},
    {"role": "user", "content": "Where is the parser?"},
    {"role": "assistant", "content": None, "tool_calls": [
        {"id": "a", "type": "function", "function": {"name": "grep_search", "arguments": '{"query": "Parser"}'}}]},
    {"role": "tool", "tool_call_id": "a", "name": "grep_search", "content": "src/parser.py: class Parser"},
    {"role": "assistant", "tool_calls": [
        {"id": "b", "type": "function", "function": {"name": "read_file", "arguments": '{"path": "src/parser.py"}'}}]},
    {"role": "tool", "tool_call_id": "b", "content": "class Parser: ..."},
    {"role": "assistant", "content": "In src/parser.py."},
]  # fmt: skip
TRAJECTORY: dict[str, Any] = {
    "instance_id": "app-1",
    "problem_statement": "Where is the parser?",
    "trajectory": [
        {"action": "search_dir Parser src", "observation": 'Found 1 matches for "Parser" in src:\nsrc/parser.py'},
        {"action": "open src/parser.py", "observation": "[File: src/parser.py (3 lines total)]\n1:class Parser: ..."},
        {"action": "edit 1:1\nclass Parser2: ...\nend_of_edit", "observation": "[File updated]"},
        {"action": "submit", "observation": ""},
    ],
}


def read(content: Any, *, lines: bool = False) -> list[Trace]:
    text = "\n".join(map(json.dumps, content)) if lines else json.dumps(content)
    return list(parse_traces(text.encode(), "file"))


def standing(sure: Sure, trace: Trace) -> Any:
    return replay(trace, sure.investigations.start(trace.question)).score


def standing_alone(trace: Trace) -> Any:
    return replay(trace, Inquiry("q")).score


def test_lines_of_tool_calls_make_one_run(sure: Sure) -> None:
    for lines in (True, False):
        (trace,) = read(CALLS, lines=lines)
        found = standing(sure, trace)
        assert (trace.id, found["converging_target"]) == ("file", "parser")
        assert found["warnings"] == ["the latest tests failed: ctest"]
    two = read([call | {"trace_id": name} for name in ("x", "y") for call in CALLS], lines=True)
    assert [(trace.id, len(trace.calls)) for trace in two] == [("x", 3), ("y", 3)]


def test_a_transcript_of_a_coding_agent(sure: Sure) -> None:
    (trace,) = read(TRANSCRIPT, lines=True)
    assert (trace.id, trace.question, [call.tool for call in trace.calls]) == (
        "s",
        "Where is the parser?",
        ["Grep", "Read", "Bash"],
    )
    found = standing(sure, trace)
    assert found["categories"] == {"search": 0.65, "read": 0.8, "verification": 0.3}


def test_a_list_of_messages(sure: Sure) -> None:
    for content in (MESSAGES, {"id": "m1", "messages": MESSAGES}):
        (trace,) = read(content)
        assert trace.question == "Where is the parser?"
        assert standing(sure, trace)["categories"] == {"search": 0.65, "read": 0.8}
    assert [trace.id for trace in read([MESSAGES, MESSAGES])] == ["file-1", "file-2"]


def test_a_trajectory(sure: Sure) -> None:
    for content in (TRAJECTORY, [TRAJECTORY]):
        (trace,) = read(content)
        assert (trace.id, trace.question) == ("app-1", "Where is the parser?")
        assert standing(sure, trace)["categories"] == {"search": 0.65, "read": 0.8}
    assert len(read([TRAJECTORY, TRAJECTORY], lines=True)) == 2


def test_a_call_without_a_result_is_left_out(sure: Sure) -> None:
    (trace,) = read(TRANSCRIPT[:2], lines=True)
    assert standing(sure, trace)["score"] == 0.0


NO_TRACES = [
    "",
    "  \n",
    "{",
    '{"a": 1}\n{',
    "5",
    "null",
    '"x"',
    "true",
    '["x"]',
    "[5]",
    "[5]\n{}",
    "[]",
    "{}",
    "[[]]",
    "[" * 9999,
]
NO_TRACES += [
    '{"foo": 1}',
    '{"steps": []}',
    '{"name": "Ann", "age": 3}',
    '{"messages": [{"role": "user", "content": "hi"}]}',
]
NO_TRACES += ['{"type": "summary", "summary": "x"}\n{"type": "file-history-snapshot"}', '{"tool": 5}', '{"tool": " "}']


@pytest.mark.parametrize("content", NO_TRACES, ids=lambda content: content[:40])
def test_invalid_traces_are_reported(content: str) -> None:
    with pytest.raises(InputError):
        list(parse_traces(content.encode(), "file"))


@pytest.mark.parametrize("content", [b"5", b"null", b'"x"', b'{"foo": 1}', b'{"tool": "discovery", "factors": 2.5}'])
def test_the_command_refuses_invalid_traces(howsure: Run, content: bytes) -> None:
    done = howsure("investigate", "-", stdin=content)
    assert (done.returncode, done.stdout, b"Traceback" in done.stderr) == (2, b"", False)
    assert done.stderr.startswith(b"howsure: ")


@pytest.mark.parametrize(
    ("call", "message"),
    [
        ('{"tool": "grep", "target": "x", "results": -1}', "step 2.results: -1 is not between"),
        ('{"tool": "gh", "results": 1, "complete": 2}', "step 2.complete: 2 is not between 0 and 1"),
        ('{"tool": "gh", "results": 1, "complete": NaN}', "step 2.complete: nan is not a finite number"),
        ('{"tool": "gh", "results": Infinity}', "step 2.results: inf is not a finite number"),
        ('{"tool": "discovery", "factors": 2.5}', "step 2.factors: 2.5 is not a whole number"),
        ('{"tool": "ctest", "passed": "yes"}', "step 2.passed: 'yes' is neither true nor false"),
        ('{"tool": "grep", "results": 1, "recovery": "no"}', "step 2.recovery: 'no' is neither true nor false"),
        ('{"tool": "grep", "target": 5}', "step 2.target: 5 is not a text"),
        ('{"tool": 5}', "step 2.tool: expected the name of a tool, not 5"),
    ],
)
def test_a_step_that_cannot_be_is_refused_by_its_number_and_field(call: str, message: str) -> None:
    content = '{"tool": "grep", "target": "x", "results": 1}\n' + call
    with pytest.raises(InputError) as caught:
        list(map(standing_alone, parse_traces(content.encode(), "file")))
    assert message in str(caught.value)


def test_lines_that_name_no_session_belong_to_the_only_one(sure: Sure, howsure: Run) -> None:
    lines = [{"type": "summary", "summary": "x"}, {"type": "file-history-snapshot", "messageId": "m"}, *TRANSCRIPT[:3]]
    (trace,) = read(lines, lines=True)
    assert (trace.id, len(trace.calls)) == ("s", 2)
    assert standing(sure, trace)["decision"] == "proceed"
    done = howsure("investigate", "-", stdin="\n".join(map(json.dumps, lines)).encode())
    assert (done.returncode, done.stdout.count(b"proceed:"), b"stop:" in done.stdout) == (0, 1, False)


def test_sessions_without_a_call_are_left_out() -> None:
    talk = {"type": "user", "message": {"role": "user", "content": "hi"}, "sessionId": "t"}
    named = [call | {"sessionId": "u"} for call in CALLS]
    assert [trace.id for trace in read([{"type": "summary"}, talk, *TRANSCRIPT, *named], lines=True)] == ["s", "u"]
    assert [trace.id for trace in read([*CALLS, *TRANSCRIPT, *named], lines=True)] == ["file", "s", "u"]
    assert [len(trace.calls) for trace in read([{"steps": []}, {"steps": CALLS}])] == [0, 3]


def asked(*names: str, ids: bool = False) -> dict[str, Any]:
    given = [{"function": {"name": name, "arguments": json.dumps({"query": name})}} for name in names]
    return {
        "role": "assistant",
        "tool_calls": [call | ({"id": str(place)} if ids else {}) for place, call in enumerate(given)],
    }


@pytest.mark.parametrize("ids", [True, False])
@pytest.mark.parametrize("named", [True, False])
def test_calls_without_ids_are_answered_by_name_or_in_order(ids: bool, named: bool) -> None:
    def answers(*names: str) -> list[dict[str, Any]]:
        return [{"role": "tool", "content": f"of {name}"} | ({"name": name} if named else {}) for name in names]

    order = ("b", "a", "c") if named and not ids else ("a", "b", "c")
    (trace,) = read([asked("a", "b", "c", ids=ids), *answers(*order), asked("d", ids=ids)])
    assert [(call.tool, call.arguments, call.output, call.error) for call in trace.calls] == [
        *((name, {"query": name}, f"of {name}", None) for name in order),
        ("d", {"query": "d"}, None, "no result"),
    ]


def test_an_id_that_comes_twice_loses_no_call() -> None:
    (trace,) = read([asked("a", ids=True), asked("b", ids=True), {"role": "tool", "tool_call_id": "0", "content": "x"}])
    assert [(call.tool, call.error) for call in trace.calls] == [("a", None), ("b", "no result")]


def test_functions_of_older_and_of_newer_conversations_keep_their_arguments(sure: Sure) -> None:
    function = {"name": "grep_search", "arguments": '{"query": "Parser"}'}
    older = [
        {"role": "assistant", "function_call": function},
        {"role": "function", "name": "grep_search", "content": "a"},
    ]
    newer = [
        {"type": "function_call", "call_id": "1"} | function,
        {"type": "function_call_output", "call_id": "1", "output": "src/parser.py:1: Parser"},
    ]
    kept = [{"type": "response_item", "payload": item} for item in newer]
    for content in (older, newer, kept):
        (trace,) = read(content)
        assert [(call.tool, call.arguments) for call in trace.calls] == [("grep_search", {"query": "Parser"})]
        assert standing(sure, trace)["categories"] == {"search": 0.65}


def test_newer_trajectories_view_files_by_a_command(sure: Sure) -> None:
    steps = [
        {"action": "grep -rn Parser src", "observation": "src/parser.py:1:class Parser"},
        {"action": "str_replace_editor view /srv/src/parser.py", "observation": "1\tclass Parser"},
        {"action": {"action": "run", "args": {"command": "pytest"}}, "observation": "3 passed in 0.1s"},
        {"action": {"action": ""}, "observation": "x"},
    ]
    (trace,) = read({"trajectory": steps})
    assert standing(sure, trace)["categories"] == {"search": 0.65, "read": 0.8, "verification": 0.8}


def test_unknown_tools_are_counted(sure: Sure) -> None:
    (trace,) = read([{"tool": "dance", "results": 1}, {"tool": "dance", "arguments": {}}, *CALLS])
    found = replay(trace, sure.investigations.start("q"))
    assert (found.unknown, [step.evidence for step in found.steps]) == (2, [False, False, True, True, True])
    assert "unknown tools are ignored: dance" in found.score["warnings"]
    assert found.agreements == [("parser", ("read", "search"), (1, 2))]


def test_an_unreadable_file_is_reported(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot read"):
        list(read_traces(tmp_path / "nothing.jsonl"))


plain = st.none() | st.booleans() | st.integers(-5, 5) | st.text(max_size=8)
NAMES = (
    "role content tool_calls action observation tool results message type id steps function name arguments input "
    "tool_use_id passed factors"
)
names = st.sampled_from(NAMES.split())
anything = st.recursive(plain, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(names, inner, max_size=5))


@given(st.lists(st.dictionaries(names, anything, max_size=6), max_size=4))
def test_any_trace_is_scored_or_refused(content: Any) -> None:
    try:
        found = [replay(trace, Inquiry("q")).score["score"] for trace in read(content)]
    except InputError:
        return
    assert all(0.0 <= score <= 1.0 for score in found)


def test_messages_and_statuses_are_kept() -> None:
    chat = {
        "id": "chat",
        "exit_status": "submitted",
        "messages": [
            {"role": "user", "content": "Hi"},
            {"role": "assistant", "content": [{"type": "output_text", "text": "A moment."}]},
            {"role": "assistant", "tool_calls": [{"id": "1", "function": {"name": "get", "arguments": "{}"}}]},
            {"role": "tool", "tool_call_id": "1", "content": "x"},
        ],
    }
    [trace] = parse_traces(json.dumps(chat).encode(), "run")
    assert trace.messages == ("A moment.", "")
    assert trace.statuses == ("submitted",)
    assert trace.ends_with_message is False
    chat["messages"].append({"role": "assistant", "content": "Done."})  # type: ignore[attr-defined]
    assert next(parse_traces(json.dumps(chat).encode(), "run")).ends_with_message is True
    [steps] = parse_traces(b'[{"steps": [{"action": "ls", "observation": "a"}], "info": {"exit_status": null}}]', "run")
    assert (steps.messages, steps.statuses, steps.ends_with_message) == ((), ("",), None)


def test_arguments_that_are_nested_too_deeply_stay_a_text() -> None:
    call = {"id": "1", "function": {"name": "grep", "arguments": "[" * 100_000}}
    [trace] = parse_traces(json.dumps([{"role": "assistant", "tool_calls": [call]}]).encode(), "t")
    assert [(one.tool, len(one.arguments)) for one in trace.calls] == [("grep", 100_000)]


@pytest.mark.parametrize(
    ("limit", "value", "problem"),
    [
        ("howsure.agents.traces._LARGEST", 100, "traces of more than 0 MB"),
        ("howsure.agents.traces._MOST_OBJECTS", 20, "traces of more than 20 objects and lists"),
        ("howsure.agents.spans._MOST_SPANS", 2, "more than 2 spans"),
    ],
)
def test_files_that_would_fill_the_memory_are_refused(
    limit: str, value: int, problem: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A million spans in a file took 5.9 GB."""
    (tmp_path / "spans.json").write_text(json.dumps(SPANS))
    assert list(read_traces(tmp_path / "spans.json"))
    monkeypatch.setattr(limit, value)
    with pytest.raises(InputError, match=problem) as caught:
        list(read_traces(tmp_path / "spans.json"))
    assert (caught.value.hint or "").startswith("split it")


@pytest.mark.parametrize(
    ("call", "output"),
    [
        ({"exit_code": 1}, {"exit_code": 1}),
        ({"exitCode": 0, "output": "done"}, {"output": "done", "exitCode": 0}),
        ({"returncode": 1, "result": {"stdout": ""}}, {"stdout": "", "returncode": 1}),
        ({"exit_code": 1, "result": {"returncode": 0}}, {"returncode": 0}),
        ({"exit_code": 0, "results": 3}, 3),
        ({"exit_code": None, "result": "x"}, "x"),
    ],
)
def test_an_exit_code_beside_the_output_counts_as_one_within(call: dict[str, Any], output: Any) -> None:
    (trace,) = read([{"tool": "pytest", **call}])
    assert trace.calls[0].output == output


def test_failed_tests_are_known_by_an_exit_code_alone(sure: Sure) -> None:
    (trace,) = read([{"tool": "pytest", "exit_code": 1}])
    found = standing(sure, trace)
    assert (found["categories"], found["warnings"]) == ({"verification": 0.3}, ["the latest tests failed: pytest"])


def test_fields_that_look_like_typos_are_named(howsure: Run) -> None:
    calls: list[dict[str, Any]] = [
        {"tool": "grep", "target": "Foo", "resluts": 3},
        {"tool": "grep", "taget": "Foo", "resluts": 3},
        {"tool": "pytest", "exit_cod": 1},
    ]
    (trace,) = read(calls)
    assert trace.warnings == (
        "unknown field 'resluts' (did you mean results?)",
        "unknown field 'taget' (did you mean target?)",
        "unknown field 'exit_cod' (did you mean exit_code?)",
    )
    content = json.dumps(calls[0]).encode()
    assert trace.warnings[0] in howsure("investigate", "-", stdin=content).stdout.decode()
    assert json.loads(howsure("investigate", "-", "--json", stdin=content).stdout)["warnings"] == [trace.warnings[0]]


def test_fields_that_transcripts_carry_besides_are_no_typos() -> None:
    extra = {"id": 1, "duration_ms": 5, "completed": True, "timestamp": "x", "outputs": [], "result_type": "text"}
    (trace,) = read([{"tool": "grep", "target": "Foo", "results": 3, "resluts": 3, **extra}])
    assert trace.warnings == ()
