"""Read what tools returned to a coding agent from the end of its transcript."""

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from howsure.files import is_file

TAIL = 1 << 20
"""Bytes at the end of a transcript that are read."""
MOST_CHARACTERS = 40_000
"""Characters of results that are returned, the latest first: comparing a response with them takes about 0.2 s."""


def read_tool_results(path: str) -> list[str]:
    """Return what tools returned since the last message of the user, the latest first; empty if nothing can be read.

    Results of failed calls and of other agents are left out.
    """
    file = Path(os.path.expanduser(path))  # noqa: PTH111 - it keeps "~nobody", for which pathlib raises
    if not is_file(file):  # a pipe or device might never end
        return []
    try:
        size = file.stat().st_size
        with file.open("rb") as stream:
            stream.seek(max(0, size - TAIL))
            lines = stream.read(TAIL).split(b"\n")
    except OSError:
        return []
    results: list[str] = []
    left = MOST_CHARACTERS
    # The first line of a tail may be cut in two.
    for line in reversed(lines if size <= TAIL else lines[1:]):
        content = _user_content(line)
        if content is None:
            continue
        if not _has_results(content):
            break  # the user's own message: what came before belongs to an earlier response
        for text in _results(content):
            if text and left > 0:
                results.append(text[:left])
                left -= len(text)
    return results


def _user_content(line: bytes) -> Any:
    """Return the content of a line that was sent to the agent, or None."""
    if b'"user"' not in line:
        return None
    try:
        record = json.loads(line.decode("utf-8", "replace"))
    except (ValueError, RecursionError):
        return None
    if not isinstance(record, dict) or record.get("isSidechain") is True or record.get("isMeta") is True:
        return None
    message = record.get("message")
    inner = message if isinstance(message, dict) else record
    return inner.get("content") if "user" in (record.get("type"), inner.get("role")) else None


def _has_results(content: Any) -> bool:
    return isinstance(content, list) and any(_is_result(block) for block in content)


def _is_result(block: Any) -> bool:
    return isinstance(block, dict) and block.get("type") == "tool_result"


def _results(content: list[Any]) -> Iterator[str]:
    """Yield the texts of the results of tools in the content of a message."""
    for block in content:
        if _is_result(block) and block.get("is_error") is not True:
            inner = block.get("content")
            parts = inner if isinstance(inner, list) else [{"text": inner}]
            yield "\n".join(
                part["text"] for part in parts if isinstance(part, dict) and isinstance(part.get("text"), str)
            ).strip()
