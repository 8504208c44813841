"""Read, write and remove the scoring header of a file without changing any other byte.

A comment counts as our header only at the top of the file and only if it consists of known fields and nothing else.
Any other comment is left alone, and ours is put beside it.
"""

import codecs
import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, NamedTuple

from howsure.documents.headers.fields import CODE, CONTENT, FIELDS_LINE, Fields, format_fields, parse_fields
from howsure.documents.headers.json_members import is_object, put_member, read_member, remove_member
from howsure.documents.headers.placement import (
    LANGUAGES,
    header_offset,
    is_line_start,
    is_other_format,
    line_break,
    text_start,
)
from howsure.errors import InputError

HeaderKind = Literal["markup", "hash", "slash", "json", "sidecar"]
"""A comment between `<!--` and `-->`, lines that begin with `#` or `//`, a JSON member, or a sidecar file."""

SIDECAR = ".confidence.json"
EMPTY_SIDECAR = b"{\n}\n"
"""Content of a sidecar without a header."""

_COMMENT_MARKS = {"hash": "#", "slash": "//"}
_SUFFIXES: dict[str, tuple[HeaderKind, str, bool]] = {
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
# Text files in which `#` begins a comment, and `<!--` would be content.
_HASH_COMMENTS = re.compile(
    r"(?:.*[-_.])?(?:requirements|constraints)(?:[-_.].*)?\.txt|(?:cmakelists|robots|(?:app-)?ads|security)\.txt"
)
_WIDE_ENCODINGS = (
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)


@dataclass(frozen=True)
class Style:
    """How a kind of file holds its header."""

    kind: HeaderKind
    language: str = ""
    """Key of `placement.LANGUAGES`, which says what has to stay first in the file."""
    code: bool = False
    """Whether the file is code, which has a shorter header."""


_STYLES = {suffix: Style(*style) for suffixes, style in _SUFFIXES.items() for suffix in suffixes.split()}


class _Header(NamedTuple):
    """Position of our header, with the line breaks that were added around it."""

    start: int
    end: int
    fields: Fields


def header_style(path: str, *, in_data: bool) -> Style | None:
    """Return how a file of this name holds its header, or None if it gets none.

    >>> header_style("docs/README.MD", in_data=False)
    Style(kind='markup', language='markdown', code=False)
    >>> header_style("members.json", in_data=False) is None
    True
    """
    name = path.rpartition("/")[2].lower()
    suffix = name[name.rfind(".") :] if "." in name[1:] else ""
    if suffix == ".json":
        return Style("json") if in_data and not name.endswith(SIDECAR) else None
    if suffix == ".txt" and _HASH_COMMENTS.fullmatch(name):
        return Style("hash", "hash")
    return _STYLES.get(suffix)


def has_room(data: bytes, style: Style) -> bool:
    """Return whether the header goes into the file itself, not into a sidecar.

    Raises:
        InputError: if the file is invalid JSON or binary.
    """
    return style.kind != "sidecar" and (style.kind != "json" or is_object(_to_utf8(data)[0]))


def read(data: bytes, style: Style) -> Fields | None:
    """Return the fields of our header, or None if there is none."""
    try:
        text, _ = _to_utf8(data)
    except InputError:
        return None
    if style.kind == "json":
        return read_member(text)
    found = _find_header(text, style)
    return found.fields if found else None


def remove(data: bytes, style: Style) -> bytes:
    """Return the data without our header, as they were before it was written.

    >>> markdown = Style("markup", "markdown")
    >>> remove(put(b"# Title", markdown, {"CONFIDENCE SCORE": "0.82"}), markdown)
    b'# Title'
    """
    try:
        text, codec = _to_utf8(data)
    except InputError:
        return data
    return _from_utf8(remove_member(text) if style.kind == "json" else _without_header(text, style), codec)


def put(data: bytes, style: Style, fields: Fields) -> bytes:
    r"""Return the data with our header, inserted or replaced.

    Raises:
        InputError: if the file cannot hold a header.

    >>> print(put(b"print()\n", Style("hash", "python", code=True), {"CONFIDENCE SCORE": "0.68"}).decode())
    # CONFIDENCE SCORE: 0.68
    <BLANKLINE>
    print()
    <BLANKLINE>
    """
    text, codec = _to_utf8(data)
    if style.kind == "json":
        return _from_utf8(put_member(text, fields), codec)
    if style.kind == "sidecar":
        raise InputError("this kind of file cannot hold a header", hint="its header goes into a sidecar file")
    if is_other_format(text, style.language):
        raise InputError("its content is not what its name says, so a header would break it")
    body = _without_header(text, style)
    at = header_offset(body, style.language)
    inside = not is_line_start(body, at, style.language)
    # After a lone carriage return at the end of a file, a line feed would join it to one line break.
    end = b"\r\n" if inside and body.endswith(b"\r") else line_break(body, style.language)
    header = end.join(line.encode() for line in _comment_lines(fields, style))
    if not inside:
        header += end if at == len(body) or style.kind == "markup" else end + end
    elif not _is_inline(body, at, style):
        header = end + header
    return _from_utf8(body[:at] + header + body[at:], codec)


def _is_inline(data: bytes, at: int, style: Style) -> bool:
    """Return whether a header stands in the middle of a line, after a document type."""
    return style.language == "html" and data[at - 1 : at] == b">" and at > text_start(data)


def _comment_lines(fields: Fields, style: Style) -> list[str]:
    content = format_fields(fields, CODE if style.code else CONTENT)
    if style.kind == "markup":
        return ["<!--", *(f"  {line}" for line in content), "-->"]
    return [f"{_COMMENT_MARKS[style.kind]} {line}" for line in content]


def _without_header(text: bytes, style: Style) -> bytes:
    found = _find_header(text, style)
    return text[: found.start] + text[found.end :] if found else text


@lru_cache(maxsize=16)
def _patterns(style: Style) -> tuple[re.Pattern[bytes], re.Pattern[bytes]]:
    """Return the patterns of a header and of what follows it: a blank line, or a line that is not a comment."""
    end = LANGUAGES[style.language].end
    if style.kind == "markup":
        header = rb"<!--[ \t]*+" + end + rb"(?>[ \t]*+" + FIELDS_LINE + rb"[ \t]*+" + end + rb")++[ \t]*+-->"
        return re.compile(header), re.compile(rb"[ \t]*+(?:(" + end + rb")|\Z)")
    mark = _COMMENT_MARKS[style.kind].encode()
    line = mark + rb"[ \t]*+" + FIELDS_LINE
    header = line + rb"(?>[ \t]*+" + end + line + rb")*+"
    return re.compile(header), re.compile(rb"[ \t]*+(?:(" + end + rb")(?![ \t]*+" + mark + rb")(?:" + end + rb")?+|\Z)")


def _find_header(text: bytes, style: Style) -> _Header | None:
    if style.kind == "sidecar":
        return None
    header, ending = _patterns(style)
    at = header_offset(text, style.language)
    found = header.match(text, at)
    fields = parse_fields(found[0]) if found else None
    if not found or fields is None:
        return None
    if _is_inline(text, at, style):
        return _Header(at, found.end(), fields)
    ended = ending.match(text, found.end())
    if not ended:
        return None
    if ended[1] or at == text_start(text):
        return _Header(at, ended.end(), fields)
    return _Header(at - (2 if text[at - 2 : at] == b"\r\n" else 1), ended.end(), fields)


def _to_utf8(data: bytes) -> tuple[bytes, str]:
    """Return UTF-16 and UTF-32 data as UTF-8, with the codec to convert them back; other data unchanged."""
    for mark, codec in _WIDE_ENCODINGS:
        if data.startswith(mark):
            try:
                data = data.decode(codec, "surrogatepass").encode("utf-8", "surrogatepass")
            except UnicodeDecodeError as error:
                raise InputError(f"it begins as {codec.upper()} but is not: {error.reason}") from error
            break
    else:
        codec = ""
    if b"\0" in data:
        raise InputError("it is binary: it holds NUL bytes")
    return data, codec


def _from_utf8(text: bytes, codec: str) -> bytes:
    return text.decode("utf-8", "surrogatepass").encode(codec, "surrogatepass") if codec else text
