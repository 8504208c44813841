"""Traces: what whole runs of agents did, read from the files that they leave behind."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import orjson

from howsure.errors import InputError, shown

_STEPS = ("trajectory", "steps", "tool_calls", "calls", "messages", "traj", "history")
_IDS = ("id", "trace_id", "instance_id", "session_id", "task_id", "name")


class Made(NamedTuple):
    """One tool call as a trace tells it."""

    tool: str
    arguments: Any
    returned: Any
    error: str | None = None
    fields: Mapping[str, Any] = {}
    """What the trace itself says about the call: target, results, passed, factors, complete, recovery."""


class Trace(NamedTuple):
    """The tool calls of one run."""

    id: str
    question: str
    calls: list[Made]


def read_traces(path: Path) -> Iterator[Trace]:
    """Give the traces of a file: JSON Lines of calls or of traces, a transcript, a list of messages, a trajectory."""
    try:
        content = path.read_bytes()
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror}", field="file") from error
    yield from traces_in(content, path.stem)


def traces_in(content: bytes, name: str) -> Iterator[Trace]:
    """Give the traces in what a file holds."""
    text = content.removeprefix(b"\xef\xbb\xbf").strip()
    if not text:
        raise InputError("there is no trace in it", field="file", hint="JSON, or JSON Lines")
    try:
        whole: Any = orjson.loads(text)
    except orjson.JSONDecodeError:
        yield from _from_records(list(_lines(text)), name)
        return
    if isinstance(whole, list):
        yield from _from_records(whole, name)
    else:
        yield _trace(whole, name) if _steps(whole) is not None else _from_events([whole], name)


def _lines(text: bytes) -> Iterator[Any]:
    for number, line in enumerate(text.splitlines(), start=1):
        if line.strip():
            try:
                yield orjson.loads(line)
            except orjson.JSONDecodeError as error:
                problem = f"not JSON: {error.msg} at position {error.pos}"
                raise InputError(problem, line=number, hint="one object per line") from None


def _from_records(records: list[Any], name: str) -> Iterator[Trace]:
    """Give one trace for each record that holds one, or a single one that all records make up."""
    if records and all(isinstance(record, Mapping) and _steps(record) is not None for record in records):
        for number, record in enumerate(records, start=1):
            yield _trace(record, f"{name}-{number}")
        return
    if records and all(isinstance(record, list) for record in records):
        for number, record in enumerate(records, start=1):
            yield _from_events(record, f"{name}-{number}")
        return
    sessions: dict[str, list[Any]] = {}
    for record in records:
        if not isinstance(record, Mapping):
            raise InputError(f"{shown(record)} is no tool call and no message", field="file")
        sessions.setdefault(str(record.get("trace_id") or record.get("sessionId") or name), []).append(record)
    for session, events in sessions.items():
        yield _from_events(events, session)


def _steps(record: Mapping[str, Any]) -> list[Any] | None:
    if "role" in record:  # a message, whose tool calls are its own
        return None
    return next((record[name] for name in _STEPS if isinstance(record.get(name), list)), None)


def _trace(record: Mapping[str, Any], name: str) -> Trace:
    found = next((str(record[key]) for key in _IDS if record.get(key) not in (None, "")), name)
    trace = _from_events(_steps(record) or [], found)
    question = next((record[key] for key in ("question", "issue", "problem_statement", "query") if record.get(key)), "")
    return trace._replace(question=str(question)[:2000] or trace.question)


def _from_events(events: list[Any], name: str) -> Trace:
    """Return the trace that calls, steps or messages make up, in whatever form they come."""
    question = ""
    made: list[Made] = []
    waiting: dict[str, tuple[str, Any]] = {}
    for event in events:
        if not isinstance(event, Mapping):
            continue
        inner = event.get("message")
        message: Mapping[str, Any] = inner if isinstance(inner, Mapping) else event
        role = message.get("role") or event.get("type")
        if role == "user" and not question:
            question = _text(message.get("content"))
        if role in ("user", "assistant", "tool", "function", "system") or "tool_calls" in message:
            made += _of_message(message, waiting)
        elif "action" in event:
            made += _of_step(event)
        else:
            made += _of_call(event)
    made += [Made(tool, arguments, None, "no result") for tool, arguments in waiting.values()]
    return Trace(name, question[:2000], made)


def _text(content: Any) -> str:
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else []
    return "\n".join(
        str(part.get("text", "")) for part in parts if isinstance(part, Mapping) and part.get("type") == "text"
    )


def _of_message(message: Mapping[str, Any], waiting: dict[str, tuple[str, Any]]) -> list[Made]:
    """Take the tool calls that a message makes, and give those that it answers."""
    made: list[Made] = []
    content = message.get("content")
    for part in content if isinstance(content, list) else []:
        if not isinstance(part, Mapping):
            continue
        if part.get("type") == "tool_use":
            waiting[str(part.get("id"))] = (str(part.get("name", "")), part.get("input"))
        elif part.get("type") == "tool_result":
            made += _answered(
                waiting, str(part.get("tool_use_id")), part.get("content"), failed=bool(part.get("is_error"))
            )
    asked = message.get("tool_calls")
    for call in asked if isinstance(asked, list) else []:
        if isinstance(call, Mapping):
            inner = call.get("function")
            function: Mapping[str, Any] = inner if isinstance(inner, Mapping) else call
            waiting[str(call.get("id"))] = (str(function.get("name", "")), _arguments(function.get("arguments")))
    if message.get("role") in ("tool", "function"):
        made += _answered(waiting, str(message.get("tool_call_id")), content, name=message.get("name"))
    return made


def _answered(
    waiting: dict[str, tuple[str, Any]], id_: str, content: Any, *, failed: bool = False, name: Any = None
) -> list[Made]:
    tool, arguments = waiting.pop(id_, (str(name or ""), None))
    return [Made(tool, arguments, content, "failed" if failed else None)] if tool else []


def _arguments(given: Any) -> Any:
    if not isinstance(given, str):
        return given
    try:
        return json.loads(given)
    except ValueError:
        return given


def _of_step(step: Mapping[str, Any]) -> list[Made]:
    """Give what a step of a trajectory did: an action, as a command, and what was observed."""
    action = step.get("action")
    if isinstance(action, Mapping):
        arguments = action.get("args", action.get("arguments"))
        return [Made(str(action.get("action") or action.get("name") or ""), arguments, step.get("observation"))]
    return [Made("bash", {"command": str(action or "")}, step.get("observation"))]


def _of_call(call: Mapping[str, Any]) -> list[Made]:
    """Give a call that is told in one object."""
    tool = next(
        (call[name] for name in ("tool", "tool_name", "func_name", "name") if isinstance(call.get(name), str)), ""
    )
    if not tool:
        return []
    arguments = next((call[name] for name in ("arguments", "tool_input", "args", "input") if name in call), None)
    returned = next(
        (call[name] for name in ("results", "result", "tool_response", "output", "response") if name in call), None
    )
    if returned is None and isinstance(call.get("call_ok"), bool):
        returned = 1 if call["call_ok"] else 0
    names = ("target", "passed", "factors", "complete", "recovery")
    fields = {name: call[name] for name in names if call.get(name) is not None}
    error = call.get("error")
    return [Made(tool, arguments, returned, None if error in (None, False, "") else str(error), fields)]
