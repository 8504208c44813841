"""Transcripts of Codex and the Gemini CLI."""

from typing import Any

from howsure.agents.rollouts import convert_codex, convert_gemini_cli, is_codex, is_gemini_cli


def test_items_of_codex_exec() -> None:
    lines: list[dict[str, Any]] = [
        {"type": "thread.started", "thread_id": "t1"},
        {
            "type": "item.completed",
            "item": {
                "id": "i1",
                "type": "command_execution",
                "command": "bash -lc 'pytest'",
                "aggregated_output": "1 failed",
                "exit_code": 1,
                "status": "failed",
            },
        },
        {
            "type": "item.completed",
            "item": {
                "id": "i2",
                "type": "file_change",
                "changes": [{"path": "a.py", "kind": "update"}],
                "status": "completed",
            },
        },
        {
            "type": "item.completed",
            "item": {
                "id": "i3",
                "type": "mcp_tool_call",
                "server": "s",
                "tool": "find",
                "arguments": {"q": 1},
                "result": {"content": []},
                "status": "completed",
            },
        },
        {"type": "item.completed", "item": {"id": "i4", "type": "agent_message", "text": "Done."}},
    ]
    assert is_codex(lines[0])
    [run] = convert_codex(lines)
    assert run["id"] == "t1"
    calls = [(one["name"], one["arguments"]) for one in run["messages"] if one.get("type") == "function_call"]
    assert calls == [("shell", {"command": "bash -lc 'pytest'"}), ("edit", {"path": "a.py"}), ("find", {"q": 1})]
    assert [one["is_error"] for one in run["messages"] if one.get("type") == "function_call_output"] == [
        True,
        False,
        False,
    ]


def test_a_local_shell_call_of_codex_is_a_shell() -> None:
    item = {"type": "local_shell_call", "call_id": "c", "action": {"type": "exec", "command": ["ls"]}}
    [run] = convert_codex([{"type": "response_item", "payload": item}])
    assert [(one["name"], one["arguments"]["command"]) for one in run["messages"]] == [("shell", ["ls"])]


def test_lines_of_the_gemini_cli_count_once_each() -> None:
    first = {
        "id": "2",
        "type": "gemini",
        "content": "",
        "toolCalls": [{"id": "c", "name": "ls", "args": {}, "status": "executing"}],
    }
    done = {"functionResponse": {"id": "c", "response": {"output": "a"}}}
    last = first | {"toolCalls": [{"id": "c", "name": "ls", "args": {}, "status": "success", "result": [done]}]}
    lines: list[dict[str, Any]] = [{"sessionId": "s1"}, {"id": "1", "type": "user", "content": "List."}, first, last]
    assert is_gemini_cli(first)
    [run] = convert_gemini_cli(lines)
    assert run["id"] == "s1"
    assert [one.get("type", one.get("role")) for one in run["messages"]] == [
        "user",
        "function_call",
        "function_call_output",
    ]
