"""Notice what a sentence asserts and the context only says of a case, as a possibility, roughly, or of another time."""

import re
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from howsure.text.contradictions import speaks_of_another_time
from howsure.text.passages import Passage, Word
from howsure.text.phrases import fold_case
from howsure.text.quantities.measures import Measure, are_comparable, measure_gap
from howsure.text.stems import stem
from howsure.text.words import units

OTHER_TIME = "the context says so of another time"
_EXACTLY = re.compile(r"\b(?:exactly|precisely)\s\Z")
_ALMOST = ("nearly", "almost", "close to")
_LIMIT_BEFORE = re.compile(
    rf"(?:{'|'.join(map(re.escape, [*units.LOWER, *units.UPPER, *units.ABOVE, *units.BELOW]))})\s*\Z"
)
_REACH = 24
"""Characters before a number in which a second limit is looked for: "at least about 20"."""
_SAME = 1e-6
_MAY = 0.3
"""How much of the support "may" and "could" take away without a condition: answers that count as faithful drop them."""
_NOW = ("now", "today", "currently", "presently")
_SHORT = 4
"""Letters of a root up to which words are compared with the whole of it: "happi" is the root of "happy"."""
# A condition up to the next mark or conjunction.
_CONDITION = re.compile(
    r"\b(?:if|unless|in case(?: of)?|provided(?: that)?|as long as|assuming(?: that)?)\b"
    r"(?:(?!\b(?:and|or|but|then|so|otherwise)\b)[^,;:()\u2013\u2014])*"
)
_CONDITIONAL = re.compile(
    r"\b(?:if|unless|in case|provided|as long as|assuming|when|whenever|while|until|once|whether|where|without|with)\b"
)
# Without what a person may do, which is a permission, and how long or how much something may take.
_POSSIBLY = re.compile(
    r"(?<!you )(?<!we )(?<!one )(?<!people )(?<!users )(?<!customers )(?<!clients )(?<!employees )(?<!members )"
    r"(?<!admins )(?<!students )(?<!guests )(?<!anyone )(?<!everyone )(?<!they )(?<!he )(?<!she )"
    r"\b(?P<modal>may|might|could)\b(?! not\b)"
    r"(?: (?:be|also|still|even|then|sometimes|only|just|either|now|\w+ly))*"
    r" (?!(?:take|last|cost|vary|range|include|contain|have|need)\b)(?P<verb>[a-z]{2,})"
)
_HEDGED = re.compile(
    r"\b(?:may|might|could|can|cannot|would|should|possib\w*|perhaps|maybe|potential\w*|sometimes|risks?|chances?|"
    r"likel\w*|allow\w*|permit\w*|able|optional\w*|if|unless|when\w*|capable|seems?|appears?|some|often|usually|option|"
    r"opportunit\w*|eligible|free to|choose|want|wish)\b"
)
_BEFORE_NOUN = re.compile(r"\b(?:the|a|an|its|their|our|your|his|her|this|that|these|those|of|in|for|no|any|each) \Z")


FindPassages = Callable[[Sequence[Word]], Sequence[Passage]]
"""Returns passages that have all of some words."""


class Unasserted(NamedTuple):
    """What keeps some passages from asserting a sentence."""

    reason: str
    share: float
    """How much of the support that takes away: 1, or less where faithful answers leave the qualifier out, too."""


def find_unasserted(sentence: Passage, passages: Sequence[Passage], find_passages: FindPassages) -> Unasserted | None:
    """Return why some passages do not assert a sentence that has their words, or None.

    `find_passages` returns passages of the context that have some words, of which another one may assert it.

    >>> from howsure.text.passages import read_passage
    >>> passages = [read_passage("It may fail if the disk is full.", 0, 32)]
    >>> for text in "The disk is full.", "It fails.", "It may fail.":
    ...     print(find_unasserted(read_passage(text, 0, len(text)), passages, lambda words: passages))
    Unasserted(reason='the context says so only of a condition', share=1.0)
    Unasserted(reason='the context says only that it may be so', share=1.0)
    None
    """
    lower = _plain(sentence)
    if not _CONDITIONAL.search(lower) and _is_only_condition(sentence, passages, find_passages):
        return Unasserted("the context says so only of a condition", 1.0)
    if not _HEDGED.search(lower) and (modal := _find_modal(sentence, lower, passages, find_passages)):
        is_plain = modal != "might" and not any(True for passage in passages for _ in _conditions(passage))
        return Unasserted("the context says only that it may be so", _MAY if is_plain else 1.0)
    if len(passages) == 1 and _is_of_another_time(sentence, passages[0]):
        return Unasserted(OTHER_TIME, 1.0)
    looser = next((reason for one in sentence.measures if (reason := _find_looser(one, sentence, passages))), "")
    return Unasserted(looser, 1.0) if looser else None


