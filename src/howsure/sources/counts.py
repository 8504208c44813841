"""A source as two counts, right and wrong claims: a Beta distribution, and the weight that follows from it.

Plain Python, so that a source can be read and followed without numpy.
"""

import math

from howsure.formulas.claim import LEAST_RELIABLE, MOST_RELIABLE
from howsure.formulas.interval import Interval

Z = 1.645
"""Half-width of the interval of a reliability: it covers 90 %."""
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
    """Return the 90 % interval of the reliability of a source, which holds the reliability itself.

    >>> str(interval(4.0, 1.0)), str(interval(904.0, 101.0))
    ('[0.39, 0.98]', '[0.88, 0.91]')
    """
    centre, half = digamma(rights) - digamma(wrongs), Z * math.sqrt(variance(rights, wrongs))
    middle = reliability(rights, wrongs)
    lower, upper = (1.0 / (1.0 + math.exp(-(centre + side * half))) for side in (-1.0, 1.0))
    return Interval(min(lower, middle), max(upper, middle))
