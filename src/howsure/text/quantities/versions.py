"""Read versions as numbers in the order of the versions."""

import re

# "version 1.4", "v2", "10.0.0.1"; and "2.4" only after "since", "in" and the like, and if it counts no noun.
_VERSION = re.compile(
    r"\b(?:version |release |v\.? ?)(\d{1,5}(?:\.\d{1,5}){0,3})\b|\b(\d{1,5}(?:\.\d{1,5}){2,3})\b"
    r"|(?:(?<=\bsince )|(?<=\bbefore )|(?<=\buntil )|(?<=\bafter )|(?<=\bin ))(\d{1,4}\.\d{1,5})"
    r"(?=\s*(?:[,;:)]|\.?\s*$)|\s(?:the|an?|this|these|its?|and|or|all|no)\b)"
)
_DIGITS = re.compile(r"\d{1,5}(?:\.\d{1,5}){0,3}")
_PARTS = (1e12, 1e8, 1e4, 1.0)
"""Weight of each part of a version, which turns versions into numbers in the same order."""

VersionRange = tuple[float, float]
"""The lowest and the highest number of a version: 1.2 includes 1.2.7."""


def read_version(sentence: str, start: int) -> tuple[VersionRange, int] | None:
    """Return the version at an offset of a sentence in lower case and where it ends, or None.

    >>> read_version("since version 1.2", 6)
    ((1000200000000.0, 1000299999999.0), 17)
    """
    match = _VERSION.match(sentence, start)
    return (_range(match[1] or match[2] or match[3]), match.end()) if match else None


def as_version(number: str) -> VersionRange | None:
    """Return the version that a number stands for, or None: 3.12 comes after 3.9.

    >>> as_version("3.12") > as_version("3.9"), as_version("3,000")
    (True, None)
    """
    return _range(number) if _DIGITS.fullmatch(number) else None


def _range(digits: str) -> VersionRange:
    parts = [min(int(part), 9999) for part in digits.split(".")]
    low = sum(part * size for part, size in zip(parts, _PARTS, strict=False))
    return low, low + _PARTS[len(parts) - 1] - 1.0
