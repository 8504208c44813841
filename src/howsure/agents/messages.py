"""Read messages of agents; convert those of Pydantic AI, LangChain and Gemini to OpenAI's form."""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

Record = Mapping[str, Any]
_TEXTS = (None, "text", "input_text", "output_text")
"""Types of parts that are text; many have no type."""
_LANGCHAIN_ROLES = {"human": "user", "ai": "assistant", "tool": "tool", "function": "function", "system": "system"}


def call(id_: Any, tool: Any, arguments: Any) -> dict[str, Any]:
    """Return the event of a call."""
    return {"type": "function_call", "call_id": id_, "name": tool, "arguments": arguments}


def result(id_: Any, output: Any, *, failed: bool = False, tool: Any = None) -> dict[str, Any]:
    """Return the event of a call's result."""
    return {"type": "function_call_output", "call_id": id_, "output": output, "is_error": failed, "name": tool}


def say(role: str, text: str) -> dict[str, Any]:
    """Return a message without calls."""
    return {"role": role, "content": text}


def mappings(value: Any) -> list[Record]:
    """Return the objects in a list; none if the value is not a list."""
    return [one for one in value if isinstance(one, Mapping)] if isinstance(value, list) else []


def text_of(content: Any, separator: str = "\n") -> str:
    """Return the text of a message's content: a string, or its parts that are text, as data or as objects.

    >>> text_of(["Hello ", {"type": "text", "text": "world"}, {"type": "image", "url": "..."}], separator="")
    'Hello world'
    """
    parts = content if isinstance(content, list | tuple) else [content]
    texts = [part if isinstance(part, str) else _part_text(part) for part in parts]
    return separator.join(text for text in texts if isinstance(text, str))


def _part_text(part: Any) -> Any:
    """Return the text of a part, or something else if it is not text: an image, a call, its result, reasoning."""
    if read_field(part, "type") not in _TEXTS:
        return None
    text = read_field(part, "text")
    return part.get("content") if text is None and isinstance(part, Mapping) else text


def read_field(message: Any, name: str) -> Any:
    """Return a field of a message or part, or an attribute if it is an object; None if there is none."""
    return message.get(name) if isinstance(message, Mapping) else getattr(message, name, None)


def parse_json(value: Any) -> Any:
    """Return the data in a JSON text, or the value itself if it is something else."""
    if not isinstance(value, str):
        return value
    try:
        return json.loads(value)
    except (ValueError, RecursionError):
        return value


def is_pydantic_ai(record: Record) -> bool:
    """Return whether this is a message of Pydantic AI (`result.all_messages_json()`)."""
    return record.get("kind") in ("request", "response") and any(
        "part_kind" in part for part in mappings(record.get("parts"))
    )


def convert_pydantic_ai(records: Sequence[Record]) -> list[dict[str, Any]]:
    """Return the run that messages of Pydantic AI make up."""
    events: list[dict[str, Any]] = []
    for record in records:
        for part in mappings(record.get("parts")):
            kind, id_, tool = part.get("part_kind"), part.get("tool_call_id"), part.get("tool_name")
            if kind == "user-prompt":
                events.append(say("user", text_of(part.get("content"))))
            elif kind == "text":
                events.append(say("assistant", text_of(part.get("content"))))
            elif kind in ("tool-call", "builtin-tool-call"):
                events.append(call(id_, tool, part.get("args")))
            elif kind in ("tool-return", "builtin-tool-return"):
                failed = part.get("outcome") in ("failed", "denied")
                events.append(result(id_, part.get("content"), failed=failed, tool=tool))
            elif kind == "retry-prompt" and tool:
                events.append(result(id_, part.get("content"), failed=True, tool=tool))
    return [{"messages": events}]


def is_langchain(record: Record) -> bool:
    """Return whether this is a message of LangChain: of `messages_to_dict`, `model_dump` or `dumpd`."""
    message = _open_langchain(record)
    return message is not None and message["type"] in ("human", "ai") and "content" in message and "role" not in message


def _open_langchain(record: Record) -> dict[str, Any] | None:
    """Return the fields of a LangChain message with its type, or None if it is none."""
    if record.get("lc") == 1 and isinstance(record.get("kwargs"), Mapping):
        id_ = record.get("id")
        name = str(id_[-1]) if isinstance(id_, list) and id_ else ""
        kind = name.removesuffix("Chunk").removesuffix("Message").lower()
        return {**record["kwargs"], "type": kind} if kind in _LANGCHAIN_ROLES else None
    kind = str(record.get("type") or "").removesuffix("MessageChunk").lower()
    if kind not in _LANGCHAIN_ROLES:
        return None
    data = record.get("data")
    return {**(data if isinstance(data, Mapping) else record), "type": kind}


def convert_langchain(records: Sequence[Record]) -> list[dict[str, Any]]:
    """Return the run that messages of LangChain make up."""
    return [{"messages": [event for record in records for event in langchain_events(record)]}]


def langchain_events(record: Record) -> Iterator[dict[str, Any]]:
    """Yield the message, calls and result that a message of LangChain holds."""
    message = _open_langchain(record)
    if message is None:
        return
    role = _LANGCHAIN_ROLES[message["type"]]
    if role in ("tool", "function"):
        failed = message.get("status") == "error"
        yield result(message.get("tool_call_id"), message.get("content"), failed=failed, tool=message.get("name"))
        return
    yield say(role, text_of(message.get("content")))
    for one in mappings(message.get("tool_calls")):
        yield call(one.get("id"), one.get("name"), one.get("args"))


def is_gemini(record: Record) -> bool:
    """Return whether this is a content of the Gemini API, with parts."""
    parts = mappings(record.get("parts"))
    return (
        record.get("role") in ("user", "model", "function", "tool")
        and bool(parts)
        and not any("part_kind" in part for part in parts)
    )


def convert_gemini(records: Sequence[Record]) -> list[dict[str, Any]]:
    """Return the run that contents of the Gemini API make up."""
    events: list[dict[str, Any]] = []
    for record in records:
        role = "assistant" if record.get("role") == "model" else "user"
        parts = mappings(record.get("parts"))
        if text := text_of([part for part in parts if part.get("thought") is not True]):
            events.append(say(role, text))
        for part in parts:
            made = part.get("functionCall", part.get("function_call"))
            if isinstance(made, Mapping):
                events.append(call(made.get("id"), made.get("name"), made.get("args")))
            answered = part.get("functionResponse", part.get("function_response"))
            if isinstance(answered, Mapping):
                output, failed = gemini_output(answered)
                events.append(result(answered.get("id"), output, failed=failed, tool=answered.get("name")))
    return [{"messages": events}]


def gemini_output(answer: Record) -> tuple[Any, bool]:
    """Return the output in a function response, and whether the function failed."""
    response = answer.get("response")
    if not isinstance(response, Mapping):
        return response, False
    if response.get("error"):
        return response["error"], True
    return next((response[name] for name in ("output", "result") if name in response), response), False
