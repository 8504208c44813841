"""A source as two counts, right and wrong claims: a Beta distribution, and the weight that follows from it.

Plain Python, so that a source can be read and followed without numpy.
"""

import math

from howsure.formulas.claim import LEAST_RELIABLE, MOST_RELIABLE
from howsure.formulas.interval import Interval

Z = 1.645
"""Standard deviations from the log odds of a reliability to its bounds, for how few claims there are."""
INWARD, OUTWARD, SLACK = 0.3, 0.9, 0.2
"""How far these log odds may be too far from 0, or too near to it, as a share of them, and by what in any case."""
_ENOUGH = 8.0
"""From here on the asymptotic series are exact to 1e-11."""


def digamma(x: float) -> float:
    """Return the derivative of ln gamma(x), for x above 0.

    >>> round(digamma(1.0), 9)
    -0.577215665
    """
    below = 0.0
    while x < _ENOUGH:
        below -= 1.0 / x
        x += 1.0
    y = 1.0 / (x * x)
    series = y * (1 / 12 - y * (1 / 120 - y * (1 / 252 - y * (1 / 240 - y * (1 / 132)))))
    return below + math.log(x) - 0.5 / x - series


def trigamma(x: float) -> float:
    """Return the derivative of digamma, for x above 0.

    >>> round(trigamma(1.0), 9), round(trigamma(4.0), 9)
    (1.644934067, 0.283822956)
    """
    below = 0.0
    while x < _ENOUGH:
        below += 1.0 / (x * x)
        x += 1.0
    y = 1.0 / (x * x)
    series = y / x * (1 / 6 - y * (1 / 30 - y * (1 / 42 - y * (1 / 30 - y * (5 / 66)))))
    return below + 1.0 / x + 0.5 * y + series


def reliability(rights: float, wrongs: float) -> float:
    """Return the chance that a claim of a source is right.

    >>> reliability(4.0, 1.0), reliability(4.0, 1e9)
    (0.8, 0.02)
    """
    return min(max(rights / (rights + wrongs), LEAST_RELIABLE), MOST_RELIABLE)


def weight(rights: float, wrongs: float, log_choices: float) -> float:
    """Return the log-odds that a source adds to a claim."""
    chance = reliability(rights, wrongs)
    return math.log(chance / (1.0 - chance)) + log_choices


def variance(rights: float, wrongs: float) -> float:
    """Return the variance of the weight of a source."""
    return trigamma(rights) + trigamma(wrongs)


def interval(rights: float, wrongs: float) -> Interval:
    """Return the interval of the reliability of a source, which holds the reliability itself.

    Nobody has counted the right claims: they are a sum of probabilities, and its error does not shrink with their
    number. `howsure.fuse` knows how much is guessed (`howsure.fusion.intervals`). A store keeps two counts of a source
    and allows for what is usual: log odds that are too far from 0 by 0.3 of them, or too near to it by 0.9 of them.

    >>> str(interval(4.0, 1.0)), str(interval(904.0, 101.0))
    ('[0.37, 0.99]', '[0.82, 0.99]')
    """
    centre = digamma(rights) - digamma(wrongs)
    noise = Z**2 * variance(rights, wrongs) + SLACK**2
    inward, outward = (math.sqrt(noise + (share * centre) ** 2) for share in (INWARD, OUTWARD))
    below, above = (inward, outward) if centre > 0.0 else (outward, inward)
    middle = reliability(rights, wrongs)
    lower, upper = (1.0 / (1.0 + math.exp(-bound)) for bound in (centre - below, centre + above))
    return Interval(min(lower, middle), max(upper, middle))
