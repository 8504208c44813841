"""The ledger: every assessment that was made, and what became of it."""

import json
import sys
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple, get_args

from howsure.errors import InputError, NotFoundError, nearest, shown
from howsure.files import new_id
from howsure.formulas.score import Score
from howsure.ledger.metrics import Metrics
from howsure.ledger.redact import Kept, kept, patterns, redacted
from howsure.settings import KEEP, PROJECT, REDACT, Settings
from howsure.store import decisions as table
from howsure.store.database import Transaction
from howsure.store.decisions import Entry, Outcome
from howsure.store.session import Session
from howsure.store.text_rules import check_name

if TYPE_CHECKING:
    from pathlib import Path

    from howsure.ledger.decision import Record
    from howsure.responses.reasons import Explained

GOOD = ("pass", "proceed", "answer", "none", "promoted", "")
"""Decisions that let something go its way."""
OUTCOMES: tuple[Outcome, ...] = get_args(Outcome)
_SCORES = ("composite", "score", "overall", "confidence", "lower")


class About(NamedTuple):
    """Whom and what an assessment is about."""

    agent: str = ""
    """Name of the agent."""
    agent_type: str = ""
    """Type of the agent."""
    project: str = ""
    """The project it works on."""
    task_id: str = ""
    """The task."""
    trace_id: str = ""
    """The trace or session."""


class Ledger:
    """Every assessment of every model, durable and in order. Nothing in it is changed; outcomes are added."""

    def __init__(self, session: Session, settings: Settings) -> None:
        """Take the session to write in, and the settings that say how much is kept."""
        self.session = session
        self._keep = settings.value(KEEP)
        self._redact = settings.value(REDACT)
        patterns(self._redact)  # what is no pattern should be known at once
        self._project = settings.value(PROJECT)
        self.metrics = Metrics.chosen(settings)
        """Where what happens is counted."""
        self._specs: set[str] = set()

    def about(self, **given: Any) -> About:
        """Return whom and what an assessment is about, with the project from the settings if none is given."""
        named = {name: check_name(value, name) for name, value in given.items() if value is not None}
        return About(**({"project": self._project} | named))

    def record(
        self, score: Score, about: About | None = None, text: str | None = None, now: float | None = None
    ) -> str:
        """Write an assessment down, and return its id once it is durable."""
        at = self.session.at(now)
        entry = self.entry(score, about or self.about(), self.kept(text), at)
        with self.session.write() as transaction:
            self.write(transaction, score, entry)
        self.written(score, entry)
        return entry.id

    def written(self, score: Score, entry: Entry) -> None:
        """Note that an entry is durable, and with it the specification of its model."""
        self._specs.add(entry.spec)
        self.metrics.assessed(score, entry)

    def kept(self, text: str | None) -> Kept:
        """Return as much of a text as is kept."""
        return kept(text, self._keep, self._redact)

    def entry(self, score: Score, about: About, text: Kept, at: float) -> Entry:
        """Return what to write down of an assessment."""
        answer = score.answer
        number = next((answer[name] for name in _SCORES if isinstance(answer.get(name), int | float)), 0.0)
        decision = str(answer.get("decision", ""))
        met = bool(getattr(score.steps, "reached", decision in GOOD))
        detail = _json({"row": score.row._asdict(), "answer": answer}, often=bool(self._specs))
        return Entry(
            new_id("a", at),
            at,
            score.spec.name,
            about.agent,
            about.agent_type,
            about.project,
            about.task_id,
            about.trace_id,
            float(number),
            answer.get("threshold"),
            decision,
            met,
            fingerprint(score),
            *text,
            detail,
        )

    def write(self, transaction: Transaction, score: Score, entry: Entry) -> None:
        """Write an entry within a transaction, and the specification of its model if it is new."""
        if entry.spec not in self._specs:
            keep_spec(transaction, entry.spec, score.spec._asdict())
        table.write(transaction, [entry])

    def get(self, id_: str) -> "Record":
        """Return one assessment."""
        from howsure.ledger.decision import READ, as_record

        with self.session.database.read() as transaction:
            row = transaction.one(f"{READ} WHERE a.id = ?", [check_name(id_, "id")])
        if row is None:
            raise _missing(id_)
        return as_record(row)

    def explain(self, id_: str) -> "Explained":
        """Return one assessment with why it was decided so, and every word that was said on its outcome."""
        from howsure.responses.reasons import explain

        return explain(self, id_)

    def find(self, *, limit: int | None = 50, **wanted: Any) -> "list[Record]":
        """Return decisions, the newest first.

        By id, agent, agent_type, project, task_id, trace_id, model, decision, since, until, before, or by whether their
        outcome is known (`judged`).
        """
        from howsure.ledger.decision import READ, as_record, conditions

        where, parameters = conditions(wanted)
        end = "" if limit is None else f" LIMIT {int(limit)}"
        with self.session.database.read() as transaction:
            return [
                as_record(row)
                for row in transaction.rows(f"{READ} {where} ORDER BY a.at DESC, a.key DESC{end}", parameters)
            ]

    def records(self, **wanted: Any) -> "Iterator[Record]":
        """Give decisions from the oldest on, one by one."""
        from howsure.ledger.decision import READ, as_record, conditions

        where, parameters = conditions(wanted)
        with self.session.database.read(separate=True) as transaction:
            for row in transaction.stream(f"{READ} {where} ORDER BY a.at, a.key", parameters):
                yield as_record(row)

    def outcome(
        self, id_: str, outcome: str, *, by: str | None = None, note: str = "", now: float | None = None
    ) -> None:
        """Say what became of an answer: right, wrong or corrected. What is said last counts."""
        at = self.session.at(now)
        with self.session.write() as transaction:
            self._outcome(transaction, {"id": id_, "outcome": outcome, "by": by, "note": note}, at)

    def outcomes(self, records: Iterable[tuple[int, Any]], now: float | None = None) -> tuple[int, list[str]]:
        """Take outcomes from records of id, outcome, by and note; return how many, and what was wrong with the rest."""
        from howsure.datafiles import parsed

        at = self.session.at(now)
        taken, errors = 0, []
        with self.session.write() as transaction:
            for number, record in records:
                try:
                    with transaction.savepoint():
                        self._outcome(transaction, parsed(record), at)
                    taken += 1
                except InputError as error:
                    error.line = number
                    errors.append(str(error))
        return taken, errors

    def _outcome(self, transaction: Transaction, given: Any, at: float) -> None:
        if not isinstance(given, Mapping) or not isinstance(given.get("id"), str):
            raise InputError(f"{shown(given)} names no assessment", field="id")
        outcome = given.get("outcome")
        if outcome not in OUTCOMES:
            hint = nearest(outcome, OUTCOMES) if isinstance(outcome, str) else f"there are: {', '.join(OUTCOMES)}"
            raise InputError(f"{shown(outcome)} is no outcome", field="outcome", hint=hint)
        key = transaction.value("SELECT key FROM decisions WHERE id = ?", [check_name(given["id"], "id")])
        if key is None:
            raise _missing(given["id"])
        actor = check_name(given.get("by") or self.session.actor, "by")
        note = redacted(given.get("note") or "", self._redact)[:2000] if isinstance(given.get("note"), str) else ""
        table.add_outcome(transaction, key, at, outcome, actor, note)

    def purge(self, **wanted: Any) -> int:
        """Take decisions away for good, by the same words as `find`; return how many. Nothing given: nothing gone."""
        everything = wanted.pop("everything", None) is True
        if not everything and not {name for name, value in wanted.items() if value is not None}:
            raise InputError(
                "nothing says what to purge", hint="an id, an agent, a trace, a moment, or everything=True"
            )
        from howsure.ledger.decision import conditions

        where, parameters = conditions(wanted)
        with self.session.write() as transaction:
            rows = transaction.rows(f"SELECT a.key, a.trace_id FROM decisions a {where}", parameters)
            count = table.remove(transaction, [key for key, _ in rows])
            table.remove_calls(transaction, {trace for _, trace in rows} | {wanted.get("trace_id") or ""} - {""})
            if everything:
                transaction.run("DELETE FROM tool_calls")
            if wanted.get("before") is not None:
                transaction.run("DELETE FROM tool_calls WHERE at < ?", [wanted["before"]])
            transaction.run("DELETE FROM requests WHERE answer IS NOT NULL")  # kept answers may tell of it
        self.session.database.settle()
        return count

    def export(self, folder: "Path") -> int:
        """Write one file of JSON Lines for each day, as the source document names and shapes them."""
        from howsure.ledger.jsonl import export

        return export(self, folder)

    def import_(self, path: "Path") -> tuple[int, list[str]]:
        """Read such files, each up to its first bad line; return how many records were new, and what was wrong."""
        from howsure.ledger.jsonl import import_

        return import_(self, path)


