"""Compare a response with the texts it was made from, sentence by sentence, by words alone.

For each sentence the best window of the context is found, and numbers, names, negations and content words are compared.
What was compared becomes a probability by a logistic function; decision 0018 says how its constants were learned.
"""

import math
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from howsure.text.assertions import is_assertion, is_instruction
from howsure.text.blocks import find_paragraph_end
from howsure.text.context import Context, Place, Window
from howsure.text.contradictions import find_clash, find_exchanged_roles
from howsure.text.grounding.halves import find_exchanged_halves
from howsure.text.grounding.negations import is_denied, is_only_side_negated
from howsure.text.grounding.pairings import find_exchanged_pairing, is_reordered
from howsure.text.grounding.positions import (
    OPPOSITES,
    count_misplaced_names_and_numbers,
    find_other_label,
    find_other_ordinal_or_change,
    find_other_period_or_opposite,
    opposite_bounds,
)
from howsure.text.grounding.qualifiers import OTHER_TIME, find_unasserted
from howsure.text.grounding.response_marks import blank_marks, find_gap
from howsure.text.grounding.result import ContextQuote, Finding, GroundedSentence, Grounding
from howsure.text.grounding.reversals import find_reversal
from howsure.text.grounding.subjects import find_replaced_subject, leading_name
from howsure.text.grounding.substitutes import Substitute, find_substitute
from howsure.text.grounding.universals import find_unlimited
from howsure.text.language import is_english
from howsure.text.passages import Passage, Word, read_passage, split_passages
from howsure.text.quantities.measures import measure_gap

SUPPORTED = 0.5
"""Probability from which a sentence is supported."""
_OPPOSITE_BOUND = 0.8
"""Severity of "at least" in place of "at most"."""
_EXCHANGED = 0.8
"""Severity of the same words in other roles."""
_CLASH = 0.5
"""Severity from which a conflict found by the contradiction rules is a clash."""
_CLASHING = 0.1
"""Highest support of a sentence with a clash. Of 46 such pairs of FEVER and factcheck-bench one is supported, and none
of the eight that the other differences would let pass."""
_SAME_SUBJECT = 0.7
"""Share of words that a window may lack and still be about the same thing, so that a difference is a contradiction."""
_DECIDED = 0.05
"""Support below which the contradiction rules are not asked."""
_NAME_WEIGHT = 1.5
_DISTANCE = 4
"""How far apart two neighbouring words of a sentence may be in the window."""
_MOST = 2.0
"""Missing names or numbers beyond this many add nothing."""
_LITERAL = 0.3
"""Share of words that a window may lack for the places of names and numbers to count: rewording moves them."""
_MAX_REASONS = 4
_NOT_ENGLISH = ("only English can be compared",)
_SHORTEST = 20
"""Characters of a stream from which a complete sentence is looked for."""
_BEFORE = "Is it? "
"""Stands for the sentences of a line that were read: without it, its rest may look like a list item, quote or label. A
question is not compared."""
_LINE_BREAK = re.compile(r"[\n\r\x0b\x0c\x1c-\x1e\x85\u2028\u2029]")
_BEFORE_THAT = re.compile(r"\W*\w+ that\b")
# Words that claim more than a text without them.
_EXCLUSIVE = re.compile(r"\b(?:only|solely|exclusively|purely|always|never|all|every|entirely|none|nobody)\b")


class Features(NamedTuple):
    """The differences between a sentence and the context; all are 0 for a sentence that is a passage of it."""

    uncovered: float
    """Share of the content words, weighted by rarity, that the window lacks."""
    unknown: float
    """The same share for the whole context."""
    stranger: float
    """How far the uncovered share is above a half: 0 to 0.5."""
    disorder: float
    """Share of neighbouring words that are not in that order in the window."""
    missing_names: float
    """Names that are nowhere in the context, up to 2."""
    distant_names: float
    """Names that the context has, but not the window, up to 2."""
    missing_subject: float
    """1 if the context has no part of the name with which the sentence begins; a pronoun there may stand for it."""
    missing_numbers: float
    """Numbers, amounts and dates that are nowhere in the context, up to 2."""
    distant_numbers: float
    """Numbers that the context has, but not the window, up to 2."""
    negation: float
    """1 if one side denies a word that the other affirms."""
    negations: float
    """1 if only one side has a negation; one of the window counts if it is about a word of the sentence, or if the
    window does not affirm the word that the sentence denies."""
    opposite: float
    """1 if a word that the window lacks has its opposite there."""
    exclusive: float
    """1 if the sentence says "only", "always" or the like and the window does not."""
    conflict: float
    """Severity of the worst conflict that the contradiction rules find; 0 if the window is about something else."""
    unasserted: float = 0.0
    """1 if the window says so only of a condition, roughly, or of another time; less for a mere possibility."""
    misplaced: float = 0.0
    """Names and numbers in whose place the window has other ones, up to 2; 0 if the sentence is reworded."""
    replaced: float = 0.0
    """1 if the only difference from a passage is one word, which is no name and no known synonym."""


