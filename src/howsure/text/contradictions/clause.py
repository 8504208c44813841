"""The normal form of a clause, independent of word order and inflection, and the result of comparing two clauses."""

from collections.abc import Iterable
from typing import Literal, NamedTuple

from howsure.text.contradictions.denials import Affirmation
from howsure.text.quantities.measures import Measure

ConflictKind = Literal["contradiction", "inconsistency", "ambiguity"]
"""A contradiction (direct opposites), an inconsistency (logically incompatible, often only in some cases), or an
ambiguity (whether they conflict depends on how they are read, since one is unsure or vague)."""


class Clash(NamedTuple):
    """Why two clauses cannot, or can hardly, both hold."""

    kind: ConflictKind
    severity: float
    reason: str


class Word(NamedTuple):
    """A content word of a clause."""

    stem: str
    text: str
    subject: bool
    """True if it stands before the verb."""
    link: str
    """The preposition or conjunction that leads to it, or ""."""
    head: str
    """The stem of the verb before it; "be" for every form of be."""
    name: bool
    """True if it is written like a name."""
    indefinite: bool = False
    """True after "a" or "an": there may be others of its kind."""


def text_of(words: Iterable[Word]) -> str:
    """Return words as they are written, with spaces between."""
    return " ".join(word.text for word in words)


class Figure(NamedTuple):
    """A number or date and its role in a clause."""

    measure: Measure
    link: str
    """The preposition or conjunction that leads to it, or ""."""
    head: str
    """The stem of the verb before it."""
    of: str
    """The stem of the noun that it counts, or ""."""
    label: bool
    """True if it belongs to the noun before it, as in "Python 3" or "port 80"."""


class Negation(NamedTuple):
    """A negating word and the stem of the word that it negates ("#" for a number, "" if unknown)."""

    word: str
    target: str


class Paraphrase(NamedTuple):
    """A need, limit or lifetime, in a form that does not depend on how it is worded."""

    kind: Literal["need", "most", "least", "beyond", "enough", "life"]
    """What is needed, the upper or lower limit, a size that is possible or enough, or how long something lasts."""
    about: dict[str, Word]
    """The words of the clause that do not belong to this wording."""
    verb: str
    things: frozenset[str] = frozenset()
    """For a need: the stems of what is needed. For a lifetime: "lasting" or "ending"."""
    holds: bool = True
    """For a need: False if it can be done without."""
    figure: Figure | None = None
    """The limit or the time."""


class Clause(NamedTuple):
    """What a clause says."""

    text: str
    words: dict[str, Word]
    """Content words by stem."""
    figures: tuple[Figure, ...]
    negations: tuple[Negation, ...]
    quantifier: str
    """The word that says in how many cases it holds, or ""."""
    share: tuple[float, float]
    """The share of cases in which it holds, as a range; see `quantifiers.share_of_cases`."""
    partial: bool
    """True if it speaks of some, most, few or not all."""
    hedges: tuple[str, ...]
    only: bool
    """True if it contains "only"."""
    anybody: bool
    """True if its subject is everybody or nobody."""
    there: bool
    """True for "there is ..."."""
    passive: bool
    either: bool
    """True if it leaves a choice ("or")."""
    past: bool
    subject: frozenset[str]
    """The stems of its subject."""
    links: frozenset[str]
    """The prepositions and conjunctions that lead to its words."""
    modal: str = ""
    """"can", "must" or ""."""
    verb: str = ""
    """The stem of what the subject does or what is done to it; "" after a mere "is" or "has"."""
    plural: frozenset[str] = frozenset()
    """The stems of things of which there are several."""
    paraphrases: tuple[Paraphrase, ...] = ()
    affirmation: Affirmation | None = None
    """The clause without its negations; None if denying it word by word would not exclude it."""
