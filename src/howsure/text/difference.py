"""Difference: in what two clauses differ, word by word."""

from typing import NamedTuple

from howsure.text.opposites import Opposition, opposition
from howsure.text.statement import Clause, Word

_TURNS: dict[frozenset[str], Opposition] = {
    frozenset(("before", "after")): "order",
    frozenset(("above", "below")): "opposite",
    frozenset(("over", "under")): "opposite",
    frozenset(("inside", "outside")): "opposite",
    frozenset(("up", "down")): "opposite",
}
_ORDER = frozenset(("before", "after"))
_OTHER_CASES = frozenset(("if", "unless"))
_MOST_REST = 6
"""Words in which both clauses may differ before they are taken to be about different things."""
_ALIKE = 6
_ALIKE_SHARE = 0.6
"""Letters at the beginning that two words have to share to be forms of one, and what share of the longer they are."""
_SHARED = 0.5
"""Share of the shorter clause's words that the other has to have."""


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
    blocked: bool
    """Whether they speak of different cases, or of different subjects."""


def difference(one: Clause, other: Clause) -> Difference | None:
    """Return in what two clauses differ; nothing where they are about different things.

    >>> from howsure.text.statement import statement
    >>> (one,), (other,) = statement("The cache is enabled."), statement("The cache is disabled on Linux.")
    >>> found = difference(one, other)
    >>> found.turns, [word.text for word in found.other_rest]
    ((Turn(one='enabled', other='disabled', kind='opposite'),), ['linux'])
    """
    shared = frozenset(one.words.keys() & other.words.keys())
    rest = [word for stem, word in one.words.items() if stem not in shared and not (other.anybody and word.subject)]
    others = [word for stem, word in other.words.items() if stem not in shared and not (one.anybody and word.subject)]
    least = min(len(one.words), len(other.words))
    if not shared or len(shared) < _SHARED * least or min(len(rest), len(others)) > _MOST_REST:
        return None
    rest, others = _without_full_names(rest, others, shared, one), _without_full_names(others, rest, shared, other)
    turns, turned = _matched(rest, others)
    turns += _turned_links(one, other, shared)
    blocked = any({one.words[stem].link, other.words[stem].link} == _OTHER_CASES for stem in shared)
    blocked |= bool(turned & _subject(one) and turned & _subject(other))
    blocked |= any(word.stem == "not" for word in (*rest, *others))
    return Difference(shared, tuple(rest), tuple(others), tuple(dict.fromkeys(turns)), frozenset(turned), blocked)


def _subject(clause: Clause) -> set[str]:
    return set() if clause.there else {stem for stem, word in clause.words.items() if word.subject and not word.link}


def _without_full_names(rest: list[Word], others: list[Word], shared: frozenset[str], clause: Clause) -> list[Word]:
    """Leave out the rest of a name of which the other clause has a part, unless that has another name there."""
    if any(_names(word) for word in others) or not any(_names(clause.words[stem]) for stem in shared):
        return rest
    return [word for word in rest if not _names(word)]


def _names(word: Word) -> bool:
    return word.name and word.subject and not word.link


def _matched(rest: list[Word], others: list[Word]) -> tuple[list[Turn], set[str]]:
    """Take opposites, and forms of one word, out of both lists; return the opposites and their stems."""
    turns: list[Turn] = []
    turned: set[str] = set()
    for word in list(rest):
        for match in others:
            turn = "" if word.name or match.name else opposition(word, match)
            if turn or _alike(word, match):
                if turn:
                    turns.append(Turn(word.text, match.text, turn))
                    turned |= {word.stem, match.stem}
                rest.remove(word)
                others.remove(match)
                break
    return turns, turned


def _turned_links(one: Clause, other: Clause, shared: frozenset[str]) -> list[Turn]:
    """Return the prepositions before shared words that exclude each other."""
    links = {(one.words[stem].link, other.words[stem].link) for stem in shared}
    links |= {(mine, theirs) for mine in _links(one) for theirs in _links(other) if {mine, theirs} == _ORDER}
    found = [(mine, theirs, _TURNS.get(frozenset((mine, theirs)), "")) for mine, theirs in sorted(links)]
    return [Turn(mine, theirs, kind) for mine, theirs, kind in found if kind]


def _links(clause: Clause) -> set[str]:
    return {word.link for word in clause.words.values()}


def _alike(one: Word, other: Word) -> bool:
    """Say whether two words are forms of one, like "compressed" and "compression"."""
    size = max(len(one.text), len(other.text))
    if one.text[:_ALIKE] != other.text[:_ALIKE] or not (one.text.isalpha() and other.text.isalpha()):
        return False
    enough = min(len(one.stem), len(other.stem)) >= _ALIKE
    return enough and _common(one.text, other.text) >= _ALIKE_SHARE * size


def _common(one: str, other: str) -> int:
    return next((n for n, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
