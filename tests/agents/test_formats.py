"""Formats of frameworks: the same run, written by each of them, is read as the same calls."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from howsure.agents.formats import FORMATS, convert
from howsure.agents.traces import Trace, parse_traces
from howsure.errors import InputError
from tests.agents.runs import RUNS, protobuf

FAILED = "Exit code 1\n1 failed"


def read(data: Any) -> list[Trace]:
    return list(parse_traces(json.dumps(data).encode(), "file"))


@pytest.mark.parametrize("name", RUNS)
def test_each_format_gives_the_same_run(name: str) -> None:
    [trace] = read(RUNS[name])
    assert trace.question == "Where is the parser?"
    assert [(call.tool, call.arguments) for call in trace.calls] == [
        ("grep", {"pattern": "Parser"}),
        ("bash", {"command": "pytest"}),
    ]
    assert [call.output for call in trace.calls] == ["src/parser.py:3:class Parser", FAILED]
    assert [call.error for call in trace.calls] == [None, "failed" if "fails" not in name else None]
    assert trace.messages[-1:] == ("In src/parser.py.",)
    assert trace.ends_with_message is True


def test_every_format_has_a_run() -> None:
    recognized = {one.name for one in FORMATS for data in RUNS.values() if any(map(one.recognizes, _records(data)))}
    assert recognized == {one.name for one in FORMATS}


def _records(data: Any) -> list[Any]:
    return data if isinstance(data, list) else data.get("contents", [data]) if isinstance(data, dict) else [data]


def test_lines_are_read_too() -> None:
    lines = "\n".join(map(json.dumps, RUNS["langfuse observations"]))
    [trace] = parse_traces(lines.encode(), "file")
    assert (trace.id, len(trace.calls)) == ("t1", 2)


def test_protobuf_is_read_too() -> None:
    [trace] = parse_traces(protobuf(RUNS["spans"]), "file")
    assert trace.calls == read(RUNS["spans"])[0].calls


def test_an_unknown_format_names_the_known_ones() -> None:
    with pytest.raises(InputError, match="Langfuse, LangSmith"):
        read({"spans": [{"op": "x"}]})


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3),
    max_leaves=4,
)
KEYS = (
    "resourceSpans",
    "scopeSpans",
    "spans",
    "attributes",
    "key",
    "value",
    "observations",
    "type",
    "run_type",
    "inputs",
    "outputs",
    "child_runs",
    "kind",
    "parts",
    "part_kind",
    "lc",
    "kwargs",
    "data",
    "content",
    "tool_calls",
    "messages",
    "payload",
    "item",
    "functionCall",
    "functionResponse",
    "response",
    "role",
    "id",
    "traceId",
    "toolCalls",
    "result",
    "generations",
)
WORDS = (
    "TOOL",
    "GENERATION",
    "SPAN",
    "tool",
    "llm",
    "request",
    "tool-call",
    "ai",
    "human",
    "gemini",
    "response_item",
    "item.completed",
    "function_call",
    "command_execution",
    "file_change",
    "model",
    "user",
)
ANY = st.recursive(
    JSON | st.sampled_from(WORDS),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=4),
    max_leaves=25,
)


@given(ANY)
def test_no_data_breaks_a_converter(data: Any) -> None:
    convert(data)
    for one in FORMATS:
        one.convert([record for record in _records(data) if isinstance(record, dict)])
