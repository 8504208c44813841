"""Recognize formats of frameworks and observability tools by their shape, and convert them to runs."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from howsure.agents import exports, messages, rollouts, spans

Record = Mapping[str, Any]


class Format(NamedTuple):
    """One format of traces."""

    name: str
    recognizes: Callable[[Record], bool]
    """Whether a record can stand in a file of this format only."""
    convert: Callable[[Sequence[Record]], list[dict[str, Any]]]
    """Return runs: `id`, `question` and `messages`, a list of messages and calls in OpenAI's form."""


FORMATS = (
    Format("OTLP spans", spans.is_request, spans.convert),
    Format("Langfuse", exports.is_langfuse, exports.convert_langfuse),
    Format("LangSmith", exports.is_langsmith, exports.convert_langsmith),
    Format("Pydantic AI messages", messages.is_pydantic_ai, messages.convert_pydantic_ai),
    Format("LangChain messages", messages.is_langchain, messages.convert_langchain),
    Format("Gemini contents", messages.is_gemini, messages.convert_gemini),
    Format("Gemini CLI", rollouts.is_gemini_cli, rollouts.convert_gemini_cli),
    Format("Codex", rollouts.is_codex, rollouts.convert_codex),
)
"""Formats in the order in which they are tried; what none recognizes is read as calls, steps or messages."""


def convert(data: Any) -> list[dict[str, Any]] | None:
    """Return the runs in data of a known format, or None if the data has another one.

    >>> convert([{"role": "user", "content": "Where is the parser?"}]) is None
    True
    """
    records = _unwrap(data)
    for one in FORMATS:
        if any(one.recognizes(record) for record in records):
            return one.convert(records)
    return None


def _unwrap(data: Any) -> list[Record]:
    """Return the records of a file: those of a list, or of the list in a page that an API returns."""
    if isinstance(data, Mapping):
        inner = next((data[name] for name in ("data", "runs", "contents") if isinstance(data.get(name), list)), None)
        data = [data] if inner is None else inner
    return [record for record in data if isinstance(record, Mapping)] if isinstance(data, list) else []
