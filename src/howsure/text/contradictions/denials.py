"""Plain denials: two clauses that say the same, word for word, but one of them is negated.

This needs no verb to be recognized: "Version 3 supports Windows" and "Version 3 does not support Windows" have the same
words in the same order without "does not".
"""

from typing import NamedTuple

from howsure.text.contradictions.tokens import Token
from howsure.text.stems import stem
from howsure.text.words import grammar, inflection

_DROPPED_NEGATIONS = frozenset(["not", "never", "no", "cannot", "nt", "n't", "hardly", "scarcely", "barely"])
"""Negations that are left out; others, such as "nobody", stand for a word too; "without" is a preposition."""
_DROPPED = frozenset(
    ["a", "an", "the", "any", "ever", "yet", "still", "anymore", "currently", "now", "longer", "already"]
)
_FREE_MODALS = frozenset(["can", "could", "will", "would", "shall"])
_POSSIBLE = frozenset(["can", "could"])
_PAST = frozenset(["was", "were", "had", "been"])
_DO = frozenset(grammar.DO.split())
_BE = frozenset(grammar.BE.split())
_UNCHANGED = frozenset(inflection.PARTICIPLES.split()) | {"shed", "cost", "quit", "burst"}
"""Verbs whose past is written like the present: "they set the limit"."""
_UNSURE = frozenset(["may", "might"])
_COMPATIBLE_LEVELS = frozenset([grammar.SOME, grammar.FEW])
"""Quantifiers with which a statement and its denial may both hold: "some users pay", "some users don't pay"."""


class Affirmation(NamedTuple):
    """A clause without its negations."""

    words: tuple[str, ...]
    """The stems of its words in order, without articles, "do" and negations."""
    negations: int
    negation: str
    """The first negating word, or ""."""
    denied: str
    """The stem of the word after the first negation, or ""."""
    forms: tuple[str, ...]
    """The words as written, in the order of `words`."""
    auxiliary: str
    """A form of "do" or a modal verb that was left out, or ""."""


def affirm(tokens: list[Token]) -> Affirmation | None:
    """Return a clause without its negations, or None if denying it word by word would not exclude it.

    >>> from howsure.text.contradictions.tokens import tokenize
    >>> affirm(tokenize("It does not run.")).words, affirm(tokenize("Some of them don't run."))
    (('it', 'run'), None)
    """
    words: list[str] = []
    forms: list[str] = []
    negations, negation, denied, auxiliary = 0, "", "", ""
    skipped = False
    for place, token in enumerate(tokens):
        word = token.word
        if skipped:  # the "to" after a verb that denies
            skipped = False
            continue
        if grammar.DENYING_VERBS.get(word) == "to" and [one.word for one in tokens[place + 1 : place + 2]] == ["to"]:
            negations, negation, skipped = negations + 1, negation or word, True
            auxiliary = auxiliary or ("did" if word.endswith("ed") else "does")
            continue
        if token.tag == "negation" and word not in _DROPPED_NEGATIONS and word != "without":
            return None
        if word in _UNSURE or (grammar.QUANTIFIERS.get(word) in _COMPATIBLE_LEVELS and token.tag == "quantifier"):
            return None
        if token.tag == "negation" and word != "without":
            negations += 1
            negation = negation or word
        elif (token.tag == "do" and place + 1 < len(tokens)) or (token.tag == "modal" and word in _FREE_MODALS):
            auxiliary = auxiliary or word
        elif word not in _DROPPED and token.tag != "mark":
            words.append(stem(word))
            forms.append(word)
            denied = denied or (words[-1] if negations else "")
    return Affirmation(tuple(words), negations, negation, denied, tuple(forms), auxiliary)


def is_denial(one: Affirmation, other: Affirmation) -> bool:
    """Return True if one of two clauses denies what the other says.

    >>> from howsure.text.contradictions.tokens import tokenize
    >>> texts = ("She owns a car.", "She doesn't own a car.", "She owned a car.")
    >>> owns, denies, owned = (affirm(tokenize(text)) for text in texts)
    >>> is_denial(owns, denies), is_denial(owned, denies)
    (True, False)
    """
    sides = _plain_and_negated(one, other)
    if sides is None:
        return False
    plain, negated = sides
    if plain.auxiliary in _POSSIBLE and negated.auxiliary not in _FREE_MODALS:
        return False  # what can be done need not be done
    return _tenses_agree(plain, negated)


def is_change(one: Affirmation, other: Affirmation) -> bool:
    """Return True if two clauses say that something was so and is not any more, or is so and was not before.

    >>> from howsure.text.contradictions.tokens import tokenize
    >>> texts = ("She owned a car.", "She doesn't own a car.", "She did not own a car.")
    >>> owned, denies, denied = (affirm(tokenize(text)) for text in texts)
    >>> is_change(owned, denies), is_change(owned, denied)
    (True, False)
    """
    sides = _plain_and_negated(one, other)
    if sides is None or any(side.auxiliary not in {"", *_DO} for side in sides):
        return False
    # "It was open" and "it is not open" are left to the other rules: so are most denials of what people and films were.
    return not any({*side.forms} & _BE for side in sides) and not _tenses_agree(*sides)


def _plain_and_negated(one: Affirmation, other: Affirmation) -> tuple[Affirmation, Affirmation] | None:
    """Return two clauses with the same words, the negated one second; None if the words differ or neither is."""
    if one.words != other.words or (one.negations - other.negations) % 2 == 0:
        return None
    return (one, other) if other.negations > one.negations else (other, one)


def _tenses_agree(plain: Affirmation, negated: Affirmation) -> bool:
    """Return False if one speaks of the past and the other of the present: "owned" and "does not own"."""
    pairs = zip(plain.forms, negated.forms, strict=True)
    if any(used != other and (used in _PAST or other in _PAST) for used, other in pairs):
        return False
    if plain.auxiliary or negated.denied not in plain.words:
        return True
    place = plain.words.index(negated.denied)
    used, other = plain.forms[place], negated.forms[place]
    is_present = used.endswith("s") and (not other.endswith("s") or len(used) > len(other))
    if negated.auxiliary == "did":
        return not is_present and (used != other or used in _UNCHANGED)
    return used == other or is_present
