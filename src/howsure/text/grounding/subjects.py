"""Notice that a sentence says of one name what the context says of another: "Hooli bought it" for "Acme bought it"."""

import re
from collections.abc import Sequence

from howsure.text.passages import Passage, Word
from howsure.text.words import grammar

# A word with a capital at the beginning of a sentence is no name if it ends like this.
_COMMON_NOUN = re.compile(
    r"(?:tion|sion|ment|ness|ity|ing|ance|ence|age|ure|ism|logy|ware|ship|hood|cy|ry|al)s?\Z", re.IGNORECASE
)
_NO_NAMES = frozenset(grammar.NO_NAMES.split())
_PASSIVE = re.compile(r"\b(?:am|is|are|was|were|be|been|being)\b")
_BY = re.compile(r" by (?:the )?")


def find_replaced_subject(sentence: Passage, passages: Sequence[Passage]) -> str:
    """Return the name of which some passages say what a sentence says of the name that it begins with, or "".

    Whether the passages know the name of the sentence, too, is not asked.

    >>> from howsure.text.passages import read_passage
    >>> context = "Acme bought Initech."
    >>> passages = [read_passage(context, 0, len(context))]
    >>> for text in "Hooli bought Initech.", "It bought Initech.", "Hooli was bought.":
    ...     print(repr(find_replaced_subject(read_passage(text, 0, len(text)), passages)))
    'Acme'
    ''
    ''
    """
    name = leading_name(sentence)
    if not name or len(name) == len(sentence.words):
        return ""
    verb = sentence.words[len(name)]
    roots = {word.root for word in sentence.words}
    is_passive = _is_passive(sentence, name[-1], verb)
    for passage in passages:
        other = leading_name(passage)
        if other and roots.isdisjoint(word.root for word in other) and len(other) < len(passage.words):
            follows = passage.words[len(other)]
            if follows.root == verb.root and _is_passive(passage, other[-1], follows) == is_passive:
                return " ".join(word.text for word in other)
        if not is_passive and (doer := _doer(passage, verb)) is not None and doer.root not in roots:
            return doer.text
    return ""


def leading_name(passage: Passage) -> tuple[Word, ...]:
    """Return the name with which a passage begins; empty if its first word is rather a common noun."""
    size = 0
    for word in passage.words:
        if not (word.is_name or (size == 0 and word.begins)):
            break
        size += 1
    if size != 1 or passage.words[0].is_name:
        return passage.words[:size]
    text, verb = passage.words[0].text, passage.words[1].text if len(passage.words) > 1 else ""
    # "Users delete", but "Redis stores".
    is_plural = text.endswith("s") and not verb.endswith("s")
    is_name = not (is_plural or text.lower() in _NO_NAMES or _COMMON_NOUN.search(text))
    return passage.words[:1] if is_name else ()


def _is_passive(passage: Passage, subject: Word, verb: Word) -> bool:
    """Return True if a form of "be" stands between a subject and its verb."""
    start = passage.text.find(subject.text) + len(subject.text)
    return bool(_PASSIVE.search(passage.text, start, max(passage.text.find(verb.text, start), start)))


def _doer(passage: Passage, verb: Word) -> Word | None:
    """Return the name by which it is done, according to a passage: "bought by Acme"; None if it does not say that."""
    for place, word in enumerate(passage.words[:-1]):
        following = passage.words[place + 1]
        if word.root == verb.root and following.is_name:
            start = passage.text.find(word.text) + len(word.text)
            if (by := _BY.match(passage.text, start)) and passage.text.startswith(following.text, by.end()):
                return following
    return None
