"""Where a scoring header stands: at the top of a file, after what has to stay first in its language."""

import re
from dataclasses import dataclass

BOM = b"\xef\xbb\xbf"

# Every quantifier is possessive (*+, ++) or lazy up to a fixed end, so that no file can make a match take long.
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
    """Rules for the top of a file in one language."""

    first: re.Pattern[bytes]
    """What stays before a header, such as a shebang or front matter; it may match the empty text."""
    end: bytes
    """Regular expression of a line break."""
    blank: re.Pattern[bytes]
    """A blank line."""
    ended: re.Pattern[bytes]
    """A line break at the end of the searched text."""


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
    # In these, a lone carriage return does not end a line: a comment that ended with one would go on.
    "ruby": _language(rf"\#!{_LF_REST}", rf"(?>\#[^\n]*?(?:{_MAGIC}|-\*-|\bvim?:){_LF_REST})++", lone_cr=False),
    "shell": _language(rf"(?>\#(?:!|compdef\b|autoload\b|{_MODE}){_LF_REST})++", lone_cr=False),
    "hash": _language(rf"(?>\#(?:!|{_MODE}){_LF_REST})++", lone_cr=False),
}
"""Languages by name; "hash" is any other in which a line that begins with # is a comment."""

MARKUP = frozenset({"markdown", "text", "html"})
"""Languages in which a header is one comment of several lines."""


def text_start(data: bytes) -> int:
    """Return the offset of the text, after a byte order mark."""
    return len(BOM) if data.startswith(BOM) else 0


def is_line_start(data: bytes, at: int, language: str) -> bool:
    """Return whether an offset is the start of a line."""
    return at == text_start(data) or bool(LANGUAGES[language].ended.search(data, max(0, at - 2), at))


def header_offset(data: bytes, language: str) -> int:
    r"""Return the offset at which a header stands, or would stand.

    A header made of comment lines is separated from what comes first by a blank line, if there is one.

    >>> header_offset(b"#!/bin/sh\n\nls\n", "shell")
    11
    """
    begin = text_start(data)
    found = LANGUAGES[language].first.match(data, begin)
    at = found.end() if found else begin
    if language not in MARKUP and at > begin and is_line_start(data, at, language):
        blank = LANGUAGES[language].blank.match(data, at)
        return blank.end() if blank else at
    return at


def line_break(data: bytes, language: str) -> bytes:
    """Return the line break of a file's first line, or a line feed if there is none.

    A lone carriage return counts only in languages in which it ends a line.
    """
    found = re.search(rb"\r?\n", data)
    if found:
        return found[0]
    return b"\r" if b"\r" in data and re.match(LANGUAGES[language].end, b"\r") else b"\n"


def is_other_format(data: bytes, language: str) -> bool:
    """Return whether a file is not in the language of its name: a Git LFS pointer, an encrypted file or XML.

    >>> is_other_format(b'<?xml version="1.0"?><!DOCTYPE TS><TS></TS>', "script")
    True
    """
    begin = text_start(data)
    return bool(_POINTER.match(data, begin) or (language not in MARKUP and _XML.match(data, begin)))
