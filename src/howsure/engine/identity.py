"""Identity: names that are never given twice."""

from os import urandom


def new_id(kind: str, now: float) -> str:
    """Return an id that sorts by time and is never given twice.

    >>> new_id("c", 1_800_000_000.0)[:13]
    'c01a3185c5000'
    """
    return f"{kind}{int(max(now, 0.0) * 1000):012x}{urandom(8).hex()}"
