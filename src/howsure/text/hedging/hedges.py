"""Find hedges: words by which an author says less than that something is so.

The lists in `howsure.text.marker_lists` belong to the source documents' models and stay as they are. This list is
wider, knows what is negated, and leaves out words that only look like hedges ("in May", "could you", "appears in").
"""

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator
from functools import cache
from itertools import count
from typing import TYPE_CHECKING, Literal, NamedTuple

from howsure.text.phrases import PhraseMatch, Phrases, fold_case
from howsure.text.words import hedges

if TYPE_CHECKING:  # a gate starts without them
    from howsure.text.sentences import Sentence

HedgeKind = Literal["ignorance", "belief", "possibility", "probability", "evidential", "vague", "frequency"]
"""How an author hedges; see `howsure.text.words.hedges`."""

_KINDS: dict[HedgeKind, tuple[list[str], float]] = {
    "frequency": (hedges.FREQUENCY, 0.08),
    "vague": (hedges.VAGUE, 0.06),
    "evidential": (hedges.EVIDENTIAL, 0.25),
    "probability": (hedges.PROBABILITY, 0.25),
    "belief": (hedges.BELIEF, 0.3),
    "possibility": (hedges.POSSIBILITY, 0.45),
    "ignorance": (hedges.IGNORANCE, 0.5),
}
"""Phrases of each kind, and by how much one of them lowers certainty. The weights are rounded from a least-squares fit
to sentences with judged certainty (Pei and Jurgens 2021, MIT licence, training part) and from the percentages that
people give for words like "probably" (zonination 2015, MIT licence)."""
_KIND_OF: dict[str, HedgeKind] = {phrase: kind for kind, (phrases, _) in _KINDS.items() for phrase in phrases}
_COMPARED = 0.5
"""Share of its weight that "likely" keeps in a comparison: "more likely than" says nothing about the author's doubt."""

# Text that is not the author's own wording: code, quotations, links. Bounded repetitions keep the time linear.
# These three are strings, since compiling them takes 1 ms, and few texts that a one-shot gate reads need them.
_FOREIGN = (
    r"`[^`\n]{1,500}`|\"[^\"\n]{1,300}\"|\u201c[^\u201d\n]{1,300}\u201d|\u00ab[^\u00bb\n]{1,300}\u00bb"
    r"|\b(?:https?://|www\.)\S+"
)
_FOREIGN_HINTS = ("`", '"', "\u201c", "\u00ab", "http", "www.")
"""One of these is in every text with foreign parts: the regex takes ten times as long."""
_WORD = r"[^\W_]+(?:['\u2018\u2019-][^\W_]+)*"
_NEXT_WORD = r"[\s*_]*([^\W_]+(?:['\u2018\u2019-][^\W_]+)*)?"
_SHORT = 5000
"""Characters up to which searching the phrases one by one is faster than building an automaton of all."""
_texts_read = count()
_LOOK_BACK = 48
"""Characters before a hedge in which the words before it are searched."""
_REACH = 2
"""Words before a hedge among which a negation counts: "not very likely"."""
_NEGATIONS = frozenset(hedges.NEGATIONS.split())
_NEGATION_HINTS = tuple(
    word for word in (*_NEGATIONS, "n't", "n\u2019t") if not any(other in word for other in _NEGATIONS - {word})
)
"""Parts of words, at least one of which is in every text with a negation: "no" is in "not" too."""
_MODALS = frozenset(["may", "might", "could", "maybe", "perhaps"])
"""Words that a negation before them does not reach: "it is not fast and may fail"."""
_KEPT_IF_NEGATED: frozenset[HedgeKind] = frozenset(["probability", "evidential"])
""""Not likely" and "does not seem" are hedges too; "no possibility" and "not uncertain" are none."""
_REQUESTS = frozenset(hedges.ASKED.split())
_DETERMINERS = frozenset(hedges.DETERMINERS.split())
_PLACES = frozenset(hedges.PLACES.split())
_EXPERIENCES = frozenset(hedges.EXPERIENCES.split())
_BE = frozenset(hedges.BE.split())
_AFTER_UNCLEAR = frozenset(["", *hedges.AFTER_UNCLEAR.split()])


