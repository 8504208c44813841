"""Headers: a file's score in the file itself, put in, read and cut out again without a change to any other byte.

A header is ours only at its place, at the top of a file, and only if it is made of known fields and nothing else. Any
other is left alone, and ours is put beside it.
"""

import codecs
import re
from dataclasses import dataclass
from functools import lru_cache
from pathlib import PurePath
from typing import Literal, NamedTuple

from howsure.documents.headers.fields import CODE, CONTENT, PAIRS, Fields, pairs, rows
from howsure.documents.headers.json_members import cut_member, is_object, put_member, read_member
from howsure.documents.headers.placement import LANGUAGES, is_line_start, is_other_format, line_break, place, start
from howsure.errors import InputError

Kind = Literal["markup", "hash", "slash", "json", "sidecar"]
"""A comment between `<!--` and `-->`, lines that begin with `#` or `//`, a member, or a file beside the file."""

SIDECAR = ".confidence.json"
EMPTY_SIDECAR = b"{\n}\n"
"""A file beside a file, before its header is put in and after it is cut out."""

_MARKS = {"hash": "#", "slash": "//"}
_SUFFIXES: dict[str, tuple[Kind, str, bool]] = {
    ".md .markdown": ("markup", "markdown", False),
    ".txt": ("markup", "text", False),
    ".html .htm": ("markup", "html", False),
    ".yml .yaml": ("hash", "yaml", False),
    ".toml": ("hash", "hash", False),
    ".py .pyi": ("hash", "python", True),
    ".rb": ("hash", "ruby", True),
    ".sh .bash .zsh": ("hash", "shell", True),
    ".js .mjs .cjs .jsx .ts .mts .cts .tsx": ("slash", "script", True),
    ".csv .tsv": ("sidecar", "", False),
}
_HASHED_TEXT = re.compile(
    r"(?:.*[-_.])?(?:requirements|constraints)(?:[-_.].*)?\.txt|(?:cmakelists|robots|(?:app-)?ads|security)\.txt"
)
_WIDE = (
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)


@dataclass(frozen=True)
class Style:
    """How a kind of file holds its header."""

    kind: Kind
    language: str = ""
    """What the file is written in, for what has to stay first in it."""
    code: bool = False
    """Whether the header is that of a program."""


_STYLES = {suffix: Style(*style) for suffixes, style in _SUFFIXES.items() for suffix in suffixes.split()}


class _Found(NamedTuple):
    """A header of ours, with all that was put in around it."""

    start: int
    end: int
    fields: Fields


def style_of(name: str, *, in_data: bool) -> Style | None:
    """Return how a file of this name holds its header, or None where it gets none.

    >>> style_of("README.MD", in_data=False)
    Style(kind='markup', language='markdown', code=False)
    >>> style_of("members.json", in_data=False) is None
    True
    """
    lower = PurePath(name).name.lower()
    if lower.endswith(SIDECAR):
        return None
    if _HASHED_TEXT.fullmatch(lower):
        return Style("hash", "hash")
    suffix = PurePath(lower).suffix
    if suffix == ".json":
        return Style("json") if in_data else None
    return _STYLES.get(suffix)


def has_room(data: bytes, style: Style) -> bool:
    """Say whether a header goes into the file, and not beside it; refuse JSON that cannot be read."""
    return style.kind != "sidecar" and (style.kind != "json" or is_object(_narrow(data)[0]))


def read(data: bytes, style: Style) -> Fields | None:
    """Return the fields of our own header, or None where there is none."""
    try:
        text, _ = _narrow(data)
    except InputError:
        return None
    if style.kind == "json":
        return read_member(text)
    found = _find(text, style)
    return found.fields if found else None


def cut(data: bytes, style: Style) -> bytes:
    """Return the data as they were before our own header was put in.

    >>> markdown = Style("markup", "markdown")
    >>> cut(put(b"# Title", markdown, {"CONFIDENCE SCORE": "0.82"}), markdown)
    b'# Title'
    """
    try:
        text, codec = _narrow(data)
    except InputError:
        return data
    return _widened(cut_member(text) if style.kind == "json" else _cut(text, style), codec)


