"""One run, as each framework and tool writes it: a search that finds something, tests that fail, a response."""

import json
from typing import Any

from google.protobuf.json_format import ParseDict  # type: ignore[import-untyped]
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

QUESTION, ANSWER = "Where is the parser?", "In src/parser.py."
GREP, FOUND = {"pattern": "Parser"}, "src/parser.py:3:class Parser"
TEST, FAILED = {"command": "pytest"}, "Exit code 1\n1 failed"
TRACE = "5b8efff798038103d269b633813fc60c"


def _attributes(**values: str) -> list[dict[str, Any]]:
    return [{"key": key.replace("__", "."), "value": {"stringValue": value}} for key, value in values.items()]


def _span(number: int, name: str, failed: Any = False, **attributes: Any) -> dict[str, Any]:
    return {
        "traceId": TRACE,
        "spanId": f"{number:016x}",
        "name": name,
        "startTimeUnixNano": f"{1_700_000_000 + number}000000000",
        "endTimeUnixNano": f"{1_700_000_001 + number}000000000",
        "attributes": _attributes(**attributes),
        "status": {"code": 2, "message": "it failed"} if failed else {},
    }


def _request(*spans: dict[str, Any]) -> dict[str, Any]:
    resource = {"attributes": _attributes(service__name="agent")}
    return {"resourceSpans": [{"resource": resource, "scopeSpans": [{"spans": list(spans)}]}]}


_ASKED = {"role": "user", "parts": [{"type": "text", "content": QUESTION}]}
_CALLS = {
    "role": "assistant",
    "parts": [
        {"type": "tool_call", "id": "c1", "name": "grep", "arguments": GREP},
        {"type": "tool_call", "id": "c2", "name": "bash", "arguments": TEST},
    ],
}
_RESULTS = {
    "role": "tool",
    "parts": [
        {"type": "tool_call_response", "id": "c1", "response": FOUND},
        {"type": "tool_call_response", "id": "c2", "response": FAILED},
    ],
}
_SAID = {"role": "assistant", "parts": [{"type": "text", "content": ANSWER}], "finish_reason": "stop"}
_CHAT = _span(
    9,
    "chat m",
    gen_ai__operation__name="chat",
    gen_ai__input__messages=json.dumps([_ASKED, _CALLS, _RESULTS]),
    gen_ai__output__messages=json.dumps([_SAID]),
)
_TOOL = {"gen_ai__operation__name": "execute_tool"}
SPANS = _request(
    _CHAT,
    _span(
        3,
        "execute_tool bash",
        True,
        **_TOOL,
        gen_ai__tool__name="bash",
        gen_ai__tool__call__arguments=json.dumps(TEST),
        gen_ai__tool__call__result=FAILED,
    ),
    _span(1, "invoke_agent a", gen_ai__operation__name="invoke_agent", gen_ai__output__messages=json.dumps([_SAID])),
    _span(
        2,
        "execute_tool grep",
        **_TOOL,
        gen_ai__tool__name="grep",
        gen_ai__tool__call__arguments=json.dumps(GREP),
        gen_ai__tool__call__result=FOUND,
    ),
)
_MESSAGES = [
    {"role": "user", "content": QUESTION},
    {
        "role": "assistant",
        "content": "",
        "tool_calls": [
            {"id": "c1", "type": "function", "function": {"name": "grep", "arguments": json.dumps(GREP)}},
            {"id": "c2", "type": "function", "function": {"name": "bash", "arguments": json.dumps(TEST)}},
        ],
    },
    {"role": "tool", "tool_call_id": "c1", "content": FOUND},
    {"role": "tool", "tool_call_id": "c2", "content": FAILED},
]
_OBSERVATIONS: list[dict[str, Any]] = [
    {
        "id": "o1",
        "traceId": "t1",
        "type": "TOOL",
        "name": "grep",
        "startTime": "2026-01-01T00:00:01Z",
        "input": GREP,
        "output": FOUND,
        "level": "DEFAULT",
    },
    {
        "id": "o2",
        "traceId": "t1",
        "type": "TOOL",
        "name": "bash",
        "startTime": "2026-01-01T00:00:02Z",
        "input": json.dumps(TEST),
        "output": FAILED,
        "level": "ERROR",
        "statusMessage": "failed",
    },
    {
        "id": "o3",
        "traceId": "t1",
        "type": "GENERATION",
        "name": "m",
        "startTime": "2026-01-01T00:00:03Z",
        "input": _MESSAGES,
        "output": {"role": "assistant", "content": ANSWER},
    },
]
_HUMAN = {"type": "human", "content": QUESTION}
_AI = {
    "type": "ai",
    "content": "",
    "tool_calls": [
        {"name": "grep", "args": GREP, "id": "c1", "type": "tool_call"},
        {"name": "bash", "args": TEST, "id": "c2", "type": "tool_call"},
    ],
}
_TOOLS = [
    {"type": "tool", "content": FOUND, "tool_call_id": "c1", "name": "grep", "status": "success"},
    {"type": "tool", "content": FAILED, "tool_call_id": "c2", "name": "bash", "status": "error"},
]
_LANGCHAIN: list[dict[str, Any]] = [
    _HUMAN,
    _AI,
    *_TOOLS,
    {"type": "ai", "content": [{"type": "text", "text": ANSWER}], "tool_calls": []},
]


