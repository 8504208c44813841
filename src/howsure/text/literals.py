"""Literals: which of many pieces of text occur in another, by the processor's vector instructions where installed."""

import threading
from collections.abc import Callable, Sequence
from typing import Any


def scanner(words: Sequence[bytes]) -> Callable[[bytes], set[int]] | None:
    """Return what tells which words occur in some data, three times as fast as an automaton; nothing, if not installed.

    Each word is told once, however often it occurs.
    """
    try:
        import hyperscan
    except ImportError:
        return None
    database = hyperscan.Database(mode=hyperscan.HS_MODE_BLOCK)
    try:
        database.compile(
            expressions=list(words),
            ids=list(range(len(words))),
            elements=len(words),
            flags=[hyperscan.HS_FLAG_SINGLEMATCH] * len(words),
            literal=True,
        )
    except hyperscan.error:  # words that it cannot take, or a processor that it does not know
        return None
    lock = threading.Lock()  # what it works in is shared

    def scan(data: bytes) -> set[int]:
        found: set[int] = set()

        def note(index: int, _start: int, _end: int, _flags: int, _context: Any) -> None:
            found.add(index)

        with lock:
            database.scan(data, match_event_handler=note)
        return found

    return scan
