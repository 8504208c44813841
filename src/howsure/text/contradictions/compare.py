"""Decide whether two clauses can both hold, and if not, why."""

import re

from howsure.text.contradictions.clause import Clash, Clause, ConflictKind, Figure, Word, text_of
from howsure.text.contradictions.compare_numbers import compare_numbers, once_and_again
from howsure.text.contradictions.compare_words import (
    ORDERING_VERBS,
    WordDifference,
    compare_words,
    order_reversed,
    subjects_exchanged,
)
from howsure.text.contradictions.compatible import may_both_hold
from howsure.text.contradictions.denials import is_change, is_denial
from howsure.text.contradictions.exclusive_values import find_exclusion, find_other_agent, words_in_same_slot
from howsure.text.contradictions.paraphrases import compare_paraphrases
from howsure.text.contradictions.quantifiers import negates_something_else, one_is_negated, shares_exclude
from howsure.text.contradictions.severity import (
    COVER_GAIN,
    DATED,
    DENIED,
    HEDGED,
    IN_PART,
    IN_PART_DENIED,
    MIN_COVER,
    MIN_STRENGTH_IN_PART,
    ORDERED,
    OUT_OF_SOME,
    RESTRICTED,
    VAGUE,
    number_severity,
)
from howsure.text.stems import meanings_of
from howsure.text.words import grammar, values

_SEQUENCE_VERBS = meanings_of(values.SEQUENCE)
_VAGUE_WORDS = meanings_of(grammar.VAGUE)
_UNKNOWN = frozenset({"unclear", "uncertain", "unsure"})
_VAGUE_QUANTIFIERS = frozenset({"several", "few", "some"})
_SEVERAL = 2
_ADDING = frozenset({"too", "also", "additionally", "besides", "moreover"})
_ALL_BUT = re.compile(
    r"\b(?:(?:any|every)(?:thing|one|body)|all|nothing|none)(?: else)? (?:but|except|besides|other than)\b"
)
_CASE_LINKS = frozenset(grammar.CASES.split())


def compare_clauses(one: Clause, other: Clause) -> Clash | None:
    """Return why two clauses clash, or None if both may hold.

    >>> from howsure.text.contradictions.parser import parse_statement
    >>> (one,), (other,) = parse_statement("The cache is enabled."), parse_statement("The cache is disabled.")
    >>> compare_clauses(one, other)
    Clash(kind='contradiction', severity=0.9, reason='"enabled" against "disabled"')
    """
    if may_both_hold(one, other):
        return None
    if one.affirmation is not None and other.affirmation is not None:
        if is_denial(one.affirmation, other.affirmation):
            return _with_hedges(one, other, Clash("contradiction", DENIED, _denial_reason(one, other)))
        if is_change(one.affirmation, other.affirmation):
            return None
    clash = compare_paraphrases(one, other)
    if clash is not None:
        return _with_hedges(one, other, clash) if clash.severity else None
    difference = compare_words(one, other)
    if difference is None or difference.blocked or _cannot_clash(one, other, difference):
        return None
    clash = _Comparison(one, other, difference).find_clash()
    if clash is None:
        return None
    # Clauses that have more words in common are more likely about the same thing.
    cover = len(difference.shared | difference.opposite_stems) / max(len(one.words), len(other.words), 1)
    severity = clash.severity * (MIN_COVER + COVER_GAIN * min(cover, 1.0))
    return _with_hedges(one, other, clash._replace(severity=severity))


def _with_hedges(one: Clause, other: Clause, clash: Clash) -> Clash:
    """Return a clash as an ambiguity of lower severity if one of the clauses is uncertain."""
    kind, severity, reason = clash
    if (one.hedges or other.hedges) and kind != "ambiguity":
        hedge = (one.hedges or other.hedges)[0]
        kind, severity, reason = "ambiguity", severity * HEDGED, f'{reason}, hedged by "{hedge}"'
    return Clash(kind, round(severity, 4), reason)


def _cannot_clash(one: Clause, other: Clause, difference: WordDifference) -> bool:
    """Fast check that rules out most pairs: those about different things, and those that say the same."""
    if speaks_of_others(one.text) != speaks_of_others(other.text):
        return True
    plain = one.only == other.only and not (one.hedges or other.hedges)
    if (one.figures or other.figures) and once_and_again(one, other):
        return False
    if difference.rest and difference.other_rest:
        may_clash = _has_vague_word(difference) or _has_exclusive_values(one, other, difference)
        return bool(difference.opposites) or (plain and not may_clash)
    same = not difference.opposites and one.share == other.share and not (one.figures or other.figures)
    return same and plain and not subjects_exchanged(one, other) and one.quantifier == other.quantifier


