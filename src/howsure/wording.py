"""Plurals, durations, dates, shortened text, and text in which every character is visible."""

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from datetime import datetime

# Control characters, zero-width characters, characters that change the direction of the text around them
# (U+202E turns "fdp.md" into "md.pdf"), surrogates, and tags.
# A string, since compiling it takes 1 % of the start of a one-shot gate, which does not use it.
_INVISIBLE = (
    "[\x00-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ud800-\udfff"
    "\ufeff\ufff9-\ufffb\U000e0000-\U000e007f]"
)
_NAMES = {9: "\\t", 10: "\\n", 13: "\\r"}


def escape_invisible(text: str) -> str:
    r"""Replace characters that are invisible or misleading by their escapes; the result can be encoded as UTF-8.

    >>> print(escape_invisible("a\nb\u202efdp.md"))
    a\nb\u202efdp.md
    """
    return re.sub(_INVISIBLE, _escape, text)


def _escape(match: re.Match[str]) -> str:
    code = ord(match[0])
    if code in _NAMES:
        return _NAMES[code]
    if 0xDC80 <= code <= 0xDCFF:  # noqa: PLR2004 - a byte that is not UTF-8, as os.fsdecode returns it
        code -= 0xDC00
    return f"\\x{code:02x}" if code <= 0xFF else f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"  # noqa: PLR2004


_CONTROLS = {code: "\N{REPLACEMENT CHARACTER}" for code in (*range(32), *range(127, 160)) if code not in (9, 10)}


def visible(text: str) -> str:
    r"""Return a text without what would steer a terminal: what agents write is shown, and does nothing.

    >>> visible("\x1b[2Jhello")
    '\ufffd[2Jhello'
    """
    return text.translate(_CONTROLS)


def single_line(text: str) -> str:
    r"""Return the text on one line, with runs of whitespace joined and invisible characters escaped.

    >>> single_line("a\n  b")
    'a b'
    """
    return escape_invisible(" ".join(text.split()))


def shorten(text: str, limit: int) -> str:
    """Return the text, without its middle if it is longer than the limit.

    >>> shorten("documents/guide/install.md", 13)
    'docume…all.md'
    """
    if len(text) <= limit:
        return text
    end = (limit - 1) // 2
    return f"{text[: limit - 1 - end]}…{text[len(text) - end :]}"


def pluralize(number: int, noun: str) -> str:
    """Return a number with its noun.

    >>> pluralize(1, "file"), pluralize(1200, "file")
    ('1 file', '1,200 files')
    """
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


_UNITS = ((86400.0, "d"), (3600.0, "h"), (60.0, "min"))


def format_duration(seconds: float) -> str:
    """Return a length of time in its largest unit, to a tenth.

    >>> format_duration(5400), format_duration(86400 * 3), format_duration(12)
    ('1.5 h', '3 d', '12 s')
    """
    for length, unit in _UNITS:
        if abs(seconds) >= length:
            return f"{round(seconds / length, 1):g} {unit}"
    return f"{round(seconds, 1):g} s"


def utc_time(at: float) -> "datetime":
    """Return a moment as a date and time in UTC, limited to the years 68 to 9892.

    A moment may lie beyond the years 1 to 9999, which Python has dates for; the limits leave room for what is added.

    >>> str(utc_time(1800000000)), str(utc_time(1e12))
    ('2027-01-15 08:00:00+00:00', '9892-03-08 12:26:40+00:00')
    """
    from datetime import UTC, datetime

    return datetime.fromtimestamp(max(-6e10, min(at, 2.5e11)), UTC)