def _dumped(message: dict[str, Any]) -> dict[str, Any]:
    name = {"human": "HumanMessage", "ai": "AIMessage", "tool": "ToolMessage"}[message["type"]]
    return {"lc": 1, "type": "constructor", "id": ["langchain", "schema", "messages", name], "kwargs": message}


_LANGSMITH: list[dict[str, Any]] = [
    {
        "id": "r0",
        "trace_id": "r0",
        "run_type": "chain",
        "name": "agent",
        "start_time": "2026-01-01T00:00:00",
        "inputs": {"messages": [_MESSAGES[0]]},
        "outputs": {},
    },
    {
        "id": "r3",
        "trace_id": "r0",
        "run_type": "llm",
        "name": "m",
        "start_time": "2026-01-01T00:00:03",
        "inputs": {"messages": []},
        "outputs": {"generations": [[{"text": ANSWER, "message": _dumped({"type": "ai", "content": ANSWER})}]]},
    },
    {
        "id": "r1",
        "trace_id": "r0",
        "run_type": "tool",
        "name": "grep",
        "start_time": "2026-01-01T00:00:01",
        "inputs": {"input": json.dumps(GREP)},
        "outputs": {"output": _dumped({"type": "tool", "content": FOUND})},
    },
    {
        "id": "r2",
        "trace_id": "r0",
        "run_type": "tool",
        "name": "bash",
        "start_time": "2026-01-01T00:00:02",
        "inputs": TEST,
        "outputs": None,
        "error": FAILED,
    },
]

