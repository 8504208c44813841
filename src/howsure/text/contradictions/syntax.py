"""Split statements into clauses: find verbs, subjects, and numbers that name a thing ("node 3")."""

import re
from collections.abc import Iterator
from functools import lru_cache

from howsure.text.contradictions.tokens import Token, tokenize
from howsure.text.sentences import split_sentences
from howsure.text.stems import stem
from howsure.text.words import grammar, inflection, values

AUXILIARIES = frozenset({"be", "have", "do", "modal"})
LIGHT_VERBS = frozenset(grammar.LIGHT_VERBS.split())
_BASE_FORMS = frozenset(inflection.VERBS.split())
_PAST_FORMS = frozenset(
    form
    for line in inflection.FORMS.strip().splitlines()
    if line.split()[0] in _BASE_FORMS
    for form in line.split()[1:]
    if not form.endswith("s")
)
_PAST_AUXILIARIES = frozenset({"was", "were", "had", "did", "been"})
_NOT_BEFORE_VERB = frozenset({"determiner", "preposition", "measure", "conjunction", "subordinator"})
_BEGINS_OBJECT = frozenset(
    {"determiner", "preposition", "measure", "quantifier", "pronoun", "negation", "subordinator"}
)
_JOINTS = frozenset(grammar.JOINTS.split())
_PRONOUN_SUBJECTS = frozenset(["it", "they", "he", "she", "this", "these"])
_CONDITIONS = frozenset(grammar.SUBORDINATORS.split()) - {"before", "after"}
_PRONOUN_REACH = 3
"""A pronoun is the subject if the verb is at most so many tokens after it."""
_UNKNOWN_VERB_REACH = 6
"""Tokens at the start of a clause among which a verb that is not in the list is searched."""
_AUXILIARY_REACH = 12
"""Tokens after a possible verb among which an auxiliary shows that it is a plural noun."""
_MAX_CLAUSES = 8
"""Sentences, and clauses, that are read of one statement."""
_MIN_PLURAL = 4
"""Letters of a word that may be a plural: not "is", "was", "bus"."""

_PROPERTIES = frozenset(values.PROPERTIES.split())
_BEFORE_COUNTS = frozenset(grammar.BEFORE_COUNTS.split())
_NUMBERED_DIMENSIONS = frozenset({"number", "version"})
_VERSION_WORDS = ("version ", "release ", "v")
_BEFORE_DIGITS = re.compile(r"^\D+")


def split_clauses(statement: str) -> list[list[Token]]:
    """Return the clauses of a statement; a clause without a subject gets that of the clause before.

    >>> clauses = split_clauses("The tool is fast but doesn't scale. It is old.")
    >>> [" ".join(token.word for token in clause) for clause in clauses]
    ['the tool is fast', 'the tool does not scale', 'the tool is old']
    """
    clauses: list[list[Token]] = []
    subject: list[Token] = []
    for sentence in split_sentences(statement)[:_MAX_CLAUSES]:
        for part in _split_sentence(tokenize(sentence.text)):
            clause = _with_subject(part, subject)
            verb = find_verb(clause)
            if verb:
                subject = [token for token in clause[:verb] if token.tag not in {"negation", "hedge", "quantifier"}]
            clauses.append(clause)
    return clauses[:_MAX_CLAUSES]


def find_verb(clause: list[Token]) -> int:
    """Return the index of the verb in a clause, or the number of its tokens if there is none.

    >>> find_verb(tokenize("The unit tests in this folder are slow."))
    6
    """
    start = _start_of_main_clause(clause)
    for place in range(start, len(clause)):
        if clause[place].tag in AUXILIARIES or (place > start and is_verb(clause, place)):
            return place
    return _find_unknown_verb(clause, start)


def _find_unknown_verb(clause: list[Token], start: int) -> int:
    """Return the index of a word with "s" after a singular noun, which must be a verb that is not in the list."""
    for place in range(start + 1, min(len(clause) - 1, start + _UNKNOWN_VERB_REACH)):
        before, token = clause[place - 1], clause[place]
        if before.tag == token.tag == "word" and _verb_form(token.word) == "may do" and not _is_plural(before):
            return place
    return len(clause)


def is_verb(clause: list[Token], place: int) -> bool:
    """Return True if the word at a place is the verb of its clause.

    >>> clause = tokenize("The parser tests pass.")
    >>> [is_verb(clause, place) for place in (1, 3)]
    [False, True]
    """
    token, before = clause[place], clause[place - 1]
    after = clause[place + 1] if place + 1 < len(clause) else None
    if is_label(clause, place - 1):
        if after is not None and after.tag == "word" and not after.name and _verb_form(after.word) in {"do", "did"}:
            return False
        before = clause[place - 2]
    if token.tag != "word" or before.tag in _NOT_BEFORE_VERB or not token.word.isalpha():
        return False
    form = _verb_form(token.word)
    if not form:
        return False
    if form in {"does", "may do"}:
        if _auxiliary_follows(clause, place):
            return False
        object_begins = after is not None and after.tag in _BEGINS_OBJECT and before.tag == "word"
        return (form == "does" and not token.name) or object_begins
    if form == "did":
        return not (after is not None and after.tag in AUXILIARIES)
    return before.tag in {"pronoun", "negation"} or _is_plural(before)


