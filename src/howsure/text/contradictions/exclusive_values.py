"""Decide whether only one of two values can be right: a thing has one colour, one author, one default port."""

from collections.abc import Sequence
from typing import NamedTuple

from howsure.text.contradictions.clause import Clause, Word, text_of
from howsure.text.stems import meanings_of
from howsure.text.words import values

_CLASS_OF = {word: name for name, listed in values.CLASSES.items() for word in meanings_of(listed)}
_PROPERTIES = frozenset(values.PROPERTIES.split())
_THINGS = frozenset(values.THINGS.split())
_PLACE_LINKS = frozenset({"in", "at", "on"})
"""Prepositions before a place."""
_UNIQUE = meanings_of(values.UNIQUE)
_ADDITIVE = meanings_of(values.ADDITIVE)
_RELATIONS = frozenset(
    (verb, entry.partition(":")[2])
    for entry in values.RELATIONS.split()
    for verb in meanings_of(entry.partition(":")[0])
)
_PLACING = meanings_of(values.PLACING)
_MANY_AGENTS = (_ADDITIVE | meanings_of(values.MANY_AGENTS)) - meanings_of("cause")
_LISTING = meanings_of("include add contain list")
"""Verbs that may name one value of many."""
_NAMING = meanings_of("name call")
"""Verbs by which a thing has one name in the passive ("is called"); in the active it may call many things."""
_RETURNING = meanings_of("return")
"""Verbs after which two nouns may describe one thing: what returns a copy may return a list."""
_ADJECTIVE_ENDINGS = ("an", "ish", "ese", "ic", "al", "ful", "ed", "able", "ible", "ive", "less", "ary", "ous", "only")
"""Endings of adjectives, which may begin with a capital without being a name."""
_LONG_CONTEXT = 6
"""Words that two clauses must share for a single different name to be a clash."""
_MIN_SAME_NAME = 6
"""Letters that the beginning of a longer name must share with a shorter one to be the same name."""

_ONE_VALUE, _PROPERTY, _NAMES, _AGENT, _CONTEXT = 0.85, 0.75, 0.7, 0.65, 0.6
"""How sure it is that only one can be right: values of one class ("red", "blue") or of a verb with one value ("written
in"); values of a property ("the port is"); names; agents ("closed by the client"); a name in long, equal clauses."""


class Exclusion(NamedTuple):
    """Two values that exclude each other."""

    strength: float
    """How sure it is that only one of them can be right, from 0 to 1."""
    one: str
    other: str


def find_exclusion(one: Clause, other: Clause, rest: Sequence[Word], other_rest: Sequence[Word]) -> Exclusion | None:
    """Return the exclusion if the words in which two clauses differ are values of which only one can be right, or None.

    >>> from howsure.text.contradictions.parser import parse_statement
    >>> (one,), (other,) = parse_statement("It is written in Rust."), parse_statement("It is written in Go.")
    >>> find_exclusion(one, other, [one.words["rust"]], [other.words["go"]]).strength
    0.85
    """
    if one.either or other.either or _may_be_same_name(rest, other_rest):
        return None
    strength = _strength(one, other, rest, other_rest)
    if not strength:
        return None
    return Exclusion(strength, text_of(rest), text_of(other_rest))


def find_other_agent(one: Clause, other: Clause) -> Exclusion | None:
    """Return the exclusion if one clause says who does something and the other by whom else it is done, or None.

    >>> from howsure.text.contradictions.parser import parse_statement
    >>> one, other = parse_statement("Ann maintains the tool. The tool is maintained by Bob.")
    >>> find_other_agent(one, other)
    Exclusion(strength=0.65, one='ann', other='bob')
    """
    if one.passive == other.passive or not one.verb or one.verb != other.verb or (one.verb, "by") not in _RELATIONS:
        return None
    active, passive = (other, one) if one.passive else (one, other)
    agents = [word for word in passive.words.values() if word.link == "by" and not word.subject]
    doers = [word for word in active.words.values() if word.subject and not word.link]
    objects = {word.stem for word in active.words.values() if word.head == active.verb and not word.link}
    rest = [word for word in doers if word.stem not in passive.words]
    other_rest = [word for word in agents if word.stem not in active.words]
    same_object = bool(objects) and objects == passive.subject
    if not (same_object and rest and other_rest) or one.either or other.either or _is_plural_agent(agents):
        return None
    texts = text_of(rest), text_of(other_rest)
    return Exclusion(_AGENT, *(reversed(texts) if one.passive else texts))


