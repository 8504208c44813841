"""Traces: what agents leave behind, in the forms in which they leave it."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from howsure.engine.scored import scored
from howsure.engine.sure import Sure
from howsure.engine.traces import Trace, read_traces, traces_in
from howsure.errors import InputError
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
    return list(traces_in(text.encode(), "file"))


def standing(sure: Sure, trace: Trace) -> Any:
    return scored(trace, sure.investigations.start(trace.question)).score


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


def test_a_call_without_a_result_is_none(sure: Sure) -> None:
    (trace,) = read(TRANSCRIPT[:2], lines=True)
    assert standing(sure, trace)["score"] == 0.0


@pytest.mark.parametrize("content", ["", "  \n", "{", '{"a": 1}\n{', "5", '["x"]', "[5]\n{}"])
def test_what_is_no_trace_is_told(content: str) -> None:
    if content == "5":
        with pytest.raises(InputError):
            list(traces_in(b"[5]", "file"))
        return
    with pytest.raises(InputError):
        list(traces_in(content.encode(), "file"))


def test_a_file_that_cannot_be_read_is_told(tmp_path: Path) -> None:
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
def test_whatever_a_trace_holds_it_is_scored_or_refused(content: Any) -> None:
    from howsure.engine.investigations import Inquiry

    try:
        found = read(content)
    except InputError:
        return
    for trace in found:
        score = scored(trace, Inquiry("q", None, None)).score["score"]  # type: ignore[arg-type]
        assert 0.0 <= score <= 1.0


def test_the_command_line_draws_a_run(howsure: Run, tmp_path: Path) -> None:
    file = tmp_path / "run.jsonl"
    file.write_text("\n".join(map(json.dumps, TRANSCRIPT)))
    for width in ("40", "80", "160"):
        done = howsure("investigate", str(file), COLUMNS=width)
        text = done.stdout.decode()
        assert (done.returncode, "warning: the latest tests failed: pytest" in text.replace("\n", " ")) == (0, True)
        assert max(map(len, text.splitlines())) <= int(width)
    found = json.loads(howsure("investigate", str(file), "--json").stdout)
    assert [step["tool"] for step in found["steps"]] == ["Grep", "Read", "Bash"]
    brief = howsure("investigate", str(file), "--brief", "--record", "--agent", "ann").stdout.decode()
    assert brief.count("\n") == 1
    assert b"ann" in howsure("ledger", "list").stdout
    weak = howsure("investigate", "-", stdin=b'{"tool": "grep", "target": "x", "results": 0}')
    assert weak.returncode == 1
    wrong = howsure("investigate", "-", stdin=b"{")
    assert (wrong.returncode, b"Traceback" in wrong.stderr) == (2, False)
