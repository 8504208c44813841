"""The decision as the ledger stores it."""

import base64
from dataclasses import dataclass, field
from typing import Annotated, Any

import orjson

from howsure.errors import InputError
from howsure.shapes import Count, Doc, Moment, decode_as
from howsure.store.ledger_tables.decision_detail import read_detail
from howsure.store.ledger_tables.decisions import STORED_COLUMNS, Outcome, OutcomeSource, Position, StoredColumns

_EXAMPLE = "a01a3185c50009f3a2b4c5d6e7f80"
DecisionId = Annotated[str, Doc("Id of a decision.", example=_EXAMPLE)]
DecisionOrLast = Annotated[str, Doc("Id of a decision, or @last for the newest.", example=_EXAMPLE)]


@dataclass(frozen=True)
class Decision:
    """What a model decided about one thing, and what it turned out to be."""

    id: str
    at: float
    """When, in seconds since 1970."""
    model: str
    """The model that decided: response, investigation, overall, document, ..."""
    agent: str
    agent_type: str
    project: str
    task_id: str
    trace_id: str
    score: float
    """How sure the model was, from 0 to 1."""
    threshold: float | None
    """The score that was needed; null if the model has no threshold."""
    decision: str
    """What was decided: pass, block, review, proceed, ...; empty if the model only scores."""
    met: bool
    """Whether the threshold was met."""
    digest: str | None
    """SHA-256 of the judged text; null if nothing of it is kept."""
    content: str | None
    """As much of the judged text as the settings keep."""
    detail: dict[str, Any] = field(default_factory=dict)
    """The model's `row` of numbers and its `answer`; only `broken`, which says why, if what is stored is damaged."""
    spec: dict[str, Any] = field(default_factory=dict)
    """Name, version and parameters of the model."""
    outcome: Outcome | None = None
    """What it turned out to be: right, wrong or corrected; null if that is not known."""
    outcome_by: str | None = None
    """Who reported the outcome."""
    outcome_at: float | None = None
    """When the outcome became known, in seconds since 1970."""
    outcome_source: OutcomeSource | None = None
    """Where the outcome came from: person, ci, commit, thumbs, file or agent."""
    shadow: bool = False
    """Whether the response was let through whatever was decided."""

    @property
    def answer(self) -> dict[str, Any]:
        """What the model answered then; empty for an imported decision that does not say."""
        answer = self.detail.get("answer")
        return answer if isinstance(answer, dict) else {}

    @classmethod
    def from_columns(cls, row: StoredColumns) -> "Decision":
        """Return the decision that a row of the store holds."""
        values = dict(zip(STORED_COLUMNS, row, strict=True))
        values["met"], values["shadow"] = bool(values["met"]), bool(values["shadow"])
        values["detail"] = read_detail(values["model"], values["detail"])
        values["spec"] = _read_spec(values["spec"])
        return cls(**values)


def _read_spec(text: str) -> dict[str, Any]:
    try:
        spec = orjson.loads(text)
    except ValueError:
        return {}
    return spec if isinstance(spec, dict) else {}


@dataclass(frozen=True)
class DecisionPage:
    """Some of the matching decisions, the newest first."""

    decisions: list[Decision]
    cursor: str | None
    """Pass it to read the next page; null at the end."""


def encode_cursor(position: Position | None) -> str | None:
    """Return a position as an opaque text; None stays None."""
    return None if position is None else base64.urlsafe_b64encode(orjson.dumps(list(position))).decode().rstrip("=")


def decode_cursor(cursor: str | None) -> Position | None:
    """Return the position that a cursor stands for.

    Raises:
        InputError: if it was not made by `encode_cursor`.
    """
    if cursor is None:
        return None
    try:
        at, key = orjson.loads(base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)))
        return Position(decode_as(Moment, at, "cursor"), decode_as(Count, key, "cursor"))
    except (ValueError, TypeError, InputError):
        raise InputError("invalid cursor", field="cursor", hint="pass it as it was returned") from None
