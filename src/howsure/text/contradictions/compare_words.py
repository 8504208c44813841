"""Difference: in what two clauses differ, word by word."""

from typing import NamedTuple

from howsure.text.contradictions.antonyms import Opposition, can_be, opposition
from howsure.text.contradictions.candidates import alike
from howsure.text.contradictions.clause import Clause, Word
from howsure.text.contradictions.stems import root
from howsure.text.contradictions.tokens import meanings
from howsure.text.words import grammar

_TURNS: dict[frozenset[str], Opposition] = {
    frozenset(("before", "after")): "order",
    frozenset(("above", "below")): "opposite",
    frozenset(("over", "under")): "opposite",
    frozenset(("inside", "outside")): "opposite",
    frozenset(("up", "down")): "opposite",
}
_TURNING = frozenset(word for pair in _TURNS for word in pair)
_ORDER = frozenset(("before", "after"))
_OTHER_CASES = frozenset(("if", "unless"))
_CARRIERS = meanings(grammar.CARRIERS)
_MOST_REST = 6
"""Words in which both clauses may differ before they are taken to be about different things."""
_ROOT, _ALIKE = 4, 6
_ALIKE_SHARE = 0.6
"""Letters at the beginning that a verb and the noun made of it share, those that two words have to share to be forms of
one, and what share of the longer they are."""


class Turn(NamedTuple):
    """Two words that exclude each other, one from each clause."""

    one: str
    other: str
    kind: Opposition


class Difference(NamedTuple):
    """In what two clauses differ."""

    shared: frozenset[str]
    rest: tuple[Word, ...]
    """Words of the first that the second has nothing for."""
    other_rest: tuple[Word, ...]
    turns: tuple[Turn, ...]
    """Opposites between them."""
    turned: frozenset[str]
    """The stems of those."""
    formed: frozenset[str]
    """The stems of words that are forms of one, like a verb and the noun made of it."""
    blocked: bool
    """Whether they speak of different cases, or of different subjects."""


def difference(one: Clause, other: Clause) -> Difference | None:
    """Return in what two clauses differ; nothing where they are about different things.

    >>> from howsure.text.contradictions.parser import statement
    >>> (one,), (other,) = statement("The cache is enabled."), statement("The cache is disabled on Linux.")
    >>> found = difference(one, other)
    >>> found.turns, [word.text for word in found.other_rest]
    ((Turn(one='enabled', other='disabled', kind='opposite'),), ['linux'])
    """
    if not alike(one.words.keys(), other.words.keys()):
        return None
    shared = frozenset(one.words.keys() & other.words.keys())
    rest, others = _rest(one, other), _rest(other, one)
    if min(len(rest), len(others)) > _MOST_REST:
        return None
    rest, others = _without_full_names(rest, others, shared, one), _without_full_names(others, rest, shared, other)
    turns, turned, formed = _matched(rest, others)
    turns += _turned_links(one, other, shared)
    if turned or formed:
        rest, others = _without_carriers(rest), _without_carriers(others)
    blocked = _other_cases(one, other) or (
        not (one.there or other.there) and bool(turned & one.subject and turned & other.subject)
    )
    turns = list(dict.fromkeys(turns))
    return Difference(
        shared, tuple(rest), tuple(others), tuple(turns), frozenset(turned), frozenset(formed), blocked=blocked
    )


def _rest(one: Clause, other: Clause) -> list[Word]:
    """Return the words of the first clause that the second has not; one about everybody has every subject."""
    rest = [word for stem, word in one.words.items() if stem not in other.words]
    return [word for word in rest if not word.subject] if other.anybody else rest


def _other_cases(one: Clause, other: Clause) -> bool:
    """Say whether one holds where the other does not: "if" and "unless", or a condition that is denied."""
    if ("not" in one.words) != ("not" in other.words):
        return True
    return any({mine, theirs} == _OTHER_CASES for mine in one.links for theirs in other.links)


def _without_full_names(rest: list[Word], others: list[Word], shared: frozenset[str], clause: Clause) -> list[Word]:
    """Leave out the rest of a name of which the other clause has a part, unless that has another name there."""
    names = [word for word in rest if _names(word)]
    if not names or any(_names(word) for word in others) or not any(_names(clause.words[stem]) for stem in shared):
        return rest
    return [word for word in rest if word not in names]


def _names(word: Word) -> bool:
    return word.name and word.subject and not word.link and "#" not in word.stem


def _without_carriers(rest: list[Word]) -> list[Word]:
    """Leave out verbs that only carry how something is, as in "is stored unencrypted"."""
    return [word for word in rest if word.stem not in _CARRIERS or word.subject or word.link]


def _matched(rest: list[Word], others: list[Word]) -> tuple[list[Turn], set[str], set[str]]:
    """Take opposites, and forms of one word, out of both lists; return the opposites, and the stems of both kinds."""
    turns: list[Turn] = []
    turned: set[str] = set()
    formed: set[str] = set()
    for word in list(rest):
        for match in others:
            turn = "" if word.name or match.name else opposition(word, match)
            if turn or _alike(word, match):
                if turn:
                    turns.append(Turn(word.text, match.text, turn))
                    turned |= {word.stem, match.stem}
                else:
                    formed |= {word.stem, match.stem}
                rest.remove(word)
                others.remove(match)
                break
    return turns, turned, formed


def _turned_links(one: Clause, other: Clause, shared: frozenset[str]) -> list[Turn]:
    """Return the prepositions before shared words that exclude each other."""
    if not (one.links & _TURNING and other.links & _TURNING):
        return []
    links = {(one.words[stem].link, other.words[stem].link) for stem in shared}
    links |= {(mine, theirs) for mine in one.links & _ORDER for theirs in other.links & _ORDER if mine != theirs}
    found = [(mine, theirs, _TURNS.get(frozenset((mine, theirs)), "")) for mine, theirs in sorted(links)]
    return [Turn(mine, theirs, kind) for mine, theirs, kind in found if kind]


def _alike(one: Word, other: Word) -> bool:
    """Say whether two words are forms of one, like "compressed" and "compression"."""
    if one.text[:_ROOT] != other.text[:_ROOT]:
        return can_be(one.text, other.text) or can_be(other.text, one.text)
    if root(one.text) == root(other.text):
        return True
    size = max(len(one.text), len(other.text))
    if one.text[:_ALIKE] != other.text[:_ALIKE] or not (one.text.isalpha() and other.text.isalpha()):
        return False
    enough = min(len(one.stem), len(other.stem)) >= _ALIKE
    return enough and _common(one.text, other.text) >= _ALIKE_SHARE * size


def _common(one: str, other: str) -> int:
    return next((n for n, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
