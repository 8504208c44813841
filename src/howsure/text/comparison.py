"""Comparison: whether two clauses can both hold, and if not, why."""

from typing import Literal, NamedTuple

from howsure.text.difference import Difference, difference
from howsure.text.exclusives import exclusion, same_slot
from howsure.text.figures import Figures, figures
from howsure.text.lists.words import grammar, values
from howsure.text.statement import Clause, Word
from howsure.text.tokens import meanings

Kind = Literal["contradiction", "inconsistency", "ambiguity"]

_ORDERED_LINKS = frozenset({"than", "before", "after", "above", "below"})
_ORDERING = meanings(grammar.ORDERING)
_SEQUENCE = meanings(values.SEQUENCE)
_VAGUE = meanings(grammar.VAGUE)
_UNKNOWN = frozenset({"unclear", "uncertain", "unsure"})
_CASES = frozenset(grammar.CASES.split())
"""Words before the cases for which something holds."""
HEDGED = 0.6
"""What is left of a conflict's severity where one side hedges."""


class Clash(NamedTuple):
    """Why two clauses cannot, or hardly, both hold."""

    kind: Kind
    severity: float
    reason: str


def compare(one: Clause, other: Clause) -> Clash | None:
    """Return why two clauses clash; nothing where both may hold.

    >>> from howsure.text.statement import statement
    >>> (one,), (other,) = statement("The cache is enabled."), statement("The cache is disabled.")
    >>> compare(one, other)
    Clash(kind='contradiction', severity=0.9, reason='"enabled" against "disabled"')
    """
    found = difference(one, other)
    if found is None or found.blocked or _cannot_clash(one, other, found):
        return None
    clash = _Judgement(one, other, found).clash()
    if clash is None:
        return None
    cover = len(found.shared | found.turned) / max(len(one.words), len(other.words), 1)
    severity = clash.severity * (0.8 + 0.2 * min(cover, 1.0))
    kind, reason = clash.kind, clash.reason
    if (one.hedges or other.hedges) and kind != "ambiguity":
        hedge = (one.hedges or other.hedges)[0]
        kind, severity, reason = "ambiguity", severity * HEDGED, f'{reason}, hedged by "{hedge}"'
    return Clash(kind, round(severity, 4), reason)


def _cannot_clash(one: Clause, other: Clause, found: Difference) -> bool:
    """Say whether a short look is enough: most clauses that are compared are about different things."""
    plain = one.only == other.only and not (one.hedges or other.hedges)
    if found.rest and found.other_rest:
        return bool(found.turns) or (plain and not same_slot(found.rest, found.other_rest)[0])
    same = not found.turns and one.share == other.share and not (one.figures or other.figures)
    return same and plain and not _exchanged(one, other) and one.quantifier == other.quantifier


