"""Find fenced code in Markdown, also in list items, where it is indented."""

import re
from collections.abc import Iterator
from typing import Literal, NamedTuple

# Marks of list items, a fence of backticks or tildes, and the name of a language. A line with more backticks after the
# first ones is code within a line, not a fence.
_OPENING = re.compile(r"([ \t]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)*)(`{3,}+(?!.*`)|~{3,})[ \t]*([\w+#.-]*)")
_TOLERANCE = 3
"""How many more spaces than its opening the end of a fence may have (CommonMark), and how many fewer its code."""


class FencedLine(NamedTuple):
    """A line of a text."""

    raw: str
    """The line as it is written, with its end."""
    kind: Literal["text", "opening", "code", "closing"]
    """Where it stands: outside of code, or what part of a code block it is."""
    code: str = ""
    """A line of code without the indentation of its block; of an opening, the name of the language."""


def read_lines(text: str) -> Iterator[FencedLine]:
    r"""Yield the lines of a text.

    A code block that is not closed ends with the text, or before a line with over three spaces less than its fence.
    Which list items are open is not known: a fence may have any indentation, so that a part of a text is read as in the
    whole.

    >>> [line.code for line in read_lines("- Run:\n\n      ```sh\n      make\n      ```\n") if line.kind == "code"]
    ['make\n']
    """
    fence, indent = "", 0
    for raw in text.splitlines(keepends=True):
        if fence:
            body = raw.lstrip(" \t")
            width = _width(raw[: len(raw) - len(body)])
            if body.startswith(fence) and width <= indent + _TOLERANCE and not body.strip().strip(fence[0]):
                fence = ""
                yield FencedLine(raw, "closing")
                continue
            if width >= indent - _TOLERANCE or not body.strip():
                yield FencedLine(raw, "code", " " * (width - indent) + body if indent else raw)
                continue
            fence = ""
        if ("```" in raw or "~~~" in raw) and (match := _OPENING.match(raw)):
            fence, indent = match[2], _width(match[1])
            yield FencedLine(raw, "opening", match[3].lower())
        else:
            yield FencedLine(raw, "text")


def _width(start: str) -> int:
    return len(start.expandtabs(4))