def speaks_of_others(text: str) -> bool:
    """Return True if a text in lower case speaks of all but what it names.

    >>> speaks_of_others("anything but a string is rejected"), speaks_of_others("a string is rejected")
    (True, False)
    """
    return _ALL_BUT.search(text) is not None


def _has_vague_word(difference: WordDifference) -> bool:
    return any(word.stem in _VAGUE_WORDS for words in (difference.rest, difference.other_rest) for word in words)


def _has_exclusive_values(one: Clause, other: Clause, difference: WordDifference) -> bool:
    if find_other_agent(one, other):
        return True
    mine, theirs = words_in_same_slot(difference.rest, difference.other_rest)
    return bool(mine and theirs) and find_exclusion(one, other, mine, theirs) is not None


def _is_bare_label(clause: Clause, figure: Figure) -> bool:
    """Return True if a number names a thing in words that state nothing, as in "claim 1" but not in "port=80"."""
    return figure.label and not (clause.verb or figure.head) and "=" not in clause.text


class _Comparison:
    """Two clauses with what they have in common and in what they differ; one method per kind of clash."""

    def __init__(self, one: Clause, other: Clause, difference: WordDifference) -> None:
        self.one, self.other, self.difference = one, other, difference
        self.numbers = compare_numbers(one, other)
        self.order_reversed = order_reversed(one, other)
        self.is_order = self.order_reversed or any(pair.kind == "order" for pair in difference.opposites)
        # Two opposites cancel each other out.
        self.opposite = (len(difference.opposites) + self.order_reversed) % 2 == 1
        self.extra = difference.rest or difference.other_rest
        first_dated, second_dated = self.numbers.dated
        self.one_dated = first_dated != second_dated
        first_is_special = bool(difference.rest) or (first_dated and not difference.other_rest)
        # The special clause speaks of fewer cases than the general one.
        self.general, self.special = (other, one) if first_is_special else (one, other)
        self.in_part = bool(self.extra) or self.one_dated
        self.negated = one_is_negated(one, other)
        self.either = one.either or other.either
        self.partial = one.partial or other.partial

    def find_clash(self) -> Clash | None:
        """Return the first clash, from the most to the least specific kind."""
        one, other, difference = self.one, self.other, self.difference
        if self._exchanged_roles() or (difference.opposites and one.either and other.either):
            return None
        common = difference.shared | difference.opposite_stems | difference.form_stems
        if negates_something_else(one, other, common):
            return None
        if once_and_again(one, other) and not difference.opposites:
            return Clash("contradiction", number_severity(0.0), "once against each time")
        if self.numbers.times_differ:
            return self._date_clash()
        if self.one_dated and (one.past != other.past or self._dated_is_negated()):
            return None
        if difference.rest and difference.other_rest:
            return self._vagueness_clash() or self._value_clash()
        return (
            self._count_clash()
            or self._number_clash()
            or self._share_clash()
            or self._vagueness_clash()
            or self._only_clash()
        )

    def _exchanged_roles(self) -> bool:
        """Return True if the same words have other roles and state no order, so that the clauses may both hold."""
        if not subjects_exchanged(self.one, self.other) or self.one.passive != self.other.passive:
            return False
        return not self.order_reversed

    def _dated_is_negated(self) -> bool:
        """Return True if the clause with a date is negated: what did not happen then may have happened later."""
        dated = self.one if self.numbers.dated[0] else self.other
        return len(dated.negations) % 2 == 1

    def _date_clash(self) -> Clash | None:
        """Two dates of something that happens once."""
        if self.difference.rest and self.difference.other_rest:
            return None
        if self.opposite or self.negated or self.numbers.clashes or not self.numbers.event or self._other_subject():
            return None
        if self.either:
            return None
        one, other = self.numbers.times_differ[0]
        return Clash("contradiction", DATED, f'"{one.measure.text}" against "{other.measure.text}" for one event')

    def _value_clash(self) -> Clash | None:
        """Two values of which only one can be right, or "only" with another value."""
        if self.difference.opposites or self.negated or self.numbers.clashes or self.one.negations:
            return None
        mine, theirs = words_in_same_slot(self.difference.rest, self.difference.other_rest)
        rests = (*self.difference.rest, *self.difference.other_rest)
        comparable = mine and theirs and not self.partial and not self._adds_value()
        exclusion = find_exclusion(self.one, self.other, mine, theirs) if comparable else None
        if exclusion is None and (agents := find_other_agent(self.one, self.other)):
            return Clash("contradiction", agents.strength, f'"{agents.one}" against "{agents.other}"')
        if exclusion is not None:
            elsewhere = [word for word in rests if word not in mine and word not in theirs]
            reason = f'"{exclusion.one}" against "{exclusion.other}"'
            return self._exclusion_clash(reason, exclusion.strength, elsewhere)
        if self.one.only != self.other.only and len({(word.subject, word.head) for word in rests}) == 1:
            one, other = text_of(self.difference.rest), text_of(self.difference.other_rest)
            return Clash("inconsistency", RESTRICTED, f'"{one}" against "{other}", where only one holds')
        return None

    def _adds_value(self) -> bool:
        """Return True if a clause says that its value is one more: "it measures humidity too"."""
        return any(not _ADDING.isdisjoint(clause.text.split()) for clause in (self.one, self.other))

    @staticmethod
    def _exclusion_clash(reason: str, strength: float, elsewhere: list[Word]) -> Clash | None:
        """Weaken the clash of two values by the words that one clause has in another role."""
        if any(word.subject and not word.link for word in elsewhere):
            return None
        if any(word.link in _CASE_LINKS for word in elsewhere):
            if strength < MIN_STRENGTH_IN_PART:
                return None
            return Clash("inconsistency", min(strength, IN_PART), f'{reason}, one only for "{elsewhere[0].text}"')
        return Clash("contradiction", strength, reason)

    def _only_clash(self) -> Clash | None:
        """A statement about everybody that the other one restricts with "only"."""
        restricted = (self.one.only and self.other.anybody) or (self.other.only and self.one.anybody)
        if not restricted or self.negated or self.opposite:
            return None
        return Clash("inconsistency", RESTRICTED, "it holds of everybody, or only of some")

    def _number_clash(self) -> Clash | None:
        """Exactly one number that differs."""
        if len(self.numbers.clashes) != 1 or self.numbers.conditions:
            return None
        if self.opposite or self.negated or self.one.negations:
            return None
        one, other, gap = self.numbers.clashes[0]
        if _is_bare_label(self.one, one) and _is_bare_label(self.other, other):
            return None
        other_thing = any(not word.link and (one.of != other.of or not word.head) for word in self.extra)
        if self._other_subject() or other_thing or self.either:
            return None
        reason = f'"{one.measure.text}" against "{other.measure.text}"'
        if self.in_part:
            return None if self.partial else Clash("inconsistency", IN_PART, f"{reason}, {self._only_where()}")
        kind: ConflictKind = "inconsistency" if self.partial else "contradiction"
        return Clash(kind, number_severity(gap), reason)

    def _count_clash(self) -> Clash | None:
        """One thing in one clause, several of them in the other."""
        if self.opposite or self.one.negations or self.other.negations or self._other_subject():
            return None
        for clause, other in ((self.one, self.other), (self.other, self.one)):
            for figure in clause.figures:
                is_one = figure.measure.dimension == "number" and figure.measure.high < _SEVERAL
                if is_one and figure.of in other.plural:
                    return Clash("contradiction", number_severity(0.0), f'"{figure.measure.text}" against several')
        return None

    def _share_clash(self) -> Clash | None:
        """Opposites, negations and quantifiers that leave no case in which both hold."""
        if self.numbers.clashes and not self._counts_out_of_all():
            return None
        if not shares_exclude(self.one, self.other, opposite=self.opposite):
            return None
        if (self.is_order and not self._is_sequence()) or self._says_nothing_of(self.general):
            return None
        of_all = grammar.QUANTIFIERS.get(self.general.quantifier) == grammar.ALL or self.general.anybody
        if self._other_subject() or (of_all and self.extra and self.special.negations):
            reason = f"{self._reason()}, {self._only_where()}"
            return Clash("inconsistency", IN_PART, reason) if of_all else None
        if self.is_order:
            return Clash("inconsistency", ORDERED, self._reason())
        if self.partial:
            return Clash("inconsistency", OUT_OF_SOME, self._reason())
        if self.in_part and self.general.share != (0.0, 0.0):
            return self._partial_clash()
        return Clash("contradiction", DENIED, self._reason())

    def _says_nothing_of(self, clause: Clause) -> bool:
        """Return True if a clause has no predicate that could be denied: "all rows are the same as before"."""
        if clause.verb or clause.there or not self.extra or self.difference.opposites:
            return False
        predicates = (word.head == "be" and not word.link and not word.subject for word in self.extra)
        return all(word.subject for word in clause.words.values()) or any(predicates)

    def _counts_out_of_all(self) -> bool:
        """Return True if one speaks of all and the other counts some, as in "all 42 pass" and "3 fail"."""
        return any(grammar.QUANTIFIERS.get(clause.quantifier) == grammar.ALL for clause in (self.one, self.other))

    def _partial_clash(self) -> Clash | None:
        """A clash in which one clause speaks of fewer cases than the other."""
        if all(word.link for word in self.extra):
            severity = IN_PART_DENIED if self.special.negations else IN_PART
            return Clash("inconsistency", severity, f"{self._reason()}, {self._only_where()}")
        return None if self.special.negations else Clash("contradiction", DENIED, self._reason())

    def _vagueness_clash(self) -> Clash | None:
        """A value in one clause, and in the other only that it is large, unknown or the like."""
        if self.opposite or self.negated or self.difference.opposites:
            return None
        for clear, vague, rest, other_rest in (
            (self.one, self.other, self.difference.rest, self.difference.other_rest),
            (self.other, self.one, self.difference.other_rest, self.difference.rest),
        ):
            unknown = _UNKNOWN & set(vague.hedges)
            words = [word for word in other_rest if word.stem in _VAGUE_WORDS]
            if len(words) != len(other_rest) or not (words or unknown or vague.quantifier in _VAGUE_QUANTIFIERS):
                continue
            counted = {figure.of for figure in clear.figures}
            has_value = bool(clear.figures) and not vague.figures and all(word.stem in counted for word in rest)
            if has_value or (unknown and len(rest) == 1 and rest[0].head == "be"):
                vague_word = words[0].text if words else next(iter(sorted(unknown)), vague.quantifier)
                value = clear.figures[0].measure.text if clear.figures else rest[0].text
                return Clash("ambiguity", VAGUE, f'"{value}" against the vague "{vague_word}"')
        return None

    def _other_subject(self) -> bool:
        """Return True if extra words make the subject another one, as "test" does in "the parser test"."""
        if self.special.there or self.one.passive != self.other.passive:
            return False
        return any(word.subject and not word.link for word in self.extra)

    def _is_sequence(self) -> bool:
        """Return True if an order of events or sizes is stated, and not the times of two states."""
        links = {word for pair in self.difference.opposites for word in (pair.one, pair.other)}
        if self.order_reversed or not links & {"before", "after"}:
            return True
        return bool((_SEQUENCE_VERBS | ORDERING_VERBS) & self.one.words.keys())

    def _only_where(self) -> str:
        words = [word.text for word in self.extra] or [figure.measure.text for figure in self.special.figures]
        return f'one only for "{" ".join(words)}"'

    def _reason(self) -> str:
        """Return which words clash."""
        if self.difference.opposites:
            pair = self.difference.opposites[0]
            reason = f'"{pair.one}" against "{pair.other}"'
        elif self.order_reversed:
            reason = "the same order the other way round"
        else:
            negation = next((n for clause in (self.one, self.other) for n in clause.negations), None)
            target = negation.target if negation else ""
            word = self.one.words.get(target) or self.other.words.get(target)
            text = word.text if word else "the statement"
            reason = f'"{text}" is both stated and denied ("{negation.word}")' if negation else "it cannot hold of both"
        quantifiers = [clause.quantifier for clause in (self.one, self.other) if clause.quantifier]
        return f"{reason}, of {' and '.join(repr(word) for word in quantifiers)}" if quantifiers else reason


def _denial_reason(one: Clause, other: Clause) -> str:
    """Return which word is denied."""
    sides = [side for side in (one.affirmation, other.affirmation) if side is not None and side.negations]
    side = sides[-1]
    place = side.words.index(side.denied) if side.denied else -1
    return f'"{side.forms[place]}" is both stated and denied ("{side.negation}")'