class Hedge(NamedTuple):
    """A hedge in a text."""

    phrase: str
    """The phrase as it is written in the list."""
    start: int
    """Offset of its first character in the text."""
    end: int
    """Offset after its last character."""
    negated: bool
    """True if it is negated, as in "not likely" or "could not"."""
    kind: HedgeKind
    weight: float
    """By how much it lowers certainty, from 0 to 1; 0 if the negation cancels it."""


class HedgedSentence(NamedTuple):
    """A sentence with its hedges."""

    start: int
    end: int
    hedging: float
    """By how much the hedges lower the certainty of the sentence: 0 for none, towards 1."""
    hedges: tuple[Hedge, ...]

    @property
    def uncertain(self) -> bool:
        """True if the author hedges: any hedge that is not cancelled, except for limits such as "often"."""
        return any(hedge.weight and hedge.kind != "frequency" for hedge in self.hedges)


def find_hedges(text: str) -> list[Hedge]:
    """Return the hedges in a text, in order; not those in code, quotations and links.

    >>> [(hedge.phrase, hedge.start, hedge.negated) for hedge in find_hedges("It may fail. In May, it is not likely.")]
    [('may', 3, False), ('likely', 31, True)]
    >>> find_hedges("Could you run it? There is no doubt that it appears in the list.")
    []
    """
    return [hedge for sentence in read_hedges(text) for hedge in sentence.hedges]


def find_hedges_quickly(text: str) -> list[Hedge]:
    """Return the hedges in a text without splitting it into sentences, up to three times as fast as `find_hedges`.

    For a gate. The two differ after abbreviations, and this one also reads headings, tables, quoted lines and code.

    >>> [(hedge.phrase, hedge.start) for hedge in find_hedges_quickly("It may fail. I think so.")]
    [('may', 3), ('i think', 13)]
    """
    hedges, end, blocks = [], 0, _Blocks(text)
    matches = _find_own_words(text)
    lower = text.lower() if matches else ""
    may_negate = any(map(lower.__contains__, _NEGATION_HINTS))
    for match in matches:
        if match.start >= end:
            kind = _KIND_OF[match.phrase]
            depends = may_negate or match.phrase in _RULES or match.phrase == "likely"
            if depends or "\n" in text[match.start : match.end]:
                block_start, block_end = blocks.around(match)
                if match.end > block_end:  # the words of two paragraphs
                    continue
                near = max(0, match.start - _LOOK_BACK)
                start = max([text.rfind(mark, near, match.start) for mark in ".!?"]) + 1
                hedge = _read(text, match, max(start, block_start), block_end)
            else:  # nothing around it can change what it means
                hedge = Hedge(match.phrase, match.start, match.end, False, kind, _KINDS[kind][1])
            if hedge is not None:
                hedges.append(hedge)
                end = match.end
    return hedges


