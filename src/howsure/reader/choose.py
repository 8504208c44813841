"""Choose the reader to use: the rules, together with the small reader if it is installed."""

from functools import cache
from pathlib import Path

from howsure.reader.combination import CombinedReader
from howsure.reader.cross_encoder import CrossEncoderReader
from howsure.reader.pair import Reader
from howsure.reader.rules import RulesReader

SMALL = "small"
"""Name of the small reader in results and fits."""


def small_reader() -> CrossEncoderReader | None:
    """Return the reader of the package howsure-reader, or None if that is not installed."""
    try:
        import howsure_reader
    except ImportError:
        return None
    return CrossEncoderReader(Path(howsure_reader.folder()), name=SMALL)


@cache
def default_reader() -> Reader:
    """Return the rules combined with the small reader if it is installed, else the rules alone.

    It is chosen once in a process; weights are loaded when the first pair is read.
    """
    small = small_reader()
    return RulesReader() if small is None else CombinedReader([RulesReader(), small])
