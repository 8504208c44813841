"""Protobuf of OTLP: the decoder reads what the real package writes."""

from contextlib import suppress
from typing import Any

import pytest
from google.protobuf.json_format import MessageToDict  # type: ignore[import-untyped]
from hypothesis import given
from hypothesis import strategies as st
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import (
    ExportTracePartialSuccess,
    ExportTraceServiceRequest,
    ExportTraceServiceResponse,
)
from opentelemetry.proto.common.v1.common_pb2 import AnyValue, KeyValue
from opentelemetry.proto.trace.v1.trace_pb2 import Span

from howsure.agents.otlp_protobuf import decode_request, encode_answer, encode_status
from howsure.agents.spans import read_spans
from howsure.errors import InputError

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
PLAIN = st.one_of(
    TEXT.map(lambda text: AnyValue(string_value=text)),
    st.booleans().map(lambda flag: AnyValue(bool_value=flag)),
    st.integers(-(2**63), 2**63 - 1).map(lambda number: AnyValue(int_value=number)),
    st.floats(allow_nan=False, allow_infinity=False).map(lambda number: AnyValue(double_value=number)),
)


def _list(values: list[AnyValue]) -> AnyValue:
    made = AnyValue()
    made.array_value.values.extend(values)
    return made


VALUES = st.recursive(PLAIN, lambda inner: st.lists(inner, max_size=3).map(_list), max_leaves=5)
SPANS = st.builds(
    Span,
    trace_id=st.binary(min_size=16, max_size=16),
    span_id=st.binary(min_size=8, max_size=8),
    parent_span_id=st.sampled_from([b"", b"12345678"]),
    name=TEXT,
    trace_state=TEXT,
    flags=st.integers(0, 2**32 - 1),
    start_time_unix_nano=st.integers(0, 2**64 - 1),
    end_time_unix_nano=st.integers(0, 2**64 - 1),
    attributes=st.lists(st.builds(KeyValue, key=TEXT, value=VALUES), max_size=4),
)


@given(st.lists(SPANS, max_size=4))
def test_it_reads_the_same_spans_as_the_package(spans: list[Span]) -> None:
    request = ExportTraceServiceRequest()
    request.resource_spans.add().scope_spans.add().spans.extend(spans)
    expected = MessageToDict(request)
    # The package writes ids in base64, which OTLP's own JSON does not.
    for one, span in zip(expected["resourceSpans"][0]["scopeSpans"][0].get("spans", []), spans, strict=True):
        one |= {"traceId": span.trace_id.hex(), "spanId": span.span_id.hex(), "parentSpanId": span.parent_span_id.hex()}
    read = list(read_spans(decode_request(request.SerializeToString())))
    assert read == list(read_spans(expected))
    assert len(read) == len(spans)


@given(st.binary(max_size=200))
def test_other_bytes_are_read_or_refused(content: bytes) -> None:
    with suppress(InputError):
        assert isinstance(decode_request(content), dict)


def test_deep_nesting_is_refused() -> None:
    value: Any = AnyValue(string_value="x")
    for _ in range(40):
        value = _list([value])
    request = ExportTraceServiceRequest()
    request.resource_spans.add().scope_spans.add().spans.add(attributes=[KeyValue(key="k", value=value)])
    with pytest.raises(InputError, match="nested too deeply"):
        decode_request(request.SerializeToString())


@given(st.integers(0, 2**40), TEXT)
def test_answers_are_what_the_package_reads(rejected: int, message: str) -> None:
    answer = ExportTraceServiceResponse.FromString(encode_answer(rejected, message))
    assert (answer.partial_success.rejected_spans, answer.partial_success.error_message) == (rejected, message)
    # google.rpc.Status has the same fields by number: a number and a text.
    status = ExportTracePartialSuccess.FromString(encode_status(3, message))
    assert (status.rejected_spans, status.error_message) == (3, message)
