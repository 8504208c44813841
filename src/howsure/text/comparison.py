"""Comparison: whether two clauses can both hold, and if not, why."""

from howsure.text.clause import Clause
from howsure.text.difference import Difference, difference
from howsure.text.exclusives import exclusion, same_slot
from howsure.text.judgement import VAGUE_WORDS, Clash, Judgement, exchanged

HEDGED = 0.6
"""What is left of a conflict's severity where one side hedges."""


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
    clash = Judgement(one, other, found).clash()
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
        return bool(found.turns) or (plain and not (_is_vague(found) or _exclude(one, other, found)))
    same = not found.turns and one.share == other.share and not (one.figures or other.figures)
    return same and plain and not exchanged(one, other) and one.quantifier == other.quantifier


def _is_vague(found: Difference) -> bool:
    return any(word.stem in VAGUE_WORDS for words in (found.rest, found.other_rest) for word in words)


def _exclude(one: Clause, other: Clause, found: Difference) -> bool:
    mine, theirs = same_slot(found.rest, found.other_rest)
    return bool(mine and theirs) and exclusion(one, other, mine, theirs) is not None
