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
