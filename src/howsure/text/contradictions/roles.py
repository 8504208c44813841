"""Notice that a text gives the things of another one each other's role: who calls whom, what comes before what.

Both may be true, so this is no contradiction. But neither supports the other, though they have the same words.
"""

import re
from collections.abc import Iterator, Sequence

from howsure.text.contradictions.clause import Clause, Word
from howsure.text.contradictions.compare_words import subjects_exchanged
from howsure.text.contradictions.pair_features import read_clauses
from howsure.text.stems import meanings_of
from howsure.text.words import roles

_MUTUAL = meanings_of(roles.MUTUAL)
_MUTUAL_LINKS = frozenset(roles.MUTUAL_LINKS.split())
_OPPOSITE_LINKS = {frozenset(pair.split()) for pair in roles.OPPOSITE_LINKS.replace("\n", " ").split(",")}
_TARGETS = frozenset({"to", "into"})
_BOTH_WAYS = [phrase.strip() for phrase in roles.BOTH_WAYS.split(",")]
# "The review comes before the release, the retrospective after."
_BARE_LINK = re.compile(r"\b(?:before|after)(?:wards?)?(?: ?[.;,]|$)")


def find_exchanged_roles(texts: Sequence[str], sentence: str) -> str:
    """Return how the roles in a sentence differ from those in texts that have all its words, or "".

    >>> context = ["Service A calls service B before the login."]
    >>> for text in "Service B is called by A.", "Service B calls service A.", "Service A calls B after the login.":
    ...     print(repr(find_exchanged_roles(context, text)))
    ''
    'the same words the other way round'
    '"after login" against "before login"'
    """
    contexts = [clause for text in texts for clause in read_clauses(" ".join(text.split()))]
    for clause in read_clauses(" ".join(sentence.split())):
        alike = [context for context in contexts if clause.words.keys() <= context.words.keys()]
        differences = [_find_difference(context, clause) for context in alike]
        if differences and all(differences):
            return differences[0]
    return ""


def _find_difference(context: Clause, clause: Clause) -> str:
    """Return how the roles in a clause differ from those in a clause that has all its words, or ""."""
    if len(context.negations) % 2 != len(clause.negations) % 2:
        return ""  # what is denied is compared elsewhere
    if _is_turned_around(context, clause):
        return "the same words the other way round"
    return next(_other_links(context, clause), "")


def _is_turned_around(context: Clause, clause: Clause) -> bool:
    """Return True if the one who acts in a clause is the one to whom it is done in the other."""
    if not clause.verb or clause.verb != context.verb or clause.verb in _MUTUAL:
        return False
    if not _MUTUAL_LINKS.isdisjoint(clause.links):
        return False
    exchanged = (context.subject ^ clause.subject) & clause.words.keys()
    if any(_is_repeated(clause.words[stem], context) for stem in exchanged):
        return False
    if context.passive == clause.passive:
        if not subjects_exchanged(context, clause):
            return False
        # "The run stops at an error" and "an error stops the run": what follows the verb must follow in the same way.
        links = {context.words[stem].link for stem in clause.subject - context.subject}
        return links == {clause.words[stem].link for stem in context.subject - clause.subject}
    if context.subject != clause.subject:
        return False
    passive, active = (clause, context) if clause.passive else (context, clause)
    agents = [stem for stem, word in passive.words.items() if word.link == "by"]
    return any(stem in active.words and not active.words[stem].link for stem in agents)


def _other_links(context: Clause, clause: Clause) -> Iterator[str]:
    """Yield words that come after what they come before in the context, or the like."""
    if any(phrase in context.text for phrase in _BOTH_WAYS) or _BARE_LINK.search(context.text):
        return
    for stem, word in clause.words.items():
        other = context.words[stem]
        is_opposite = frozenset((word.link, other.link)) in _OPPOSITE_LINKS
        if "from" in (word.link, other.link) and not ("from" in clause.links and clause.links & _TARGETS):
            continue  # "borrowed from the company" and "returned to the company" may both hold
        if is_opposite and not _is_repeated(word, context) and not _is_either(word, other, context):
            yield f'"{word.link} {word.text}" against "{other.link} {other.text}"'


def _is_repeated(word: Word, context: Clause) -> bool:
    """Return True if a word occurs twice in a clause, of which only one place is known."""
    return context.text.split().count(word.text) > 1


def _is_either(word: Word, other: Word, context: Clause) -> bool:
    """Return True for "to or from", "before and after"."""
    return any(
        f"{one} {joint} {two}" in context.text
        for one, two in ((word.link, other.link), (other.link, word.link))
        for joint in ("or", "and")
    )
