"""Negations and quantifiers: in which share of cases a clause holds, and whether two such shares exclude each other."""

from collections.abc import Set as AbstractSet

from howsure.text.contradictions.clause import Clause
from howsure.text.contradictions.tokens import Token
from howsure.text.words import grammar

Share = tuple[float, float]
"""A share of cases as a range from 0 to 1."""
# "some" does not exclude "all", and "most" is more than half; "few" is well below half.
_SHARES = {grammar.ALL: (1.0, 1.0), grammar.MOST: (0.51, 1.0), grammar.SOME: (0.01, 1.0), grammar.FEW: (0.01, 0.3)}
_NOT_ALL = (0.0, 0.99)
_PLURAL_VERBS = frozenset(["are", "were", "have", "do"])


def share_of_cases(
    clause: list[Token], verb: int, *, quantifier: str, modal: str, negations: int, quantifier_denied: bool
) -> Share:
    """Return the share of cases in which a clause holds.

    Without a quantifier it holds always, except that "can" counts as "some", and a plural without an article
    ("tests pass") as "most". An odd number of negations reverses the share; `quantifier_denied` stands for "not all".

    >>> from howsure.text.contradictions.tokens import tokenize
    >>> tokens = tokenize("Not all tests pass.")
    >>> share_of_cases(tokens, 3, quantifier="all", modal="", negations=1, quantifier_denied=True)
    (0.0, 0.99)
    """
    level = grammar.QUANTIFIERS.get(quantifier, "")
    low, high = _SHARES.get(level, (1.0, 1.0))
    if not level and modal == "can":
        low, high = _SHARES[grammar.SOME]
    elif not level and _is_generic(clause, verb):
        low, high = _SHARES[grammar.MOST]
    if negations % 2 == 0:
        return low, high
    if quantifier_denied and level == grammar.ALL:
        return _NOT_ALL
    return (0.0, 0.0) if not level else (1.0 - high, 1.0 - low)


def _is_generic(clause: list[Token], place: int) -> bool:
    """Return True if a clause speaks of a kind of things, as in "tests pass"."""
    first = clause[0] if clause else None
    if first is None or first.tag != "word" or not 0 < place < len(clause):
        return False
    verb = clause[place]
    return clause[place - 1].word.endswith("s") and (
        verb.word in _PLURAL_VERBS or (verb.tag == "word" and (not verb.word.endswith("s") or verb.word.endswith("ss")))
    )


def one_is_negated(one: Clause, other: Clause) -> bool:
    """Return True if one of two clauses is negated and the other is not."""
    return (len(one.negations) - len(other.negations)) % 2 == 1


def shares_exclude(one: Clause, other: Clause, *, opposite: bool) -> bool:
    """Return True if two clauses cannot hold in the same cases; `opposite`: their words are opposites."""
    low, high = other.share
    if opposite:
        if one.negations and other.negations:
            return False
        low, high = 1.0 - high, 1.0 - low
    return one.share[0] > high or low > one.share[1]


def negates_something_else(one: Clause, other: Clause, common: AbstractSet[str]) -> bool:
    """Return True if a clause negates a word that is not among the `common` stems, or that has another role."""
    targets = common | {""}
    if one.figures and other.figures:
        targets |= {"#"}
    return any(
        negation.target not in targets or _has_other_role(negation.target, clause, opposite)
        for clause, opposite in ((one, other), (other, one))
        for negation in clause.negations
    )


def _has_other_role(target: str, clause: Clause, other: Clause) -> bool:
    """Return True if the word that a clause negates is its verb, but belongs to another verb in the other clause."""
    denied, used = clause.words.get(target), other.words.get(target)
    if denied is None or used is None or denied.subject or denied.head not in {"", "be"} or clause.there:
        return False
    return used.head not in {"", "be", "have"} and not used.subject
