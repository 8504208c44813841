"""Openers: phrases before a statement that hedge it, deny it or add nothing."""

import re
from typing import NamedTuple

from howsure.text.phrases import fold_case
from howsure.text.words import grammar

_LONGEST = 64
"""Characters at the beginning in which an opener is looked for."""
_SOURCE = 80
"""Characters within which the name of a source has to end, after "according to"."""
_SAYS = grammar.SAYING.replace(" ", "|")
_SAID_BY = re.compile(rf", (?:as [^,;]{{1,60}}? (?:{_SAYS})|according to [^,;]{{1,60}})[.!]?\s*\Z", re.IGNORECASE)
_MOST = 4
"""Openers that are taken off one statement."""


class Opened(NamedTuple):
    """A statement without what came before it."""

    text: str
    hedges: tuple[str, ...]
    denied: bool
    """Whether it was denied as a whole."""


def without_openers(text: str) -> Opened:
    """Take off what comes before the statement itself, and say whether that hedges or denies.

    >>> without_openers("I think it is not true that cats bark.")
    Opened(text='cats bark.', hedges=('i think',), denied=True)
    """
    hedges: list[str] = []
    denied = False
    for _ in range(_MOST):
        text = text.lstrip()
        small = fold_case(text[:_LONGEST]).replace("\u2019", "'")
        if not small.startswith(_ANY):
            break
        phrase = next(one for one in _PHRASES if small.startswith((f"{one} ", f"{one},")))
        text = text[len(phrase) :].lstrip(" ,")
        hedges += [phrase] if phrase in _HEDGED else []
        denied ^= phrase in _DENYING
    if fold_case(text[:13]) == "according to " and ", " in text[:_SOURCE]:
        text = text.partition(", ")[2]
    return Opened(_without_source(text), tuple(hedges), denied)


def _without_source(text: str) -> str:
    """Take off who says so, where that stands behind the statement."""
    found = _SAID_BY.search(text, max(0, len(text) - _SOURCE)) if ", " in text[-_SOURCE:] else None
    return text[: found.start()] + "." if found else text


_HEDGED = frozenset(grammar.HEDGED_OPENERS)
_DENYING = frozenset(grammar.DENYING_OPENERS)
_ANY = tuple(f"{phrase}{sign}" for phrase in [*grammar.OPENERS, *_HEDGED, *_DENYING] for sign in " ,")
_PHRASES = sorted([*grammar.OPENERS, *_HEDGED, *_DENYING], key=lambda phrase: (-len(phrase), phrase))
