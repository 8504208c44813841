"""A synthesis: sub-results of different quality, merged, with what is known about each."""

from collections.abc import Iterable
from dataclasses import asdict, dataclass, field, replace
from typing import Any, NamedTuple

from howsure.errors import InputError, shown
from howsure.formulas.score import Score
from howsure.shapes import Count, Unit, decode
from howsure.syntheses.mishaps import mishap


@dataclass(frozen=True)
class SubResult:
    """What one sub-task returned."""

    id: str
    """Name of the sub-result, by which it is cited."""
    content: str = ""
    """What it says."""
    subtask: str = ""
    """What it was asked."""
    error: str | None = None
    """What went wrong, if it failed."""
    confidence: Unit | None = None
    """How sure it says it is; scored from its content, if not given."""
    sources: tuple[str, ...] = ()
    """What it rests on: files, addresses, documents."""

    def __post_init__(self) -> None:
        """Refuse one without a name, and texts that nobody can write down."""
        if not self.id.strip():
            raise InputError("a sub-result needs an id", field="id")
        for name in ("id", "content", "subtask", "error"):
            checked_text(getattr(self, name) or "", name)
        for place, source in enumerate(self.sources):
            checked_text(source, f"sources[{place}]")


def checked_text(text: Any, field: str) -> str:
    """Return a text; refuse what is none, or holds half a character."""
    if not isinstance(text, str):
        raise InputError(f"{shown(text)} is not a text", field=field, hint="in quotes")
    try:
        text.encode()
    except UnicodeEncodeError:
        raise InputError(f"{shown(text)} is broken Unicode (a lone surrogate)", field=field) from None
    return text


def sub_results(given: Any) -> list[SubResult]:
    """Read sub-results; refuse what is none, and two of one name.

    One that says nothing but an error, and not how sure it is, has failed.
    """
    if not isinstance(given, Iterable):
        raise InputError(f"{shown(given)} is not a list", field="results", hint="a list of sub-results")
    found: dict[str, SubResult] = {}
    for number, result in enumerate(given):
        try:
            one = decode(SubResult, result)
        except InputError as error:
            raise error.under(f"results[{number}]") from None
        if one.id in found:
            raise InputError(f"{shown(one.id)} is the id of two sub-results", field="results", hint="give each its own")
        said = mishap(one.content) if one.error is None and one.confidence is None else ""
        found[one.id] = replace(one, error=said) if said else one
    return list(found.values())


@dataclass(frozen=True)
class Rules:
    """How sub-results are merged."""

    minimum: Unit = 0.3
    """Confidence below which a sub-result is left out."""
    conflict_threshold: Unit = 0.5
    """Severity from which a conflict is told."""
    max_claims: Count = 50
    """How many claims are kept, the most confident ones."""
    provenance: bool = True
    """Whether each statement is attributed."""
    warn_below: Unit = 0.5
    """Overall confidence below which there is a warning."""


@dataclass(frozen=True)
class Statement:
    """A claim that a sub-result makes."""

    id: str
    statement: str
    confidence: float
    """How sure, by its sub-result and its own hedging."""
    source: str
    """Id of the sub-result that makes it."""
    evidence: str = ""
    """The text that it rests on."""


@dataclass(frozen=True)
class Clash:
    """Two claims that cannot, or hardly, both hold."""

    first: Statement
    second: Statement
    kind: str
    """contradiction, inconsistency or ambiguity."""
    severity: float
    """From 0, minor, to 1, major."""
    reason: str

    def as_dict(self) -> dict[str, Any]:
        """Return it as JSON-ready data, both sides cited."""
        sides = {
            name: {"id": side.id, "statement": side.statement, "source": side.source}
            for name, side in (("first", self.first), ("second", self.second))
        }
        return sides | {"kind": self.kind, "severity": self.severity, "reason": self.reason}


class Factor(NamedTuple):
    """One part of a confidence."""

    name: str
    score: float
    weight: float


