"""The stages of a synthesis (score, extract, detect, combine) without a language model."""

from collections.abc import Callable, Sequence
from typing import Literal, NamedTuple

from howsure.errors import InputError, shown
from howsure.formulas.level import level_of
from howsure.formulas.overall import LEVELS
from howsure.formulas.spec import ModelSpec
from howsure.formulas.subresult import Subresult
from howsure.progress import Progress, silent
from howsure.syntheses.error_texts import find_error, remove_stack_traces
from howsure.syntheses.synthesis import (
    CitedStatement,
    ScoredResult,
    SubResult,
    SynthesisConflict,
    SynthesisFactor,
    SynthesisStatement,
    one_line,
)
from howsure.text.assertions import extract_assertions
from howsure.text.contradictions import Conflict, find_conflicts

HEDGE_COST, HEDGE_MOST = 0.1, 0.5
"""Share of a claim's confidence that each hedge takes, and that all of them take at most."""
MOST_CLAIMS = 12
"""Claims in an extract at most."""
UNSURE = 0.5
"""Confidence below which a claim is flagged as uncertain."""
LONGEST_RAW = 500
"""Characters of a sub-result without claims that an extract quotes."""
OFFLINE = "offline"
"""Name of the stages in this module."""


class Opinion(NamedTuple):
    """How sure a sub-result is, and why."""

    confidence: float
    why: str
    warning: str = ""
    by: str = ""
    """Who says so; the name of the scorer if empty."""
    factors: tuple[SynthesisFactor, ...] = ()
    """The parts of the confidence."""
    spec: ModelSpec | None = None
    """The model that computed it, if one did."""


ClaimTuple = tuple[str, float, str]
"""Statement, confidence and evidence of a claim."""
ConflictReader = Literal["rules", "installed"]
"""Who looks for conflicts: the rules, or also the reader that is installed."""
ConflictTuple = tuple[int, int, str, float, str]
"""First, second, kind, severity and reason of a conflict; the sides are indexes of statements."""


class Extraction(NamedTuple):
    """The claims of a sub-result, with a warning or the name of who extracted them."""

    claims: Sequence[ClaimTuple]
    warning: str = ""
    by: str = ""
    """Who extracted them; the name of the extractor if empty."""


class Detection(NamedTuple):
    """The conflicts among statements, with a warning or the name of who detected them."""

    conflicts: Sequence[ConflictTuple]
    warning: str = ""
    by: str = ""
    """Who detected them; the name of the detector if empty."""


class Material(NamedTuple):
    """What a combiner gets."""

    query: str
    context: str
    results: tuple[ScoredResult, ...]
    """The sub-results that are used, the most confident first."""
    claims: tuple[SynthesisStatement, ...]
    conflicts: tuple[SynthesisConflict, ...]
    cite_sources: bool


class Combination(NamedTuple):
    """The merged text."""

    content: str
    warning: str = ""
    by: str = ""
    """Who merged it; the name of the combiner if empty."""


Scorer = Callable[[SubResult, str, str], Opinion]
"""Scores a sub-result, given the query and its context."""
Extractor = Callable[[SubResult, float], Sequence[ClaimTuple] | Extraction]
"""Returns the claims of a sub-result, given its confidence."""
Detector = Callable[[Sequence[str]], Sequence[ConflictTuple] | Detection]
"""Returns the conflicts among statements."""
Combiner = Callable[[Material], Combination]
"""Merges the material into one text."""


def find_level(confidence: float) -> tuple[str, str]:
    """Return the name and the meaning of the level of a confidence."""
    level = level_of(confidence, LEVELS)
    return level.name, level.meaning


def score(result: SubResult, _query: str = "", _context: str = "", *, model: Subresult | None = None) -> Opinion:
    """Score a sub-result by its text: length, hedging, certainty and form. A failed or blank one scores 0."""
    if result.error is not None:
        return Opinion(0.0, f"the sub-task failed: {one_line(result.error)}"[:LONGEST_RAW], by="given")
    if result.is_blank:
        return Opinion(0.0, "it says nothing", by="given")
    if result.confidence is not None:
        return Opinion(result.confidence, "as it says itself", by="given")
    model = model or Subresult()
    scored = model.score({"content": result.content})
    parts = tuple(
        SynthesisFactor(name, part, getattr(model, f"weight_{name}")) for name, part in scored["factors"].items()
    )
    return Opinion(scored["score"], scored["reason"], by="heuristic", factors=parts, spec=scored.spec)


