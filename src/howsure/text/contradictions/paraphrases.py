"""Readings: what is needed, what is allowed and how long things last, which people say in very different words."""

import math
from collections.abc import Iterator

from howsure.text.contradictions.clause import Clause, Figure, Reading
from howsure.text.contradictions.tokens import meanings
from howsure.text.words import values

_NEEDING = meanings(values.NEEDING)
_BREAKING = meanings(values.BREAKING)
_LASTING = meanings(values.LASTING)
_ENDING = meanings(values.ENDING)
_LIMITS = meanings(values.LIMITS)
_LEAST = meanings(values.LEAST)
_SIZES = meanings(values.SIZES)
_ABOUT_LIMITS, _ABOUT_LIVES = _LIMITS | _LEAST | _SIZES, _LASTING | _ENDING
_LASTS, _ENDS = frozenset({"lasting"}), frozenset({"ending"})
_OBJECT = frozenset({"", "on", "to"})
_TIMES = frozenset({"date", "weekday", "month", "clock", "recurrence"})


def readings(clause: Clause) -> tuple[Reading, ...]:
    """Return what a clause says is needed, allowed, or the time that something lasts.

    >>> from howsure.text.contradictions.parser import statement
    >>> [(found.kind, sorted(found.things), found.holds) for found in statement("It runs without a token.")[0].readings]
    [('need', ['token'], False)]
    """
    found = [*_needs(clause), *_limits(clause), *_lives(clause)]
    return tuple(reading for reading in found if reading.about)


def _needs(clause: Clause) -> Iterator[Reading]:
    """Give what is needed, or can be done without."""
    without = [negation.target for negation in clause.negations if negation.word == "without"]
    denied = (len(clause.negations) - len(without)) % 2 == 1
    if without:
        things = {*without, *(stem for stem, word in clause.words.items() if word.link == "with")}
        if not clause.past and not clause.there:
            yield _need(clause, things, holds=(clause.verb in _BREAKING) != denied)
    elif clause.verb in _NEEDING and clause.passive:
        yield _need(clause, clause.subject, holds=not denied)
    elif clause.verb in _NEEDING:
        objects = (word for word in clause.words.values() if word.head in {clause.verb, "be"} and not word.subject)
        yield _need(clause, {word.stem for word in objects if word.link in _OBJECT}, holds=not denied)
    elif clause.modal == "must" and not denied:
        tools = {stem for stem, word in clause.words.items() if word.link in {"as", "with"} and not word.subject}
        yield _need(clause, tools or {clause.verb}, holds=True)


def _need(clause: Clause, things: frozenset[str] | set[str], *, holds: bool) -> Reading:
    taken = things | (_NEEDING if clause.verb in _NEEDING else frozenset()) | {"not"}
    purpose = {stem for stem, word in clause.words.items() if word.link == "to" and stem not in taken}
    about = {stem: word for stem, word in clause.words.items() if stem not in taken}
    if purpose and (clause.passive or clause.modal == "must"):
        about = {stem: word for stem, word in about.items() if stem in purpose or word.head in purpose}
    return Reading("need", about if things - {""} else {}, clause.verb, frozenset(things), holds)


def _limits(clause: Clause) -> Iterator[Reading]:
    """Give how much there may be at most, or must be at least."""
    figure = _only_figure(clause)
    if figure is None or clause.negations:
        return
    words = clause.words.keys()
    low, high = figure.measure[:2]
    about = {stem: word for stem, word in clause.words.items() if stem not in _ABOUT_LIMITS}
    exact = math.isfinite(low) and math.isfinite(high)
    if (exact and words & _SIZES & _LIMITS) or (low == -math.inf and (clause.modal == "can" or words & _LIMITS)):
        yield Reading("most", about, clause.verb, figure=figure)
    elif high == math.inf and (clause.modal == "must" or words & _LEAST):
        yield Reading("least", about, clause.verb, figure=figure)


def _lives(clause: Clause) -> Iterator[Reading]:
    """Give how long something lasts: "valid for an hour" is "expires after an hour"."""
    figure = _only_figure(clause)
    if figure is None or clause.negations or figure.measure.dimension != "time":
        return
    about = {stem: word for stem, word in clause.words.items() if stem not in _ABOUT_LIVES}
    if figure.link == "for" and clause.words.keys() & _LASTING:
        yield Reading("life", about, clause.verb, _LASTS, figure=figure)
    elif figure.link in {"after", "in"} and clause.words.keys() & _ENDING:
        yield Reading("life", about, clause.verb, _ENDS, figure=figure)


def _only_figure(clause: Clause) -> Figure | None:
    found = [figure for figure in clause.figures if figure.measure.dimension not in _TIMES]
    return found[0] if len(found) == 1 and not clause.either else None
