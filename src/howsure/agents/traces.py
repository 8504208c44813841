"""Read traces, the tool calls of whole runs of agents, from the transcripts and logs that agents write."""

import json
from collections import deque
from collections.abc import Iterator, Mapping
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import IO, Any, NamedTuple

import orjson

from howsure.agents.formats import FORMATS, convert
from howsure.agents.messages import parse_json, text_of
from howsure.agents.otlp_protobuf import decode_request
from howsure.agents.outputs.tool_output import EXIT_CODES
from howsure.errors import InputError, shown

_CALL_LISTS = ("trajectory", "steps", "tool_calls", "calls", "messages", "traj", "history")
"""Names of fields that hold the calls, steps or messages of a run."""
_TOOL_NAMES = ("tool", "tool_name", "func_name")
_ARGUMENTS = ("arguments", "tool_input", "args", "input")
_OUTPUTS = ("results", "result", "tool_response", "output", "response")
_FACTS = ("target", "passed", "factors", "complete", "recovery")
"""What a call may say about itself."""
_FIELDS = (_TOOL_NAMES, _ARGUMENTS, _OUTPUTS, *((name,) for name in (*_FACTS, "error")), EXIT_CODES)
"""Names of the fields of a call, each with those that mean the same."""
_COMMON = frozenset({"completed", "inputs", "outputs", "parsed", "tools"})
"""Names of other fields that look like them, but are no typos."""
_TYPO = 0.8
"""How similar (`difflib`) a name is to a known one at least to be taken for a typo of it."""
_MOST_WARNINGS = 20
_WAITING = 100
"""Unanswered calls that are searched for the name in an answer without id, so that time stays linear."""
_HINT = "JSON Lines of tool calls, a transcript, a list of messages, trajectories, " + ", ".join(
    one.name for one in FORMATS
)
_STATUSES = ("extract_status", "exit_status", "exit_reason", "stop_reason", "finish_reason", "termination_reason")
"""Names of fields that say how a run ended, or how each attempt to hand in its result ended."""
_LARGEST = 256_000_000
"""Bytes of a file of traces: it is read whole, and a million spans (517 MB) took 5.9 GB of memory and 206 s."""
_MOST_OBJECTS = 5_000_000
"""Objects and lists in a file of traces, counted by their first signs, those in texts included."""
_SPLIT = "split it: one run, or some of them, in a file"
_IDS = ("id", "trace_id", "instance_id", "session_id", "task_id", "name")


class RawToolCall(NamedTuple):
    """One tool call as it stands in a trace."""

    tool: str
    arguments: Any
    output: Any
    error: str | None = None
    fields: Mapping[str, Any] = {}
    """What the trace itself says about the call: target, passed, factors, complete, recovery."""


class Trace(NamedTuple):
    """The tool calls of one run."""

    id: str
    question: str
    calls: list[RawToolCall]
    messages: tuple[str, ...] = ()
    """What the agent wrote, message by message; empty for one that only calls tools."""
    statuses: tuple[str, ...] = ()
    """How the run says that it ended: one status for each attempt to hand in a result. Empty if it does not say."""
    ends_with_message: bool | None = None
    """Whether the agent wrote something after its last tool call; None if the trace has no messages."""
    warnings: tuple[str, ...] = ()
    """Fields of calls that were not read, although their names look like typos of fields that are."""


def read_traces(path: Path) -> Iterator[Trace]:
    """Yield the traces of a file: JSON Lines of calls or of traces, a transcript, messages, a trajectory, or an export.

    Raises:
        InputError: if the file cannot be read or holds no tool call.
    """
    try:
        with path.open("rb") as stream:
            content = read_content(stream)
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror}", field="file") from error
    yield from parse_traces(content, path.stem)


def read_content(stream: IO[bytes]) -> bytes:
    """Return the content of a file of traces.

    Raises:
        InputError: if it is too large.
    """
    content = stream.read(_LARGEST + 1)
    if len(content) > _LARGEST:
        raise InputError(f"traces of more than {_LARGEST // 10**6} MB", field="file", hint=_SPLIT)
    return content


