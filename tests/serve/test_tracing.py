"""Traces: the events of decisions carry the trace id of the caller, whatever thread decides."""

import asyncio
import contextvars
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from mcp import Client as AgentClient
from opentelemetry import trace
from opentelemetry.sdk._logs import LoggerProvider
from opentelemetry.sdk._logs.export import InMemoryLogRecordExporter, SimpleLogRecordProcessor
from opentelemetry.sdk.trace import TracerProvider
from starlette.types import Receive, Scope, Send

from howsure.serve.mcp.transports import PATH, http_mounts
from howsure.serve.server import make_server
from howsure.serve.tracing import caller_trace, run_in_pool
from howsure.sure import Sure
from tests.serve import serving as servers
from tests.serve.serving import Client, serving

TRACE = 0x4BF92F3577B34DA6A3CE929D0E0E4736
PARENT = {"traceparent": f"00-{TRACE:032x}-00f067aa0ba902b7-01"}
CHECK = {"text": "It is tested.", "agent": "ann", "knowledge": 0.3}


@pytest.fixture
def events(monkeypatch: pytest.MonkeyPatch) -> InMemoryLogRecordExporter:
    """Return what collects the events that are sent to OpenTelemetry, through the real SDK."""
    exporter = InMemoryLogRecordExporter()  # type: ignore[no-untyped-call]
    provider = LoggerProvider()
    provider.add_log_record_processor(SimpleLogRecordProcessor(exporter))
    monkeypatch.setattr("opentelemetry._logs._internal._LOGGER_PROVIDER", provider)
    return exporter


def _traces(events: InMemoryLogRecordExporter) -> list[int]:
    return [record.log_record.trace_id or 0 for record in events.get_finished_logs()]


@pytest.fixture
def spans(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Serve with a middleware that starts a span for each request, as instrumentation does; list their traces."""
    tracer = TracerProvider().get_tracer("tests")
    started: list[int] = []

    def instrumented(sure: Sure, *arguments: Any, **named: Any) -> Any:
        server = make_server(sure, *arguments, **named)
        app: Any = server.config.app

        async def traced(scope: Scope, receive: Receive, send: Send) -> None:
            with tracer.start_as_current_span("request") as span:
                if scope["type"] == "http":
                    started.append(span.get_span_context().trace_id)
                await app(scope, receive, send)

        server.config.app = traced
        return server

    monkeypatch.setattr(servers, "make_server", instrumented)
    return started


def test_events_belong_to_the_span_of_an_instrumented_server(
    store: Sure, spans: list[int], events: InMemoryLogRecordExporter
) -> None:
    with serving(store, pages=True) as client:
        for name, given in (("responses.check", CHECK), ("syntheses.combine", {"query": "x"})):
            assert client.do(name, given).status_code == 200
    assert _traces(events) == spans
    assert 0 not in spans


def test_an_instrumented_server_keeps_its_own_span(
    store: Sure, spans: list[int], events: InMemoryLogRecordExporter
) -> None:
    with serving(store) as client:
        client.do("responses.check", CHECK, **PARENT)
    assert _traces(events) == spans
    assert spans != [TRACE]


def test_the_traceparent_of_a_caller_is_continued(client: Client, events: InMemoryLogRecordExporter) -> None:
    client.do("responses.check", CHECK, **PARENT)
    client.do("responses.check", CHECK)
    client.do("responses.check", CHECK, traceparent="00-nonsense")
    assert _traces(events) == [TRACE, 0, 0]


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_tools_belong_to_the_trace_of_the_agent(store: Sure, events: InMemoryLogRecordExporter, mode: str) -> None:
    tracer = TracerProvider().get_tracer("tests")

    async def story(url: str) -> int:
        with tracer.start_as_current_span("agent") as span:
            async with AgentClient(url, mode=mode) as agent:
                assert not (await agent.call_tool("check_response", CHECK)).is_error
            return span.get_span_context().trace_id

    with serving(store, mounts=http_mounts) as client:
        expected = asyncio.run(story(str(client.base_url).rstrip("/") + PATH))
    assert _traces(events) == [expected]


def test_tools_called_over_http_continue_the_traceparent(store: Sure, events: InMemoryLogRecordExporter) -> None:
    call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "check_response", "arguments": CHECK}}
    with serving(store, mounts=http_mounts) as client:
        accept = {"Accept": "application/json, text/event-stream"}
        assert client.post(PATH, json=call, headers=accept | PARENT).status_code == 200
    assert _traces(events) == [TRACE]


def test_streams_run_in_the_context_of_the_request(
    store: Sure, spans: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[int] = []

    def export(_: Any) -> Iterator[dict[str, Any]]:
        seen.append(trace.get_current_span().get_span_context().trace_id)
        yield {}

    monkeypatch.setattr(type(store.claims), "export", export)
    with serving(store) as client:
        assert client.do("claims.export", {}).status_code == 200
    assert seen == spans


def test_context_variables_reach_the_thread_and_stay_there() -> None:
    variable: contextvars.ContextVar[str] = contextvars.ContextVar("variable", default="unset")

    def work(value: str) -> str:
        before = variable.get()
        variable.set(value)
        return before

    async def run() -> None:
        with ThreadPoolExecutor(1) as pool:
            variable.set("caller")
            assert [await run_in_pool(pool, work, "one"), await run_in_pool(pool, work, value="two")] == ["caller"] * 2
            assert variable.get() == "caller"

    asyncio.run(run())


def test_without_a_header_nothing_changes() -> None:
    before = trace.get_current_span()
    with caller_trace({}):
        assert trace.get_current_span() is before
    with caller_trace(PARENT):
        assert trace.get_current_span().get_span_context().trace_id == TRACE
    assert trace.get_current_span() is before
