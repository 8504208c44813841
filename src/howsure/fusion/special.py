"""Functions of arrays that numpy lacks: psi and psi' (digamma and trigamma), and softmax."""

from typing import TYPE_CHECKING

from howsure.arrays import np

if TYPE_CHECKING:
    from howsure.arrays import Floats


_SHIFT = 6
"""Steps up before the asymptotic series is used; its error is then below 1e-10 for any positive number."""


def digamma(numbers: "Floats") -> "Floats":
    """Return the derivative of the logarithm of the gamma function, for positive numbers.

    >>> round(float(digamma(np.array([1.0]))[0]), 9)  # minus Euler's constant
    -0.577215665
    """
    x = np.asarray(numbers, dtype=np.float64)
    result = np.zeros_like(x)
    for _ in range(_SHIFT):
        result -= 1.0 / x
        x = x + 1.0
    y = 1.0 / (x * x)
    series = y * (1 / 12 - y * (1 / 120 - y * (1 / 252 - y * (1 / 240 - y * (1 / 132)))))
    result += np.log(x) - 0.5 / x - series
    return result


def trigamma(numbers: "Floats") -> "Floats":
    """Return the second derivative of the logarithm of the gamma function, for positive numbers.

    >>> round(float(trigamma(np.array([1.0]))[0]), 9)  # pi^2 / 6
    1.644934067
    """
    x = np.asarray(numbers, dtype=np.float64)
    result = np.zeros_like(x)
    for _ in range(_SHIFT):
        result += 1.0 / (x * x)
        x = x + 1.0
    y = 1.0 / (x * x)
    series = 1 / 6 - y * (1 / 30 - y * (1 / 42 - y * (1 / 30 - y * (5 / 66))))
    result += 1.0 / x + 0.5 * y + y / x * series
    return result


def normalize(logs: "Floats") -> "Floats":
    """Return probabilities of columns of logarithms."""
    powers = np.exp(logs - logs.max(axis=0))
    powers /= powers.sum(axis=0)
    result: Floats = powers
    return result