def parse_traces(content: bytes, name: str) -> Iterator[Trace]:
    """Yield the traces in the content of a file; `name` is used for those without an id.

    Raises:
        InputError: if it is not a trace, or holds no tool call at all.
    """
    # Traces without calls are held back until one with calls shows that this is a file of traces.
    empty: list[Trace] | None = []
    for trace in _parse(content, name):
        if empty is None:
            yield trace
        elif trace.calls:
            yield from (*empty, trace)
            empty = None
        else:
            empty.append(trace)
    if empty is not None:
        raise InputError("no tool call in this file", field="file", hint=_HINT)


def _parse(content: bytes, name: str) -> Iterator[Trace]:
    text = content.removeprefix(b"\xef\xbb\xbf").strip()
    if not text:
        raise InputError("the file is empty", field="file", hint=_HINT)
    if len(text) > _MOST_OBJECTS and text.count(b"{") + text.count(b"[") > _MOST_OBJECTS:
        raise InputError(f"traces of more than {_MOST_OBJECTS:,} objects and lists", field="file", hint=_SPLIT)
    try:
        data = _parse_json(text)
    except ValueError:
        data = _parse_binary(content) or list(_parse_lines(text))
    runs = convert(data)
    if runs is not None:
        for number, run in enumerate(runs, start=1):
            yield _from_run(run, name if len(runs) == 1 else f"{name}-{number}")
    elif isinstance(data, list):
        yield from _from_records(data, name)
    elif isinstance(data, Mapping):
        yield _from_run(data, name) if _get_calls(data) is not None else _from_events([data], name)
    else:
        raise InputError(f"expected a trace, not {shown(data)}", field="file", hint=_HINT)


def _parse_binary(content: bytes) -> dict[str, Any] | None:
    """Return the spans in a request of OTLP in protobuf, or None if it is none."""
    if content[:1] != b"\n":  # the tag of its only field
        return None
    try:
        return decode_request(content) or None
    except InputError:
        return None


def _parse_json(text: bytes) -> Any:
    """Return the data in a JSON text; NaN and Infinity are read too, so that the error names their field."""
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError:
        try:
            return json.loads(text)
        except (ValueError, RecursionError):
            pass
        raise


def _parse_lines(text: bytes) -> Iterator[Any]:
    for number, line in enumerate(text.splitlines(), start=1):
        if line.strip():
            try:
                yield _parse_json(line)
            except orjson.JSONDecodeError as error:
                problem = f"not JSON: {error.msg} at position {error.pos}"
                raise InputError(problem, line=number, hint="one object per line") from None


def _from_records(records: list[Any], name: str) -> Iterator[Trace]:
    """Yield one trace per record if each holds a whole run, else the traces that the records make up together."""
    if records and all(isinstance(record, Mapping) and _get_calls(record) is not None for record in records):
        for number, record in enumerate(records, start=1):
            yield _from_run(record, f"{name}-{number}")
        return
    if records and all(isinstance(record, list) for record in records):
        for number, record in enumerate(records, start=1):
            yield _from_events(record, f"{name}-{number}")
        return
    for number, record in enumerate(records, start=1):
        if not isinstance(record, Mapping):
            problem = f"expected a tool call or a message, not {shown(record)}"
            raise InputError(problem, field=f"file, record {number}", hint=_HINT)
    for session, events in _group_by_session(records, name).items():
        trace = _from_events(events, session)
        if trace.calls:
            yield trace


def _group_by_session(records: list[Mapping[str, Any]], name: str) -> dict[str, list[Any]]:
    """Return the records by session. If there is only one session, records that name none belong to it."""
    ids = [str(record.get("trace_id") or record.get("sessionId") or "") for record in records]
    distinct = set(ids) - {""}
    if len(distinct) == 1:
        return {distinct.pop(): list(records)}
    sessions: dict[str, list[Any]] = {}
    for session, record in zip(ids, records, strict=True):
        sessions.setdefault(session or name, []).append(record)
    return sessions


def _get_calls(record: Mapping[str, Any]) -> list[Any] | None:
    """Return the list of calls, steps or messages of a whole run, or None if the record is something else."""
    if "role" in record:  # a message with tool calls
        return None
    return next((record[name] for name in _CALL_LISTS if isinstance(record.get(name), list)), None)


