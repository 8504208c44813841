"""Notice that a sentence denies what some passages affirm, or the other way round."""

import re
from collections.abc import Iterator, Sequence

from howsure.text.passages import Passage, Word, is_denying, read_passage, words_of

_DISTANCE = 4
"""How many words after another one a negation may come and still deny it."""
_SHARE = 0.5
"""Share of the words of a main clause that another one must have to be about the same."""
# What follows is affirmed, other than what was negated before.
_CONTRAST = re.compile(r"\bbut\b")
_CLAUSE = re.compile(r"[,;:()]|\b(?:and|but|because|since|which|while|although|though|where|when|if|until|unless)\b")
_OPENING_CASE = re.compile(r"(?:unless|if|when|where) ([^,]+),", re.IGNORECASE)
_INNER_CASE = re.compile(r",? \b(?:unless|(?:only|even) (?:if|when)|if|when|where|(?<!except )with)\b")


def is_denied(ones: Sequence[Passage], others: Sequence[Passage]) -> bool:
    """Return True if a word is denied on one side, and on the other it occurs and is never negated."""
    polarity: dict[str, bool] = {}
    for word in words_of(others):
        polarity[word.root] = polarity.get(word.root, False) or word.negated
    denials = _denials(others)
    denied = {
        group[0].root
        for one in ones
        for group in _denied_groups(one)
        if polarity.get(group[0].root) is False and not _agree(group, denials)
    }
    return bool(denied) and not denied <= frozenset().union(*map(_affirmed, ones))


def is_only_side_negated(sentence: Passage, passages: Sequence[Passage]) -> bool:
    """Return True if only one side has a negation; one of the passages counts if it is about a word of the sentence."""
    roots = {word.root for word in sentence.words}
    is_about_it = any(_is_negated(roots - sentence.denials, passage) for passage in passages)
    if sentence.negations:
        # A negation of something else does not make the window deny what the sentence denies.
        denied = {word.root for word in sentence.words if word.denied}
        is_known = is_about_it or _is_denied_later(denied, words_of(passages))
        if not is_known and is_denied([sentence], passages):
            return True
        denials = _denials(passages)
        is_known = any(_agree(group, denials) for group in _denied_groups(sentence))
        return not is_known and not any(passage.negations for passage in passages)
    return is_about_it or any(_is_exception_kept(sentence.text, passage.text) for passage in passages)


def _is_exception_kept(one: str, other: str) -> bool:
    """Return True if one sentence says something of the very case that the other excepts with "unless".

    >>> excepted = "Files are deleted unless they are marked."
    >>> [_is_exception_kept(text, excepted) for text in ("Files are deleted if marked.", "Marked files are deleted.")]
    [True, True]
    """
    if ("unless" in one.lower()) == ("unless" in other.lower()):
        return False
    if "unless" in one.lower():
        one, other = other, one
    main, case = _split_case(other)
    if not main or not case:
        return False
    own, own_case = _split_case(one)
    if not own_case:
        whole = read_passage(one, 0, len(one))
        roots = set() if whole.negations or whole.denials else {word.root for word in whole.words}
        own, own_case = (roots - case, case) if case <= roots else (set(), set())
    extra = own - main
    is_same = len(own & main) >= _SHARE * len(main) and len(extra) <= 1 and extra.isdisjoint(case)
    return is_same and bool(own_case) and own_case <= case


def _split_case(text: str) -> tuple[set[str], set[str]]:
    """Return the roots of the main clause and of the case for which it holds; none for a case that is negated."""
    if opening := _OPENING_CASE.match(text):
        case, main = opening[1], text[opening.end() :]
    elif inner := _INNER_CASE.search(text):
        case, main = text[inner.end() :], text[: inner.start()]
    else:
        return set(), set()
    parts = read_passage(main, 0, len(main)), read_passage(case, 0, len(case))
    if parts[0].negations or parts[1].negations:
        return set(), set()
    return {word.root for word in parts[0].words}, {word.root for word in parts[1].words}


def _affirmed(passage: Passage) -> frozenset[str]:
    """Return the roots of the clauses without a negation: "a fee of 5 euros and no entry fee" has a fee."""
    if not passage.negations:
        return frozenset([word.root for word in passage.words])
    clauses = [read_passage(text, 0, len(text)) for text in _CLAUSE.split(passage.text)]
    return frozenset([word.root for clause in clauses if not clause.negations for word in clause.words])


def _denials(passages: Sequence[Passage]) -> frozenset[str]:
    return frozenset().union(*(passage.denials for passage in passages))


def _denied_groups(passage: Passage) -> Iterator[list[Word]]:
    """Yield the words that each negation reaches, the one that it denies first."""
    group: list[Word] = []
    for word in passage.words:
        if group and (word.denied or not word.negated):
            yield group
            group = []
        if word.negated:
            group.append(word)
    if group:
        yield group


def _agree(group: Sequence[Word], denials: frozenset[str]) -> bool:
    """Return True if one of some negated words is denied by another word elsewhere: "not included" and "excluded"."""
    return not is_denying(group[0]) and any(word.root in denials for word in group)


def _is_negated(roots: set[str], passage: Passage) -> bool:
    """Return True if a passage negates one of some words, unless it denies a part of it and affirms the rest after it.

    "There is no overall charge, but a positive charge on each atom" does not negate a positive charge.
    """
    if not any(word.negated and word.root in roots for word in passage.words):
        return False
    if not _CONTRAST.search(passage.text):
        roots = roots - _affirmed(passage)
        return any(word.negated and word.root in roots for word in passage.words)
    shared: set[str] = set()  # those that the last negation reaches, if it does not begin with one
    for word in passage.words:
        if word.denied and (shared or word.root in roots):
            return True
        if word.negated and word.root in roots:
            shared.add(word.root)
        elif word.root in shared:
            shared = set()
    return bool(shared)


def _is_denied_later(roots: set[str], words: Sequence[Word]) -> bool:
    """Return True if a negation comes shortly after one of some words: "fractions of seconds are never included"."""
    return any(
        word.root in roots and any(later.denied for later in words[place + 1 : place + _DISTANCE])
        for place, word in enumerate(words)
    )
