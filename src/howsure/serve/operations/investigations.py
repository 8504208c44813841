"""Investigations: how sure are we, given what was found so far? Evidence is kept under a trace, call by call."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from howsure.agents.tool_calls import read_tool_calls
from howsure.errors import InputError, shown
from howsure.investigations.evidence import Standing, cleaned, kept, looked_at, opened, standing_of
from howsure.ledger.api import check_name
from howsure.ledger.redact import redacted
from howsure.operation import Tool
from howsure.serve.operations.operation import operation
from howsure.serve.operations.responses import About
from howsure.serve.operations.shapes import read
from howsure.settings import REDACT
from howsure.shapes import Count, Unit
from howsure.store.tool_calls import insert

if TYPE_CHECKING:
    from howsure.sure import Sure

MOST = 10_000
"""Tool calls of one investigation that are handed in at once."""
_FIELDS = ("target", "passed", "factors", "complete")


@dataclass(frozen=True)
class Made:
    """A tool call, and what came of it."""

    tool: str
    """Name of the tool: grep, find, references, read, git, pytest, Bash, ..."""
    arguments: Any = None
    """What it was called with: an object, or what it looked for."""
    results: Any = None
    """How many results it gave, or what it put out; "no matches" and errors are no evidence."""
    error: str | None = None
    """What went wrong, if it failed."""
    target: str | None = None
    """What it looked for or at, where the arguments do not say."""
    passed: bool | None = None
    """Whether a build or test run passed, where the output does not say."""
    factors: Count | None = None
    """How much of the project a discovery understood, from 0 to 4."""
    complete: Unit | None = None
    """Share of the CI data that was there."""
    recovery: bool = False
    """Whether it was made to recover from weak evidence."""

    def fields(self) -> dict[str, Any]:
        """Return what is known about the call besides its output."""
        return {name: value for name in _FIELDS if (value := getattr(self, name)) is not None}


@dataclass(frozen=True)
class Evidence(Made):
    """A tool call of an investigation."""

    trace_id: str = ""
    """The trace or session that it belongs to."""

    def __post_init__(self) -> None:
        """Refuse evidence that belongs nowhere."""
        _check_trace(self.trace_id)


@dataclass(frozen=True)
class Trace:
    """Which investigation."""

    trace_id: str
    """The trace or session under which evidence was recorded."""
    question: str = ""
    """What is investigated."""

    def __post_init__(self) -> None:
        """Refuse what is no trace."""
        _check_trace(self.trace_id)


@dataclass(frozen=True)
class Whole(About):
    """A whole investigation."""

    question: str = ""
    """What is investigated."""
    calls: list[Any] = field(default_factory=list)
    """Its tool calls, in order, each with tool, arguments, results, error, ..."""
    record: bool = False
    """Write into the ledger how it ended."""

    def __post_init__(self) -> None:
        """Refuse more calls than anybody makes."""
        if len(self.calls) > MOST:
            raise InputError(f"{len(self.calls):,} calls are too many", field="calls", hint=f"at most {MOST:,}")


@dataclass(frozen=True)
class Closing(About):
    """An investigation that has come to its end."""

    question: str = ""
    """What was investigated."""

    def __post_init__(self) -> None:
        """Refuse what is no trace."""
        _check_trace(self.trace_id or "")


def _check_trace(name: str) -> None:
    if not check_name(name, "trace_id").strip():
        raise InputError("this field is missing", field="trace_id", hint="the name of the trace or session")


@operation(
    "investigations.record",
    "POST /v1/investigations/record",
    scope="write",
    answer=Standing,
    example={"trace_id": "session-1", "tool": "grep", "arguments": {"pattern": "Parser"}, "results": 3},
    tool=Tool(
        "record_evidence",
        "Record evidence",
        "After a search, a read, a build or a test run: record what the tool was asked and what came of it, under the "
        "same `trace_id` for one investigation. `results` is a number, or what the tool put out. Answers how sure the "
        "investigation is now, and what evidence would help most next.",
        omit=("through",),
    ),
)
def record(sure: "Sure", given: Evidence) -> Any:
    """Keep a tool call as evidence under a trace, and return how sure the investigation is now."""
    tools, own = sure.investigations.model.tools, sure.settings.value(REDACT)
    arguments, returned = cleaned(given.arguments, own), given.results
    known = cleaned(given.fields(), own)
    error = None if given.error is None else redacted(given.error, own)
    every = read_tool_calls(tools, given.tool, arguments, returned, error=error, recovery=given.recovery, **known)
    found = [call for call in every if call.tool in tools]
    at = sure.session.at(None)
    with sure.session.write() as transaction:
        insert(transaction, given.trace_id, at, [kept(call, tools) for call in found])
    standing = standing_of(looked_at(sure.ledger, sure.investigations.model, given.trace_id))
    if not found:
        standing["warnings"] = [*standing["warnings"], f"{shown(given.tool)} is no tool whose calls are evidence"]
    return standing


@operation(
    "investigations.get",
    "GET /v1/investigations",
    scope="read",
    answer=Standing,
    example={"trace_id": "session-1"},
    tool=Tool(
        "investigation_confidence",
        "How sure is this investigation?",
        "How sure is an investigation, by the evidence that was recorded under its `trace_id`? Answers a score, a "
        "decision (proceed, recover or stop), the reasons, and what evidence would help most next.",
        omit=("through",),
        idempotent=True,
    ),
)
def get(sure: "Sure", given: Trace) -> Any:
    """Return how sure an investigation is by the evidence that was recorded, and what would help most next."""
    return standing_of(looked_at(sure.ledger, sure.investigations.model, given.trace_id, given.question))


@operation(
    "investigations.close",
    "POST /v1/investigations/close",
    scope="write",
    answer=Standing,
    example={"trace_id": "session-1", "question": "Where is the parser?", "agent": "searcher-1"},
    tool="how it ended is for the program that runs the agent to say",
)
def close(sure: "Sure", given: Closing) -> Any:
    """Write into the ledger how an investigation ended, by the evidence that was recorded."""
    about = given.about()
    inquiry = opened(sure.ledger, sure.investigations.model, about.pop("trace_id"), given.question, **about)
    inquiry.close()
    return standing_of(inquiry)


@operation(
    "investigations.assess",
    "POST /v1/investigations/assess",
    scope="write",
    answer=Standing,
    example={
        "question": "Where is the parser?",
        "calls": [
            {"tool": "grep", "arguments": {"pattern": "Parser"}, "results": 3},
            {"tool": "read", "arguments": {"path": "src/parser.py"}, "results": 1},
        ],
    },
    tool="record_evidence and investigation_confidence take a call at a time",
    slow=True,
)
def assess(sure: "Sure", given: Whole) -> Any:
    """Score a whole investigation that is handed in call by call, and write it into the ledger if that is asked for."""
    inquiry = sure.investigations.start(given.question, **given.about())
    for number, one in enumerate(given.calls):
        try:
            made = read(Made, one)
            inquiry.record(
                made.tool, made.arguments, made.results, error=made.error, recovery=made.recovery, **made.fields()
            )
        except InputError as error:
            raise error.under(f"calls[{number}]") from None
    if given.record:
        inquiry.close()
    return standing_of(inquiry)
