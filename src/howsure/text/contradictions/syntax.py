"""Parts: a statement taken apart where another subject or verb begins, each part with a subject of its own."""

from collections.abc import Iterator
from functools import lru_cache

from howsure.text.contradictions.labels import is_label
from howsure.text.contradictions.stems import stem
from howsure.text.contradictions.tokens import Token, tokens
from howsure.text.sentences import split_sentences
from howsure.text.words import grammar, irregular, verbs

AUXILIARIES = frozenset({"be", "have", "do", "modal"})
_BASE = frozenset(verbs.VERBS.split())
_PAST = frozenset(
    form
    for line in irregular.FORMS.strip().splitlines()
    if line.split()[0] in _BASE
    for form in line.split()[1:]
    if not form.endswith("s")
)
_PAST_AUXILIARIES = frozenset({"was", "were", "had", "did", "been"})
_NOT_BEFORE_VERB = frozenset({"determiner", "preposition", "measure", "conjunction", "subordinator"})
_OBJECT_BEGINS = frozenset(
    {"determiner", "preposition", "measure", "quantifier", "pronoun", "negation", "subordinator"}
)
_JOINTS = frozenset(grammar.JOINTS.split())
_THEY = frozenset(["it", "they", "he", "she", "this", "these"])
_CONDITIONS = frozenset(grammar.SUBORDINATORS.split()) - {"before", "after"}
_NEAR = 3
"""Place up to which the verb of a pronoun comes."""
_SHORT = 6
"""Words at the beginning among which a verb that is in no list is looked for."""
_MOST = 8
"""Parts that are read of one statement, and sentences."""


def parts(statement: str) -> list[list[Token]]:
    """Return the parts of a statement, a clause each; one without a subject takes that of the part before.

    >>> [" ".join(token.word for token in clause) for clause in parts("The tool is fast but doesn't scale. It is old.")]
    ['the tool is fast', 'the tool does not scale', 'the tool is old']
    """
    found: list[list[Token]] = []
    subject: list[Token] = []
    for sentence in split_sentences(statement)[:_MOST] or []:
        for part in _apart(tokens(sentence.text)):
            clause = _with_subject(part, subject)
            verb = verb_place(clause)
            if verb:
                subject = [token for token in clause[:verb] if token.tag not in {"negation", "hedge", "quantifier"}]
            found.append(clause)
    return found[:_MOST]


def verb_place(clause: list[Token]) -> int:
    """Return the place of the verb in a clause; where none is found, the number of its tokens.

    >>> verb_place(tokens("The unit tests in this folder are slow."))
    6
    """
    start = _after_condition(clause)
    for place in range(start, len(clause)):
        if clause[place].tag in AUXILIARIES or (place > start and is_verb(clause, place)):
            return place
    return _unknown_verb(clause, start)


def _unknown_verb(clause: list[Token], start: int) -> int:
    """Return the place of a word that looks like a verb, though none is known: one with an "s" after a singular."""
    for place in range(start + 1, min(len(clause) - 1, start + _SHORT)):
        before, token = clause[place - 1], clause[place]
        if before.tag == token.tag == "word" and _form(token.word) == "may do" and not _is_plural(before):
            return place
    return len(clause)


def is_verb(clause: list[Token], place: int) -> bool:
    """Say whether the word at a place is what the clause's subject does.

    >>> clause = tokens("The parser tests pass.")
    >>> [is_verb(clause, place) for place in (1, 3)]
    [False, True]
    """
    token, before = clause[place], clause[place - 1]
    after = clause[place + 1] if place + 1 < len(clause) else None
    if is_label(clause, place - 1):
        if after is not None and after.tag == "word" and not after.name and _form(after.word) in {"do", "did"}:
            return False
        before = clause[place - 2]
    if token.tag != "word" or before.tag in _NOT_BEFORE_VERB or not token.word.isalpha():
        return False
    form = _form(token.word)
    if not form:
        return False
    if form in {"does", "may do"}:
        if _auxiliary_follows(clause, place):
            return False
        object_begins = after is not None and after.tag in _OBJECT_BEGINS and before.tag == "word"
        return (form == "does" and not token.name) or object_begins
    if form == "did":
        return not (after is not None and after.tag in AUXILIARIES)
    return before.tag in {"pronoun", "negation"} or _is_plural(before)


