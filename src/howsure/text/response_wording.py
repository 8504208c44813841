"""Read the wording of a response: how much of it is hedged, and whether it answers at all."""

import re
from typing import Literal, NamedTuple

from howsure.text.markers import MarkerMatches, load_markers

Deferral = Literal["question", "unknown"]
"""A response that answers nothing: it asks back, or says that the author does not know."""
LONGEST_DEFERRAL = 1000
"""Characters of the longest response that is read as a deferral. One that says more than that answers something."""
_SENTENCE_END = re.compile(r"(?<=[.!?])[\s\"')\]]+|\n+")
_UNKNOWN = re.compile(
    r"(?:sorry[,;:]? |i'?m (?:sorry|afraid)[,;:]? |unfortunately,? )?(?:but )?(?:that )?"
    r"(?:(?:i|we) (?:really |honestly |simply )?(?:do not|don't|cannot|can't|could not|couldn't)"
    r" (?:know|tell|say|answer|find|determine|verify)\b"
    r"|(?:i|we) (?:have|found) (?:no (?:idea|information|answer)|nothing)\b"
    r"|i(?:'m| am) not sure\.?$)"
)


class ResponseWording(NamedTuple):
    """What the words of a response say about it."""

    marks: MarkerMatches
    """Phrases of certainty, which count for nothing, and of doubt."""
    certainty: float | None
    """One minus the share of sentences with a phrase of doubt; None if there is no such phrase."""
    deferral: Deferral | None
    """Set if the response asks back or says that the author does not know, and does nothing else."""


def read_wording(text: str, language: str = "en") -> ResponseWording:
    """Read the wording of a response.

    >>> read_wording("It works. It is probably fast.").certainty
    0.5
    >>> read_wording("It definitely works.").certainty is None
    True
    >>> read_wording("Which database do you use?").deferral, read_wording("I don't know.").deferral
    ('question', 'unknown')
    """
    marks = load_markers("response", language).find(text)
    hedged = len(marks.uncertain) / max(len(_split(text)), 1) if marks.uncertain else 0.0
    certainty = 1.0 - min(hedged, 1.0) if hedged else None
    return ResponseWording(marks, certainty, find_deferral(text))


def find_deferral(text: str) -> Deferral | None:
    """Return how a response avoids to answer; None if it says anything else besides.

    >>> find_deferral("I don't know. Paris is the capital of France.") is None
    True
    """
    plain = text.strip()
    if not plain or len(plain) > LONGEST_DEFERRAL:
        return None
    sentences = _split(plain.replace("\u2019", "'"))
    unknown = [_UNKNOWN.match(sentence.lower()) is not None for sentence in sentences]
    if not all(known or sentence.endswith("?") for known, sentence in zip(unknown, sentences, strict=True)):
        return None
    return "unknown" if any(unknown) else "question"


def _split(text: str) -> list[str]:
    return [sentence for sentence in _SENTENCE_END.split(text) if sentence.strip()]