class _Judgement:
    """One comparison: the clauses, their difference, and what follows from it."""

    def __init__(self, one: Clause, other: Clause, found: Difference) -> None:
        self.one, self.other, self.found = one, other, found
        self.figures: Figures = figures(one, other)
        self.swapped = _swapped(one, other)
        self.ordered = self.swapped or any(turn.kind == "order" for turn in found.turns)
        self.odd = (len(found.turns) + self.swapped) % 2 == 1
        self.extra = found.rest or found.other_rest
        self.one_dated = self.figures.dated[0] != self.figures.dated[1]
        first = bool(found.rest) or (self.figures.dated[0] and not found.other_rest)
        self.general, self.special = (other, one) if first else (one, other)
        self.in_part = bool(self.extra) or self.one_dated

    def clash(self) -> Clash | None:
        """Go through what may clash, from the most to the least particular."""
        if self._other_roles() or self._other_denial():
            return None
        if self.figures.times_differ:
            return self._by_date()
        if self.one_dated and self.one.past != self.other.past:
            return None
        if self.found.rest and self.found.other_rest:
            return self._by_vagueness() or self._by_value()
        return self._by_figure() or self._by_share() or self._by_vagueness() or self._by_only()

    def _other_roles(self) -> bool:
        """Say whether the same words stand in other roles, so that the clauses say different things."""
        if not _exchanged(self.one, self.other) or self.one.passive != self.other.passive:
            return False
        return not self.swapped

    def _other_denial(self) -> bool:
        """Say whether one of them denies something that the other does not speak of."""
        about = self.found.shared | self.found.turned | {""}
        about |= {"#"} if self.one.figures and self.other.figures else set()
        sides = ((self.one, self.other), (self.other, self.one))
        return any(
            negation.target not in about or _other_use(negation.target, clause, opposite)
            for clause, opposite in sides
            for negation in clause.negations
        )

    def _denied(self) -> bool:
        """Say whether one of them is denied and the other is not."""
        return (len(self.one.negations) - len(self.other.negations)) % 2 == 1

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
        one, two = self.figures.times_differ[0]
        return Clash("contradiction", 0.85, f'"{one.measure.text}" against "{two.measure.text}" for one event')

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
            return Clash("inconsistency", 0.65, f'"{one}" against "{two}", where only one holds')
        return None

    def _excluded(self, reason: str, strength: float, elsewhere: list[Word]) -> Clash | None:
        """Judge two values of which only one can be right, by the words that one clause has elsewhere."""
        if any(word.subject and not word.link for word in elsewhere):
            return None
        if any(word.link in _CASES for word in elsewhere):
            return Clash("inconsistency", 0.7 * strength, f'{reason}, one only for "{elsewhere[0].text}"')
        return Clash("contradiction", strength, reason)

    def _by_only(self) -> Clash | None:
        """Look for a statement about everybody that the other restricts."""
        restricted = (self.one.only and self.other.anybody) or (self.other.only and self.one.anybody)
        if not restricted or self._denied() or self.odd:
            return None
        return Clash("inconsistency", 0.65, "it holds of everybody, or only of some")

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
        other_thing = one.of != two.of and any(not word.link for word in self.extra)
        if self._modified() or other_thing or self.one.either or self.other.either:
            return None
        reason = f'"{one.measure.text}" against "{two.measure.text}"'
        if self.in_part:
            return Clash("inconsistency", 0.6, f"{reason}, {self._only_where()}")
        kind: Kind = "inconsistency" if self.one.partial or self.other.partial else "contradiction"
        return Clash(kind, 0.65 + 0.3 * gap, reason)

    def _by_share(self) -> Clash | None:
        """Look for opposites, denials and quantifiers that leave no case for both."""
        if (self.figures.clashes and not self._counted_out_of_all()) or not self._apart():
            return None
        if self.ordered and not self._in_sequence():
            return None
        if self._modified():
            every = grammar.QUANTIFIERS.get(self.general.quantifier) == grammar.ALL or self.general.anybody
            return Clash("inconsistency", 0.6, f"{self._reason()}, {self._only_where()}") if every else None
        if self.ordered:
            return Clash("inconsistency", 0.75, self._reason())
        if self.one.partial or self.other.partial:
            return Clash("inconsistency", 0.75, self._reason())
        if self.in_part and self.general.share != (0.0, 0.0):
            return self._by_part()
        return Clash("contradiction", 0.9, self._reason())

    def _counted_out_of_all(self) -> bool:
        """Say whether one speaks of all and the other counts some, as in "all 42 pass" and "3 fail"."""
        return any(grammar.QUANTIFIERS.get(clause.quantifier) == grammar.ALL for clause in (self.one, self.other))

    def _by_part(self) -> Clash | None:
        """Judge a clash where one side speaks of fewer cases than the other."""
        if all(word.link for word in self.extra):
            severity = 0.45 if self.special.negations else 0.65
            return Clash("inconsistency", severity, f"{self._reason()}, {self._only_where()}")
        return None if self.special.negations else Clash("contradiction", 0.8, self._reason())

    def _by_vagueness(self) -> Clash | None:
        """Look for a value on one side, and on the other only that it is large, unknown or the like."""
        if self.odd or self._denied() or self.found.turns:
            return None
        for clear, vague, rest, other_rest in (
            (self.one, self.other, self.found.rest, self.found.other_rest),
            (self.other, self.one, self.found.other_rest, self.found.rest),
        ):
            unknown = _UNKNOWN & set(vague.hedges)
            words = [word for word in other_rest if word.stem in _VAGUE]
            if len(words) != len(other_rest) or not (
                words or unknown or vague.quantifier in {"several", "few", "some"}
            ):
                continue
            has_value = bool(clear.figures) and not vague.figures and not rest
            if has_value or (unknown and len(rest) == 1 and rest[0].head == "be"):
                said = words[0].text if words else next(iter(sorted(unknown)), vague.quantifier)
                value = clear.figures[0].measure.text if clear.figures else rest[0].text
                return Clash("ambiguity", 0.45, f'"{value}" against the vague "{said}"')
        return None

    def _modified(self) -> bool:
        """Say whether the extra words make the subject another one, as "test" does in "the parser test"."""
        if self.special.there or self.one.passive != self.other.passive:
            return False
        return any(word.subject and not word.link for word in self.extra)

    def _in_sequence(self) -> bool:
        """Say whether an order of events or sizes is stated, rather than the times of two states."""
        links = {turn.one for turn in self.found.turns} | {turn.other for turn in self.found.turns}
        if not links & {"before", "after"} and not self.swapped:
            return True
        compared = "than" in self.one.links
        return compared or bool((_SEQUENCE | _ORDERING) & self.one.words.keys())

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
            word = self.one.words.get(negation.target) if negation else None
            text = word.text if word else "the statement"
            said = f'"{text}" is both stated and denied ("{negation.word}")' if negation else "it cannot hold of both"
        quantifiers = [clause.quantifier for clause in (self.one, self.other) if clause.quantifier]
        return f"{said}, of {' and '.join(repr(word) for word in quantifiers)}" if quantifiers else said


def _other_use(target: str, clause: Clause, other: Clause) -> bool:
    """Say whether the word that a clause denies is its verb, but only goes with another verb in the other clause."""
    denied, used = clause.words.get(target), other.words.get(target)
    if denied is None or used is None or denied.subject or denied.head not in {"", "be"}:
        return False
    return used.head not in {"", "be", "have"} and not used.subject


def _exchanged(one: Clause, other: Clause) -> bool:
    """Say whether what is the subject of each is not that of the other, though both speak of both."""
    left, right = one.subject - other.subject, other.subject - one.subject
    return bool(left and right) and left <= other.words.keys() and right <= one.words.keys()


def _swapped(one: Clause, other: Clause) -> bool:
    """Say whether both order the same two things, but the other way round."""
    if not _exchanged(one, other):
        return False
    return bool((one.links | other.links) & _ORDERED_LINKS) or bool(_ORDERING & one.words.keys())
