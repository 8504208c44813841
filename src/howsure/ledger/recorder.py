"""Record decisions. A gate loads only this part of the ledger."""

import json
import sys
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Annotated, Any, NamedTuple

from howsure.files import new_id
from howsure.formulas.score import Score
from howsure.ledger.kept_text import KeptText, keep
from howsure.ledger.metrics import Metrics
from howsure.redaction import compile_patterns, redact_secrets
from howsure.settings import KEEP, PROJECT, REDACT, Settings
from howsure.shapes import Doc
from howsure.store.backends.database import Transaction
from howsure.store.ledger_tables import decisions as table
from howsure.store.ledger_tables.decisions import DecisionRow
from howsure.store.session import Session
from howsure.store.text_rules import check_name

GOOD = ("pass", "proceed", "answer", "none", "promoted", "")
"""Decisions that let something go on; empty if a model decides nothing."""
_SCORES = ("probability", "composite", "score", "overall", "confidence", "lower")
"""Where a model's answer holds its score: the first that it has."""

AgentName = Annotated[str, Doc("Name of the agent, always the same: its history is found by it.", example="patcher-1")]
AgentType = Annotated[str, Doc("Type of the agent; sets the threshold.", example="patcher")]
ProjectName = Annotated[str, Doc("The project that the agent works on; default: the setting `project`.")]
TaskId = Annotated[str, Doc("The task that the agent works on.")]
TraceId = Annotated[str, Doc("The trace: one run of an agent.", example="session-1")]


class Subject(NamedTuple):
    """Whom and what a decision is about."""

    agent: str = ""
    """Name of the agent."""
    agent_type: str = ""
    """Type of the agent."""
    project: str = ""
    """The project it works on."""
    task_id: str = ""
    """The task."""
    trace_id: str = ""
    """The trace: one run of the agent."""


class Recorder:
    """Writes decisions of any model to the ledger."""

    def __init__(self, session: Session, settings: Settings) -> None:
        """Write in a session; the settings say how much of a text is kept.

        Raises:
            InputError: if the setting `ledger.redact` holds an invalid regular expression.
        """
        self.session = session
        self._keep = settings.value(KEEP)
        self._redact = settings.value(REDACT)
        compile_patterns(self._redact)
        self._project = settings.value(PROJECT)
        self.metrics: Metrics = Metrics.chosen(settings)
        """Counts and times what happens."""
        self._specs: set[str] = set()
        """Fingerprints of the specifications that are known to be stored."""

    def subject(
        self,
        *,
        agent: str | None = None,
        agent_type: str | None = None,
        project: str | None = None,
        task_id: str | None = None,
        trace_id: str | None = None,
    ) -> Subject:
        """Return whom and what a decision is about, with the project from the settings if none is given.

        Raises:
            InputError: if a name is too long or cannot be stored.
        """
        return Subject(
            _name(agent, "agent"),
            _name(agent_type, "agent_type"),
            _name(project, "project", self._project),
            _name(task_id, "task_id"),
            "" if trace_id is None else check_name(trace_id, "trace_id"),  # a key: calls are stored under it as given
        )

    def record(
        self, score: Score, subject: Subject | None = None, text: str | None = None, now: float | None = None
    ) -> str:
        """Record what a model decided, and return the id of the decision once it is durable."""
        at = self.session.at(now)
        row = self.row(score, subject or self.subject(), self.keep(text), at)
        with self.session.write() as transaction:
            self.write(transaction, score, row)
        self.committed(score, row)
        return row.id

    def row(
        self,
        score: Score,
        subject: Subject,
        text: KeptText,
        at: float,
        *,
        model: str | None = None,
        shadow: bool = False,
        sentences: Sequence[Mapping[str, Any]] = (),
    ) -> DecisionRow:
        """Return the row to write for a score, with a new id.

        Args:
            model: The model to record it under, if several models decide about the same things.
            shadow: Whether what was decided was not enforced.
            sentences: What was found about each sentence; it becomes part of the stored answer.
        """
        answer = score.answer
        number = 0.0
        for name in _SCORES:
            if isinstance(found := answer.get(name), int | float):
                number = found
                break
        decision = str(answer.get("decision", ""))
        met = bool(getattr(score.steps, "reached", decision in GOOD))
        stored = answer | {"sentences": list(sentences)} if sentences else answer
        content = {"row": score.row._asdict(), "answer": stored}
        detail = _json(content, often=bool(self._specs))
        if self.redact(detail) != detail:  # ids of results and names of files
            detail = _json(_redact_leaves(content, self._redact), often=bool(self._specs))
        return DecisionRow(
            new_id("a", at),
            at,
            score.spec.name if model is None else model,
            *subject,
            float(number),
            answer.get("threshold"),
            decision,
            met,
            fingerprint(score),
            *text,
            detail,
            shadow,
        )

    def write(self, transaction: Transaction, score: Score, row: DecisionRow) -> None:
        """Write a row within a transaction, and the specification of its model if it is new."""
        if row.spec not in self._specs:
            insert_spec(transaction, row.spec, score.spec._asdict())
        table.insert(transaction, [row])

    def committed(self, score: Score, row: DecisionRow) -> None:
        """Note that a row was committed: count it, and do not write its specification again."""
        self._specs.add(row.spec)
        self.metrics.decided(score, row)

    def redact(self, text: str) -> str:
        """Return a text without secrets."""
        return redact_secrets(text, self._redact)

    def keep(self, text: str | None) -> KeptText:
        """Return as much of a text as the settings keep, without secrets."""
        return keep(text, self._keep, self._redact)


def _name(given: str | None, field: str, default: str = "") -> str:
    return default if given is None else _without_secrets(check_name(given, field))


@lru_cache(maxsize=4096)
def _without_secrets(name: str) -> str:
    return redact_secrets(name)


def _redact_leaves(data: Any, patterns: tuple[str, ...]) -> Any:
    """Return JSON data in which secrets in texts are replaced; names of fields are left as they are."""
    if isinstance(data, Mapping):
        return {name: _redact_leaves(value, patterns) for name, value in data.items()}
    if isinstance(data, list | tuple):
        return [_redact_leaves(value, patterns) for value in data]
    return redact_secrets(data, patterns) if isinstance(data, str) else data


def fingerprint(score: Score) -> str:
    """Return the fingerprint of a score's model, computed once for each model in use."""
    known = _FINGERPRINTS.get(id(score.spec))
    if len(_FINGERPRINTS) > 64:  # noqa: PLR2004 - models that are made for one score each
        _FINGERPRINTS.clear()
    if known is None or known[0] is not score.spec:
        known = _FINGERPRINTS[id(score.spec)] = (score.spec, score.spec.fingerprint)
    return known[1]


_FINGERPRINTS: dict[int, tuple[Any, str]] = {}
"""By the identity of a specification, which is held here too so that its identity is not given to another."""


def insert_spec(transaction: Transaction, name: str, content: Mapping[str, Any]) -> None:
    """Write the specification of a model, unless it is there already."""
    table.insert_spec(transaction, name, _json(content))


def _json(content: Any, *, often: bool = False) -> str:
    """Return data as JSON. orjson is faster, but not worth loading for one decision."""
    if often or "orjson" in sys.modules:
        import orjson

        return orjson.dumps(content).decode()
    return json.dumps(content, separators=(",", ":"), allow_nan=False)
