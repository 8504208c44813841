"""Tell a clause that a question takes for true ("Did you know the server crashed?") from a thing it asks about."""

import re
from collections.abc import Sequence

from howsure.text.stems import stem
from howsure.text.words import claimless, grammar, inflection

_KNOWING = frozenset(claimless.KNOWING.split())
_DETERMINERS = frozenset(grammar.DETERMINERS.split()) | frozenset(grammar.QUANTIFIERS) | {"no", "every", "whose"}
_SUBJECTS = frozenset(claimless.SUBJECTS.split())
_PREPOSITIONS = frozenset(grammar.PREPOSITIONS.split())
_SPLITTING = _PREPOSITIONS | frozenset(grammar.SUBORDINATORS.split()) | {"and", "or"}
_ADVERBS = frozenset(claimless.AFTER_THING.split())
_ADJECTIVES = frozenset(claimless.NOUN_BEFORE.split()) | frozenset(claimless.ADJECTIVES.split())
_ADJECTIVE_ENDS = ("al", "ous", "ive", "ic", "able", "ible", "ful", "ary")
_VERBS = frozenset(inflection.VERBS.split())
_VERB_STEMS = frozenset(stem(word) for word in _VERBS)
_PAST = frozenset(
    form for line in inflection.FORMS.strip().splitlines() for form in line.split()[1:] if not form.endswith("s")
) - frozenset(claimless.IRREGULAR_NOUNS.split())
_UNKNOWN = re.compile(
    r"\b(?:know|sure|certain|remember|recall|say|tell|determine|confirm|verify|find|unknown|unclear)\b"
)
# A noun with an article before it and a name after it.
_NAMED = re.compile(
    r"\b(?:the|an?|its|their|your|my|our|his|her|this|that) (?:[a-z-]+ ){0,3}?([a-z-]+),? [\"'\u201c\u2018*`]*[A-Z]\w"
)
_LINKS = frozenset(claimless.BEFORE_NAMES.split())
_MOST_NOUNS = 4
"""Words of a thing after its article; more of them are likely a clause."""


def presupposes(question: Sequence[str]) -> bool:
    """Return True if the words of a question take a clause for true. When in doubt, it is a clause.

    >>> presupposes("did you know the server crashed".split()), presupposes("are you aware of the limit".split())
    (True, False)
    >>> presupposes("did you know the answer already".split())
    False
    """
    for place, word in enumerate(question):
        # "What do you see us doing?" asks for what is done.
        asks_for_object = question[0] in {"what", "which"} and word in {"see", "saw", "seen", "hear", "notice"}
        if word in _KNOWING and place and not asks_for_object:
            rest = list(question[place + 1 :])
            if rest[:1] == ["that"]:
                return True
            if rest and _is_clause(rest):
                return True
    return False


def names_answer(sentence: str) -> bool:
    """Return True if a sentence names what it says not to know: "I don't know the capital Canberra".

    >>> names_answer("I don't know the capital Canberra."), names_answer("I don't know the capital of Australia.")
    (True, False)
    """
    match = _UNKNOWN.search(sentence)
    if match is None:
        return False
    for noun in _NAMED.finditer(sentence, match.end()):
        if noun[1] not in _PREPOSITIONS and noun[1] not in _LINKS:
            return True
    return False


def _is_clause(words: list[str]) -> bool:
    """Return True if words begin with a subject and a verb, and not with a question word, or are only a thing."""
    if words[0] in {"if", "whether", "to"} or words[0] in claimless.WH.split():
        return False
    if words[0] in _SUBJECTS:
        return len(words) > 1 and words[1] not in _SPLITTING and words[1] not in _ADVERBS
    return any(_has_verb(part) for part in _parts(words))


def _parts(words: list[str]) -> list[list[str]]:
    """Split words at prepositions, and leave out what the user or the speaker does with a thing: "you use"."""
    parts: list[list[str]] = [[]]
    skip = 0
    for word in words:
        if skip:
            skip -= 1
        elif word in {"you", "we", "i"}:
            parts.append([])
            skip = 1
        elif word in _SPLITTING:
            parts.append([])
        elif word not in _ADVERBS:
            parts[-1].append(word)
    return [part for part in parts if part]


def _has_verb(part: list[str]) -> bool:
    """Return True if a noun with what stands before it may be followed by a verb."""
    has_article = part[0] in _DETERMINERS
    if any(word in _DETERMINERS for word in part[1:]) and part[0] not in {"all", "both", "any", "some"}:
        return True  # "the earth orbits the moon"
    nouns = part[1:] if has_article else part
    if len(nouns) > _MOST_NOUNS or (not has_article and len(nouns) > 2):  # noqa: PLR2004
        return True
    return any(_may_be_verb(nouns, place) for place in range(1, len(nouns)))


def _may_be_verb(nouns: list[str], place: int) -> bool:
    word, before = nouns[place], nouns[place - 1]
    is_last = place == len(nouns) - 1
    if before in _ADJECTIVES or before.endswith(_ADJECTIVE_ENDS) or "'s" in {before[-2:], word[-2:]}:
        return False
    if word in _PAST or (word.endswith(("ed", "ing")) and is_last):
        return True
    if word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return stem(word) in _VERB_STEMS or not is_last
    return before.endswith("s") and not before.endswith("ss") and (word in _VERBS or is_last)
