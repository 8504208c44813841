"""The ledger: find decisions, report their outcomes, and see how agents do."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, NamedTuple

from howsure.asynchronous import asynchronous
from howsure.errors import InputError
from howsure.ledger.decision import Decision, DecisionId, DecisionOrLast, DecisionPage, decode_cursor, encode_cursor
from howsure.ledger.outcome_reports import not_found
from howsure.ledger.outcomes import Outcomes
from howsure.ledger.recorder import AgentName, AgentType, ProjectName, TaskId, TraceId
from howsure.ledger.statistics import LedgerStatistics, StatisticsBy, statistics
from howsure.operation import operation
from howsure.responses.fitted import load_fit
from howsure.responses.reasons import DecisionExplanation, explain
from howsure.responses.threshold import Thresholds
from howsure.settings import Settings
from howsure.shapes import Doc, Moment, Wire, Within, decode_as
from howsure.store.ledger_tables import decisions as table
from howsure.store.ledger_tables.decisions import DecisionFilter
from howsure.store.session import Session
from howsure.store.text_rules import check_name

_ID = "a01a3185c50009f3a2b4c5d6e7f80"
LocalPath = Annotated[str | Path, Wire(str)]
ModelName = Annotated[str, Doc("The model that decided.", example="response")]
DecisionName = Annotated[str, Doc("What was decided: pass, block, review, proceed, ...", example="block")]
Since = Annotated[Moment, Doc("At this moment or later, in seconds since 1970.")]
Until = Annotated[Moment, Doc("At this moment or earlier.")]
Limit = Annotated[int, Within(1, 1000)]
WithOutcome = Annotated[bool, Doc("Only decisions with a known outcome, or only those without.")]


@dataclass(frozen=True)
class PurgeSummary:
    """How many decisions were deleted, or would be."""

    purged: int
    erased: bool = True
    """Whether their texts are gone from the files, too. False while others read an older state of the store: a running
    server then erases them within a minute, as does the next purge."""


class ImportSummary(NamedTuple):
    """How many decisions of history files were new, and what was wrong with the files."""

    imported: int
    errors: list[str]


class Ledger(Outcomes):
    """Every decision of every model. Decisions are never changed; outcomes are added to them."""

    def __init__(self, session: Session, settings: Settings, on_outcomes: Callable[[], None] | None = None) -> None:
        """Read and write in a session; `on_outcomes` is called after outcomes were committed."""
        super().__init__(session, settings, on_outcomes)
        self._settings = settings

    @operation("GET /v1/ledger", scope="read", example={"agent": "patcher-1"})
    def find(
        self,
        *,
        agent: AgentName | None = None,
        agent_type: AgentType | None = None,
        project: ProjectName | None = None,
        task_id: TaskId | None = None,
        trace_id: TraceId | None = None,
        model: ModelName | None = None,
        decision: DecisionName | None = None,
        since: Since | None = None,
        until: Until | None = None,
        with_outcome: WithOutcome | None = None,
        limit: Limit = 50,
        cursor: str | None = None,
    ) -> DecisionPage:
        """Return decisions, the newest first.

        All given conditions must hold.

        Args:
            project: Only this project.
            limit: How many on one page.
            cursor: The cursor of the previous page.
        """
        wanted = DecisionFilter(
            agent=agent,
            agent_type=agent_type,
            project=project,
            task_id=task_id,
            trace_id=trace_id,
            model=model,
            decision=decision,
            since=since,
            until=until,
            with_outcome=with_outcome,
        ).checked()
        size = decode_as(Limit, limit, "limit")
        after = decode_cursor(cursor)
        with self.session.database.read() as transaction:
            rows, position = table.find(transaction, wanted, size, after)
        return DecisionPage([Decision.from_columns(row) for row in rows], encode_cursor(position))

    @operation("GET /v1/ledger/stream", scope="read", example={"agent": "patcher-1"}, streams=True, slow=True)
    def stream(
        self,
        *,
        agent: AgentName | None = None,
        agent_type: AgentType | None = None,
        project: ProjectName | None = None,
        task_id: TaskId | None = None,
        trace_id: TraceId | None = None,
        model: ModelName | None = None,
        decision: DecisionName | None = None,
        since: Since | None = None,
        until: Until | None = None,
        with_outcome: WithOutcome | None = None,
    ) -> Iterator[Decision]:
        """Return decisions one by one, the oldest first, without loading all of them.

        Args:
            project: Only this project.
        """
        wanted = DecisionFilter(
            agent=agent,
            agent_type=agent_type,
            project=project,
            task_id=task_id,
            trace_id=trace_id,
            model=model,
            decision=decision,
            since=since,
            until=until,
            with_outcome=with_outcome,
        ).checked()
        return self._stream(wanted)  # a generator would check the filter only when the first item is asked for

    def _stream(self, wanted: DecisionFilter) -> Iterator[Decision]:
        with self.session.database.read(separate=True) as transaction:
            for row in table.stream(transaction, wanted):
                yield Decision.from_columns(row)

    @operation("GET /v1/ledger/{decision_id}", scope="read", example={"decision_id": _ID})
    def get(self, decision_id: DecisionOrLast) -> Decision:
        """Return one decision, with the numbers that led to it and its outcome.

        Raises:
            NotFoundError: if there is none with this id.
        """
        with self.session.database.read() as transaction:
            row = table.load(transaction, check_name(decision_id, "decision_id"))
        if row is None:
            raise not_found(decision_id)
        return Decision.from_columns(row)

    @operation("GET /v1/ledger/{decision_id}/explain", scope="read", example={"decision_id": _ID})
    def explain(self, decision_id: DecisionOrLast) -> DecisionExplanation:
        """Return one decision with its factors, what would have changed it, and every outcome that was reported.

        Raises:
            NotFoundError: if there is none with this id.
        """
        decision = self.get(decision_id)
        with self.session.database.read() as transaction:
            reported = table.outcomes_of(transaction, decision.id)
            used = decision.answer.get("fit")
            fit = load_fit(transaction, used) if isinstance(used, str) else None
        return explain(decision, reported, fit)

    @operation("POST /v1/ledger/purge", scope="admin", example={"agent": "patcher-1"}, slow=True)
    def purge(
        self,
        *,
        decision_id: DecisionId | None = None,
        agent: AgentName | None = None,
        trace_id: TraceId | None = None,
        task_id: TaskId | None = None,
        before: Moment | None = None,
        everything: bool = False,
        dry_run: bool = False,
    ) -> PurgeSummary:
        """Delete decisions for good, with their texts and outcomes.

        All given conditions must hold. Tool calls are deleted with the last decision about their trace; given nothing
        but a trace or a moment, all of the trace or before the moment are deleted.

        Args:
            decision_id: Only this decision.
            agent: Only decisions about this agent.
            trace_id: Only decisions of this trace.
            task_id: Only decisions of this task.
            before: Only decisions before this moment, in seconds since 1970.
            everything: Delete all decisions and tool calls.
            dry_run: Only count the decisions.

        Raises:
            InputError: if no condition is given, unless `everything` is true.
        """
        wanted = DecisionFilter(
            id=decision_id, agent=agent, trace_id=trace_id, task_id=task_id, before=before
        ).checked()
        if not everything and not wanted.given:
            hint = "name a decision, agent, trace, task or moment before which, or everything"
            raise InputError("no condition says what to purge", hint=hint)
        if dry_run:
            with self.session.database.read() as transaction:
                return PurgeSummary(table.count(transaction, wanted))
        with self.session.write() as transaction:
            purged = table.purge(transaction, wanted)
        return PurgeSummary(purged, erased=self.session.database.settled())

    @operation("GET /v1/statistics", scope="read", example={"by": "agent"})
    def stats(
        self,
        *,
        since: Since | None = None,
        until: Until | None = None,
        by: StatisticsBy | None = None,
        model: ModelName | None = "response",
        agent: AgentName | None = None,
        agent_type: AgentType | None = None,
        project: ProjectName | None = None,
        task_id: TaskId | None = None,
        trace_id: TraceId | None = None,
        decision: DecisionName | None = None,
    ) -> LedgerStatistics:
        """Return how agents do: totals, share that passed, trend, and how well scores match outcomes.

        Args:
            since: Start of the window, in seconds since 1970; default: seven days before its end.
            until: End of the window; default: now.
            by: What to group by.
            model: The model that decided; null for all.
            project: Only this project.
        """
        wanted = DecisionFilter(
            agent=agent,
            agent_type=agent_type,
            project=project,
            task_id=task_id,
            trace_id=trace_id,
            model=model,
            decision=decision,
        ).checked()
        with self.session.database.read() as transaction:
            end = self.session.at(until)  # after the read began, so that no decision is later
            return statistics(transaction, Thresholds(self._settings), wanted, since, end, by)

    def export(self, folder: LocalPath) -> int:
        """Write all decisions as JSON Lines, one file per day: confidences-YYYY-MM-DD.jsonl.

        Args:
            folder: Where to write the files.
        """
        from howsure.ledger.jsonl import export

        return export(self, Path(folder))

    def import_(self, path: LocalPath) -> ImportSummary:
        """Import exported files, each up to its first invalid line; decisions that are already stored stay as they are.

        Args:
            path: An exported file, or a folder of them.
        """
        from howsure.ledger.jsonl import import_

        return ImportSummary(*import_(self, Path(path)))

    afind = asynchronous(find)
    aget = asynchronous(get)
    aexplain = asynchronous(explain)
    apurge = asynchronous(purge)
    astats = asynchronous(stats)
