"""Extraction: the sentences of a text that assert something, with what they rest on."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from howsure.text.blocks import blocks
from howsure.text.markers import markers
from howsure.text.sentences import split
from howsure.text.words import abbreviations, grammar, speech, units

_COMMANDS = frozenset(speech.COMMANDS.split())
_NOUNS_TOO = frozenset(speech.NOUNS_TOO.split())
_ALWAYS = frozenset(speech.ALWAYS_COMMANDS.split())
_NO_VERBS = frozenset(
    word
    for listed in (
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
    for word in listed.split()
)
"""Words that hold a statement together: no instruction begins with one."""
_PREDICATES = frozenset(speech.PREDICATES.split())
_NOTHING = (*speech.EMPTY, *speech.INTENTIONS)
_OPENERS = tuple(speech.OPENERS)
_GREETINGS = tuple(speech.GREETINGS)
_NO_STATEMENT = ("?", "\uff1f", "\u061f", "\u037e", ":", "\uff1a")
"""How questions end, and what announces something."""
_CLOSING = "\"'\u2019\u201d\u00bb\u300d\u300f)]}*_` \t"
_OPENING = "\"'\u2018\u201c\u00ab([*_ \t"
_MARKS = re.compile(r"(\*\*|__)(?=\S)([^*_\n]+)\1|^[ \t]*>+[ \t]?", re.MULTILINE)
_WORD = re.compile(r"[^\W\d_]+(?:['\u2019-][^\W_]+)*")
_DETERMINER = re.compile(r"(?:the|a|an|this|that|these|those|all|every|each|your|our|my)\b")
_WIDE = re.compile(r"[\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_PIECES = re.compile(
    r"(?P<url>\bhttps?://[^\s<>\"')\]]+)"
    r"|(?P<file>(?<![\w/.])[\w./\\-]{0,200}\w\.[A-Za-z]\w{0,9}:\d{1,7}(?:[-:]\d{1,7})?\b)"
    r"|(?P<quote>\"[^\"\n]{2,200}\"|\u201c[^\u201d\n]{2,200}\u201d|\u00ab[^\u00bb\n]{2,200}\u00bb|`[^`\n]{1,200}`)"
    r"|(?P<citation>\[(?:\d{1,4}|[A-Z][\w .,&-]{0,60}\d{4}[a-z]?)\]|\((?:see )?[A-Z][\w .,&-]{0,60}\d{4}[a-z]?\))"
    r"|(?P<number>(?<![\w.])[-+]?\d{1,20}(?:,\d{3}){0,6}(?:\.\d{1,20})?)(?P<unit> ?[A-Za-z%\u00b5\u00b0/]{1,14}(?!\w))?"
)
_MAY_HOLD = re.compile(r"[\d\"\u201c\u00ab`]|://")
"""What every such piece contains: most sentences hold none, which this tells much sooner."""
_UNITS = frozenset(entry.split()[0] for listed in units.UNITS.values() for entry in listed.split(","))
_MOST_PIECES = 8
"""Pieces of evidence that one assertion names at most."""
_ENOUGH_WORDS, _ENOUGH_WIDE = 3, 4
_MOST_GREETINGS = 3
"""Greetings that may stand before an assertion."""


class Assertion(NamedTuple):
    """A sentence that says something is so."""

    text: str
    """The sentence, on one line and without marks of emphasis."""
    start: int
    """Where it starts in the text it is from."""
    end: int
    """Where it ends."""
    hedges: tuple[str, ...]
    """The phrases in it that hedge, in order."""
    certain: tuple[str, ...]
    """The phrases in it that insist."""
    evidence: str
    """What it rests on: the sentence, and in brackets the quotations, citations, places, links and numbers in it."""


def assertions(text: str) -> list[Assertion]:
    r"""Return what a text asserts: no questions, instructions, greetings, headings, code or empty phrases.

    >>> (found,) = assertions("# Cache\nHello! Is it fast? It probably is: cache.py:12 takes 3 ms. Run the tests.")
    >>> found.hedges, found.evidence
    (('probably',), 'It probably is: cache.py:12 takes 3 ms. [cache.py:12; 3 ms]')
    """
    found = []
    find = markers("subresult").find
    for block in blocks(text):
        if block.kind not in {"text", "item"}:
            continue
        for sentence in split(text, block.start, block.end):
            said = " ".join(_MARKS.sub(lambda match: match[2] or "", sentence.text).split())
            if asserts(said):
                marks = find(said)
                hedges = tuple(mark.phrase for mark in marks.uncertain)
                certain = tuple(mark.phrase for mark in marks.certain)
                found.append(Assertion(said, sentence.start, sentence.end, hedges, certain, _evidence(said)))
    return found


def asserts(sentence: str) -> bool:
    """Say whether a sentence asserts something.

    >>> asserts("Test coverage is low."), asserts("Test the parser."), asserts("Is it low?")
    (True, False, False)
    """
    bare = sentence.rstrip(_CLOSING)
    if bare.endswith(_NO_STATEMENT):
        return False
    said = _without_opener(bare.lower().replace("\u2019", "'").lstrip(_OPENING))
    if said.startswith(_GREETINGS):
        said = _without_greetings(said)
    if said.startswith(_NOTHING) and any(said.startswith(one) and not _joined(said, len(one)) for one in _NOTHING):
        return False
    words = _WORD.findall(said)
    if not said.isascii() and len(_WIDE.findall(said)) >= _ENOUGH_WIDE:
        return True
    return _says_something(said, words) and not _commands(said, words)


def _without_opener(said: str) -> str:
    for opener in _OPENERS if said.startswith(_OPENERS) else ():
        if said.startswith(opener):
            return said[len(opener) :].lstrip(" ,:")
    return said


def _without_greetings(said: str) -> str:
    """Return what comes after a greeting and a comma; nothing where there are greetings alone."""
    for _ in range(_MOST_GREETINGS):
        if not _greets(said):
            return said
        said = said.partition(", ")[2]
    return ""


def _greets(said: str) -> bool:
    """Say whether a sentence begins with a greeting; a word that only begins like one is none."""
    return any(said.startswith(word) and not _joined(said, len(word)) for word in _GREETINGS)


def _joined(said: str, place: int) -> bool:
    return said[place : place + 1].isalnum() or said[place : place + 1] in {"-", "'"}


def _says_something(said: str, words: list[str]) -> bool:
    """Say whether there are enough words for a subject and what is said of it, or a label and its value."""
    label, colon, value = said.partition(": ")
    if colon and value.strip() and len(label.split()) <= _ENOUGH_WORDS:
        return True
    if len(words) >= _ENOUGH_WORDS:
        return True
    last = words[-1] if len(words) > 1 else ""
    return bool(_PREDICATES & set(words[1:])) or last.endswith(("s", "ed"))


def _commands(said: str, words: list[str]) -> bool:
    """Say whether a sentence is an instruction: it begins with a verb and has no subject before it."""
    first, others = words[0] if words else "", set(words[1:])
    if not first or not said.startswith(first):
        return False
    if first in _ALWAYS:
        return True
    object_follows = bool(_DETERMINER.match(said[len(first) :].lstrip()))
    if first in _NOUNS_TOO:
        return object_follows or not _PREDICATES & others
    if first in _COMMANDS:
        return words[1:2] == [] or words[1] not in _PREDICATES
    return object_follows and not _PREDICATES & others and _may_be_verb(first)


def _may_be_verb(word: str) -> bool:
    return word not in _NO_VERBS and not word.endswith(("ing", "ly", "s", "ed"))


def _evidence(said: str) -> str:
    """Return a sentence with the pieces of it that can be looked up."""
    if not _MAY_HOLD.search(said):
        return said
    pieces = list(dict.fromkeys(_pieces(said)))[:_MOST_PIECES]
    return f"{said} [{'; '.join(pieces)}]" if pieces else said


def _pieces(said: str) -> Iterator[str]:
    for match in _PIECES.finditer(said):
        if match["url"]:
            yield match["url"].rstrip(".,;:!?")
        elif match["number"]:
            known = (match["unit"] or "").strip().lower() in _UNITS
            yield match[0] if known else match["number"]
        else:
            yield match[0].strip("[] ")
