"""Extract the sentences of a text that assert something, and the evidence they name."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from howsure.text.blocks import split_blocks
from howsure.text.markers import load_markers
from howsure.text.sentences import split_span
from howsure.text.words import abbreviations, grammar, speech, units

_COMMANDS = frozenset(speech.COMMANDS.split())
_COMMANDS_OR_NOUNS = frozenset(speech.NOUNS_TOO.split())
_ALWAYS_COMMANDS = frozenset(speech.ALWAYS_COMMANDS.split())
_FUNCTION_WORDS = frozenset(
    word
    for words in (
        abbreviations.STARTERS,
        grammar.PREPOSITIONS,
        grammar.SUBORDINATORS,
        grammar.CONJUNCTIONS,
        grammar.PRONOUNS,
        grammar.DETERMINERS,
        grammar.NEGATIONS,
        grammar.HEDGES,
        grammar.LIGHT,
        *grammar.QUANTIFIERS,
    )
    for word in words.split()
)
"""Words that never begin an instruction."""
_PREDICATES = frozenset(speech.PREDICATES.split())
_EMPTY_STARTS = (*speech.EMPTY, *speech.INTENTIONS)
_ADVICE = tuple(phrase for phrase in speech.INTENTIONS if phrase.startswith("you "))
_CLOSINGS = tuple(speech.CLOSINGS)
# Sends the reader somewhere, and nothing else.
_REFERRAL = re.compile(
    rf"(?:{speech.REFERRALS})\b(?!.*\b(?:and|then|to)\b).*\b(?:{'|'.join(speech.REFERRED.split())})\b", re.DOTALL
)
_OPENERS = tuple(speech.OPENERS)
_GREETINGS = tuple(speech.GREETINGS)
_QUESTION_OR_COLON = ("?", "\uff1f", "\u061f", "\u037e", ":", "\uff1a")
"""Endings of questions and of sentences that only announce something."""
_CLOSING = "\"'\u2019\u201d\u00bb\u300d\u300f)]}*_` \t"
_OPENING = "\"'\u2018\u201c\u00ab([*_ \t"
# Bold text, of which the content is kept, and the marks of a quotation.
_MARKUP = re.compile(r"(\*\*|__)(?=\S)([^*_\n]+)\1|^[ \t]*>+[ \t]?", re.MULTILINE)
_WORD = re.compile(r"[^\W\d_]+(?:['\u2019-][^\W_]+)*")
_DETERMINER = re.compile(r"(?:the|a|an|this|that|these|those|all|every|each|your|our|my)\b")
# Scripts without blanks between words (Thai, Lao, Japanese, Chinese, Korean).
_UNSPACED_SCRIPT = re.compile(r"[\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
# Evidence that can be looked up. Every repetition is bounded, which keeps the time linear.
_EVIDENCE = re.compile(
    r"(?P<url>\bhttps?://[^\s<>\"')\]]+)"
    r"|(?P<file>(?<![\w/.])[\w./\\-]{0,200}\w\.[A-Za-z]\w{0,9}:\d{1,7}(?:[-:]\d{1,7})?\b)"
    r"|(?P<quote>\"[^\"\n]{2,200}\"|\u201c[^\u201d\n]{2,200}\u201d|\u00ab[^\u00bb\n]{2,200}\u00bb|`[^`\n]{1,200}`)"
    r"|(?P<citation>\[(?:\d{1,4}|[A-Z][\w .,&-]{0,60}\d{4}[a-z]?)\]|\((?:see )?[A-Z][\w .,&-]{0,60}\d{4}[a-z]?\))"
    r"|(?P<number>(?<![\w.])[-+]?\d{1,20}(?:,\d{3}){0,6}(?:\.\d{1,20})?)(?P<unit> ?[A-Za-z%\u00b5\u00b0/]{1,14}(?!\w))?"
)
# Every piece of evidence contains one of these. Most sentences do not, and this is much faster to find out.
_MAY_HOLD_EVIDENCE = re.compile(r"[\d\"\u201c\u00ab`]|://")
_UNITS = frozenset(entry.split()[0] for entries in units.UNITS.values() for entry in entries.split(","))
_MAX_EVIDENCE = 8
"""Pieces of evidence listed for one assertion."""
_MIN_WORDS, _MIN_UNSPACED_CHARACTERS = 3, 4
"""Length from which a sentence is taken to have a subject and a predicate."""
_FEWEST_OF_INSTRUCTION = 2
"""Words of an instruction: a verb and what it is about."""
_MAX_GREETINGS = 3


class Assertion(NamedTuple):
    """A sentence that asserts something."""

    text: str
    """The sentence on one line, without bold and quotation marks."""
    start: int
    """Offset of its start in the original text."""
    end: int
    hedges: tuple[str, ...]
    """Its phrases of uncertainty, in order."""
    certain: tuple[str, ...]
    """Its phrases of certainty."""
    evidence: str
    """The sentence, followed in brackets by the quotations, citations, file positions, links and numbers in it."""


def extract_assertions(text: str) -> list[Assertion]:
    r"""Return the assertions of a text: no questions, instructions, greetings, headings, code or filler.

    >>> (assertion,) = extract_assertions("# Cache\nHello! Is it fast? It probably is: cache.py:12 takes 3 ms. Run it.")
    >>> assertion.hedges, assertion.evidence
    (('probably',), 'It probably is: cache.py:12 takes 3 ms. [cache.py:12; 3 ms]')
    """
    result = []
    find_markers = load_markers("subresult").find
    for block in split_blocks(text):
        if block.kind not in {"text", "item"}:
            continue
        for sentence in split_span(text, block.start, block.end):
            line = " ".join(_MARKUP.sub(lambda match: match[2] or "", sentence.text).split())
            if is_assertion(line):
                markers = find_markers(line)
                hedges = tuple(match.phrase for match in markers.uncertain)
                certain = tuple(match.phrase for match in markers.certain)
                result.append(Assertion(line, sentence.start, sentence.end, hedges, certain, _with_evidence(line)))
    return result


def is_assertion(sentence: str) -> bool:
    """Return True if a sentence asserts something.

    >>> is_assertion("Test coverage is low."), is_assertion("Test the parser."), is_assertion("Is it low?")
    (True, False, False)
    """
    bare = sentence.rstrip(_CLOSING)
    if bare.endswith(_QUESTION_OR_COLON):
        return False
    lower = _without_opener(bare.lower().replace("\u2019", "'").lstrip(_OPENING))
    if lower.startswith(_GREETINGS):
        lower = _without_greetings(lower)
    # The first test of all phrases at once is fast, and false for most sentences.
    if lower.startswith(_EMPTY_STARTS) and _starts_with_phrase(lower, _EMPTY_STARTS):
        return False
    words = _WORD.findall(lower)
    if not lower.isascii() and len(_UNSPACED_SCRIPT.findall(lower)) >= _MIN_UNSPACED_CHARACTERS:
        return True
    return _has_predicate(lower, words) and not _is_command(lower, words)


def is_instruction(sentence: str) -> bool:
    """Return True if a sentence tells the reader what to do; a question, a greeting or a referral does not.

    >>> is_instruction("Never store the key in git."), is_instruction("You can turn TLS off.")
    (True, True)
    >>> is_instruction("Please let me know."), is_instruction("See the manual."), is_instruction("The key is safe.")
    (False, False, False)
    """
    bare = sentence.rstrip(_CLOSING)
    if bare.endswith(_QUESTION_OR_COLON):
        return False
    lower = bare.lower().replace("\u2019", "'").lstrip(_OPENING).removeprefix("please ")
    advice = next((phrase for phrase in _ADVICE if _starts_with_phrase(lower, (phrase,))), "")
    told = lower.removeprefix(advice).lstrip()
    if _REFERRAL.match(told) or _starts_with_phrase(told, _CLOSINGS):
        return False
    if advice:
        return True
    words = _WORD.findall(lower)
    if len(words) < _FEWEST_OF_INSTRUCTION or _starts_with_phrase(lower, _EMPTY_STARTS):
        return False
    return _is_command(lower, words)


def _without_opener(sentence: str) -> str:
    """Return a sentence without an opener like "note that", which is an instruction in form only."""
    for opener in _OPENERS if sentence.startswith(_OPENERS) else ():
        if sentence.startswith(opener):
            return sentence[len(opener) :].lstrip(" ,:")
    return sentence


def _without_greetings(sentence: str) -> str:
    """Return what follows the greetings and their commas, or "" if there are only greetings."""
    for _ in range(_MAX_GREETINGS):
        if not _starts_with_phrase(sentence, _GREETINGS):
            return sentence
        sentence = sentence.partition(", ")[2]
    return ""


def _starts_with_phrase(sentence: str, phrases: tuple[str, ...]) -> bool:
    """Return True if a sentence starts with one of the phrases as whole words: "hi", but not "hi-fi"."""
    return any(sentence.startswith(phrase) and not _goes_on(sentence, len(phrase)) for phrase in phrases)


def _goes_on(sentence: str, place: int) -> bool:
    return sentence[place : place + 1].isalnum() or sentence[place : place + 1] in {"-", "'"}


def _has_predicate(sentence: str, words: list[str]) -> bool:
    """Return True if there are enough words for a subject and a predicate, or a label and its value."""
    label, colon, value = sentence.partition(": ")
    if colon and value.strip() and len(label.split()) <= _MIN_WORDS:
        return True
    if len(words) >= _MIN_WORDS:
        return True
    last = words[-1] if len(words) > 1 else ""
    return bool(_PREDICATES & set(words[1:])) or last.endswith(("s", "ed"))


def _is_command(sentence: str, words: list[str]) -> bool:
    """Return True for an instruction: a sentence that begins with a verb instead of a subject."""
    first, others = words[0] if words else "", set(words[1:])
    if not first or not sentence.startswith(first):
        return False
    if first in _ALWAYS_COMMANDS:
        return True
    object_follows = bool(_DETERMINER.match(sentence[len(first) :].lstrip()))
    if first in _COMMANDS_OR_NOUNS:
        return object_follows or not _PREDICATES & others
    if first in _COMMANDS:
        return words[1:2] == [] or words[1] not in _PREDICATES
    return object_follows and not _PREDICATES & others and _may_be_verb(first)


def _may_be_verb(word: str) -> bool:
    return word not in _FUNCTION_WORDS and not word.endswith(("ing", "ly", "s", "ed"))


def _with_evidence(sentence: str) -> str:
    """Return a sentence followed by the evidence in it that can be looked up."""
    if not _MAY_HOLD_EVIDENCE.search(sentence):
        return sentence
    pieces = list(dict.fromkeys(_evidence_in(sentence)))[:_MAX_EVIDENCE]
    return f"{sentence} [{'; '.join(pieces)}]" if pieces else sentence


def _evidence_in(sentence: str) -> Iterator[str]:
    for match in _EVIDENCE.finditer(sentence):
        if match["url"]:
            yield match["url"].rstrip(".,;:!?")
        elif match["number"]:
            is_unit = (match["unit"] or "").strip().lower() in _UNITS
            yield match[0] if is_unit else match["number"]
        else:
            yield match[0].strip("[] ")
