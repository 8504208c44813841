"""Statement: a sentence read into the normal form in which two can be compared."""

from howsure.text.clause import Clause, Figure, Negation, Word
from howsure.text.lists.words import grammar
from howsure.text.openers import without_openers
from howsure.text.parts import AUXILIARIES, LIGHT_VERBS, is_past, is_verb, parts, verb_place
from howsure.text.tokens import Token

_CONDITIONS = frozenset(grammar.CONDITIONS.split())
_EVERYBODY = frozenset(grammar.EVERYBODY.split())
_NOBODY = frozenset(grammar.NOBODY.split())
_HEDGE_BEFORE_BE = frozenset(grammar.HEDGE_BEFORE_BE.split())
_SHARES = {grammar.ALL: (1.0, 1.0), grammar.MOST: (0.51, 1.0), grammar.SOME: (0.01, 1.0), grammar.FEW: (0.01, 0.3)}
_LONGEST = 5000
"""Characters that are read of one statement, so that none takes long."""
_POSSIBILITY = frozenset(grammar.POSSIBILITY.split())
_PLURAL_VERBS = frozenset(["are", "were", "have", "do"])


def statement(text: str) -> tuple[Clause, ...]:
    """Return the clauses of a statement in normal form.

    >>> (clause,) = statement("I think the parser never returns nil on error.")
    >>> list(clause.words), clause.negations, clause.hedges
    (['parser', 'return', 'nil', 'error'], (Negation(word='never', target='return'),), ('i think',))
    """
    rest, hedges, denied = without_openers(text[:_LONGEST])
    found = tuple(_Reader(clause).clause(hedges, denied=denied) for clause in parts(rest))
    return tuple(clause for clause in found if clause.words)


