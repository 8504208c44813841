"""How much of a response is found in the texts that it should rest on."""

import math
import re
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from howsure.settings import GroundingReader
    from howsure.text.grounding.result import GroundedSentence

_FENCE = "```"
_SHOWN = 3
"""Sentences without support that are quoted."""
_TOKEN = re.compile(r"\d+(?:[.,:]\d+)*|[^\W\d_]+(?:['\u2019-][^\W\d_]+)*")
_COMMON_WORDS = """
a an the is are was were be been being am do does did has have had can could will would shall should may might must of
to in on at by for with from as into over under about after before between and or but nor so yet if then than that this
these those it its he she they them his her their we you i my our your who which what when where how why not no yes
also there here very more most some any all each both such only own same just
"""
_COMMON = frozenset(_COMMON_WORDS.split())


class MeasuredGrounding(NamedTuple):
    """How far texts support a response."""

    score: float
    """From 0 to 1."""
    why: str
    sentences: "tuple[GroundedSentence, ...]" = ()
    """The sentences as they were compared; empty if only words could be."""


def measure_grounding(
    text: str, context: Sequence[str], *, reader: "GroundingReader" = "words"
) -> MeasuredGrounding | None:
    """Return how far texts support a response, from 0 to 1, with words for it; None if that cannot be judged.

    Sentences are compared one by one (`howsure.text.grounding`); one that cannot be judged counts as half supported. If
    all are in another language, shared words count only against the response: they can show that the texts are about
    something else. A fragment, such as a name alone, is compared by its words; code or an admitted gap alone is not.
    With `reader="installed"` the reader that is installed reads each sentence, too.

    >>> context = ["Paris is the capital of France. It has 2,100,000 inhabitants."]
    >>> for answer in ("The capital of France is Paris.", "Lyon was founded in 43 BC."):
    ...     found = measure_grounding(answer, context)
    ...     print(found.score > 0.8, found.why[:55])
    True every sentence is found in what was retrieved
    False 1 of 1 sentences are not found in what was retrieved: '
    >>> measure_grounding("Paris ist nicht die Hauptstadt.", ["Paris ist die Hauptstadt und nicht Lyon."]) is None
    True
    """
    from howsure.text.grounding.ground import SUPPORTED, ground, overall_support

    found, by = ground(text, context), ""
    if reader == "installed":
        from howsure.responses.reading import read_grounding

        found = read_grounding(found, context)
        by = f" (by {found.reader})"
    if found.support is None:
        words = compare_words(text, context)
        if words is None:
            return None
        counts = words[0] < SUPPORTED if found.sentences else _FENCE not in text and not _has_gap(text)
        return MeasuredGrounding(*words) if counts else None
    unread = [one for one in found.sentences if one.support is None]
    weak = [one for one in found.sentences if one.support is not None and one.support < SUPPORTED]
    # A sentence that nobody compared may say anything.
    score = overall_support([replace(one, support=0.5) if one.support is None else one for one in found.sentences])
    assert score is not None  # noqa: S101 - at least one sentence was judged
    if not weak and not unread:
        return MeasuredGrounding(score, f"every sentence is found in what was retrieved{by}", found.sentences)
    parts = []
    for ones, problem in ((weak, "are not found in what was retrieved"), (unread, "cannot be judged")):
        if ones:
            reasons = "; ".join(f"{one.text[:60]!r}: {', '.join(one.reasons) or one.finding}" for one in ones[:_SHOWN])
            parts.append(f"{len(ones)} of {len(found.sentences)} sentences {problem}: {reasons}")
    return MeasuredGrounding(score, "; ".join(parts) + by, found.sentences)


def _has_gap(text: str) -> bool:
    """Return True if a sentence of a text says that something is not known."""
    from howsure.text.grounding.response_marks import find_gap
    from howsure.text.passages import split_passages

    return any(find_gap(text[start:end]) is not None for start, end in split_passages(text))


def compare_words(text: str, context: Sequence[str]) -> tuple[float, str] | None:
    """Return how many words of a text are found in others, as a score from 0 to 1, with words for it.

    The share of its numbers, names and content words that occur in the texts; numbers and names count three times. A
    smooth ramp around one half makes a score of it: an answer in other words still shares many of them.

    >>> compare_words("Use a stainless pan.", ["The river is long."])[1]
    '0% of its numbers, names and words are in the context; missing: Use, stainless, pan'
    """
    found = {_stem(word) for one in context for word in _TOKEN.findall(one)}
    if not found:
        return None
    total = missing = 0.0
    absent: list[str] = []
    for place, word in enumerate(_TOKEN.findall(text)):
        if word.lower() in _COMMON:
            continue
        weight = 3.0 if word[0].isdigit() or (place and word[0].isupper()) else 1.0
        total += weight
        if _stem(word) not in found:
            missing += weight
            absent.append(word)
    if not total:
        return None
    share = 1.0 - missing / total
    words = f"{share:.0%} of its numbers, names and words are in the context"
    some = ", ".join(dict.fromkeys(absent))[:80]
    return 1.0 / (1.0 + math.exp((0.5 - share) / 0.1)), f"{words}; missing: {some}" if absent else words


def _stem(word: str) -> str:
    word = word.lower().replace("\u2019", "'").removesuffix("'s")
    for ending in ("ies", "ing", "ed", "es", "s"):
        if word.endswith(ending) and len(word) > len(ending) + 2:
            return word.removesuffix(ending).rstrip("e")
    return word.rstrip("e") if len(word) > 3 else word  # noqa: PLR2004 - "use" and "used" are one, "the" stays
