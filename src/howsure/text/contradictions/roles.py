"""Roles: who does what to whom in two clauses that share their words."""

from howsure.text.contradictions.clause import Clause
from howsure.text.contradictions.tokens import meanings
from howsure.text.words import grammar

_ORDERED_LINKS = frozenset({"than", "before", "after", "above", "below"})
ORDERING = meanings(grammar.ORDERING)
"""Verbs that order two things."""


def other_use(target: str, clause: Clause, other: Clause) -> bool:
    """Say whether the word that a clause denies is its verb, but only goes with another verb in the other clause."""
    denied, used = clause.words.get(target), other.words.get(target)
    if denied is None or used is None or denied.subject or denied.head not in {"", "be"} or clause.there:
        return False
    return used.head not in {"", "be", "have"} and not used.subject


def exchanged(one: Clause, other: Clause) -> bool:
    """Say whether what is the subject of each is not that of the other, though both speak of both.

    >>> from howsure.text.contradictions.parser import statement
    >>> exchanged(*statement("Ann is taller than Bob. Bob is taller than Ann."))
    True
    """
    left, right = one.subject - other.subject, other.subject - one.subject
    if other.verb in left or one.verb in right:
        return False
    return bool(left and right) and left <= other.words.keys() and right <= one.words.keys()


def swapped(one: Clause, other: Clause) -> bool:
    """Say whether both order the same two things, but the other way round."""
    if not exchanged(one, other) or one.passive != other.passive:
        return False
    return bool((one.links | other.links) & _ORDERED_LINKS) or bool(ORDERING & one.words.keys())
