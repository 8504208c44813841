"""Intervals of learned probabilities, on the log-odds scale.

A probability with log odds x may be off in three ways. The interval allows for each:

- little is known about the sources: the log odds have the variance `v = b^2 sum w^2 [psi'(a_j) + psi'(b_j)]`, with a_j
  right and b_j wrong answers of each source and b the damping;
- the damping is wrong for the whole table: the true log odds are 0.7 x if it was too weak, 1.9 x if it was too strong;
- all sources share a mistake, which no votes can show: 0.025 on either side.

So the bound nearer to 1/2 is `x` moved by `sqrt(1.2^2 v + (0.3 x)^2)`, the other one by `sqrt(1.2^2 v + (0.9 x)^2)`,
and both are 0.025 further out. The numbers were chosen on 11 sets, and checked by leaving out one set at a time.
"""

from typing import TYPE_CHECKING

from howsure.arrays import np

if TYPE_CHECKING:
    from howsure.arrays import Bools, Floats

Z_SOURCES = 1.2
"""Standard deviations, through sources, from a probability to its bounds."""
TOO_STRONG, TOO_WEAK = 0.3, 0.9
"""How far the log odds may be too far from 0, or too near to it, as a share of them."""
SHARED_MISTAKES = 0.025
"""How often all sources may be wrong together, beyond what can be learned."""
Z_RELIABILITY = 1.645
"""Half-width of the interval of a source's reliability: it covers 90 %."""
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


def bound_reliability(right: "Floats", wrong: "Floats") -> tuple["Floats", "Floats"]:
    """Return the bounds of the mean of Beta distributions, by a normal distribution of the log odds."""
    from howsure.fusion.special import digamma, trigamma

    centre = digamma(right) - digamma(wrong)
    half = Z_RELIABILITY * np.sqrt(trigamma(right) + trigamma(wrong))
    return expit(centre - half), expit(centre + half)


def expit(log_odds: "Floats") -> "Floats":
    """Return the probability of log odds."""
    powers = np.exp(-np.abs(log_odds))
    result: Floats = np.where(log_odds >= 0.0, 1.0 / (1.0 + powers), powers / (1.0 + powers))
    return result
