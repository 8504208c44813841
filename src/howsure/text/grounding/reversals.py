"""Notice exceptions and words that reverse others: what they deny or affirm is not what negations seem to say."""

import re
from collections.abc import Sequence
from typing import Literal

from howsure.text.contradictions import excepts, reverses
from howsure.text.passages import Passage, Word, words_of


def find_reversal(sentence: Passage, passages: Sequence[Passage]) -> Literal["affirmed", "denied"] | None:
    """Return whether passages affirm or deny a sentence by an exception, or by a word that reverses another one.

    "Nothing is logged except errors" does not deny that errors are logged, and "unlimited" says that there is no limit.
    None if negations say what they seem to say.

    >>> from howsure.text.passages import read_passage
    >>> (nothing, errors, no_errors) = (
    ...     read_passage(text, 0, len(text))
    ...     for text in ("Nothing is logged except errors.", "Errors are logged.", "Errors are not logged.")
    ... )
    >>> find_reversal(errors, [nothing]), find_reversal(no_errors, [nothing]), find_reversal(errors, [errors])
    ('affirmed', 'denied', None)
    """
    text = " ".join(passage.text.lower() for passage in passages)
    words = words_of(passages)
    own, others = {word.stem for word in sentence.words}, {word.stem for word in words}
    if excepts(text, own) and not excepts(sentence.text.lower(), others):
        # What the rest is not, the exception is, unless it is denied, too.
        is_negated = any(passage.negations for passage in passages)
        return "denied" if is_negated and sentence.negations else "affirmed"
    denied = [(word, text, words) for word in sentence.words if word.denied]
    denied += [(word, sentence.text.lower(), list(sentence.words)) for word in words if word.denied]
    cancels = any(
        not word.negated and reverses(word.text.lower(), one.stem) and _is_predicate(word, side)
        for one, side, others_ in denied
        for word in others_
    )
    return "affirmed" if cancels else None


def _is_predicate(word: Word, text: str) -> bool:
    """Return True if no noun follows a word: "is unlimited", but not "unlimited plans"."""
    ends = r"(?:\W*$|[.,;:)]|(?:and|or|but|by|in|on|for|with|to|at|when|if|per)\b)"
    return re.search(rf"\b{re.escape(word.text.lower())}\b *{ends}", text) is not None
