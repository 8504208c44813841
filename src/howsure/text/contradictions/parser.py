"""Parse a statement into clauses in normal form, which can be compared."""

import math
import re
from collections.abc import Callable
from typing import ClassVar, NamedTuple

from howsure.text.contradictions.clause import Clause, Figure, Negation, Word
from howsure.text.contradictions.denials import affirm
from howsure.text.contradictions.paraphrases import find_paraphrases
from howsure.text.contradictions.quantifiers import share_of_cases
from howsure.text.contradictions.syntax import (
    AUXILIARIES,
    LIGHT_VERBS,
    find_verb,
    is_label,
    is_past,
    is_verb,
    read_label,
    split_clauses,
)
from howsure.text.contradictions.tokens import Token
from howsure.text.phrases import fold_case
from howsure.text.quantities.measures import Measure
from howsure.text.stems import meanings_of
from howsure.text.words import grammar, inflection, values

_MAX_CHARACTERS = 5000
"""Characters that are read of one statement, which bounds the time."""
_OPENER_REACH = 64
"""Characters at the start in which an opener like "I think that" is searched."""
_SOURCE_REACH = 80
"""Characters within which a source like "according to the log" must end."""
_MAX_OPENERS = 4
_HEDGED_OPENERS = frozenset(grammar.HEDGED_OPENERS)
_DENYING_OPENERS = frozenset(grammar.DENYING_OPENERS)
# Longest first, so that "i think that" wins over "i think".
_OPENERS = sorted([*grammar.OPENERS, *_HEDGED_OPENERS, *_DENYING_OPENERS], key=lambda phrase: (-len(phrase), phrase))
_OPENER_STARTS = tuple(f"{phrase}{sign}" for phrase in _OPENERS for sign in " ,")
_SAYS = grammar.SAYING.replace(" ", "|")
# The source behind a statement: ", as run 12 says" or ", according to the log".
_SOURCE = re.compile(rf", (?:as [^,;]{{1,60}}? (?:{_SAYS})|according to [^,;]{{1,60}})[.!]?\s*\Z", re.IGNORECASE)

_CONDITIONS = frozenset(grammar.CONDITIONS.split())
_EVERYBODY = frozenset(grammar.EVERYBODY.split())
_NOBODY = frozenset(grammar.NOBODY.split())
_HEDGE_BEFORE_BE = frozenset(grammar.HEDGE_BEFORE_BE.split())
_POSSIBILITY = frozenset(grammar.POSSIBILITY.split())
_NECESSITY = frozenset(grammar.NECESSITY.split())
_SEVERAL = frozenset(grammar.SEVERAL.split())
_ONLY_SEVERAL = frozenset({"multi", "multiple"})
"""Words that say only that there are several, and are dropped."""
_TIME_ADVERBS = frozenset(grammar.WHEN.split())
_PARTICIPLES = frozenset(inflection.PARTICIPLES.split())
_BEFORE_PARTICIPLE = frozenset({"have", "negation", "light"})
_BEFORE_NOUN = frozenset({"determiner", "measure", "quantifier"})
_CHANGING = meanings_of(values.CHANGING)
_DROPPING = meanings_of(values.DROPPING)
_SINGLE = Measure(1.0, 1.0, "number", "single", 0, 0)


class BareStatement(NamedTuple):
    """A statement without its openers and source."""

    text: str
    hedges: tuple[str, ...]
    """The openers that make it uncertain."""
    denied: bool
    """True if openers like "it is not true that" negate it as a whole."""


def parse_statement(text: str) -> tuple[Clause, ...]:
    """Return the clauses of a statement.

    >>> (clause,) = parse_statement("I think the parser never returns nil on error.")
    >>> list(clause.words), clause.negations, clause.hedges
    (['parser', 'return', 'nil', 'error'], (Negation(word='never', target='return'),), ('i think',))
    """
    rest, hedges, denied = strip_openers(text[:_MAX_CHARACTERS])
    clauses = (_ClauseReader(tokens).read(hedges, denied=denied) for tokens in split_clauses(rest))
    return tuple(clause._replace(paraphrases=find_paraphrases(clause)) for clause in clauses if clause.words)