def _letters(words: Sequence[Word]) -> str:
    return "".join(sign for word in words for sign in word.text if sign.isalnum())


def _may_be_same_name(rest: Sequence[Word], other: Sequence[Word]) -> bool:
    """Return True if both values may be the same name: one is the other without its end, number or signs."""
    one, two = sorted((_letters(rest), _letters(other)), key=len)
    if one == two or (len(one) >= _MIN_SAME_NAME and two.startswith(one)):
        return True
    return one.isalpha() and two.startswith(one) and two[len(one) :].isdigit()  # "ISO" and "ISO-8601"


def words_in_same_slot(rest: Sequence[Word], other: Sequence[Word]) -> tuple[list[Word], list[Word]]:
    """Return the words of both clauses that have the same role, or two empty lists without exactly one such role.

    Words that only one of the clauses has in another role do not matter.

    >>> from howsure.text.contradictions.parser import parse_statement
    >>> (one,), (other,) = parse_statement("It is red."), parse_statement("It is blue on Linux.")
    >>> [
    ...     [word.text for word in words]
    ...     for words in words_in_same_slot(list(one.words.values()), list(other.words.values()))
    ... ]
    [['red'], ['blue']]
    """
    slots, others = {_slot(word) for word in rest}, {_slot(word) for word in other}
    shared = slots & others
    if len(shared) != 1 or min(len(slots), len(others)) > 1:
        return [], []
    return [word for word in rest if _slot(word) in shared], [word for word in other if _slot(word) in shared]


def _slot(word: Word) -> tuple[bool, str, str]:
    """Return the role of a word: whether it is in the subject, and the preposition and verb it depends on."""
    return word.subject, word.link, word.head


def _strength(one: Clause, other: Clause, rest: Sequence[Word], other_rest: Sequence[Word]) -> float:
    first = rest[0]
    if first.subject:
        return _NAMES if _names_unique_thing(one) and _names_unique_thing(other) else 0.0
    classes = {_CLASS_OF.get(word.stem, "") for word in (*rest, *other_rest)}
    same_class = len(classes) == 1 and "" not in classes
    if not same_class and (_may_describe(rest, other_rest) or _is_plural_agent(rest) or _is_plural_agent(other_rest)):
        return 0.0
    named = rest[-1].name and other_rest[-1].name
    if (first.head, first.link) in _RELATIONS and (one.passive or first.head not in _NAMING):
        if first.link not in _PLACE_LINKS and first.head not in _RETURNING:
            return _ONE_VALUE
        if same_class or (named and first.head not in _PLACING):
            return _ONE_VALUE
        return _strength_by_context(one, other, rest, other_rest)
    if first.head == "be" and not first.link:
        return _strength_of_predicates(one, other, rest, other_rest, same_class=same_class)
    if _is_used_as_property(one) and _is_used_as_property(other):
        return _PROPERTY
    if first.link == "by" and one.passive and other.passive and first.head not in _MANY_AGENTS:
        return 0.0 if _share_name(one, other, first) else _AGENT
    return _strength_by_context(one, other, rest, other_rest)


def _share_name(one: Clause, other: Clause, first: Word) -> bool:
    """Return True if both clauses share a name in the role of the value."""
    shared = one.words.keys() & other.words.keys()
    return any(_slot(one.words[stem]) == _slot(first) and one.words[stem].name for stem in shared)


