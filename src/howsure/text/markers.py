"""Markers: words that tell how certain an author is."""

import os
import re
import sys
from functools import cache
from typing import Any, NamedTuple

from howsure.errors import UnknownNameError
from howsure.text.phrases import Mark, Phrases, folded

_LISTS = os.path.join(os.path.dirname(__file__), "lists")  # noqa: PTH118, PTH120 - pathlib would double the start-up
_WORD = re.compile(r"[^\W_]+(?:['\u2018\u2019][^\W_]+)*")
_SENTENCE_ENDS = ".!?"
_FURTHEST = 1024
"""Characters within which the words before a marker are looked for, so that no text takes more than linear time."""


class Found(NamedTuple):
    """The markers of a text."""

    certain: list[Mark]
    """Markers of certainty."""
    uncertain: list[Mark]
    """Markers of uncertainty, negated certainty included."""


class Markers:
    """Phrases that mark certainty and uncertainty.

    >>> found = markers("response").find("I definitely tested it, but it is not documented.")
    >>> [mark.phrase for mark in found.certain], [mark.phrase for mark in found.uncertain]
    (['definitely', 'tested'], ['documented'])
    """

    def __init__(
        self,
        certain: list[str],
        uncertain: list[str],
        negations: list[str] | None = None,
        negation_endings: list[str] | None = None,
        reach: int = 4,
    ) -> None:
        """Take the lists; `reach` is how many words before a certain one may negate it."""
        self._certain = frozenset(certain)
        self._both = self._certain & frozenset(uncertain)
        self._phrases = Phrases(dict.fromkeys([*certain, *uncertain]))
        self._negations = frozenset(negations or ())
        self._endings = tuple(negation_endings or ())
        self._reach = reach
        words = {*self._negations, *(ending.replace("'", sign) for ending in self._endings for sign in "'\u2018\u2019")}
        self._signs = [word for word in words if not any(other in word for other in words - {word})]

    def find(self, text: str) -> Found:
        """Return every marker, in order of where it ends."""
        certain: list[Mark] = []
        uncertain: list[Mark] = []
        may_negate: bool | None = None
        for mark in self._phrases.find(text):
            phrase = mark.phrase
            if phrase in self._certain:
                if may_negate is None:  # most texts negate nothing, which is known sooner than for each marker alone
                    may_negate = any(map(text.lower().__contains__, self._signs))
                if may_negate and self._negated(text, mark):
                    uncertain.append(mark._replace(negated=True))
                else:
                    certain.append(mark)
                if phrase not in self._both:
                    continue
            uncertain.append(mark)
        return Found(certain, uncertain)

    def _negated(self, text: str, mark: Mark) -> bool:
        return any(self._negates(word) for word in _words_before(text, mark.start, self._reach))

    def _negates(self, word: str) -> bool:
        word = word.replace("\u2019", "'").replace("\u2018", "'")
        return word in self._negations or word.endswith(self._endings)


def _words_before(text: str, place: int, count: int) -> list[str]:
    """Return up to so many words before a place, within its sentence."""
    size = 64
    while True:
        start = max(place - size, 0)
        sentence = max(text.rfind(end, start, place) for end in _SENTENCE_ENDS) + 1
        words = _WORD.findall(folded(text[max(sentence, start) : place]))
        # One word more than needed, since the window may have cut the first.
        if sentence or start == 0 or len(words) > count or size >= _FURTHEST:
            return words[-count:]
        size *= 4


@cache
def markers(kind: str, language: str = "en") -> Markers:
    """Return the built-in markers for responses or sub-results in a language."""
    return Markers(**lists(language)[kind])


def languages() -> list[str]:
    """Return the languages for which there are lists."""
    return sorted(name[:-3] for name in os.listdir(_LISTS) if name.endswith(".py") and name != "__init__.py")  # noqa: PTH208


@cache
def lists(language: str) -> dict[str, Any]:
    """Return the marker lists of a language, as data."""
    if language not in languages():
        raise UnknownNameError("marker language", language, languages())
    __import__(f"howsure.text.lists.{language}")
    found: dict[str, Any] = sys.modules[f"howsure.text.lists.{language}"].LISTS
    return found