def strip_openers(text: str) -> BareStatement:
    """Remove phrases and sources around a statement, and return whether they hedge or negate it.

    >>> strip_openers("I think it is not true that cats bark.")
    BareStatement(text='cats bark.', hedges=('i think',), denied=True)
    """
    hedges: list[str] = []
    denied = False
    for _ in range(_MAX_OPENERS):
        text = text.lstrip()
        lower = fold_case(text[:_OPENER_REACH]).replace("\u2019", "'")
        if not lower.startswith(_OPENER_STARTS):
            break
        phrase = next(phrase for phrase in _OPENERS if lower.startswith((f"{phrase} ", f"{phrase},")))
        text = text[len(phrase) :].lstrip(" ,")
        hedges += [phrase] if phrase in _HEDGED_OPENERS else []
        denied ^= phrase in _DENYING_OPENERS
    if fold_case(text[:13]) == "according to " and ", " in text[:_SOURCE_REACH]:
        text = text.partition(", ")[2]
    return BareStatement(_strip_source(text), tuple(hedges), denied)


def _strip_source(text: str) -> str:
    match = _SOURCE.search(text, max(0, len(text) - _SOURCE_REACH)) if ", " in text[-_SOURCE_REACH:] else None
    return text[: match.start()] + "." if match else text


