"""Say how likely it is that two statements are the same claim in other words."""

import math
from collections.abc import Sequence
from typing import NamedTuple

from howsure.reader.conflicts import read_both_orders
from howsure.reader.pair import PairProbabilities, Reader
from howsure.reader.rules import RulesReader

PROPOSED, PROPOSED_AMONG_MANY = 0.4, 0.6
"""Probability from which a known claim is proposed as the same when another one is added, if few or many claims are
near it. Among many, 91 % of what is proposed is the same, and 84 % of paraphrases are proposed (technical
statements, cross-validated); in a store of 2,000 everyday statements 77 % is the same. From 0.4 on it would be half."""
FEW = 2
"""Near claims up to which a store is so small that what is near is rather the same than a chance neighbour."""
SURE = 0.82
"""Probability from which the janitor lists two claims: a precision of 0.95, chosen by cross-validation on 246 technical
pairs of which a third says the same. On 279 others it is 0.95, with a recall of 0.83."""


class _Fit(NamedTuple):
    """A logistic function of the cosine of the vectors and of the log-odds of entailment, summed over both orders."""

    cosine: float
    entailment: float
    constant: float


# Learned by `python -m benchmarks.evaluate_same FOLDER` on the open half of the technical pairs: the first two on the
# pairs themselves, of which a third is the same; the others also on the three nearest other statements of each.
_RULES = _Fit(0.6, 0.9, 0.45)
_READER = _Fit(0.05, 0.89, 1.34)
_RULES_AMONG_MANY = _Fit(3.88, 0.93, -3.71)
# Of a former reader. Learned again it is 2.09, 1.03, -1.64, and in a store of everyday statements twice as many of the
# claims that are proposed would be others.
_READER_AMONG_MANY = _Fit(1.86, 0.89, -2.27)


class SamePair(NamedTuple):
    """What is known about two statements."""

    same: float
    """Probability that they are the same claim: 0 to 1, and never above the chance that they do not contradict."""
    there: PairProbabilities
    """What the reader says about the pair."""
    back: PairProbabilities
    """What it says about the pair reversed."""


def judge_same(
    reader: Reader, pairs: Sequence[tuple[str, str]], cosines: Sequence[float], near: Sequence[int] | None = None
) -> list[SamePair]:
    """Return for each pair of statements how likely they are the same claim, given the cosines of their vectors.

    Args:
        reader: Reads the pairs in both orders.
        pairs: The statements.
        cosines: How near they are.
        near: How many statements are near the first one of each pair: among many, one is rarely the same. Default: few.

    Raises:
        ReaderError: if the reader fails.
    """
    is_rules = isinstance(reader, RulesReader)
    few, many = (_RULES, _RULES_AMONG_MANY) if is_rules else (_READER, _READER_AMONG_MANY)
    fits = [few if near is None or near[place] <= FEW else many for place in range(len(pairs))]
    return [
        SamePair(_probability(fit, cosine, there, back), there, back)
        for fit, cosine, (there, back) in zip(fits, cosines, read_both_orders(reader, pairs), strict=True)
    ]


def proposed_from(near: int) -> float:
    """Return the probability from which a claim is proposed, by how many claims are near the new one."""
    return PROPOSED if near <= FEW else PROPOSED_AMONG_MANY


def _probability(fit: _Fit, cosine: float, there: PairProbabilities, back: PairProbabilities) -> float:
    odds = fit.constant + fit.cosine * cosine + fit.entailment * (_log_odds(there) + _log_odds(back))
    contradiction = max(there.contradiction, back.contradiction)
    return round(min(1 / (1 + math.exp(-odds)), 1 - contradiction), 4)


def _log_odds(result: PairProbabilities) -> float:
    """Return the log-odds of entailment, from -6.9 to 6.9: a reader is never surer than one in a thousand."""
    chance = min(max(result.entailment, 0.001), 0.999)
    return math.log(chance / (1 - chance))
