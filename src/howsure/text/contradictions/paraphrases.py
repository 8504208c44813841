"""Recognize needs, limits and lifetimes, which can be worded in many ways, and compare them."""

import math
from collections.abc import Iterator

from howsure.text.contradictions.clause import Clash, Clause, Figure, Paraphrase, Word
from howsure.text.contradictions.severity import DENIED, IN_PART, number_severity
from howsure.text.quantities.measures import measure_gap
from howsure.text.stems import meanings_of, root_of
from howsure.text.words import values

_NEEDING = meanings_of(values.NEEDING)
_BREAKING = meanings_of(values.BREAKING)
_LASTING = meanings_of(values.LASTING)
_ENDING = meanings_of(values.ENDING)
_LIMITS = meanings_of(values.LIMITS)
_LEAST = meanings_of(values.LEAST)
_SIZES = meanings_of(values.SIZES)
_POSSIBLE = meanings_of(values.POSSIBLE)
_ENOUGH = meanings_of(values.ENOUGH)
_RUNNING = meanings_of(values.RUNNING)
_LIMIT_WORDS, _LIFETIME_WORDS = _LIMITS | _LEAST | _SIZES, _LASTING | _ENDING | {"old"}
_SAME_SIZE = meanings_of("large big long high more greater")
_OPPOSED = {("most", "beyond"), ("least", "enough")}
"""Kinds that are compared with each other: a limit with what is possible, a need with what is enough."""
_LASTS, _ENDS = frozenset({"lasting"}), frozenset({"ending"})
_OBJECT_LINKS = frozenset({"", "on", "to"})
"""What may lead to the object of "need", "depend on" or "need to"."""
_TIMES = frozenset({"date", "weekday", "month", "clock", "recurrence"})


def find_paraphrases(clause: Clause) -> tuple[Paraphrase, ...]:
    """Return what a clause says about needs, limits and lifetimes.

    >>> from howsure.text.contradictions.parser import parse_statement
    >>> (paraphrase,) = parse_statement("It runs without a token.")[0].paraphrases
    >>> paraphrase.kind, sorted(paraphrase.things), paraphrase.holds
    ('need', ['token'], False)
    """
    paraphrases = [*_needs(clause), *_limits(clause), *_lifetimes(clause)]
    return tuple(paraphrase for paraphrase in paraphrases if paraphrase.about)


def compare_paraphrases(one: Clause, other: Clause) -> Clash | None:
    """Compare two clauses by their paraphrases.

    Returns None if they cannot be compared in this way, and a clash with severity 0 if they agree.
    """
    if not other.paraphrases:
        return None
    for mine in one.paraphrases:
        for theirs in other.paraphrases:
            if mine.kind == theirs.kind and (clash := _compare(mine, theirs)) is not None:
                return clash
            if (clash := _compare_opposed(mine, theirs) or _compare_opposed(theirs, mine)) is not None:
                return clash
    return None


def say_same(ones: tuple[Clause, ...], others: tuple[Clause, ...]) -> bool:
    """Return True if two clauses state the same need, limit or lifetime in other words.

    >>> from howsure.text.contradictions.parser import parse_statement
    >>> say_same(parse_statement("Logs are kept for 7 days."), parse_statement("Logs are deleted after 7 days."))
    True
    """
    clashes = (compare_paraphrases(mine, theirs) for mine in ones for theirs in others)
    return any(clash is not None and not clash.severity for clash in clashes)


def _needs(clause: Clause) -> Iterator[Paraphrase]:
    """Yield what is needed, or what can be done without."""
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
        yield _need(clause, {word.stem for word in objects if word.link in _OBJECT_LINKS}, holds=not denied)
    elif clause.modal == "must" and not denied:
        tools = {stem for stem, word in clause.words.items() if word.link in {"as", "with"} and not word.subject}
        yield _need(clause, tools or {clause.verb}, holds=True)


def _need(clause: Clause, things: frozenset[str] | set[str], *, holds: bool) -> Paraphrase:
    used = things | (_NEEDING if clause.verb in _NEEDING else frozenset()) | {"not"}
    purpose = {stem for stem, word in clause.words.items() if word.link == "to" and stem not in used}
    about = {stem: word for stem, word in clause.words.items() if stem not in used}
    # "The server must be restarted to apply the change" is about applying the change, not about the server.
    if purpose and (clause.passive or clause.modal == "must"):
        about = {stem: word for stem, word in about.items() if stem in purpose or word.head in purpose}
    return Paraphrase("need", about if things - {""} else {}, clause.verb, frozenset(things), holds)


