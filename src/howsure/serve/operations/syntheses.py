"""Syntheses: what may be said when sub-results of different quality are merged."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NotRequired, TypedDict

from howsure.claims.add import check_namespace, check_text
from howsure.errors import InputError
from howsure.formulas.ops import at_least
from howsure.operation import Tool
from howsure.serve.operations.operation import operation
from howsure.serve.operations.responses import About
from howsure.shapes import Unit
from howsure.syntheses.findings import keep
from howsure.syntheses.stages import detect
from howsure.syntheses.synthesis import Rules, SubResult

if TYPE_CHECKING:
    from howsure.sure import Sure

MOST = 5000
"""Statements that are compared in one call."""


@dataclass(frozen=True)
class Merging(About):
    """Sub-results to merge."""

    query: str = ""
    """The question."""
    results: tuple[SubResult, ...] = ()
    """What each sub-task returned."""
    context: str = ""
    """What else is known about the question."""
    rules: Rules = field(default_factory=Rules)
    """How sub-results are merged."""
    judge: bool = False
    """Let the language model that is set do every stage; it may cost money."""
    keep: str | None = None
    """A namespace: keep what was found among the claims there."""

    def __post_init__(self) -> None:
        """Refuse what could not be kept."""
        if self.keep is not None:
            check_text("namespace", self.keep, "keep")
            try:
                check_namespace(self.keep)
            except InputError as error:
                raise InputError(error.problem, field="keep", hint=error.hint) from None


@dataclass(frozen=True)
class Statements:
    """Statements to compare."""

    statements: tuple[str, ...]
    """Each in a sentence of its own."""
    threshold: Unit = 0.5
    """Severity from which a conflict is told."""

    def __post_init__(self) -> None:
        """Refuse more than can be compared in time."""
        if len(self.statements) > MOST:
            problem = f"{len(self.statements):,} statements are too many"
            raise InputError(problem, field="statements", hint=f"at most {MOST:,}; howsure conflicts takes more")


class Side(TypedDict):
    """One side of a conflict."""

    id: str
    statement: str
    source: str


class Clash(TypedDict):
    """Two claims that cannot, or hardly, both hold."""

    first: Side
    second: Side
    kind: str
    severity: float
    reason: str


class Weighed(TypedDict):
    """A sub-result with its confidence."""

    id: str
    subtask: str
    error: str | None
    sources: list[str]
    confidence: float
    level: str
    interpretation: str
    why: str
    kept: bool
    """Whether it takes part."""
    claims: list[str]
    conflicts: list[Clash]


class Said(TypedDict):
    """A claim that a sub-result makes."""

    id: str
    statement: str
    confidence: float
    source: str
    evidence: str


class Kept(TypedDict):
    """What became of it among the claims."""

    claims: dict[str, str]
    """Id of the claim for each statement's id."""
    created: int
    corroborated: int
    related: int
    conclusion: str | None


class Synthesis(TypedDict):
    """What may be said, and how sure that is."""

    id: str | None
    """By this the ledger knows it."""
    query: str
    decision: str
    """answer, or abstain where nothing was sure enough."""
    overall: float
    level: str
    interpretation: str
    content: str
    results: list[Weighed]
    claims: list[Said]
    conflicts: list[Clash]
    warnings: list[str]
    stages: dict[str, str]
    """Who did each stage."""
    kept: NotRequired[Kept]
    """What became of it among the claims, if that was asked for."""
    context: NotRequired[str]
    rules: NotRequired[dict[str, Any]]
    models: NotRequired[dict[str, Any]]
    """What the numbers were made by."""
    row: NotRequired[dict[str, Any]]
    """The numbers that went into the overall confidence."""
    steps: NotRequired[dict[str, Any]]
    """The numbers that came out, in order."""


class Conflict(TypedDict):
    """Two statements that cannot, or hardly, both hold."""

    first: int
    """Place of the one in the list, from 0."""
    second: int
    kind: str
    """contradiction, inconsistency or ambiguity."""
    severity: float
    reason: str


class Conflicts(TypedDict):
    """The conflicts among statements, the gravest first."""

    conflicts: list[Conflict]


@operation(
    "syntheses.combine",
    "POST /v1/syntheses/combine",
    scope="write",
    answer=Synthesis,
    example={
        "query": "Is the cache safe?",
        "results": [
            {"id": "docs", "content": "The cache is safe to share between threads."},
            {"id": "tests", "content": "The cache is not safe to share between threads.", "confidence": 0.7},
        ],
    },
    tool=Tool(
        "combine_results",
        "Combine results",
        "Merge what several sub-tasks or agents returned into one answer: weak results are left out, each statement is "
        "attributed, disagreements are told instead of hidden, and the whole has a confidence. If the decision is "
        "`abstain`, say that you do not know.",
        parameters=("query", "results", "context", "keep", "agent", "project", "trace_id"),
        omit=("stages", "context", "rules", "models", "row", "steps"),
    ),
    slow=True,
)
def combine(sure: "Sure", given: Merging) -> Any:
    """Merge sub-results into one answer, with its confidence, its disagreements and its warnings."""
    by = sure.syntheses.judged() if given.judge else sure.syntheses
    found = by.combine(given.query, given.results, context=given.context, rules=given.rules, **given.about())
    if given.keep is None or found.decision != "answer":
        return found.as_dict()
    return found.as_dict() | {"kept": keep(sure.claims, found, given.keep)._asdict()}


@operation(
    "syntheses.conflicts",
    "POST /v1/syntheses/conflicts",
    scope="read",
    answer=Conflicts,
    example={"statements": ["The function returns nil on error", "The function never returns nil"]},
    tool=Tool(
        "find_conflicts",
        "Find conflicts",
        "Which of these statements cannot, or hardly, both hold? Use it on what several sources say before you put it "
        "together. Answers pairs by their places in the list, with the reason.",
        idempotent=True,
    ),
    slow=True,
)
def conflicts(_sure: "Sure", given: Statements) -> Any:
    """Find statements that contradict each other, the gravest first."""
    names = ("first", "second", "kind", "severity", "reason")
    found = [dict(zip(names, one, strict=True)) for one in detect(given.statements)]
    kept = [one for one in found if at_least(one["severity"], given.threshold)]
    return {"conflicts": sorted(kept, key=lambda one: -one["severity"])}
