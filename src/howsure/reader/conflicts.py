"""Find conflicts by rules, and with a reader those that the rules do not report."""

from collections.abc import Sequence
from collections.abc import Set as AbstractSet

from howsure.progress import Progress, silent
from howsure.reader.choose import default_reader
from howsure.reader.embedder import Embedder, default_embedder
from howsure.reader.near_pairs import MAX_EMBEDDED, find_near_pairs
from howsure.reader.pair import PairProbabilities, Reader, TextPair, read_pairs
from howsure.reader.rules import RulesReader
from howsure.text.contradictions import Clash, Conflict, find_conflicts

SURE = 0.9
"""Probability of contradiction, in both orders, from which a pair is reported that the rules do not report."""


MAX_NEAR = 300
"""Pairs near each other in meaning that are read: about six seconds of processor time."""


def read_conflicts(
    statements: Sequence[str],
    progress: Progress = silent,
    reader: Reader | None = None,
    embedder: Embedder | None = None,
) -> list[Conflict]:
    """Return the conflicts among statements; without a reader, with reader and embedder that are installed.

    What the rules report stays as it is. Of the other pairs about the same, the reader reads up to 400 in both orders
    and reports those of which it is sure; their reason names the reader. If there are only the rules, they decide. With
    an embedder, the reader also reads up to 300 pairs that are near in meaning, whatever words they share.

    Raises:
        ReaderError: if the reader or the embedder fails.
    """
    if reader is None:
        reader, embedder = default_reader(), embedder or default_embedder()
    if isinstance(reader, RulesReader):
        return find_conflicts(statements, progress)
    seen: set[frozenset[str]] = set()

    def read(pairs: Sequence[tuple[str, str]]) -> list[Clash | None]:
        seen.update(frozenset(pair) for pair in pairs)
        return judge_unreported(reader, pairs)

    conflicts = find_conflicts(statements, progress, read)
    return conflicts if embedder is None else _with_near(reader, embedder, statements, conflicts, seen, progress)


def _with_near(
    reader: Reader,
    embedder: Embedder,
    statements: Sequence[str],
    conflicts: list[Conflict],
    seen: AbstractSet[frozenset[str]],
    progress: Progress,
) -> list[Conflict]:
    """Add conflicts between statements that are near in meaning and were not read yet."""
    places: dict[str, int] = {}
    for place, text in enumerate(statements):
        places.setdefault(" ".join(text.split()), place)
    places.pop("", None)
    reported = {place for conflict in conflicts for place in conflict[:2]}
    # Of a long list not all are embedded: first those of which nothing is reported yet.
    texts = sorted(places, key=lambda text: (places[text] in reported, places[text]))
    progress("embedding statements", 0, min(len(texts), MAX_EMBEDDED))
    known = {frozenset(" ".join(statements[place].split()) for place in conflict[:2]) for conflict in conflicts} | seen
    near = [(texts[one], texts[other]) for one, other in find_near_pairs(embedder, texts)]
    near = [pair for pair in near if frozenset(pair) not in known][:MAX_NEAR]
    progress("reading pairs", 0, len(near))
    more = []
    for pair, clash in zip(near, judge_unreported(reader, near), strict=True):
        if clash is not None:
            first, second = sorted(places[text] for text in pair)
            more.append(Conflict(first, second, clash.kind, clash.severity, clash.reason))
    return sorted([*conflicts, *more])


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
