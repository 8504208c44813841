"""Score investigations: tool calls of agents that search, read, build and test."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any, Literal

import orjson

from howsure.agents.evidence import remove_secrets
from howsure.agents.tool_calls import build_model
from howsure.asynchronous import asynchronous
from howsure.errors import InputError, NotFoundError, shown
from howsure.formulas.chance import Chance
from howsure.formulas.investigation import Investigation
from howsure.investigations import span_calls
from howsure.investigations.inquiry import (
    EvidenceAgreement,
    Inquiry,
    InvestigationState,
    Standing,
    load_inquiry,
    make_stored_calls,
    read_call,
)
from howsure.investigations.span_calls import SpansRecorded, record_spans
from howsure.ledger.decision import Decision
from howsure.ledger.recorder import Recorder
from howsure.operation import Tool, operation
from howsure.parameters import configured
from howsure.redaction import redact_secrets
from howsure.shapes import Count, Doc, Now, Unit, Within, decode_as
from howsure.store.ledger_tables import decisions, fits, tool_calls
from howsure.store.ledger_tables.decisions import DecisionFilter
from howsure.store.text_rules import check_name

MOST_CALLS = 10_000
"""Tool calls that `assess` takes at once."""
_CURSOR_DIGITS = 18
"""Digits of the largest key of a row."""

TraceId = Annotated[str, Doc("The trace or session that the tool calls belong to.", example="session-1")]
Question = Annotated[str, Doc("What is investigated.", example="Where is the parser?")]
ToolName = Annotated[str, Doc("Name of the tool: grep, find, references, read, git, pytest, Bash, ...", example="grep")]
Arguments = Annotated[Any, Doc("What it was called with: an object, or what it searched for.")]
Results = Annotated[
    Any, Doc('How many results it gave, or what it returned; "no matches" and errors are no evidence.', example=3)
]
ErrorText = Annotated[str | None, Doc("What went wrong, if it failed.")]
Target = Annotated[str | None, Doc("What it searched for or read, if the arguments do not say.")]
Passed = Annotated[bool | None, Doc("Whether a build or test run passed, if the output does not say.")]
Factors = Annotated[
    Count | list[str] | None,
    Doc(
        "How much of the project a discovery understood: a number from 0 to 4, or names of: build system, source "
        "layout, tests, documentation."
    ),
]
Complete = Annotated[Unit | None, Doc("Share of the CI data that was there.")]
Recovery = Annotated[bool, Doc("Whether the call was made to recover from weak evidence.")]
Agent = Annotated[str, Doc("Name of the agent, always the same; leads to its history.", example="searcher-1")]
AgentType = Annotated[str, Doc("Type of the agent.")]
Project = Annotated[str | None, Doc("The project it works on; by default the one in the settings.")]
TaskId = Annotated[str | None, Doc("The task.")]
TraceLimit = Annotated[int, Within(1, 1000)]


@dataclass(frozen=True)
class ToolCallInput:
    """A tool call and its result."""

    tool: ToolName
    arguments: Arguments = None
    results: Results = None
    error: ErrorText = None
    target: Target = None
    passed: Passed = None
    factors: Factors = None
    complete: Complete = None
    recovery: Recovery = False


@dataclass(frozen=True)
class TraceSummary:
    """A trace with recorded tool calls."""

    trace_id: str
    calls: int
    """How many calls are stored, including those that are no evidence."""
    first_at: float
    last_at: float
    id: str | None
    """Id of the decision in the ledger, or null while the investigation is open."""


@dataclass(frozen=True)
class TracePage:
    """Some of the traces, the latest first."""

    traces: tuple[TraceSummary, ...]
    cursor: str | None
    """Pass it to get the next page; null on the last one."""


@dataclass(frozen=True)
class InvestigationStep:
    """A call that counts as evidence, and how sure the investigation was after it."""

    number: int
    """Counted from 1."""
    tool: str
    category: Literal["search", "read", "verification", "discovery", "git", "ci"]
    target: str
    results: int
    passed: bool | None
    """Whether a build or test run passed."""
    error: str | None
    recovery: bool
    """Whether the call was made to recover from weak evidence."""
    score: float
    band: str
    decision: str


@dataclass(frozen=True)
class InvestigationSteps:
    """How an investigation went, call by call."""

    steps: tuple[InvestigationStep, ...]
    agreements: tuple[EvidenceAgreement, ...]
    """What independent evidence agrees on, the target that closes the most doubt first."""


@dataclass(frozen=True)
class RecordedInvestigation:
    """An investigation by its stored tool calls."""

    inquiry: Inquiry
    """The investigation after its last call."""
    standings: list[Standing]
    """How sure it was after each call that counts."""

    def steps(self, first: int | None = None) -> list[InvestigationStep]:
        """Return its steps, or the first ones."""
        tools = self.inquiry.model.tools
        return [
            InvestigationStep(
                number=number,
                tool=call.tool,
                category=tools[call.tool].partition(".")[0],  # type: ignore[arg-type]
                target=call.target,
                results=call.results,
                passed=call.passed,
                error=call.error,
                recovery=call.recovery,
                score=standing.score,
                band=standing.band,
                decision=standing.decision,
            )
            for number, (call, standing) in enumerate(
                zip(self.inquiry.calls[:first], self.standings[:first], strict=True), start=1
            )
        ]


class Investigations:
    """How sure agents are while they work, from the results of their tool calls."""

    def __init__(self, ledger: Recorder, tools: Mapping[str, str] | None = None, redact: tuple[str, ...] = ()) -> None:
        """Record in a ledger.

        Args:
            ledger: Where results are recorded; its store holds the tool calls.
            tools: Categories of tools besides the known ones.
            redact: Patterns of secrets besides the usual ones.
        """
        self._ledger = ledger
        self._session = ledger.session
        self._redact = redact
        self.model: Investigation = build_model(tools, ledger.session.settings)
        """The model with all known tools."""
        self._chosen: Chance | None = None
        self._prior = configured(Chance, ledger.session.settings)
        self._fitted: tuple[str, Chance] | None = None

    @property
    def chance(self) -> Chance:
        """The model of the chance of success: that of the active fit, or with prior weights as long as there is none.

        Setting it replaces both.

        Raises:
            StoreError: if the active fit cannot be read.
        """
        return self._chance()[1]

    @chance.setter
    def chance(self, model: Chance) -> None:
        self._chosen = model

    def _chance(self) -> tuple[str | None, Chance]:
        """Return the id of the active fit and its model, which is read again only when another fit is active."""
        if self._chosen is not None:
            return None, self._chosen
        with self._session.database.read() as transaction:
            active = fits.active_id(transaction, "investigation")
            if active is None:
                return None, self._prior
            if self._fitted is not None and self._fitted[0] == active:
                return self._fitted
            row = fits.get(transaction, active)
        from howsure.investigations.learning import chance_of
        from howsure.learn.api import read_content

        self._fitted = (active, self._prior if row is None else chance_of(read_content(row)))
        return self._fitted

    def start(
        self,
        question: str,
        *,
        model: Investigation | None = None,
        agent: str = "",
        agent_type: str = "",
        project: str | None = None,
        task_id: str | None = None,
        trace_id: str | None = None,
    ) -> Inquiry:
        """Start an investigation in this process; its tool calls are not stored, only its result in the end."""
        about = self._ledger.subject(
            agent=agent, agent_type=agent_type, project=project, task_id=task_id, trace_id=trace_id
        )
        fit, chance = self._chance()
        return Inquiry(question, about, self._ledger, model or self.model, chance, fit)

    @operation(
        "POST /v1/investigations/record",
        scope="write",
        example={"trace_id": "session-1", "tool": "grep", "arguments": {"pattern": "Parser"}, "results": 3},
        tool=Tool(
            "record_evidence",
            "Record evidence",
            "After a search, a read, a build or a test run: record what the tool was asked and what it returned, under "
            "the same `trace_id` for one investigation. Returns how sure the investigation is now, and what evidence "
            "would help most next.",
            omit=("through",),
            types={
                "arguments": dict[str, Any],
                "results": Annotated[Count, Doc("How many results it gave; 0 if none.")],
                "factors": Annotated[Count, Doc("How much of the project a discovery understood, from 0 to 4.")],
            },
        ),
    )
    def record(
        self,
        trace_id: TraceId,
        tool: ToolName,
        arguments: Arguments = None,
        results: Results = None,
        *,
        error: ErrorText = None,
        target: Target = None,
        passed: Passed = None,
        factors: Factors = None,
        complete: Complete = None,
        recovery: Recovery = False,
        now: Now = None,
    ) -> InvestigationState:
        """Store a tool call as evidence under a trace, and return how sure the investigation is now.

        Raises:
            InputError: if a value is out of range, or the trace has 50,000 tool calls already.
        """
        _check_trace(trace_id)
        tools = self.model.tools
        calls, step = read_call(
            tools,
            tool,
            remove_secrets(arguments, self._redact),
            results,
            target=remove_secrets(target, self._redact),
            passed=passed,
            factors=factors,
            complete=complete,
            error=None if error is None else redact_secrets(error, self._redact),
            recovery=recovery,
        )
        contents = make_stored_calls(calls, step, tools, always=True)
        at = self._session.at(now)
        with self._session.write() as transaction:
            if (stored := tool_calls.count(transaction, trace_id)) >= span_calls.MOST_CALLS:
                problem = f"this trace has {stored:,} tool calls, and takes no more"
                raise InputError(problem, field="trace_id", hint=span_calls.HINT)
            tool_calls.insert(transaction, trace_id, at, contents)
        state = self._load(trace_id).state
        if any(call.tool in tools for call in calls):
            return state
        return replace(state, warnings=(*state.warnings, f"calls of {shown(tool)} are no evidence"))

    @operation(
        "GET /v1/investigations",
        scope="read",
        example={"trace_id": "session-1"},
        tool=Tool(
            "investigation_confidence",
            "How sure is this investigation?",
            "How sure is an investigation, by the evidence that was recorded under its `trace_id`? Returns a score, a "
            "decision (proceed, recover or stop), the reasons, what evidence would help most next, and the chance that "
            "the run succeeds, by the course that it took.",
            omit=("through",),
            idempotent=True,
        ),
    )
    def get(self, trace_id: TraceId, *, question: Question = "") -> InvestigationState:
        """Return how sure an investigation is by the recorded evidence, and what would help most next.

        Raises:
            NotFoundError: if no tool calls were recorded under this trace.
        """
        self._check_known(trace_id)
        return self._load(trace_id, question).state

    @operation(
        "POST /v1/investigations/close",
        scope="write",
        example={"trace_id": "session-1", "question": "Where is the parser?", "agent": "searcher-1"},
    )
    def close(
        self,
        trace_id: TraceId,
        *,
        question: Question = "",
        agent: Agent = "",
        agent_type: AgentType = "",
        project: Project = None,
        task_id: TaskId = None,
        now: Now = None,
    ) -> InvestigationState:
        """Record the result of an investigation in the ledger, by the evidence of its trace.

        Closing it again without new evidence records nothing, and returns the same decision.

        Raises:
            NotFoundError: if no tool calls were recorded under this trace.
        """
        self._check_known(trace_id)
        about = self._ledger.subject(
            agent=agent, agent_type=agent_type, project=project, task_id=task_id, trace_id=trace_id
        )
        fit, chance = self._chance()
        inquiry = load_inquiry(
            self._session, self.model, trace_id, question, about=about, ledger=self._ledger, chance=chance, fit=fit
        )
        inquiry.id = self._find_recorded(inquiry)
        inquiry.close(now)
        return inquiry.state

    def _find_recorded(self, inquiry: Inquiry) -> str | None:
        """Return the id of the latest decision about a trace if it says the same, so that there is nothing new."""
        about = inquiry.about
        new = self._ledger.row(inquiry.score, about, self._ledger.keep(inquiry.question), self._session.at(None))
        with self._session.database.read() as transaction:
            rows, _ = decisions.find(transaction, DecisionFilter(model=new.model, trace_id=about.trace_id), 1)
        known = Decision.from_columns(rows[0]) if rows else None
        if known is None or known.digest != new.digest:  # of the whole question, of which the start is kept
            return None
        same = (known.agent, known.agent_type, known.project, known.task_id, known.trace_id) == about
        return known.id if same and known.detail == orjson.loads(new.detail) else None

    @operation(
        "POST /v1/investigations/assess",
        scope="write",
        example={
            "question": "Where is the parser?",
            "calls": [
                {"tool": "grep", "arguments": {"pattern": "Parser"}, "results": 3},
                {"tool": "read", "arguments": {"path": "src/parser.py"}, "results": 1},
            ],
        },
        slow=True,
    )
    def assess(
        self,
        question: Question = "",
        calls: Sequence[ToolCallInput] = (),
        *,
        record: bool = False,
        agent: Agent = "",
        agent_type: AgentType = "",
        project: Project = None,
        task_id: TaskId = None,
        trace_id: Annotated[str | None, Doc("The trace or session.")] = None,
        now: Now = None,
    ) -> InvestigationState:
        """Score a whole investigation at once.

        Args:
            calls: Its tool calls, in order.
            record: Record the result in the ledger.

        Raises:
            InputError: if there are more than 10,000 calls, or a value is out of range.
        """
        if len(calls) > MOST_CALLS:
            raise InputError(f"{len(calls):,} calls are too many", field="calls", hint=f"at most {MOST_CALLS:,}")
        inquiry = self.start(
            question, agent=agent, agent_type=agent_type, project=project, task_id=task_id, trace_id=trace_id
        )
        for number, call in enumerate(calls):
            try:
                inquiry.record(**vars(call))
            except InputError as error:
                raise error.under(f"calls[{number}]") from None
        if record:
            inquiry.close(now)
        return inquiry.state

    @operation("GET /v1/investigations/traces", scope="read", example={"closed": False})
    def traces(
        self,
        *,
        closed: bool | None = None,
        limit: TraceLimit = 50,
        cursor: str | None = None,
    ) -> TracePage:
        """Return the traces under which tool calls were recorded, the latest first.

        Args:
            closed: Only those whose result is in the ledger (true), or only those that are open (false).
            limit: How many on one page.
            cursor: The cursor of the page before.

        Raises:
            InputError: if the limit is out of range, or the cursor is invalid.
        """
        limit = decode_as(TraceLimit, limit, "limit")
        before = None if cursor is None else _parse_cursor(cursor)
        with self._session.database.read() as transaction:
            rows = tool_calls.list_traces(transaction, limit + 1, before, closed=closed)
        page = rows[:limit]
        traces = tuple(TraceSummary(row.trace_id, row.calls, row.first_at, row.last_at, row.id) for row in page)
        return TracePage(traces, str(page[-1].last) if len(rows) > limit else None)

    @operation("GET /v1/investigations/steps", scope="read", example={"trace_id": "session-1"})
    def steps(self, trace_id: TraceId, *, question: Question = "") -> InvestigationSteps:
        """Return how an investigation went: each call that counts, how sure it was after it, and what agrees."""
        replayed = self.replay(trace_id, question=question)
        return InvestigationSteps(tuple(replayed.steps()), tuple(replayed.inquiry.agreements()))

    def replay(self, trace_id: str, *, question: str = "") -> RecordedInvestigation:
        """Return an investigation as `get` and `steps` do, read once."""
        standings: list[Standing] = []
        return RecordedInvestigation(self._load(trace_id, question, standings), standings)

    def record_spans(self, request: Mapping[str, Any]) -> SpansRecorded:
        """Store the tool calls in spans of OpenTelemetry, by the ids of their traces. A batch sent twice counts once.

        Args:
            request: An ExportTraceServiceRequest of OTLP, in its JSON form.

        Raises:
            InputError: if there are more than 50,000 spans, or the request has no list of them.
        """
        return record_spans(self._session, self.model.tools, self._redact, request)

    def _load(self, trace_id: str, question: str = "", standings: list[Standing] | None = None) -> Inquiry:
        _check_trace(trace_id)
        about = self._ledger.subject(trace_id=trace_id)
        fit, chance = self._chance()
        return load_inquiry(
            self._session, self.model, trace_id, question, about=about, chance=chance, fit=fit, standings=standings
        )

    def _check_known(self, trace_id: str) -> None:
        """Raise NotFoundError unless tool calls are stored under this trace: nothing is known of another."""
        _check_trace(trace_id)
        with self._session.database.read() as transaction:
            if not tool_calls.is_known(transaction, trace_id):
                hint = "record tool calls under it first; old ones are deleted"
                problem = f"there are no tool calls of the trace {shown(trace_id)}"
                raise NotFoundError(problem, field="trace_id", hint=hint)

    arecord = asynchronous(record)
    aget = asynchronous(get)
    aclose = asynchronous(close)
    aassess = asynchronous(assess)
    atraces = asynchronous(traces)
    asteps = asynchronous(steps)
    arecord_spans = asynchronous(record_spans)


def _check_trace(name: str) -> None:
    if not check_name(name, "trace_id").strip():
        raise InputError("the trace has no name", field="trace_id", hint="the name of the trace or session")


def _parse_cursor(cursor: str) -> int:
    if not (cursor.isascii() and cursor.isdecimal() and len(cursor) <= _CURSOR_DIGITS):
        raise InputError("invalid cursor", field="cursor", hint="pass the cursor of the page before, unchanged")
    return int(cursor)