def _plain(passage: Passage) -> str:
    return " ".join(passage.text.lower().replace("\u2019", "'").split())


def _conditions(passage: Passage) -> Iterator[str]:
    """Yield the conditions of a passage; one at its beginning ends at a comma."""
    lower = _plain(passage)
    for match in _CONDITION.finditer(lower):
        if match.start() > 0 or lower.startswith(",", match.end()):
            yield match[0]


def _is_only_condition(sentence: Passage, passages: Sequence[Passage], find_passages: FindPassages) -> bool:
    """Return True if all words of a sentence are in a condition, and no passage has all of them elsewhere."""
    if len(sentence.words) < 2:  # noqa: PLR2004
        return False
    found = any(
        all(_has(condition, word) for word in sentence.words)
        for passage in passages
        for condition in _conditions(passage)
    )
    return found and not any(_asserts(passage, sentence.words) for passage in find_passages(sentence.words))


def _asserts(passage: Passage, words: Sequence[Word]) -> bool:
    """Return True if a passage has all words outside its conditions."""
    lower = _plain(passage)
    for condition in _conditions(passage):
        lower = lower.replace(condition, " ")
    return all(_has(lower, word) for word in words)


def _has(text: str, word: Word) -> bool:
    """Return True if a text in lower case has a form of a word."""
    return re.search(rf"\b{re.escape(word.root[:-1] if len(word.root) > _SHORT else word.root)}", text) is not None


def _find_modal(sentence: Passage, lower: str, passages: Sequence[Passage], find_passages: FindPassages) -> str:
    """Return the modal after which some passages have a verb of a sentence, if they have it nowhere else, or "".

    Nothing is found if any passage has all words of the sentence and the verb without a modal.
    """
    texts = [_plain(passage) for passage in passages]
    possible = {match["verb"]: match["modal"] for text in texts for match in _POSSIBLY.finditer(text)}
    if not possible:
        return ""
    modals = {
        word.root: possible[word.text.lower()]
        for passage in passages
        for word in passage.words
        if word.text.lower() in possible
    }
    verbs = [
        word
        for word in sentence.words
        if word.root in modals and not _BEFORE_NOUN.search(lower, 0, max(lower.find(word.text.lower()), 0))
    ]
    if not verbs:
        return ""
    texts += [_plain(passage) for passage in find_passages(sentence.words)]
    texts = [_POSSIBLY.sub(" ", text) for text in texts]
    return next((modals[verb.root] for verb in verbs if not any(_has(text, verb) for text in texts)), "")


def _is_of_another_time(sentence: Passage, passage: Passage) -> bool:
    """Return True if a passage says something else than a sentence, of another time."""
    known = {word.root for word in passage.words} | {stem(word) for word in _NOW}
    is_covered = all(word.root in known for word in sentence.words) and len(sentence.measures) <= len(passage.measures)
    numbers = [
        measure
        for measure in sentence.measures
        if not any(are_comparable(measure, one) and not measure_gap(measure, one) for one in passage.measures)
    ]
    return (not is_covered or bool(numbers)) and speaks_of_another_time(passage.text, sentence.text)


def _find_looser(measure: Measure, sentence: Passage, passages: Sequence[Passage]) -> str:
    """Return why a limit or an exact number is only approximate, or another limit, wherever the passages have it."""
    is_exact = _EXACTLY.search(fold_case(sentence.text), 0, measure.start) is not None
    if not (is_exact or measure.bound) or measure.low == measure.high != _value(measure):
        return ""
    value = _value(measure)
    same = [
        (other, passage)
        for passage in passages
        for other in passage.measures
        if other.dimension == measure.dimension and _is_close(value, other)
    ]
    if not same or not all(_is_looser(measure, other, passage, is_exact=is_exact) for other, passage in same):
        return ""
    return f"'{'exactly ' if is_exact else ''}{measure.text}' instead of '{same[0][0].text}'"


def _is_looser(measure: Measure, other: Measure, passage: Passage, *, is_exact: bool) -> bool:
    """Return True if the number of the context does not say what an exact number or limit of a sentence says."""
    if is_exact:
        return other.about or other.bound
    if (
        not other.about
        or other.bound
        or _LIMIT_BEFORE.search(fold_case(passage.text)[max(0, other.start - _REACH) : other.start])
    ):
        return False
    return not (other.text.startswith(_ALMOST) and measure.low == float("-inf"))


def _value(measure: Measure) -> float:
    return measure.low if measure.low != float("-inf") else measure.high


def _is_close(value: float, other: Measure) -> bool:
    return any(abs(value - end) <= _SAME * max(abs(value), abs(end)) for end in other[:2])
