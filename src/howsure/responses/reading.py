"""Let a reader of pairs judge the sentences of a response together with the comparison by words."""

import math
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import replace

from howsure.errors import MissingExtraError
from howsure.reader import PairProbabilities, Reader, ReaderError, RulesReader, TextPair, default_reader, read_pairs
from howsure.text.grounding.ground import SUPPORTED, SentenceStream, overall_support
from howsure.text.grounding.response_marks import blank_marks
from howsure.text.grounding.result import ContextQuote, GroundedSentence, Grounding
from howsure.text.passages import split_passages

_LEAST = 0.001
"""Probabilities are kept this far from 0 and 1, so that one side alone cannot decide."""
_WORDS, _CLASH, _WINDOW, _ALL = 0.15, 0.3, 0.5, 0.5
"""Weights, in logits, of the support by words, of that support if words clash, and of the best window and the whole
context as the reader judges them. Decision 0080 has the numbers of these and of others: with a clash of 1.0, as a
former reader needed it, AUROC on factcheck-bench falls from .80 to .78; words at 0.2 find more changed answers, and
rank responses in words of their own worse."""
_SURE = 0.5
"""Probability of contradiction from which a sentence is contradicted."""
_WHOLE = 1500
"""Characters of a context up to which a sentence is also read with all of it."""
_WIDE = 3
"""Passages of the wider window around a quote: of the ones of one to three passages, the best on both sets."""
_LONGEST = 800
"""Characters of a window that are read: about 200 tokens, so that a model with 256 sees all of it and the sentence."""
_MOST_SENTENCES = 64
"""Sentences of a response that are read; a longer one is compared by words alone: a model reads 150 a second."""


def read_grounding(grounding: Grounding, context: str | Sequence[str], reader: Reader | None = None) -> Grounding:
    """Return a grounding in which each sentence was read with its context; default: by the reader that is installed.

    It is read with its quote, with the passages around that, and with a short context as a whole. The result says in
    `reader` what was used. If there are only the rules, which the comparison by words contains, or over 64 sentences,
    the grounding stays as it is. If the reader fails, it stays as it is too, and `reader` says why.
    """
    context_reader = ContextReader(context, reader)
    if context_reader.is_idle or len(grounding.sentences) > _MOST_SENTENCES:
        return grounding
    sentences = context_reader.read(grounding.sentences)
    if context_reader.problem:
        return replace(grounding, reader=f"{grounding.reader} ({context_reader.problem})")
    return Grounding(overall_support(sentences), tuple(sentences), f"{grounding.reader} + {context_reader.name}")


class ContextReader:
    """Reads sentences that were compared by words, with the texts that they should rest on."""

    def __init__(self, context: str | Sequence[str], reader: Reader | None = None) -> None:
        """Take the texts, and the reader; default: the one that is installed."""
        self._texts = [context] if isinstance(context, str) else list(context)
        self._whole = "\n".join(self._texts) if sum(map(len, self._texts)) <= _WHOLE else ""
        self._passages: dict[int, list[tuple[int, int]]] = {}
        self._reader = reader or default_reader()
        self.is_idle: bool = isinstance(self._reader, RulesReader)
        """True if there are only the rules, which the comparison by words contains."""
        self.problem: str = ""
        """Why the reader failed, or ""."""

    @property
    def name(self) -> str:
        """Name and version of the reader."""
        return f"{self._reader.name} {self._reader.version}"

    def read(self, sentences: Sequence[GroundedSentence]) -> list[GroundedSentence]:
        """Return the sentences with the support by words and reader; as they are if the reader fails."""
        read = list(sentences)
        quotes = {place: one.quote for place, one in enumerate(read) if one.support is not None and one.quote}
        if self.is_idle or self.problem or not quotes:
            return read
        groups = [
            [TextPair(text, " ".join(blank_marks(read[place].text).split())) for text in self._windows(quote)]
            for place, quote in quotes.items()
        ]
        try:
            results = iter(read_pairs(self._reader, [pair for group in groups for pair in group]))
        except (ReaderError, MissingExtraError) as error:
            self.problem = f"without {self._reader.name}: {error}"
            return read
        for place, group in zip(quotes, groups, strict=True):
            found = [next(results) for _ in group]
            # A combination whose model fails falls back to the rules, which the comparison by words contains.
            if all(result.reader == self._reader.name for result in found):
                read[place] = _combine(read[place], found, has_whole=bool(self._whole))
            else:
                self.problem = next(result.reason for result in found if result.reader != self._reader.name)
        return read

    def _windows(self, quote: ContextQuote) -> list[str]:
        """Return the parts of the context to read a sentence with, each different from the others.

        Its quote, the passages around that, and last the whole context if it is short.
        """
        start, end = self._widen(quote)
        windows = [_cut(quote.text), _cut(self._texts[quote.context][start:end])]
        distinct = [window for window in dict.fromkeys(windows) if window.strip()]
        return [window for window in distinct if window != self._whole] + [self._whole] * bool(self._whole)

    def _widen(self, quote: ContextQuote) -> tuple[int, int]:
        """Return the place of the passages around a quote, three of them if there are."""
        if quote.context not in self._passages:
            self._passages[quote.context] = list(split_passages(self._texts[quote.context], with_code=True))
        spans = self._passages[quote.context]
        first = bisect_left(spans, (quote.start, 0))
        last = bisect_left(spans, (quote.end, 0)) - 1
        # One passage before the quote, the others after it: what a pronoun stands for was said before.
        while last - first + 1 < _WIDE and (first > 0 or last + 1 < len(spans)):
            if first > 0 and (last + 1 >= len(spans) or quote.start <= spans[first][0]):
                first -= 1
            else:
                last += 1
        return spans[first][0], spans[max(first, last)][1]


