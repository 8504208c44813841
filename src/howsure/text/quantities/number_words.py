"""Read numbers that are spelled out: "thirty-five", "one hundred and five", "two thousand three hundred"."""

import re
from functools import lru_cache

from howsure.text.words import units

_SCALES = {"hundred": 100.0, "thousand": 1e3, "million": 1e6, "billion": 1e9, "trillion": 1e12}
_LARGE = "|".join(name for name in _SCALES if name != "hundred")


def _names(low: int, high: int, step: int = 1) -> str:
    return "|".join(name for name, value in units.NUMBERS.items() if low <= value <= high and value % step == 0)


_DIGIT = f"(?:{_names(1, 9)})"
# Another number may follow: "between one hundred and two hundred" has no "one hundred and two".
_ENDS = rf"(?![- ](?:hundred|{_LARGE})\b)"
_BELOW_100 = rf"(?:(?:{_names(20, 90, 10)})(?:[- ]{_DIGIT}(?![\w-]))?|(?:{_names(1, 19)}))"
_HUNDREDS = rf"(?:(?:{_names(1, 19)})[- ]hundred\b(?:(?: and)? {_BELOW_100}(?![\w-]){_ENDS})?)"
_BELOW_1000 = rf"(?:{_HUNDREDS}|{_BELOW_100})"
_THOUSANDS = rf"(?:{_BELOW_1000}[- ](?:{_LARGE})\b(?:(?: and)? {_BELOW_1000}(?![\w-]){_ENDS})?)"
SPELLED = (
    rf"(?:{_THOUSANDS}|{_HUNDREDS}|an? hundred(?: and)? {_BELOW_100}(?![\w-]){_ENDS}|{_BELOW_100}"
    rf"|{'|'.join(sorted(units.NUMBERS, key=len, reverse=True))})"
)
"""Regular expression for a number in words. What follows it must be no letter and no hyphen."""
_WORD = re.compile(r"[a-z]+")


@lru_cache(maxsize=1 << 10)
def read_spelled(text: str) -> tuple[float, float]:
    """Return the value of a number in words and the unit of its last digit: 1000 for "two thousand".

    >>> read_spelled("thirty-five"), read_spelled("two thousand three hundred"), read_spelled("a hundred and ten")
    ((35.0, 1.0), (2300.0, 100.0), (110.0, 1.0))
    """
    total, part, unit = 0.0, 0.0, 1.0
    for word in _WORD.findall(text):
        scale = _SCALES.get(word)
        if scale == _SCALES["hundred"]:
            part, unit = part * scale, scale
        elif scale is not None:
            total, part, unit = total + part * scale, 0.0, scale
        elif word in {"a", "an"}:
            part = 1.0
        elif word != "and":
            part, unit = part + units.NUMBERS[word], 1.0
    return total + part, unit
