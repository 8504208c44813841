"""Find conflicts with a reader: what the rules report first, then what the reader is sure of."""

from collections.abc import Sequence

from howsure.progress import Progress, silent
from howsure.reader.choose import default_reader
from howsure.reader.pair import PairProbabilities, Reader, TextPair, read_pairs
from howsure.reader.rules import RulesReader
from howsure.text.contradictions import Clash, Conflict, find_conflicts

SURE = 0.9
"""Probability of contradiction, in both orders, from which a pair is reported that the rules do not report."""


def read_conflicts(
    statements: Sequence[str], progress: Progress = silent, reader: Reader | None = None
) -> list[Conflict]:
    """Return the conflicts among statements; default: with the reader that is installed.

    What the rules report stays as it is. Of the other pairs about the same, the reader reads up to 400 in both orders
    and reports those of which it is sure; their reason names the reader. If there are only the rules, they decide.

    Raises:
        ReaderError: if the reader fails.
    """
    reader = reader or default_reader()
    if isinstance(reader, RulesReader):
        return find_conflicts(statements, progress)

    def read(pairs: Sequence[tuple[str, str]]) -> list[Clash | None]:
        return judge_unreported(reader, pairs)

    return find_conflicts(statements, progress, read)


def judge_unreported(reader: Reader, pairs: Sequence[tuple[str, str]]) -> list[Clash | None]:
    """Return a clash for each pair that the reader is sure of in both orders, else None."""
    return [clash_of(reader, there, back) for there, back in read_both_orders(reader, pairs)]


def read_both_orders(
    reader: Reader, pairs: Sequence[tuple[str, str]]
) -> list[tuple[PairProbabilities, PairProbabilities]]:
    """Return the results of each pair and of the pair reversed."""
    both = [TextPair(*pair) for pair in pairs] + [TextPair(second, first) for first, second in pairs]
    results = read_pairs(reader, both)
    return list(zip(results[: len(pairs)], results[len(pairs) :], strict=True))


def clash_of(reader: Reader, there: PairProbabilities, back: PairProbabilities) -> Clash | None:
    """Return a clash if both results are sure of a contradiction, else None."""
    chance = min(there.contradiction, back.contradiction)
    if chance < SURE:
        return None
    return Clash("inconsistency", round(chance, 4), f"read so by {reader.name} {reader.version}")
