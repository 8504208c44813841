"""Split plain or Markdown text into paragraphs, list items, headings and table rows, leaving out fenced code."""

import re
from collections.abc import Iterator
from typing import Literal, NamedTuple

from howsure.text.fences import read_lines

BlockKind = Literal["text", "item", "heading", "table"]

_HEADING = re.compile(r"\s{0,3}#{1,6}\s+")
# Underlines a heading ("===", "---") or separates two parts of a text ("---", "***", "___").
_RULE = re.compile(r"\s{0,3}(?:=+|-{2,}|\*{3,}|_{3,})\s*\Z")
# "-", "1.", "a)" and bullet characters, with an optional check box.
_ITEM = re.compile(r"\s*(?:[-*+\u2022\u2023\u25e6]|\d{1,9}[.)]|[a-zA-Z]\))[ \t]+(?:\[[ xX]\][ \t]+)?")
_QUOTE = re.compile(r"\s{0,3}>[>\s]*")
# A line that is bold as a whole is used as a heading.
_BOLD_LINE = re.compile(r"\s*(?:\*\*[^*\n]+\*\*|__[^_\n]+__):?\s*\Z")
# "Port: 8080": such lines follow each other without blank lines, and each says something of its own.
_LABEL = re.compile(r"\s*[^\W\d_][\w /-]{0,30}:\s+\S")
_EMPTY = ("\n", "\r\n")
_LONGEST_LABEL_LINE = 60
"""Characters up to which a label with a value, not ended by punctuation, is a block of its own."""


class Block(NamedTuple):
    """A part of a text; no sentence reaches from one block into another."""

    kind: BlockKind
    """Running text, a list item, a heading or a row of a table."""
    start: int
    """Offset of its first word, after the mark of a list item or heading."""
    end: int


class _Line(NamedTuple):
    text: str
    start: int
    end: int


def split_blocks(text: str) -> Iterator[Block]:
    r"""Yield the blocks of a text in order.

    >>> list(split_blocks("# Title\nOne\nline\n- item\n```\ncode\n```\n"))[1:]
    [Block(kind='text', start=8, end=16), Block(kind='item', start=19, end=23)]
    """
    block: Block | None = None
    quoted = False
    for line in _lines_outside_code(text):
        complete = _complete_block(line, block)
        opened = _opened_block(line) if complete is None else None
        if quoted != (quoted := bool(_QUOTE.match(line.text))) and complete is None and opened is None:
            opened = _text_block(line)
        if complete is not None or opened is not None or not line.text.strip():
            # An underlined heading replaces the text block that it started as.
            if block is not None and not (complete is not None and complete.start == block.start):
                yield block
            block = opened
            if complete is not None and complete.end > complete.start:
                yield complete
        elif block is None:
            block = _text_block(line)
        else:
            block = block._replace(end=line.end)
        if block is not None and line.text.endswith(":"):
            yield block
            block = None
    if block is not None:
        yield block


def find_paragraph_end(text: str) -> int:
    r"""Return the offset after the last empty line that is not within fenced code, or 0 if there is none.

    >>> find_paragraph_end("One.\n\nTwo.\n\n```\ncode\n\nmore"), find_paragraph_end("One.\nTwo.")
    (12, 0)
    """
    return max((line.end + len(raw) for raw, line in _scan(text) if raw in _EMPTY), default=0)


def _lines_outside_code(text: str) -> Iterator[_Line]:
    """Yield the lines outside of fenced code, without trailing white space; a fence counts as an empty line."""
    return (line for _, line in _scan(text))


def _scan(text: str) -> Iterator[tuple[str, _Line]]:
    """Yield the lines outside of fenced code as written and as read."""
    place = 0
    for raw, kind, _ in read_lines(text):
        start, place = place, place + len(raw)
        if kind == "opening":
            yield raw, _Line("", start, start)
        elif kind == "text":
            line = raw.rstrip()
            yield raw, _Line(line, start, start + len(line))


def _complete_block(line: _Line, block: Block | None) -> Block | None:
    """Return the block that ends with this line: a heading, a table row or a short label with its value, or None.

    A rule that underlines nothing is an empty block.
    """
    text = line.text
    if match := _HEADING.match(text):
        return Block("heading", line.start + match.end(), line.end)
    if _RULE.match(text):
        if block is not None and block.kind == "text" and text.lstrip()[0] in "=-":
            return block._replace(kind="heading")
        return Block("text", line.start, line.start)
    if _BOLD_LINE.match(text):
        return Block("heading", line.start + _indent(text), line.end)
    if text.lstrip().startswith("|"):
        return Block("table", line.start + _indent(text), line.end)
    if _LABEL.match(text) and len(text) <= _LONGEST_LABEL_LINE and text[-1].isalnum():
        return _text_block(line)
    return None


def _opened_block(line: _Line) -> Block | None:
    """Return the block that starts with this line whatever stands before it: a list item or a label, or None."""
    if match := _ITEM.match(line.text):
        return Block("item", line.start + match.end(), line.end) if match.end() < len(line.text) else None
    return _text_block(line) if _LABEL.match(line.text) else None


def _text_block(line: _Line) -> Block | None:
    """Return the running text that starts with this line, or None if the line is empty."""
    start = line.start + _indent(line.text)
    return Block("text", start, line.end) if start < line.end else None


def _indent(line: str) -> int:
    """Return how many characters stand before the words of a line, including quotation marks (">")."""
    match = _QUOTE.match(line)
    return match.end() if match else len(line) - len(line.lstrip())
