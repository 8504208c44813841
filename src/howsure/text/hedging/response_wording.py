"""Read the wording of a response: how much of it is hedged, and whether it answers at all."""

import re
from bisect import bisect_left
from typing import Literal, NamedTuple

from howsure.text.hedging.hedges import Hedge, find_hedges_quickly

Deferral = Literal["question", "unknown"]
"""A response that answers nothing: it asks back, or says that the author does not know."""
LONGEST_DEFERRAL = 2000
"""Characters of the longest response that can be a deferral."""
_MASKS = ("_", "<", "*", "&")
"""One of these is in every plain text in which markup can hide a word."""
_SENTENCE_END = r"[.!?\u2026\u3002\uff01\uff1f]+(?=[\s\"')\]*]|$)"
# Recognizing deferrals loads patterns for 60 ms. So a text is read only if it holds one of these: a question or request
# or near its beginning a negation and a word for knowing. Substrings, since a regex over the text would take 20 us.
_ASKS = ("?", "please", "let me know", "tell me", "need to know", "clarify", "specify")
_NEGATIONS = (
    *("n't", "n\u2019t", "not ", "no ", "nothing", "none ", "cannot", "unable", "unsure", "uncertain", "unknown"),
    *("unclear", "insufficient", "silent", "dunno", "beats me", "guess", "too little", "hard to", "beyond", "outside"),
)  # fmt: skip
_KNOWING = (
    *("know", "sure", "certain", "idea", "information", "info", "data", "context", "detail", "answer", "mention"),
    *("say", "state", "specif", "document", "evidence", "clear", "dunno", "beats", "source", "found", "find", "access"),
    *("guess", "remember", "recall", "able to", "tell", "determine", "confirm", "verif", "checked", "tested"),
    *("measured", "seen", "familiar", "show", "record"),
)  # fmt: skip
_MODALS = ("may", "might", "could")
_STATEMENT = 6
"""Words from which on a sentence says more than that something may be so."""
_MODAL_WEIGHT = 0.25
"""By how much such a word lowers the certainty of a longer sentence: "Connections may be closed after 30 seconds" says
what happens, not that the author doubts it. In a short one ("It may fail") it counts in full, 0.45. With that in every
sentence, 97.7 % of 472 true claims of factcheck-bench passed by a knowledge of 0.91 to 0.95; with this, all do."""
_BEGINNING = 300
"""Characters in which an honest "I don't know" says so."""


class ResponseWording(NamedTuple):
    """What the words of a response say about it."""

    hedges: tuple[Hedge, ...]
    """Phrases of doubt, in order."""
    certainty: float | None
    """How certain the text sounds, from 0 to 1: one minus the mean hedging of its sentences; None without hedges."""
    deferral: Deferral | None
    """Set if the response asks back or says that the author does not know, and does nothing else."""


def read_wording(text: str) -> ResponseWording:
    """Read the wording of a response.

    >>> round(read_wording("It works. It is probably fast.").certainty, 3)
    0.875
    >>> read_wording("It definitely works.").certainty is None
    True
    >>> read_wording("Which database do you use?").deferral, read_wording("I don't know.").deferral
    ('question', 'unknown')
    """
    plain, places = text, None
    if not text.isascii() or any(map(text.__contains__, _MASKS)):
        from howsure.text.hedging.unmask import unmask

        plain, places = unmask(text)
    hedges = tuple(hedge for hedge in find_hedges_quickly(plain) if hedge.weight)
    certainty = _measure(plain, hedges)
    if places is not None:
        hedges = tuple(hedge._replace(start=places[hedge.start], end=places[hedge.end - 1] + 1) for hedge in hedges)
    return ResponseWording(hedges, certainty, find_deferral(text))


def _measure(text: str, hedges: tuple[Hedge, ...]) -> float | None:
    """Return the certainty of a text with these hedges, the mean over its sentences; None without hedges."""
    if not hedges:
        return None
    ends = [match.end() for match in re.finditer(_SENTENCE_END, text)]
    sentences = len(ends) + any(map(str.isalnum, text[ends[-1] if ends else 0 :]))
    left: dict[int, float] = {}
    for hedge in hedges:
        sentence, weight = bisect_left(ends, hedge.end), hedge.weight
        if hedge.phrase in _MODALS:
            start, end = ends[sentence - 1] if sentence else 0, ends[sentence] if sentence < len(ends) else len(text)
            if len(text[start:end].split()) >= _STATEMENT:
                weight = _MODAL_WEIGHT
        left[sentence] = left.get(sentence, 1.0) * (1.0 - weight)
    return 1.0 - sum(1.0 - certainty for certainty in left.values()) / max(sentences, len(left))


def find_deferral(text: str) -> Deferral | None:
    """Return how a response avoids to answer; None if it says anything else besides.

    >>> find_deferral("I don't know. Paris is the capital of France.") is None
    True
    """
    if len(text) > LONGEST_DEFERRAL:
        return None
    lower = text.lower()
    start = lower[:_BEGINNING]
    asks = any(map(lower.__contains__, _ASKS))
    doubts = any(map(start.__contains__, _NEGATIONS)) and any(map(start.__contains__, _KNOWING))
    if not asks and not doubts:
        return None
    from howsure.text.hedging.claimless import is_abstention, is_clarifying_question

    if doubts and is_abstention(text):
        return "unknown"
    return "question" if asks and is_clarifying_question(text) else None
