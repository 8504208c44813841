"""Traces: what whole runs of agents did, read from the files that they leave behind."""

import json
from collections import deque
from collections.abc import Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

import orjson

from howsure.errors import InputError, shown

_STEPS = ("trajectory", "steps", "tool_calls", "calls", "messages", "traj", "history")
_TOOLS = ("tool", "tool_name", "func_name")
_GIVEN = ("arguments", "tool_input", "args", "input")
_RETURNED = ("results", "result", "tool_response", "output", "response")
_FEW = 100
_HINT = "JSON Lines of tool calls, a transcript, a list of messages, or trajectories"
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
    """Give the traces in what a file holds. One in which no tool was called at all is no trace."""
    held: list[Trace] | None = []
    for trace in _read(content, name):
        if held is None:
            yield trace
        elif trace.calls:
            yield from (*held, trace)
            held = None
        else:
            held.append(trace)
    if held is not None:
        raise InputError("there is no tool call in it", field="file", hint=_HINT)


def _read(content: bytes, name: str) -> Iterator[Trace]:
    text = content.removeprefix(b"\xef\xbb\xbf").strip()
    if not text:
        raise InputError("there is no trace in it", field="file", hint=_HINT)
    try:
        whole = _parsed(text)
    except ValueError:
        whole = list(_lines(text))
    if isinstance(whole, list):
        yield from _from_records(whole, name)
    elif isinstance(whole, Mapping):
        yield _trace(whole, name) if _steps(whole) is not None else _from_events([whole], name)
    else:
        raise InputError(f"{shown(whole)} is no trace", field="file", hint=_HINT)


def _parsed(text: bytes) -> Any:
    """Return what a piece of JSON says; numbers that JSON does not have are read too, so that they can be refused."""
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError:
        try:
            return json.loads(text)
        except (ValueError, RecursionError):
            pass
        raise


def _lines(text: bytes) -> Iterator[Any]:
    for number, line in enumerate(text.splitlines(), start=1):
        if line.strip():
            try:
                yield _parsed(line)
            except orjson.JSONDecodeError as error:
                problem = f"not JSON: {error.msg} at position {error.pos}"
                raise InputError(problem, line=number, hint="one object per line") from None


def _from_records(records: list[Any], name: str) -> Iterator[Trace]:
    """Give one trace for each record that holds one, or those that all records make up."""
    if records and all(isinstance(record, Mapping) and _steps(record) is not None for record in records):
        for number, record in enumerate(records, start=1):
            yield _trace(record, f"{name}-{number}")
        return
    if records and all(isinstance(record, list) for record in records):
        for number, record in enumerate(records, start=1):
            yield _from_events(record, f"{name}-{number}")
        return
    for number, record in enumerate(records, start=1):
        if not isinstance(record, Mapping):
            problem = f"{shown(record)} is no tool call and no message"
            raise InputError(problem, field=f"file, record {number}", hint=_HINT)
    for session, events in _sessions(records, name).items():
        trace = _from_events(events, session)
        if trace.calls:
            yield trace


def _sessions(records: list[Mapping[str, Any]], name: str) -> dict[str, list[Any]]:
    """Return the records by session. Where there is but one, it has those too that name none."""
    named = [str(record.get("trace_id") or record.get("sessionId") or "") for record in records]
    only = set(named) - {""}
    if len(only) == 1:
        return {only.pop(): list(records)}
    sessions: dict[str, list[Any]] = {}
    for session, record in zip(named, records, strict=True):
        sessions.setdefault(session or name, []).append(record)
    return sessions


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
    talk = _Conversation()
    for number, event in enumerate(events, start=1):
        if isinstance(event, Mapping):
            try:
                talk.take(event)
            except InputError as error:
                raise error.under(f"step {number}") from None
    return Trace(name, talk.question[:2000], talk.calls())