class ReadSentenceStream:
    """A response that arrives in chunks, compared sentence by sentence by words and by a reader."""

    def __init__(self, context: str | Sequence[str], reader: Reader | None = None) -> None:
        """Take the texts that the response should rest on, and the reader; default: the one that is installed."""
        self._words = SentenceStream(context)
        self._reader = ContextReader(context, reader)
        self._count = 0

    def add(self, chunk: str) -> list[GroundedSentence]:
        """Return the sentences that are complete with this chunk."""
        return self._read(self._words.add(chunk))

    def finish(self) -> list[GroundedSentence]:
        """Return what is left at the end of the response."""
        return self._read(self._words.finish())

    def _read(self, sentences: list[GroundedSentence]) -> list[GroundedSentence]:
        read = sentences[: max(_MOST_SENTENCES - self._count, 0)]
        self._count += len(sentences)
        return [*self._reader.read(read), *sentences[len(read) :]]


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST else text[:_LONGEST].rpartition(" ")[0] or text[:_LONGEST]


def _combine(sentence: GroundedSentence, found: Sequence[PairProbabilities], *, has_whole: bool) -> GroundedSentence:
    """Return a sentence with the support by words and by what the reader says of its windows, the whole being last."""
    windows = found[:-1] if has_whole and len(found) > 1 else found
    best = max(windows, key=lambda one: one.entailment)
    whole = found[-1] if has_whole else best
    weight = _CLASH if sentence.finding == "contradicted" else _WORDS
    support = _weigh(sentence.support or 0.0, weight, best.entailment, whole.entailment)
    if support >= SUPPORTED:
        return replace(sentence, support=support, finding="supported")
    if sentence.finding == "contradicted" or best.contradiction >= _SURE:
        reasons = (*sentence.reasons, *((best.reason,) if best.reason else ()))
        return replace(sentence, support=support, finding="contradicted", reasons=tuple(dict.fromkeys(reasons)))
    return replace(sentence, support=support, finding="not found")


def _weigh(words: float, weight: float, window: float, whole: float) -> float:
    """Return the support by words with its weight, by the best window and by the whole context as one probability.

    >>> round(_weigh(0.9, 0.1, 0.9, 0.9), 2), round(_weigh(0.8, 0.1, 0.5, 0.5), 2)
    (0.92, 0.53)
    """
    chances = (min(1.0 - _LEAST, max(_LEAST, p)) for p in (words, window, whole))
    logits = [math.log(chance / (1.0 - chance)) for chance in chances]
    return 1.0 / (1.0 + math.exp(-weight * logits[0] - _WINDOW * logits[1] - _ALL * logits[2]))