@lru_cache(maxsize=1 << 16)
def _form(word: str) -> str:
    """Say which form of a verb a word may be: "does" for a known one, "may do", "did", "do", or none."""
    if word.endswith("s") and not word.endswith(("ss", "us", "is")):
        known = word[:-1] in _BASE or (word.endswith("es") and word[:-2] in _BASE)
        known = known or (word.endswith("ies") and f"{word[:-3]}y" in _BASE)
        return "does" if known else "may do"
    if word in _PAST or (word.endswith("ed") and len(word) > len("need")):
        return "did"
    return "do" if word in _BASE else ""


def is_past(token: Token) -> bool:
    """Say whether a verb tells of what was.

    >>> [is_past(token) for token in tokens("was is failed")]
    [True, False, True]
    """
    return token.word in _PAST_AUXILIARIES or (
        token.tag == "word" and (token.word in _PAST or (token.word.endswith("ed") and stem(token.word) != token.word))
    )


def _auxiliary_follows(clause: list[Token], place: int) -> bool:
    """Say whether the verb comes later, so that the word at a place is a noun in the plural."""
    for token in clause[place + 1 : place + 12]:
        if token.tag in AUXILIARIES:
            return True
        if token.tag in {"conjunction", "subordinator", "mark", "pronoun", "negation"} or token.word in {"that", "to"}:
            return False
    return False


def _is_plural(token: Token) -> bool:
    return token.tag == "quantifier" or (token.tag == "word" and token.word.endswith("s") and len(token.word) > 3)  # noqa: PLR2004


def _after_condition(clause: list[Token]) -> int:
    """Return where the main part begins, if a condition stands before it."""
    if clause and (clause[0].word in _CONDITIONS or clause[0].tag == "preposition"):
        for place, token in enumerate(clause):
            if token.word == "," and place + 1 < len(clause):
                return place + 1
    return 0


def _apart(sentence: list[Token]) -> Iterator[list[Token]]:
    """Give the parts of a sentence that have a verb each."""
    start = 0
    for place in range(1, len(sentence)):
        if _begins_part(sentence, place):
            before, after = sentence[start:place], sentence[place + 1 :]
            if verb_place(before) < len(before) and verb_place(after) < len(after):
                yield _trimmed(before)
                start = place + 1
    yield _trimmed(sentence[start:])


def _begins_part(sentence: list[Token], place: int) -> bool:
    """Say whether a new part begins after the token at a place."""
    token = sentence[place]
    after = sentence[place + 1] if place + 1 < len(sentence) else None
    if token.word == ";" or (token.word == "but" and token.tag == "conjunction"):
        return True
    if token.word not in _JOINTS or after is None:
        return False
    if sentence[place - 1].word == ",":
        return True
    return token.word == "and" and (after.tag in AUXILIARIES or after.tag == "negation")


def _trimmed(part: list[Token]) -> list[Token]:
    while part and part[-1].tag in {"mark", "conjunction"}:
        part = part[:-1]
    while part and part[0].tag == "mark":
        part = part[1:]
    return part


def _with_subject(part: list[Token], subject: list[Token]) -> list[Token]:
    """Put the subject of the clause before in the place of a missing one, or of a pronoun."""
    if not subject or not part:
        return part
    if part[0].tag in AUXILIARIES or (part[0].tag == "negation" and part[0].word in {"not", "never"}):
        return subject + part
    if part[0].word in _THEY and 1 <= verb_place(part) <= _NEAR:
        return subject + part[1:]
    return part


LIGHT_VERBS = frozenset(grammar.LIGHT_VERBS.split())
"""Verbs that say little more than that something is there."""
