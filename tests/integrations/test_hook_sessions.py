"""Hooks tell the agents of a session and their projects apart."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from howsure.integrations.hooks import handle_event
from howsure.sure import open as open_store


def test_agents_of_one_session_are_distinguished(address: str) -> None:
    def stop(**more: Any) -> dict[str, Any]:
        event = {"hook_event_name": "SubagentStop", "session_id": "s", "last_assistant_message": "Perhaps it works."}
        return handle_event(event | more, store=address)

    used = {"hook_event_name": "PostToolUse", "session_id": "s", "tool_name": "Grep", "tool_input": {"pattern": "x"}}
    handle_event(used | {"tool_response": "No matches found"}, store=address)
    assert stop(agent_id="a")["decision"] == "block"
    assert stop(agent_id="b")["decision"] == "block"
    assert "let go" in stop(agent_id="a")["systemMessage"]
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda _: stop(agent_id="c"), range(4)))
    assert sum("decision" in one for one in found) == 2


def test_a_hook_keeps_to_the_project_that_is_set(address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "howsure.toml").write_text('project = "payments"\n')
    monkeypatch.chdir(tmp_path)
    event = {"hook_event_name": "Stop", "session_id": "s", "last_assistant_message": "Done.", "cwd": "/srv/repo"}
    handle_event(event, store=address)
    with open_store(address) as sure:
        assert [record.project for record in sure.ledger.find().decisions] == ["payments"]


READ = ("Read", {"file_path": "/srv/config.yaml"}, {"file": {"content": "port: 8080", "numLines": 1}})
NOTHING_FOUND = ("Grep", {"pattern": "port"}, "No matches found")
EDIT = ("Edit", {"file_path": "/srv/x.py", "old_string": "a", "new_string": "b"}, {"filePath": "/srv/x.py"})
FAILED = ("Bash", {"command": "pytest -q"}, {"stdout": "F.\n1 failed, 1 passed in 0.10s\n", "stderr": ""})
ANSWER = "The port is 8080. Do you want me to change it?"


@pytest.mark.parametrize(
    ("calls", "response", "output"),
    [
        ([READ], ANSWER, "let go, since it ends with a question to you"),
        ([NOTHING_FOUND], ANSWER, "block"),
        ([READ, EDIT], ANSWER, "block"),
        ([READ], "The port is 8080.", "block"),
        ([READ], "All tests pass. Shall I commit?", "block"),
        ([READ, EDIT, FAILED], "All tests pass. Shall I commit?", "block"),
        ([READ], "No tests fail any more. Shall I commit?", "block"),
        ([EDIT], "No test fails. Shall I commit?", "block"),
        ([], "No tests fail now. Should I push?", "nothing was looked up or checked"),
        ([EDIT, FAILED], "No tests fail any more. Shall I commit?", "block"),
        ([EDIT, FAILED], "The tests fail no longer. Should I push?", "block"),
        ([EDIT, FAILED], "One test failed, and I fixed it. Shall I commit?", "block"),
        ([EDIT, FAILED], "One test fails. Should I look into it?", "{}"),
        ([EDIT, FAILED], "The test run failed: test_x. Do you want me to fix it?", "let go, since it ends"),
        ([EDIT, FAILED], "4 of 5 tests pass; test_x fails. Shall I go on?", "let go, since it ends"),
        ([READ, EDIT, FAILED], ANSWER, "block"),
        (
            [READ, EDIT, FAILED],
            "One test fails because the port is taken. Should I use another?",
            "let go, since it ends",
        ),
        ([READ, EDIT, FAILED], "I've updated the config. Should I restart the server?", "{}"),
        ([NOTHING_FOUND], "I could not find the port. Where is it set?", "{}"),
        ([NOTHING_FOUND], "Which port should I use?", "{}"),
    ],
)
def test_a_response_that_asks_the_user_is_not_sent_back_for_what_the_session_shows(
    address: str, calls: list[tuple[str, Any, Any]], response: str, output: str
) -> None:
    for tool, given, result in calls:
        event = {"session_id": "s", "tool_name": tool, "tool_input": given, "tool_response": result}
        assert handle_event(event | {"hook_event_name": "PostToolUse"}, store=address) == {}
    stop = {"hook_event_name": "Stop", "session_id": "s", "last_assistant_message": response}
    said = handle_event(stop, store=address)
    if output in ("block", "{}"):
        assert said.get("decision", "{}") == output
        assert "systemMessage" not in said
    else:
        assert output in said["systemMessage"]


GREP = ("Grep", {"pattern": "Parser"}, {"filenames": ["src/p.py"], "numFiles": 1})
READ_CODE = ("Read", {"file_path": "src/p.py"}, {"file": {"content": "class Parser: ...", "numLines": 1}})
EDIT_README = ("Edit", {"file_path": "README.md", "old_string": "a", "new_string": "b"}, {"filePath": "README.md"})
PASSED = ("Bash", {"command": "pytest -q"}, {"stdout": "5 passed in 0.1s\n", "stderr": ""})
PASSED_NPM = ("Bash", {"command": "npm test"}, {"stdout": "Tests: 3 passed, 3 total\n", "stderr": ""})


@pytest.mark.parametrize(
    ("calls", "response", "blocked"),
    [
        ([GREP, READ_CODE, EDIT_README], "I updated the README.", False),
        ([GREP, READ_CODE, EDIT, PASSED, EDIT_README], "Fixed.", False),
        ([GREP, READ_CODE, EDIT, EDIT_README], "Fixed.", True),
        ([GREP, READ_CODE, EDIT, PASSED, EDIT], "Fixed.", True),
        ([GREP, READ_CODE, EDIT, FAILED, PASSED_NPM], "All tests pass.", True),
        ([GREP, READ_CODE, EDIT, FAILED, PASSED_NPM, PASSED], "All tests pass.", False),
    ],
)
def test_code_that_was_changed_has_to_be_checked_by_every_tool_that_failed(
    address: str, calls: list[tuple[str, Any, Any]], response: str, blocked: bool
) -> None:
    for tool, given, result in calls:
        event = {"session_id": "s", "tool_name": tool, "tool_input": given, "tool_response": result}
        assert handle_event(event | {"hook_event_name": "PostToolUse"}, store=address) == {}
    stop = {"hook_event_name": "Stop", "session_id": "s", "last_assistant_message": response}
    assert ("decision" in handle_event(stop, store=address)) is blocked


@pytest.mark.parametrize(
    ("carried", "problem"),
    [
        ({"knowlege": 0.9}, "there is no signal 'knowlege' (did you mean knowledge?)"),
        (5, "`howsure` was left out: 5 is not an object"),
    ],
)
def test_what_cannot_be_read_beside_a_response_is_named(address: str, carried: Any, problem: str) -> None:
    stop = {"hook_event_name": "Stop", "session_id": "s", "last_assistant_message": "Fixed.", "howsure": carried}
    assert problem in handle_event(stop, store=address)["systemMessage"]