def _from_run(record: Mapping[str, Any], name: str) -> Trace:
    id_ = next((str(record[key]) for key in _IDS if record.get(key) not in (None, "")), name)
    trace = _from_events(_get_calls(record) or [], id_)
    question = next((record[key] for key in ("question", "issue", "problem_statement", "query") if record.get(key)), "")
    return trace._replace(question=str(question)[:2000] or trace.question, statuses=_get_statuses(record))


def _get_statuses(record: Mapping[str, Any]) -> tuple[str, ...]:
    """Return how a run says that it ended; a status that is null is an empty text."""
    inner = record.get("info")
    for holder in (record, inner if isinstance(inner, Mapping) else {}):
        name = next((name for name in _STATUSES if name in holder), None)
        if name is not None:
            status = holder[name]
            several = status if isinstance(status, list) else [status]
            return tuple("" if one is None else str(one)[:200] for one in several)
    return ()


def _from_events(events: list[Any], name: str) -> Trace:
    """Return the trace that calls, steps or messages make up, in any known form."""
    conversation = _Conversation()
    for number, event in enumerate(events, start=1):
        if isinstance(event, Mapping):
            try:
                conversation.add(event)
            except InputError as error:
                raise error.under(f"step {number}") from None
    return Trace(
        name,
        conversation.question[:2000],
        conversation.calls(),
        tuple(conversation.messages),
        ends_with_message=conversation.ends_with_message,
        warnings=tuple(conversation.warnings)[:_MOST_WARNINGS],
    )


class _Conversation:
    """The tool calls of an agent so far: those with an answer, and those that wait for it."""

    def __init__(self) -> None:
        self.question = ""
        self.messages: list[str] = []
        """What the agent wrote, message by message."""
        self.ends_with_message: bool | None = None
        self.warnings: dict[str, None] = {}
        self._answered: list[RawToolCall] = []
        self._waiting: dict[str, deque[tuple[int, str, Any]]] = {}
        """Calls without an answer yet, by id ("" if they have none): number, tool and arguments."""
        self._count = 0

    def calls(self) -> list[RawToolCall]:
        """Return all calls; those without an answer come last, with an error."""
        unanswered = sorted((call for calls in self._waiting.values() for call in calls), key=lambda call: call[0])
        return self._answered + [RawToolCall(tool, arguments, None, "no result") for _, tool, arguments in unanswered]

    def add(self, event: Mapping[str, Any]) -> None:
        """Add one event: a message, an item of a message, a step or a call."""
        inner = event.get("message", event.get("payload"))
        message: Mapping[str, Any] = inner if isinstance(inner, Mapping) else event
        role = message.get("role") or message.get("type") or event.get("type")
        if role == "user" and not self.question:
            self.question = text_of(message.get("content"))
        if role in ("function_call", "custom_tool_call"):
            arguments = parse_json(message.get("arguments", message.get("input")))
            self._add_call(message.get("call_id", message.get("id")), message.get("name"), arguments)
        elif role in ("function_call_output", "custom_tool_call_output"):
            failed, name = message.get("is_error") is True, message.get("name")
            self._add_answer(message.get("call_id"), message.get("output"), failed=failed, name=name)
        elif role in ("user", "assistant", "tool", "function", "system") or "tool_calls" in message:
            self._add_message(message)
        elif "action" in event:
            self._answered += _from_step(event)
        else:
            calls = _from_call(event)
            self._answered += calls
            self.warnings |= dict.fromkeys(_find_typos(event) if calls else ())

    def _add_message(self, message: Mapping[str, Any]) -> None:
        """Add the tool calls that a message makes, and the answers that it holds."""
        content = message.get("content")
        if message.get("role") == "assistant":
            text = text_of(content)
            self.messages.append(text)
            self.ends_with_message = bool(text.strip())
        for part in content if isinstance(content, list) else []:
            if isinstance(part, Mapping) and part.get("type") == "tool_use":
                self._add_call(part.get("id"), part.get("name"), part.get("input"))
            elif isinstance(part, Mapping) and part.get("type") == "tool_result":
                self._add_answer(part.get("tool_use_id"), part.get("content"), failed=bool(part.get("is_error")))
        calls = message.get("tool_calls")
        for call in calls if isinstance(calls, list) else []:
            if isinstance(call, Mapping):
                self._add_function_call(call.get("id"), call.get("function", call))
        self._add_function_call(None, message.get("function_call"))
        if message.get("role") in ("tool", "function"):
            self._add_answer(message.get("tool_call_id"), content, name=message.get("name"))

    def _add_function_call(self, id_: Any, function: Any) -> None:
        if isinstance(function, Mapping):
            self._add_call(id_, function.get("name"), parse_json(function.get("arguments")))

    def _add_call(self, id_: Any, tool: Any, arguments: Any) -> None:
        self._count += 1
        if self.ends_with_message:
            self.ends_with_message = False
        if isinstance(tool, str) and tool.strip():
            self._waiting.setdefault(str(id_ or ""), deque()).append((self._count, tool, arguments))

    def _add_answer(self, id_: Any, content: Any, *, failed: bool = False, name: Any = None) -> None:
        """Match an answer with its call: by id, else by name, else in order."""
        key = next((key for key in (str(id_ or ""), "") if key in self._waiting), None)
        key = next(iter(self._waiting), None) if key is None and not id_ else key
        tool, arguments = (name if isinstance(name, str) else ""), None
        if key is not None:
            waiting = self._waiting[key]
            call = next((call for call in islice(waiting, _WAITING) if call[1] == name), waiting[0])
            waiting.remove(call)
            tool, arguments = call[1:]
            if not waiting:
                del self._waiting[key]
        if tool.strip():
            self._answered.append(RawToolCall(tool, arguments, content, "failed" if failed else None))


