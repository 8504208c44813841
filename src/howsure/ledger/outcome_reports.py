"""Read reports of outcomes as people, programs and files write them, and store them."""

import codecs
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Annotated, Any, Literal, NamedTuple

from howsure.datafiles import parse_record
from howsure.errors import InputError, NotFoundError, shown
from howsure.learn.promise_watch import watch_outcome
from howsure.ledger.metrics import PROMISES_WITHDRAWN, Metrics
from howsure.redaction import redact_secrets
from howsure.shapes import Alias, Moment, decode, decode_as
from howsure.store.backends.database import Transaction
from howsure.store.ledger_tables import decisions as table
from howsure.store.ledger_tables.decisions import OUTCOMES, Outcome, OutcomeSource, ReportedOutcome
from howsure.store.ledger_tables.outcomes import DecisionKey, find_decisions, list_outcomes
from howsure.store.session import Session
from howsure.store.text_rules import check_name

LONGEST_NOTE = 2000
MOST_ERRORS = 100
"""Errors that are listed; the others are only counted."""
PART = 1000
"""Reports that are written in one transaction."""
_TIMED = "@"
"""The start of the mark of a line that names its time."""
CLOCK_TOLERANCE = 300.0
"""Seconds by which the clocks of two machines may differ."""
Thumb = Literal["up", "down"]
Words = bool | float | str
_WORDS: dict[str, Outcome] = {
    **{word: word for word in OUTCOMES},
    **dict.fromkeys(("1", "1.0", "true", "yes", "up", "👍", "passed", "correct"), "right"),
    **dict.fromkeys(("0", "0.0", "false", "no", "down", "👎", "failed", "incorrect"), "wrong"),
}
"""How an outcome may be written."""


@dataclass(frozen=True)
class OutcomeInput:
    """What a decision turned out to be."""

    outcome: Words
    """right, wrong or corrected; or true, 1 or up for right, and false, 0 or down for wrong."""
    decision_id: Annotated[str | None, Alias("id")] = None
    """The decision; without it, the latest of each model and agent with this task_id and trace_id."""
    task_id: str | None = None
    """The task."""
    trace_id: str | None = None
    """The trace: one run of an agent."""
    at: float | str | None = None
    """When that became known, in seconds since 1970 or as an ISO time; default: now."""
    by: str | None = None
    """Who says so; default: the caller."""
    note: str | None = ""
    """Why, or how that is known."""
    source: OutcomeSource | None = None
    """Where it came from: person, ci, commit, thumbs, file or agent."""


class UnmatchedError(NotFoundError):
    """No decision has the id, task or trace of an outcome."""


class StoredReport(NamedTuple):
    """An outcome of one decision, and whether it was new."""

    decision_id: str
    outcome: ReportedOutcome
    recorded: bool
    replaces: bool = False
    """Whether an earlier line of the same file is replaced."""


def read_outcome(word: Words) -> Outcome:
    """Return the outcome that a word, number or flag stands for.

    Raises:
        InputError: if it stands for none.

    >>> read_outcome("UP"), read_outcome(0), read_outcome("corrected")
    ('right', 'wrong', 'corrected')
    """
    text = str(word).strip().casefold()
    if text not in _WORDS:
        hint = "right, wrong, corrected, up, down, true, false, 1 or 0"
        raise InputError(f"{shown(word)} is not an outcome", field="outcome", hint=hint)
    return _WORDS[text]