def put(data: bytes, style: Style, fields: Fields) -> bytes:
    r"""Return the data with our own header, put in or replaced; refuse what cannot hold one unharmed.

    >>> print(put(b"print()\n", Style("hash", "python", code=True), {"CONFIDENCE SCORE": "0.68"}).decode())
    # CONFIDENCE SCORE: 0.68
    <BLANKLINE>
    print()
    <BLANKLINE>
    """
    text, codec = _narrow(data)
    if style.kind == "json":
        return _widened(put_member(text, fields), codec)
    if style.kind == "sidecar":
        raise InputError("there is no room for a header in this kind of file", hint="it goes into a file beside it")
    if is_other_format(text, style.language):
        raise InputError("is not what its name says, so a header would break it")
    body = _cut(text, style)
    at = place(body, style.language)
    inside = not is_line_start(body, at, style.language)
    # A lone carriage return at the end of a file would make one line break of itself and a line feed.
    end = b"\r\n" if inside and body.endswith(b"\r") else line_break(body, style.language)
    header = end.join(line.encode() for line in _lines(fields, style))
    if not inside:
        header += end if at == len(body) or style.kind == "markup" else end + end
    elif not _inline(body, at, style):
        header = end + header
    return _widened(body[:at] + header + body[at:], codec)


def _inline(data: bytes, at: int, style: Style) -> bool:
    """Say whether a header stands in the middle of a line, behind a document type."""
    return style.language == "html" and data[at - 1 : at] == b">" and at > start(data)


def _lines(fields: Fields, style: Style) -> list[str]:
    content = rows(fields, CODE if style.code else CONTENT)
    if style.kind == "markup":
        return ["<!--", *(f"  {line}" for line in content), "-->"]
    return [f"{_MARKS[style.kind]} {line}" for line in content]


def _cut(text: bytes, style: Style) -> bytes:
    found = _find(text, style)
    return text[: found.start] + text[found.end :] if found else text


@lru_cache(maxsize=16)
def _patterns(style: Style) -> tuple[re.Pattern[bytes], re.Pattern[bytes]]:
    """Return what a header looks like, and how its last line ends: with a blank line, or at least no other comment."""
    end = LANGUAGES[style.language].end
    if style.kind == "markup":
        header = rb"<!--[ \t]*+" + end + rb"(?>[ \t]*+" + PAIRS + rb"[ \t]*+" + end + rb")++[ \t]*+-->"
        return re.compile(header), re.compile(rb"[ \t]*+(?:(" + end + rb")|\Z)")
    mark = _MARKS[style.kind].encode()
    line = mark + rb"[ \t]*+" + PAIRS
    header = line + rb"(?>[ \t]*+" + end + line + rb")*+"
    return re.compile(header), re.compile(rb"[ \t]*+(?:(" + end + rb")(?![ \t]*+" + mark + rb")(?:" + end + rb")?+|\Z)")


def _find(text: bytes, style: Style) -> _Found | None:
    if style.kind == "sidecar":
        return None
    header, ending = _patterns(style)
    at = place(text, style.language)
    found = header.match(text, at)
    fields = pairs(found[0]) if found else None
    if not found or fields is None:
        return None
    if _inline(text, at, style):
        return _Found(at, found.end(), fields)
    ended = ending.match(text, found.end())
    if not ended:
        return None
    if ended[1] or at == start(text):
        return _Found(at, ended.end(), fields)
    return _Found(at - (2 if text[at - 2 : at] == b"\r\n" else 1), ended.end(), fields)


def _narrow(data: bytes) -> tuple[bytes, str]:
    """Return the data in an encoding in which ASCII is ASCII, and what to encode them in again."""
    for mark, codec in _WIDE:
        if data.startswith(mark):
            try:
                data = data.decode(codec, "surrogatepass").encode("utf-8", "surrogatepass")
            except UnicodeDecodeError as error:
                raise InputError(f"begins as {codec.upper()}, but is not: {error.reason}") from error
            break
    else:
        codec = ""
    if b"\0" in data:
        raise InputError("is binary: it holds NUL bytes")
    return data, codec


def _widened(text: bytes, codec: str) -> bytes:
    return text.decode("utf-8", "surrogatepass").encode(codec, "surrogatepass") if codec else text
