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
    # Citations: [1], [2, 3], [doc 4], [^5]; not an index, as in list[1].
    r"|(?<!\w)\[\^?(?:(?:doc|source|ref|note|passage|context|chunk) ?)?\d{1,3}(?:[,; -]+\d{1,3}){0,9}\]"
    r"|\((?:sources?|ref|reference): [^()\d]{1,80}\)"
    # Pictures: ticks, crosses, arrows and other symbols, with their variation selectors.
    r"|[\u2190-\u21ff\u2600-\u27bf\u2b00-\u2bff\ufe0e\ufe0f\U0001f000-\U0001faff]+",
    re.IGNORECASE,
)
_GAP = re.compile(
    r"(?:\bI (?:do not|don['\u2019]t|cannot|can['\u2019]t) (?:know|say|tell|find|see)"
    r"|\bI(?:['\u2019]m| am) not (?:sure|certain)"
    rf"|\b{_SOURCE} (?:do not|does not|don['\u2019]t|doesn['\u2019]t)"
    r" (?:mention|say|state|specify|tell|include|contain|provide|cover|describe|give))\b"
    r"(?!.*(?:[;:]|\b(?:but|yet|however|though|so)\b))",
    re.IGNORECASE,
)


def blank_marks(sentence: str) -> str:
    """Return a sentence with blanks in place of citations, labels, lead-ins and pictures, so that offsets stay.

    >>> " ".join(blank_marks("**Answer:** According to us, the port is 8443 [1], see list[2] \u2705.").split())
    'According to us, the port is 8443 , see list[2] .'
    >>> blank_marks("Based on the context provided, it is 8443.").strip()
    'it is 8443.'
    """
    return _MARKS.sub(lambda match: " " * len(match[0]), sentence)


def admits_gap(sentence: str) -> bool:
    """Return True if a sentence says that it, or its sources, do not know something, and says nothing else.

    >>> admits_gap("The documentation does not mention it."), admits_gap("I don't know, but it is open.")
    (True, False)
    """
    return bool(_GAP.search(sentence))
