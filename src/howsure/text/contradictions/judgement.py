"""Judgement: from the difference of two clauses to what clashes, if anything does."""

from typing import Literal, NamedTuple

from howsure.text.contradictions.clause import Clause, Word
from howsure.text.contradictions.compare_numbers import Figures, figures, once_and_again
from howsure.text.contradictions.compare_words import Difference
from howsure.text.contradictions.exclusive_values import exclusion, same_slot
from howsure.text.contradictions.roles import ORDERING, exchanged, other_use, swapped
from howsure.text.contradictions.tokens import meanings
from howsure.text.words import grammar, values

Kind = Literal["contradiction", "inconsistency", "ambiguity"]
"""What kind of conflict there is: both cannot hold, not in all cases, or one side is vague."""

DENIED, DATED, ORDERED, OUT_OF_SOME = 0.9, 0.85, 0.75, 0.75
"""How grave a clash is: of opposites and denials, of dates, of orders, of quantifiers."""
IN_PART, RESTRICTED, IN_PART_DENIED, VAGUE = 0.65, 0.65, 0.45, 0.45
"""And where it is of some cases only, where one side says "only", where some cases are denied, where one is vague."""
IN_PART_AT_LEAST = 0.7
"""How sure it has to be that only one of two values can hold, where one is said of some cases only."""
NUMBER, NUMBER_APART = 0.65, 0.3
"""How grave a clash of two numbers is at the least, and what is added for how far apart they are."""

_SEQUENCE = meanings(values.SEQUENCE)
VAGUE_WORDS = meanings(grammar.VAGUE)
"""Words that tell a value without saying which."""
_UNKNOWN = frozenset({"unclear", "uncertain", "unsure"})
_SEVERAL = 2
_CASES = frozenset(grammar.CASES.split())


class Clash(NamedTuple):
    """Why two clauses cannot, or hardly, both hold."""

    kind: Kind
    severity: float
    reason: str


