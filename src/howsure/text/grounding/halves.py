"""Notice that cause and effect, or the two sides of a comparison, have changed places.

The words are the same then, and nothing else differs.
"""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from howsure.text.passages import Passage, read_passage
from howsure.text.stems import stem

_LONGEST = 400
"""Characters of a sentence that is split: longer ones have several causes."""
# What stands before these is the effect.
_BECAUSE = r"because of|because|due to|owing to|as a result of|(?:is|are|was|were|been) caused by"
# "Since" and "as" only as a clause of their own that is no time and no comparison.
_SINCE = (
    r"(?<=, )since (?!then\b|\d|(?:early|late|last|its?|the (?:end|start|early|late|year))\b)"
    r"|(?<=, )as (?:the|an?|it|they|we|its|their)\b"
)
_CAUSE = re.compile(rf"\b(?:{_BECAUSE}|{_SINCE})")
# In a context, what comes first in time is taken for the cause.
_CAUSE_OR_TIME = re.compile(rf"\b(?:{_BECAUSE}|{_SINCE}|when|after|once|if)\b")
# What stands before these is the cause.
_EFFECT = re.compile(r"\b(?:led to|leads to|lead to|caused|causes|resulted in|results in)\b(?! by\b)")
_OPENING = re.compile(
    r"(?:because of|because|since|due to|owing to) (?P<cause>[^,]+),(?P<effect>.+)", re.IGNORECASE | re.DOTALL
)
_OPENING_OR_TIME = re.compile(
    r"(?:because of|because|since|due to|owing to|when|after|once|if) (?P<cause>[^,]+(?:, [^,]+)??),(?P<effect>.+)",
    re.IGNORECASE | re.DOTALL,
)
_END = re.compile(r"[;:]|, (?:but|and|so|while|although|though|because|since|as|which)\b")
_LEAST = 1.0
"""Shares of the halves that must be found in the other half, added up."""
_CLEARLY = 0.5
"""By how much more that must be than what is found in the same half."""
_THAN = re.compile(r"\b(?P<how>(?:more|less|fewer)\b|[a-z]{2,}(?:er|ier)\b|worse\b)(?P<between>[^.,;:]{0,60}?)\bthan\b")
_CLAUSE_END = re.compile(r"[.,;:]|\b(?:and|but|while|although|because)\b")


class _Halves(NamedTuple):
    """The roots of the words of both parts of a sentence."""

    first: frozenset[str]
    """Of the effect, or of what is compared."""
    second: frozenset[str]
    """Of the cause, or of what it is compared with."""
    how: str = ""
    """Stem of the comparative."""


def find_exchanged_halves(sentence: Passage, passages: Sequence[Passage]) -> str:
    """Return which parts of a sentence stand the other way round in some passages, or "".

    >>> context = "The sync slows down because the battery is low. Plan A costs more than plan B."
    >>> passages = [read_passage(context, 0, 47), read_passage(context, 48, len(context))]
    >>> for text in (
    ...     "The battery is low because the sync slows down.",
    ...     "Plan B costs more than plan A.",
    ...     "Plan B costs less than A.",
    ... ):
    ...     print(repr(find_exchanged_halves(read_passage(text, 0, len(text)), passages)))
    'cause and effect the other way round'
    'the comparison the other way round'
    ''
    """
    texts = [passage.text for passage in passages]
    own_causes, own_comparisons = list(_read_causes(sentence.text)), list(_read_comparisons(sentence.text))
    causes = [cause for text in texts for cause in _read_causes(text, with_times=True)] if own_causes else []
    for own in own_causes:
        if any(_is_crossed(own, other) for other in causes) and not any(_is_straight(own, other) for other in causes):
            return "cause and effect the other way round"
    comparisons = [one for text in texts for one in _read_comparisons(text)] if own_comparisons else []
    if any(_is_turned(own, other) for own in own_comparisons for other in comparisons):
        return "the comparison the other way round"
    return ""


def _read_causes(text: str, *, with_times: bool = False) -> Iterator[_Halves]:
    """Yield effects with their causes."""
    line = " ".join(text.split())
    if len(line) > _LONGEST:
        return
    if opening := (_OPENING_OR_TIME if with_times else _OPENING).match(line):
        yield from _halves(opening["effect"], opening["cause"])
    for match in (_CAUSE_OR_TIME if with_times else _CAUSE).finditer(line, 1):
        yield from _halves(_before(line, match.start()), _after(line, match.end()))
    for match in _EFFECT.finditer(line, 1):
        yield from _halves(_after(line, match.end()), _before(line, match.start()))


def _before(line: str, place: int) -> str:
    starts = [match.end() for match in re.finditer(r"[;:]", line[:place])]
    return line[starts[-1] if starts else 0 : place]


def _after(line: str, place: int) -> str:
    end = _END.search(line, place)
    return line[place : end.start() if end else len(line)]


def _halves(first: str, second: str, how: str = "") -> Iterator[_Halves]:
    """Yield the roots of both parts, without those that are in both."""
    ones, others = (frozenset(word.root for word in read_passage(part, 0, len(part)).words) for part in (first, second))
    if ones - others and others - ones:
        yield _Halves(ones - others, others - ones, how)


def _is_crossed(own: _Halves, other: _Halves) -> bool:
    """Return True if the effect of one is the cause of the other, and the other way round."""
    ones, others = own.first & other.second, own.second & other.first
    crossed = len(ones) / len(own.first) + len(others) / len(own.second)
    return bool(ones and others) and crossed >= _LEAST and crossed > _straight(own, other) + _CLEARLY


def _is_straight(own: _Halves, other: _Halves) -> bool:
    return bool(own.first & other.first and own.second & other.second) and not _is_crossed(own, other)


def _straight(own: _Halves, other: _Halves) -> float:
    return len(own.first & other.first) / len(own.first) + len(own.second & other.second) / len(own.second)


def _read_comparisons(text: str) -> Iterator[_Halves]:
    """Yield what is compared with what."""
    line = " ".join(text.split())
    for match in _THAN.finditer(line):
        starts = [end.end() for end in re.finditer(r"[.;:]|\b(?:but|while|although)\b", line[: match.start()])]
        start = starts[-1] if starts else 0
        end = _CLAUSE_END.search(line, match.end())
        first = f"{line[start : match.start()]} {match['between']}"
        yield from _halves(first, line[match.end() : end.start() if end else len(line)], stem(match["how"].lower()))


def _is_turned(own: _Halves, other: _Halves) -> bool:
    """Return True if two comparisons with the same word have each other's sides."""
    if own.how != other.how:
        return False
    is_other = own.second.isdisjoint(other.second) and own.second <= other.first
    return is_other and not own.first.isdisjoint(other.second)
