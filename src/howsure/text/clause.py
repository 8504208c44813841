"""Clause: the normal form of what a sentence says, word order and inflection left out."""

from typing import NamedTuple

from howsure.text.measures import Measure


class Word(NamedTuple):
    """A word that tells what a clause is about."""

    stem: str
    text: str
    subject: bool
    """Whether it stands before the verb."""
    link: str
    """The preposition or conjunction that leads to it, if one does."""
    head: str
    """The stem of the verb before it; "be" for every form of that."""
    name: bool


class Figure(NamedTuple):
    """A measure, and how it hangs in its clause."""

    measure: Measure
    link: str
    head: str
    of: str
    """The stem of the word after it, of which it counts or measures something, if there is one."""
    label: bool
    """Whether it belongs to the name before it, as in "Python 3"."""


class Negation(NamedTuple):
    """A word that denies, and the stem of the word that it denies; "#" for a number."""

    word: str
    target: str


class Clause(NamedTuple):
    """What a clause says, word order and inflection left out."""

    text: str
    words: dict[str, Word]
    figures: tuple[Figure, ...]
    negations: tuple[Negation, ...]
    quantifier: str
    """The word that says of how many cases it holds, if one does."""
    share: tuple[float, float]
    """The share of cases in which it holds, as a range, denials included."""
    partial: bool
    """Whether it speaks of some, most or few, or not of all."""
    hedges: tuple[str, ...]
    only: bool
    anybody: bool
    """Whether its subject is everybody or nobody."""
    there: bool
    """Whether it says that something exists."""
    passive: bool
    either: bool
    """Whether it leaves a choice, by "or"."""
    past: bool
    """Whether it speaks of what was."""
    subject: frozenset[str]
    """The stems of its subject."""
    links: frozenset[str]
    """The prepositions and conjunctions that lead to its words."""
