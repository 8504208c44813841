"""Exclusives: values of which a thing has only one, like its colour, its author or the language it is written in."""

from collections.abc import Sequence
from typing import NamedTuple

from howsure.text.contradictions.clause import Clause, Word
from howsure.text.contradictions.tokens import meanings
from howsure.text.words import values

_CLASS = {word: name for name, listed in values.CLASSES.items() for word in meanings(listed)}
_PROPERTIES = frozenset(values.PROPERTIES.split())
_PLACED = frozenset({"in", "at", "on"})
"""Prepositions before a place, which is told from a setting by its name."""
_UNIQUE = meanings(values.UNIQUE)
_ADDITIVE = meanings(values.ADDITIVE)
_RELATIONS = frozenset(
    (verb, entry.partition(":")[2]) for entry in values.RELATIONS.split() for verb in meanings(entry.partition(":")[0])
)
_PLACING = meanings(values.PLACING)
_MANY_AGENTS = (_ADDITIVE | meanings(values.MANY_AGENTS)) - meanings("cause")
_LISTING = meanings("include add contain list")
"""Verbs that may name one of many."""
_NAMING = meanings("name call")
"""Verbs by which a thing has one name, where it is named; what it calls itself may be many."""
_KINDS = meanings("return")
"""Verbs after which two nouns may be of one thing: a copy may be a list."""
_ADJECTIVES = ("an", "ish", "ese", "ic", "al", "ful", "ed", "able", "ible", "ive")
"""Endings of words that tell how a thing is rather than which, though they may begin with a capital."""
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

    >>> from howsure.text.contradictions.parser import statement
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


def _letters(words: Sequence[Word]) -> str:
    return "".join(sign for word in words for sign in word.text if sign.isalnum())


def _same_name(rest: Sequence[Word], other: Sequence[Word]) -> bool:
    """Say whether two values may be one, written in more or fewer letters."""
    one, two = sorted((_letters(rest), _letters(other)), key=len)
    return len(one) >= _ALIKE and two.startswith(one)


def same_slot(rest: Sequence[Word], other: Sequence[Word]) -> tuple[list[Word], list[Word]]:
    """Return the words that stand in one and the same place of what both clauses say; none where there is no one place.

    Words that only one of the clauses has elsewhere do not matter.

    >>> from howsure.text.contradictions.parser import statement
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
    if first.subject:
        return 0.7 if _names_one(one) and _names_one(other) else 0.0
    classes = {_CLASS.get(word.stem, "") for word in (*rest, *other_rest)}
    same_class = len(classes) == 1 and "" not in classes
    if not same_class and (_may_be_one(rest, other_rest) or _are_many(rest) or _are_many(other_rest)):
        return 0.0
    named = rest[-1].name and other_rest[-1].name
    if (first.head, first.link) in _RELATIONS and (one.passive or first.head not in _NAMING):
        if first.link not in _PLACED and first.head not in _KINDS:
            return 0.85
        if same_class or (named and first.head not in _PLACING):
            return 0.85
        return _by_context(one, other, rest, other_rest)
    if first.head == "be" and not first.link:
        return _as_what_it_is(one, other, rest, other_rest, same_class=same_class)
    if _as_property(one) and _as_property(other):
        return 0.75
    if first.link == "by" and one.passive and other.passive and first.head not in _MANY_AGENTS:
        return 0.0 if _share_name(one, other, first) else 0.65
    return _by_context(one, other, rest, other_rest)


def _share_name(one: Clause, other: Clause, first: Word) -> bool:
    """Say whether both clauses have a name in the place of a value that they share."""
    shared = one.words.keys() & other.words.keys()
    return any(_slot(one.words[stem]) == _slot(first) and one.words[stem].name for stem in shared)


def _may_be_one(rest: Sequence[Word], other: Sequence[Word]) -> bool:
    """Say whether one value may describe what the other names: "by a person" and "by Ada Vance"."""
    names = any(word.name for word in rest), any(word.name for word in other)
    kinds = any(word.indefinite for word in rest), any(word.indefinite for word in other)
    return kinds[0] != kinds[1] or (names[0] != names[1] and rest[0].link in {"by", "as"})


def _are_many(agents: Sequence[Word]) -> bool:
    """Say whether something is done by several things of a kind, beside which others may do it too."""
    last = agents[-1]
    return last.link == "by" and not last.name and last.text.endswith("s") and not last.text.endswith("ss")


def _as_what_it_is(
    one: Clause, other: Clause, rest: Sequence[Word], other_rest: Sequence[Word], *, same_class: bool
) -> float:
    """Judge two values that a thing is said to be; what is done to it is none."""
    done = {clause.verb for clause in (one, other) if clause.passive}
    if done & {word.stem for word in (*rest, *other_rest)}:
        return 0.0
    if same_class:
        return 0.85
    if _is_property(one) and _is_property(other):
        return 0.75
    names = all(word.name and not word.text.endswith(_ADJECTIVES) for word in (*rest, *other_rest))
    return 0.7 if names and _is_one_thing(one) and _is_one_thing(other) else 0.0


def _is_one_thing(clause: Clause) -> bool:
    """Say whether the subject is one thing of a kind, like "the payload", rather than many, or one by name."""
    subject = [word for word in clause.words.values() if word.subject and not word.link]
    return bool(subject) and not any(word.name or word.indefinite for word in subject) and subject[-1].text[-1] != "s"


def _is_property(clause: Clause) -> bool:
    """Say whether the subject is a property with one value, like "the default port"."""
    subject = [word for word in clause.words.values() if word.subject and not word.link]
    return bool(subject) and (_names_property(subject[-1]) or any(word.stem in _UNIQUE for word in subject))


def _names_property(word: Word) -> bool:
    return word.text in _PROPERTIES or word.text.removesuffix("s") in _PROPERTIES


def _names_one(clause: Clause) -> bool:
    """Say whether the clause says of its subject that it is the one of which something holds."""
    said = [word for word in clause.words.values() if not word.subject and word.head == "be" and not word.link]
    if any(word.indefinite for word in said):
        return False
    return any(word.stem in _UNIQUE for word in said) or bool(said and _names_property(said[-1]) and len(said) == 1)


def _as_property(clause: Clause) -> bool:
    """Say whether a value is used "as" the one value of a property."""
    return any(word.link == "as" and _names_property(word) for word in clause.words.values())


def _by_context(one: Clause, other: Clause, rest: Sequence[Word], other_rest: Sequence[Word]) -> float:
    """Judge by how much else is the same: in long sentences that differ in one name, one is usually wrong."""
    shared = one.words.keys() & other.words.keys()
    names = all(word.name for word in (*rest, *other_rest))
    if not names or len(shared) < _LONG_CONTEXT or rest[0].link == "than" or rest[0].head in _ADDITIVE:
        return 0.0
    return 0.0 if shared & _LISTING else 0.6
