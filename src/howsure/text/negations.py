"""Notice that a sentence denies what some passages affirm, or the other way round."""

import re
from collections.abc import Sequence

from howsure.text.passages import Passage, Word

_DISTANCE = 4
"""How many words after another one a negation may come and still deny it."""
# What follows is affirmed, other than what was negated before.
_CONTRAST = re.compile(r"\bbut\b")


def is_denied(ones: Sequence[Word], others: Sequence[Word]) -> bool:
    """Return True if a word is denied on one side, and on the other it occurs and is never negated."""
    polarity: dict[str, bool] = {}
    for word in others:
        polarity[word.root] = polarity.get(word.root, False) or word.negated
    return any(word.denied and polarity.get(word.root) is False for word in ones)


def is_only_side_negated(sentence: Passage, passages: Sequence[Passage]) -> bool:
    """Return True if only one side has a negation; one of the passages counts if it is about a word of the sentence."""
    words = [word for passage in passages for word in passage.words]
    roots = {word.root for word in sentence.words}
    is_about_it = any(_is_negated(roots, passage) for passage in passages)
    if sentence.negations:
        # A negation of something else does not make the window deny what the sentence denies.
        denied = {word.root for word in sentence.words if word.denied}
        is_known = is_about_it or _is_denied_later(denied, words)
        is_affirmed = not is_known and is_denied(sentence.words, words)
        return is_affirmed or not any(passage.negations for passage in passages)
    return is_about_it


def _is_negated(roots: set[str], passage: Passage) -> bool:
    """Return True if a passage negates one of some words, unless it denies a part of it and affirms the rest after it.

    "There is no overall charge, but a positive charge on each atom" does not negate a positive charge.
    """
    if not any(word.negated and word.root in roots for word in passage.words):
        return False
    if not _CONTRAST.search(passage.text):
        return True
    shared: set[str] = set()  # those that the last negation reaches, if it does not begin with one
    for word in passage.words:
        if word.denied and (shared or word.root in roots):
            return True
        if word.negated and word.root in roots:
            shared.add(word.root)
        elif word.root in shared:
            shared = set()
    return bool(shared)


def _is_denied_later(roots: set[str], words: Sequence[Word]) -> bool:
    """Return True if a negation comes shortly after one of some words: "fractions of seconds are never included"."""
    return any(
        word.root in roots and any(later.denied for later in words[place + 1 : place + _DISTANCE])
        for place, word in enumerate(words)
    )
