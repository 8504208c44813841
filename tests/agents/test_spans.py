"""Spans of OpenTelemetry."""

from typing import Any

import pytest

from howsure.agents.spans import convert, read_spans
from tests.agents.runs import SPANS, TRACE


def test_traces_are_told_apart() -> None:
    spans = SPANS["resourceSpans"][0]["scopeSpans"][0]["spans"]
    other = {"resourceSpans": [{"scopeSpans": [{"spans": [spans[1] | {"traceId": "ff"}]}]}]}
    assert [run["id"] for run in convert([SPANS, other])] == [TRACE, "ff"]


def test_names_in_snake_case_and_all_kinds_of_values_are_read() -> None:
    value = {"kvlist_value": {"values": [{"key": "a", "value": {"array_value": {"values": [{"int_value": "3"}]}}}]}}
    span = {"trace_id": "t", "span_id": "s", "start_time_unix_nano": 5, "attributes": [{"key": "k", "value": value}]}
    [read] = read_spans({"resource_spans": [{"scope_spans": [{"spans": [span]}]}]})
    assert (read.trace_id, read.start, read.attributes) == ("t", 5, {"k": {"a": [3]}})


@pytest.mark.parametrize(("given", "read"), [("-5", -5), (7, 7), ("--5", None), ("", None), ("9" * 30, None)])
def test_a_whole_number_that_is_none_is_left_out(given: Any, read: int | None) -> None:
    span = {"attributes": [{"key": "n", "value": {"intValue": given}}]}
    assert [one.attributes for one in read_spans({"resourceSpans": [{"scopeSpans": [{"spans": [span]}]}]})] == [
        {"n": read}
    ]


def test_a_span_of_openllmetry_is_a_tool() -> None:
    attributes = [
        {"key": key, "value": {"stringValue": text}}
        for key, text in (
            ("traceloop.span.kind", "tool"),
            ("traceloop.entity.name", "grep"),
            ("traceloop.entity.input", '{"a": 1}'),
        )
    ]
    [run] = convert([{"resourceSpans": [{"scopeSpans": [{"spans": [{"traceId": "t", "attributes": attributes}]}]}]}])
    assert [(one.get("name"), one.get("arguments")) for one in run["messages"]][:1] == [("grep", {"a": 1})]
