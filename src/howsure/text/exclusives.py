"""Exclusives: values of which a thing has only one, like its colour, its author or the language it is written in."""

from collections.abc import Sequence
from typing import NamedTuple

from howsure.text.clause import Clause, Word
from howsure.text.lists.words import values
from howsure.text.tokens import meanings

_CLASS = {word: name for name, listed in values.CLASSES.items() for word in meanings(listed)}
_PROPERTIES = frozenset(values.PROPERTIES.split())
_PLACED = frozenset({"in", "at", "on"})
"""Prepositions before a place, which is told from a setting by its name."""
_UNIQUE = meanings(values.UNIQUE)
_ADDITIVE = meanings(values.ADDITIVE)
_RELATIONS = frozenset(
    (verb, entry.partition(":")[2]) for entry in values.RELATIONS.split() for verb in meanings(entry.partition(":")[0])
)
_PLACES = frozenset(values.PLACES)
_LONG_CONTEXT = 6
"""Words that two sentences share before one other name between them is taken for a clash by itself."""
_ALIKE = 6
"""Letters that the beginning of a longer name has to share with a shorter one to be the same name."""


class Exclusion(NamedTuple):
    """Two values that exclude each other."""

    strength: float
    """How sure it is that only one can hold, from 0 to 1."""
    one: str
    other: str


def exclusion(one: Clause, other: Clause, rest: Sequence[Word], other_rest: Sequence[Word]) -> Exclusion | None:
    """Say whether the words in which two clauses differ are values of which only one can be right.

    >>> from howsure.text.statement import statement
    >>> (one,), (other,) = statement("It is written in Rust."), statement("It is written in Go.")
    >>> exclusion(one, other, [one.words["rust"]], [other.words["go"]]).strength
    0.85
    """
    if one.either or other.either or _same_name(rest, other_rest):
        return None
    strength = _strength(one, other, rest, other_rest)
    if not strength:
        return None
    return Exclusion(strength, _written(rest), _written(other_rest))


def _written(words: Sequence[Word]) -> str:
    return " ".join(word.text for word in words)


def _same_name(rest: Sequence[Word], other: Sequence[Word]) -> bool:
    """Say whether two values may be one, written in more or fewer letters."""
    one, two = sorted((_written(rest), _written(other)), key=len)
    return len(one) >= _ALIKE and two.startswith(one)


def same_slot(rest: Sequence[Word], other: Sequence[Word]) -> tuple[list[Word], list[Word]]:
    """Return the words that stand in one and the same place of what both clauses say; none where there is no one place.

    Words that only one of the clauses has elsewhere do not matter.

    >>> from howsure.text.statement import statement
    >>> (one,), (other,) = statement("It is red."), statement("It is blue on Linux.")
    >>> [[word.text for word in words] for words in same_slot(list(one.words.values()), list(other.words.values()))]
    [['red'], ['blue']]
    """
    slots, others = {_slot(word) for word in rest}, {_slot(word) for word in other}
    shared = slots & others
    if len(shared) != 1 or min(len(slots), len(others)) > 1:
        return [], []
    return [word for word in rest if _slot(word) in shared], [word for word in other if _slot(word) in shared]


def _slot(word: Word) -> tuple[bool, str, str]:
    return word.subject, word.link, word.head


def _strength(one: Clause, other: Clause, rest: Sequence[Word], other_rest: Sequence[Word]) -> float:
    first = rest[0]
    classes = {_CLASS.get(word.stem, "") for word in rest}, {_CLASS.get(word.stem, "") for word in other_rest}
    if all(found & _PLACES for found in classes) and classes[0] != classes[1]:
        return 0.0
    if first.subject:
        return 0.7 if _names_one(one) and _names_one(other) else 0.0
    same_class = len(classes[0] | classes[1]) == 1 and "" not in classes[0]
    named = all(word.name for word in (*rest, *other_rest)) or same_class
    if (first.head, first.link) in _RELATIONS and (named or first.link not in _PLACED):
        return 0.85
    if first.head == "be" and not first.link:
        if same_class:
            return 0.85
        return 0.75 if _is_property(one) and _is_property(other) else 0.0
    if _as_property(one) and _as_property(other):
        return 0.75
    return _by_context(one, other, rest, other_rest)


def _is_property(clause: Clause) -> bool:
    """Say whether the subject is a property with one value, like "the default port"."""
    subject = [word for word in clause.words.values() if word.subject and not word.link]
    return bool(subject) and (_names_property(subject[-1]) or any(word.stem in _UNIQUE for word in subject))


def _names_property(word: Word) -> bool:
    return word.text in _PROPERTIES or word.text.removesuffix("s") in _PROPERTIES


def _names_one(clause: Clause) -> bool:
    """Say whether the clause says of its subject that it is the one of which something holds."""
    said = [word for word in clause.words.values() if not word.subject and word.head == "be" and not word.link]
    return any(word.stem in _UNIQUE for word in said) or bool(said and _names_property(said[-1]) and len(said) == 1)


def _as_property(clause: Clause) -> bool:
    """Say whether a value is used "as" the one value of a property."""
    return any(word.link == "as" and _names_property(word) for word in clause.words.values())


def _by_context(one: Clause, other: Clause, rest: Sequence[Word], other_rest: Sequence[Word]) -> float:
    """Judge by how much else is the same: in long sentences that differ in one name, one is usually wrong."""
    shared = len(one.words.keys() & other.words.keys())
    names = all(word.name for word in (*rest, *other_rest))
    return 0.6 if names and shared >= _LONG_CONTEXT and rest[0].head not in _ADDITIVE else 0.0
