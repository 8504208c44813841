"""The stages of a synthesis, each as it works without a language model."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from howsure.errors import InputError, shown
from howsure.formulas.level import level_of
from howsure.formulas.overall import LEVELS
from howsure.formulas.spec import Spec
from howsure.formulas.subresult import Subresult
from howsure.progress import Progress, silent
from howsure.syntheses.mishaps import mishap, without_traces
from howsure.syntheses.synthesis import Clash, Factor, Statement, SubResult, Weighed, one_line
from howsure.text.assertions import extract_assertions
from howsure.text.contradictions import find_conflicts

HEDGE_COST, HEDGE_MOST = 0.1, 0.5
"""What each hedge takes from a claim's confidence, and what all of them together can take."""
MOST_SAID = 12
"""Statements that an extract holds at most."""
UNSURE = 0.5
"""Confidence below which a statement is flagged."""
LONGEST_RAW = 500
"""Characters that an extract takes of a source that asserts nothing."""
OFFLINE = "offline"
"""Who does a stage where no language model is asked."""


class Opinion(NamedTuple):
    """How sure a sub-result is, and why."""

    confidence: float
    why: str
    warning: str = ""
    by: str = ""
    """Who says so; the scorer's own name, if empty."""
    factors: tuple[Factor, ...] = ()
    """What the confidence is made of."""
    spec: Spec | None = None
    """The model that it was computed by, if it was."""


Claim = tuple[str, float, str]
"""Statement, confidence and evidence of a claim."""
Conflict = tuple[int, int, str, float, str]
"""First, second, kind, severity and reason of a conflict; both sides by their place, from 0."""


class Extracted(NamedTuple):
    """The claims of a sub-result, where there is more to tell than these."""

    claims: Sequence[Claim]
    warning: str = ""
    by: str = ""
    """Who found them; the extractor's own name, if empty."""


class Detected(NamedTuple):
    """The conflicts among statements, where there is more to tell than these."""

    conflicts: Sequence[Conflict]
    warning: str = ""
    by: str = ""
    """Who found them; the detector's own name, if empty."""


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
    by: str = ""
    """Who merged it; the combiner's own name, if empty."""


Scorer = Callable[[SubResult, str, str], Opinion]
"""Scores a sub-result, given the query and its context."""
Extractor = Callable[[SubResult, float], Sequence[Claim] | Extracted]
"""Gives the claims of a sub-result, whose confidence it is told."""
Detector = Callable[[Sequence[str]], Sequence[Conflict] | Detected]
"""Gives the conflicts among statements."""
Combiner = Callable[[Material], Combined]
"""Merges what there is into one text."""


def level(confidence: float) -> tuple[str, str]:
    """Return the name of a confidence's level, and what it means."""
    found = level_of(confidence, LEVELS)
    return found.name, found.meaning


def heuristic(result: SubResult, _query: str = "", _context: str = "") -> Opinion:
    """Score a sub-result by its text: length, hedging, certainty and form. One that failed scores 0."""
    if result.error is not None:
        return Opinion(0.0, f"the sub-task failed: {one_line(result.error)}"[:LONGEST_RAW], by="given")
    if result.confidence is not None:
        return Opinion(result.confidence, "as it says itself", by="given")
    model = Subresult()
    score = model.score({"content": result.content})
    parts = tuple(Factor(name, part, getattr(model, f"weight_{name}")) for name, part in score["factors"].items())
    return Opinion(score["score"], score["reason"], by="heuristic", factors=parts, spec=score.spec)


def extract(result: SubResult, confidence: float) -> list[Claim]:
    """Return the sentences of a sub-result that assert something; hedges lower their confidence.

    What a program says when it fails, an error or a stack trace, asserts nothing.
    """
    if mishap(result.content):
        return []
    return [
        (found.text, confidence * (1.0 - min(HEDGE_COST * len(found.hedges), HEDGE_MOST)), found.evidence)
        for found in extract_assertions(without_traces(result.content))
    ]


def detect(statements: Sequence[str], progress: Progress = silent) -> list[Conflict]:
    """Return which statements cannot, or hardly, both hold."""
    for place, statement in enumerate(statements):
        if not isinstance(statement, str):
            raise InputError(f"{shown(statement)} is not a text", field=f"statements[{place}]", hint="in quotes")
    return [(one.first, one.second, one.kind, one.severity, one.reason) for one in find_conflicts(statements, progress)]


def extractive(material: Material) -> Combined:
    """Return an extract: what the sources assert, the surest first, with attribution, and where they disagree."""
    said: dict[str, list[Statement]] = {}
    for statement in material.statements:
        said.setdefault(" ".join(statement.statement.casefold().split()), []).append(statement)
    order = sorted(said.values(), key=lambda same: -max(one.confidence for one in same))
    disputed = {side.id for clash in material.clashes for side in (clash.first, clash.second)}
    lines = [_line(same, disputed, provenance=material.provenance) for same in order[:MOST_SAID]]
    if not lines:  # nothing asserts anything: say what the surest sources say
        lines = [_raw(one, provenance=material.provenance) for one in material.results if one.result.content.strip()]
        lines = lines[:MOST_SAID]
    if len(order) > MOST_SAID:
        lines.append(f"- ({len(order) - MOST_SAID} more statements of lower confidence are left out)")
    if material.clashes:
        lines += ["", "Where the sources disagree:"]
        lines += [
            f"- {_cited(clash.first)} against {_cited(clash.second)}: {clash.kind}, {one_line(clash.reason)}"
            for clash in material.clashes
        ]
    return Combined("\n".join(lines), by=OFFLINE)


def _cited(side: Statement) -> str:
    return f'"{one_line(side.statement)}" [{one_line(side.source)}]'


def _raw(one: Weighed, *, provenance: bool) -> str:
    said = one_line(one.result.content)
    cut = "..." if len(said) > LONGEST_RAW else ""
    return f"- {said[:LONGEST_RAW]}{cut}" + (f" [{one_line(one.result.id)}]" if provenance else "")


def _line(same: list[Statement], disputed: set[str], *, provenance: bool) -> str:
    best = max(same, key=lambda one: one.confidence)
    flags = [] if best.confidence >= UNSURE else ["uncertain"]
    flags += ["disputed"] if any(one.id in disputed for one in same) else []
    mark = f"({', '.join(flags)}) " if flags else ""
    sources = ", ".join(dict.fromkeys(one_line(one.source) for one in same))
    return f"- {mark}{one_line(best.statement)}" + (f" [{sources}; {best.confidence:.2f}]" if provenance else "")