INTERCEPT = 3.5
WEIGHTS = Features(
    uncovered=-1.6,
    unknown=-1.7,
    stranger=-2.9,
    disorder=-0.4,
    missing_names=-3.6,
    distant_names=-0.2,
    missing_subject=-0.5,
    missing_numbers=-5.1,
    distant_numbers=-0.2,
    negation=-1.8,
    negations=-4.8,
    opposite=-1.2,
    exclusive=-1.9,
    conflict=-2.7,
    unasserted=-5.0,
    misplaced=-1.5,
    replaced=-2.7,
)
"""Constants of the logistic function, rounded. They were learned on 1,000 pairs of FEVER (Thorne et al. 2018, CC BY-SA
3.0), 52 technical pairs, changed copies of both, and answers with the context of another one, as if half of all
sentences were supported. `distant_names` and `missing_subject`, which came out as about 0, and `unasserted` were set by
hand. So was `replaced`: of 1,101 such pairs of SICK, SNLI, ConjNLI and technical statements 26 % are supported."""


def ground(response: str, context: str | Sequence[str]) -> Grounding:
    """Compare every sentence of a response with one or more texts.

    Questions, greetings and headings without a number or name are left out, and so is fenced code. English only: other
    languages give the finding "cannot judge". All texts are data; nothing in them is followed.

    >>> context = "The gateway listens on port 8443. Idle connections are closed after 90 seconds."
    >>> [one.finding for one in ground("Idle connections are closed after 90 seconds.", context).sentences]
    ['supported']
    >>> (changed,) = ground("The gateway listens on port 9443.", context).sentences
    >>> changed.finding, changed.reasons
    ('contradicted', ("'9443' is not in the context, which has '8443'",))
    """
    sentences = tuple(GroundingContext(context).read(response))
    return Grounding(overall_support(sentences), sentences)


def overall_support(sentences: Sequence[GroundedSentence]) -> float | None:
    """Return the support of a response: halfway between its weakest sentence and the mean; None if none is judged."""
    supports = [sentence.support for sentence in sentences if sentence.support is not None]
    return (min(supports) + sum(supports) / len(supports)) / 2 if supports else None


class GroundingContext:
    """The texts that responses should rest on, indexed once, to compare many sentences with them."""

    def __init__(self, context: str | Sequence[str]) -> None:
        """Read one or more texts."""
        texts = [context] if isinstance(context, str) else list(context)
        self._index = Context(texts)
        self._unreadable = {number for number, text in enumerate(texts) if not is_english(text)}
        self._known: dict[str, GroundedSentence | None] = {}

    def read(self, response: str, offset: int = 0) -> Iterator[GroundedSentence]:
        """Yield each sentence that says something, compared with the texts; `offset` is added to its place."""
        for start, end in split_passages(response):
            text = response[start:end]
            # A sentence that comes again, as in a table or a hostile text, is compared once.
            if text not in self._known:
                self._known[text] = self._compare(text)
            known = self._known[text]
            if known is not None:
                yield replace(known, start=start + offset, end=end + offset)

    def _compare(self, text: str) -> GroundedSentence | None:
        sentence = read_passage(blank_marks(text), 0, len(text))
        if not _says_something(sentence) or self._is_honest_gap(sentence):
            return None
        found = _judge(sentence, self._index) if is_english(text) else None
        # What English texts do not support, one in another language may.
        if found and self._unreadable:
            is_read = found.quote is not None and found.quote.context not in self._unreadable
            found = found if is_read and found.finding == "supported" else None
        if found is None:
            return GroundedSentence(text, 0, len(text), "cannot judge", None, None, _NOT_ENGLISH)
        return replace(found, text=text)

    def _is_honest_gap(self, sentence: Passage) -> bool:
        """Return True if a sentence only says that something is not known, and the texts lack a word of it, too."""
        gap = find_gap(" ".join(sentence.text.split()))
        if gap is None or sentence.measures:
            return False
        words = read_passage(gap, 0, len(gap)).words
        return not words or any(not self._index.whole.has_word(word) for word in words)