def _limits(clause: Clause) -> Iterator[Paraphrase]:
    """Yield the upper or lower limit that a clause sets."""
    figure = _only_figure(clause)
    if figure is None or clause.negations or figure.measure.limit:
        return
    words = clause.words.keys()
    low, high = figure.measure[:2]
    about = {stem: word for stem, word in clause.words.items() if stem not in _LIMIT_WORDS}
    is_exact = math.isfinite(low) and math.isfinite(high)
    if (is_exact and words & _SIZES & _LIMITS) or (low == -math.inf and (clause.modal == "can" or words & _LIMITS)):
        yield Paraphrase("most", about, clause.verb, figure=figure)
    elif high == math.inf and (clause.modal == "must" or words & _LEAST):
        yield Paraphrase("least", about, clause.verb, figure=figure)
    elif high == math.inf and (clause.modal == "can" or words & _POSSIBLE):
        yield Paraphrase("beyond", _without(about, _POSSIBLE), clause.verb, figure=figure)
    elif is_exact and clause.verb in _NEEDING and not clause.passive and not figure.link:
        yield Paraphrase("least", _without(about, _SAME_SIZE), clause.verb, figure=figure)
    elif is_exact and (words & _ENOUGH or (clause.verb in _RUNNING and figure.link == "with")):
        yield Paraphrase("enough", _without(about, _ENOUGH | _RUNNING | _SAME_SIZE), clause.verb, figure=figure)


def _without(about: dict[str, Word], stems: frozenset[str]) -> dict[str, Word]:
    return {stem: word for stem, word in about.items() if stem not in stems}


def _lifetimes(clause: Clause) -> Iterator[Paraphrase]:
    """Yield how long something lasts: "valid for an hour" says the same as "expires after an hour"."""
    figure = _only_figure(clause)
    if figure is None or clause.negations or figure.measure.dimension != "time":
        return
    about = {stem: word for stem, word in clause.words.items() if stem not in _LIFETIME_WORDS}
    if figure.link == "for" and clause.words.keys() & _LASTING:
        yield Paraphrase("life", about, clause.verb, _LASTS, figure=figure)
    elif (figure.link in {"after", "in"} or "old" in clause.words) and clause.words.keys() & _ENDING:
        of = "" if figure.of == "old" else figure.of  # "when they are 30 days old"
        yield Paraphrase("life", about, clause.verb, _ENDS, figure=figure._replace(of=of))


def _only_figure(clause: Clause) -> Figure | None:
    """Return the only number of a clause that is not a date, or None."""
    figures = [figure for figure in clause.figures if figure.measure.dimension not in _TIMES]
    return figures[0] if len(figures) == 1 and not clause.either else None


def _compare(one: Paraphrase, other: Paraphrase) -> Clash | None:
    """Compare two paraphrases of one kind."""
    if one.kind == "need":
        return _compare_needs(one, other)
    if one.about.keys() != other.about.keys() or one.figure is None or other.figure is None:
        return None
    if one.kind == "life":
        # The same wording is compared like any other clause.
        mine, theirs, differs = one.figure, other.figure, one.things != other.things
    else:
        mine, theirs, differs = _limit_as_value(one.figure, one.kind), _limit_as_value(other.figure, one.kind), True
    if not differs or mine.of != theirs.of or mine.measure.dimension != theirs.measure.dimension:
        return None
    gap = measure_gap(mine.measure, theirs.measure)
    reason = f'"{mine.measure.text}" against "{theirs.measure.text}"'
    return Clash("contradiction", number_severity(gap) if gap else 0.0, reason)


def _compare_opposed(one: Paraphrase, other: Paraphrase) -> Clash | None:
    """Compare a limit with a size above it that is possible, or a need with a size below it that is enough."""
    if (one.kind, other.kind) not in _OPPOSED or one.figure is None or other.figure is None:
        return None
    limit, size = one.figure.measure, other.figure.measure
    same = _roots(frozenset(one.about)) == _roots(frozenset(other.about)) and one.figure.of == other.figure.of
    if not same or limit.dimension != size.dimension:
        return None
    limit = _limit_as_value(one.figure, one.kind).measure
    if not (limit.high < size.low if one.kind == "most" else size.high < limit.low):
        return None
    gap = abs(limit.high - size.low) / max(abs(limit.high), abs(size.low))
    return Clash("contradiction", number_severity(min(gap, 1.0)), f'"{limit.text}" against "{size.text}"')


def _limit_as_value(figure: Figure, kind: str) -> Figure:
    """Return a limit as the number that it names."""
    end = figure.measure.high if kind == "most" else figure.measure.low
    return figure._replace(measure=figure.measure._replace(low=end, high=end, bound=False))


def _compare_needs(one: Paraphrase, other: Paraphrase) -> Clash | None:
    """Compare what is needed with what can be done without."""
    if one.holds == other.holds:
        return None
    needed, dispensable = (one, other) if one.holds else (other, one)
    if not _roots(dispensable.things) <= _roots(needed.things):
        return None
    rest, other_rest = _extra_words(one, other), _extra_words(other, one)
    if len(rest) == len(one.about) or (rest and other_rest) or not all(word.link for word in (*rest, *other_rest)):
        return None
    thing = " ".join(sorted(dispensable.things))
    if rest or other_rest:
        cases = " ".join(word.text for word in (*rest, *other_rest))
        return Clash("inconsistency", IN_PART, f'"{thing}" is both needed and not, one only for "{cases}"')
    return Clash("contradiction", DENIED, f'"{thing}" is both needed and not')


def _roots(stems: frozenset[str]) -> set[str]:
    return {root_of(stem) for stem in stems}


def _extra_words(one: Paraphrase, other: Paraphrase) -> list[Word]:
    """Return the words that only the first is about, without its verb."""
    roots = _roots(frozenset(other.about))
    return [word for stem, word in one.about.items() if root_of(stem) not in roots and stem != one.verb]
