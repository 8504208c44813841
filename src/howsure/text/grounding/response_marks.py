"""Parts of a response that say nothing about its subject: citations, labels, lead-ins, signs, admitted gaps."""

import re
from typing import Final

_SOURCE: Final = (
    r"(?:(?:provided|given|retrieved) )?"
    r"(?:context|documentation|docs?|documents?|sources?|texts?|passages?|manual|information|material)"
    r"(?: (?:provided|given|retrieved|above))?"
)
_MARKS = re.compile(
    # A word that announces the answer, and where it is from, at the start.
    r"\A[*_ ]*(?:short answer|answer|summary|result|conclusion|tl;dr)[*_]*:[*_]*(?= )"
    rf"|\A[ \t]*(?:according to|based on|as (?:stated|described|mentioned) in|per) (?:the|your|this|these) {_SOURCE},"
    # Pictures: ticks, crosses, arrows and other symbols, with their variation selectors.
    r"|[\u2190-\u21ff\u2600-\u27bf\u2b00-\u2bff\ufe0e\ufe0f\U0001f000-\U0001faff]+",
    re.IGNORECASE,
)
# Citations: [1], [2, 3], [doc 4], [^5], after the end of a sentence or before a mark. In "the limit is [9]", "[9] days"
# and list[1] they are values.
_CITATION = re.compile(
    r"(?<!\w)\[\^?(?:(?:doc|source|ref|note|passage|context|chunk) ?)?\d{1,3}(?:[,; -]{1,3}\d{1,3}){0,9}\]"
    r"(?=\s*(?:[.,;!?)\[]|\Z))"
    r"|(?<=[.!?])\[\^?\d{1,3}\]",
    re.IGNORECASE,
)
_BEFORE_VALUE = re.compile(
    r"(?:\b(?:is|are|was|were|be|to|of|for|than|at|by|from|in|ports?|limit|range|values?|equals|between|and|or)|[=:<>])"
    r"\s*\Z",
    re.IGNORECASE,
)
_GAP = re.compile(
    r"\A\W*(?:(?:unfortunately|however|also|sorry),? )?"
    r"(?:I (?:do not|don['\u2019]t|cannot|can['\u2019]t) (?:know|say|tell|find|see)"
    r"|I(?:['\u2019]m| am) not (?:sure|certain)(?: about)?"
    rf"|(?:the |your |these |this )?{_SOURCE} (?:do not|does not|don['\u2019]t|doesn['\u2019]t)"
    r" (?:mention|say|state|specify|tell|include|contain|provide|cover|describe|give))\b"
    r"(?P<unknown>(?: (?:which|what|where|when|whether|how|if|who))?"
    r"(?![^\n]*(?:[,;:]|\b(?:and|but|yet|however|though|although|so|because|since|while|which|that|why|as|otherwise"
    r"|unless)\b))"
    r".*)",
    re.IGNORECASE | re.DOTALL,
)


def blank_marks(sentence: str) -> str:
    """Return a sentence with blanks in place of citations, labels, lead-ins and pictures, so that offsets stay.

    >>> " ".join(blank_marks("**Answer:** According to us, the port is 8443 [1], see list[2] \u2705.").split())
    'According to us, the port is 8443 , see list[2] .'
    >>> blank_marks("Based on the context provided, it is 8443.").strip()
    'it is 8443.'
    """
    plain = _MARKS.sub(_blank, sentence)
    return _CITATION.sub(
        lambda match: match[0] if _BEFORE_VALUE.search(plain, 0, match.start()) else _blank(match), plain
    )


def _blank(match: re.Match[str]) -> str:
    return " " * len(match[0])


def find_gap(sentence: str) -> str | None:
    """Return what a sentence says is not known, or not in its sources, if it says nothing else; otherwise None.

    >>> find_gap("The documentation does not mention an admin port.")
    'an admin port.'
    >>> find_gap("I don't know, but it is open.") is None
    True
    """
    found = _GAP.match(sentence)
    return found["unknown"].strip() if found else None