class _ClauseReader:
    """Reads the tokens of a clause from left to right, by one method per tag."""

    def __init__(self, tokens: list[Token]) -> None:
        self.tokens = tokens
        self.verb = find_verb(tokens)
        self.there = len(tokens) > 1 and tokens[0].word == "there" and tokens[1].tag in AUXILIARIES
        # What the clause says.
        self.words: dict[str, Word] = {}
        self.figures: list[Figure] = []
        self.negations: list[Negation] = []
        self.hedges: list[str] = []
        self.plural: set[str] = set()
        self.quantifier, self.quantifier_denied = "", False
        self.only = self.anybody = self.passive = self.either = False
        self.main_verb = self.modal = ""
        # State while reading: the preposition and verb that the next word depends on, whether a word followed the
        # preposition, whether a condition ("if ...") is being read, and whether a verb is expected.
        self.link, self.head = "", ""
        self.link_used = self.in_condition = self.verb_next = False
        self.last_stem = ""
        self.pending_negations: list[str] = []
        self.indefinite = self.many = False

    def read(self, hedges: tuple[str, ...], *, denied: bool) -> Clause:
        """Return the clause; `hedges` and `denied` come from the openers of the statement."""
        for place, token in enumerate(self.tokens):
            self._READERS[token.tag](self, place, token)
        self.negations += [Negation(word, "") for word in self.pending_negations]
        if denied:
            self.negations.append(Negation("not true", self.last_stem))
        level = grammar.QUANTIFIERS.get(self.quantifier, grammar.ALL)
        return Clause(
            text=" ".join(token.word for token in self.tokens),
            words=self.words,
            figures=tuple(self.figures),
            negations=tuple(self.negations),
            quantifier=self.quantifier,
            share=share_of_cases(
                self.tokens,
                self.verb,
                quantifier=self.quantifier,
                modal=self.modal,
                negations=len(self.negations),
                quantifier_denied=self.quantifier_denied,
            ),
            partial=level != grammar.ALL or self.quantifier_denied,
            hedges=(*hedges, *self.hedges),
            only=self.only,
            anybody=self.anybody,
            there=self.there,
            passive=self.passive,
            either=self.either,
            past=self.verb < len(self.tokens) and is_past(self.tokens[self.verb]),
            subject=frozenset(stem for stem, word in self.words.items() if word.subject and not word.link),
            links=frozenset(word.link for word in self.words.values()),
            modal=self.modal,
            verb=self.main_verb,
            plural=frozenset(self.plural),
            affirmation=affirm(self.tokens),
        )

    def _after(self, place: int) -> Token | None:
        return self.tokens[place + 1] if place + 1 < len(self.tokens) else None

    def _before(self, place: int) -> Token | None:
        return self.tokens[place - 1] if place else None

    def _mark(self, _place: int, _token: Token) -> None:
        self.link, self.link_used, self.in_condition = "", False, False
        self.indefinite = self.many = False

    def _determiner(self, _place: int, token: Token) -> None:
        self.indefinite, self.many = token.word in {"a", "an"}, False
        if self.link_used and not self.in_condition:
            self.link, self.link_used = "", False

    def _preposition(self, place: int, token: Token) -> None:
        after = self._after(place)
        self.indefinite = self.many = False
        if token.word == "to" and after is not None and after.tag == "word" and self.link != "from":
            self.verb_next = True
        if not self.in_condition:
            self.link, self.link_used = token.word, False

    def _subordinator(self, place: int, token: Token) -> None:
        leads = place < self.verb and not any(one.word == "," for one in self.tokens)
        self.link, self.link_used = token.word, False
        self.in_condition = token.word in _CONDITIONS and not leads

    def _pronoun(self, _place: int, token: Token) -> None:
        self.pending_negations = [word for word in self.pending_negations if word != "without"]
        if token.word in _EVERYBODY:
            self.anybody = True

    def _conjunction(self, place: int, token: Token) -> None:
        after = self._after(place)
        self.either |= token.word in {"or", "either"}
        if not self.in_condition and after is not None and (after.word.endswith("ing") or is_verb([token, after], 1)):
            self.link, self.link_used = "", False

    def _be(self, place: int, _token: Token) -> None:
        self.verb_next = False
        if place >= self.verb and not self.in_condition:
            self.head, self.link, self.link_used = "be", "", False

    def _have(self, place: int, _token: Token) -> None:
        after = self._after(place)
        if after is not None and after.tag == "be":
            return
        if place >= self.verb and not self.in_condition:
            self.head, self.link, self.link_used = "have", "", False
            self.modal = "must" if after is not None and after.word == "to" else self.modal

    def _do(self, place: int, _token: Token) -> None:
        if place >= self.verb and not self.in_condition:
            self.link, self.link_used, self.verb_next = "", False, True

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
        """Return True if an upper limit stands at a place: "may be at most 32" is a rule and not a guess."""
        measure = self.tokens[place].measure if place < len(self.tokens) else None
        return measure is not None and measure.low == -math.inf

    def _hedge(self, _place: int, token: Token) -> None:
        self.hedges.append(token.word)

    def _light(self, _place: int, token: Token) -> None:
        self.only |= token.word == "only"

    def _quantifier(self, place: int, token: Token) -> None:
        after, before = self._after(place), self._before(place)
        self.many = token.word in _SEVERAL
        before_number = after is not None and after.tag == "measure" and token.word != "all"
        if self.in_condition or before_number:
            return
        self.anybody |= token.word in _EVERYBODY and place < self.verb
        if not self.quantifier and not (before is not None and before.tag == "determiner"):
            self.quantifier = token.word
            self.quantifier_denied = before is not None and before.tag == "negation"

    def _negation(self, place: int, token: Token) -> None:
        if self.in_condition:
            self._add(Token(token.word, "not", "word"), place)
        elif token.word == "nor" and self.negations:
            return
        else:
            self.pending_negations.append(token.word)
            self.anybody |= token.word in _NOBODY and place < self.verb
            if token.word == "without":
                self.link, self.link_used = "with", False

    def _measure(self, place: int, token: Token) -> None:
        measure = token.measure
        if measure is None:
            return
        self._negate("#")
        if self.main_verb in _CHANGING:
            measure = self._new_value(place, measure)
        name = read_label(self.tokens, place, self.verb)
        if name and not self.in_condition:
            if name.startswith("version#"):
                self._add(Token("version", "version", "word"), place)
            self._add(Token(token.word, name, "word", name=True), place)
            return
        of = self._counted_noun(place)
        if self._is_total(place):
            self.figures[-1] = self.figures[-1]._replace(of=of)
            return
        is_version = measure.dimension in {"number", "version"} and is_label(self.tokens, place)
        self.figures.append(Figure(measure, self.link, self.head, of, is_version and place - 1 != self.verb))
        if measure.dimension != "number" and not self.in_condition:
            self.link, self.link_used = "", False

    def _new_value(self, place: int, measure: Measure) -> Measure:
        """Return a measure after a verb of change, without the old value: "from 10 to 30 seconds" is 30 seconds."""
        if measure.low < measure.high and math.isfinite(measure.low) and math.isfinite(measure.high):
            return measure._replace(low=measure.high, bound=False)
        if self.link == "to" and self.figures and self.tokens[place - 2].word.startswith("from "):
            self.figures.pop()
        return measure

    def _counted_noun(self, place: int) -> str:
        """Return the stem of what a number counts, or ""; it may come after another number: "2 and 3 rows"."""
        after = self._after(place)
        if after is not None and after.tag == "conjunction" and place + 2 < len(self.tokens):
            return self._counted_noun(place + 2) if self.tokens[place + 2].tag == "measure" else ""
        return after.stem if after is not None and after.tag == "word" and place + 1 != self.verb else ""

    def _is_total(self, place: int) -> bool:
        """Return True if the number before is a part of this number, as in "3 of the 40 tests"."""
        before = self.tokens[max(0, place - 3) : place]
        words = [token.word for token in before[-2:]]
        distance = 2 if words[-1:] == ["of"] else 3 if words[:1] == ["of"] and before[-1].tag == "determiner" else 0
        return 0 < distance <= place and self.tokens[place - distance].tag == "measure" and bool(self.figures)

    def _word(self, place: int, token: Token) -> None:
        after = self._after(place)
        particle = grammar.DENYING_VERBS.get(token.word)
        denies = particle is not None and (not particle or (after is not None and after.word == particle))
        if denies and not self.in_condition:
            self.pending_negations.append(token.word)
            return
        is_verbal = self.verb_next or place == self.verb or self._is_participle(place, token)
        if is_verbal and token.stem in _DROPPING and self.head == "be" and "support" in self.words:
            self.negations.append(Negation(token.word, "support"))  # "support for it was dropped"
            return
        if token.word in LIGHT_VERBS and is_verbal:
            self.head = "have"
        elif not self._read_count(place, token):
            self._add(token, place)
            if is_verbal and not self.in_condition:
                self.passive |= self.head == "be" and not token.word.endswith("ing")
                self.head, self.link, self.link_used = token.stem, "", False
                self.main_verb = self.main_verb or token.stem
                self.indefinite = self.many = False
        self.verb_next = False

    def _read_count(self, place: int, token: Token) -> bool:
        """Read "single" and "multiple" before a noun as its number; return True if the word says nothing else."""
        after, before = self._after(place), self._before(place)
        if after is None or after.tag != "word":
            return False
        self.many |= token.word in _SEVERAL
        if (
            token.word == "single"
            and not self.pending_negations
            and not (before is not None and before.tag == "quantifier")
        ):
            self.figures.append(Figure(_SINGLE, self.link, self.head, after.stem, label=False))
            return True
        return token.word in _ONLY_SEVERAL

    def _is_participle(self, place: int, token: Token) -> bool:
        """Return True if a word after "be" or "have" is a participle and not an adjective or noun."""
        after, before = self._after(place), self._before(place)
        if self.head != "be" and not (self.head == "have" and before is not None and before.tag in _BEFORE_PARTICIPLE):
            return False
        if before is not None and before.tag in _BEFORE_NOUN:
            return False
        if (
            after is not None
            and after.tag == "word"
            and after.word not in _TIME_ADVERBS
            and not after.word.endswith("ly")
        ):
            return False
        return token.word.endswith("ing") or token.word in _PARTICIPLES or is_past(token)

    def _add(self, token: Token, place: int) -> None:
        self._negate(token.stem)
        word = Word(token.stem, token.word, place < self.verb, self.link, self.head, token.name, self.indefinite)
        self.words.setdefault(token.stem, word)
        if self.many:
            self.plural.add(token.stem)
        self.last_stem, self.link_used = token.stem, bool(self.link)

    def _negate(self, target: str) -> None:
        """Let the pending negations apply to a word."""
        if self.pending_negations and not self.in_condition:
            self.negations += [Negation(word, target) for word in self.pending_negations]
            self.pending_negations = []

    _READERS: ClassVar[dict[str, Callable[["_ClauseReader", int, Token], None]]] = {
        "mark": _mark, "determiner": _determiner, "preposition": _preposition, "subordinator": _subordinator,
        "pronoun": _pronoun, "conjunction": _conjunction, "be": _be, "have": _have, "do": _do, "modal": _modal,
        "hedge": _hedge, "light": _light, "quantifier": _quantifier, "negation": _negation, "measure": _measure,
        "word": _word,
    }  # fmt: skip
