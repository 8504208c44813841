"""What goes into a synthesis (sub-results, rules) and what comes out of it (claims, conflicts, the merged text)."""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from howsure.errors import InputError, shown
from howsure.shapes import Count, Unit, decode
from howsure.syntheses.error_texts import find_error
from howsure.wording import pluralize


@dataclass(frozen=True)
class SubResult:
    """What one sub-task returned."""

    id: str
    """Name of the sub-result, by which it is cited."""
    content: str = ""
    """Its text."""
    subtask: str = ""
    """What it was asked."""
    error: str | None = None
    """What went wrong, if it failed."""
    confidence: Unit | None = None
    """Its own confidence; computed from the content if not given."""
    sources: tuple[str, ...] = ()
    """What it rests on: files, addresses, documents."""

    def __post_init__(self) -> None:
        """Raise InputError if the id is blank or a text is broken Unicode."""
        if not self.id.strip():
            raise InputError("a sub-result needs an id", field="id")
        for name in ("id", "content", "subtask", "error"):
            check_unicode(getattr(self, name) or "", name)
        for place, source in enumerate(self.sources):
            check_unicode(source, f"sources[{place}]")

    @property
    def is_blank(self) -> bool:
        """Whether it did not fail and yet says nothing: its text is empty or only white space."""
        return self.error is None and not self.content.strip()


def check_unicode(text: Any, field: str) -> str:
    """Return a text; raise InputError if it is not a text or is broken Unicode (a lone surrogate)."""
    if not isinstance(text, str):
        raise InputError(f"{shown(text)} is not a text", field=field, hint="in quotes")
    try:
        text.encode()
    except UnicodeEncodeError:
        raise InputError(f"{shown(text)} is broken Unicode (a lone surrogate)", field=field) from None
    return text


def read_sub_results(data: Any) -> list[SubResult]:
    """Return sub-results from data. One whose content is nothing but an error, without a confidence, is marked failed.

    Raises:
        InputError: if one has the wrong shape, or two have the same id.
    """
    if not isinstance(data, Iterable):
        raise InputError(f"{shown(data)} is not a list", field="results", hint="a list of sub-results")
    results: dict[str, SubResult] = {}
    for number, item in enumerate(data):
        try:
            result = decode(SubResult, item)
        except InputError as error:
            raise error.under(f"results[{number}]") from None
        if result.id in results:
            problem = f"{shown(result.id)} is the id of two sub-results"
            raise InputError(problem, field="results", hint="give each its own")
        error_text = find_error(result.content) if result.error is None and result.confidence is None else ""
        results[result.id] = replace(result, error=error_text) if error_text else result
    return list(results.values())


@dataclass(frozen=True)
class SynthesisRules:
    """How sub-results are merged."""

    minimum: Unit = 0.3
    """Confidence below which a sub-result is left out."""
    conflict_threshold: Unit = 0.5
    """Severity from which a conflict is reported."""
    max_claims: Count = 50
    """How many claims are used, the most confident ones."""
    provenance: bool = True
    """Whether each claim in the text names its sub-result."""
    warn_below: Unit = 0.5
    """Overall confidence below which there is a warning."""


@dataclass(frozen=True)
class SynthesisStatement:
    """A claim that a sub-result makes."""

    id: str
    statement: str
    confidence: float
    """The confidence of its sub-result, less for each hedge."""
    source: str
    """Id of the sub-result that makes it."""
    evidence: str = ""
    """The text that it rests on."""


@dataclass(frozen=True)
class CitedStatement:
    """One side of a conflict."""

    id: str
    statement: str
    source: str
    """Id of the sub-result that says so."""


@dataclass(frozen=True)
class SynthesisConflict:
    """Two claims that cannot both be true, or hardly."""

    first: CitedStatement
    second: CitedStatement
    kind: str
    """contradiction, inconsistency or ambiguity."""
    severity: float
    """From 0 (minor) to 1 (major)."""
    reason: str


class SynthesisFactor(NamedTuple):
    """One part of a confidence."""

    name: str
    score: float
    weight: float


