"""Convert transcripts of Codex and the Gemini CLI to messages in OpenAI's form."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from howsure.agents.messages import call, gemini_output, mappings, result, say, text_of

Record = Mapping[str, Any]
_ITEM = "item.completed"
_FAILED = ("failed", "error", "errored", "cancelled", "declined")


def is_gemini_cli(record: Record) -> bool:
    """Return whether this is a session of the Gemini CLI, or one of its messages."""
    return record.get("type") == "gemini" or any(
        one.get("type") == "gemini" for one in mappings(record.get("messages"))
    )


def convert_gemini_cli(records: Sequence[Record]) -> list[dict[str, Any]]:
    """Return a run for each session; lines of messages make up one."""
    sessions = [record for record in records if isinstance(record.get("messages"), list)]
    if sessions:
        return [_gemini_run(one.get("sessionId"), mappings(one["messages"])) for one in sessions]
    named = next((record["sessionId"] for record in records if record.get("sessionId")), None)
    return [_gemini_run(named, records)]


def _gemini_run(id_: Any, records: Sequence[Record]) -> dict[str, Any]:
    # A message is written again when its tools have answered, so the last version of each counts.
    last = {str(record.get("id", number)): record for number, record in enumerate(records)}
    events: list[dict[str, Any]] = []
    for record in last.values():
        kind, text = record.get("type"), text_of(record.get("content"))
        if kind == "user" or (kind == "gemini" and text):
            events.append(say("user" if kind == "user" else "assistant", text))
        for one in mappings(record.get("toolCalls")) if kind == "gemini" else ():
            events.append(call(one.get("id"), one.get("name"), one.get("args")))
            answered = next(
                (
                    part["functionResponse"]
                    for part in mappings(one.get("result"))
                    if isinstance(part.get("functionResponse"), Mapping)
                ),
                None,
            )
            if answered is not None or one.get("status") in _FAILED:
                output, failed = gemini_output(answered or {})
                events.append(result(one.get("id"), output, failed=failed or one.get("status") in _FAILED))
    return {"id": id_, "messages": events}


def is_codex(record: Record) -> bool:
    """Return whether this is a line of a Codex rollout, or of `codex exec --json`."""
    kind = record.get("type")
    if kind in ("session_meta", "response_item", "turn_context"):
        return isinstance(record.get("payload"), Mapping)
    return kind == "thread.started" or (kind == _ITEM and isinstance(record.get("item"), Mapping))


def convert_codex(records: Sequence[Record]) -> list[dict[str, Any]]:
    """Return the run of a session of Codex."""
    id_, events = None, list[dict[str, Any]]()
    for record in records:
        payload = record.get("payload")
        if record.get("type") == "session_meta" and isinstance(payload, Mapping):
            id_ = id_ or payload.get("id")
        elif record.get("type") == "thread.started":
            id_ = id_ or record.get("thread_id")
        elif record.get("type") == "response_item" and isinstance(payload, Mapping):
            events += _from_rollout(payload)
        elif record.get("type") == _ITEM and isinstance(record.get("item"), Mapping):
            events += _from_item(record["item"])
    return [{"id": id_, "messages": events}]


def _from_rollout(item: Record) -> Iterator[dict[str, Any]]:
    """Yield the events of an item of the Responses API, as a rollout holds it."""
    kind = item.get("type")
    if kind == "message":
        text = text_of(item.get("content"))
        # Instructions and the environment come as messages of the user, in tags.
        if item.get("role") == "assistant" or not text.lstrip().startswith(("<", "# AGENTS.md")):
            yield say(str(item.get("role")), text)
    elif kind == "local_shell_call":
        action = item.get("action")
        yield call(item.get("call_id"), "shell", action if isinstance(action, Mapping) else {})
    elif kind in ("function_call", "custom_tool_call", "function_call_output", "custom_tool_call_output"):
        yield dict(item)
    elif kind == "web_search_call":
        action = item.get("action")
        yield call(item.get("id"), "web_search", action if isinstance(action, Mapping) else {})
        yield result(item.get("id"), item.get("status"), failed=item.get("status") in _FAILED)


def _from_item(item: Record) -> Iterator[dict[str, Any]]:
    """Yield the events of an item that `codex exec --json` prints."""
    kind, id_ = item.get("type", item.get("item_type")), item.get("id")
    failed = item.get("status") in _FAILED
    if kind in ("agent_message", "assistant_message"):
        yield say("assistant", text_of(item.get("text")))
    elif kind == "command_execution":
        code = item.get("exit_code")
        yield call(id_, "shell", {"command": item.get("command")})
        failed = code not in (None, 0) if isinstance(code, int) else failed
        yield result(id_, item.get("aggregated_output"), failed=failed)
    elif kind == "mcp_tool_call":
        yield call(id_, item.get("tool"), item.get("arguments"))
        output = item.get("error") if failed else item.get("result")
        yield result(id_, output, failed=failed)
    elif kind == "file_change":
        for change in mappings(item.get("changes")):
            yield call(id_, "edit", {"path": change.get("path")})
            yield result(id_, item.get("status"), failed=failed)
    elif kind == "web_search":
        yield call(id_, "web_search", {"query": item.get("query")})
        yield result(id_, item.get("status", "completed"))