@lru_cache(maxsize=1 << 16)
def _verb_form(word: str) -> str:
    """Return which verb form a word may be: "does" (known verb), "may do" (other word with "s"), "did", "do" or ""."""
    if word.endswith("s") and not word.endswith(("ss", "us", "is")):
        is_known = word[:-1] in _BASE_FORMS or (word.endswith("es") and word[:-2] in _BASE_FORMS)
        is_known = is_known or (word.endswith("ies") and f"{word[:-3]}y" in _BASE_FORMS)
        return "does" if is_known else "may do"
    if word in _PAST_FORMS or (word.endswith("ed") and len(word) > len("need")):
        return "did"
    return "do" if word in _BASE_FORMS else ""


def is_past(token: Token) -> bool:
    """Return True for a verb in the past tense.

    >>> [is_past(token) for token in tokenize("was is failed")]
    [True, False, True]
    """
    if token.word in _PAST_AUXILIARIES:
        return True
    regular = token.word.endswith("ed") and stem(token.word) != token.word
    return token.tag == "word" and (token.word in _PAST_FORMS or regular)


def _auxiliary_follows(clause: list[Token], place: int) -> bool:
    """Return True if the verb comes later, so that the word at a place is a plural noun."""
    for token in clause[place + 1 : place + _AUXILIARY_REACH]:
        if token.tag in AUXILIARIES:
            return True
        if token.tag in {"conjunction", "subordinator", "mark", "pronoun", "negation"} or token.word in {"that", "to"}:
            return False
    return False


def _is_plural(token: Token) -> bool:
    return token.tag == "quantifier" or (
        token.tag == "word" and token.word.endswith("s") and len(token.word) >= _MIN_PLURAL
    )


def _start_of_main_clause(clause: list[Token]) -> int:
    """Return where the main clause begins if a condition and a comma stand before it, else 0."""
    if clause and (clause[0].word in _CONDITIONS or clause[0].tag == "preposition"):
        for place, token in enumerate(clause):
            if token.word == "," and place + 1 < len(clause):
                return place + 1
    return 0


def _split_sentence(sentence: list[Token]) -> Iterator[list[Token]]:
    """Yield the parts of a sentence that have a verb each."""
    start = 0
    for place in range(1, len(sentence)):
        if _begins_clause(sentence, place):
            before, after = sentence[start:place], sentence[place + 1 :]
            if find_verb(before) < len(before) and find_verb(after) < len(after):
                yield _strip(before)
                start = place + 1
    yield _strip(sentence[start:])


def _begins_clause(sentence: list[Token], place: int) -> bool:
    """Return True if a new clause may begin after the token at a place."""
    token = sentence[place]
    after = sentence[place + 1] if place + 1 < len(sentence) else None
    if token.word == ";" or (token.word == "but" and token.tag == "conjunction"):
        return True
    if token.word not in _JOINTS or after is None:
        return False
    if sentence[place - 1].word == ",":
        return True
    return token.word == "and" and (after.tag in AUXILIARIES or after.tag == "negation")


def _strip(part: list[Token]) -> list[Token]:
    """Return a part without punctuation at its ends and conjunctions at its end."""
    while part and part[-1].tag in {"mark", "conjunction"}:
        part = part[:-1]
    while part and part[0].tag == "mark":
        part = part[1:]
    return part


def _with_subject(part: list[Token], subject: list[Token]) -> list[Token]:
    """Insert the subject of the clause before if there is none, or only a pronoun."""
    if not subject or not part:
        return part
    if part[0].tag in AUXILIARIES or (part[0].tag == "negation" and part[0].word in {"not", "never"}):
        return subject + part
    if part[0].word in _PRONOUN_SUBJECTS and 1 <= find_verb(part) <= _PRONOUN_REACH:
        return subject + part[1:]
    return part


def is_label(clause: list[Token], place: int) -> bool:
    """Return True if the number at a place belongs to the noun before it, as in "node 3".

    >>> [is_label(tokenize(text), 2) for text in ("Find node 3", "The first 3 tests", "It takes 3 s")]
    [True, False, False]
    """
    measure = clause[place].measure
    if (
        measure is None
        or measure.dimension not in _NUMBERED_DIMENSIONS
        or measure.unit
        or measure.bound
        or measure.about
    ):
        return False
    if not place or not measure.text[0].isdigit():
        return False
    before = clause[place - 1]
    return before.tag == "word" and before.word.isalpha() and before.word not in _BEFORE_COUNTS


def read_label(clause: list[Token], place: int, verb: int) -> str:
    """Return the name of a numbered thing ("nod#3"), or "" if the number at a place counts, measures or is a value.

    Before the verb, a number after a noun says which thing is meant. After the verb it may also be the value of a
    property ("on port 80") or the version of what is named ("Debian 12").

    >>> read_label(tokenize("The disk of node 3 is full."), 4, 5)
    'nod#3'
    """
    measure = clause[place].measure
    if measure is None or verb >= len(clause):
        return ""
    if place < verb and measure.dimension == "version" and measure.text.startswith(_VERSION_WORDS):
        return "" if measure.bound else f"version#{_BEFORE_DIGITS.sub('', measure.text)}"
    if place < verb and measure.dimension == "ordinal":
        return f"#{measure.text}"
    if not is_label(clause, place) or _counts_next_noun(clause, place, verb):
        return ""
    before = clause[place - 1]
    is_participle = before.word.endswith(("ed", "ing"))
    if place > verb and (before.name or before.word in _PROPERTIES or place - 1 == verb or is_participle):
        return ""
    return f"{before.stem}#{measure.text}"


def _counts_next_noun(clause: list[Token], place: int, verb: int) -> bool:
    """Return True if a number counts the noun after it, as in "the top 10 results"."""
    after = clause[place + 1] if place + 1 < len(clause) else None
    if after is None or after.tag != "word" or place + 1 == verb:
        return False
    return after.word.endswith("s") or place > verb