def read_moment(value: float | str | None) -> float | None:
    """Return a time given in seconds since 1970 or as an ISO time, which is UTC if it names no zone.

    >>> read_moment("2027-01-15T08:00:00Z"), read_moment("1800000000"), read_moment(None)
    (1800000000.0, 1800000000.0, None)
    """
    if value is None:
        return None
    try:
        return float(decode_as(Moment, float(value), "at"))
    except (ValueError, OverflowError):
        pass
    try:
        moment = datetime.fromisoformat(str(value).strip())
        return float((moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp())
    except (ValueError, OverflowError):
        hint = "seconds since 1970, or like 2027-01-15T08:00:00Z"
        raise InputError(f"{shown(value)} is not a time", field="at", hint=hint) from None


def read_report(item: OutcomeInput | Mapping[str, Any] | bytes) -> OutcomeInput | None:
    """Return a reported outcome from an object or a line of JSON; None for an empty line."""
    if isinstance(item, OutcomeInput):
        return item
    if isinstance(item, bytes):
        item = item.removeprefix(codecs.BOM_UTF8).strip()
        if not item:
            return None
    return decode(OutcomeInput, parse_record(item))


class OutcomeWriter:
    """Stores reported outcomes within write transactions."""

    def __init__(self, session: Session, redact: tuple[str, ...], now: float, metrics: Metrics | None = None) -> None:
        """Report at a moment, as the session's actor unless a report names another.

        Args:
            session: The store.
            redact: Expressions of what is not stored of a note.
            now: The moment of reports that name none.
            metrics: Where withdrawn promises are counted.
        """
        self._session = session
        self._redact = redact
        self._now = now
        self._metrics = metrics

    def write(
        self,
        transaction: Transaction,
        report: OutcomeInput,
        *,
        source: OutcomeSource = "person",
        once: bool = False,
        file: str = "",
        until: float | None = None,
    ) -> list[StoredReport]:
        """Store an outcome for every decision that it belongs to.

        Args:
            transaction: A write transaction.
            report: The outcome.
            source: Where it came from, if the report does not say.
            once: Leave out what the same source said last: an opinion that has not changed.
            file: The import of a file. Of its lines about one decision that name no time the last one counts.
            until: Match tasks and traces with decisions made by then; default: the moment of the outcome.

        Raises:
            InputError: if the report is wrong.
            UnmatchedError: if it belongs to no decision.
        """
        outcome = read_outcome(report.outcome)
        given = self._moment(report)
        at = self._now if given is None else given
        by = check_name(self._session.signature(report.by), "by")
        note = redact_secrets(report.note or "", self._redact)[:LONGEST_NOTE]
        source = report.source or source
        stored = []
        for decision in _decisions(transaction, report, at if until is None else until):
            said = list_outcomes(transaction, decision.key, source, by if report.by else None)
            mark = file if given is None or not file else f"{_TIMED}{file}"
            if file:  # compared with what files said of the same moment, or without one
                place = None if given is None else max(given, decision.at)
                said = [one for one in said if (one.at if one.mark.startswith(_TIMED) else None) == place and one.mark]
            replaces = bool(file and said and said[0].mark == mark)
            if replaces:
                table.remove_outcome(transaction, decision.key, said.pop(0).key)
            known = bool((once or file) and said and said[0].outcome == outcome)
            moment = at
            if not known:
                # A source that has changed its mind counts by what it says now: a revert may be fetched late.
                # Without a time, what is said last counts, even if a clock went back.
                earlier = said if once else list_outcomes(transaction, decision.key) if given is None else []
                _check_not_before(decision, given)
                moment = max(at, decision.at if given is not None else at, *(one.at for one in earlier))
                table.add_outcome(transaction, decision.key, moment, outcome, by, note, source, mark)
                self._session.outcomes_reported += 1
                counts = source != "agent"
                if counts and watch_outcome(transaction, decision.key, replaced=replaces) and self._metrics is not None:
                    self._metrics.add(PROMISES_WITHDRAWN)
            reported = ReportedOutcome(moment, outcome, by, note, source, moment - decision.at)
            stored.append(StoredReport(decision.id, reported, not known, replaces))
        return stored

    def _moment(self, report: OutcomeInput) -> float | None:
        """Return when an outcome became known, or None if the report does not say."""
        given = read_moment(report.at)
        if given is not None and given > self._now + CLOCK_TOLERANCE:
            raise InputError(f"{shown(report.at)} is in the future", field="at", hint="when the outcome became known")
        return None if given is None else min(given, self._now)


def _check_not_before(decision: DecisionKey, given: float | None) -> None:
    """Raise InputError if an outcome was known before the decision was made."""
    if given is not None and given < decision.at - CLOCK_TOLERANCE:
        hint = f"{decision.id} was decided {decision.at - given:,.0f} s later"
        raise InputError("the outcome is older than the decision", field="at", hint=hint)


def _decisions(transaction: Transaction, report: OutcomeInput, until: float) -> list[DecisionKey]:
    names = {"decision_id": report.decision_id, "task_id": report.task_id, "trace_id": report.trace_id}
    given = {name: check_name(text, name) for name, text in names.items() if text}
    if not given:
        hint = "id of the decision, or task_id or trace_id"
        raise InputError("the outcome does not say which decision it belongs to", field="decision_id", hint=hint)
    id_ = given.pop("decision_id", None)
    found = find_decisions(
        transaction, id_=id_, task_id=given.get("task_id"), trace_id=given.get("trace_id"), until=until
    )
    if not found and id_ is not None:
        raise not_found(id_)
    if not found:
        about = " and ".join(f"{name} {shown(text)}" for name, text in given.items())
        hint = "is it newer than the outcome? howsure ledger list shows what there is"
        raise UnmatchedError(f"there is no decision with {about}", field=next(iter(given)), hint=hint)
    return found


def not_found(decision_id: Any) -> UnmatchedError:
    """Return the error for an id that no decision has."""
    hint = "howsure ledger list shows them"
    return UnmatchedError(f"there is no decision {shown(decision_id)}", field="decision_id", hint=hint)


class ReportCounts:
    """Counts what became of reports."""

    def __init__(self) -> None:
        """Start with none."""
        self.recorded = self.unchanged = self.unmatched = self.invalid = 0
        self.errors: list[str] = []

    def write(
        self,
        writer: OutcomeWriter,
        transaction: Transaction,
        report: OutcomeInput,
        place: int | str,
        source: OutcomeSource,
        **options: Any,
    ) -> None:
        """Store a report completely or not at all, and count it."""
        try:
            with transaction.savepoint():
                stored = writer.write(transaction, report, source=source, **options)
        except InputError as error:
            self.fail(error, place)
            return
        new = sum(one.recorded for one in stored)
        replaced = sum(one.replaces for one in stored)
        self.recorded += new - replaced
        self.unchanged += len(stored) - new + replaced

    @property
    def failed(self) -> int:
        """How many reports had no effect."""
        return self.unmatched + self.invalid

    def fail(self, error: InputError, place: int | str) -> None:
        """Count an error, and list it unless there are too many already."""
        if isinstance(error, UnmatchedError):
            self.unmatched += 1
        else:
            self.invalid += 1
        if len(self.errors) < MOST_ERRORS:
            if isinstance(place, int):
                error.line = place
            self.errors.append(str(error) if isinstance(place, int) else f"{place}: {error}")
