"""Technical texts with a grounded answer in other words, to measure grounding.

They were written before the code that is measured with them, and split by place: every second pair develops, the others
are held out. Each line of the file beside this one is a context, " => " and an answer that the context supports.
"""

from pathlib import Path
from typing import NamedTuple


class GroundedPair(NamedTuple):
    """A context and an answer that it supports."""

    context: str
    answer: str


_LINES = Path(__file__).with_suffix(".txt").read_text(encoding="utf-8").splitlines()
PAIRS = [GroundedPair(*line.split(" => ")) for line in _LINES]
DEVELOP, HELD_OUT = PAIRS[::2], PAIRS[1::2]
