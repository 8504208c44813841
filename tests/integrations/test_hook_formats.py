"""Hooks of Cursor, the Gemini CLI and Codex: the same session is judged alike."""

import json
from pathlib import Path
from typing import Any

import pytest

from howsure.integrations.hooks import handle_event
from howsure.sure import open as open_store

UNSURE = "It probably works."


def claude(tmp_path: Path, found: str) -> list[dict[str, Any]]:
    call = {"tool_name": "Grep", "tool_input": {"pattern": "x"}, "tool_response": found}
    return [
        {"hook_event_name": "PostToolUse", "session_id": "s", **call},
        {"hook_event_name": "Stop", "session_id": "s", "last_assistant_message": UNSURE},
    ]


def codex(tmp_path: Path, found: str) -> list[dict[str, Any]]:
    first, last = claude(tmp_path, found)
    return [first | {"turn_id": "t", "model": "m"}, last | {"turn_id": "t", "stop_hook_active": False}]


def gemini(tmp_path: Path, found: str) -> list[dict[str, Any]]:
    response = {"llmContent": found, "returnDisplay": "shown"}
    call = {"tool_name": "search_file_content", "tool_input": {"pattern": "x"}, "tool_response": response}
    return [
        {"hook_event_name": "AfterTool", "session_id": "s", **call},
        {"hook_event_name": "AfterAgent", "session_id": "s", "prompt_response": UNSURE, "stop_hook_active": False},
    ]


def cursor(tmp_path: Path, found: str) -> list[dict[str, Any]]:
    path = tmp_path / "transcript.jsonl"
    path.write_text(json.dumps({"role": "assistant", "message": {"content": [{"type": "text", "text": UNSURE}]}}))
    call = {"tool_name": "Grep", "tool_input": {"pattern": "x"}, "tool_output": json.dumps(found)}
    common = {"conversation_id": "s", "cursor_version": "2", "workspace_roots": [str(tmp_path)]}
    return [
        {"hook_event_name": "postToolUse", **common, **call},
        {"hook_event_name": "stop", **common, "status": "completed", "loop_count": 0, "transcript_path": str(path)},
    ]


@pytest.mark.parametrize("agent", [claude, codex, gemini, cursor])
def test_each_agent_is_sent_back_in_its_own_form(agent: Any, tmp_path: Path) -> None:
    store = str(tmp_path / "store.db")
    first, last = agent(tmp_path, "No matches found")
    assert handle_event(first, store=store) == {}
    answer = handle_event(last, store=store)
    reason = answer.pop("followup_message" if agent is cursor else "reason")
    assert reason.startswith("howsure: this response is not sure enough")
    assert answer == ({} if agent is cursor else {"decision": "block"})
    with open_store(store) as sure:
        [decision] = sure.ledger.find(limit=5).decisions
        assert (decision.trace_id, decision.decision) == ("s", "block")


def test_an_agent_that_was_sent_back_or_stopped_is_left_alone(tmp_path: Path) -> None:
    stop = cursor(tmp_path, "x")[1]
    for change in ({"loop_count": 1}, {"status": "aborted"}):
        assert handle_event(stop | change, store=str(tmp_path / "store.db")) == {}
    after = gemini(tmp_path, "x")[1] | {"stop_hook_active": True}
    assert handle_event(after, store=str(tmp_path / "store.db")) == {}


def test_a_failed_tool_of_gemini_is_no_evidence(tmp_path: Path) -> None:
    store = str(tmp_path / "store.db")
    call = gemini(tmp_path, "src/a.py:1: x")[0]
    handle_event(call | {"tool_response": {"llmContent": "src/a.py:1: x", "error": {"message": "failed"}}}, store=store)
    with open_store(store) as sure:
        assert sure.investigations.get("s").score == 0


def test_a_patch_of_codex_that_nobody_checked_is_sent_back(tmp_path: Path) -> None:
    store = str(tmp_path / "store.db")
    patch = "*** Begin Patch\n*** Update File: src/a.py\n@@\n-x\n+y\n*** End Patch\n"
    common = {
        "session_id": "s",
        "turn_id": "t",
        "transcript_path": None,
        "cwd": "/home/dev/proj",
        "model": "gpt-5",
        "permission_mode": "default",
    }
    call = {"tool_name": "apply_patch", "tool_use_id": "call_1", "tool_input": {"command": patch}}
    done = "Exit code: 0\nOutput:\nSuccess. Updated the following files:\nM src/a.py\n"
    used = {"hook_event_name": "PostToolUse", **common, **call, "tool_response": done}
    stop = {"hook_event_name": "Stop", **common, "stop_hook_active": False, "last_assistant_message": "It is fixed."}
    assert handle_event(used, store=store) == {}
    assert handle_event(stop, store=store)["decision"] == "block"


@pytest.mark.parametrize("name", ["postToolUse", "stop", "AfterTool", "AfterAgent"])
def test_odd_events_are_answered(name: str, tmp_path: Path) -> None:
    odds: tuple[Any, ...] = (None, 3, [], {"a": 1})
    for odd in odds:
        event = dict.fromkeys(
            ("tool_input", "tool_output", "tool_response", "workspace_roots", "loop_count", "cwd"), odd
        )
        answer = handle_event({"hook_event_name": name, "conversation_id": odd} | event, store=str(tmp_path / "s.db"))
        assert set(answer) <= {"systemMessage", "decision", "reason", "followup_message"}