def fingerprint(score: Score) -> str:
    """Return the fingerprint of a score's model, computed once for each model in use."""
    found = _FINGERPRINTS.get(id(score.spec))
    if len(_FINGERPRINTS) > 64:  # noqa: PLR2004 - models that are made for one score each
        _FINGERPRINTS.clear()
    if found is None or found[0] is not score.spec:
        found = _FINGERPRINTS[id(score.spec)] = (score.spec, score.spec.fingerprint)
    return found[1]


_FINGERPRINTS: dict[int, tuple[Any, str]] = {}


def keep_spec(transaction: Transaction, name: str, content: Mapping[str, Any]) -> None:
    """Write a specification down, if it is not there yet."""
    transaction.run(
        "INSERT INTO specs (fingerprint, content) VALUES (?, ?) ON CONFLICT (fingerprint) DO NOTHING",
        [name, _json(content)],
    )


def _json(content: Any, *, often: bool = False) -> str:
    """Return data as JSON: by what is fast, if it is loaded or needed often, else by what is loaded fast."""
    if often or "orjson" in sys.modules:
        import orjson

        return orjson.dumps(content).decode()
    return json.dumps(content, separators=(",", ":"), allow_nan=False)


def _missing(id_: Any) -> NotFoundError:
    return NotFoundError(f"there is no assessment {shown(id_)}", field="id", hint="howsure ledger list shows them")
