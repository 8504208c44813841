"""Find phrases that say how certain an author is."""

import re
from functools import cache
from typing import NamedTuple

from howsure.errors import UnknownNameError
from howsure.text.marker_lists import LISTS, MarkerPhrases
from howsure.text.phrases import PhraseMatch, Phrases, fold_case

# A word with its apostrophes, so that "haven't" is one word and its ending can be checked.
_WORD = re.compile(r"[^\W_]+(?:['\u2018\u2019][^\W_]+)*")
_REACH = 4
"""A negation counts if it is among this many words before a marker of certainty."""
_SENTENCE_ENDS = ".!?"
_FIRST_WINDOW, _LARGEST_WINDOW = 64, 1024
"""How many characters before a marker are searched for negations: first the few that nearly always hold four words,
then more, up to a limit that keeps the time linear in the text."""


class MarkerMatches(NamedTuple):
    """The markers in a text, each list in order of where they end."""

    certain: list[PhraseMatch]
    uncertain: list[PhraseMatch]
    """Markers of uncertainty, including negated markers of certainty."""


class Markers:
    """Phrases that mark certainty and uncertainty.

    >>> matches = load_markers("response").find("I definitely tested it, but it is not documented.")
    >>> [match.phrase for match in matches.certain], [match.phrase for match in matches.uncertain]
    (['definitely', 'tested'], ['documented'])
    """

    def __init__(
        self,
        certain: list[str],
        uncertain: list[str],
        negations: list[str] | None = None,
        negation_endings: list[str] | None = None,
    ) -> None:
        """Build the search; `negations` are words, `negation_endings` ends of words."""
        self._certain = frozenset(certain)
        self._both = self._certain & frozenset(uncertain)
        self._phrases = Phrases(dict.fromkeys([*certain, *uncertain]))
        self._negations = frozenset(negations or ())
        self._endings = tuple(negation_endings or ())
        words = {*self._negations, *(ending.replace("'", sign) for ending in self._endings for sign in "'\u2018\u2019")}
        # "no" occurs in "not" and "nothing", so searching for "no" finds these too.
        self._negation_hints = [word for word in words if not any(other in word for other in words - {word})]

    def find(self, text: str) -> MarkerMatches:
        """Return every marker in a text."""
        certain: list[PhraseMatch] = []
        uncertain: list[PhraseMatch] = []
        may_negate: bool | None = None
        for match in self._phrases.find(text):
            phrase = match.phrase
            if phrase in self._certain:
                # Most texts hold no negation at all: one search of the whole text saves a search per marker.
                if may_negate is None:
                    may_negate = any(map(text.lower().__contains__, self._negation_hints))
                if may_negate and self._is_negated(text, match):
                    uncertain.append(match._replace(negated=True))
                else:
                    certain.append(match)
                if phrase not in self._both:
                    continue
            uncertain.append(match)
        return MarkerMatches(certain, uncertain)

    def _is_negated(self, text: str, match: PhraseMatch) -> bool:
        return any(self._negates(word) for word in _words_before(text, match.start, _REACH))

    def _negates(self, word: str) -> bool:
        word = word.replace("\u2019", "'").replace("\u2018", "'")
        return word in self._negations or word.endswith(self._endings)


def _words_before(text: str, place: int, count: int) -> list[str]:
    """Return up to `count` words before `place` that belong to the same sentence."""
    size = _FIRST_WINDOW
    while True:
        start = max(place - size, 0)
        sentence = max(text.rfind(end, start, place) for end in _SENTENCE_ENDS) + 1
        words = _WORD.findall(fold_case(text[max(sentence, start) : place]))
        # One word more than needed, because the window may cut the first word.
        if sentence or start == 0 or len(words) > count or size >= _LARGEST_WINDOW:
            return words[-count:]
        size *= 4


@cache
def load_markers(kind: str, language: str = "en") -> Markers:
    """Return the built-in markers for a kind of text: "response" or "subresult"."""
    phrases = marker_lists(language)[kind]
    return Markers(phrases["certain"], phrases["uncertain"], phrases.get("negations"), phrases.get("negation_endings"))


def marker_lists(language: str) -> dict[str, MarkerPhrases]:
    """Return the marker phrases of a language by kind of text. Raises UnknownNameError for an unknown language."""
    if language not in LISTS:
        raise UnknownNameError("marker language", language, sorted(LISTS))
    return LISTS[language]
