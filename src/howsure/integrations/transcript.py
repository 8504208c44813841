"""Read the transcript of a coding agent from its end: the last response, and what tools returned before it."""

import json
import os
from collections.abc import Iterator
from typing import Any

from howsure.agents.messages import text_of

TAIL_SIZES = (1 << 18, 1 << 22, 1 << 26)
"""Bytes at the end of a transcript that are read, one size after the other, until a response is found."""
TAIL = 1 << 20
"""Bytes at the end of a transcript that are searched for results of tools."""
MOST_CHARACTERS = 40_000
"""Characters of results that are returned, the latest first: comparing a response with them takes about 0.2 s."""


def read_last_response(path: str) -> str:
    """Return the last text of the assistant in a transcript of JSON Lines; only the end of a large one is read.

    Raises:
        OSError: if it cannot be read.
    """
    for size in TAIL_SIZES:
        lines, whole = _read_tail(path, size)
        for line in lines:
            if response := text_of(_read_content(line, "assistant")).strip():
                return response
        if whole:
            break
    return ""


def read_tool_results(path: str) -> list[str]:
    """Return what tools returned since the last message of the user, the latest first; empty if nothing can be read.

    Results of failed calls and of other agents are left out.
    """
    try:
        lines, _ = _read_tail(path, TAIL)
    except OSError:
        return []
    results: list[str] = []
    left = MOST_CHARACTERS
    for line in lines:
        content = _read_content(line, "user")
        if content is None:
            continue
        if not _has_results(content):
            break  # the user's own message: what came before belongs to an earlier response
        for text in _results(content):
            if text and left > 0:
                results.append(text[:left])
                left -= len(text)
    return results


def _read_tail(path: str, size: int) -> tuple[Iterator[bytes], bool]:
    """Return the lines in the last bytes of a file, the last one first, and whether these are all of its lines."""
    # Not pathlib, which would slow down the start of a hook; and it raises for "~nobody".
    path = os.path.expanduser(path)  # noqa: PTH111
    if not os.path.isfile(path):  # noqa: PTH113 - a pipe or device might never end
        return iter(()), True
    with open(path, "rb") as file:  # noqa: PTH123
        total = os.fstat(file.fileno()).st_size
        file.seek(max(0, total - size))
        lines = file.read(size).split(b"\n")
    # The first line of a tail may be cut in two.
    return reversed(lines if total <= size else lines[1:]), total <= size


def _read_content(line: bytes, role: str) -> Any:
    """Return the content of the message in a line; None if it has another role, is another agent's, or broken."""
    if role.encode() not in line:
        return None
    try:
        # Unlike orjson, this reads the lone surrogates that agents write where they cut a text off.
        record = json.loads(line.decode("utf-8", "replace"))
    except (ValueError, RecursionError):
        return None
    if not isinstance(record, dict) or record.get("isSidechain") is True or record.get("isMeta") is True:
        return None
    message = record.get("message")
    inner = message if isinstance(message, dict) else record
    return inner.get("content") if role in (record.get("type"), record.get("role"), inner.get("role")) else None


def _has_results(content: Any) -> bool:
    return isinstance(content, list) and any(_is_result(block) for block in content)


def _is_result(block: Any) -> bool:
    return isinstance(block, dict) and block.get("type") == "tool_result"


def _results(content: list[Any]) -> Iterator[str]:
    """Yield the texts of the results of tools in the content of a message."""
    for block in content:
        if _is_result(block) and block.get("is_error") is not True:
            yield text_of(block.get("content")).strip()
