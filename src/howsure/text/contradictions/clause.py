"""Clause: the normal form of what a sentence says, word order and inflection left out."""

from typing import Literal, NamedTuple

from howsure.text.contradictions.measures import Measure


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
    indefinite: bool = False
    """Whether "a" or "an" stands before it, so that there may be others of its kind."""


class Figure(NamedTuple):
    """A measure, and how it hangs in its clause."""

    measure: Measure
    link: str
    head: str
    of: str
    """The stem of the word after it, of which it counts or measures something, if there is one."""
    label: bool
    """Whether it belongs to the noun before it, as in "Python 3" or "port 80"."""


class Negation(NamedTuple):
    """A word that denies, and the stem of the word that it denies; "#" for a number."""

    word: str
    target: str


class Reading(NamedTuple):
    """A thing that can be said in many ways, put so that two of them can be compared whatever their words."""

    kind: Literal["need", "most", "least", "life"]
    """Whether something is needed, how much there may or must be, or how long something lasts."""
    about: dict[str, Word]
    """The words of the clause that do not belong to this way of saying it."""
    verb: str
    """The verb of the clause."""
    things: frozenset[str] = frozenset()
    """The stems of what is needed, or not; whether something lasts or ends."""
    holds: bool = True
    """Whether it is needed."""
    figure: Figure | None = None
    """How much, or how long."""


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
    modal: str = ""
    """Whether it says what can be or what must be: "can", "must", or nothing of either."""
    verb: str = ""
    """The stem of what the subject does, or has done to it; empty where it only is or has something."""
    plural: frozenset[str] = frozenset()
    """The stems of things of which it says that there are several."""
    readings: tuple[Reading, ...] = ()
    """What else it says: what is needed, how much is allowed, how long something lasts."""
