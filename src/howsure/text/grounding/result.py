"""The result of comparing a response with the texts it was made from.

Apart from the comparison itself, because the gate names these types at start-up and seldom compares.
"""

from dataclasses import dataclass
from typing import Literal

READER = "lexical 1"
"""Name and version of the comparison by words."""
Finding = Literal["supported", "contradicted", "not found", "cannot judge"]
"""What the context says about a sentence."""


@dataclass(frozen=True)
class ContextQuote:
    """The part of the context that says most about a sentence."""

    context: int
    """Number of the text, from 0."""
    start: int
    """Offset of its first character in that text."""
    end: int
    text: str


@dataclass(frozen=True)
class GroundedSentence:
    """A sentence of the response, compared with the context."""

    text: str
    start: int
    """Offset of its first character in the response."""
    end: int
    finding: Finding
    """What the context says about it."""
    support: float | None
    """Probability that the context supports it; None if that cannot be judged."""
    quote: ContextQuote | None
    """The part of the context that says most about it; None if no part shares a word with it."""
    reasons: tuple[str, ...]
    """Differences from the context, in words."""


@dataclass(frozen=True)
class Grounding:
    """A response, compared with the texts it was made from.

    >>> Grounding(support=None, sentences=()).reader
    'lexical 1'
    """

    support: float | None
    """Probability that the context supports the response: halfway between its weakest sentence and the mean. None if no
    sentence can be judged."""
    sentences: tuple[GroundedSentence, ...]
    reader: str = READER
    """How the texts were compared."""
