"""Convert spans of OpenTelemetry about generative AI (OTLP in JSON form) to runs with tool calls and messages.

Read are the semantic conventions `gen_ai.*`, and the attributes of OpenInference and OpenLLMetry.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from howsure.agents.messages import call, mappings, parse_json, result, say, text_of
from howsure.errors import InputError, shown

Record = Mapping[str, Any]
_ERROR = (2, "2", "STATUS_CODE_ERROR")
_ARGUMENTS = ("gen_ai.tool.call.arguments", "input.value", "traceloop.entity.input", "tool_arguments")
_RESULTS = ("gen_ai.tool.call.result", "output.value", "traceloop.entity.output", "tool_response")
_NAMES = ("gen_ai.tool.name", "tool.name", "traceloop.entity.name")
_MOST_SPANS = 200_000
"""Spans of a file."""
_DEEPEST = 20
"""Nested values of attributes that are followed."""
_LONGEST_KEY = 100
"""Characters of a name of a field; in longer ones underscores are left as they are."""


class Span(NamedTuple):
    """One span with its attributes as plain data."""

    trace_id: str
    span_id: str
    name: str
    start: int
    """Nanoseconds."""
    end: int
    attributes: dict[str, Any]
    failed: bool

    @property
    def tool(self) -> str:
        """The tool that this span runs; "" if it runs none."""
        attributes = self.attributes
        is_tool = (
            attributes.get("gen_ai.operation.name") == "execute_tool"
            or attributes.get("openinference.span.kind") == "TOOL"
            or attributes.get("traceloop.span.kind") == "tool"
            or ("gen_ai.tool.name" in attributes and "gen_ai.operation.name" not in attributes)
        )
        names = [attributes[key] for key in _NAMES if isinstance(attributes.get(key), str)]
        return (names[0] if names else self.name.removeprefix("execute_tool ")) if is_tool else ""

    def first(self, names: Sequence[str]) -> Any:
        """Return the first of these attributes that is there, read as JSON if it is a JSON text; else None."""
        return next((parse(self.attributes[name]) for name in names if name in self.attributes), None)


def parse(value: Any) -> Any:
    """Return the data in a JSON text, or the value itself. A text such as `42` or `null` stays one."""
    is_data = isinstance(value, str) and value.lstrip().startswith(("{", "[", '"'))
    return parse_json(value) if is_data else value


def is_request(record: Record) -> bool:
    """Return whether this is a request or a file of OTLP with spans."""
    return isinstance(record.get("resourceSpans", record.get("resource_spans")), list)


def read_spans(record: Record, reject: Callable[[str], None] | None = None) -> Iterator[Span]:
    """Yield the spans of a request; for anything else `reject` is called with what is wrong, if it is given."""
    for path, resource in _objects(record, "resourceSpans", "", reject):
        for place, scope in _objects(resource, "scopeSpans", path, reject):
            for _, span in _objects(scope, "spans", place, reject):
                yield _read_span({_camel(key): value for key, value in span.items()})


def _objects(
    holder: Record, name: str, path: str, reject: Callable[[str], None] | None
) -> Iterator[tuple[str, Record]]:
    """Yield the objects in a list of a request, each with its place."""
    given = holder.get(name, holder.get(re.sub("[A-Z]", lambda letter: f"_{letter[0].lower()}", name)))
    path = f"{path}.{name}" if path else name
    if given is not None and not isinstance(given, list):
        if reject is not None:
            reject(f"{path}: {shown(given)} is not a list")
        return
    for number, one in enumerate(given or ()):
        if isinstance(one, Mapping):
            yield f"{path}[{number}]", one
        elif reject is not None:
            reject(f"{path}[{number}]: {shown(one)} is not an object")


def _camel(name: str) -> str:
    if "_" not in name or len(name) > _LONGEST_KEY:
        return name
    first, *rest = name.split("_")
    return first + "".join(map(str.capitalize, rest))


def _read_span(span: Record) -> Span:
    attributes = _read_attributes(span.get("attributes"), 0)
    status = span.get("status")
    failed = (isinstance(status, Mapping) and status.get("code") in _ERROR) or "error.type" in attributes
    trace, own, name = (str(span.get(key) or "") for key in ("traceId", "spanId", "name"))
    return Span(
        trace,
        own,
        name,
        _nanos(span.get("startTimeUnixNano")),
        _nanos(span.get("endTimeUnixNano")),
        attributes,
        failed,
    )


def _nanos(value: Any) -> int:
    """Return a time; 64-bit numbers are texts in JSON."""
    text = str(value)
    return int(text) if text.isascii() and text.isdecimal() and len(text) <= 20 else 0  # noqa: PLR2004


def _read_attributes(attributes: Any, depth: int) -> dict[str, Any]:
    return {str(one.get("key")): _read_value(one.get("value"), depth) for one in mappings(attributes)}


def _read_value(value: Any, depth: int) -> Any:
    if not isinstance(value, Mapping) or depth > _DEEPEST:
        return None
    for name, inner in value.items():
        kind = _camel(name)
        if kind == "arrayValue":
            return (
                [_read_value(one, depth + 1) for one in mappings(inner.get("values"))]
                if isinstance(inner, Mapping)
                else []
            )
        if kind == "kvlistValue":
            return _read_attributes(inner.get("values"), depth + 1) if isinstance(inner, Mapping) else {}
        if kind == "intValue":
            return int(inner) if re.fullmatch(r"-?\d{1,19}", str(inner)) else None
        return inner
    return None


def convert(records: Sequence[Record]) -> list[dict[str, Any]]:
    """Return a run for each trace, with its calls and messages in the order of time.

    Raises:
        InputError: if there are too many spans.
    """
    traces: dict[str, list[Span]] = {}
    spans = (span for record in records for span in read_spans(record))
    for number, span in enumerate(spans):
        if number == _MOST_SPANS:
            raise InputError(f"more than {_MOST_SPANS:,} spans", field="file", hint="split it, by traces")
        traces.setdefault(span.trace_id, []).append(span)
    return [convert_trace(id_, spans) for id_, spans in traces.items()]


def convert_trace(id_: str, spans: Sequence[Span]) -> dict[str, Any]:
    """Return the run that the spans of one trace make up.

    Calls come from the spans of tools; arguments and results that these do not hold, from the messages of the model
    with the same call id. Without a span of a tool, all calls come from the messages.
    """
    ordered = sorted(spans, key=lambda span: span.start)
    chats = [span for span in ordered if not span.tool]
    known: dict[str, dict[str, Any]] = {}
    longest: list[dict[str, Any]] = []
    for span in chats:
        said = [event for name in ("input", "output") for event in _messages(span, name)]
        longest = said if len(said) > len(longest) else longest
        for event in said:
            if "call_id" in event:
                known.setdefault(str(event["call_id"]), {}).update({event["type"]: event})
    questions = [event for event in longest if event.get("role") == "user"][:1]
    if not any(span.tool for span in ordered):
        return {"id": id_, "messages": longest}
    events: list[dict[str, Any]] = list(questions)
    # The span of an agent repeats what the spans of its model say, and ends last.
    models = [span for span in chats if span.attributes.get("gen_ai.operation.name") != "invoke_agent"] or chats
    for span in sorted([*models, *(span for span in ordered if span.tool)], key=lambda span: span.start):
        if span.tool:
            events += tool_events(span, known.get(str(span.attributes.get("gen_ai.tool.call.id")), {}))
        else:
            events += [event for event in _messages(span, "output") if event.get("role") == "assistant"]
    return {"id": id_, "messages": events}


def tool_events(span: Span, known: Mapping[str, Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return the call and the result of a tool's span; `known` is what messages say about the same call."""
    arguments, output = span.first(_ARGUMENTS), span.first(_RESULTS)
    if arguments is None:
        arguments = known.get("function_call", {}).get("arguments")
    if output is None:
        output = known.get("function_call_output", {}).get("output")
    return [call(span.span_id, span.tool, arguments), result(span.span_id, output, failed=span.failed)]


def _messages(span: Span, side: str) -> list[dict[str, Any]]:
    """Return the messages that a span of a model holds: its input or its output."""
    events: list[dict[str, Any]] = []
    for message in mappings(
        span.first([f"gen_ai.{side}.messages", "pydantic_ai.all_messages" if side == "input" else ""])
    ):
        role = str(message.get("role") or ("assistant" if side == "output" else "user"))
        parts = mappings(message.get("parts"))
        text = text_of([part for part in parts if part.get("type") == "text"])
        if text and role in ("user", "assistant", "system"):
            events.append(say(role, text))
        for part in parts:
            if part.get("type") == "tool_call":
                events.append(call(part.get("id"), part.get("name"), part.get("arguments")))
            elif part.get("type") == "tool_call_response":
                events.append(result(part.get("id"), part.get("response", part.get("result"))))
    return events
