"""Let a reader of pairs judge the sentences of a response together with the comparison by words."""

import math
from collections.abc import Sequence
from dataclasses import replace

from howsure.reader import PairProbabilities, Reader, RulesReader, TextPair, default_reader, read_pairs
from howsure.text.grounding import SUPPORTED, overall_support
from howsure.text.grounding_result import GroundedSentence, Grounding

_LEAST = 0.001
"""Probabilities are kept this far from 0 and 1, so that one side alone cannot decide."""
_SURE = 0.5
"""Probability of contradiction from which a sentence is contradicted."""


def read_grounding(grounding: Grounding, reader: Reader | None = None) -> Grounding:
    """Return a grounding in which each sentence was read with its quote; default: by the reader that is installed.

    The support becomes the mean, in logits, of the support by words and the reader's probability that the quote entails
    the sentence. If there are only the rules, which the comparison by words contains, the grounding stays as it is.
    """
    reader = reader or default_reader()
    if isinstance(reader, RulesReader):
        return grounding
    places = [place for place, one in enumerate(grounding.sentences) if one.support is not None and one.quote]
    pairs = [_pair(grounding.sentences[place]) for place in places]
    sentences = list(grounding.sentences)
    for place, found in zip(places, read_pairs(reader, pairs), strict=True):
        sentences[place] = _combine(sentences[place], found)
    used = f"{grounding.reader} + {reader.name} {reader.version}"
    return Grounding(overall_support(sentences), tuple(sentences), used)


def _pair(sentence: GroundedSentence) -> TextPair:
    return TextPair(sentence.quote.text if sentence.quote else "", sentence.text)


def _combine(sentence: GroundedSentence, found: PairProbabilities) -> GroundedSentence:
    support = _mean((sentence.support or 0.0, found.entailment))
    if support >= SUPPORTED:
        return replace(sentence, support=support, finding="supported")
    if sentence.finding == "contradicted" or found.contradiction >= _SURE:
        reasons = (*sentence.reasons, *((found.reason,) if found.reason else ()))
        return replace(sentence, support=support, finding="contradicted", reasons=tuple(dict.fromkeys(reasons)))
    return replace(sentence, support=support, finding="not found")


def _mean(chances: Sequence[float]) -> float:
    """Return the mean of probabilities in logits.

    >>> round(_mean([0.9, 0.9]), 3), _mean([0.2, 0.8])
    (0.9, 0.5)
    """
    kept = [min(1.0 - _LEAST, max(_LEAST, chance)) for chance in chances]
    logit = sum(math.log(chance / (1.0 - chance)) for chance in kept) / len(kept)
    return 1.0 / (1.0 + math.exp(-logit))
