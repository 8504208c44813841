"""Wording: how a document is put into words, the same ones in every output."""

import re
from datetime import date

from howsure.documents.document import Action, Document, Gain

ACTIONS: dict[Action, str] = {
    "none": "nothing due",
    "review": "review",
    "human_validation": "validation by a person",
    "refresh_or_remove": "refresh or remove",
    "unknown": "age unknown",
}
"""What is due, in words."""

_MISLEADING = re.compile(
    "[\x00-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ud800-\udfff\ufeff\ufff9-\ufffb\U000e0000-\U000e007f]"
)
"""Characters that are not seen, or turn the text around them."""


def visible(text: str) -> str:
    r"""Return a text in which what cannot be seen is spelled out; it can be written as UTF-8.

    >>> print(visible("a\nb\u202efdp.md"))
    a\nb\u202efdp.md
    """
    return _MISLEADING.sub(_spelled, text)


def plain(text: str) -> str:
    """Return a text as one line, with nothing in it that cannot be seen."""
    return visible(" ".join(text.split()))


def _spelled(found: re.Match[str]) -> str:
    code = ord(found[0])
    named = {9: "\\t", 10: "\\n", 13: "\\r"}.get(code)
    if named is not None:
        return named
    if 0xDC80 <= code <= 0xDCFF:  # noqa: PLR2004 - a byte of a name that is no UTF-8
        code -= 0xDC00
    return f"\\x{code:02x}" if code <= 0xFF else f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"  # noqa: PLR2004


def clipped(text: str, most: int) -> str:
    """Return a text without its middle, where it is too long.

    >>> clipped("documents/guide/install.md", 13)
    'docume…all.md'
    """
    if len(text) <= most:
        return text
    end = (most - 1) // 2
    return f"{text[: most - 1 - end]}…{text[len(text) - end :]}"


def score(value: float | None, limit: float | None = None) -> str:
    """Return a score in two digits; in more, where it would else seem to reach the limit.

    >>> score(0.4996), score(0.4996, limit=0.5), score(None)
    ('0.50', '0.4996', 'unknown')
    """
    if value is None:
        return "unknown"
    texts = [f"{value:.{digits}f}" for digits in (2, 3, 4)]
    if limit is None or value >= limit:
        return texts[0]
    return next((text for text in texts if float(text) < limit), texts[-1])


def age(months: float | None) -> str:
    """Return an age in words.

    >>> age(0.5), age(1.2), age(30.0), age(None)
    ('15 days', '1 month', '2.5 years', 'unknown')
    """
    if months is None:
        return "unknown"
    if months < 1.0:
        return counted(round(months * 365.25 / 12), "day")
    return counted(round(months), "month") if months < 24.0 else f"{months / 12:.1f} years"  # noqa: PLR2004


def counted(number: int, noun: str) -> str:
    """Return a number with its noun.

    >>> counted(1, "file"), counted(1200, "file")
    ('1 file', '1,200 files')
    """
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def gain(one: Gain) -> str:
    """Return by how much something would raise a score; nothing, where that does not show.

    >>> gain(Gain("validate it", 0.05)), gain(Gain("test it", 0.004))
    ('+0.05', '')
    """
    return f"+{one.gain:.2f}" if one.gain >= 0.005 else ""  # noqa: PLR2004


def advice(document: Document, most: int = 3) -> str:
    """Return what would raise a document's score, and by how much."""
    told = ((plain(one.words), gain(one)) for one in document.gains[:most])
    return ", ".join(f"{words} ({number})" if number else words for words, number in told)


def due(document: Document, today: date) -> str:
    """Return what is due for a document, and when it is or was to be reviewed."""
    words = ACTIONS[document.action]
    if document.due is None or document.action == "unknown":
        return words
    if document.action == "none":
        return f"review on {document.due}" if document.due > today else f"review since {document.due}"
    return f"{words}, by {document.due}" if document.due > today else f"{words}, since {document.due}"