class _Reader:
    """Reads the tokens of a clause once, from left to right."""

    def __init__(self, tokens: list[Token]) -> None:
        self.tokens = tokens
        self.verb = verb_place(tokens)
        self.there = len(tokens) > 1 and tokens[0].word == "there" and tokens[1].tag in AUXILIARIES
        self.words: dict[str, Word] = {}
        self.figures: list[Figure] = []
        self.waiting: list[str] = []
        self.negations: list[Negation] = []
        self.hedges: list[str] = []
        self.link, self.head, self.last = "", "", ""
        self.linked = self.condition = self.verb_next = False
        self.quantifier, self.denied_quantifier = "", False
        self.only = self.anybody = self.passive = self.either = self.possible = False

    def clause(self, hedges: tuple[str, ...], *, denied: bool) -> Clause:
        """Return the clause that the tokens make."""
        for place, token in enumerate(self.tokens):
            read = getattr(self, f"_{token.tag}", None)
            if read is not None:
                read(place, token)
        self.negations += [Negation(word, "") for word in self.waiting]
        if denied:
            self.negations.append(Negation("not true", self.last))
        share = self._share()
        partial = grammar.QUANTIFIERS.get(self.quantifier, grammar.ALL) != grammar.ALL or self.denied_quantifier
        return Clause(
            " ".join(token.word for token in self.tokens),
            self.words,
            tuple(self.figures),
            tuple(self.negations),
            self.quantifier,
            share,
            partial,
            (*hedges, *self.hedges),
            self.only,
            self.anybody,
            self.there,
            self.passive,
            self.either,
            self.verb < len(self.tokens) and is_past(self.tokens[self.verb]),
            frozenset(stem for stem, word in self.words.items() if word.subject and not word.link),
            frozenset(word.link for word in self.words.values()),
        )

    def _after(self, place: int) -> Token | None:
        return self.tokens[place + 1] if place + 1 < len(self.tokens) else None

    def _before(self, place: int) -> Token | None:
        return self.tokens[place - 1] if place else None

    def _mark(self, _place: int, _token: Token) -> None:
        self.link, self.linked, self.condition = "", False, False

    def _determiner(self, _place: int, _token: Token) -> None:
        if self.linked and not self.condition:
            self.link, self.linked = "", False

    def _preposition(self, place: int, token: Token) -> None:
        after = self._after(place)
        if token.word == "to" and after is not None and after.tag == "word" and self.link != "from":
            self.verb_next = True
        if not self.condition:
            self.link, self.linked = token.word, False

    def _subordinator(self, place: int, token: Token) -> None:
        leads = place < self.verb and not any(one.word == "," for one in self.tokens)
        self.link, self.linked = token.word, False
        self.condition = token.word in _CONDITIONS and not leads

    def _pronoun(self, _place: int, token: Token) -> None:
        if token.word in _EVERYBODY:
            self.anybody = True

    def _conjunction(self, place: int, token: Token) -> None:
        after = self._after(place)
        self.either |= token.word in {"or", "either"}
        if not self.condition and after is not None and (after.word.endswith("ing") or is_verb([token, after], 1)):
            self.link, self.linked = "", False

    def _be(self, place: int, _token: Token) -> None:
        if place >= self.verb and not self.condition:
            self.head, self.link, self.linked = "be", "", False

    def _have(self, place: int, _token: Token) -> None:
        after = self._after(place)
        if after is not None and after.tag == "be":
            return
        if place >= self.verb and not self.condition:
            self.head, self.link, self.linked = "have", "", False

    def _do(self, place: int, _token: Token) -> None:
        if place >= self.verb and not self.condition:
            self.link, self.linked, self.verb_next = "", False, True

    def _modal(self, place: int, token: Token) -> None:
        after = self._after(place)
        if token.word == "might" or (
            token.word in _HEDGE_BEFORE_BE and after is not None and after.tag in {"be", "have"}
        ):
            self.hedges.append(token.word)
        elif place == self.verb:
            self.possible = token.word in _POSSIBILITY
        self._do(place, token)

    def _hedge(self, _place: int, token: Token) -> None:
        self.hedges.append(token.word)

    def _light(self, _place: int, token: Token) -> None:
        self.only |= token.word == "only"

    def _quantifier(self, place: int, token: Token) -> None:
        after, before = self._after(place), self._before(place)
        counted = after is not None and after.tag == "measure" and token.word != "all"
        if self.condition or counted:
            return
        self.anybody |= token.word in _EVERYBODY and place < self.verb
        if not self.quantifier and not (before is not None and before.tag == "determiner"):
            self.quantifier = token.word
            self.denied_quantifier = before is not None and before.tag == "negation"

    def _negation(self, place: int, token: Token) -> None:
        if self.condition:
            self._add(Token(token.word, "not", "word"), place)
        elif token.word == "nor" and self.negations:
            return
        else:
            self.waiting.append(token.word)
            self.anybody |= token.word in _NOBODY and place < self.verb
            if token.word == "without":
                self.link, self.linked = "with", False

    def _measure(self, place: int, token: Token) -> None:
        after = self._after(place)
        if token.measure is None:
            return
        self._deny("#")
        before = self._before(place)
        of = after.stem if after is not None and after.tag == "word" else ""
        label = before is not None and before.name and token.measure.dimension == "number"
        self.figures.append(Figure(token.measure, self.link, self.head, of, label))
        if token.measure.dimension != "number" and not self.condition:
            self.link, self.linked = "", False

    def _word(self, place: int, token: Token) -> None:
        after = self._after(place)
        ending = grammar.DENYING_VERBS.get(token.word)
        if ending is not None and (not ending or (after is not None and after.word == ending)) and not self.condition:
            self.waiting.append(token.word)
            return
        verbal = self.verb_next or place == self.verb or (self.head == "be" and _participle(token, after))
        if token.word in LIGHT_VERBS and verbal:
            self.head = "have"
        else:
            self._add(token, place)
            if verbal and not self.condition:
                self.passive |= self.head == "be" and not token.word.endswith("ing")
                self.head, self.link, self.linked = token.stem, "", False
        self.verb_next = False

    def _add(self, token: Token, place: int) -> None:
        self._deny(token.stem)
        word = Word(token.stem, token.word, place < self.verb, self.link, self.head, token.name)
        self.words.setdefault(token.stem, word)
        self.last, self.linked = token.stem, bool(self.link)

    def _deny(self, target: str) -> None:
        if not self.condition:
            self.negations += [Negation(word, target) for word in self.waiting]
            self.waiting = []

    def _share(self) -> tuple[float, float]:
        level = grammar.QUANTIFIERS.get(self.quantifier, "")
        low, high = _SHARES.get(level, (1.0, 1.0))
        if not level and self.possible:
            low, high = _SHARES[grammar.SOME]
        elif not level and self._is_generic():
            low, high = _SHARES[grammar.MOST]
        if len(self.negations) % 2 == 0:
            return low, high
        if self.denied_quantifier and level == grammar.ALL:
            return 0.0, 0.99
        return (0.0, 0.0) if not level else (1.0 - high, 1.0 - low)

    def _is_generic(self) -> bool:
        """Say whether the clause speaks of a kind of things, as in "tests pass"."""
        first = self.tokens[0] if self.tokens else None
        if first is None or first.tag != "word" or not 0 < self.verb < len(self.tokens):
            return False
        verb = self.tokens[self.verb]
        return self.tokens[self.verb - 1].word.endswith("s") and (
            verb.word in _PLURAL_VERBS
            or (verb.tag == "word" and (not verb.word.endswith("s") or verb.word.endswith("ss")))
        )


def _participle(token: Token, after: Token | None) -> bool:
    """Say whether a word after "be" is what is done rather than how something is."""
    if after is not None and after.tag == "word":
        return False
    return token.word.endswith(("ed", "ing")) or is_verb([token, token], 1)
