"""Tell whether a text is in English, so that rules for English are not applied to other languages."""

import re

from howsure.text.words import stop_words

_ENGLISH = frozenset(stop_words.ENGLISH.split())
_OTHERS = frozenset(stop_words.OTHERS.split()) - _ENGLISH
_PARTICLES = frozenset(stop_words.PARTICLES.split())
_WORD = re.compile(r"[^\W\d_]+")
_SAMPLE = 20_000
"""Characters that are looked at."""
_LATIN_SHARE = 0.5
"""Share of letters that must be Latin."""
_FEWEST_STOP_WORDS = 2


def is_english(text: str) -> bool:
    """Return False if a text is mostly in another script, or has more frequent words of other languages.

    A text that says too little, such as "Port 8080", counts as English.

    >>> is_english("The port is 8080."), is_english("Der Port ist nicht die 8080.")
    (True, False)
    """
    words = _WORD.findall(text[:_SAMPLE].lower())
    letters = sum(map(len, words))
    latin = sum(letter < "\u0250" or "\u1e00" <= letter < "\u1f00" for word in words for letter in word)
    if latin < _LATIN_SHARE * letters:
        return False
    english = sum(word in _ENGLISH for word in words)
    others = [word for word in words if word in _OTHERS]
    if len(others) < _FEWEST_STOP_WORDS or all(word in _PARTICLES for word in others):
        return True
    return len(others) <= english
