"""Recognise texts that are nothing but an error message, and remove stack traces from others."""

import re
from collections.abc import Callable

_LONGEST = 300
"""Characters of a text that can be nothing but an error; a longer one says more."""
# Matches texts such as "Error: ...", "ValueError: ..." or "Internal server error (500): ..." at their start.
_ERROR = re.compile(
    r"(?:(?:fatal|internal(?: server)?|unhandled|uncaught|unexpected|network|connection|request|tool|runtime) )?"
    r"(?:error|exception|fatal|panic|[\w.]{0,80}(?:error|exception))"
    r"(?:\[\w{1,20}\]| \(?\w?\d{1,6}\)?| (?:while|executing|running|calling|invoking|reading|writing|opening|loading|"
    r"connecting|fetching|parsing|processing)\b[^:\n]{0,80})?:\s",
    re.IGNORECASE,
)
# The last line of a Python traceback.
_RAISED = re.compile(r"[\w.]+(?:: .*)?")
_CHAINED = (
    "During handling of the above exception, another exception occurred:",
    "The above exception was the direct cause of the following exception:",
)


def find_error(content: str) -> str:
    """Return the error message in one line if a text is nothing else, or "".

    >>> find_error("Error: connection refused.")
    'Error: connection refused.'
    >>> find_error("The server answers with an error: the port is closed.")
    ''
    """
    left = remove_stack_traces(content).strip()
    if not left:
        return " ".join(content.split())[-_LONGEST:]
    alone = len(left) <= _LONGEST and "\n" not in left and _ERROR.match(left)
    return left if alone else ""


def remove_stack_traces(content: str) -> str:
    r"""Return a text without stack traces of Python, JavaScript, Java and Go.

    >>> remove_stack_traces(
    ...     'It broke:\nTraceback (most recent call last):\n  File "a.py", line 1\nKeyError: 3\nI fixed it.'
    ... )
    'It broke:\nI fixed it.'
    """
    lines, kept, place = content.split("\n"), [], 0
    while place < len(lines):
        end = _trace_end(lines, place)
        if end == place:
            kept.append(lines[place])
        place = max(end, place + 1)
    return "\n".join(kept)


def _trace_end(lines: list[str], start: int) -> int:
    """Return the index after the stack trace that begins at a line; the line's own index if none begins there."""
    first = lines[start].strip()
    if first in _CHAINED:
        return start + 1
    if first.startswith("Traceback (most recent call last)"):
        end = _while(lines, start + 1, lambda line: line[:1].isspace())
        return end + 1 if end < len(lines) and _RAISED.fullmatch(lines[end].rstrip()) else end
    if first.startswith("panic: "):
        following = _while(lines, start + 1, lambda line: not line.strip())
        return following if following < len(lines) and _is_goroutine(lines[following]) else start
    if _is_goroutine(first):
        return _while(lines, start + 1, lambda line: bool(line.strip()))
    if "error" not in first.lower() and "exception" not in first.lower():
        return start
    frames = _while(lines, start + 1, lambda line: line[:1].isspace() and line.lstrip().startswith(("at ", "... ")))
    return frames if frames > start + 1 else start


def _is_goroutine(line: str) -> bool:
    return line.startswith("goroutine ") and line.rstrip().endswith("]:")


def _while(lines: list[str], start: int, holds: Callable[[str], bool]) -> int:
    """Return the index of the first line that does not fulfil a condition."""
    return next((place for place in range(start, len(lines)) if not holds(lines[place])), len(lines))
