"""Compare two clauses word by word: shared words, opposites, and words that only one of them has."""

from typing import NamedTuple

from howsure.text.contradictions.antonyms import Opposition, find_opposition, says_can_be
from howsure.text.contradictions.candidates import share_enough_words
from howsure.text.contradictions.clause import Clause, Word
from howsure.text.stems import meanings_of, root_of
from howsure.text.words import grammar

_OPPOSITE_LINKS: dict[frozenset[str], Opposition] = {
    frozenset(("before", "after")): "order",
    frozenset(("above", "below")): "opposite",
    frozenset(("over", "under")): "opposite",
    frozenset(("inside", "outside")): "opposite",
    frozenset(("up", "down")): "opposite",
}
_LINKS_WITH_OPPOSITE = frozenset(word for pair in _OPPOSITE_LINKS for word in pair)
_BEFORE_AFTER = frozenset(("before", "after"))
_IF_UNLESS = frozenset(("if", "unless"))
_ORDER_LINKS = frozenset({"than", "before", "after", "above", "below"})
_CARRIERS = meanings_of(grammar.CARRIERS)
ORDERING_VERBS = meanings_of(grammar.ORDERING)
_MAX_DIFFERENT_WORDS = 6
"""If both clauses have more words of their own, they are taken to be about different things."""
_ROOT_LETTERS = 4
"""First letters that a verb and the noun made from it share."""
_FORM_LETTERS, _FORM_SHARE = 6, 0.6
"""First letters, and share of the longer word, that two words must have in common to be forms of one word."""


class OppositePair(NamedTuple):
    """Two words that exclude each other, one from each clause."""

    one: str
    other: str
    kind: Opposition


class WordDifference(NamedTuple):
    """How the words of two clauses differ."""

    shared: frozenset[str]
    """Stems of the words that both have."""
    rest: tuple[Word, ...]
    """Words that only the first has."""
    other_rest: tuple[Word, ...]
    """Words that only the second has."""
    opposites: tuple[OppositePair, ...]
    opposite_stems: frozenset[str]
    form_stems: frozenset[str]
    """Stems of words that are forms of one word, like a verb and the noun made from it."""
    blocked: bool
    """True if they speak of different cases or subjects, so that they cannot clash."""


def compare_words(one: Clause, other: Clause) -> WordDifference | None:
    """Return how two clauses differ, or None if they are about different things.

    >>> from howsure.text.contradictions.parser import parse_statement
    >>> (one,), (other,) = parse_statement("The cache is enabled."), parse_statement("The cache is disabled on Linux.")
    >>> difference = compare_words(one, other)
    >>> difference.opposites, [word.text for word in difference.other_rest]
    ((OppositePair(one='enabled', other='disabled', kind='opposite'),), ['linux'])
    """
    if not share_enough_words(one.words.keys(), other.words.keys()):
        return None
    shared = frozenset(one.words.keys() & other.words.keys())
    rest, others = _words_missing_in(other, one), _words_missing_in(one, other)
    if min(len(rest), len(others)) > _MAX_DIFFERENT_WORDS:
        return None
    rest, others = _without_full_names(rest, others, shared, one), _without_full_names(others, rest, shared, other)
    opposites, opposite_stems, form_stems = _match_words(rest, others)
    opposites += _opposite_links(one, other, shared)
    if opposite_stems or form_stems:
        rest, others = _without_carriers(rest), _without_carriers(others)
    other_subject = bool(opposite_stems & one.subject and opposite_stems & other.subject)
    blocked = _other_cases(one, other) or (not (one.there or other.there) and other_subject)
    return WordDifference(
        shared,
        tuple(rest),
        tuple(others),
        tuple(dict.fromkeys(opposites)),
        frozenset(opposite_stems),
        frozenset(form_stems),
        blocked=blocked,
    )


def _words_missing_in(other: Clause, one: Clause) -> list[Word]:
    """Return the words of `one` that `other` does not have; a clause about everybody has every subject."""
    rest = [word for stem, word in one.words.items() if stem not in other.words]
    return [word for word in rest if not word.subject] if other.anybody else rest


def _other_cases(one: Clause, other: Clause) -> bool:
    """Return True if one holds where the other does not: "if" and "unless", or a negated condition."""
    if ("not" in one.words) != ("not" in other.words):
        return True
    return any({mine, theirs} == _IF_UNLESS for mine in one.links for theirs in other.links)