def _from_step(step: Mapping[str, Any]) -> list[RawToolCall]:
    """Return the call of a step in a trajectory: an action, or a shell command, with its observation."""
    action = step.get("action")
    if isinstance(action, Mapping):
        arguments = action.get("args", action.get("arguments"))
        tool = str(action.get("action") or action.get("name") or "")
        return [RawToolCall(tool, arguments, step.get("observation"))] if tool.strip() else []
    return [RawToolCall("bash", {"command": str(action or "")}, step.get("observation"))]


def _find_typos(call: Mapping[str, Any]) -> Iterator[str]:
    """Yield a warning for each field that looks like a typo of one that the call does not have."""
    for name in call:
        meant = _find_meant(name)
        if meant is not None and not any(other in call for other in meant[1]):
            yield f"unknown field {shown(name)} (did you mean {meant[0]}?)"


@lru_cache(maxsize=1024)  # calls of a trace have the same fields
def _find_meant(name: str) -> tuple[str, tuple[str, ...]] | None:
    """Return the field that an unknown name is nearly the name of, with all fields that mean the same; or None."""
    import difflib

    known = {one: names for names in _FIELDS for one in names}
    if name in known or name in _COMMON:
        return None
    close = difflib.get_close_matches(name[:100].lower(), known, n=1, cutoff=_TYPO)
    return (close[0], known[close[0]]) if close else None


def _with_exit_code(output: Any, call: Mapping[str, Any]) -> Any:
    """Return an output with the exit code that stands beside it in the call, unless it has one itself."""
    code = {name: call[name] for name in EXIT_CODES if call.get(name) is not None}
    if not code or isinstance(output, list | int | float):
        return output
    if isinstance(output, Mapping):
        return output if any(name in output for name in EXIT_CODES) else {**output, **code}
    return code if output is None else {"output": output, **code}


def _from_call(call: Mapping[str, Any]) -> list[RawToolCall]:
    """Return a call that stands with its output in one object; none if the object is something else."""
    tool = next((call[name] for name in _TOOL_NAMES if call.get(name) is not None), None)
    if tool is None and any(name in call for name in (*_ARGUMENTS, *_OUTPUTS)):
        tool = call.get("name")
    if tool is None:
        return []
    if not isinstance(tool, str) or not tool.strip():
        raise InputError(f"expected the name of a tool, not {shown(tool)}", field="tool", hint="a text, like grep")
    arguments = next((call[name] for name in _ARGUMENTS if name in call), None)
    output = next((call[name] for name in _OUTPUTS if name in call), None)
    if output is None and isinstance(call.get("call_ok"), bool):
        output = 1 if call["call_ok"] else 0
    output = _with_exit_code(output, call)
    fields = {name: call[name] for name in _FACTS if call.get(name) is not None}
    error = call.get("error")
    return [RawToolCall(tool, arguments, output, None if error in (None, False, "") else str(error), fields)]
