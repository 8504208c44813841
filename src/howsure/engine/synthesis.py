"""A synthesis: sub-results of different quality, merged, with what is known about each."""

from dataclasses import dataclass, field
from typing import Any

from howsure.core.shape import Count, Unit
from howsure.errors import InputError


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
        """Refuse one without a name."""
        if not self.id.strip():
            raise InputError("a sub-result needs an id", field="id")


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
    """Who did each stage: `heuristic` or `offline`, or the judge's name."""
    id: str | None = None
    """By this the ledger knows it."""

    def as_dict(self) -> dict[str, Any]:
        """Return everything as JSON-ready data."""
        return {
            "id": self.id,
            "query": self.query,
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
        }

    def as_markdown(self) -> str:
        """Return the text with its confidence, disagreements, warnings and a table of sources."""
        lines = [f"# {_plain(self.query)}", "", self.content, ""]
        lines.append(f"**Confidence {self.overall:.2f} ({self.level})**: {self.interpretation}.")
        if self.warnings:
            lines += ["", "## Warnings", "", *(f"- {_plain(warning)}" for warning in self.warnings)]
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
        "error": one.result.error,
        "sources": list(one.result.sources),
        "confidence": one.confidence,
        "level": one.level,
        "interpretation": one.interpretation,
        "why": one.why,
        "kept": one.kept,
        "claims": [statement.id for statement in one.statements],
        "conflicts": [clash.as_dict() for clash in one.clashes],
    }


def _plain(text: str) -> str:
    """Return a text as one line."""
    return " ".join(text.split())


def _cell(text: str) -> str:
    return _plain(text).replace("|", "\\|")
