"""Places of scoring headers: at the top of a file, behind what has to stay first in its language."""

import re
from dataclasses import dataclass

BOM = b"\xef\xbb\xbf"

_END = r"(?>\r\n|\n|\r)"
_LINE = rf"[^\r\n]*+{_END}"
_LAST = rf"[ \t]*+(?:{_END}|\Z)"
_REST = rf"[^\r\n]*+(?:{_END}|\Z)"
_LF_REST = r"[^\n]*+(?:\n|\Z)"
_FENCES = (("---", r"(?:---|\.\.\.)"), (r"\+\+\+", r"\+\+\+"), ("%%%", "%%%"), (r"\{", r"\}"))
_FRONT = "|".join(rf"{opening}[ \t]*+{_END}(?:{_LINE})*?{closing}{_LAST}" for opening, closing in _FENCES)
_TITLE = r"%|(?i:title|authors?|date|category|tags|slug|summary|status|lang|format):[ \t]*+[^\s]"
_METADATA = rf"(?:{_TITLE}){_LINE}(?>(?:%|[A-Za-z][\w -]*+:|[ \t]++[^\s]){_LINE})*+[ \t]*+{_END}"
_DOCTYPE = r"""\s*+(?i:<!DOCTYPE)\b(?:[^>\["']|"[^"]*"|'[^']*'|\[[^\]]*\])*+>"""
_PROLOGUE = rf"(?:\s*+<\?xml\b[^>]*\?>(?:{_DOCTYPE})?+|{_DOCTYPE})(?:[ \t]*+{_END})?+"
_CODING = rf"[ \t\f]*+\#[^\r\n]*?coding[:=][ \t]*+[-\w.]{_REST}"
_COMMENT_OR_BLANK = rf"[ \t\f]*+(?:\#[^\r\n]*+)?+{_END}"
_NOTEBOOK = rf"\# ---[ \t]*+{_END}(?:\#{_LINE})*?\# ---{_LAST}"
_MAGIC = r"(?:coding|frozen[_-]string[_-]literal|warn[_-]indent|shareable[_-]constant[_-]value|typed)[ \t]*+[:=]"
_MODE = r"[^\r\n]*?(?:-\*-|\bvim?:)"
_PRAGMA = r"@(?:jest|(?:no)?(?:flow|format|prettier))\b"
_DOCBLOCK = rf"\s*+/\*(?:(?!\*/|{_PRAGMA})[\s\S])*+{_PRAGMA}(?:(?!\*/)[\s\S])*+\*/{_LAST}"

_POINTER = re.compile(rb"version https://git-lfs\.github\.com/spec/|/annex/objects/|\$ANSIBLE_VAULT;")
_XML = re.compile(rb"\s*+(?:<\?xml\b|<!DOCTYPE\b)")


@dataclass(frozen=True)
class Language:
    """What a language asks of the top of its files."""

    first: re.Pattern[bytes]
    """What stays in front of a header; matches the empty text where there is nothing of the kind."""
    end: bytes
    """What ends a line, as a regular expression."""
    blank: re.Pattern[bytes]
    """A line with nothing in it."""
    ended: re.Pattern[bytes]
    """The end of a line, at the end of what is looked at."""


def _language(*first: str, lone_cr: bool = True) -> Language:
    pattern = "".join(f"(?:{part})?+" for part in first)
    end = _END.encode() if lone_cr else rb"(?>\r?\n)"
    return Language(re.compile(pattern.encode()), end, re.compile(rb"[ \t]*+" + end), re.compile(end + rb"\Z"))


LANGUAGES = {
    "markdown": _language(f"{_FRONT}|{_METADATA}"),
    "text": _language(_FRONT),
    "html": _language(_FRONT, _PROLOGUE),
    "python": _language(rf"{_COMMENT_OR_BLANK}{_CODING}|{_CODING}|\#!{_REST}", rf"\#{_MODE}{_REST}", _NOTEBOOK),
    "script": _language(rf"\#!{_REST}", rf"//{_MODE}{_REST}", rf"{_DOCBLOCK}|//[ \t]*+{_PRAGMA}{_REST}"),
    "yaml": _language(rf"(?>\#(?:!|\# template:|cloud-config\b|{_MODE}){_REST})++", rf"(?>%{_LINE})*+---{_LAST}"),
    # A lone carriage return ends no line in these: a comment that ended with one would go on.
    "ruby": _language(rf"\#!{_LF_REST}", rf"(?>\#[^\n]*?(?:{_MAGIC}|-\*-|\bvim?:){_LF_REST})++", lone_cr=False),
    "shell": _language(rf"(?>\#(?:!|compdef\b|autoload\b|{_MODE}){_LF_REST})++", lone_cr=False),
    "hash": _language(rf"(?>\#(?:!|{_MODE}){_LF_REST})++", lone_cr=False),
}
"""Languages by name; "hash" is any other in which a line that begins with # says nothing."""

MARKUP = frozenset({"markdown", "text", "html"})
"""Languages in which a header is one comment of several lines."""


def start(data: bytes) -> int:
    """Return where the text begins, behind a byte order mark."""
    return len(BOM) if data.startswith(BOM) else 0


def is_line_start(data: bytes, at: int, language: str) -> bool:
    """Say whether a place is the first of a line."""
    return at == start(data) or bool(LANGUAGES[language].ended.search(data, max(0, at - 2), at))


def place(data: bytes, language: str) -> int:
    r"""Return where a header stands, or would stand, in a file.

    A header made of lines stands apart from what comes first, where a blank line is there to do so.

    >>> place(b"#!/bin/sh\n\nls\n", "shell")
    11
    """
    begin = start(data)
    found = LANGUAGES[language].first.match(data, begin)
    at = found.end() if found else begin
    if language not in MARKUP and at > begin and is_line_start(data, at, language):
        blank = LANGUAGES[language].blank.match(data, at)
        return blank.end() if blank else at
    return at


def line_break(data: bytes, language: str) -> bytes:
    """Return how a file ends its lines: as its first one does, or with a line feed where there is none.

    A lone carriage return counts only where no line feed could follow it and make another kind of it.
    """
    found = re.search(rb"\r?\n", data)
    if found:
        return found[0]
    return b"\r" if b"\r" in data and re.match(LANGUAGES[language].end, b"\r") else b"\n"


def is_other_format(data: bytes, language: str) -> bool:
    """Say whether a file is not in the language of its name, but a pointer, encrypted or XML.

    >>> is_other_format(b'<?xml version="1.0"?><!DOCTYPE TS><TS></TS>', "script")
    True
    """
    begin = start(data)
    return bool(_POINTER.match(data, begin) or (language not in MARKUP and _XML.match(data, begin)))