def ground_stream(chunks: Iterable[str], context: str | Sequence[str]) -> Iterator[GroundedSentence]:
    """Compare a response with one or more texts while it arrives, and yield each sentence once it is complete.

    The sentences are those that `ground` finds in the whole response.

    >>> chunks = ["The gateway listens on ", "port 9443. It", " uses TLS."]
    >>> for one in ground_stream(chunks, "The gateway listens on port 8443."):
    ...     print(one.finding, one.text)
    contradicted The gateway listens on port 9443.
    not found It uses TLS.
    """
    reader = SentenceStream(context)
    for chunk in chunks:
        yield from reader.add(chunk)
    yield from reader.finish()


class SentenceStream:
    """A response that arrives in chunks, compared sentence by sentence."""

    def __init__(self, context: str | Sequence[str]) -> None:
        """Take the texts that the response should rest on."""
        self._context = GroundingContext(context)
        self._rest, self._done = "", 0

    def add(self, chunk: str) -> list[GroundedSentence]:
        """Return the sentences that are complete with this chunk."""
        self._rest += chunk
        # Paragraphs are read one by one: what a line means may depend on the lines before it, as in a fence of code.
        has_lines = bool(_LINE_BREAK.search(self._rest))
        cut = self._paragraph_end(len(chunk)) if has_lines else self._sentence_end()
        if not cut:
            return []
        part, self._rest = self._rest[:cut], self._rest[cut:]
        sentences = list(self._context.read(part, self._done))
        self._done += cut
        if not has_lines:
            self._rest, self._done = _BEFORE + self._rest, self._done - len(_BEFORE)
        return sentences

    def finish(self) -> list[GroundedSentence]:
        """Return what is left at the end of the response."""
        part, self._rest = self._rest, ""
        return list(self._context.read(part, self._done))

    def _paragraph_end(self, new: int) -> int:
        """Return where the last complete paragraph ends, or 0 if none does within the new characters."""
        is_due = "\n\n" in self._rest[-new - 3 :].replace("\r\n", "\n")
        return find_paragraph_end(self._rest) if is_due else 0

    def _sentence_end(self) -> int:
        """Return where the last complete sentence of plain prose ends, or 0."""
        if len(self._rest) < _SHORTEST or self._rest.count("`") % 2:  # within code, a full stop ends nothing
            return 0
        spans = list(split_passages(self._rest))
        return spans[-1][0] if len(spans) > 1 and spans[-1][0] > len(_BEFORE) else 0


def compare(sentence: Passage, place: Place | None, context: Context) -> Features:
    """Return the differences between a sentence and its best window."""
    window = place.window if place else Window([])
    whole = context.whole
    weights = [(context.rarity(word) * (_NAME_WEIGHT if word.is_name else 1.0), word) for word in sentence.words]
    total = sum(weight for weight, _ in weights) or 1.0
    subject = _subject(sentence)
    # A name of which the context has a part is another name; one of which it has nothing may be its subject.
    is_other_subject = bool(subject) and not any(whole.has_word(word) for word in subject)
    others = sentence.words[len(subject) :] if is_other_subject else sentence.words
    absent = [(weight, word) for weight, word in weights if not window.has_word(word)]
    # What the context lacks the window lacks too.
    unknown = [(weight, word) for weight, word in absent if not whole.has_word(word)]
    strangers = {id(word) for _, word in absent}
    names = [word for word in others if id(word) in strangers and (word.is_name or word in subject)]
    numbers = [measure for measure in sentence.measures if not window.has_number(measure)]
    missing_names = sum(not whole.has_word(word) for word in names)
    if _find_replaced(sentence, window, context):
        missing_names, is_other_subject = missing_names + 1, False
    missing_numbers = sum(not whole.has_number(measure) for measure in numbers)
    uncovered = sum([weight for weight, _ in absent]) / total
    features = Features(
        uncovered=uncovered,
        unknown=sum([weight for weight, _ in unknown]) / total,
        stranger=max(0.0, uncovered - 0.5),
        disorder=_disorder(sentence, window),
        missing_names=min(_MOST, missing_names),
        distant_names=min(_MOST, len(names) - missing_names),
        missing_subject=float(is_other_subject),
        missing_numbers=min(_MOST, missing_numbers),
        distant_numbers=min(_MOST, len(numbers) - missing_numbers),
        negation=float(is_denied([sentence], window.passages) or is_denied(window.passages, [sentence])),
        negations=float(is_only_side_negated(sentence, window.passages)),
        opposite=float(bool(_find_opposite(sentence, window))),
        exclusive=float(bool(_find_exclusive(sentence, window))),
        conflict=0.0,
        misplaced=0.0,
    )
    if (reversed_ := find_reversal(sentence, window.passages)) is not None:
        features = features._replace(negation=0.0, negations=float(reversed_ == "denied"), opposite=0.0)
    plain = sentence.text.strip()
    is_literal = any(plain == one.text for one in window.passages)
    if uncovered <= _SAME_SUBJECT and not is_literal:
        unasserted = find_unasserted(sentence, window.passages, context.passages_with)
        features = features._replace(
            unasserted=unasserted.share if unasserted else 0.0,
            replaced=float(_find_substitute(sentence, window) is not None),
        )
    if uncovered <= _LITERAL and not is_literal:
        features = features._replace(misplaced=min(_MOST, count_misplaced_names_and_numbers(sentence, window.passages)))
    # The rules take most of the time. They say nothing about a window that is about something else, or that has the
    # sentence word for word, and do not matter if other differences decide.
    if uncovered > _SAME_SUBJECT or support_of(features) < _DECIDED or is_literal:
        return features
    return features._replace(conflict=_conflicts(sentence, window)[0][0])