class Judgement:
    """One comparison: the clauses, their difference, and what follows from it.

    >>> from howsure.text.contradictions.compare_words import difference
    >>> from howsure.text.contradictions.parser import statement
    >>> (one,), (other,) = statement("All tests pass."), statement("Some tests fail.")
    >>> Judgement(one, other, difference(one, other)).clash().kind
    'inconsistency'
    """

    def __init__(self, one: Clause, other: Clause, found: Difference) -> None:
        """Set numbers side by side, and find out which clause speaks of fewer cases."""
        self.one, self.other, self.found = one, other, found
        self.figures: Figures = figures(one, other)
        self.swapped = swapped(one, other)
        self.ordered = self.swapped or any(turn.kind == "order" for turn in found.turns)
        self.odd = (len(found.turns) + self.swapped) % 2 == 1
        self.extra = found.rest or found.other_rest
        self.one_dated = self.figures.dated[0] != self.figures.dated[1]
        first = bool(found.rest) or (self.figures.dated[0] and not found.other_rest)
        self.general, self.special = (other, one) if first else (one, other)
        self.in_part = bool(self.extra) or self.one_dated

    def clash(self) -> Clash | None:
        """Go through what may clash, from the most to the least particular."""
        if self._other_roles() or self._other_denial() or (self.found.turns and self.one.either and self.other.either):
            return None
        if once_and_again(self.one, self.other) and not self.found.turns:
            return Clash("contradiction", NUMBER, "once against each time")
        if self.figures.times_differ:
            return self._by_date()
        if self.one_dated and (self.one.past != self.other.past or self._denied_at_a_time()):
            return None
        if self.found.rest and self.found.other_rest:
            return self._by_vagueness() or self._by_value()
        return self._by_count() or self._by_figure() or self._by_share() or self._by_vagueness() or self._by_only()

    def _other_roles(self) -> bool:
        """Say whether the same words stand in other roles, so that the clauses say different things."""
        if not exchanged(self.one, self.other) or self.one.passive != self.other.passive:
            return False
        return not self.swapped

    def _other_denial(self) -> bool:
        """Say whether one of them denies something that the other does not speak of."""
        about = self.found.shared | self.found.turned | self.found.formed | {""}
        about |= {"#"} if self.one.figures and self.other.figures else set()
        sides = ((self.one, self.other), (self.other, self.one))
        return any(
            negation.target not in about or other_use(negation.target, clause, opposite)
            for clause, opposite in sides
            for negation in clause.negations
        )

    def _denied(self) -> bool:
        """Say whether one of them is denied and the other is not."""
        return (len(self.one.negations) - len(self.other.negations)) % 2 == 1

    def _denied_at_a_time(self) -> bool:
        """Say whether the one that says when is denied: what did not happen then may have happened at another time."""
        dated = self.one if self.figures.dated[0] else self.other
        return len(dated.negations) % 2 == 1

    def _apart(self) -> bool:
        """Say whether the shares of cases in which they hold, told of the same word, have nothing in common."""
        low, high = self.other.share
        if self.odd:
            if self.one.negations and self.other.negations:
                return False
            low, high = 1.0 - high, 1.0 - low
        return self.one.share[0] > high or low > self.one.share[1]

    def _by_date(self) -> Clash | None:
        if self.found.rest and self.found.other_rest:
            return None
        if self.odd or self._denied() or self.figures.clashes or not self.figures.event or self._modified():
            return None
        if self.one.either or self.other.either:
            return None
        one, two = self.figures.times_differ[0]
        return Clash("contradiction", DATED, f'"{one.measure.text}" against "{two.measure.text}" for one event')

    def _by_value(self) -> Clash | None:
        """Look for two values of which only one can be right."""
        if self.found.turns or self._denied() or self.figures.clashes or self.one.negations:
            return None
        mine, theirs = same_slot(self.found.rest, self.found.other_rest)
        partial = self.one.partial or self.other.partial
        value = exclusion(self.one, self.other, mine, theirs) if mine and theirs and not partial else None
        if value is not None:
            elsewhere = [word for word in self._rests() if word not in mine and word not in theirs]
            return self._excluded(f'"{value.one}" against "{value.other}"', value.strength, elsewhere)
        if self.one.only != self.other.only and len({(word.subject, word.head) for word in self._rests()}) == 1:
            one, two = self._texts()
            return Clash("inconsistency", RESTRICTED, f'"{one}" against "{two}", where only one holds')
        return None

    def _excluded(self, reason: str, strength: float, elsewhere: list[Word]) -> Clash | None:
        """Judge two values of which only one can be right, by the words that one clause has elsewhere."""
        if any(word.subject and not word.link for word in elsewhere):
            return None
        if any(word.link in _CASES for word in elsewhere):
            if strength < IN_PART_AT_LEAST:
                return None
            return Clash("inconsistency", min(strength, IN_PART), f'{reason}, one only for "{elsewhere[0].text}"')
        return Clash("contradiction", strength, reason)

    def _by_only(self) -> Clash | None:
        """Look for a statement about everybody that the other restricts."""
        restricted = (self.one.only and self.other.anybody) or (self.other.only and self.one.anybody)
        if not restricted or self._denied() or self.odd:
            return None
        return Clash("inconsistency", RESTRICTED, "it holds of everybody, or only of some")

    def _rests(self) -> tuple[Word, ...]:
        return (*self.found.rest, *self.found.other_rest)

    def _texts(self) -> tuple[str, str]:
        return (
            " ".join(word.text for word in self.found.rest),
            " ".join(word.text for word in self.found.other_rest),
        )

    def _by_figure(self) -> Clash | None:
        """Look for one number that cannot be the other."""
        if (
            len(self.figures.clashes) != 1
            or self.figures.conditions
            or self.odd
            or self._denied()
            or self.one.negations
        ):
            return None
        one, two, gap = self.figures.clashes[0]
        other_thing = any(not word.link and (one.of != two.of or not word.head) for word in self.extra)
        if self._modified() or other_thing or self.one.either or self.other.either:
            return None
        reason = f'"{one.measure.text}" against "{two.measure.text}"'
        partial = self.one.partial or self.other.partial
        if self.in_part and partial:
            return None
        if self.in_part:
            return Clash("inconsistency", IN_PART, f"{reason}, {self._only_where()}")
        kind: Kind = "inconsistency" if partial else "contradiction"
        return Clash(kind, NUMBER + NUMBER_APART * gap, reason)

    def _by_count(self) -> Clash | None:
        """Look for one thing on one side, and several of them on the other."""
        if self.odd or self.one.negations or self.other.negations or self._modified():
            return None
        for clause, other in ((self.one, self.other), (self.other, self.one)):
            for figure in clause.figures:
                if (
                    figure.measure.dimension == "number"
                    and figure.measure.high < _SEVERAL
                    and figure.of in other.plural
                ):
                    return Clash("contradiction", NUMBER, f'"{figure.measure.text}" against several')
        return None

    def _by_share(self) -> Clash | None:
        """Look for opposites, denials and quantifiers that leave no case for both."""
        if (self.figures.clashes and not self._counted_out_of_all()) or not self._apart():
            return None
        if self.ordered and not self._in_sequence():
            return None
        every = grammar.QUANTIFIERS.get(self.general.quantifier) == grammar.ALL or self.general.anybody
        if self._modified() or (every and self.extra and self.special.negations):
            return Clash("inconsistency", IN_PART, f"{self._reason()}, {self._only_where()}") if every else None
        if self.ordered:
            return Clash("inconsistency", ORDERED, self._reason())
        if self.one.partial or self.other.partial:
            return Clash("inconsistency", OUT_OF_SOME, self._reason())
        if self.in_part and self.general.share != (0.0, 0.0):
            return self._by_part()
        return Clash("contradiction", DENIED, self._reason())

    def _counted_out_of_all(self) -> bool:
        """Say whether one speaks of all and the other counts some, as in "all 42 pass" and "3 fail"."""
        return any(grammar.QUANTIFIERS.get(clause.quantifier) == grammar.ALL for clause in (self.one, self.other))

    def _by_part(self) -> Clash | None:
        """Judge a clash where one side speaks of fewer cases than the other."""
        if all(word.link for word in self.extra):
            severity = IN_PART_DENIED if self.special.negations else IN_PART
            return Clash("inconsistency", severity, f"{self._reason()}, {self._only_where()}")
        return None if self.special.negations else Clash("contradiction", DENIED, self._reason())

    def _by_vagueness(self) -> Clash | None:
        """Look for a value on one side, and on the other only that it is large, unknown or the like."""
        if self.odd or self._denied() or self.found.turns:
            return None
        for clear, vague, rest, other_rest in (
            (self.one, self.other, self.found.rest, self.found.other_rest),
            (self.other, self.one, self.found.other_rest, self.found.rest),
        ):
            unknown = _UNKNOWN & set(vague.hedges)
            words = [word for word in other_rest if word.stem in VAGUE_WORDS]
            if len(words) != len(other_rest) or not (
                words or unknown or vague.quantifier in {"several", "few", "some"}
            ):
                continue
            counted = {figure.of for figure in clear.figures}
            has_value = bool(clear.figures) and not vague.figures and all(word.stem in counted for word in rest)
            if has_value or (unknown and len(rest) == 1 and rest[0].head == "be"):
                said = words[0].text if words else next(iter(sorted(unknown)), vague.quantifier)
                value = clear.figures[0].measure.text if clear.figures else rest[0].text
                return Clash("ambiguity", VAGUE, f'"{value}" against the vague "{said}"')
        return None

    def _modified(self) -> bool:
        """Say whether the extra words make the subject another one, as "test" does in "the parser test"."""
        if self.special.there or self.one.passive != self.other.passive:
            return False
        return any(word.subject and not word.link for word in self.extra)

    def _in_sequence(self) -> bool:
        """Say whether an order of events or sizes is stated, rather than the times of two states."""
        links = {turn.one for turn in self.found.turns} | {turn.other for turn in self.found.turns}
        if self.swapped or not links & {"before", "after"}:
            return True
        return bool((_SEQUENCE | ORDERING) & self.one.words.keys())

    def _only_where(self) -> str:
        words = [word.text for word in self.extra] or [figure.measure.text for figure in self.special.figures]
        return f'one only for "{" ".join(words)}"'

    def _reason(self) -> str:
        """Name what clashes."""
        if self.found.turns:
            turn = self.found.turns[0]
            said = f'"{turn.one}" against "{turn.other}"'
        elif self.swapped:
            said = "the same order the other way round"
        else:
            negation = next((n for clause in (self.one, self.other) for n in clause.negations), None)
            target = negation.target if negation else ""
            word = self.one.words.get(target) or self.other.words.get(target)
            text = word.text if word else "the statement"
            said = f'"{text}" is both stated and denied ("{negation.word}")' if negation else "it cannot hold of both"
        quantifiers = [clause.quantifier for clause in (self.one, self.other) if clause.quantifier]
        return f"{said}, of {' and '.join(repr(word) for word in quantifiers)}" if quantifiers else said
