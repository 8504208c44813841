"""Find conflicts with a reader: what the rules report first, then what the reader is sure of."""

from collections.abc import Sequence

from howsure.progress import Progress, silent
from howsure.reader.choose import default_reader
from howsure.reader.pair import Reader, TextPair, read_pairs
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
    both = [TextPair(*pair) for pair in pairs] + [TextPair(second, first) for first, second in pairs]
    chances = [result.contradiction for result in read_pairs(reader, both)]
    clashes: list[Clash | None] = []
    for place in range(len(pairs)):
        chance = min(chances[place], chances[place + len(pairs)])
        reason = f"read so by {reader.name} {reader.version}"
        clashes.append(Clash("inconsistency", round(chance, 4), reason) if chance >= SURE else None)
    return clashes
