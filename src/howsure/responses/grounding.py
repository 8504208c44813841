"""How much of a response is found in the texts that it should rest on."""

import math
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from howsure.text.grounding_result import GroundedSentence

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


def measure_grounding(text: str, context: Sequence[str]) -> MeasuredGrounding | None:
    """Return how far texts support a response, from 0 to 1, with words for it; None if it says nothing to look for.

    Sentences are compared one by one (`howsure.text.grounding`). What cannot be read that way, such as advice or
    another language, is compared by its words.

    >>> context = ["Paris is the capital of France. It has 2,100,000 inhabitants."]
    >>> for answer in ("The capital of France is Paris.", "Lyon was founded in 43 BC."):
    ...     found = measure_grounding(answer, context)
    ...     print(found.score > 0.8, found.why[:55])
    True every sentence is found in what was retrieved
    False 1 of 1 sentences are not found in what was retrieved: '
    """
    from howsure.text.grounding import SUPPORTED, ground

    found = ground(text, context)
    if found.support is None:
        words = compare_words(text, context)
        return None if words is None else MeasuredGrounding(*words)
    weak = [one for one in found.sentences if one.support is not None and one.support < SUPPORTED]
    if not weak:
        return MeasuredGrounding(found.support, "every sentence is found in what was retrieved", found.sentences)
    reasons = "; ".join(f"{one.text[:60]!r}: {', '.join(one.reasons) or one.finding}" for one in weak[:_SHOWN])
    share = f"{len(weak)} of {len(found.sentences)} sentences are not found in what was retrieved"
    return MeasuredGrounding(found.support, f"{share}: {reasons}", found.sentences)


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