@dataclass(frozen=True)
class ScoredResult:
    """A sub-result with its confidence, its claims and its conflicts."""

    id: str
    subtask: str
    content: str
    error: str | None
    sources: tuple[str, ...]
    given: float | None
    """Its own confidence, if it gave one."""
    confidence: float
    factors: tuple[SynthesisFactor, ...]
    """The parts of its confidence, if the scorer reports them."""
    level: str
    interpretation: str
    """What the confidence means; conflicts, if it is part of any."""
    why: str
    kept: bool
    """Whether it is used; one with too little confidence, or without a text, is left out."""
    claims: tuple[str, ...] = ()
    """Ids of its claims."""
    conflicts: tuple[SynthesisConflict, ...] = ()
    """Conflicts that it is part of."""

    def numbers(self) -> dict[str, Any]:
        """Return its numbers without its text, as the ledger and charts keep them."""
        numbers = {"confidence": self.confidence, "characters": len(self.content), "kept": self.kept}
        return {"id": short_id(self.id), **numbers, "failed": self.error is not None}


@dataclass(frozen=True)
class SynthesisFindings:
    """Which claims of a synthesis were stored, and its conclusion."""

    claims: dict[str, str]
    """Id of the stored claim for the id of each claim of the synthesis."""
    created: int
    corroborated: int
    related: int
    """Contradictions that are new."""
    conclusion: str | None
    """Id of the derived claim with the conclusion."""
    warning: str = ""
    """Why there is no conclusion, if it could not be stored."""


@dataclass(frozen=True)
class Synthesis:
    """Several sub-results merged into one text, and how sure it is."""

    id: str | None
    """Id of the decision in the ledger."""
    query: str
    context: str
    """What else was known about the query."""
    decision: str
    """`answer`, or `abstain` if no sub-result is sure enough."""
    overall: float
    """The confidence of the whole."""
    level: str
    interpretation: str
    """What the confidence means; conflicts, if there are any."""
    content: str
    """The merged text, or what to say instead."""
    results: tuple[ScoredResult, ...]
    claims: tuple[SynthesisStatement, ...]
    """What the sub-results claim, the most confident first."""
    conflicts: tuple[SynthesisConflict, ...]
    """The most severe first."""
    warnings: tuple[str, ...]
    stages: dict[str, str]
    """Who did each stage: `given`, `heuristic`, `offline`, the judge's model, or the name of a function."""
    rules: SynthesisRules
    models: dict[str, dict[str, Any]]
    """Version and parameters of the models that computed the numbers."""
    row: dict[str, Any] = field(default_factory=dict)
    """The numbers that went into the overall confidence."""
    steps: dict[str, Any] = field(default_factory=dict)
    """The intermediate numbers of the overall confidence, in order."""
    kept: SynthesisFindings | None = None
    """What became of it among the claims, if that was asked for."""

    def as_markdown(self) -> str:
        """Return the text with its confidence, warnings and a table of sources."""
        lines = [f"# {one_line(self.query)}", "", self.content, ""]
        lines.append(f"**Confidence {self.overall:.2f} ({self.level})**: {self.interpretation}.")
        if self.warnings:
            lines += ["", "## Warnings", "", *(f"- {one_line(warning)}" for warning in self.warnings)]
        lines += [
            "",
            "## Sources",
            "",
            "| source | subtask | confidence | level | used | rests on |",
            "|---|---|---|---|---|---|",
        ]
        for one in self.results:
            cells = (one.id, one.subtask, f"{one.confidence:.2f}", one.level, "yes" if one.kept else "no")
            lines.append("| " + " | ".join(_cell(cell) for cell in (*cells, ", ".join(one.sources))) + " |")
        return "\n".join(lines) + "\n"


def interpret(meaning: str, claims: Iterable[str], conflicts: Iterable[SynthesisConflict]) -> str:
    """Return what a confidence means; if some of these claims (their ids) are in conflict, that instead.

    The confidence takes no account of conflicts, so the meaning of its level may be wrong then.
    """
    claims = set(claims)
    disputed = claims & {side.id for one in conflicts for side in (one.first, one.second)}
    if not disputed:
        return meaning
    return f"Disputed: {len(disputed)} of {pluralize(len(claims), 'statement')} in conflict, which the number ignores"


def one_line(text: str) -> str:
    """Return a text on one line, so that it cannot be mistaken for several."""
    return " ".join(text.split())


def short_id(text: str) -> str:
    """Return the id of a sub-result on one line, cut to 200 characters."""
    return one_line(text)[:200]


def _cell(text: str) -> str:
    return one_line(text).replace("|", "\\|")
