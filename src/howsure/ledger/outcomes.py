"""Report what decisions turned out to be: by people, thumbs, files, CI runs and commits."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple

from howsure.asynchronous import asynchronous
from howsure.errors import InputError
from howsure.ledger.decision import DecisionId
from howsure.ledger.outcome_reports import (
    MOST_ERRORS,
    PART,
    OutcomeInput,
    OutcomeWriter,
    StoredReport,
    Thumb,
    read_report,
)
from howsure.ledger.recorder import Recorder, TaskId, TraceId
from howsure.operation import Tool, operation
from howsure.progress import Progress, silent
from howsure.settings import Settings
from howsure.shapes import DAY, Local, Moment, Now, Unchecked, Wire, Within, decode, decode_as
from howsure.store.ledger_tables.decisions import Outcome, OutcomeSource, ReportedOutcome
from howsure.store.session import Session
from howsure.wording import pluralize

if TYPE_CHECKING:
    from howsure.ledger.outcome_commits import CommitOutcomes
    from howsure.ledger.outcome_files import ImportedOutcomes

_ID = "a01a3185c50009f3a2b4c5d6e7f80"
SETTLED_DAYS = 7.0
"""Days that a commit has to stay in the main branch to count as right."""
Days = Annotated[float, Within(0.0, 36500.0)]
LocalPath = Annotated[str | Path, Wire(str)]
Status = Literal["passed", "failed"]


class OutcomeSummary(NamedTuple):
    """How many outcomes were recorded, and what was wrong with the others."""

    recorded: int
    errors: list[str]
    """At most 100, and how many more there are."""


class FirstErrors:
    """Counts errors, and keeps the first ones."""

    def __init__(self) -> None:
        """Start with none."""
        self._count = 0
        self._first: list[tuple[int, str]] = []

    def add(self, error: InputError, number: int) -> None:
        """Count the error of a line."""
        self._count += 1
        if len(self._first) < MOST_ERRORS:
            error.line = number
            self._first.append((number, str(error)))

    def texts(self) -> list[str]:
        """Return the first errors in the order of their lines, and how many more there are."""
        more = self._count - len(self._first)
        return [text for _, text in sorted(self._first)] + ([f"and {more:,} more"] if more else [])


@dataclass(frozen=True)
class MatchedOutcome:
    """An outcome of the decisions that a task, trace or commit stands for."""

    outcome: Outcome
    decisions: list[str]
    """Ids of the decisions that it belongs to."""
    recorded: int
    """For how many of them it was new."""
    note: str


class Outcomes(Recorder):
    """Reports outcomes of decisions. The one that became known last counts; what agents say does not."""

    def __init__(self, session: Session, settings: Settings, on_outcomes: Callable[[], None] | None = None) -> None:
        """Write in a session; `on_outcomes` is called after outcomes were committed."""
        super().__init__(session, settings)
        self._on_outcomes = on_outcomes

    @operation(
        "POST /v1/ledger/{decision_id}/outcome",
        scope="write",
        example={"decision_id": _ID, "outcome": "right", "note": "still runs"},
        tool=Tool(
            "record_outcome",
            "Record an outcome",
            "Once you know whether a response that check_response judged was right, wrong or had to be corrected, "
            "report it with the `id` of the decision as `decision_id`. People see it; it counts once they confirm it.",
            parameters=("decision_id", "outcome", "note"),
            fixed={"source": "agent"},
        ),
    )
    def outcome(
        self,
        decision_id: DecisionId,
        outcome: Outcome,
        *,
        by: str | None = None,
        note: str = "",
        source: OutcomeSource = "person",
        at: Moment | None = None,
        now: Now = None,
    ) -> ReportedOutcome:
        """Report what a decision turned out to be: right, wrong or corrected.

        The latest report counts.

        Args:
            outcome: right, wrong or corrected.
            by: Who says so; default: the caller. With a token, its name is added.
            note: Why, or how that is known.
            source: Where it came from: person, ci, commit, thumbs, file or agent. That of an agent does not count.
            at: When that became known, in seconds since 1970; default: now.

        Raises:
            NotFoundError: if there is no decision with this id.
        """
        decode_as(Outcome, outcome, "outcome")
        given = {"decision_id": decision_id, "outcome": outcome, "by": by, "note": note, "source": source, "at": at}
        (stored,) = self._store(decode(OutcomeInput, given), now, source)
        return stored.outcome

    @operation(
        "POST /v1/ledger/{decision_id}/thumbs",
        scope="write",
        example={"decision_id": _ID, "thumb": "up"},
    )
    def thumbs(
        self, decision_id: DecisionId, thumb: Thumb, *, by: str | None = None, note: str = "", now: Now = None
    ) -> ReportedOutcome:
        """Report a thumb up or down for a response: up is right, down is wrong.

        Args:
            thumb: up or down.
            by: Whose thumb it is; default: the caller.
            note: What the person said.

        Raises:
            NotFoundError: if there is no decision with this id.
        """
        decode_as(Thumb, thumb, "thumb")
        given = {"decision_id": decision_id, "outcome": thumb, "by": by, "note": note}
        (stored,) = self._store(decode(OutcomeInput, given), now, "thumbs")
        return stored.outcome

    @operation(
        "POST /v1/ledger/outcomes",
        scope="write",
        example={"outcomes": [{"id": _ID, "outcome": "corrected"}, {"trace_id": "session-1", "outcome": "up"}]},
        lines="outcomes",
        slow=True,
    )
    def outcomes(
        self,
        outcomes: Annotated[
            Iterable[OutcomeInput | Mapping[str, Any] | bytes], Wire(list[Annotated[Any, Unchecked(OutcomeInput)]])
        ],
        *,
        now: Now = None,
    ) -> OutcomeSummary:
        """Report many outcomes at once; one that is wrong does not stop the others.

        They are written in parts of 1,000, each completely or not at all, so that others can write in between.

        Args:
            outcomes: Each with outcome (right, wrong, corrected, up, down, true, false, 1 or 0), the id of a decision
                or its task_id or trace_id, and if known at, by, note and source: as an object, or a line of JSON.
        """
        writer = self._writer(now)
        recorded, failures = 0, FirstErrors()
        lines = enumerate(outcomes, start=1)
        more = True
        while more:
            reports: list[tuple[int, OutcomeInput]] = []
            more = False
            for number, item in lines:  # read before the lock: the input may be slow, or mostly wrong
                try:
                    report = read_report(item)
                except InputError as error:
                    failures.add(error, number)
                    continue
                if report is not None:
                    reports.append((number, report))
                if len(reports) == PART:
                    more = True
                    break
            if reports:
                recorded += self._write_part(writer, reports, failures)
        self._committed(recorded)
        return OutcomeSummary(recorded, failures.texts())

    def _write_part(
        self, writer: OutcomeWriter, reports: list[tuple[int, OutcomeInput]], failures: "FirstErrors"
    ) -> int:
        """Write reports in one transaction, each completely or not at all; return how many outcomes were recorded."""
        recorded = 0
        with self.session.write() as transaction:
            for number, report in reports:
                try:
                    with transaction.savepoint():
                        recorded += len(writer.write(transaction, report))
                except InputError as error:
                    failures.add(error, number)
        return recorded

    @operation(
        "POST /v1/ledger/ci",
        scope="write",
        example={"status": "failed", "trace_id": "session-1", "by": "build 318"},
    )
    def ci_result(
        self,
        status: Status,
        *,
        decision_id: DecisionId | None = None,
        task_id: TaskId | None = None,
        trace_id: TraceId | None = None,
        by: str = "ci",
        note: str = "",
        now: Now = None,
    ) -> MatchedOutcome:
        """Report the result of a CI run for the latest decisions of a task or trace: passed is right, failed is wrong.

        Args:
            status: passed or failed.
            decision_id: The decision; default: the latest of each model and agent in the task and trace.
            by: The name of the CI run.
            note: What passed or failed.

        Raises:
            NotFoundError: if there is no such decision.
        """
        decode_as(Status, status, "status")
        given = {"decision_id": decision_id, "task_id": task_id, "trace_id": trace_id}
        report = decode(OutcomeInput, given | {"outcome": status, "by": by, "note": note or f"the CI run {status}"})
        return _matched(self._store(report, now, "ci", once=True))

    def outcomes_from_ci(
        self,
        junit: LocalPath | None = None,
        *,
        status: Status | None = None,
        decision_id: str | None = None,
        task_id: str | None = None,
        trace_id: str | None = None,
        commit: str | None = None,
        repository: LocalPath | None = None,
        by: str = "ci",
        now: Now = None,
    ) -> MatchedOutcome:
        """Report the result of a CI run from its test results in JUnit XML, or from its status.

        Args:
            junit: A file of test results; any failed test makes the outcome wrong.
            status: passed or failed, instead of a file.
            decision_id: The decision.
            task_id: The task whose latest decisions were tested.
            trace_id: The trace whose latest decisions were tested.
            commit: The commit that was tested: its message names decisions, tasks or traces.
            repository: The repository of the commit; default: the working folder.
            by: The name of the CI run.
            now: When the run ended; default: the present.

        Raises:
            InputError: if no test ran, or the commit names no decision.
            NotFoundError: if there is no such decision.
        """
        if (junit is None) == (status is None):
            raise InputError("pass either a file of test results or a status", field="status", hint="passed or failed")
        note = ""
        if junit is not None:
            status, note = _read_status(Path(junit))
        targets: list[dict[str, Any]] = [{"decision_id": decision_id, "task_id": task_id, "trace_id": trace_id}]
        if commit is not None:
            targets = _named_in(Path(repository or "."), commit)
            note = f"{note or f'the CI run {status}'} at commit {commit[:40]}"
        results = [self.ci_result(status, **target, by=by, note=note, now=now) for target in targets]  # type: ignore[arg-type]
        ids = list(dict.fromkeys(id_ for result in results for id_ in result.decisions))
        return MatchedOutcome(results[0].outcome, ids, sum(result.recorded for result in results), results[0].note)

    def outcomes_from_git(
        self,
        repository: LocalPath | None = None,
        *,
        branch: str | None = None,
        days: Days = SETTLED_DAYS,
        now: Now = None,
    ) -> "CommitOutcomes":
        """Report outcomes of the decisions that commits name: right if the commit stays, wrong if it is reverted.

        A commit names them by lines of its message: `Howsure-Decision: ID`, `Howsure-Trace: ID` or `Howsure-Task: ID`.
        Calling it again adds only what has changed.

        Args:
            repository: A folder of the repository; default: the working folder.
            branch: The main branch; default: that of origin, or main or master.
            days: How many days a commit has to stay in the main branch to count as right.
            now: The present moment.

        Raises:
            InputError: if this is no git repository, or has no such branch.
        """
        from howsure.ledger.outcome_commits import report_commits

        at = self.session.at(now)
        wait = DAY * decode_as(Days, days, "days")
        reported = report_commits(self.session, self._writer(at), Path(repository or "."), branch, wait, at)
        self._committed(reported.recorded)
        return reported

    def import_outcomes(
        self, path: LocalPath, *, now: Now = None, progress: Annotated[Progress, Local()] = silent
    ) -> "ImportedOutcomes":
        """Import outcomes from a file of CSV, JSON Lines or Parquet, by the ending of its name.

        Its columns are `id`, or `task_id` and `trace_id`; `outcome` (right, wrong, corrected, up, down, true, false, 1
        or 0); and if known `at`, `by` and `note`. Lines are written in parts of 1000, each completely or not at all; a
        line that is wrong does not stop the others. Importing a file again adds nothing.

        Args:
            path: The file.
            now: The moment of outcomes that name none; default: the present.
            progress: Told how many lines were read.

        Raises:
            InputError: if the file cannot be read.
        """
        from howsure.ledger.outcome_files import import_outcomes

        imported = import_outcomes(self.session, self._writer(now), Path(path), progress)
        self._committed(imported.recorded)
        return imported

    def _writer(self, now: float | None) -> OutcomeWriter:
        return OutcomeWriter(self.session, self._redact, self.session.at(now), self.metrics)

    def _store(
        self, report: OutcomeInput, now: float | None, source: OutcomeSource, *, once: bool = False
    ) -> list[StoredReport]:
        writer = self._writer(now)
        with self.session.write() as transaction:
            stored = writer.write(transaction, report, source=source, once=once)
        self._committed(sum(one.recorded for one in stored))
        return stored

    def _committed(self, recorded: int) -> None:
        """Report how many outcomes are durable."""
        if recorded and self._on_outcomes is not None:
            self._on_outcomes()

    aoutcome = asynchronous(outcome)
    aoutcomes = asynchronous(outcomes)
    athumbs = asynchronous(thumbs)
    aci_result = asynchronous(ci_result)


def _matched(stored: list[StoredReport]) -> MatchedOutcome:
    first = stored[0].outcome
    return MatchedOutcome(
        first.outcome, [one.decision_id for one in stored], sum(one.recorded for one in stored), first.note
    )


def _read_status(junit: Path) -> tuple[Status, str]:
    """Return whether all tests of a run passed, and how many did.

    Raises:
        InputError: if no test ran: that says nothing.
    """
    from howsure.documents.junit import count_tests

    counts = count_tests(junit)
    if not counts.passed and not counts.failed:
        raise InputError(f"no test ran in {junit}", field="junit", hint="pass --status if that is known")
    ran = counts.passed + counts.failed
    note = (
        f"{counts.failed:,} of {pluralize(ran, 'test')} failed" if counts.failed else f"{pluralize(ran, 'test')} passed"
    )
    return ("failed" if counts.failed else "passed"), note


def _named_in(repository: Path, commit: str) -> list[dict[str, Any]]:
    """Return what a commit names, one argument each.

    Raises:
        InputError: if it names nothing.
    """
    from howsure.ledger.commits import mentions_of

    targets = [{mention.field: mention.value} for mention in mentions_of(repository, commit)]
    if not targets:
        hint = "a line Howsure-Decision: ID, Howsure-Trace: ID or Howsure-Task: ID in its message"
        raise InputError(f"the commit {commit[:40]} names no decision", field="commit", hint=hint)
    return targets
