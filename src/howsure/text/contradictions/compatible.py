"""Notice clauses that look opposite but can both hold: exceptions, other times, and two reversals that cancel out."""

import re
from collections.abc import Set as AbstractSet

from howsure.text.contradictions.antonyms import negated_stems
from howsure.text.contradictions.clause import Clause
from howsure.text.contradictions.parser import parse_statement
from howsure.text.stems import meaning_of, stem

# What is left out of a statement, up to the verb or the end of the clause.
_EXCEPTION = re.compile(
    r"\b(?:except(?:ing)?(?: for)?|excluding|with the exception of"
    r"|(?<=all )but|(?:(?:all|every|any|no|none|nothing)\b.{0,60})(?:apart from|aside from|other than)) "
    r"(?:(?:the|its|their|our|your|a|an|those|for) )*((?:(?!(?:is|are|was|were|be|can|could|must|may|might|will|would|"
    r"should|has|have|had|do|does|did|in|on|at|for|to|when|if|that|which|who)\b)[\w'\-/.]+,? ?){1,5})"
)
_ITEM_ENDS = re.compile(r",|\b(?:and|or)\b")
_WORD = re.compile(r"[^\W_][\w'\-/]*")
_ARTICLES = frozenset({"the", "its", "their", "our", "your", "a", "an"})
# "Originally" and "formerly" may belong to another word: "it is formerly known as".
_PAST_TIME = re.compile(
    r"\b(?:yesterday|last (?:night|week|month|quarter|year|spring|summer|autumn|fall|winter|\w+day)|previously|ago"
    r"|in the past|back then)\b"
)
_FUTURE = re.compile(r"\bwill\b|\b(?:is|are) going to\b")
_FUTURE_TIME = re.compile(
    r"\b(?:tomorrow|soon|eventually|later|in (?:the )?future|next (?:week|month|quarter|year|release|version|\w+day)"
    r"|(?:from|starting|as of|in|on|after|since|by) (?:the |early |late |mid |\d{1,2} )?(?:(?:version|release) [\d.]+"
    r"|v\d[\d.]*|20\d\d|january|february|march|april|may|june|july|august|september|october|november|december"
    r"|\w+day)\b)"
)


def may_both_hold(one: Clause, other: Clause) -> bool:
    """Return True if two clauses are about an exception, other times, or the same said by two reversals.

    >>> from howsure.text.contradictions.parser import parse_statement
    >>> def both(*texts: str) -> bool:
    ...     return may_both_hold(*(parse_statement(text)[0] for text in texts))
    >>> both("Nothing is logged except errors.", "Errors are logged."), both("Nothing is logged.", "Errors are logged.")
    (True, False)
    >>> both("The lead was A yesterday.", "The lead is B."), both("The limit is unlimited.", "There is no limit.")
    (True, True)
    """
    return any(
        excepts(mine.text, theirs.words.keys()) != excepts(theirs.text, mine.words.keys())
        or is_of_another_time(mine, theirs)
        or _cancels_out(mine, theirs)
        for mine, theirs in ((one, other), (other, one))
    )


def excepts(text: str, stems: AbstractSet[str]) -> bool:
    """Return True if a text in lower case leaves out something of which all words are among some stems.

    >>> excepts("all tables except users are public", {"user", "tabl"}), excepts("someone other than users", {"user"})
    (True, False)
    """
    for match in _EXCEPTION.finditer(text):
        for item in _ITEM_ENDS.split(match[1]):
            words = [word for word in _WORD.findall(item) if word not in _ARTICLES]
            if words and all(stem(word) in stems or meaning_of(word) in stems for word in words):
                return True
    return False


def is_of_another_time(one: Clause, other: Clause) -> bool:
    """Return True if the first says something of a past or future time that it names, and the second of the present."""
    if one.verb != other.verb or not one.subject or one.subject != other.subject:
        return False
    if other.past or _FUTURE.search(other.text):
        return False
    if one.past:
        return _PAST_TIME.search(one.text) is not None
    return _FUTURE.search(one.text) is not None and _FUTURE_TIME.search(one.text) is not None


def speaks_of_another_time(text: str, other: str) -> bool:
    """Return True if one of two sentences speaks of a past or future time that it names, and the other of the present.

    >>> speaks_of_another_time("The lead was A yesterday.", "The lead is B.")
    True
    >>> speaks_of_another_time("The lead was A.", "The lead is B.")
    False
    """
    if not any(pattern.search(one.lower()) for one in (text, other) for pattern in (_PAST_TIME, _FUTURE)):
        return False
    ones, others = parse_statement(text), parse_statement(other)
    if len(ones) != 1 or len(others) != 1:
        return False
    return is_of_another_time(ones[0], others[0]) or is_of_another_time(others[0], ones[0])


def _cancels_out(one: Clause, other: Clause) -> bool:
    """Return True if the first reverses by a prefix or ending what the second denies: "unlimited" and "no limit"."""
    if one.negations or len(other.negations) != 1:
        return False
    own = (word.text for key, word in one.words.items() if key not in other.words)
    return any(reverses(word, other.negations[0].target) for word in own)


def reverses(word: str, target: str) -> bool:
    """Return True if a word reverses a stem by its prefix or ending.

    >>> reverses("unlimited", "limit"), reverses("limited", "limit")
    (True, False)
    """
    return target in negated_stems(word)
