"""Compare the words of two texts: numbers for the combination of readers."""

import re

from howsure.reader.pair import TextPair
from howsure.text.stems import content_words, search_words

FEATURES = ("covered", "covered_back", "numbers_differ", "negated", "length")
"""Names of the numbers, in order."""

_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_NEGATION = re.compile(
    r"\b(?:not|no|never|none|nobody|nothing|neither|nor|without|cannot)\b|n['\u2019]t\b", re.IGNORECASE
)
_LONGEST = 40
"""Words from which a text counts as long."""


def compare_words(pair: TextPair) -> tuple[float, ...]:
    """Return what the words of two texts have in common, as numbers from 0 to 1 in the order of `FEATURES`.

    >>> dict(zip(FEATURES, compare_words(TextPair("The cache holds 5 keys", "The cache holds 9 keys")), strict=True))
    {'covered': 0.75, 'covered_back': 0.75, 'numbers_differ': 1.0, 'negated': 0.0, 'length': 0.1}
    """
    first, second = (set(content_words(search_words(text))) for text in pair)
    common = len(first & second)
    numbers, others = (set(_NUMBER.findall(text)) for text in pair)
    odd = (len(_NEGATION.findall(pair.first)) + len(_NEGATION.findall(pair.second))) % 2
    return (
        common / len(second) if second else 0.0,
        common / len(first) if first else 0.0,
        1.0 if numbers and others and not others <= numbers else 0.0,
        float(odd),
        min(len(first) / _LONGEST, 1.0),
    )
