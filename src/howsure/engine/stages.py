"""The stages of a synthesis, each as it works without a language model."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from howsure.core.level import level_of
from howsure.engine.synthesis import Clash, Statement, SubResult, Weighed
from howsure.models.overall import LEVELS
from howsure.models.subresult import Subresult
from howsure.text.conflicts import Progress, conflicts
from howsure.text.extraction import assertions

HEDGE_COST, HEDGE_MOST = 0.1, 0.5
"""What each hedge takes from a claim's confidence, and what all of them together can take."""
MOST_SAID = 12
"""Statements that an extract holds at most."""
UNSURE = 0.5
"""Confidence below which a statement is flagged."""


class Opinion(NamedTuple):
    """How sure a sub-result is, and why."""

    confidence: float
    why: str
    warning: str = ""


class Material(NamedTuple):
    """What there is to combine."""

    query: str
    context: str
    results: tuple[Weighed, ...]
    """The sub-results that are kept, the surest first."""
    statements: tuple[Statement, ...]
    clashes: tuple[Clash, ...]
    provenance: bool


class Combined(NamedTuple):
    """The merged text."""

    content: str
    warning: str = ""
    by: str = "offline"


Scorer = Callable[[SubResult, str, str], Opinion]
"""Scores a sub-result, given the query and its context."""
Extractor = Callable[[SubResult, float], Sequence[tuple[str, float, str]]]
"""Gives statement, confidence and evidence of each claim of a sub-result."""
Detector = Callable[[Sequence[str]], Sequence[tuple[int, int, str, float, str]]]
"""Gives first, second, kind, severity and reason of each conflict among statements."""
Combiner = Callable[[Material], Combined]
"""Merges what there is into one text."""


def level(confidence: float) -> tuple[str, str]:
    """Return the name of a confidence's level, and what it means."""
    found = level_of(confidence, LEVELS)
    return found.name, found.meaning


def heuristic(result: SubResult, _query: str = "", _context: str = "") -> Opinion:
    """Score a sub-result by its text: length, hedging, certainty and form. One that failed scores 0."""
    if result.error is not None:
        return Opinion(0.0, f"the sub-task failed: {result.error}"[:500])
    if result.confidence is not None:
        return Opinion(result.confidence, "as it says itself")
    score = Subresult().score({"content": result.content})
    return Opinion(score["score"], score["reason"])


def extract(result: SubResult, confidence: float) -> list[tuple[str, float, str]]:
    """Return the sentences of a sub-result that assert something; hedges lower their confidence."""
    return [
        (found.text, confidence * (1.0 - min(HEDGE_COST * len(found.hedges), HEDGE_MOST)), found.evidence)
        for found in assertions(result.content)
    ]


def detect(statements: Sequence[str], progress: Progress | None = None) -> list[tuple[int, int, str, float, str]]:
    """Return which statements cannot, or hardly, both hold."""
    return [(one.first, one.second, one.kind, one.severity, one.reason) for one in conflicts(statements, progress)]


def extractive(material: Material) -> Combined:
    """Return an extract: what the sources assert, the surest first, with attribution, and where they disagree."""
    said: dict[str, list[Statement]] = {}
    for statement in material.statements:
        said.setdefault(" ".join(statement.statement.casefold().split()), []).append(statement)
    order = sorted(said.values(), key=lambda same: -max(one.confidence for one in same))
    disputed = {side.id for clash in material.clashes for side in (clash.first, clash.second)}
    lines = [_line(same, disputed, provenance=material.provenance) for same in order[:MOST_SAID]]
    if not lines:  # nothing asserts anything: say what the surest source says
        best = material.results[0]
        lines = [
            f"- {' '.join(best.result.content.split())[:500]}" + (f" [{best.result.id}]" if material.provenance else "")
        ]
    if len(order) > MOST_SAID:
        lines.append(f"- ({len(order) - MOST_SAID} more statements of lower confidence are left out)")
    if material.clashes:
        lines += ["", "Where the sources disagree:"]
        lines += [
            f'- "{clash.first.statement}" [{clash.first.source}] against "{clash.second.statement}" '
            f"[{clash.second.source}]: {clash.kind}, {clash.reason}"
            for clash in material.clashes
        ]
    return Combined("\n".join(lines))


def _line(same: list[Statement], disputed: set[str], *, provenance: bool) -> str:
    best = max(same, key=lambda one: one.confidence)
    flags = [] if best.confidence >= UNSURE else ["uncertain"]
    flags += ["disputed"] if any(one.id in disputed for one in same) else []
    mark = f"({', '.join(flags)}) " if flags else ""
    sources = ", ".join(dict.fromkeys(one.source for one in same))
    return f"- {mark}{best.statement}" + (f" [{sources}; {best.confidence:.2f}]" if provenance else "")