def _without_full_names(rest: list[Word], others: list[Word], shared: frozenset[str], clause: Clause) -> list[Word]:
    """Leave out the rest of a name shared in part ("Ada Vance", "Vance") if the other names nobody else."""
    names = [word for word in rest if _is_subject_name(word)]
    if not names or any(_is_subject_name(word) for word in others):
        return rest
    if not any(_is_subject_name(clause.words[stem]) for stem in shared):
        return rest
    return [word for word in rest if word not in names]


def _is_subject_name(word: Word) -> bool:
    return word.name and word.subject and not word.link and "#" not in word.stem


def _without_carriers(rest: list[Word]) -> list[Word]:
    """Leave out verbs that only carry an adjective, as in "is stored unencrypted"."""
    return [word for word in rest if word.stem not in _CARRIERS or word.subject or word.link]


def _match_words(rest: list[Word], others: list[Word]) -> tuple[list[OppositePair], set[str], set[str]]:
    """Remove opposites and forms of one word from both lists; return the opposites, their stems and those of forms."""
    opposites: list[OppositePair] = []
    opposite_stems: set[str] = set()
    form_stems: set[str] = set()
    for word in list(rest):
        for match in others:
            opposition = "" if word.name or match.name else find_opposition(word, match)
            if opposition or _are_forms_of_one_word(word, match):
                if opposition:
                    opposites.append(OppositePair(word.text, match.text, opposition))
                    opposite_stems |= {word.stem, match.stem}
                else:
                    form_stems |= {word.stem, match.stem}
                rest.remove(word)
                others.remove(match)
                break
    return opposites, opposite_stems, form_stems


def _opposite_links(one: Clause, other: Clause, shared: frozenset[str]) -> list[OppositePair]:
    """Return the prepositions before shared words that exclude each other."""
    if not (one.links & _LINKS_WITH_OPPOSITE and other.links & _LINKS_WITH_OPPOSITE):
        return []
    links = {(one.words[stem].link, other.words[stem].link) for stem in shared}
    links |= {
        (mine, theirs) for mine in one.links & _BEFORE_AFTER for theirs in other.links & _BEFORE_AFTER if mine != theirs
    }
    pairs = [(mine, theirs, _OPPOSITE_LINKS.get(frozenset((mine, theirs)), "")) for mine, theirs in sorted(links)]
    return [OppositePair(mine, theirs, kind) for mine, theirs, kind in pairs if kind]


def _are_forms_of_one_word(one: Word, other: Word) -> bool:
    """Return True for forms of one word, like "compressed" and "compression"."""
    if one.text[:_ROOT_LETTERS] != other.text[:_ROOT_LETTERS]:
        return says_can_be(one.text, other.text) or says_can_be(other.text, one.text)
    if root_of(one.text) == root_of(other.text):
        return True
    size = max(len(one.text), len(other.text))
    if one.text[:_FORM_LETTERS] != other.text[:_FORM_LETTERS] or not (one.text.isalpha() and other.text.isalpha()):
        return False
    is_long = min(len(one.stem), len(other.stem)) >= _FORM_LETTERS
    return is_long and _common_letters(one.text, other.text) >= _FORM_SHARE * size


def _common_letters(one: str, other: str) -> int:
    """Return how many first letters two words have in common."""
    return next((n for n, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))


def subjects_exchanged(one: Clause, other: Clause) -> bool:
    """Return True if both clauses name the same things, but each has another one as its subject.

    >>> from howsure.text.contradictions.parser import parse_statement
    >>> subjects_exchanged(*parse_statement("Ann is taller than Bob. Bob is taller than Ann."))
    True
    """
    left, right = one.subject - other.subject, other.subject - one.subject
    if other.verb in left or one.verb in right:
        return False
    return bool(left and right) and left <= other.words.keys() and right <= one.words.keys()


def order_reversed(one: Clause, other: Clause) -> bool:
    """Return True if both clauses put the same two things in an order, and the orders are opposite."""
    if not subjects_exchanged(one, other) or one.passive != other.passive:
        return False
    if any(clause.figures and not clause.links & _ORDER_LINKS for clause in (one, other)):
        return False  # "the ratio is below the limit of 3" and "the limit of the ratio is 3"
    return bool((one.links | other.links) & _ORDER_LINKS) or bool(ORDERING_VERBS & one.words.keys())
