"""How far several responses to one question agree, by their words alone."""

import re
import unicodedata
from collections import Counter
from collections.abc import Sequence

SHORT = 8
"""Words up to which two responses are compared as a whole."""
_WORD = re.compile(r"[^\W_]+(?:[.,:'\u2019-][^\W_]+)*")
_FILLER_WORDS = (
    "a an the is are was were be been of to in on at and or it its this that these those for with as by from"
)
_FILLERS = frozenset(_FILLER_WORDS.split())


def measure_agreement(text: str, samples: Sequence[str]) -> float | None:
    """Return the mean agreement of a text with other responses, from 0 to 1; None without any other response.

    Short ones agree if one contains the other, apart from case and punctuation, and do not if their numbers differ.
    Longer ones agree as far as they share words.

    >>> measure_agreement("Paris.", ["paris", "It is Paris", "Lyon"])
    0.6666666666666666
    >>> measure_agreement("It is 42.", ["It is 43."])
    0.0
    """
    ours = _words(text)
    agreements = [_agreement(ours, _words(sample)) for sample in samples]
    return sum(agreements) / len(agreements) if agreements else None


def _words(text: str) -> list[str]:
    folded = unicodedata.normalize("NFKC", text).casefold().replace("\u2019", "'").replace("\u2010", "-")
    words = _WORD.findall(folded)
    return [word for word in words if word not in _FILLERS] or words


def _agreement(ours: list[str], theirs: list[str]) -> float:
    if ours == theirs:
        return 1.0
    if not ours or not theirs:
        return 0.0
    shared = sum((Counter(ours) & Counter(theirs)).values())
    overlap = 2.0 * shared / (len(ours) + len(theirs))
    if min(len(ours), len(theirs)) > SHORT:
        return overlap
    short, long = sorted((ours, theirs), key=len)
    if any(long[start : start + len(short)] == short for start in range(len(long) - len(short) + 1)):
        return 1.0
    numbers = [{word for word in words if word[0].isdigit()} for words in (ours, theirs)]
    return 0.0 if numbers[0] != numbers[1] else overlap
