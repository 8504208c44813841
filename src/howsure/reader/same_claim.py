"""Say how likely it is that two statements are the same claim in other words."""

import math
from collections.abc import Sequence
from typing import NamedTuple

from howsure.reader.conflicts import read_both_orders
from howsure.reader.pair import PairProbabilities, Reader
from howsure.reader.rules import RulesReader

PROPOSED = 0.4
"""Probability from which a known claim is proposed as the same when another one is added: a precision of 0.87 and a
recall of 0.88 on 279 technical pairs."""
SURE = 0.82
"""Probability from which the janitor lists two claims: a precision of 0.95, chosen by cross-validation on 246 technical
pairs of which a third says the same. On 279 others it is 0.93, with a recall of 0.76."""


class _Fit(NamedTuple):
    """A logistic function of the cosine of the vectors and of the log-odds of entailment, summed over both orders."""

    cosine: float
    entailment: float
    constant: float


# Learned by `python -m benchmarks.evaluate_same FOLDER` on the open half of the technical pairs.
_RULES = _Fit(0.91, 0.74, -0.05)
_READER = _Fit(0.22, 0.77, 0.53)


class SamePair(NamedTuple):
    """What is known about two statements."""

    same: float
    """Probability that they are the same claim: 0 to 1, and never above the chance that they do not contradict."""
    there: PairProbabilities
    """What the reader says about the pair."""
    back: PairProbabilities
    """What it says about the pair reversed."""


def judge_same(reader: Reader, pairs: Sequence[tuple[str, str]], cosines: Sequence[float]) -> list[SamePair]:
    """Return for each pair of statements how likely they are the same claim, given the cosines of their vectors.

    Raises:
        ReaderError: if the reader fails.
    """
    fit = _RULES if isinstance(reader, RulesReader) else _READER
    return [
        SamePair(_probability(fit, cosine, there, back), there, back)
        for cosine, (there, back) in zip(cosines, read_both_orders(reader, pairs), strict=True)
    ]


def _probability(fit: _Fit, cosine: float, there: PairProbabilities, back: PairProbabilities) -> float:
    odds = fit.constant + fit.cosine * cosine + fit.entailment * (_log_odds(there) + _log_odds(back))
    contradiction = max(there.contradiction, back.contradiction)
    return round(min(1 / (1 + math.exp(-odds)), 1 - contradiction), 4)


def _log_odds(result: PairProbabilities) -> float:
    """Return the log-odds of entailment, from -6.9 to 6.9: a reader is never surer than one in a thousand."""
    chance = min(max(result.entailment, 0.001), 0.999)
    return math.log(chance / (1 - chance))
