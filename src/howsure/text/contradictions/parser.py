"""Statement: a sentence read into the normal form in which two can be compared."""

import math

from howsure.text.contradictions.clause import Clause, Figure, Negation, Word
from howsure.text.contradictions.labels import is_label, label
from howsure.text.contradictions.measures import Measure
from howsure.text.contradictions.openers import without_openers
from howsure.text.contradictions.paraphrases import readings
from howsure.text.contradictions.shares import Share
from howsure.text.contradictions.syntax import AUXILIARIES, LIGHT_VERBS, is_past, is_verb, parts, verb_place
from howsure.text.contradictions.tokens import Token
from howsure.text.words import grammar, irregular

_CONDITIONS = frozenset(grammar.CONDITIONS.split())
_EVERYBODY = frozenset(grammar.EVERYBODY.split())
_NOBODY = frozenset(grammar.NOBODY.split())
_HEDGE_BEFORE_BE = frozenset(grammar.HEDGE_BEFORE_BE.split())
_LONGEST = 5000
"""Characters that are read of one statement, so that none takes long."""
_POSSIBILITY = frozenset(grammar.POSSIBILITY.split())
_NECESSITY = frozenset(grammar.NECESSITY.split())
_SEVERAL = frozenset(grammar.SEVERAL.split())
_MERELY_SEVERAL = frozenset({"multi", "multiple"})
_WHEN = frozenset(grammar.WHEN.split())
_PARTICIPLES = frozenset(irregular.PARTICIPLES.split())
_BEFORE_DONE = frozenset({"have", "negation", "light"})
_BEFORE_NOUNS = frozenset({"determiner", "measure", "quantifier"})
_SINGLE = Measure(1.0, 1.0, "number", "single", 0, 0)


