"""Convert exports of Langfuse and LangSmith to runs with tool calls and messages."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from howsure.agents.messages import call, langchain_events, mappings, result, say, text_of
from howsure.agents.spans import parse

Record = Mapping[str, Any]
_OBSERVATIONS = (
    "SPAN",
    "GENERATION",
    "EVENT",
    "AGENT",
    "TOOL",
    "CHAIN",
    "RETRIEVER",
    "EVALUATOR",
    "EMBEDDING",
    "GUARDRAIL",
)
_DEEPEST = 100
"""Nested runs that are followed."""


def is_langfuse(record: Record) -> bool:
    """Return whether this is a trace of Langfuse with its observations, or one observation."""
    if any(one.get("type") in _OBSERVATIONS for one in mappings(record.get("observations"))):
        return True
    return record.get("type") in _OBSERVATIONS and bool(record.get("traceId", record.get("trace_id")))


def convert_langfuse(records: Sequence[Record]) -> list[dict[str, Any]]:
    """Return a run for each trace of Langfuse.

    Tools are observations of the type TOOL; in exports of older versions, the innermost spans.
    """
    runs: list[dict[str, Any]] = []
    loose: dict[str, list[Record]] = {}
    for record in records:
        if isinstance(record.get("observations"), list):
            runs.append(_langfuse_run(record.get("id"), mappings(record["observations"]), record.get("input")))
        elif record.get("type") in _OBSERVATIONS:
            loose.setdefault(str(record.get("traceId", record.get("trace_id"))), []).append(record)
    return runs + [_langfuse_run(id_, observations, None) for id_, observations in loose.items()]


def _langfuse_run(id_: Any, observations: Sequence[Record], asked: Any) -> dict[str, Any]:
    ordered = sorted(observations, key=_start)
    tools = [one for one in ordered if one.get("type") in ("TOOL", "RETRIEVER")]
    said = [event for one in ordered if one.get("type") == "GENERATION" for event in _replies(one)]
    if not tools and not any("call_id" in event for event in said):
        parents = {str(one.get("parentObservationId", one.get("parent_observation_id"))) for one in ordered}
        tools = [one for one in ordered if one.get("type") == "SPAN" and str(one.get("id")) not in parents]
    of_tools = set(map(id, tools))
    events = _question(asked) or _first_question(one.get("input") for one in ordered if id(one) not in of_tools)
    if not tools:
        generations = [one for one in ordered if one.get("type") == "GENERATION"]
        return {"id": id_, "messages": _dialogue(generations[-1]) if generations else events}
    for one in ordered:
        if id(one) in of_tools:
            failed = one.get("level") == "ERROR"
            output = one.get("output") if one.get("output") is not None else one.get("statusMessage")
            events += _pair(one.get("id"), one.get("name"), one.get("input"), output, failed=failed)
        elif one.get("type") == "GENERATION":
            events += [event for event in _replies(one) if event.get("role") == "assistant"]
    return {"id": id_, "messages": events}


def _start(record: Record) -> str:
    """Return when an observation or a run started; times are ISO texts, which sort as they are."""
    return str(record.get("startTime") or record.get("start_time") or "")


def _pair(id_: Any, tool: Any, arguments: Any, output: Any, *, failed: bool) -> list[dict[str, Any]]:
    return [call(id_, tool, parse(arguments)), result(id_, parse(output), failed=failed)]


def _events(message: Record) -> Iterator[dict[str, Any]]:
    """Yield the events of a message in the form of OpenAI or LangChain."""
    if "role" not in message:
        yield from langchain_events(message)
        return
    if message["role"] == "tool":
        yield result(message.get("tool_call_id"), message.get("content"), tool=message.get("name"))
        return
    yield say(str(message["role"]), text_of(message.get("content")))
    more = message.get("additional_kwargs")
    calls = message.get("tool_calls") or (more.get("tool_calls") if isinstance(more, Mapping) else None)
    for one in mappings(calls):
        function = one.get("function", one)
        if isinstance(function, Mapping):
            yield call(one.get("id"), function.get("name"), parse(function.get("arguments", function.get("args"))))


def _find_messages(value: Any) -> list[Record]:
    """Return the messages in an input or output: a message, a list of them, or an object with such a list."""
    value = parse(value)
    while isinstance(value, Mapping) and not ({"role", "lc"} & set(value)):
        value = parse(next((value[name] for name in ("messages", "choices", "output") if name in value), None))
    found = [value] if isinstance(value, Mapping) else value if isinstance(value, list) else []
    flat = [one for item in found for one in (item if isinstance(item, list) else [item])]
    return [one.get("message", one) if isinstance(one.get("message"), Mapping) else one for one in mappings(flat)]


def _replies(generation: Record) -> list[dict[str, Any]]:
    output = parse(generation.get("output", generation.get("outputs")))
    if isinstance(output, str):
        return [say("assistant", output)]
    return [event for message in _find_messages(output) for event in _events(message)]


def _dialogue(generation: Record) -> list[dict[str, Any]]:
    """Return everything that a model was sent and what it replied."""
    asked = _find_messages(generation.get("input", generation.get("inputs")))
    return [event for message in asked for event in _events(message)] + _replies(generation)


def _question(value: Any) -> list[dict[str, Any]]:
    """Return the first message of the user in an input; a text is one."""
    value = parse(value)
    if isinstance(value, Mapping) and not _find_messages(value):
        value = next((value[name] for name in ("question", "query", "input") if isinstance(value.get(name), str)), None)
    if isinstance(value, str) and value.strip():
        return [say("user", value)]
    events = (event for message in _find_messages(value) for event in _events(message))
    return [event for event in events if event.get("role") == "user"][:1]


def _first_question(values: Iterable[Any]) -> list[dict[str, Any]]:
    return next((found for value in values if (found := _question(value))), [])


def is_langsmith(record: Record) -> bool:
    """Return whether this is a run of LangSmith."""
    return isinstance(record.get("run_type"), str) and ("inputs" in record or "child_runs" in record)


def convert_langsmith(records: Sequence[Record]) -> list[dict[str, Any]]:
    """Return a run for each trace of LangSmith; child runs may be nested, or records of their own."""
    traces: dict[str, list[Record]] = {}
    for record in records:
        for run in _flatten(record, 0):
            id_ = run.get("trace_id") or record.get("trace_id") or record.get("id")
            traces.setdefault(str(id_), []).append(run)
    return [_langsmith_run(id_, sorted(runs, key=_start)) for id_, runs in traces.items()]


def _flatten(run: Record, depth: int) -> Iterator[Record]:
    yield run
    if depth < _DEEPEST:
        for child in mappings(run.get("child_runs")):
            yield from _flatten(child, depth + 1)


def _is_tool(run: Record) -> bool:
    return run.get("run_type") in ("tool", "retriever")


def _langsmith_run(id_: str, runs: Sequence[Record]) -> dict[str, Any]:
    models = [run for run in runs if run.get("run_type") == "llm"]
    if not any(map(_is_tool, runs)):
        return {"id": id_, "messages": _langsmith_dialogue(models[-1]) if models else []}
    events = _first_question(run.get("inputs") for run in runs if not _is_tool(run))
    for run in runs:
        if _is_tool(run):
            failed = bool(run.get("error"))
            output = run.get("error") if failed else _inner(run.get("outputs"), ("output", "documents"))
            events += _pair(
                run.get("id"), run.get("name"), _inner(run.get("inputs"), ("input",)), output, failed=failed
            )
        elif run.get("run_type") == "llm":
            said = (event for message in _generated(run.get("outputs")) for event in _events(message))
            events += [event for event in said if event.get("role") == "assistant"]
    return {"id": id_, "messages": events}


def _langsmith_dialogue(run: Record) -> list[dict[str, Any]]:
    asked = _find_messages(run.get("inputs"))
    return [event for message in [*asked, *_generated(run.get("outputs"))] for event in _events(message)]


def _generated(outputs: Any) -> list[Record]:
    """Return the messages in the outputs of a model: `generations` of LangChain, or messages."""
    generations = outputs.get("generations") if isinstance(outputs, Mapping) else None
    flat = (
        [one for group in generations or () for one in (group if isinstance(group, list) else [group])]
        if isinstance(generations, list)
        else []
    )
    return [one["message"] for one in mappings(flat) if isinstance(one.get("message"), Mapping)] or _find_messages(
        outputs
    )


def _inner(value: Any, names: Sequence[str]) -> Any:
    """Return a value that LangSmith has wrapped in an object with one of these names; of a message, its content."""
    if isinstance(value, Mapping) and len(value) == 1 and next(iter(value)) in names:
        value = next(iter(value.values()))
    message = (
        value.get("kwargs", value)
        if isinstance(value, Mapping) and (value.get("lc") or value.get("type") == "tool")
        else {}
    )
    return message["content"] if isinstance(message, Mapping) and "content" in message else value
