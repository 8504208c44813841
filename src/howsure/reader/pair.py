"""Define the interface of readers of pairs of texts, and call them."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Real
from typing import NamedTuple, Protocol, Self

from howsure.errors import shown
from howsure.reader.guarded_call import ReaderError, call_guarded

MAX_CHARACTERS = 20_000
"""Characters of each text that are read; the rest of a longer one is not."""
_TOLERANCE = 0.01
"""How far a reader's three probabilities may be from a sum of 1; float16 models round that much."""


class TextPair(NamedTuple):
    """Two texts. Entailment is read from the first to the second; contradiction has no direction."""

    first: str
    second: str


@dataclass(frozen=True)
class PairProbabilities:
    """What a reader says about a pair: three probabilities with a sum of 1."""

    contradiction: float
    """Probability that both texts cannot be true."""
    entailment: float
    """Probability that the second text follows from the first."""
    neutral: float
    """Probability that neither holds."""
    reader: str
    """Name of the reader."""
    version: str
    """Version of the reader: the same name and version give the same probabilities."""
    reason: str = ""
    """The words that clash, or why the reader could not judge; empty if it does not say."""

    @classmethod
    def unknown(cls, reader: str, version: str, reason: str) -> Self:
        """Return a result that says nothing: neutral, with the reason."""
        return cls(contradiction=0.0, entailment=0.0, neutral=1.0, reader=reader, version=version, reason=reason)


class Reader(Protocol):
    """Reads pairs of texts. Implement this to use a model of your own.

    A reader is called through `read_pairs`, which cuts long texts, limits the time and checks what comes back. The
    limit is 60 seconds and half a second for each pair, unless a reader has the attribute `seconds`; None means no
    limit, for a reader that has its own.
    """

    @property
    def name(self) -> str:
        """The name that is put into every result."""

    @property
    def version(self) -> str:
        """The version that is put into every result."""

    def read(self, pairs: Sequence[TextPair]) -> list[PairProbabilities]:
        """Return one result for each pair, in order."""


def read_pairs(reader: Reader, pairs: Sequence[TextPair]) -> list[PairProbabilities]:
    """Read pairs of texts with a reader, and check its results.

    Each distinct pair is read once. Texts longer than 20,000 characters are cut. A pair with an empty text is neutral.

    Raises:
        ReaderError: if the reader raises, takes too long, or returns something else than three probabilities for each
            pair.
    """
    cut = [TextPair(first[:MAX_CHARACTERS], second[:MAX_CHARACTERS]) for first, second in pairs]
    distinct = [pair for pair in dict.fromkeys(cut) if pair.first.strip() and pair.second.strip()]
    results, version = call_guarded("reader", reader, lambda: _read(reader, distinct), len(distinct))
    if len(results) != len(distinct):
        raise ReaderError(f"the reader {reader.name} returned {len(results)} results for {len(distinct)} pairs")
    known = {pair: _checked(result, reader.name) for pair, result in zip(distinct, results, strict=True)}
    empty = PairProbabilities.unknown(reader.name, version, "a text is empty")
    return [known.get(pair, empty) for pair in cut]


def _read(reader: Reader, pairs: Sequence[TextPair]) -> tuple[list[PairProbabilities], str]:
    """Return the results and the version, which a model may know only once it is loaded."""
    return list(reader.read(pairs)) if pairs else [], reader.version


def _checked(result: PairProbabilities, name: str) -> PairProbabilities:
    """Return a result if it holds probabilities, else raise ReaderError."""
    if not isinstance(result, PairProbabilities):
        raise ReaderError(f"the reader {name} returned {shown(result)[:60]}: not PairProbabilities")
    values = (result.contradiction, result.entailment, result.neutral)
    if (
        not all(isinstance(value, Real) for value in values)
        or not all(math.isfinite(value) and 0 <= value <= 1 for value in values)
        or abs(sum(values) - 1) > _TOLERANCE
    ):
        raise ReaderError(f"the reader {name} returned {shown(values)[:60]}: not three probabilities with a sum of 1")
    return result
