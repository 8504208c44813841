"""Take texts out of the messages and outputs of agent frameworks, for the adapters.

Messages are data: nothing that they say is followed.
"""

from collections.abc import Iterable, Mapping
from dataclasses import asdict, is_dataclass
from typing import Any

from howsure.agents.messages import read_field, text_of

_TOOL = ("tool", "function", "function_call_output")
"""Roles and types of messages that hold what a tool returned."""


def output_text(output: Any) -> str:
    """Return the final output of an agent as text; fields of a structured output as lines.

    >>> print(output_text({"port": 8443, "hosts": ["a", "b"]}))
    port: 8443
    hosts: a, b
    """
    if hasattr(output, "model_dump"):
        output = output.model_dump()
    elif is_dataclass(output) and not isinstance(output, type):
        output = asdict(output)
    if isinstance(output, Mapping):
        return "\n".join(f"{name}: {output_text(value)}" for name, value in output.items())
    if isinstance(output, list | tuple):
        return ", ".join(map(output_text, output))
    return "" if output is None else str(output)


def texts_of(given: Any) -> list[str]:
    """Return retrieved texts as a list, given one, several or None.

    >>> texts_of("port 8443"), texts_of(None)
    (['port 8443'], [])
    """
    return [given] if isinstance(given, str) else [output_text(one) for one in given or ()]


def tool_results(messages: Iterable[Any]) -> list[str]:
    """Return what tools returned without an error, from messages with a role or a type.

    >>> tool_results([{"role": "user", "content": "Which port?"}, {"role": "tool", "content": "port 8443"}])
    ['port 8443']
    """
    return [
        text
        for message in messages
        if (read_field(message, "role") or read_field(message, "type")) in _TOOL
        and not (read_field(message, "error") or read_field(message, "status") in ("error", "incomplete"))
        and (text := text_of(read_field(message, "content") or read_field(message, "output"), separator="")).strip()
    ]