class _Conversation:
    """What an agent did so far: calls that were answered, and calls that still wait for it."""

    def __init__(self) -> None:
        self.question = ""
        self._made: list[Made] = []
        self._waiting: dict[str, deque[tuple[int, str, Any]]] = {}
        """By id, or under an empty one; each with its place among all."""
        self._asked = 0

    def calls(self) -> list[Made]:
        """Return all calls; those without an answer come last."""
        left = sorted((call for calls in self._waiting.values() for call in calls), key=lambda call: call[0])
        return self._made + [Made(tool, arguments, None, "no result") for _, tool, arguments in left]

    def take(self, event: Mapping[str, Any]) -> None:
        """Take one event: a message, an item of one, a step or a call."""
        inner = event.get("message", event.get("payload"))
        message: Mapping[str, Any] = inner if isinstance(inner, Mapping) else event
        role = message.get("role") or message.get("type") or event.get("type")
        if role == "user" and not self.question:
            self.question = _text(message.get("content"))
        if role in ("function_call", "custom_tool_call"):
            given = message.get("arguments", message.get("input"))
            self._ask(message.get("call_id", message.get("id")), message.get("name"), _arguments(given))
        elif role in ("function_call_output", "custom_tool_call_output"):
            self._answer(message.get("call_id"), message.get("output"))
        elif role in ("user", "assistant", "tool", "function", "system") or "tool_calls" in message:
            self._take_message(message)
        elif "action" in event:
            self._made += _of_step(event)
        else:
            self._made += _of_call(event)

    def _take_message(self, message: Mapping[str, Any]) -> None:
        """Take the tool calls that a message makes, and those that it answers."""
        content = message.get("content")
        for part in content if isinstance(content, list) else []:
            if isinstance(part, Mapping) and part.get("type") == "tool_use":
                self._ask(part.get("id"), part.get("name"), part.get("input"))
            elif isinstance(part, Mapping) and part.get("type") == "tool_result":
                self._answer(part.get("tool_use_id"), part.get("content"), failed=bool(part.get("is_error")))
        asked = message.get("tool_calls")
        for call in asked if isinstance(asked, list) else []:
            if isinstance(call, Mapping):
                self._ask_function(call.get("id"), call.get("function", call))
        self._ask_function(None, message.get("function_call"))
        if message.get("role") in ("tool", "function"):
            self._answer(message.get("tool_call_id"), content, name=message.get("name"))

    def _ask_function(self, id_: Any, function: Any) -> None:
        if isinstance(function, Mapping):
            self._ask(id_, function.get("name"), _arguments(function.get("arguments")))

    def _ask(self, id_: Any, tool: Any, arguments: Any) -> None:
        self._asked += 1
        if isinstance(tool, str) and tool.strip():
            self._waiting.setdefault(str(id_ or ""), deque()).append((self._asked, tool, arguments))

    def _answer(self, id_: Any, content: Any, *, failed: bool = False, name: Any = None) -> None:
        """Match an answer with its call: by id; where there is none, by name, or else in order."""
        key = next((key for key in (str(id_ or ""), "") if key in self._waiting), None)
        key = next(iter(self._waiting), None) if key is None and not id_ else key
        tool, arguments = (name if isinstance(name, str) else ""), None
        if key is not None:
            waiting = self._waiting[key]
            call = next((call for call in islice(waiting, _FEW) if call[1] == name), waiting[0])
            waiting.remove(call)
            tool, arguments = call[1:]
            if not waiting:
                del self._waiting[key]
        if tool.strip():
            self._made.append(Made(tool, arguments, content, "failed" if failed else None))


def _text(content: Any) -> str:
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else []
    return "\n".join(
        str(part.get("text", ""))
        for part in parts
        if isinstance(part, Mapping) and part.get("type") in ("text", "input_text")
    )


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
        tool = str(action.get("action") or action.get("name") or "")
        return [Made(tool, arguments, step.get("observation"))] if tool.strip() else []
    return [Made("bash", {"command": str(action or "")}, step.get("observation"))]


def _of_call(call: Mapping[str, Any]) -> list[Made]:
    """Give a call that is told in one object."""
    tool = next((call[name] for name in _TOOLS if call.get(name) is not None), None)
    if tool is None and any(name in call for name in (*_GIVEN, *_RETURNED)):
        tool = call.get("name")
    if tool is None:
        return []
    if not isinstance(tool, str) or not tool.strip():
        raise InputError(f"{shown(tool)} is no name of a tool", field="tool", hint="a text, like grep")
    arguments = next((call[name] for name in _GIVEN if name in call), None)
    returned = next((call[name] for name in _RETURNED if name in call), None)
    if returned is None and isinstance(call.get("call_ok"), bool):
        returned = 1 if call["call_ok"] else 0
    names = ("target", "passed", "factors", "complete", "recovery")
    fields = {name: call[name] for name in names if call.get(name) is not None}
    error = call.get("error")
    return [Made(tool, arguments, returned, None if error in (None, False, "") else str(error), fields)]
