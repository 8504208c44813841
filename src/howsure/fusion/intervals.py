"""Intervals of learned probabilities, on the log-odds scale.

`logit P +- z s` with `s^2 = b^2 sum w^2 [psi'(a_j) + psi'(b_j)] + (.35 x)^2 + variance between models`: how little is
known about the sources (a_j right and b_j wrong answers), how far the damping may be off (x is the log odds), and how
much models disagree.
"""

from typing import TYPE_CHECKING

from howsure.learn.metrics import np

if TYPE_CHECKING:
    from howsure.learn.metrics import Floats


Z_OPEN, Z_CLOSED = 1.645, 1.0
"""Half-width of an interval in standard deviations."""
SLACK = 0.35
"""Standard deviation of the damping, as a share of the log odds."""
Z_RELIABILITY = 1.645
"""Half-width of the interval of a source's reliability: it covers 90 %."""
_LARGEST = 36.0
"""Largest log odds: the next float before 1."""


def bound_probabilities(
    chances: "Floats", variance: "Floats", *, z: float, log_odds: "Floats | None" = None
) -> tuple["Floats", "Floats"]:
    """Return the lower and upper bounds of probabilities. Those that are 0 or 1 are certain.

    Args:
        chances: The probabilities.
        variance: Variance of their log odds through sources and models.
        z: Half-width in standard deviations.
        log_odds: The log odds, where they are known more precisely than from the probabilities.
    """
    with np.errstate(divide="ignore"):
        x = np.log(chances) - np.log1p(-chances) if log_odds is None else log_odds
    x = np.clip(x, -_LARGEST, _LARGEST)
    half = z * np.sqrt(variance + (SLACK * x) ** 2)
    settled = (chances <= 0.0) | (chances >= 1.0)
    lower = np.where(settled, chances, np.minimum(expit(x - half), chances))
    upper = np.where(settled, chances, np.maximum(expit(x + half), chances))
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