class _Blocks:
    """The paragraphs, list items and headings of a text, read only if a line break stands near a phrase."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._starts: list[int] = []
        self._ends: list[int] = []

    def around(self, match: PhraseMatch) -> tuple[int, int]:
        """Return where the block of a phrase starts and ends, as far as that is near."""
        if self._text.find("\n", max(0, match.start - _LOOK_BACK), match.end + _LOOK_BACK) < 0:
            return 0, len(self._text)
        if not self._starts:
            from howsure.text.blocks import split_blocks

            blocks = list(split_blocks(self._text))
            self._starts, self._ends = [0, *(block.start for block in blocks)], [0, *(block.end for block in blocks)]
        place = bisect_right(self._starts, match.start) - 1
        if match.start < self._ends[place]:
            return self._starts[place], self._ends[place]
        end = self._text.find("\n", match.end)  # code has no blocks: each line is one
        return self._text.rfind("\n", 0, match.start) + 1, end if end >= 0 else len(self._text)


def measure_hedging(text: str) -> float:
    """Return by how much hedges lower the certainty of a text: the mean over its sentences, from 0 to 1.

    Headings, tables, code and block quotations do not count. 0 for a text without sentences. Use `read_hedges` for the
    number of each sentence, such as the most hedged one.

    >>> measure_hedging("It works."), measure_hedging("It may work."), measure_hedging("It works. It may be slow.")
    (0.0, 0.45, 0.225)
    """
    sentences = read_hedges(text)
    return sum(sentence.hedging for sentence in sentences) / len(sentences) if sentences else 0.0


def read_hedges(text: str) -> list[HedgedSentence]:
    """Return every sentence of a text with its hedges, also sentences without any.

    >>> [(sentence.hedging, sentence.uncertain) for sentence in read_hedges("It works. I think it might be slow.")]
    [(0.0, False), (0.615, True)]
    """
    matches = _find_own_words(text)
    result, place = [], 0
    for sentence in _sentences(text):
        while place < len(matches) and matches[place].start < sentence.start:
            place += 1
        inside, end = [], sentence.start
        while place < len(matches) and matches[place].start < sentence.end:
            match = matches[place]
            place += 1
            if match.start < end or match.end > sentence.end:  # part of a longer phrase, or of two sentences
                continue
            if (hedge := _read(text, match, sentence.start, sentence.end)) is not None:
                inside.append(hedge)
                end = match.end
        certainty = 1.0
        for hedge in inside:
            certainty *= 1.0 - hedge.weight
        result.append(HedgedSentence(sentence.start, sentence.end, round(1.0 - certainty, 12), tuple(inside)))
    return result


def _sentences(text: str) -> Iterator["Sentence"]:
    """Yield the sentences in running text and list items that are not quoted with ">"."""
    from howsure.text.blocks import split_blocks
    from howsure.text.sentences import split_span

    for block in split_blocks(text):
        line = text.rfind("\n", max(0, block.start - _LOOK_BACK), block.start) + 1
        if block.kind in {"text", "item"} and ">" not in text[max(line, block.start - _LOOK_BACK) : block.start]:
            yield from split_span(text, block.start, block.end)


@cache
def _search() -> Phrases:
    return Phrases(_KIND_OF)


def _find_phrases(text: str) -> list[PhraseMatch]:
    """Return the phrases of the list in a text.

    For the first text of a process only those phrases are searched whose first word is in it: building all 433 takes
    2 ms, which is a lot for a gate that reads one text and ends.
    """
    if len(text) > _SHORT or next(_texts_read):
        return _search().find(text)
    words = fold_case(text).replace("\u2019", "'").replace("\u2018", "'")
    possible = [phrase for phrase in _KIND_OF if phrase.split(" ", 1)[0] in words]
    return Phrases(possible).find(text) if possible else []


def _find_own_words(text: str) -> list[PhraseMatch]:
    """Return the phrases outside of code, quotations and links by their start, the longest first."""
    matches = sorted(_find_phrases(text), key=lambda match: (match.start, -match.end))
    if not matches or not any(map(text.__contains__, _FOREIGN_HINTS)):
        return matches
    result, place = [], 0
    for foreign in re.finditer(_FOREIGN, text):
        while place < len(matches) and matches[place].start < foreign.end():
            if matches[place].end <= foreign.start():
                result.append(matches[place])
            place += 1
    return result + matches[place:]


def _read(text: str, match: PhraseMatch, start: int, end: int) -> Hedge | None:
    """Return the hedge that a phrase is in the sentence from `start` to `end`; None if it only looks like one."""
    phrase = match.phrase
    before = _words_before(text, match.start, start)
    following = re.compile(_NEXT_WORD).match(text, match.end, end)
    after = fold_case((following and following[1]) or "").replace("\u2019", "'")
    is_hedge = _RULES.get(phrase)
    if is_hedge is not None and not is_hedge(before, after, text[match.start : match.end]):
        return None
    kind = _KIND_OF[phrase]
    if phrase in _MODALS:
        negated = phrase == "could" and after == "not"
    else:
        negated = any(word in _NEGATIONS or word.endswith("n't") for word in before[-_REACH:])
    weight = _KINDS[kind][1]
    if negated and kind not in _KEPT_IF_NEGATED:
        weight = 0.0
    elif phrase == "likely" and before[-1:] in (["more"], ["less"], ["as"], ["equally"]):
        weight *= _COMPARED
    return Hedge(phrase, match.start, match.end, negated, kind, weight)


def _words_before(text: str, place: int, start: int) -> list[str]:
    """Return the few words before a place that belong to the same clause, in lower case."""
    window = text[max(start, place - _LOOK_BACK) : place]
    clause = window[max([window.rfind(mark) for mark in ",;:()"]) + 1 :]
    return re.findall(_WORD, fold_case(clause).replace("\u2019", "'"))[-4:]


Rule = Callable[[list[str], str, str], bool]
"""Takes the words before, the word after and the phrase as written; returns True for a hedge."""


def _may(before: list[str], after: str, written: str) -> bool:
    """Leave out the month, a name, a wish or question ("May I"), and permissions ("you may use")."""
    if written != "may":
        return after in {"be", "have", "not", "also"} and not before
    if after[:1].isdigit() or after in _REQUESTS:
        return False
    return before[-1:] != ["you"] or after in _EXPERIENCES


def _might(before: list[str], after: str, _: str) -> bool:
    return after not in _REQUESTS and before[-1:] not in (["the"], ["his"], ["her"], ["their"], ["military"], ["with"])


def _could(before: list[str], after: str, _: str) -> bool:
    return after not in _REQUESTS and before[-2:] not in (["if", "you"], ["wish", "i"], ["wish", "we"])


def _appear(_: list[str], after: str, __: str) -> bool:
    return bool(after) and after not in _PLACES and not after[:1].isdigit()


def _suggest(before: list[str], after: str, written: str) -> bool:
    """Leave out advice ("I suggest you") and adjectives ("the suggested fix")."""
    if written.lower() == "suggested" and (after == "by" or (before and before[-1] in _DETERMINERS | {"as"})):
        return False
    return before[-1:] not in (["i"], ["i'd"], ["would"], ["to"], ["you"], ["please"], ["auto"])


def _most(before: list[str], after: str, _: str) -> bool:
    """Leave out superlatives: "the most effective", "most notably", "at most"."""
    return not (before and before[-1] in _DETERMINERS | {"at", "is", "are", "be"}) and not after.endswith("ly")


def _some(_: list[str], after: str, __: str) -> bool:
    return not after[:1].isdigit()


def _certain(before: list[str], after: str, _: str) -> bool:
    if after in {"that", "about", "to", ""}:
        return False
    return not (before and before[-1] in _BE | {"absolutely", "almost", "quite", "fairly", "not", "for", "make"})


def _unclear(before: list[str], after: str, _: str) -> bool:
    """Leave out adjectives of a thing: "an unclear career path"."""
    is_of_a_thing = not before or before[-1] in _DETERMINERS
    return after in _AFTER_UNCLEAR or not is_of_a_thing


def _kind_of(before: list[str], after: str, _: str) -> bool:
    """Leave out nouns: "a kind of lock", "the same sort of thing"."""
    nouns = _DETERMINERS | {"some", "any", "one", "another", "same", "different", "new", "special", "no", "all"}
    return after != "" and not (before and (before[-1] in nouns or before[-2:-1] == ["a"]))


def _considered(before: list[str], _: str, __: str) -> bool:
    return not (before and before[-1] in {"we", "i", "you", "they", "have", "has", "had", "when", "if"})


def _possible(_: list[str], after: str, __: str) -> bool:
    """Leave out abilities: "it is possible to set"."""
    return after != "to"


def _rather(before: list[str], after: str, _: str) -> bool:
    return after not in {"than", "", "not"} and before[-1:] not in (["or"], ["but"], ["would"])


def _i_feel(_: list[str], after: str, __: str) -> bool:
    return after not in {"free", "better", "good", "sorry", ""}


_RULES: dict[str, Rule] = {
    "may": _may,
    "might": _might,
    "could": _could,
    **dict.fromkeys(["appear", "appears", "appeared"], _appear),
    **dict.fromkeys(["suggest", "suggests", "suggested", "suggesting"], _suggest),
    "most": _most,
    "some": _some,
    "certain": _certain,
    **dict.fromkeys(["unclear", "uncertain"], _unclear),
    **dict.fromkeys(["kind of", "sort of"], _kind_of),
    "considered": _considered,
    **dict.fromkeys(["it is possible", "it's possible"], _possible),
    "rather": _rather,
    "i feel": _i_feel,
}
