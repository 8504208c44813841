"""Versions: those of programs, as ranges that can be compared, and the places of things in a row."""

import math
import re

_VERSION = re.compile(
    r"\b(?:version |release |v\.? ?)(\d{1,5}(?:\.\d{1,5}){0,3})\b|\b(\d{1,5}(?:\.\d{1,5}){2,3})\b"
    r"|(?:(?<=\bsince )|(?<=\bbefore )|(?<=\buntil )|(?<=\bafter )|(?<=\bin ))(\d{1,4}\.\d{1,5})"
    r"(?=\s*(?:[,;:)]|\.?\s*$)|\s(?:the|an?|this|these|its?|and|or|all|no)\b)"
)
_FROM = re.compile(r"\b(?:since|after|as of|from)\s+\Z")
_UNTIL = re.compile(r"\b(?:before|until|till|prior to|up to)\s+\Z")
_ORDINAL = re.compile(r"(\d{1,6})(?:st|nd|rd|th)\b")
_SIZES = (1e12, 1e8, 1e4, 1.0)
"""What one step counts in each part of a version."""
_LOOK_BACK = 16

Parts = tuple[float, float, str, str, int, int]
"""Low, high, dimension, text, start and end, as a measure begins."""


def read_version(sentence: str, start: int) -> Parts | None:
    """Read the version, or the ordinal number, that begins at a place of a sentence in lower case.

    >>> [read_version(text, 0)[2:4] for text in ("version 1.4 is out", "10.0.0.1", "3rd")]
    [('version', 'version 1.4'), ('version', '10.0.0.1'), ('ordinal', '3rd')]
    """
    if found := _ORDINAL.match(sentence, start):
        return float(found[1]), float(found[1]), "ordinal", found[0], start, found.end()
    if not (found := _VERSION.match(sentence, start)):
        return None
    parts = [min(int(part), 9999) for part in (found[1] or found[2] or found[3]).split(".")]
    low = sum(part * size for part, size in zip(parts, _SIZES, strict=False))
    high = low + _SIZES[len(parts) - 1] - 1.0
    before = sentence[max(0, start - _LOOK_BACK) : start]
    if _FROM.search(before):
        high = math.inf
    elif _UNTIL.search(before):
        low, high = -math.inf, low - 1.0
    return low, high, "version", found[0], start, found.end()
