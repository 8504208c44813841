"""Notice that one word stands where the context has another: "to the replica" for "to the primary"."""

from collections.abc import Sequence
from typing import NamedTuple

from howsure.text.passages import Passage, Word
from howsure.text.stems import is_unit, meaning_of

_FEWEST = 3
"""Content words of a sentence that is compared: of two, one says little about the other."""


class Substitute(NamedTuple):
    """A word and what stands in its place in the context."""

    word: Word
    other: Word


def find_substitute(sentence: Passage, passages: Sequence[Passage]) -> Substitute | None:
    """Return the only content word in which a sentence differs from a passage, or None.

    Names are compared elsewhere, and synonyms are no difference.

    >>> from howsure.text.passages import read_passage
    >>> context = "Writes go to the primary first."
    >>> passages = [read_passage(context, 0, len(context))]
    >>> for text in "Writes go to the replica first.", "Writes go first to the primary.":
    ...     found = find_substitute(read_passage(text, 0, len(text)), passages)
    ...     print(found and (found.word.text, found.other.text))
    ('replica', 'primary')
    None
    """
    if len(sentence.words) < _FEWEST:
        return None
    for passage in passages:
        if len(passage.words) == len(sentence.words):
            different = [
                (one, other)
                for one, other in zip(sentence.words, passage.words, strict=True)
                if one.root != other.root and one.stem != other.stem
            ]
            if len(different) == 1 and _is_replaced(*different[0], sentence, passage):
                return Substitute(*different[0])
    return None


def _is_replaced(one: Word, other: Word, sentence: Passage, passage: Passage) -> bool:
    if one.is_name or other.is_name or one.negated != other.negated or len(one.text) == 1:
        return False
    is_known = any(word.root == one.root for word in passage.words) or any(
        word.root == other.root for word in sentence.words
    )
    is_synonym = meaning_of(one.text.lower()) == meaning_of(other.text.lower())
    # Units are compared with their amounts.
    return not (is_known or is_synonym or (is_unit(one.stem) and is_unit(other.stem)))
