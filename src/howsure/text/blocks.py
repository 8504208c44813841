"""Blocks: the paragraphs, list items, headings and table rows of a text in plain or Markdown form, without its code."""

import re
from collections.abc import Iterator
from typing import Literal, NamedTuple

Kind = Literal["text", "item", "heading", "table"]

_FENCE = re.compile(r"\s{0,3}(`{3,}|~{3,})")
_HEADING = re.compile(r"\s{0,3}#{1,6}\s+")
_UNDERLINE = re.compile(r"\s{0,3}(?:=+|-{2,}|\*{3,}|_{3,})\s*\Z")
_ITEM = re.compile(r"\s*(?:[-*+\u2022\u2023\u25e6]|\d{1,9}[.)]|[a-zA-Z]\))[ \t]+(?:\[[ xX]\][ \t]+)?")
_QUOTE = re.compile(r"\s{0,3}>[>\s]*")
_BOLD_LINE = re.compile(r"\s*(?:\*\*[^*\n]+\*\*|__[^_\n]+__):?\s*\Z")
_LABEL = re.compile(r"\s*[^\W\d_][\w /-]{0,30}:\s+\S")
_SHORT = 60
"""Characters up to which a label with a value, and no full stop, is taken to be a line of its own."""


class Block(NamedTuple):
    """A part of a text that no sentence crosses."""

    kind: Kind
    """What it is: running text, a list item, a heading or a row of a table."""
    start: int
    """Where its words start, the marks of a list or heading left out."""
    end: int
    """Where it ends."""


class _Line(NamedTuple):
    text: str
    start: int
    end: int


def blocks(text: str) -> Iterator[Block]:
    r"""Give the blocks of a text, in order; code between fences is left out.

    >>> list(blocks("# Title\nOne\nline\n- item\n```\ncode\n```\n"))[1:]
    [Block(kind='text', start=8, end=16), Block(kind='item', start=19, end=23)]
    """
    block: Block | None = None
    quoted = False
    for line in _lines_outside_code(text):
        whole = _whole(line, block)
        begins = _begins(line) if whole is None else None
        if quoted != (quoted := bool(_QUOTE.match(line.text))) and whole is None and begins is None:
            begins = _text(line)
        if whole is not None or begins is not None or not line.text.strip():
            if block is not None and not (whole is not None and whole.start == block.start):
                yield block
            block = begins
            if whole is not None and whole.end > whole.start:
                yield whole
        elif block is None:
            block = _text(line)
        else:
            block = block._replace(end=line.end)
        if block is not None and line.text.endswith(":"):
            yield block
            block = None
    if block is not None:
        yield block


def _lines_outside_code(text: str) -> Iterator[_Line]:
    """Give each line outside fences, without what ends it; a fence counts as an empty line."""
    place, fence = 0, ""
    for kept in text.splitlines(keepends=True):
        start, place = place, place + len(kept)
        found = _FENCE.match(kept)
        if fence:
            if found and found[1].startswith(fence) and not kept[found.end() :].strip():
                fence = ""
        elif found and not (found[1][0] == "`" and "`" in kept[found.end() :]):
            fence = found[1]
            yield _Line("", start, start)
        else:
            line = kept.rstrip()
            yield _Line(line, start, start + len(line))


def _whole(line: _Line, block: Block | None) -> Block | None:
    """Return the block that ends with a line: a heading, a row of a table, or nothing for a mere line."""
    text = line.text
    if found := _HEADING.match(text):
        return Block("heading", line.start + found.end(), line.end)
    if _UNDERLINE.match(text):
        if block is not None and block.kind == "text" and text.lstrip()[0] in "=-":
            return block._replace(kind="heading")
        return Block("text", line.start, line.start)
    if _BOLD_LINE.match(text):
        return Block("heading", line.start + _indent(text), line.end)
    if text.lstrip().startswith("|"):
        return Block("table", line.start + _indent(text), line.end)
    if _LABEL.match(text) and len(text) <= _SHORT and text[-1].isalnum():
        return _text(line)
    return None


def _begins(line: _Line) -> Block | None:
    """Return the block that begins with a line, whatever stood before: a list item, or a value with its label."""
    if found := _ITEM.match(line.text):
        return Block("item", line.start + found.end(), line.end) if found.end() < len(line.text) else None
    return _text(line) if _LABEL.match(line.text) else None


def _text(line: _Line) -> Block | None:
    """Return the running text that begins with a line."""
    start = line.start + _indent(line.text)
    return Block("text", start, line.end) if start < line.end else None


def _indent(line: str) -> int:
    """Return how many characters stand before a line's words, the marks of a quotation among them."""
    found = _QUOTE.match(line)
    return found.end() if found else len(line) - len(line.lstrip())
