"""Store the tool calls in received spans of OpenTelemetry under their traces."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from itertools import islice
from typing import Any

import orjson

from howsure.agents.evidence import remove_secrets
from howsure.agents.spans import Span, convert_trace, read_spans
from howsure.errors import InputError, shown
from howsure.investigations.inquiry import make_stored_calls, read_call
from howsure.store.ledger_tables import tool_calls
from howsure.store.session import Session
from howsure.store.text_rules import check_name

MOST_SPANS = 50_000
"""Spans that are taken at once."""
MOST_CALLS = 50_000
"""Tool calls of a trace. All of them are read to judge it, which takes about a second."""
HINT = "start another trace for another investigation"
_NANOSECONDS = 1e9


@dataclass(frozen=True)
class SpansRecorded:
    """The result of storing a batch of spans."""

    spans: int
    """Spans in the batch; those that run no tool are accepted, and nothing is stored of them."""
    calls: int
    """Tool calls that were stored as evidence; those that are stored already count too."""
    rejected: int
    """Spans that could not be read."""
    problem: str
    """What is wrong with the first rejected span; empty if none was rejected."""


class Problems:
    """How many spans could not be stored, and what is wrong with the first of them."""

    def __init__(self) -> None:
        """Start without one."""
        self.count: int = 0
        self.first: str = ""

    def add(self, problem: str) -> None:
        """Count a problem."""
        self.first = self.first or problem
        self.count += 1


def record_spans(
    session: Session, tools: Mapping[str, str], redact: tuple[str, ...], request: Mapping[str, Any]
) -> SpansRecorded:
    """Store the tool calls of a batch of spans in one transaction. A batch that is sent again is stored once.

    Raises:
        InputError: if there are too many spans, or `resourceSpans` is not a list.
    """
    problems = Problems()
    spans = _read_batch(request, problems)
    unreadable = problems.count
    now = session.at(None)
    rows: list[tuple[str, float, list[dict[str, Any]], str]] = []
    traces: dict[str, list[Span]] = {}
    for span in spans:
        traces.setdefault(span.trace_id.lower(), []).append(span)
    for trace, members in traces.items():
        messages = _events_by_span(trace, members)
        for span in sorted(members, key=lambda one: one.end):
            try:
                _check_names(trace, span)
                calls = _read_calls(span, messages.get(span.span_id, {}), tools, redact) if span.tool else []
            except InputError as error:
                problems.add(str(error))
                continue
            if calls:
                at = min((span.end or span.start) / _NANOSECONDS, now) or now
                rows.append((trace, at, calls, _identify(span, calls)))
    count = 0
    if rows:
        with session.write() as transaction:
            stored = {trace: tool_calls.count(transaction, trace) for trace in {row[0] for row in rows}}
            for row in rows:
                # Exporters send a batch again if the answer is lost, also to a trace that takes no more.
                gained = tool_calls.put_span(transaction, *row, most=MOST_CALLS - stored[row[0]])
                if gained is None:
                    problems.add(f"the trace has {stored[row[0]]:,} tool calls ({HINT})")
                    continue
                stored[row[0]] += gained
                count += len(row[2])
    return SpansRecorded(len(spans) + unreadable, count, problems.count, problems.first[:500])


def _read_batch(request: Mapping[str, Any], problems: Problems) -> list[Span]:
    """Return the spans of a request, and count what is none.

    Raises:
        InputError: if there are too many spans, or `resourceSpans` is not a list.
    """
    given = request.get("resourceSpans", request.get("resource_spans"))
    if given is not None and not isinstance(given, list):
        raise InputError(f"{shown(given)} is not a list", field="resourceSpans", hint="a request of OTLP as JSON")
    spans = list(islice(read_spans(request, problems.add), MOST_SPANS + 1))  # a body may hold millions of empty ones
    if len(spans) > MOST_SPANS:
        raise InputError(f"more than {MOST_SPANS:,} spans", field="resourceSpans", hint="send them in smaller batches")
    return spans


def _check_names(trace: str, span: Span) -> None:
    if not check_name(trace, "traceId").strip():
        raise InputError("a span has no trace", field="traceId")
    check_name(span.span_id, "spanId")


def _identify(span: Span, calls: list[dict[str, Any]]) -> str:
    """Return by what a span is known when it comes again: its id, or what it says if it has none."""
    if span.span_id.strip("0 "):
        return span.span_id
    return sha256(orjson.dumps([span.start, span.end, calls])).hexdigest()


def _events_by_span(trace: str, spans: Sequence[Span]) -> dict[str, dict[str, Any]]:
    """Return the call and the result of each tool's span, by its id and the type of the event."""
    events: dict[str, dict[str, Any]] = {}
    if any(span.tool for span in spans):
        for event in convert_trace(trace, spans)["messages"]:
            if "call_id" in event:
                events.setdefault(str(event["call_id"]), {})[event["type"]] = event
    return events


def _read_calls(
    span: Span, events: Mapping[str, Any], tools: Mapping[str, str], redact: tuple[str, ...]
) -> list[dict[str, Any]]:
    """Return the contents to store of the call in a tool's span; none if it is not evidence."""
    arguments = events.get("function_call", {}).get("arguments")
    output = events.get("function_call_output", {}).get("output")
    error = "failed" if span.failed else None
    calls, step = read_call(tools, span.tool, remove_secrets(arguments, redact), output, error=error)
    return make_stored_calls(calls, step, tools)