def _may_describe(rest: Sequence[Word], other: Sequence[Word]) -> bool:
    """Return True if one value may describe what the other names: "by a woman" and "by Ada Vance"."""
    names = any(word.name for word in rest), any(word.name for word in other)
    kinds = any(word.indefinite for word in rest), any(word.indefinite for word in other)
    return kinds[0] != kinds[1] or (names[0] != names[1] and rest[0].link in {"by", "as"})


def _is_plural_agent(agents: Sequence[Word]) -> bool:
    """Return True for a plural agent, like "by old pipes": others may do it too."""
    last = agents[-1]
    return last.link == "by" and not last.name and last.text.endswith("s") and not last.text.endswith("ss")


def _strength_of_predicates(
    one: Clause, other: Clause, rest: Sequence[Word], other_rest: Sequence[Word], *, same_class: bool
) -> float:
    """Return the strength for two values after "is"; a participle of the passive is not a value."""
    participles = {clause.verb for clause in (one, other) if clause.passive}
    if participles & {word.stem for word in (*rest, *other_rest)}:
        return 0.0
    if same_class:
        return _ONE_VALUE
    adjectives = all(word.text.endswith(_ADJECTIVE_ENDINGS) and not word.name for word in (rest[-1], other_rest[-1]))
    if _is_property(one) and _is_property(other) and not (adjectives and _is_thing(one)):
        return _PROPERTY
    names = all(word.name and not word.text.endswith(_ADJECTIVE_ENDINGS) for word in (*rest, *other_rest))
    return _NAMES if names and _is_one_thing(one) and _is_one_thing(other) else 0.0


def _is_one_thing(clause: Clause) -> bool:
    """Return True if the subject is one thing of a kind, like "the payload", not several and not a name."""
    subject = [word for word in clause.words.values() if word.subject and not word.link]
    return bool(subject) and not any(word.name or word.indefinite for word in subject) and subject[-1].text[-1] != "s"


def _is_property(clause: Clause) -> bool:
    """Return True if the subject is a property with one value, like "the default port"."""
    subject = [word for word in clause.words.values() if word.subject and not word.link]
    return bool(subject) and (_names_property(subject[-1]) or any(word.stem in _UNIQUE for word in subject))


def _is_thing(clause: Clause) -> bool:
    """Return True if the subject is a thing that has many properties, like "the protocol"."""
    subject = [word for word in clause.words.values() if word.subject and not word.link]
    return bool(subject) and subject[-1].text in _THINGS


def _names_property(word: Word) -> bool:
    return word.text in _PROPERTIES or word.text.removesuffix("s") in _PROPERTIES


def _names_unique_thing(clause: Clause) -> bool:
    """Return True if the clause says that its subject is the only one: "Paris is the capital"."""
    predicates = [word for word in clause.words.values() if not word.subject and word.head == "be" and not word.link]
    if any(word.indefinite for word in predicates):
        return False
    return any(word.stem in _UNIQUE for word in predicates) or bool(
        predicates and _names_property(predicates[-1]) and len(predicates) == 1
    )


def _is_used_as_property(clause: Clause) -> bool:
    """Return True if a value is used "as" a property, like "as default"."""
    return any(word.link == "as" and _names_property(word) for word in clause.words.values())


def _strength_by_context(one: Clause, other: Clause, rest: Sequence[Word], other_rest: Sequence[Word]) -> float:
    """Return the strength for two names in clauses that are otherwise the same and long: one is usually wrong."""
    shared = one.words.keys() & other.words.keys()
    names = all(word.name for word in (*rest, *other_rest))
    if not names or len(shared) < _LONG_CONTEXT or rest[0].link == "than" or rest[0].head in _ADDITIVE:
        return 0.0
    return 0.0 if shared & _LISTING else _CONTEXT