def statement(text: str) -> tuple[Clause, ...]:
    """Return the clauses of a statement in normal form.

    >>> (clause,) = statement("I think the parser never returns nil on error.")
    >>> list(clause.words), clause.negations, clause.hedges
    (['parser', 'return', 'nil', 'error'], (Negation(word='never', target='return'),), ('i think',))
    """
    rest, hedges, denied = without_openers(text[:_LONGEST])
    found = tuple(_Reader(clause).clause(hedges, denied=denied) for clause in parts(rest))
    return tuple(clause._replace(readings=readings(clause)) for clause in found if clause.words)


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
        self.only = self.anybody = self.passive = self.either = False
        self.does = self.modal = ""
        self.indefinite = self.many = False
        self.plural: set[str] = set()

    def clause(self, hedges: tuple[str, ...], *, denied: bool) -> Clause:
        """Return the clause that the tokens make."""
        for place, token in enumerate(self.tokens):
            read = getattr(self, f"_{token.tag}", None)
            if read is not None:
                read(place, token)
        self.negations += [Negation(word, "") for word in self.waiting]
        if denied:
            self.negations.append(Negation("not true", self.last))
        limited = Share(self.quantifier, self.modal, len(self.negations), self.denied_quantifier)
        partial = grammar.QUANTIFIERS.get(self.quantifier, grammar.ALL) != grammar.ALL or self.denied_quantifier
        return Clause(
            " ".join(token.word for token in self.tokens),
            self.words,
            tuple(self.figures),
            tuple(self.negations),
            self.quantifier,
            limited.cases(self.tokens, self.verb),
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
            self.modal,
            self.does,
            frozenset(self.plural),
        )

    def _after(self, place: int) -> Token | None:
        return self.tokens[place + 1] if place + 1 < len(self.tokens) else None

    def _before(self, place: int) -> Token | None:
        return self.tokens[place - 1] if place else None

    def _mark(self, _place: int, _token: Token) -> None:
        self.link, self.linked, self.condition = "", False, False
        self.indefinite = self.many = False

    def _determiner(self, _place: int, token: Token) -> None:
        self.indefinite, self.many = token.word in {"a", "an"}, False
        if self.linked and not self.condition:
            self.link, self.linked = "", False

    def _preposition(self, place: int, token: Token) -> None:
        after = self._after(place)
        self.indefinite = self.many = False
        if token.word == "to" and after is not None and after.tag == "word" and self.link != "from":
            self.verb_next = True
        if not self.condition:
            self.link, self.linked = token.word, False

    def _subordinator(self, place: int, token: Token) -> None:
        leads = place < self.verb and not any(one.word == "," for one in self.tokens)
        self.link, self.linked = token.word, False
        self.condition = token.word in _CONDITIONS and not leads

    def _pronoun(self, _place: int, token: Token) -> None:
        self.waiting = [word for word in self.waiting if word != "without"]
        if token.word in _EVERYBODY:
            self.anybody = True

    def _conjunction(self, place: int, token: Token) -> None:
        after = self._after(place)
        self.either |= token.word in {"or", "either"}
        if not self.condition and after is not None and (after.word.endswith("ing") or is_verb([token, after], 1)):
            self.link, self.linked = "", False

    def _be(self, place: int, _token: Token) -> None:
        self.verb_next = False
        if place >= self.verb and not self.condition:
            self.head, self.link, self.linked = "be", "", False

    def _have(self, place: int, _token: Token) -> None:
        after = self._after(place)
        if after is not None and after.tag == "be":
            return
        if place >= self.verb and not self.condition:
            self.head, self.link, self.linked = "have", "", False
            self.modal = "must" if after is not None and after.word == "to" else self.modal

    def _do(self, place: int, _token: Token) -> None:
        if place >= self.verb and not self.condition:
            self.link, self.linked, self.verb_next = "", False, True

    def _modal(self, place: int, token: Token) -> None:
        after = self._after(place)
        if token.word == "might" or (
            token.word in _HEDGE_BEFORE_BE
            and after is not None
            and after.tag in {"be", "have"}
            and not self._is_limit(place + 2)
        ):
            self.hedges.append(token.word)
        elif place == self.verb:
            self.modal = "can" if token.word in _POSSIBILITY else "must" if token.word in _NECESSITY else ""
        self._do(place, token)

    def _is_limit(self, place: int) -> bool:
        """Say whether what may be is given as the most that may be, which is a rule and no guess."""
        measure = self.tokens[place].measure if place < len(self.tokens) else None
        return measure is not None and measure.low == -math.inf

    def _hedge(self, _place: int, token: Token) -> None:
        self.hedges.append(token.word)

    def _light(self, _place: int, token: Token) -> None:
        self.only |= token.word == "only"

    def _quantifier(self, place: int, token: Token) -> None:
        after, before = self._after(place), self._before(place)
        self.many = token.word in _SEVERAL
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
        if token.measure is None:
            return
        self._deny("#")
        named = label(self.tokens, place, self.verb)
        if named and not self.condition:
            if named.startswith("version#"):
                self._add(Token("version", "version", "word"), place)
            self._add(Token(token.word, named, "word", name=True), place)
            return
        of = self._counted_thing(place)
        if self._is_whole(place):
            self.figures[-1] = self.figures[-1]._replace(of=of)
            return
        numbered = token.measure.dimension in {"number", "version"} and is_label(self.tokens, place)
        numbered = numbered and place - 1 != self.verb
        self.figures.append(Figure(token.measure, self.link, self.head, of, numbered))
        if token.measure.dimension != "number" and not self.condition:
            self.link, self.linked = "", False

    def _counted_thing(self, place: int) -> str:
        """Return the stem of what a number counts, which may come after another number: "2 and 3 rows"."""
        after = self._after(place)
        if after is not None and after.tag == "conjunction" and place + 2 < len(self.tokens):
            return self._counted_thing(place + 2) if self.tokens[place + 2].tag == "measure" else ""
        return after.stem if after is not None and after.tag == "word" and place + 1 != self.verb else ""

    def _is_whole(self, place: int) -> bool:
        """Say whether a number is that of which the number before it is a part, as in "3 of the 40 tests"."""
        before = self.tokens[max(0, place - 3) : place]
        words = [token.word for token in before[-2:]]
        at = 2 if words[-1:] == ["of"] else 3 if words[:1] == ["of"] and before[-1].tag == "determiner" else 0
        return 0 < at <= place and self.tokens[place - at].tag == "measure" and bool(self.figures)

    def _word(self, place: int, token: Token) -> None:
        after = self._after(place)
        ending = grammar.DENYING_VERBS.get(token.word)
        if ending is not None and (not ending or (after is not None and after.word == ending)) and not self.condition:
            self.waiting.append(token.word)
            return
        verbal = self.verb_next or place == self.verb or self._participle(place, token)
        if token.word in LIGHT_VERBS and verbal:
            self.head = "have"
        elif not self._counted(place, token):
            self._add(token, place)
            if verbal and not self.condition:
                self.passive |= self.head == "be" and not token.word.endswith("ing")
                self.head, self.link, self.linked = token.stem, "", False
                self.does = self.does or token.stem
                self.indefinite = self.many = False
        self.verb_next = False

    def _counted(self, place: int, token: Token) -> bool:
        """Take "single" and "multiple" before a noun for how many of it there are."""
        after, before = self._after(place), self._before(place)
        if after is None or after.tag != "word":
            return False
        self.many |= token.word in _SEVERAL
        if token.word == "single" and not self.waiting and not (before is not None and before.tag == "quantifier"):
            self.figures.append(Figure(_SINGLE, self.link, self.head, after.stem, label=False))
            return True
        return token.word in _MERELY_SEVERAL

    def _participle(self, place: int, token: Token) -> bool:
        """Say whether a word after "be" or "have" is what is done rather than what or how something is."""
        after, before = self._after(place), self._before(place)
        if self.head != "be" and not (self.head == "have" and before is not None and before.tag in _BEFORE_DONE):
            return False
        if before is not None and before.tag in _BEFORE_NOUNS:
            return False
        if after is not None and after.tag == "word" and after.word not in _WHEN and not after.word.endswith("ly"):
            return False
        return token.word.endswith("ing") or token.word in _PARTICIPLES or is_past(token)

    def _add(self, token: Token, place: int) -> None:
        self._deny(token.stem)
        word = Word(token.stem, token.word, place < self.verb, self.link, self.head, token.name, self.indefinite)
        self.words.setdefault(token.stem, word)
        if self.many:
            self.plural.add(token.stem)
        self.last, self.linked = token.stem, bool(self.link)

    def _deny(self, target: str) -> None:
        if not self.condition:
            self.negations += [Negation(word, target) for word in self.waiting]
            self.waiting = []