def support_of(features: Features) -> float:
    """Return the probability that the context supports a sentence with these differences."""
    logit = INTERCEPT + sum(weight * value for weight, value in zip(WEIGHTS, features, strict=True))
    support = 1.0 / (1.0 + math.exp(-logit))
    return min(support, _CLASHING) if features.conflict >= _CLASH else support


def _says_something(sentence: Passage) -> bool:
    """Return True for an assertion or instruction, and for anything with a number or a name that is not a question."""
    if not sentence.words and not sentence.measures:
        return False
    line = " ".join(sentence.text.split())
    if line.rstrip("\"')*_ ").endswith("?"):
        return False
    if sentence.measures or any(word.is_name for word in sentence.words):
        return True
    return is_assertion(line) or is_instruction(line)


def _judge(sentence: Passage, context: Context) -> GroundedSentence:
    place = context.find_best(sentence)
    features = compare(sentence, place, context)
    support = support_of(features) if place or not sentence.words else 0.0  # a bare number has no window
    reasons, clashes = _explain(sentence, place.window if place else Window([]), context, features)
    finding: Finding = "supported"
    if support < SUPPORTED:
        finding = "contradicted" if clashes and features.uncovered <= _SAME_SUBJECT else "not found"
    quote = None
    if place is not None:
        quote = ContextQuote(place.text, place.start, place.end, context.texts[place.text][place.start : place.end])
    return GroundedSentence(sentence.text, sentence.start, sentence.end, finding, support, quote, reasons)


def _subject(sentence: Passage) -> tuple[Word, ...]:
    """Return the name of several words, or with signs or digits, with which a sentence begins."""
    size = 0
    for word in sentence.words:
        if not (word.is_name or (size == 0 and word.begins)):
            break
        size += 1
    if size and sentence.words[0].begins and _BEFORE_THAT.match(sentence.text):
        return ()  # "Remember that HR needs it"
    verb = sentence.words[size].text if size < len(sentence.words) else ""
    if size and sentence.words[0].begins and not verb.endswith("s") and is_instruction(sentence.text):
        return ()  # "Use Linux", but not "Push Notification Service encrypts it"
    return sentence.words[:size] if size > 1 or (size and sentence.words[0].is_name) else ()


def _find_substitute(sentence: Passage, window: Window) -> Substitute | None:
    found = find_substitute(sentence, window.passages)
    return None if found is None or window.has_word(found.word) else found


def _find_replaced(sentence: Passage, window: Window, context: Context) -> str:
    """Return the name in the window for which a sentence begins with one that the context lacks, or ""."""
    if any(context.whole.has_word(word) for word in leading_name(sentence)):
        return ""
    return find_replaced_subject(sentence, window.passages)


def _disorder(sentence: Passage, window: Window) -> float:
    """Return the share of neighbouring words that do not follow each other in the window."""
    places: dict[str, int] = {}
    for place, word in enumerate(window.words):
        places.setdefault(word.root, place)
    pairs = [(one.root, other.root) for one, other in zip(sentence.words, sentence.words[1:], strict=False)]
    kept = sum(
        one in places and other in places and -1 <= places[other] - places[one] <= _DISTANCE for one, other in pairs
    )
    return 1.0 - kept / len(pairs) if pairs else 0.0


