"""Notice that a sentence says of all what the context says with a limit: "all customers" for "almost all customers"."""

import re
from collections.abc import Sequence

from howsure.text.passages import Passage, read_passage
from howsure.text.stems import root_of

_UNIVERSAL = re.compile(
    r"\b(?:(?<!at )(?<!after )(?:all|every|any)(?: of)?)\b(?! (?:of )?(?:this|that|these|those|time|else)\b)"
)
_EVERYBODY = re.compile(r"\b(?:everyone|everybody|anyone|anybody|in (?:every|any|all) cases?|no matter|always)\b")
_SHARES = (
    r"almost|nearly|virtually|(?<!at )most|some|many|few|(?:\d+(?:\.\d+)? ?(?:%|percent)|half|a third|a quarter|one) of"
)
_CASES = r"only|except|excluding|other than|apart from|(?:only )?(?:if|unless|provided)"
_LIMIT = re.compile(rf"\b(?:(?P<share>{_SHARES})|(?P<case>{_CASES}))\b(?P<rest>[^,;:.()]*)")
# In a sentence, a negation limits it too.
_OWN_LIMIT = re.compile(
    rf"\b(?:{_SHARES}|{_CASES}|not|no(?! matter)|never|cannot|with|without|when|where|who|that|which)\b|n't\b"
)
_EXCLUSION = re.compile(r"\b(?:excluded|exempt|except)\b")
_TOKEN = re.compile(r"[a-z][a-z-]+|[,;:.()]")
_NOUN = 3
"""Words after "all" among which its noun is."""
_ABOUT = 0.6
"""Share of a sentence's words that a passage must have to limit it."""


def find_unlimited(sentence: Passage, passages: Sequence[Passage]) -> str:
    """Return the word by which a sentence speaks of all, if the passages about the same set a limit, or "".

    >>> context = "Almost all customers in Europe renewed their contracts."
    >>> passages = [read_passage(context, 0, len(context))]
    >>> for text in "All customers in Europe renewed.", "Nearly all customers renewed.", "All contracts were read.":
    ...     print(repr(find_unlimited(read_passage(text, 0, len(text)), passages)))
    'all'
    ''
    ''
    """
    lower = sentence.text.lower()
    universal = _UNIVERSAL.search(lower)
    match = universal or _EVERYBODY.search(lower)
    if (
        match is None
        or _OWN_LIMIT.search(lower)
        or any(one.start <= match.start() < one.end for one in sentence.measures)
    ):
        return ""
    nouns = _nouns(lower, match.end()) if universal else frozenset[str]()
    roots = {word.root for word in sentence.words}
    shared = [roots.intersection(word.root for word in passage.words) for passage in passages]
    least = max(2, _ABOUT * len(roots), *map(len, shared)) if shared else 0
    is_limited = False
    for passage, same in zip(passages, shared, strict=True):
        text = passage.text.lower()
        if nouns and nouns.isdisjoint(same):
            continue
        if _says_all(text, nouns) or (not universal and _EVERYBODY.search(text)):
            return ""
        is_limited |= len(same) >= least and _is_limited(text, nouns, roots)
        is_limited |= bool(nouns and _EXCLUSION.search(text))
    return match[0] if is_limited else ""


def _is_limited(text: str, nouns: frozenset[str], roots: set[str]) -> bool:
    """Return True if a text sets a limit that is not the noun itself: "only editors", "if it is an editor"."""
    for limit in _LIMIT.finditer(text):
        rest = frozenset(word.root for word in read_passage(limit["rest"], 0, len(limit["rest"])).words)
        if limit["share"] or nouns.isdisjoint(rest):
            return True
        if limit["case"] == "only" and rest - nouns and roots.isdisjoint(rest - nouns):
            return True  # "it applies only to returns above the benchmark"
    return False


def _nouns(lower: str, place: int) -> frozenset[str]:
    """Return the roots of the words after "all" up to the end of the clause, among which its noun is."""
    words: list[str] = []
    for match in _TOKEN.finditer(lower, place):
        if not match[0][0].isalpha() or len(words) == _NOUN:
            break
        words.append(match[0])
    part = " ".join(words)
    return frozenset(word.root for word in read_passage(part, 0, len(part)).words) - {root_of("all")}


def _says_all(text: str, nouns: frozenset[str]) -> bool:
    """Return True if a text says of the same noun that it holds for all, without an exception."""
    for match in _UNIVERSAL.finditer(text):
        is_whole = not re.search(r"\b(?:almost|nearly|virtually|not|about) $", text[: match.start()])
        if is_whole and not _EXCLUSION.search(text) and not nouns.isdisjoint(_nouns(text, match.end())):
            return True
    return False
