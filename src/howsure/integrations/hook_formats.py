"""Convert events of Cursor's and Gemini CLI's hooks to those of Claude Code, and the answers back.

Codex has taken over the events of Claude Code, so they need no conversion.
"""

from collections.abc import Mapping
from typing import Any

from howsure.agents.messages import parse_json

_GEMINI = {"AfterTool": "PostToolUse", "AfterAgent": "Stop"}
_CURSOR = {"postToolUse": "PostToolUse", "postToolUseFailure": "PostToolUseFailure", "stop": "Stop"}


def is_cursor(event: Mapping[str, Any]) -> bool:
    """Return whether an event comes from Cursor, whose sessions are conversations."""
    return "conversation_id" in event and event.get("hook_event_name") in _CURSOR


def is_gemini(event: Mapping[str, Any]) -> bool:
    """Return whether an event comes from the Gemini CLI, which names its events itself."""
    return event.get("hook_event_name") in _GEMINI


def from_cursor(event: Mapping[str, Any]) -> dict[str, Any]:
    """Return an event of Cursor as Claude Code would send it."""
    roots = event.get("workspace_roots")
    folder = event.get("cwd") or (roots[0] if isinstance(roots, list) and roots else None)
    # Cursor counts how often a stop hook has sent the agent back; one that was aborted or failed has no response.
    ended = event.get("status", "completed") != "completed"
    loops = event.get("loop_count")
    return {
        **event,
        "hook_event_name": _CURSOR[event["hook_event_name"]],
        "session_id": event["conversation_id"],
        "cwd": folder,
        "tool_input": parse_json(event.get("tool_input")),
        "tool_response": parse_json(event.get("tool_output", event.get("tool_response"))),
        "error": event.get("error_message"),
        "stop_hook_active": ended or (isinstance(loops, int) and loops > 0),
    }


def to_cursor(answer: Mapping[str, Any]) -> dict[str, Any]:
    """Return an answer as Cursor reads it: what is sent back is the next message; it shows no messages to the user."""
    return {"followup_message": answer["reason"]} if answer.get("decision") == "block" else {}


def from_gemini(event: Mapping[str, Any]) -> dict[str, Any]:
    """Return an event of the Gemini CLI as Claude Code would send it. Answers need no conversion."""
    response = event.get("tool_response")
    details: Mapping[str, Any] = response if isinstance(response, Mapping) else {}
    failed = bool(details.get("error"))
    name = "PostToolUseFailure" if failed else _GEMINI[event["hook_event_name"]]
    return {
        **event,
        "hook_event_name": name,
        "tool_response": details.get("llmContent", response),
        "error": details.get("error"),
        "last_assistant_message": event.get("prompt_response"),
    }