def _find_opposite(sentence: Passage, window: Window) -> tuple[str, str] | None:
    """Return a word that the window lacks, and its opposite in the window."""
    for word in sentence.words:
        others = OPPOSITES.get(word.stem, frozenset()) & window.stems
        if others and not window.has_word(word):
            opposite = next(other for other in window.words if other.stem in others)
            if not (word.denied or opposite.denied):  # "not included" says "excluded"
                return word.text, opposite.text
    return None


def _find_exclusive(sentence: Passage, window: Window) -> str:
    """Return a word like "only" that the window lacks, or ""."""
    words = _EXCLUSIVE.findall(sentence.text.lower())
    known = set(_EXCLUSIVE.findall(window.lower)) if words else ()
    return next((word for word in words if word not in known), "")


_ARRANGEMENTS = (
    find_other_period_or_opposite,
    find_other_ordinal_or_change,
    find_exchanged_halves,
    find_other_label,
    find_exchanged_pairing,
)
"""Each says how the same words are arranged otherwise, or ""."""


def _conflicts(sentence: Passage, window: Window) -> list[tuple[float, str]]:
    """Return severity and reason of the conflicts that the contradiction rules find, the worst first; or 0 and ""."""
    clashes = [find_clash(passage.text, sentence.text) for passage in window.passages]
    found = [(clash.severity, clash.reason) for clash in clashes if clash is not None]
    found += [(_OPPOSITE_BOUND, reason) for reason in opposite_bounds(sentence.measures, window.measures)]
    roles = find_exchanged_roles([passage.text for passage in window.passages], sentence.text)
    # "Bob paid for dinner and Ann for lunch" has other subjects than "Ann paid for lunch and Bob for dinner".
    exchanged = "" if roles and is_reordered(sentence, window.passages) else roles
    exchanged = exchanged or next(filter(None, (find(sentence, window.passages) for find in _ARRANGEMENTS)), "")
    found += [(_EXCHANGED, exchanged)] if exchanged else []
    unlimited = find_unlimited(sentence, window.passages)
    found += [(_EXCHANGED, f"the context limits '{unlimited}'")] if unlimited else []
    return sorted(found, reverse=True) or [(0.0, "")]


def _explain_missing(sentence: Passage, window: Window, context: Context) -> tuple[list[str], bool]:
    """Return the numbers and names that the context lacks, and whether it has another one instead of one of them."""
    reasons, clashes = [], False
    for measure in sentence.measures:
        if not context.whole.has_number(measure):
            number = window.other_number(measure)
            clashes |= number is not None and not (number.bound and not measure_gap(measure, number))
            has = f", which has '{number.text}'" if number else ""
            reasons.append(f"'{measure.text}' is not in the context{has}")
    subject = _subject(sentence)
    names = [*subject, *(word for word in sentence.words[len(subject) :] if word.is_name)]
    if other := _find_replaced(sentence, window, context):
        clashes, replaced = True, leading_name(sentence)
        name = " ".join(word.text for word in replaced)
        reasons.append(f"'{name}' is not in the context, which has '{other}'")
        names = [word for word in names if word not in replaced]
    reasons += [f"'{name.text}' is not in the context" for name in names if not context.whole.has_word(name)]
    return reasons, clashes


def _explain(sentence: Passage, window: Window, context: Context, features: Features) -> tuple[tuple[str, ...], bool]:
    """Return the differences in words, and whether one of them is a clash and not just something that is missing."""
    reasons, clashes = _explain_missing(sentence, window, context)
    if features.negation or features.negations:
        clashes = True
        reasons.append("it is negated here, but not in the context" if sentence.negations else "the context negates it")
    if features.opposite and (opposite := _find_opposite(sentence, window)):
        clashes = True
        reasons.append(f"'{opposite[0]}' instead of '{opposite[1]}'")
    if features.unasserted and (unasserted := find_unasserted(sentence, window.passages, context.passages_with)):
        reasons.append(unasserted.reason)
        clashes &= unasserted.reason != OTHER_TIME
    if features.replaced and (substitute := _find_substitute(sentence, window)):
        reasons.append(f"'{substitute.word.text}' where the context has '{substitute.other.text}'")
    if word := _find_exclusive(sentence, window):
        reasons.append(f"'{word}' is not in the context")
    if features.conflict >= _CLASH:
        if not clashes:  # else the clash is in the reasons already
            reasons.append(_conflicts(sentence, window)[0][1])
        clashes = True
    if not reasons and support_of(features) < SUPPORTED:
        reasons.append("the context has few of its words")
    return tuple(dict.fromkeys(reasons))[:_MAX_REASONS], clashes
