"""Shares: in how many cases a clause says that something holds."""

from typing import NamedTuple

from howsure.text.contradictions.tokens import Token
from howsure.text.words import grammar

_SHARES = {grammar.ALL: (1.0, 1.0), grammar.MOST: (0.51, 1.0), grammar.SOME: (0.01, 1.0), grammar.FEW: (0.01, 0.3)}
_PLURAL_VERBS = frozenset(["are", "were", "have", "do"])


class Share(NamedTuple):
    """What says in how many cases something holds."""

    quantifier: str
    modal: str
    negations: int
    denied: bool
    """Whether the quantifier itself is denied, as in "not all"."""

    def cases(self, clause: list[Token], verb: int) -> tuple[float, float]:
        """Return the share of cases, as a range.

        >>> from howsure.text.contradictions.tokens import tokens
        >>> Share("all", "", 1, True).cases(tokens("Not all tests pass."), 3)
        (0.0, 0.99)
        """
        level = grammar.QUANTIFIERS.get(self.quantifier, "")
        low, high = _SHARES.get(level, (1.0, 1.0))
        if not level and self.modal == "can":
            low, high = _SHARES[grammar.SOME]
        elif not level and _is_generic(clause, verb):
            low, high = _SHARES[grammar.MOST]
        if self.negations % 2 == 0:
            return low, high
        if self.denied and level == grammar.ALL:
            return 0.0, 0.99
        return (0.0, 0.0) if not level else (1.0 - high, 1.0 - low)


def _is_generic(clause: list[Token], place: int) -> bool:
    """Say whether a clause speaks of a kind of things, as in "tests pass"."""
    first = clause[0] if clause else None
    if first is None or first.tag != "word" or not 0 < place < len(clause):
        return False
    verb = clause[place]
    return clause[place - 1].word.endswith("s") and (
        verb.word in _PLURAL_VERBS or (verb.tag == "word" and (not verb.word.endswith("s") or verb.word.endswith("ss")))
    )
