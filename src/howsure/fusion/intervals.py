"""Intervals of learned probabilities, on the log-odds scale.

A probability with log odds x may be off in three ways. The interval allows for each:

- little is known about the sources: the log odds have the variance `v = b^2 sum w^2 [psi'(a_j) + psi'(b_j)]`, with a_j
  right and b_j wrong answers of each source and b the damping;
- the damping is wrong for the whole table: the true log odds are 0.7 x if it was too weak, 1.9 x if it was too strong;
- all sources share a mistake, which no votes can show: 0.025 on either side.

So the bound nearer to 1/2 is `x` moved by `sqrt(1.2^2 v + (0.3 x)^2)`, the other one by `sqrt(1.2^2 v + (0.9 x)^2)`,
and both are 0.025 further out. The numbers were chosen on 11 sets, and checked by leaving out one set at a time.

The reliability of a source, with log odds y, is off for two reasons. There are few answers: y has the variance `v`.
And nobody has counted the right ones: they are a sum of probabilities, and if these are too near to 1/2, so is the
reliability, however many answers there are. How much of it is guessed is the share `f = sum of q (1 - q) / (n p (1 -
p))`: 0 if each answer is known to be right or wrong, 1 if nothing is known but how many are. So y is moved by
`sqrt(1.645^2 v + 0.2^2 + (0.2 y)^2 + (3 f^2)^2)` away from 0, and towards it by the same with 0.8 in place of 3. These
numbers were chosen in simulated worlds, and checked in others (`python -m benchmarks.evaluate_intervals`).
"""

from typing import TYPE_CHECKING

from howsure.arrays import np
from howsure.formulas.claim import PRIOR_RIGHTS, PRIOR_WRONGS

if TYPE_CHECKING:
    from howsure.arrays import Bools, Floats

Z_SOURCES = 1.2
"""Standard deviations, through sources, from a probability to its bounds."""
TOO_STRONG, TOO_WEAK = 0.3, 0.9
"""How far the log odds may be too far from 0, or too near to it, as a share of them."""
SHARED_MISTAKES = 0.025
"""How often all sources may be wrong together, beyond what can be learned."""
Z_RELIABILITY = 1.645
"""Standard deviations from the log odds of a reliability to its bounds, for what is known of the answers."""
GUESSED_INWARD, GUESSED_OUTWARD = 0.8, 3.0
"""How far the log odds of a reliability may be too far from 0, or too near to it, if it is guessed altogether."""
RELIABILITY_SHARE, RELIABILITY_SLACK = 0.2, 0.2
"""How far they may be off in any case: as a share of them, and beside it."""
LARGEST = 36.0
"""Largest log odds: the next float before 1."""


def bound_probabilities(chances: "Floats", variance: "Floats", known: "Bools") -> tuple["Floats", "Floats"]:
    """Return the lower and upper bounds of probabilities.

    Args:
        chances: The probabilities.
        variance: Variance of their log odds through sources.
        known: Which of them are verified or refuted, so that they have no interval.
    """
    with np.errstate(divide="ignore"):
        x = np.clip(np.log(chances) - np.log1p(-chances), -LARGEST, LARGEST)
    noise = Z_SOURCES**2 * variance
    inward, outward = np.sqrt(noise + (TOO_STRONG * x) ** 2), np.sqrt(noise + (TOO_WEAK * x) ** 2)
    below = expit(x - np.where(x > 0.0, inward, outward)) - SHARED_MISTAKES
    above = expit(x + np.where(x > 0.0, outward, inward)) + SHARED_MISTAKES
    lower = np.where(known, chances, np.clip(below, 0.0, chances))
    upper = np.where(known, chances, np.clip(above, chances, 1.0))
    return lower, upper


def bound_reliability(right: "Floats", wrong: "Floats", doubt: "Floats") -> tuple["Floats", "Floats"]:
    """Return the bounds of the reliability of sources.

    Args:
        right: Expected right answers of each source, prior included.
        wrong: Expected wrong answers, likewise.
        doubt: Sum of q (1 - q) over the answers of each source, q being the probability of an answer.
    """
    from howsure.fusion.special import digamma, trigamma

    total = right + wrong
    spread = (total - PRIOR_RIGHTS - PRIOR_WRONGS) * (right / total) * (wrong / total)
    guessed = np.clip(doubt / np.maximum(spread, 1e-9), 0.0, 1.0)
    centre = digamma(right) - digamma(wrong)
    variance = Z_RELIABILITY**2 * (trigamma(right) + trigamma(wrong))
    noise = variance + RELIABILITY_SLACK**2 + (RELIABILITY_SHARE * centre) ** 2
    inward, outward = (np.sqrt(noise + (most * guessed**2) ** 2) for most in (GUESSED_INWARD, GUESSED_OUTWARD))
    below, above = np.where(centre > 0.0, inward, outward), np.where(centre > 0.0, outward, inward)
    return expit(centre - below), expit(centre + above)


def expit(log_odds: "Floats") -> "Floats":
    """Return the probability of log odds."""
    powers = np.exp(-np.abs(log_odds))
    result: Floats = np.where(log_odds >= 0.0, 1.0 / (1.0 + powers), powers / (1.0 + powers))
    return result
