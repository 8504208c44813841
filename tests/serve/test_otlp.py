"""Spans sent to /v1/traces become investigations."""

import gzip
import json
from typing import Any

import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import (
    ExportTracePartialSuccess,
    ExportTraceServiceResponse,
)

from howsure.serve.otlp import PATH, PROTOBUF
from howsure.serve.tokens import Tokens
from howsure.sure import Sure
from tests.agents.runs import SPANS, TRACE, protobuf
from tests.serve.serving import Client, serving

BINARY = {"Content-Type": PROTOBUF}


def test_spans_are_an_investigation_however_they_are_sent(client: Client, store: Sure) -> None:
    content = protobuf(SPANS)
    sent = [
        client.post(PATH, json=SPANS),
        client.post(PATH, content=content, headers=BINARY),
        client.post(PATH, content=gzip.compress(content, mtime=0), headers=BINARY | {"Content-Encoding": "gzip"}),
    ]
    assert [(one.status_code, one.content) for one in sent] == [(200, b"{}"), (200, b""), (200, b"")]
    steps = store.investigations.steps(TRACE).steps
    assert [(step.tool, step.target, step.passed) for step in steps] == [
        ("grep", "Parser", None),
        ("pytest", "", False),
    ]
    assert client.get("/investigations/trace", params={"trace_id": TRACE}).status_code == 404, (
        "pages are not served here"
    )


def test_the_dashboard_shows_received_spans(store: Sure) -> None:
    with serving(store, pages=True) as client:
        client.post(PATH, json=SPANS)
        assert TRACE in client.get("/investigations/open").text
        assert "grep" in client.get("/investigations/trace", params={"trace_id": TRACE}).text


def test_spans_that_cannot_be_read_are_rejected_and_the_others_kept(client: Client, store: Sure) -> None:
    spans: list[dict[str, Any]] = SPANS["resourceSpans"][0]["scopeSpans"][0]["spans"]
    mixed = {"resourceSpans": [{"scopeSpans": [{"spans": [*spans, spans[1] | {"traceId": ""}]}]}]}
    answer = client.post(PATH, json=mixed)
    assert answer.json() == {"partialSuccess": {"rejectedSpans": "1", "errorMessage": "traceId: a span has no trace"}}
    binary = ExportTraceServiceResponse.FromString(client.post(PATH, content=protobuf(mixed), headers=BINARY).content)
    assert binary.partial_success.rejected_spans == 1
    assert len(store.investigations.steps(TRACE).steps) == 2


@pytest.mark.parametrize(
    ("request_", "problem"),
    [
        ({"resourceSpans": [5]}, "resourceSpans[0]: 5 is not an object"),
        ({"resourceSpans": [{"scopeSpans": 5}]}, "resourceSpans[0].scopeSpans: 5 is not a list"),
        ({"resource_spans": [{"scope_spans": ["x"]}]}, "resourceSpans[0].scopeSpans[0]: 'x' is not an object"),
        (
            {"resourceSpans": [{"scopeSpans": [{"spans": [{}, "x"]}]}]},
            "resourceSpans[0].scopeSpans[0].spans[1]: 'x' is not an object",
        ),
    ],
)
def test_what_is_no_span_is_named(shared: Client, request_: dict[str, Any], problem: str) -> None:
    answer = shared.post("/v1/traces", json=request_)
    assert answer.status_code == 200
    assert answer.json()["partialSuccess"]["errorMessage"] == problem


def test_a_request_without_a_list_of_spans_is_refused(shared: Client) -> None:
    answer = shared.post("/v1/traces", json={"resourceSpans": 5})
    assert answer.status_code == 400
    assert "resourceSpans: 5 is not a list" in answer.json()["message"]
    empties: list[dict[str, Any]] = [{}, {"resourceSpans": []}, {"resourceSpans": None}]
    for empty in empties:
        assert shared.post("/v1/traces", json=empty).json() == {}


@pytest.mark.parametrize(
    ("content", "headers", "status"),
    [
        (b"{", {"Content-Type": "application/json"}, 400),
        (b"[]", {"Content-Type": "application/json"}, 400),
        (b"{}", {"Content-Type": "text/plain"}, 415),
        (b"\xff", BINARY, 400),
        (b"x", BINARY | {"Content-Encoding": "gzip"}, 400),
        (gzip.compress(b"x", mtime=0)[:-4], BINARY | {"Content-Encoding": "gzip"}, 400),
        (gzip.compress(b"\0" * 10_000_001, mtime=0), BINARY | {"Content-Encoding": "gzip"}, 413),
        (b"x", BINARY | {"Content-Encoding": "br"}, 415),
        (b"\0" * 10_000_001, BINARY, 413),
        (b"\x0a\x00" * 2_000_001, BINARY, 400),
    ],
)
def test_what_is_refused(shared: Client, content: bytes, headers: dict[str, str], status: int) -> None:
    answer = shared.post(PATH, content=content, headers=headers)
    assert answer.status_code == status
    if headers["Content-Type"] == PROTOBUF:
        assert answer.headers["content-type"] == PROTOBUF
        assert ExportTracePartialSuccess.FromString(answer.content).error_message  # the fields of google.rpc.Status
    else:
        assert set(answer.json()) == {"code", "message"}


def test_only_posts_are_received(shared: Client) -> None:
    assert shared.get(PATH).status_code == 405


def test_a_token_that_may_write_is_needed(store: Sure) -> None:
    tokens = Tokens(store.session)
    secrets = {403: tokens.create("reader", "read").secret, 200: tokens.create("writer", "write").secret}
    with serving(store, tokens=True) as client:
        assert client.post(PATH, json=SPANS).status_code == 401
        for status, secret in secrets.items():
            answer = client.post(PATH, json=SPANS, headers={"Authorization": f"Bearer {secret}"})
            assert answer.status_code == status, json.dumps(answer.json())