def extract(result: SubResult, confidence: float) -> list[ClaimTuple]:
    """Return the sentences of a sub-result that assert something; each hedge lowers the confidence.

    Error messages and stack traces assert nothing.
    """
    if find_error(result.content):
        return []
    return [
        (one.text, confidence * (1.0 - min(HEDGE_COST * len(one.hedges), HEDGE_MOST)), one.evidence)
        for one in extract_assertions(remove_stack_traces(result.content))
    ]


def detect(statements: Sequence[str], progress: Progress = silent) -> list[Conflict]:
    """Return which statements cannot both be true, or hardly.

    Raises:
        InputError: if a statement is not a text.
    """
    _check_statements(statements)
    return find_conflicts(statements, progress)


def detect_with_reader(statements: Sequence[str], progress: Progress = silent) -> Detection:
    """Return what `detect` does, and what the reader that is installed is sure of; their reason names it.

    If the reader fails, the rules decide alone, with a warning.

    Raises:
        InputError: if a statement is not a text.
    """
    from howsure.errors import MissingExtraError
    from howsure.reader import ReaderError, default_embedder, default_reader
    from howsure.reader.conflicts import read_conflicts

    _check_statements(statements)
    reader = default_reader()
    try:
        found = read_conflicts(statements, progress, reader, default_embedder())
        return Detection(found, by=reader.name)
    except (ReaderError, MissingExtraError) as error:
        return Detection(detect(statements, progress), f"conflicts were found without {reader.name}: {error}", OFFLINE)


def _check_statements(statements: Sequence[str]) -> None:
    """Raise InputError unless all statements are texts."""
    for place, statement in enumerate(statements):
        if not isinstance(statement, str):
            raise InputError(f"{shown(statement)} is not a text", field=f"statements[{place}]", hint="in quotes")


def combine(material: Material) -> Combination:
    """Return an extract: the claims of the sub-results, the most confident first, cited, and where they disagree."""
    same_claims: dict[str, list[SynthesisStatement]] = {}
    for claim in material.claims:
        same_claims.setdefault(" ".join(claim.statement.casefold().split()), []).append(claim)
    order = sorted(same_claims.values(), key=lambda same: -max(one.confidence for one in same))
    disputed = {side.id for conflict in material.conflicts for side in (conflict.first, conflict.second)}
    lines = [_line(same, disputed, cite=material.cite_sources) for same in order[:MOST_CLAIMS]]
    if not lines:  # no sub-result asserts anything: quote the most confident ones
        lines = [_quote(one, cite=material.cite_sources) for one in material.results if one.content.strip()]
        lines = lines[:MOST_CLAIMS]
    if len(order) > MOST_CLAIMS:
        lines.append(f"- ({len(order) - MOST_CLAIMS} more statements of lower confidence are left out)")
    if material.conflicts:
        lines += ["", "Where the sources disagree:"]
        lines += [
            f"- {_cite(conflict.first)} against {_cite(conflict.second)}: {conflict.kind}, {one_line(conflict.reason)}"
            for conflict in material.conflicts
        ]
    return Combination("\n".join(lines), by=OFFLINE)


def _cite(side: CitedStatement) -> str:
    return f'"{one_line(side.statement)}" [{one_line(side.source)}]'


def _quote(one: ScoredResult, *, cite: bool) -> str:
    text = one_line(one.content)
    ellipsis = "..." if len(text) > LONGEST_RAW else ""
    return f"- {text[:LONGEST_RAW]}{ellipsis}" + (f" [{one_line(one.id)}]" if cite else "")


def _line(same: list[SynthesisStatement], disputed: set[str], *, cite: bool) -> str:
    best = max(same, key=lambda one: one.confidence)
    flags = [] if best.confidence >= UNSURE else ["uncertain"]
    flags += ["disputed"] if any(one.id in disputed for one in same) else []
    mark = f"({', '.join(flags)}) " if flags else ""
    sources = ", ".join(dict.fromkeys(one_line(one.source) for one in same))
    return f"- {mark}{one_line(best.statement)}" + (f" [{sources}; {best.confidence:.2f}]" if cite else "")