@dataclass(frozen=True)
class Weighed:
    """A sub-result with its confidence, and what it claims."""

    result: SubResult
    confidence: float
    level: str
    interpretation: str
    why: str
    kept: bool
    """Whether it takes part; one that is not sure enough is left out."""
    statements: tuple[Statement, ...] = ()
    clashes: tuple[Clash, ...] = ()
    """Conflicts that it is part of."""
    factors: tuple[Factor, ...] = ()
    """What its confidence is made of, where the scorer tells."""

    def weighing(self) -> dict[str, Any]:
        """Return its numbers, without what it says: how sure it is, and how much it says."""
        numbers = {"confidence": self.confidence, "characters": len(self.result.content), "kept": self.kept}
        return {"id": short_id(self.result.id), **numbers, "failed": self.result.error is not None}


@dataclass(frozen=True)
class Synthesis:
    """What may be said when several sub-results are merged."""

    query: str
    content: str
    """The merged text; what to say instead, where nothing is sure enough."""
    overall: float
    level: str
    interpretation: str
    decision: str
    """`answer`, or `abstain` where nothing survived."""
    results: tuple[Weighed, ...]
    statements: tuple[Statement, ...]
    clashes: tuple[Clash, ...]
    warnings: tuple[str, ...]
    stages: dict[str, str] = field(default_factory=dict)
    """Who did each stage: `given`, `heuristic`, `offline`, the judge's model, or a function's name; maybe several."""
    rules: Rules = field(default_factory=Rules)
    """By what it was merged."""
    models: dict[str, dict[str, Any]] = field(default_factory=dict)
    """The models that computed its numbers: version and parameters of each."""
    score: Score | None = None
    """Every step to the overall confidence."""
    context: str = ""
    """What was known besides, when it was asked."""
    id: str | None = None
    """By this the ledger knows it."""

    def as_dict(self) -> dict[str, Any]:
        """Return everything as JSON-ready data: what came out, and what it takes to compute it again."""
        return {
            "id": self.id,
            "query": self.query,
            "context": self.context,
            "decision": self.decision,
            "overall": self.overall,
            "level": self.level,
            "interpretation": self.interpretation,
            "content": self.content,
            "results": [_weighed(one) for one in self.results],
            "claims": [dict(vars(one)) for one in self.statements],
            "conflicts": [clash.as_dict() for clash in self.clashes],
            "warnings": list(self.warnings),
            "stages": self.stages,
            "rules": asdict(self.rules),
            "models": self.models,
            "row": {} if self.score is None else self.score.row._asdict(),
            "steps": {} if self.score is None else self.score.steps._asdict(),
        }

    def as_markdown(self) -> str:
        """Return the text with its confidence, disagreements, warnings and a table of sources."""
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
            cells = (one.result.id, one.result.subtask, f"{one.confidence:.2f}", one.level, "yes" if one.kept else "no")
            lines.append("| " + " | ".join(_cell(cell) for cell in (*cells, ", ".join(one.result.sources))) + " |")
        return "\n".join(lines) + "\n"


def _weighed(one: Weighed) -> dict[str, Any]:
    return {
        "id": one.result.id,
        "subtask": one.result.subtask,
        "content": one.result.content,
        "error": one.result.error,
        "sources": list(one.result.sources),
        "given": one.result.confidence,
        "confidence": one.confidence,
        "factors": [factor._asdict() for factor in one.factors],
        "level": one.level,
        "interpretation": one.interpretation,
        "why": one.why,
        "kept": one.kept,
        "claims": [statement.id for statement in one.statements],
        "conflicts": [clash.as_dict() for clash in one.clashes],
    }


def one_line(text: str) -> str:
    """Return a text as one line, so that it cannot pass for several."""
    return " ".join(text.split())


def short_id(text: str) -> str:
    """Return the id of a sub-result as it is told beside its numbers."""
    return one_line(text)[:200]


def _cell(text: str) -> str:
    return one_line(text).replace("|", "\\|")