RUNS: dict[str, Any] = {
    "spans": SPANS,
    "spans without content": _request(
        _CHAT,
        _span(2, "execute_tool grep", **_TOOL, gen_ai__tool__name="grep", gen_ai__tool__call__id="c1"),
        _span(
            3, "execute_tool bash", **_TOOL, gen_ai__tool__name="bash", gen_ai__tool__call__id="c2", error__type="Error"
        ),
    ),
    "spans of messages, which say not what fails": _request(_CHAT),
    "spans of OpenInference": _request(
        _span(4, "llm", gen_ai__input__messages=json.dumps([_ASKED]), gen_ai__output__messages=json.dumps([_SAID])),
        _span(
            2,
            "grep",
            openinference__span__kind="TOOL",
            tool__name="grep",
            input__value=json.dumps(GREP),
            output__value=FOUND,
        ),
        _span(3, "bash", True, openinference__span__kind="TOOL", input__value=json.dumps(TEST), output__value=FAILED),
    ),
    "langfuse": {"id": "t1", "name": "run", "input": QUESTION, "observations": _OBSERVATIONS},
    "langfuse observations": _OBSERVATIONS,
    "langfuse page": {"data": _OBSERVATIONS, "meta": {"page": 1}},
    "langfuse spans": [one | ({"type": "SPAN"} if one["type"] == "TOOL" else {}) for one in _OBSERVATIONS],
    "langfuse messages, which say not what fails": [_OBSERVATIONS[2]],
    "langsmith": _LANGSMITH,
    "langsmith tree": {**_LANGSMITH[0], "child_runs": _LANGSMITH[1:]},
    "langchain": _LANGCHAIN,
    "langchain dicts": [{"type": one["type"], "data": one} for one in _LANGCHAIN],
    "langchain dump": [_dumped(one) for one in _LANGCHAIN],
    "pydantic-ai": [
        {
            "kind": "request",
            "parts": [
                {"part_kind": "system-prompt", "content": "Be brief."},
                {"part_kind": "user-prompt", "content": QUESTION},
            ],
        },
        {
            "kind": "response",
            "parts": [
                {"part_kind": "tool-call", "tool_name": "grep", "args": json.dumps(GREP), "tool_call_id": "c1"},
                {"part_kind": "tool-call", "tool_name": "bash", "args": TEST, "tool_call_id": "c2"},
            ],
        },
        {
            "kind": "request",
            "parts": [
                {"part_kind": "tool-return", "tool_name": "grep", "content": FOUND, "tool_call_id": "c1"},
                {"part_kind": "retry-prompt", "tool_name": "bash", "content": FAILED, "tool_call_id": "c2"},
            ],
        },
        {"kind": "response", "parts": [{"part_kind": "text", "content": ANSWER}]},
    ],
    "gemini": {
        "contents": [
            {"role": "user", "parts": [{"text": QUESTION}]},
            {
                "role": "model",
                "parts": [
                    {"functionCall": {"name": "grep", "args": GREP}},
                    {"functionCall": {"name": "bash", "args": TEST}},
                ],
            },
            {
                "role": "user",
                "parts": [
                    {"functionResponse": {"name": "grep", "response": {"output": FOUND}}},
                    {"functionResponse": {"name": "bash", "response": {"error": FAILED}}},
                ],
            },
            {"role": "model", "parts": [{"text": "Hm.", "thought": True}, {"text": ANSWER}]},
        ]
    },
    "gemini cli": {
        "sessionId": "s1",
        "messages": [
            {"id": "1", "type": "user", "content": QUESTION},
            {
                "id": "2",
                "type": "gemini",
                "content": "",
                "toolCalls": [
                    {
                        "id": "c1",
                        "name": "grep",
                        "args": GREP,
                        "status": "success",
                        "result": [{"functionResponse": {"id": "c1", "name": "grep", "response": {"output": FOUND}}}],
                    },
                    {
                        "id": "c2",
                        "name": "bash",
                        "args": TEST,
                        "status": "error",
                        "result": [{"functionResponse": {"id": "c2", "name": "bash", "response": {"error": FAILED}}}],
                    },
                ],
            },
            {"id": "3", "type": "gemini", "content": ANSWER},
        ],
    },
    "codex, which says not what fails": [
        {"type": "session_meta", "payload": {"id": "s1", "cwd": "/work"}},
        {
            "type": "response_item",
            "payload": {
                "type": "message",
                "role": "user",
                "content": [{"type": "input_text", "text": "<environment_context>..."}],
            },
        },
        {
            "type": "response_item",
            "payload": {"type": "message", "role": "user", "content": [{"type": "input_text", "text": QUESTION}]},
        },
        {"type": "event_msg", "payload": {"type": "user_message", "message": QUESTION}},
        {
            "type": "response_item",
            "payload": {"type": "function_call", "name": "grep", "arguments": json.dumps(GREP), "call_id": "c1"},
        },
        {"type": "response_item", "payload": {"type": "function_call_output", "call_id": "c1", "output": FOUND}},
        {
            "type": "response_item",
            "payload": {"type": "function_call", "name": "bash", "arguments": json.dumps(TEST), "call_id": "c2"},
        },
        {"type": "response_item", "payload": {"type": "function_call_output", "call_id": "c2", "output": FAILED}},
        {
            "type": "response_item",
            "payload": {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": ANSWER}]},
        },
    ],
}


def protobuf(request: dict[str, Any]) -> bytes:
    """Return a request of spans as the real package writes it."""
    message = ParseDict(request, ExportTraceServiceRequest())
    ids = ((span["traceId"], span["spanId"]) for span in request["resourceSpans"][0]["scopeSpans"][0]["spans"])
    for span, (trace, own) in zip(message.resource_spans[0].scope_spans[0].spans, ids, strict=True):
        span.trace_id, span.span_id = bytes.fromhex(trace), bytes.fromhex(own)
    content: bytes = message.SerializeToString()
    return content
